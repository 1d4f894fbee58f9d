"""Arrays in chunks: kernels with windows, Dask, streams. Without these libraries, only kernels."""

import importlib.util
import os
import subprocess
import sys

import numpy
import pytest

import halidom
from halidom import _grid, _windows
from halidom._errors import ArgumentError, CheckFailed, HalidomError

EDGES = "examples/edges.hal"


def needs(*names):
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    return pytest.mark.skipif(bool(missing), reason=f"{missing} is not installed")


@pytest.fixture(scope="module")
def picture():
    return numpy.random.default_rng(5).integers(0, 256, (53, 71), dtype=numpy.uint8)


@pytest.fixture(scope="module")
def edges():
    root = os.path.join(os.path.dirname(__file__), "..", "..")
    return _windows.compiled(os.path.join(root, EDGES), schedule="strips")


def test_windows_equal_the_whole(root, edges, picture):
    whole = halidom.compile(root / EDGES, schedule="strips")
    expected = whole(picture, 30, 90, out=numpy.empty(picture.shape, bool))
    kernel = edges.load()
    values = kernel.values({"weak": 30, "strong": 90})
    wholes = [((0, 53), (0, 71))]
    for chunks in (((53,), (71,)), (_grid.cut(53, 7), _grid.cut(71, 13)), ((1, 52), (70, 1))):
        for _, window in _grid.windows(chunks, wholes[0]):
            needed = kernel.needs([window], wholes, values)[0]
            place = tuple(slice(low, low + extent) for low, extent in needed)
            part = _windows.Part(picture[place], tuple(low for low, _ in needed))
            got = kernel.run([window], [part], wholes, values)[0]
            here = tuple(slice(low, low + extent) for low, extent in window)
            assert numpy.array_equal(got, expected[here]), window


def test_a_part_that_is_too_small_or_beyond_the_whole_is_refused(edges, picture):
    kernel = edges.load()
    values = kernel.values({"weak": 30, "strong": 90})
    wholes = [((0, 53), (0, 71))]
    window = ((10, 5), (20, 6))
    low, extent = kernel.needs([window], wholes, values)[0][0]
    assert (low, extent) == (7, 11)
    small = _windows.Part(picture[8:18, 17:29], (8, 17))
    with pytest.raises(CheckFailed, match="required region"):
        kernel.run([window], [small], wholes, values)
    beyond = _windows.Part(numpy.zeros((60, 71), numpy.uint8), (0, 0))
    with pytest.raises(CheckFailed, match="ends in the whole"):
        kernel.run([window], [beyond], wholes, values)
    huge = [((0, 53), (0, 1 << 33))]
    with pytest.raises((CheckFailed, ArgumentError)):
        kernel.run([window], [small], huge, values)
    with pytest.raises(ArgumentError, match="too large"):
        kernel.needs([((1 << 33, 1), (0, 1))], wholes, values)
    empty = kernel.run(
        [((10, 0), (20, 6))], [_windows.Part(picture[10:10, 20:20], (10, 20))], wholes, values
    )
    assert empty[0].shape == (0, 6)


def test_halos_are_formulas(root):
    found = halidom.halo(root / "examples/blur.hal", schedule="tiled")
    assert found.verdict.proved
    first, _ = found.regions["input"]
    assert first.text == "[x0, x1 + 2]" and first.first_is_read and first.last_is_read
    assert "[y0, y1 + 2]" in repr(found)


def test_shipped_kernels_are_private_and_damage_is_found(edges):
    folder = _windows.private_folder()
    assert folder.stat().st_mode & 0o777 == 0o700
    damaged = _windows.Shipped(
        edges.text, None, "strips", edges.interface, edges.library, edges.statement
    )
    damaged.library = edges.library[:-1] + b"!"
    damaged.digest = "0" * 64
    with pytest.raises(HalidomError, match="damaged"):
        damaged.load()
    assert _windows.has_instructions("x86-64")
    assert not _windows._NEEDED.get("x86-64")


@pytest.mark.sweep
def test_a_machine_that_lacks_instructions_compiles_its_own(edges, picture, monkeypatch):
    monkeypatch.setitem(_windows._NEEDED, "of-no-machine", ("no_such_flag",))
    foreign = _windows.Shipped(
        edges.text,
        None,
        "strips",
        {**edges.interface, "target": "of-no-machine"},
        b"no code for this machine",
        edges.statement,
    )
    kernel = foreign.load()
    wholes = [((0, 53), (0, 71))]
    part = _windows.Part(picture, (0, 0))
    values = kernel.values({"weak": 30, "strong": 90})
    got, expected = (one.run(wholes, [part], wholes, values)[0] for one in (kernel, edges.load()))
    assert numpy.array_equal(got, expected)


