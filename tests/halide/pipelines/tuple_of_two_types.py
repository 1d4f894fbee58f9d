"""A tuple of components of two types, computed ahead."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    both, out = hl.Func("both"), hl.Func("out")
    both[x] = (hl.u16(a[x]) * hl.u16(2), hl.i32(a[x]) - 5)
    out[x] = hl.i32(both[x][0]) + both[x][1]
    both.compute_root().vectorize(x, 4)
    return out
