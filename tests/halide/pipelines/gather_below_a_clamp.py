"""A gather whose coordinate is a sum of a coordinate and data, below a clamp."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    shift = hl.ImageParam(hl.Int(8), 2, "shift")
    out = hl.Func("out")
    out[x, y] = source[hl.clamp(x + hl.i32(shift[x, y]), 0, source.width() - 1), y]
    out.vectorize(x, 16)
    return out
