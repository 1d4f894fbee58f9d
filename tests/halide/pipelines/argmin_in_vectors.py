"""The place of the least of ten elements, for eight places at once."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    r = hl.RDom([(0, 10)], "r")
    out = hl.Func("out")
    out[x] = hl.argmin(a[x + r])[0]
    out.vectorize(x, 8)
    return out
