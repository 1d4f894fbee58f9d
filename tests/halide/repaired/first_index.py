"""The place of the first great value, by a selection instead of a condition on the domain."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    values = hl.ImageParam(hl.Int(32), 1, "values")
    r = hl.RDom([(0, 8)], "r")
    first = hl.Func("first")
    first[x] = 1000
    first[x] = hl.select(values[r.x] > 5, hl.min(first[x], r.x), first[x])
    return first
