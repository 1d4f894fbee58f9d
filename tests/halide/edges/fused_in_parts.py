"""Rows in vectors: one loop over all vectors of all rows, which runs in parts of equal length."""

import halide as hl


def pipeline():
    x, y, i = hl.vars("x y i")
    a = hl.ImageParam(hl.Int(16), 2, "a")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x, y] = a[x, y] * hl.i16(3)
    out[x, y] = sums[x - 1, y] + sums[x + 1, y + 1]
    inwards = hl.TailStrategy.ShiftInwards
    for func, length in (sums, 110), (out, 100):
        func.compute_root().split(x, x, i, 8, inwards).fuse(x, y, x).reorder(i, x)
        func.parallel(x, length, inwards).vectorize(i)
    return out
