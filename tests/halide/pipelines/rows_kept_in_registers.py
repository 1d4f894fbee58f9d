"""Copies of two inputs, eight rows at a time in one memory, and a product of matrices on a GPU."""

import halide as hl

target = "x86-64-linux-cuda"


def pipeline():
    x, y, xi, yi, xt, yt = hl.vars("x y xi yi xt yt")
    a = hl.ImageParam(hl.Float(32), 2, "a")
    b = hl.ImageParam(hl.Float(32), 2, "b")
    for matrix in (a, b):
        matrix.dim(0).set_bounds(0, 32)
        matrix.dim(1).set_bounds(0, 32).set_stride(32)
    r = hl.RDom([(0, 32)])
    product, out = hl.Func("product"), hl.Func("out")
    product[x, y] = 0.0
    product[x, y] += a[x, r.x] * b[r.x, y]
    out[x, y] = product[x, y]
    out.bound(x, 0, 32).bound(y, 0, 32)
    out.tile(x, y, xi, yi, 8, 8).vectorize(xi, 4).unroll(xi).unroll(yi).gpu_blocks(x, y)
    ro, ri = hl.RVar("ro"), hl.RVar("ri")
    product.compute_at(out, x).vectorize(x, 4).unroll(x).unroll(y)
    update = product.update().split(r.x, ro, ri, 4).reorder(x, y, ri, ro)
    update.vectorize(x, 4).unroll(x).unroll(y).unroll(ri)
    first, second = hl.Var("_0"), hl.Var("_1")
    for copy in (a.in_(), b.in_()):
        copy.compute_at(product, ro).vectorize(first, 4).unroll(first).unroll(second)
    return out
