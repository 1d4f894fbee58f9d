"""Figures of arrays in chunks, for `cargo xtask chunks`. Each part ends the process with 1 if what
must hold does not."""

import itertools
import logging
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import dask.array as da  # noqa: E402
import numpy as np  # noqa: E402

import halidom  # noqa: E402
import halidom.dask as hd  # noqa: E402
import picture  # noqa: E402
import streams  # noqa: E402
from halidom import _graph, _grid, _phases, _plan, _windows  # noqa: E402
from halidom._errors import CheckFailed  # noqa: E402

FOLDER = ROOT / "examples" / "chunks"
CASES = int(os.environ.get("HALIDOM_CHUNKS_CASES", "1000"))
MEMORY = int(os.environ.get("HALIDOM_CHUNKS_MIB", "2048"))
KILLS = 10


class Application:
    """A pipeline with the shapes of its inputs for a drawn size."""

    def __init__(
        self, file, name, rank, inputs, schedule=None, phases=(), region=None, order=None,
        values=None,
    ):
        self.file = str(FOLDER / f"{file}.hal")
        self.name, self.rank, self.inputs = name, rank, inputs
        self.schedule, self.phases, self.region = schedule, list(phases), region
        self.order, self.values = order, values or {}

    def kernels(self):
        return _plan.guarded(self.file, pipeline=self.name, schedule=self.schedule)

    def whole(self):
        return halidom.compile(self.file, pipeline=self.name)


def plain(dtype):
    return {"input": (dtype, lambda shape: shape)}


