"""A sum whose terms are reduced eight at a time."""

import halide as hl


def pipeline():
    a = hl.ImageParam(hl.Int(32), 1, "a")
    r = hl.RDom([(0, a.dim(0).extent())], "r")
    total = hl.Func("total")
    total[()] = 0
    total[()] += a[r]
    outer, inner = hl.RVar("outer"), hl.RVar("inner")
    total.update().split(r.x, outer, inner, 8).atomic().vectorize(inner)
    return total
