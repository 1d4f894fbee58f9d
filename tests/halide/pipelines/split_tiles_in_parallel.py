"""Tiles, rows of them in parallel, vectors inside."""

import halide as hl


def pipeline():
    x, y, xi, yi = hl.vars("x y xi yi")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    out = hl.Func("out")
    out[x, y] = a[x, y] ^ a[x + 1, y + 1]
    out.tile(x, y, xi, yi, 16, 4).vectorize(xi, 8).parallel(y)
    return out
