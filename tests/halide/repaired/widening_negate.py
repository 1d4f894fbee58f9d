"""A widening subtraction of a negated value, one element at a time."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(8), 1, "a")
    b = hl.ImageParam(hl.UInt(8), 1, "b")
    out = hl.Func("out")
    out[x] = hl.i16(a[x]) - hl.i16(hl.u8(hl.i16(b[x]) * hl.i16(-1)))
    return out
