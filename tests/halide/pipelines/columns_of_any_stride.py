"""Columns lie together in the input and in the output, any number of elements apart."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    a.dim(0).set_stride(hl.Expr())
    a.dim(1).set_stride(1)
    out = hl.Func("out")
    out[x, y] = a[x, y] + a[x + 1, y]
    columns = out.output_buffer()
    columns.dim(0).set_stride(hl.Expr())
    columns.dim(1).set_stride(1)
    out.reorder(y, x).vectorize(y, 8)
    return out
