"""Times the code that `halidom build` makes of speed.atl, stock Halide's code of the same schedule,
and naive forms.

    speed.py compile FOLDER    writes Halide's blurs to FOLDER/NAME.a; needs the package halide
    speed.py time FOLDER       calls the libraries FOLDER/NAME.so that exist, and prints medians as
                               JSON

All forms of a program get the same input and are called in turn in one process; a form's time is
the median over the rounds. `cargo xtask bench atl` does both, the second in several processes.
"""

import ctypes
import json
import math
import mmap
import os
import random
import statistics
import sys
import time

ROUNDS = 40
WARM = 3


class Type(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Dimension(ctypes.Structure):
    _fields_ = [
        ("min", ctypes.c_int32),
        ("extent", ctypes.c_int32),
        ("stride", ctypes.c_int32),
        ("flags", ctypes.c_uint32),
    ]


class Buffer(ctypes.Structure):
    """halidom_buffer_t, which has the layout of halide_buffer_t."""

    _fields_ = [
        ("device", ctypes.c_uint64),
        ("device_interface", ctypes.c_void_p),
        ("host", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("type", Type),
        ("dimensions", ctypes.c_int32),
        ("dim", ctypes.POINTER(Dimension)),
        ("padding", ctypes.c_void_p),
    ]


class Array:
    """A dense array at the beginning of a page, its last dimension innermost. The buffers that are
    made of it have the dimensions in Halide's order."""

    def __init__(self, kind, shape, numbers=None):
        self.kind, self.shape = kind, shape
        self.count = 1
        for extent in shape:
            self.count *= extent
        self.memory = mmap.mmap(-1, 4 * self.count)
        self.values = memoryview(self.memory).cast(kind)
        if numbers is not None:
            for place in range(self.count):
                self.values[place] = numbers()

    def buffer(self):
        dims, stride = [], 1
        for extent in reversed(self.shape):
            dims.append(Dimension(0, extent, stride, 0))
            stride *= extent
        code = {"f": 2, "i": 0}[self.kind]
        host = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        sides = (Dimension * len(dims))(*dims)
        return Buffer(0, None, host, 0, Type(code, 32, 1), len(dims), sides, None)


class Form:
    """One way to compute a program: a function of a library, and the array that it writes."""

    def __init__(self, folder, name, sizes, inputs, output):
        self.name, self.output = name, output
        self.library = ctypes.CDLL(os.path.join(folder, name + ".so"))
        self.function = getattr(self.library, name)
        self.buffers = [array.buffer() for array in [*inputs, output]]
        self.arguments = [ctypes.c_int64(size) for size in sizes]
        self.arguments += [ctypes.byref(buffer) for buffer in self.buffers]
        self.times = []

    def threads(self, count):
        halide = self.name.startswith("halide_")
        (self.library.halide_set_num_threads if halide else self.library.halidom_set_threads)(count)

    def call(self):
        begin = time.perf_counter()
        status = self.function(*self.arguments)
        self.times.append(time.perf_counter() - begin)
        if status != 0:
            raise SystemExit(f"{self.name} ended with status {status}")


def distance(ours, theirs):
    """The greatest difference, relative to our largest element; very large if one is no number."""
    if bytes(ours) == bytes(theirs):
        return 0.0
    differences = [abs(one - other) for one, other in zip(ours, theirs)]
    if not all(map(math.isfinite, differences)):
        return 1e9
    return max(differences) / max(map(abs, ours))


def compare(folder, names, threads, sizes, inputs, output):
    """Measures the forms that exist; the first one is ours. `distance` is the greatest difference
    of their results from ours, relative to our largest element."""
    names = [name for name in names if os.path.exists(os.path.join(folder, name + ".so"))]
    forms = []
    for name in names:
        own_sizes = [] if name.startswith("halide_") else sizes
        forms.append(Form(folder, name, own_sizes, inputs, Array(*output)))
    measured = []
    for count in threads:
        for form in forms:
            form.threads(count)
            form.times = []
        for turn in range(WARM + ROUNDS):
            first = turn % len(forms)
            for form in forms[first:] + forms[:first]:
                form.call()
        for form in forms:
            median = 1e3 * statistics.median(form.times[WARM:])
            row = {"program": names[0], "form": form.name, "threads": count}
            measured.append({**row, "milliseconds": median})
    for form in forms[1:]:
        far = distance(forms[0].output.values, form.output.values)
        for row in measured:
            if row["form"] == form.name:
                row["distance"] = far
    return measured


def time_all(folder):
    numbers = random.Random(1)
    few = lambda: numbers.randrange(-100, 100)
    n = 2000
    picture = Array("f", [n, n], numbers.random)
    measured = []
    for name in ["two_stage", "tiled"]:
        names = [name, f"halide_{name}", f"halide_{name}_scalar"]
        measured += compare(folder, names, [1, 2], [n, n], [picture], ("f", [n, n]))
    b, ko, w, c, rr = 2, 32, 512, 16, 8
    weights = Array("f", [ko, c, rr], numbers.random)
    signal = Array("f", [b, c, w + rr], numbers.random)
    names, output = ["im2col", "conv_naive"], ("f", [b, ko, w])
    measured += compare(folder, names, [1], [b, ko, w, c, rr], [weights, signal], output)
    b, ko, w, c, rr = 2, 8, 128, 8, 8
    signal, weights = Array("i", [b, c, w], few), Array("i", [ko, c, rr], few)
    names, output = ["gathered", "scatter_naive"], ("i", [b, ko, w])
    measured += compare(folder, names, [1], [w, b, ko, c, rr], [signal, weights], output)
    print(json.dumps(measured))


def compile_halide(folder):
    """The blurs in Halide: with vectors, like speed.atl's derivations, and `scalar`, without
    `vectorize`, as in ATL's section 8.1."""
    import halide as hl

    for name, tiled, vectorized in [
        ("two_stage", False, True),
        ("two_stage_scalar", False, False),
        ("tiled", True, True),
        ("tiled_scalar", True, False),
    ]:
        x, y, xi, yi, xo, yo = (hl.Var(variable) for variable in ["x", "y", "xi", "yi", "xo", "yo"])
        picture = hl.ImageParam(hl.Float(32), 2, "v")
        v = hl.BoundaryConditions.constant_exterior(picture, hl.f32(0))
        bx, out = hl.Func("bx"), hl.Func("out")
        bx[x, y] = v[x - 1, y] + v[x, y] + v[x + 1, y]
        out[x, y] = bx[x, y - 1] + bx[x, y] + bx[x, y + 1]
        if tiled:
            out.tile(x, y, xo, yo, xi, yi, 64, 64, hl.TailStrategy.GuardWithIf).parallel(yo)
            bx.compute_at(out, xo)
        else:
            out.split(x, xo, xi, 64, hl.TailStrategy.GuardWithIf).parallel(y)
            bx.compute_root().parallel(y)
        if vectorized:
            bx.vectorize(x, 16)
            out.vectorize(xi, 16)
        target = hl.get_host_target()
        path = os.path.join(folder, f"halide_{name}.a")
        files = {hl.OutputFileType.static_library: path}
        out.compile_to(files, [picture], f"halide_{name}", target)


if __name__ == "__main__":
    {"compile": compile_halide, "time": time_all}[sys.argv[1]](sys.argv[2])
