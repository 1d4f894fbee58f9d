"""A histogram of floats that a parameter scales, read at floats that are scaled and not rounded."""

import halide as hl


def pipeline():
    x, z = hl.vars("x z")
    source = hl.ImageParam(hl.Float(32), 1, "source")
    scale = hl.Param(hl.Float(32), "scale")
    r = hl.RDom([(0, 64)])
    table, out = hl.funcs("table out")
    table[z] = 0.0
    table[hl.i32(hl.clamp(source[r.x], 0.0, 1.0) * scale + 0.5)] += 1.0
    place = hl.i32(hl.clamp(source[x], 0.0, 1.0) * scale)
    out[x] = table[place] + table[place + 1]
    table.compute_root()
    out.vectorize(x, 8)
    return out
