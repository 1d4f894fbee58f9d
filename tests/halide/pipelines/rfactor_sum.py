"""A sum in four lanes, which are added at the end."""

import halide as hl


def pipeline():
    u = hl.Var("u")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    r = hl.RDom([(0, a.dim(0).extent())], "r")
    total = hl.Func("total")
    total[()] = 0
    total[()] += a[r]
    outer, inner = hl.RVar("outer"), hl.RVar("inner")
    lanes = total.update().split(r.x, outer, inner, 4).rfactor(inner, u)
    lanes.compute_root().vectorize(u, 4).update().vectorize(u, 4)
    return total
