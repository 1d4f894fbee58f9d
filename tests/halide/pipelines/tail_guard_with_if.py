"""The last vector lane by lane, each behind a test."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    out = hl.Func("out")
    out[x] = hl.u16(a[x]) + hl.u16(a[x + 1])
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    return out
