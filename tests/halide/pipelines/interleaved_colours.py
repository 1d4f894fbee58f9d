"""The colours of a pixel lie together, in the input and in the output."""

import halide as hl


def pipeline():
    x, y, c = hl.vars("x y c")
    a = hl.ImageParam(hl.UInt(8), 3, "a")
    a.dim(0).set_stride(3)
    a.dim(2).set_stride(1).set_bounds(0, 3)
    out = hl.Func("out")
    out[x, y, c] = a[x, y, c] / 2 + hl.u8(c)
    colours = out.output_buffer()
    colours.dim(0).set_stride(3)
    colours.dim(2).set_stride(1).set_bounds(0, 3)
    out.reorder(c, x, y).bound(c, 0, 3).unroll(c).vectorize(x, 8)
    return out
