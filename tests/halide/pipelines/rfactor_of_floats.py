"""Products of a matrix and a vector, as sums of floats in eight lanes."""

import halide as hl


def pipeline():
    x, u = hl.vars("x u")
    matrix = hl.ImageParam(hl.Float(32), 2, "matrix")
    vector = hl.ImageParam(hl.Float(32), 1, "vector")
    r = hl.RDom([(0, 256)], "r")
    product, out = hl.Func("product"), hl.Func("out")
    product[x] = 0.0
    product[x] += matrix[r, x] * vector[r]
    out[x] = product[x]
    product.compute_at(out, x)
    outer, inner = hl.RVar("outer"), hl.RVar("inner")
    lanes = product.update().split(r.x, outer, inner, 8).rfactor(inner, u)
    lanes.compute_at(product, x).vectorize(u, 8).update().vectorize(u, 8)
    return out
