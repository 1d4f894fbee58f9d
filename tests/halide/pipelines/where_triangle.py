"""A reduction over a triangle."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(32), 2, "a")
    r = hl.RDom([(0, 8), (0, 8)], "r")
    r.where(r.x <= r.y)
    out = hl.Func("out")
    out[x] = 0
    out[x] += a[x + r.x, r.y]
    return out
