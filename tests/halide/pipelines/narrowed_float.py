"""A float becomes a wide integer, then a narrow one: the compiler makes one conversion of both."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Float(32), 1, "a")
    out = hl.Func("out")
    out[x] = hl.u8(hl.u32(hl.clamp(a[x], hl.f32(0), hl.f32(65535))))
    return out
