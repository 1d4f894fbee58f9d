"""A product of matrices in tiles, the inner loops copied out."""

import halide as hl


def pipeline():
    x, y, xi, yi = hl.vars("x y xi yi")
    a = hl.ImageParam(hl.Int(32), 2, "a")
    b = hl.ImageParam(hl.Int(32), 2, "b")
    k = hl.RDom([(0, a.width())], "k")
    product, out = hl.Func("product"), hl.Func("out")
    product[x, y] = 0
    product[x, y] += a[k.x, y] * b[x, k.x]
    out[x, y] = product[x, y]
    out.tile(x, y, xi, yi, 4, 2, hl.TailStrategy.RoundUp).vectorize(xi).unroll(yi)
    product.compute_at(out, x).vectorize(x).unroll(y)
    product.update().reorder(x, y, k.x).vectorize(x).unroll(y)
    return out
