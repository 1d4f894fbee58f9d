"""A power of two whose exponent is put together from bits."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(8), 1, "a")
    out = hl.Func("out")
    exponent = hl.u32(hl.i16(a[x]) + hl.i16(127))
    out[x] = hl.reinterpret(hl.Float(32), exponent << hl.u32(23)) * 3.0
    out.vectorize(x, 8)
    return out
