"""Code for packed pixels beside code for planes: a condition fixes the strides."""

import halide as hl


def pipeline():
    x, y, c = hl.vars("x y c")
    source = hl.ImageParam(hl.UInt(8), 3, "source")
    wide, out = hl.Func("wide"), hl.Func("out")
    wide[x, y, c] = hl.u16(source[x, y, c]) + hl.u16(source[x + 1, y, c])
    out[x, y, c] = hl.u8((wide[x, y, c] + wide[x, y + 1, c]) / 4)
    source.dim(0).set_stride(hl.Expr())
    buffer = out.output_buffer()
    buffer.dim(0).set_stride(hl.Expr())
    wide.compute_at(out, y)
    packed = buffer.dim(0).stride() == 3
    for term in [buffer.dim(2).stride() == 1, buffer.dim(2).min() == 0,
                 buffer.dim(2).extent() == 3, source.dim(0).stride() == 3,
                 source.dim(2).stride() == 1, source.dim(2).min() == 0,
                 source.dim(2).extent() == 3]:
        packed = packed & term
    planar = (buffer.dim(0).stride() == 1) & (source.dim(0).stride() == 1)
    out.specialize(planar).vectorize(x, 16)
    out.specialize(packed).reorder(c, x, y).unroll(c).vectorize(x, 16)
    return out