U8, U16, F32 = np.uint8, np.uint16, np.float32
APPLICATIONS = [
    Application("filters", "gaussian", 2, plain(U8), "rows"),
    Application("filters", "mean_constant", 2, plain(U8)),
    Application("filters", "mean_mirrored", 2, plain(U8)),
    Application("filters", "mean_repeated", 2, plain(U8)),
    Application("filters", "sharpen_floats", 2, plain(F32)),
    Application("scales", "pyramid", 2, plain(U8)),
    Application("scales", "smaller", 2, {"input": (U8, lambda s: tuple(3 * n + 2 for n in s))}),
    Application("scales", "larger", 2, plain(U8)),
    Application("histogram", "histogram", 2, plain(U8), "bands", ["part"], ((0, 256),)),
    Application("others", "strongest", 2, {"input": (U8, lambda s: (5, *s))}),
    Application("others", "transposed", 2, {"input": (U16, lambda s: s[::-1])}),
    Application("others", "flipped", 2, plain(U8)),
    Application("others", "greatest", 3, plain(U16)),
    Application(
        "others",
        "coloured",
        3,
        {
            "fine": (U8, lambda s: s[1:]),
            "coarse": (U8, lambda s: (s[0], s[1] // 2 + 1, s[2] // 2 + 1)),
        },
    ),
    Application("stretch", "stretch", 2, plain(U8), "bands", ["part", "top"]),
    Application(
        "reductions", "brightest", 2, plain(U8), "bands", ["part", "group", "best"], ((0, 2),)
    ),
    Application(
        "reductions", "moments", 2, plain(F32), None, ["total"], ((0, 2),), "exact"
    ),
    Application(
        "../applications/resize", "resize", 3, plain(U8), "best",
        values={"scale_x": 1.7, "scale_y": 0.6},
    ),
]


def drawn(source, shape, dtype):
    if np.dtype(dtype).kind == "f":
        return source.standard_normal(shape).astype(dtype)
    limits = np.iinfo(dtype)
    return source.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def lengths(draw, extent):
    """Chunks of one axis: of 1, of primes, uneven, larger than the array."""
    kind = draw.choice(["ones", "prime", "uneven", "whole", "large"])
    if kind == "ones" and extent <= 10:
        return (1,) * extent
    if kind in ("prime", "ones"):
        return _grid.cut(extent, draw.choice([2, 3, 5, 7, 11, 13]))
    if kind == "large":
        return _grid.cut(extent, extent + draw.randrange(1, 9))
    found = []
    while kind == "uneven" and sum(found) < extent:
        found.append(min(draw.randrange(1, 12), extent - sum(found)))
    return tuple(found) if found else (extent,)


def same(one, other):
    return one.shape == other.shape and one.tobytes() == other.tobytes()


def phased(app, kernels, arrays, region, chunks):
    """What `map` does for phases, with kernels that are compiled already."""
    kept = _windows.compiled, _phases.require_whole, _grid.AIM
    pool = iter(kernels)
    _windows.compiled = lambda *_, **__: next(pool)
    _phases.require_whole = lambda *_, **__: None
    if app.order:
        # Small pictures give chains of some length.
        _grid.AIM = 200
    try:
        return hd.map(
            app.file,
            pipeline=app.name,
            schedule=app.schedule,
            phases=app.phases,
            order=app.order,
            region=region,
            chunks=chunks,
            **arrays,
        )
    finally:
        _windows.compiled, _phases.require_whole, _grid.AIM = kept


def phase_kernels(app):
    steps = [*app.phases, None]
    _phases.require_whole(app.file, app.name, app.schedule, False)
    return [
        _windows.compiled(
            app.file,
            pipeline=app.name,
            schedule=app.schedule,
            given=app.phases[:number],
            compute=compute,
            piece=app.order is not None and compute is not None,
        )
        for number, compute in enumerate(steps)
    ]


def equal():
    """Chunks against the whole, bit for bit."""
    bad = 0
    print(f"chunks against the whole, {CASES} random (shape, chunks) each:")
    for app in APPLICATIONS:
        begin = time.monotonic()
        whole = app.whole()
        kernels = phase_kernels(app) if app.phases else app.kernels()
        draw, source = random.Random(app.name), np.random.default_rng(7)
        refused, differ, empty = hd.refused(), 0, 0
        for case in range(CASES):
            shape = tuple(draw.randrange(1, 26 if app.rank == 2 else 11) for _ in range(app.rank))
            arrays = {
                name: drawn(source, of(shape), dtype) for name, (dtype, of) in app.inputs.items()
            }
            # In every tenth case an axis of the output is empty.
            region = app.region or tuple((0, extent) for extent in shape)
            if case % 10 == 9 and not app.phases:
                region = ((region[0][0], 0), *region[1:])
                empty += 1
            chunks = tuple(lengths(draw, extent) if extent else (0,) for _, extent in region)
            blocks = {
                name: da.from_array(array, chunks=tuple(lengths(draw, n) for n in array.shape))
                for name, array in arrays.items()
            }
            if app.phases:
                lazy = phased(app, kernels, blocks, region, chunks)
            else:
                given = {**blocks, **app.values}
                planned = hd.Plan(app.file, region=region, given=given, kernels=kernels)
                lazy = _graph.lazy(planned, chunks)
            got = lazy.compute(scheduler="synchronous")
            out = np.empty(tuple(extent for _, extent in region), whole.outputs[0].dtype)
            expected = whole(**arrays, **app.values, out=out)
            differ += not same(got, expected)
        bad += differ
        print(
            f"  {app.name:15} {CASES - differ:5} equal, {differ} differ; {empty} empty; "
            f"{hd.refused() - refused} chunks by the second kernel; "
            f"{time.monotonic() - begin:.0f} s",
            flush=True,
        )
    return bad == 0


def stock_funcs():
    """The applications in stock Halide, without boundary conditions: for windows in the middle."""
    import halide as hl

    def build(name):
        x, y, z, c = hl.Var("x"), hl.Var("y"), hl.Var("z"), hl.Var("c")
        out = hl.Func("out")
        if name == "gaussian":
            i = hl.ImageParam(hl.UInt(8), 2, "input")
            a = hl.Func("across")
            a[x, y] = sum(hl.u16(i[x + d, y]) for d in range(-2, 3))
            a.compute_root()
            out[x, y] = sum(hl.u32(a[x, y + d]) for d in range(-2, 3))
        elif name.startswith("mean"):
            i = hl.ImageParam(hl.UInt(8), 2, "input")
            r = hl.RDom([(-1, 3), (-1, 3)])
            sides = [(0, 4000), (0, 4000)]
            at = i
            if name == "mean_mirrored":
                at = hl.BoundaryConditions.mirror_image(i, sides)
            if name == "mean_repeated":
                at = hl.BoundaryConditions.repeat_image(i, sides)
            out[x, y] = hl.u8(hl.sum(hl.u16(at[x + r.x, y + r.y])) / 9)
        elif name == "flipped":
            i = hl.ImageParam(hl.UInt(8), 2, "input")
            out[x, y] = i[3999 - x, y]
        elif name == "sharpen_floats":
            i = hl.ImageParam(hl.Float(32), 2, "input")
            out[x, y] = i[x, y] + i[x - 1, y] + i[x + 1, y] + i[x, y - 1] + i[x, y + 1]
        elif name == "pyramid":
            i = hl.ImageParam(hl.UInt(8), 2, "input")
            h, q = hl.Func("half"), hl.Func("quarter")
            h[x, y] = hl.u16(i[2 * x, 2 * y]) + i[2 * x + 1, 2 * y + 1]
            q[x, y] = h[2 * x, 2 * y] + h[2 * x + 1, 2 * y + 1]
            h.compute_root()
            q.compute_root()
            out[x, y] = hl.i16(i[x, y]) - hl.i16(q[x / 4, y / 4])
        elif name == "smaller":
            i = hl.ImageParam(hl.UInt(8), 2, "input")
            r = hl.RDom([(0, 3), (0, 3)])
            out[x, y] = hl.u8(hl.sum(hl.u16(i[3 * x + r.x, 3 * y + r.y])) / 9)
        elif name == "larger":
            i = hl.ImageParam(hl.UInt(8), 2, "input")
            out[x, y] = hl.u16(i[x / 2, y / 2]) + i[(x + 1) / 2, (y + 1) / 2]
        elif name == "strongest":
            i = hl.ImageParam(hl.UInt(8), 3, "input")
            r = hl.RDom([(0, 5)])
            out[x, y] = hl.u8(hl.argmax(i[x, y, r.x])[0])
        elif name == "transposed":
            i = hl.ImageParam(hl.UInt(16), 2, "input")
            out[x, y] = i[y, x]
        elif name == "greatest":
            i = hl.ImageParam(hl.UInt(16), 3, "input")
            a, d = hl.Func("across"), hl.Func("down")
            a[x, y, z] = hl.max(i[x - 1, y, z], i[x + 1, y, z])
            d[x, y, z] = hl.max(a[x, y - 1, z], a[x, y + 1, z])
            a.compute_root()
            d.compute_root()
            out[x, y, z] = hl.max(d[x, y, z - 1], d[x, y, z + 1])
        elif name == "coloured":
            i = hl.ImageParam(hl.UInt(8), 2, "fine")
            j = hl.ImageParam(hl.UInt(8), 3, "coarse")
            out[x, y, c] = hl.u8((hl.u16(i[x, y]) + hl.u16(j[x / 2, y / 2, c])) / 2)
            return out, {"fine": i, "coarse": j}
        else:
            return None
        return out, {"input": i}

    return hl, build


def halos():
    """Regions against those of stock Halide's bounds query, inside of large inputs and at their
    beginning."""
    hl, build = stock_funcs()
    larger = compared = smaller = 0
    print("regions against stock Halide's bounds query, 20 sizes each:")
    for app in APPLICATIONS:
        made = build(app.name)
        if made is None:
            whole = "a reduction over the whole reads the whole in both"
            why = "floats decide" if app.values else whole
            print(f"  {app.name:15} not compared: {why}")
            continue
        out, params = made
        kernel = _windows.compiled(app.file, pipeline=app.name).load()
        draw, row = random.Random(3), [0, 0, 0]
        for number in range(20):
            # Some windows begin where the whole does.
            low = [draw.randrange(200, 300) if number % 4 else 0 for _ in range(app.rank)]
            extent = [draw.randrange(1, 60) for _ in range(app.rank)]
            channel_first = app.name == "coloured"
            if channel_first:
                low[0], extent[0] = 0, 3
            window = tuple(zip(low, extent))
            wholes = [
                tuple((0, 3 if channel_first and k == 0 and one.rank == 3 else 4000)
                      for k in range(one.rank))
                for one in kernel.inputs
            ]
            if app.name == "strongest":
                wholes = [((0, 5), (0, 4000), (0, 4000))]
            needed = kernel.needs([window], wholes, {})
            dtype = kernel.outputs[0].dtype
            types = {"u1": hl.UInt(8), "u2": hl.UInt(16), "f4": hl.Float(32), "i2": hl.Int(16),
                     "u4": hl.UInt(32)}
            kind = out.output_types()[0] if hasattr(out, "output_types") else None
            target = hl.Buffer(kind or types[dtype.str[1:]], list(reversed(extent)))
            target.set_min(list(reversed(low)))
            for param in params.values():
                param.reset()
            out.infer_input_bounds(target)
            for one, region in zip(kernel.inputs, needed):
                buffer = params[one.name].get()
                for axis, (first, length) in enumerate(region):
                    k = one.rank - 1 - axis
                    theirs = (buffer.dim(k).min(), buffer.dim(k).min() + buffer.dim(k).extent())
                    ours = (first, first + length)
                    compared += 1
                    is_larger = ours[0] < theirs[0] or ours[1] > theirs[1]
                    row[0] += ours == theirs
                    row[1] += ours != theirs and not is_larger
                    row[2] += is_larger
        larger += row[2]
        smaller += row[1]
        print(f"  {app.name:15} {row[0]} intervals equal, {row[1]} smaller, {row[2]} larger")
    print(
        f"  {compared} intervals: {larger} larger than Halide's, {smaller} smaller"
    )
    return larger == 0


MEANS = """pipeline means(input: buffer<u8, 2>) -> output: buffer<u8, 2> {
    func at = repeat_edge(input);
    func once(x, y) = sum((dx, dy) in (-1..2, -1..2): u16(at(x + dx, y + dy))) / 9;
    func output(x, y) = u8(sum((dx, dy) in (-1..2, -1..2): once(x + dx, y + dy)) / 9);
}
"""


def mistakes():
    """The five known mistakes, and what is right."""
    from scipy import ndimage

    def twice(block):
        once = ndimage.uniform_filter(block.astype(np.int32), 3)
        return ndimage.uniform_filter(once, 3)

    def mirrored(block):
        return ndimage.uniform_filter(block.astype(np.int32), 3, mode="mirror")

    like = np.zeros((60, 70), np.uint8)
    wrong = [
        ("two means, depth 1, none", twice, 1, "none"),
        ("two means, depth 1, reflect", twice, 1, "reflect"),
        ("two means, depth 1, nearest", twice, 1, "nearest"),
        ("two means, depth 2, nearest", twice, 2, "nearest"),
        ("a mirror filter under reflect", mirrored, 1, "reflect"),
    ]
    found = 0
    print("five known mistakes:")
    for title, function, depth, boundary in wrong:
        answer = hd.check_overlap(function, depth=depth, boundary=boundary, like=like)
        found += answer.refuted
        print(f"  {title}: {answer}")
    right = hd.check_overlap(MEANS, depth=2, like=like)
    less = hd.check_overlap(MEANS, depth=1, like=like)
    print(f"  the two means as a program, depth 2: {right}")
    print(f"  the two means as a program, depth 1: {less}")
    return found == len(wrong) and right.proved and less.refuted


class Mutant(Exception):
    """A mutant that has no place."""


def mutants():
    """Wrong plans: each is refused by a kernel, or seen by a comparison with the whole."""
    draw, source = random.Random(11), np.random.default_rng(11)
    kinds = ["less before", "less after", "shifted", "corner missing", "stale neighbour",
             "shape of the part", "wrong place", "wrong boundary", "wrong merge"]
    table = {kind: [0, 0, 0, 0] for kind in kinds}
    apps = [app for app in APPLICATIONS if not app.phases]
    ready = {app.name: (app.kernels(), app.whole()) for app in apps}
    order = [app for app in APPLICATIONS if app.name == "histogram"][0]
    merging = phase_kernels(order), order.whole()
    wanted, tried = 200, 0
    while tried < wanted:
        kind = kinds[tried % len(kinds)]
        try:
            if kind == "wrong merge":
                outcome = _merge(order, merging, draw, source)
            else:
                # Clamping to the part gives the values of the whole; counting from its end not.
                depends = [app for app in apps if app.name == "flipped"]
                app = draw.choice(depends if kind == "shape of the part" else apps)
                outcome = _mutated(app, ready[app.name], kind, draw, source)
        except Mutant:
            continue
        tried += 1
        row = table[kind]
        row[0] += 1
        row[{"refused": 1, "seen": 2, "same": 3}[outcome]] += 1
    print("mutants of plans:            all  refused  wrong, seen  same values")
    for kind, row in table.items():
        print(f"  {kind:24} {row[0]:6} {row[1]:8} {row[2]:12} {row[3]:12}")
    silent = sum(row[3] for row in table.values())
    undetected = table["shape of the part"][3] + table["less before"][3] + table["less after"][3]
    print(
        f"  {tried} mutants: {sum(row[1] for row in table.values())} refused by entry checks, "
        f"{sum(row[2] for row in table.values())} compute wrong values and are seen, {silent} "
        "do not matter: they compute the values of the whole"
    )
    return undetected == 0


def _mutated(app, ready, kind, draw, source):
    kernels, whole = ready
    # The plan is the first kernel's; the second one may need less.
    kernels = kernels[:1]
    shape = tuple(draw.randrange(9, 30 if app.rank == 2 else 14) for _ in range(app.rank))
    arrays = {n: drawn(source, of(shape), t) for n, (t, of) in app.inputs.items()}
    blocks = {
        n: da.from_array(a, chunks=tuple(max(2, e // 2) for e in a.shape))
        for n, a in arrays.items()
    }
    region = tuple((0, extent) for extent in shape)
    planned = hd.Plan(app.file, region=region, given={**blocks, **app.values}, kernels=kernels)
    out = np.empty(shape, whole.outputs[0].dtype)
    expected = whole(**arrays, **app.values, out=out)
    windows = list(_grid.windows(tuple(_grid.cut(e, max(3, e // 3)) for e in shape), region))
    _, window = draw.choice(windows)
    regions = planned.reads(window)
    right = [
        _windows.Part(
            np.ascontiguousarray(arrays[one.name][tuple(slice(a, a + n) for a, n in read)]),
            tuple(begin for begin, _ in read),
        )
        for one, read in zip(planned.kernel.inputs, regions)
    ]
    try:
        _windows.run_guarded(kernels, [window], right, planned.wholes, planned.values)
    except CheckFailed as error:
        # A window that the schedule cannot do shows nothing.
        raise Mutant from error
    number = draw.randrange(len(regions))
    own = regions[number]
    axis = draw.randrange(len(own))
    low, extent = own[axis]
    wholes = list(planned.wholes)
    parts = []
    if extent < 2:
        raise Mutant
    change = {"less before": (low + 1, extent - 1), "less after": (low, extent - 1)}
    if kind in change:
        own = (*own[:axis], change[kind], *own[axis + 1 :])
    regions = [*regions[:number], own, *regions[number + 1 :]]
    for k, (one, read) in enumerate(zip(planned.kernel.inputs, regions)):
        array = arrays[one.name]
        place = tuple(slice(begin, begin + length) for begin, length in read)
        part = np.ascontiguousarray(array[place])
        at = tuple(begin for begin, _ in read)
        if k == number and kind == "corner missing":
            part = part.copy()
            part[tuple(slice(0, max(1, n // 3)) for n in part.shape)] = 0
        if k == number and kind == "stale neighbour":
            part = part.copy()
            side = [slice(None)] * part.ndim
            side[axis] = slice(0, 1)
            part[tuple(side)] = part[tuple(side)] + 1
        if k == number and kind == "shifted":
            part = np.ascontiguousarray(np.roll(part, 1, axis))
        if k == number and kind == "wrong boundary":
            if low != 0:
                raise Mutant
            part = part.copy()
            side = [slice(None)] * part.ndim
            side[axis] = slice(0, 1)
            inner = [slice(None)] * part.ndim
            inner[axis] = slice(1, 2)
            part[tuple(side)] = part[tuple(inner)]
        if k == number and kind == "wrong place":
            at = (*at[:axis], at[axis] + 1, *at[axis + 1 :])
        parts.append(_windows.Part(part, at))
    if kind == "shape of the part":
        wholes[number] = tuple(zip(parts[number].low, parts[number].array.shape))
        if wholes[number] == planned.wholes[number]:
            raise Mutant
    try:
        got = _windows.run_guarded(kernels, [window], parts, wholes, planned.values)[0]
    except CheckFailed:
        return "refused"
    place = tuple(slice(begin, begin + length) for begin, length in window)
    return "same" if same(got, np.ascontiguousarray(expected[place])) else "seen"


def _merge(app, ready, draw, source):
    """A band of partial counts that is left out, or counted twice."""
    kernels, whole = ready
    array = drawn(source, (draw.randrange(600, 1200), 7), U8)
    part, last = (shipped.load() for shipped in kernels)
    bands = -(-array.shape[0] // 256)
    region = ((0, bands), (0, 256))
    own = tuple((0, n) for n in array.shape)
    counts = part.run([region], [_windows.Part(array, (0, 0))], [own], {})[0]
    band, other = draw.sample(range(bands), 2)
    counts[band] = counts[other] if draw.random() < 0.5 else 0
    window = ((0, 256),)
    inputs = {"input": _windows.Part(array, (0, 0)), "part": _windows.Part(counts, (0, 0))}
    wholes = {"input": own, "part": region}
    names = [one.name for one in last.inputs]
    got = last.run([window], [inputs[n] for n in names], [wholes[n] for n in names], {})[0]
    expected = whole(array, out=np.empty(256, np.uint32))
    return "same" if same(got, expected) else "seen"


def cluster():
    """Two processes, one of which is killed at a random moment, ten times."""
    array = np.random.default_rng(0).integers(0, 256, (3000, 4000), dtype=np.uint8)
    file = str(ROOT / "examples" / "edges.hal")
    whole = halidom.compile(file, schedule="strips")
    expected = whole(array, 30, 90, out=np.empty(array.shape, bool))
    draw, good, late = random.Random(23), 0, 0
    print(f"two processes, one killed at a random moment, {KILLS} times:")
    with tempfile.TemporaryDirectory() as place:
        import zarr

        store = zarr.create_array(f"{place}/in.zarr", data=array, chunks=(250, 250))
        # A run that nobody kills tells how long one takes.
        wait = _killed(file, store, None)[2]
        for _ in range(KILLS):
            moment = draw.uniform(0.05, 0.8) * wait
            got, was_done, spent, pids, after = _killed(file, store, moment)
            equal_bits = same(got, expected)
            good += equal_bits and pids[0] not in after
            late += was_done
            print(
                f"  killed after {moment:.2f} s{' (done before)' if was_done else ''}: "
                f"{spent:.1f} s, {'equal' if equal_bits else 'DIFFERENT'}; "
                f"processes {pids} then {after}",
                flush=True,
            )
    print(f"  {good} of {KILLS} complete and right, {late} of them done before the kill")
    return good == KILLS and late <= KILLS // 2


def _killed(file, store, moment):
    """Compute with two processes; kill one after so many seconds."""
    from distributed import Client, LocalCluster

    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as made, Client(made) as client:
        lazy = hd.map(file, schedule="strips", input=da.from_zarr(store), weak=30, strong=90)
        pids = list(client.run(os.getpid).values())
        begin = time.monotonic()
        result = client.compute(lazy)
        was_done = False
        if moment is not None:
            time.sleep(moment)
            was_done = result.done()
            os.kill(pids[0], signal.SIGKILL)
        got = result.result(timeout=200)
        spent = time.monotonic() - begin
        # A worker that was killed at the end is replaced a moment later.
        for _ in range(100):
            after = list(client.run(os.getpid, on_error="ignore").values())
            if pids[0] not in after or moment is None:
                break
            time.sleep(0.1)
    return got, was_done, spent, pids, after


def speed():
    """Three filters against scipy's under `map_overlap`, one thread each, in memory."""
    from scipy import ndimage

    array = np.random.default_rng(2).integers(0, 256, (4096, 4096), dtype=np.uint8)
    blocks = da.from_array(array, chunks=(1024, 1024))
    file = str(FOLDER / "speed.hal")
    weights = np.array([1, 4, 6, 4, 1])

    def gaussian(block):
        wide = block.astype(np.uint32)
        across = ndimage.convolve1d(wide, weights, axis=1, mode="nearest")
        return ((ndimage.convolve1d(across, weights, axis=0, mode="nearest") + 128) // 256).astype(
            np.uint8
        )

    def median(block):
        return ndimage.median_filter(block, 3, mode="nearest")

    def sobel(block):
        wide = block.astype(np.int16)
        across = ndimage.sobel(wide, 1, mode="nearest")
        down = ndimage.sobel(wide, 0, mode="nearest")
        return (np.abs(across) + np.abs(down)).astype(np.uint16)

    good = True
    print("filters of 4096 x 4096 in chunks of 1024 x 1024, one thread:")
    for name, function, depth, dtype in (
        ("gaussian", gaussian, 2, np.uint8),
        ("median", median, 1, np.uint8),
        ("sobel", sobel, 1, np.uint16),
    ):
        ours = hd.map(file, pipeline=name, schedule="rows", input=blocks)
        theirs = da.map_overlap(function, blocks, depth=depth, boundary="none", dtype=dtype)
        seconds = []
        results = []
        for lazy in (ours, theirs):
            best = float("inf")
            for _ in range(3):
                begin = time.monotonic()
                result = lazy.compute(scheduler="synchronous")
                best = min(best, time.monotonic() - begin)
            seconds.append(best)
            results.append(result)
        equal_bits = same(*results)
        factor = seconds[1] / seconds[0]
        good &= equal_bits
        print(
            f"  {name:9} {seconds[0]:.3f} s, scipy {seconds[1]:.3f} s: {factor:.1f} times as fast, "
            f"{'equal' if equal_bits else 'DIFFERENT'}{'' if factor >= 5 else ' (below 5)'}"
        )
    return good


def scale():
    """The graph's size and time, and waste on halos, against the number and size of chunks."""
    print("graphs of the gaussian:   chunks    tasks  seconds  chunks/s  MiB of the client")
    kernels = _plan.guarded(str(FOLDER / "filters.hal"), pipeline="gaussian", schedule="rows")
    for count in (1000, 10_000, 100_000):
        side = round(count**0.5)
        blocks = da.zeros((side * 256, side * 256), dtype=U8, chunks=256)
        before = streams.tree(os.getpid())
        begin = time.monotonic()
        planned = hd.Plan("", given={"input": blocks}, kernels=kernels)
        lazy = _graph.lazy(planned, None)
        spent = time.monotonic() - begin
        tasks = len(lazy.__dask_graph__().layers[lazy.name])
        held = streams.tree(os.getpid()) - before
        print(
            f"{'':24} {lazy.npartitions:8} {tasks:8} {spent:8.2f} {lazy.npartitions / spent:9.0f}"
            f" {held >> 20:8}",
            flush=True,
        )
    small = da.zeros((64 * 64, 64 * 64), dtype=U8, chunks=64)
    lazy = _graph.lazy(hd.Plan("", given={"input": small}, kernels=kernels), None)
    begin = time.monotonic()
    lazy.compute(scheduler="synchronous")
    spent = time.monotonic() - begin
    print(f"  4096 chunks of 64 x 64 computed: {4096 / spent:.0f} chunks a second, one thread")
    print("read for each element of use, by halo and chunk (2-d, 3-d):")
    for halo, length in itertools.product((1, 4, 16), (64, 256, 1024)):
        waste = [((length + 2 * halo) / length) ** rank for rank in (2, 3)]
        print(f"  halo {halo:2}, chunk {length:4}: {waste[0]:.2f}, {waste[1]:.2f}")
    return True


PARTS = {
    "equal": equal,
    "halos": halos,
    "mistakes": mistakes,
    "mutants": mutants,
    "cluster": cluster,
    "memory": lambda: streams.memory(MEMORY, KILLS),
    "speed": speed,
    "scale": scale,
    "picture": lambda: picture.draw(MEANS),
}


def main():
    names = sys.argv[1:] or list(PARTS)
    for name in names:
        if name not in PARTS:
            sys.exit(f"there is no part `{name}`; parts are {', '.join(PARTS)}")
    failed = []
    for name in names:
        begin = time.monotonic()
        if not PARTS[name]():
            failed.append(name)
        print(f"[{name}: {time.monotonic() - begin:.0f} s]\n", flush=True)
    if failed:
        sys.exit(f"does not hold: {', '.join(failed)}")


if __name__ == "__main__":
    main()
