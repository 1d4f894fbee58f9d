"""A table in two dimensions, indexed by floats over a parameter, and by a shifted coordinate."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    source = hl.ImageParam(hl.Float(32), 1, "source")
    sigma = hl.Param(hl.Float(32), "sigma")
    table, out = hl.funcs("table out")
    table[x, y] = hl.f32(x) + hl.f32(y)
    place = hl.i32(hl.clamp(source[x], 0.0, 1.0) / sigma + 0.5)
    out[x] = table[x // 8, place] + table[x // 8 + 1, place + 1]
    table.compute_root().vectorize(x, 4)
    out.vectorize(x, 8)
    return out
