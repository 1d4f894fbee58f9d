"""The producer's columns lie together, and their number is not that of the rows."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    twice, out = hl.Func("twice"), hl.Func("out")
    twice[x, y] = a[x, y] * 2
    out[x, y] = twice[x, y] + twice[x + 1, y + 2]
    twice.compute_root().reorder_storage(y, x)
    return out