@pytest.mark.sweep
def test_chunks_that_a_schedule_refuses_are_computed_by_the_second_kernel(picture):
    text = """pipeline pairs(input: buffer<u8, 2>) -> output: buffer<u16, 2> {
        func output(x, y) = u16(input(x, y)) + u16(input(x + 1, y));
    }
    schedule wide for pairs { output.vectorize(x, 16, tail: shift_inwards); }"""
    kernels = [_windows.compiled(text, schedule=name) for name in ("wide", "default")]
    wholes = [((0, 53), (0, 71))]
    expected = picture[:, :-1].astype("u2") + picture[:, 1:]
    before = _windows.refused()
    for low, extent, refused in ((0, 32, 0), (32, 16, 0), (48, 15, 1), (69, 1, 2)):
        part = _windows.Part(picture[:, low : low + extent + 1], (0, low))
        window = ((0, 53), (low, extent))
        got = _windows.run_guarded(kernels, [window], [part], wholes, {})[0]
        assert numpy.array_equal(got, expected[:, low : low + extent])
        assert _windows.refused() - before == refused


def test_chunks_waste_little():
    assert _grid.choose((10, 10), 1, (2, 2)) == ((10,), (10,))
    chunks = _grid.choose((100000, 100000), 1, (2, 2))
    assert sum(chunks[0]) == sum(chunks[1]) == 100000
    assert max(chunks[0]) * max(chunks[1]) <= _grid.AIM
    assert list(_grid.pieces(((3, 4),), [[0, 5, 9]]))[1].within == (slice(0, 2),)


@needs("dask")
def test_map_equals_the_whole(root, picture):
    import dask.array as da

    import halidom.dask as hd

    whole = halidom.compile(root / EDGES, schedule="strips")
    expected = whole(picture, 30, 90, out=numpy.empty(picture.shape, bool))
    blocks = da.from_array(picture, chunks=((20, 1, 32), (50, 21)))
    lazy = hd.map(root / EDGES, schedule="strips", input=blocks, weak=30, strong=90)
    assert lazy.dtype == bool and lazy.chunks == blocks.chunks
    assert numpy.array_equal(lazy.compute(scheduler="synchronous"), expected)
    with pytest.raises(ArgumentError, match="type"):
        hd.map(root / EDGES, input=blocks.astype("u2"), weak=1, strong=2)
    with pytest.raises(ArgumentError, match="missing"):
        hd.map(root / EDGES, input=blocks, weak=1)


@needs("dask")
def test_phases_equal_the_whole(root):
    import dask.array as da

    import halidom.dask as hd

    picture = numpy.random.default_rng(6).integers(0, 201, (700, 20), dtype=numpy.uint8)
    blocks = da.from_array(picture, chunks=(130, 20))
    file = root / "examples/chunks/histogram.hal"
    counts = hd.map(file, schedule="bands", phases=["part"], region=((0, 256),), input=blocks)
    expected = numpy.bincount(picture.ravel(), minlength=256)
    assert numpy.array_equal(counts.compute(scheduler="synchronous"), expected)


TALLY = """pipeline tally(input: buffer<u8, 2>) -> place: buffer<i32, 1> {
    require input.min(0) == 0 && input.min(1) == 0, "coordinates begin at 0";
    func best(): (u8, i32, i32) {
        best() = (0, 0, 0);
        for (x, y) in (0..input.width, 0..input.height) {
            best() = (select(input(x, y) > best().0, input(x, y), best().0),
                      select(input(x, y) > best().0, i32(x), best().1),
                      select(input(x, y) > best().0, i32(y), best().2));
        }
    }
    func place(i) = select(i == 0, best().1, best().2);
}
schedule bands for tally {
    best.update().split(y, yo, yi, 8).rfactor(yo, u, part);
    best.update().split(yo, yoo, yoi, 3).rfactor(yoo, v, group);
}
"""


