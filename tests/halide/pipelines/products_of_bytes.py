"""Sums of products of signed bytes, which the compiler multiplies in 16 bits."""

import halide as hl


def pipeline():
    x, y, c = hl.vars("x y c")
    source = hl.ImageParam(hl.Int(8), 3, "source")
    weights = hl.ImageParam(hl.Int(8), 3, "weights")
    r = hl.RDom([(0, 3), (0, 3)], "r")
    total, out = hl.Func("total"), hl.Func("out")
    total[c, x, y] = 0
    total[c, x, y] += hl.i32(source[c, x + r.x, y + r.y]) * hl.i32(weights[c, r.x, r.y])
    out[c, x, y] = hl.i8_sat(total[c, x, y] >> 4)
    total.compute_at(out, x).vectorize(c, 8).update().vectorize(c, 8).unroll(r.x).unroll(r.y)
    out.vectorize(c, 8).parallel(y)
    return out
