"""Columns before rows, four at a time copied out."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.Int(32), 2, "a")
    out = hl.Func("out")
    out[x, y] = a[x, y] + x - y
    out.reorder(y, x).unroll(x, 4)
    return out
