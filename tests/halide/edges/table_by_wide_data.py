"""A table that floats between 0 and 2 index, scaled by a parameter."""

import halide as hl


def pipeline():
    x, z = hl.vars("x z")
    source = hl.ImageParam(hl.Float(32), 1, "source")
    scale = hl.Param(hl.Float(32), "scale")
    table, out = hl.funcs("table out")
    table[z] = hl.f32(z)
    out[x] = table[hl.i32(hl.clamp(source[x], 0.0, 2.0) * scale)]
    table.compute_root()
    return out