@needs("dask")
def test_tuples_are_merged_in_a_tree(picture):
    import dask.array as da

    import halidom.dask as hd

    blocks = da.from_array(picture, chunks=(9, 40))
    phases = ["part", "group", "best"]
    lazy = hd.map(TALLY, schedule="bands", phases=phases, region=((0, 2),), input=blocks)
    row, column = numpy.unravel_index(picture.argmax(), picture.shape)
    assert (row, column) != (0, 0)
    assert tuple(lazy.compute(scheduler="synchronous")) == (column, row)
    taken = TALLY.replace("input", "part_0")
    with pytest.raises(HalidomError, match="part_0"):
        hd.map(taken, schedule="bands", phases=["part", "best"], region=((0, 2),), part_0=blocks)


@needs("dask")
def test_sums_of_floats_in_their_own_order(monkeypatch):
    import dask.array as da

    import halidom.dask as hd

    text = """pipeline total(input: buffer<f32, 2>) -> out: buffer<f32, 1> {
        func total(c): f32 {
            total(c) = 0.5;
            for (x, y) in (0..input.width, 0..input.height) { total(c) += input(x, y) * f32(c); }
        }
        func out(c) = total(c) / 2.0;
        require input.min(0) == 0 && input.min(1) == 0, "coordinates begin at 0";
    }"""
    values = numpy.random.default_rng(8).standard_normal((90, 30)).astype("f4")
    expected = halidom.compile(text)(values, out=numpy.empty(3, "f4"))
    flipped = halidom.compile(text)(values[::-1].copy(), out=numpy.empty(3, "f4"))
    assert not numpy.array_equal(expected, flipped)
    monkeypatch.setattr(_grid, "AIM", 1500)
    blocks = da.from_array(values, chunks=(13, 7))
    lazy = hd.map(text, phases=["total"], order="exact", region=((0, 3),), input=blocks)
    steps = [key for key in lazy.__dask_graph__() if "-step" in str(key[0])]
    assert len(steps) > 5
    assert lazy.compute(scheduler="synchronous").tobytes() == expected.tobytes()
    with pytest.raises(ArgumentError, match="exact"):
        hd.map(text, phases=["total"], order="any", region=((0, 3),), input=blocks)
    with pytest.raises(ArgumentError, match="phases"):
        hd.map(text, order="exact", input=blocks)
    with pytest.raises(HalidomError, match="single reduction"):
        hd.map(text, phases=["out"], order="exact", region=((0, 3),), input=blocks)


@needs("dask", "halide")
def test_live_pipelines_of_halide(picture):
    import dask.array as da
    import halide as hl

    import halidom.dask as hd

    x, y = hl.Var("x"), hl.Var("y")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    # The width in it is the width of the whole, not of a chunk.
    at = hl.BoundaryConditions.repeat_edge(source)
    wide, out = hl.Func("wide"), hl.Func("out")
    wide[x, y] = hl.u16(at[x - 1, y]) + at[x + 1, y]
    out[x, y] = wide[x, y - 1] + wide[x, y + 1]
    out.vectorize(x, 16, hl.TailStrategy.GuardWithIf)
    wide.compute_at(out, y)
    source.set(hl.Buffer(picture))
    expected = numpy.asarray(out.realize([71, 53]))
    source.reset()
    blocks = da.from_array(picture, chunks=(20, 31))
    lazy = hd.map(out, source=blocks, region=((0, 53), (0, 71)))
    assert numpy.array_equal(lazy.compute(scheduler="synchronous"), expected)
    answer = hd.check_overlap(out, depth=1, boundary="nearest", like=picture)
    assert answer.proved and "nearest" in answer.statement


@needs("dask")
def test_overlaps(root, picture):
    import halidom.dask as hd

    means = """pipeline means(input: buffer<u8, 1>) -> output: buffer<u8, 1> {
        func at = repeat_edge(input);
        func once(x) = (u16(at(x - 1)) + u16(at(x)) + u16(at(x + 1))) / 3;
        func output(x) = u8((once(x - 1) + once(x) + once(x + 1)) / 3);
    }"""
    like = picture[0]
    right = hd.check_overlap(means, depth=2, like=like)
    assert right.proved
    with pytest.raises(TypeError):
        bool(right)
    wrong = hd.check_overlap(means, depth=1, like=like)
    for boundary in ("nearest", "reflect", "periodic", 0, {0: "nearest"}, None):
        answer = hd.check_overlap(means, depth=2, boundary=boundary, like=like)
        assert answer.proved == (boundary in ("nearest", {0: "nearest"}, None)), boundary
    once = means.replace("(once(x - 1) + once(x) + once(x + 1)) / 3", "once(x)")
    for boundary in ("nearest", "reflect", {0: "nearest"}):
        assert hd.check_overlap(once, depth=1, boundary=boundary, like=like).proved
    filled = once.replace("repeat_edge(input)", "constant_exterior(input, 9)")
    assert hd.check_overlap(filled, depth=1, boundary=9, like=like).proved
    assert hd.check_overlap(filled, depth=1, boundary=8, like=like).refuted
    assert wrong.refuted and wrong.wrong is not None
    tested = hd.check_overlap(lambda block: block + 1, depth=0, like=like)
    assert tested.tested and not tested.proved
    # The values depend on coordinates, which `map_overlap` does not tell.
    ramp = "pipeline ramp(input: buffer<u8, 1>) -> output: buffer<i32, 1> {\n"
    ramp += "    func output(x) = i32(input(x)) + i32(x);\n}"
    assert hd.check_overlap(ramp, depth=1, like=like).refuted


