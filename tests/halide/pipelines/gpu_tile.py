"""Blocks and threads of a GPU."""

import halide as hl

target = "x86-64-linux-cuda"


def pipeline():
    x, y, xi, yi = hl.vars("x y xi yi")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    out = hl.Func("out")
    out[x, y] = a[x, y] + a[x + 1, y]
    out.gpu_tile(x, y, xi, yi, 8, 8)
    return out
