"""A loop of another name, in order."""

import halide as hl


def pipeline():
    x, y, row = hl.vars("x y row")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    out = hl.Func("out")
    out[x, y] = a[x, y] >> 1
    out.rename(y, row).serial(row)
    return out
