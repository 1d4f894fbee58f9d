"""The greatest of five neighbours, within the loop of its reader."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    r = hl.RDom([(0, 5)], "r")
    out = hl.Func("out")
    out[x] = hl.maximum(a[x + r.x], "greatest")
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    return out
