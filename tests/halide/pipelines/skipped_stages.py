"""A stage is skipped where a parameter says that nothing needs it."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    left = hl.Param(hl.Bool(), "left")
    tripled, shifted, out = hl.Func("tripled"), hl.Func("shifted"), hl.Func("out")
    tripled[x] = a[x] * 3
    shifted[x] = a[x + 1] * 5
    out[x] = hl.select(left, tripled[x], shifted[x])
    tripled.compute_root()
    shifted.compute_root()
    return out