@needs("dask")
@pytest.mark.parametrize(
    "depth, boundary, said",
    [
        (1, "mirror", "there is no boundary 'mirror'"),
        (1, 300, "beyond the range of uint8"),
        (1, ["none"] * 3, "has 3 entries"),
        (1, {5: "none"}, "names axis 5"),
        (((1, 2), 1), "reflect", "Asymmetric overlap"),
        (50, "none", "larger than your array"),
    ],
)
def test_an_overlap_that_dask_cannot_do_is_an_argument_error(depth, boundary, said):
    import halidom.dask as hd

    like = numpy.zeros((20, 30), numpy.uint8)
    with pytest.raises(ArgumentError, match=said):
        hd.check_overlap(lambda block: block, depth=depth, boundary=boundary, like=like)


@needs("dask", "zarr")
def test_streams_begin_where_they_were(root, picture, tmp_path, monkeypatch):
    import zarr

    from halidom import _stream

    store = zarr.create_array(str(tmp_path / "in.zarr"), data=picture, chunks=(16, 16))
    expected = halidom.compile(root / EDGES)(
        picture, 30, 90, out=numpy.empty(picture.shape, bool)
    )
    options = {"input": tmp_path / "in.zarr", "weak": 30, "strong": 90, "memory": "512MB"}
    with pytest.raises(ArgumentError, match="512 MB"):
        halidom.stream(root / EDGES, output=tmp_path / "a.zarr", **{**options, "memory": "1MB"})
    monkeypatch.setattr(_stream, "_window", lambda *_: (16, 16))
    finish = _stream._Journal.finish
    done = []

    def ends(self, window, digest):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(window)
        finish(self, window, digest)

    monkeypatch.setattr(_stream._Journal, "finish", ends)
    with pytest.raises(KeyboardInterrupt):
        halidom.stream(root / EDGES, output=tmp_path / "a.zarr", **options)
    assert not (tmp_path / "a.zarr").exists()
    monkeypatch.setattr(_stream._Journal, "finish", finish)
    # A window that was damaged since is computed again, and so is one whose line was cut off.
    work = zarr.open_array(str(tmp_path / ".a.zarr.halidom" / "array"), mode="r+")
    work[:16, :16] = ~work[:16, :16]
    with open(tmp_path / ".a.zarr.halidom" / "journal", "a") as journal:
        journal.write("2.2")
    result = halidom.stream(root / EDGES, output=tmp_path / "a.zarr", **options)
    assert result.resumed == 4 and result.windows == 20
    made = zarr.open_array(str(tmp_path / "a.zarr"), mode="r")
    assert numpy.array_equal(made[:], expected)
    assert store.shape == made.shape
    with pytest.raises(ArgumentError, match="exists"):
        halidom.stream(root / EDGES, output=tmp_path / "a.zarr", **options)


def test_parameters_are_those_of_their_program():
    """Two programs may have one library, and differ in the names of parameters alone."""
    from halidom import _windows
    from halidom._plan import Plan

    source = numpy.arange(6, dtype=numpy.int32)
    kernels, values = [], []
    for first, second in (("m", "n"), ("n", "m")):
        text = (
            f"pipeline p(a: buffer<i32, 1>, {first}: i32, {second}: i32) -> o: buffer<i32, 1> "
            f"{{ func o(x) = a(x) * {first} + {second}; }}\n"
        )
        plan = Plan(text, given={"a": source, "m": 100, "n": 1})
        (read,) = plan.reads(plan.region)
        part = _windows.Part(source[tuple(slice(low, low + count) for low, count in read)], (0,))
        got = _windows.run_guarded(plan.kernels, [plan.region], [part], plan.wholes, plan.values)
        kernels.append(plan.kernels[0])
        values.append(numpy.asarray(got[0]).tolist())
    assert kernels[0].digest != kernels[1].digest
    assert values == [(source * 100 + 1).tolist(), (source + 100).tolist()]


