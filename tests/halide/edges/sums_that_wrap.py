"""Sums of unsigned parameters that are compared."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    p, q = hl.Param(hl.UInt(64), "p"), hl.Param(hl.UInt(64), "q")
    u = hl.Param(hl.UInt(32), "u")
    out = hl.Func("out")
    out[x] = hl.select(p - 3 == q + 5, hl.u64(x), p) + hl.select(u + 7 != 4, hl.u64(1), q)
    return out
