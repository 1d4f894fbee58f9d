"""Terms that the data choose."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    r = hl.RDom([(0, 16)], "r")
    r.where(a[r.x] > 0)
    out = hl.Func("out")
    out[x] = 0
    out[x] += a[r.x] * x
    return out