def test_an_input_is_another_one_if_its_values_may_be_others(tmp_path):
    from halidom._stream import _identity

    whole = numpy.memmap(tmp_path / "in", numpy.int32, "w+", shape=(2, 8, 4))
    whole.flush()
    one = numpy.memmap(tmp_path / "in", numpy.int32, "r", shape=(2, 8, 4))
    assert _identity(one[0]) == _identity(one[0]) != _identity(one[1])
    assert _identity(one[0]) != _identity(one[0][::-1])
    placed = numpy.memmap(tmp_path / "in", numpy.int32, "r", shape=(8, 4), offset=128)
    assert _identity(placed) == _identity(one[1])
    # Changes that the file does not have, and memory that belongs to no file.
    private = numpy.memmap(tmp_path / "in", numpy.int32, "c", shape=(2, 8, 4))
    before = _identity(private)
    private[0, 0, 0] = 7
    assert _identity(private) != before
    assert _identity(one.copy()) == _identity(one.copy())

    class Other:
        shape, dtype = (2,), numpy.dtype("u1")

    assert _identity(Other()) != _identity(Other())


@needs("zarr")
def test_a_store_is_another_one_if_it_was_written_again(tmp_path):
    import zarr

    from halidom._stream import _identity

    store = zarr.create_array(str(tmp_path / "in.zarr"), data=numpy.arange(8), chunks=(4,))
    before = _identity(store)
    assert before == _identity(zarr.open_array(str(tmp_path / "in.zarr"), mode="r"))
    store[5] = 77
    assert _identity(store) != before
    before = _identity(store)
    chunks = [tmp_path / "in.zarr" / "c" / name for name in "01"]
    chunks[0].rename(tmp_path / "other")
    chunks[1].rename(chunks[0])
    (tmp_path / "other").rename(chunks[1])
    assert _identity(store) != before


@needs("dask", "zarr")
def test_a_damaged_input_leaves_no_output(root, picture, tmp_path):
    import zarr

    zarr.create_array(str(tmp_path / "in.zarr"), data=picture, chunks=(16, 16))
    damaged = tmp_path / "in.zarr" / "c" / "1" / "2"
    damaged.write_bytes(damaged.read_bytes()[:9])
    options = {"input": tmp_path / "in.zarr", "weak": 30, "strong": 90, "memory": "512MB"}
    with pytest.raises(HalidomError, match="of `input` cannot be read"):
        halidom.stream(root / EDGES, output=tmp_path / "a.zarr", **options)
    assert not (tmp_path / "a.zarr").exists()
    with pytest.raises(HalidomError, match="cannot be written"):
        halidom.stream(root / EDGES, output="/proc/a.zarr", **options)
    with pytest.raises(ArgumentError, match="no program"):
        halidom.halo(3)


@needs("xarray", "dask")
def test_coordinates_stay(root, picture):
    import dask.array as da
    import xarray

    import halidom.xarray as hx

    source = xarray.DataArray(
        da.from_array(picture.astype("u2"), chunks=20),
        dims=("row", "column"),
        coords={"row": numpy.arange(53) * 2.0, "name": "x"},
        attrs={"unit": "count"},
    )
    made = hx.apply(root / "examples/blur.hal", schedule="vectorized", input=source)
    assert made.dims == ("row", "column") and made.shape == (51, 69)
    assert made.row.values[-1] == 100.0 and made.attrs == {"unit": "count"}


def test_the_command_refuses_what_it_cannot_read(root, tmp_path):
    words = [sys.executable, "-m", "halidom", "stream", str(root / EDGES), "--input", "no.zarr"]
    words += ["--output", str(tmp_path / "out.zarr"), "--set", "weak=1", "--set", "strong=2"]
    variables = {**os.environ, "PYTHONPATH": str(root / "python")}
    done = subprocess.run(words, env=variables, capture_output=True, text=True)
    assert done.returncode == 2 and "there is no `no.zarr`" in done.stderr
