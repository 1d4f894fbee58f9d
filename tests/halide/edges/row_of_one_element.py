"""An input whose rows may have one element in memory, which is read for the whole row."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    b = hl.ImageParam(hl.UInt(8), 2, "b")
    b.dim(0).set_stride(hl.Expr())
    out = hl.Func("out")
    out[x, y] = hl.u8(hl.u16(a[x, y]) + hl.u16(b[x, y]) * hl.u16(3))
    out.vectorize(x, 8, hl.TailStrategy.Predicate)
    out.specialize(b.dim(0).stride() == 1)
    out.specialize(b.dim(0).stride() == 0)
    out.specialize_fail("the stride of b is 0 or 1")
    return out
