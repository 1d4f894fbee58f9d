"""Averages, saturation and products of narrow integers in vectors."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    b = hl.ImageParam(hl.Int(16), 1, "b")
    out = hl.Func("out")
    mean = hl.u8((hl.u16(a[x]) + hl.u16(a[x + 1]) + 1) >> 1)
    product = hl.i16((hl.i32(b[x]) * hl.i32(b[x + 1])) >> 15)
    out[x] = hl.saturating_add(product, hl.i16(mean))
    out.vectorize(x, 8, hl.TailStrategy.RoundUp)
    return out
