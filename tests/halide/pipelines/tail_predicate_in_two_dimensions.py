"""Loads and stores of the last vector of each row have a mask, and so has the last pair of rows."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    out = hl.Func("out")
    out[x, y] = a[x, y] + a[x + 1, y]
    out.vectorize(x, 8, hl.TailStrategy.Predicate).unroll(y, 2, hl.TailStrategy.GuardWithIf)
    return out
