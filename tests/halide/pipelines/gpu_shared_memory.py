"""The threads of a block share a tile of the producer."""

import halide as hl

target = "x86-64-linux-cuda"


def pipeline():
    x, y, xi, yi = hl.vars("x y xi yi")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x, y] = hl.u16(a[x, y]) + hl.u16(a[x + 1, y])
    out[x, y] = sums[x, y] + sums[x, y + 1]
    out.gpu_tile(x, y, xi, yi, 8, 8)
    sums.compute_at(out, x).gpu_threads(x, y)
    return out
