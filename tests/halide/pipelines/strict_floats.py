"""A mean that keeps the order of its operations."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Float(32), 1, "a")
    out = hl.Func("out")
    out[x] = hl.strict_float((a[x] + a[x + 1] + a[x + 2]) * hl.f32(0.25))
    out.vectorize(x, 4, hl.TailStrategy.GuardWithIf)
    return out
