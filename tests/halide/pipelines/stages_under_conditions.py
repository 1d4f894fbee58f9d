"""Computes one of two funcs, as a parameter says, and a func that both of them read."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    image, first = hl.ImageParam(hl.UInt(16), 1, "image"), hl.Param(hl.Bool(), "first")
    shared, one, two, out = hl.Func("shared"), hl.Func("one"), hl.Func("two"), hl.Func("out")
    shared[x] = image[x] + 1
    one[x] = shared[x] * 3
    two[x] = shared[x] * 5
    out[x] = hl.select(first, one[x], two[x])
    for func in (shared, one, two):
        func.compute_root()
    return out
