"""A loop in vectors with masked stores, around a func that is computed for each vector. Halide
21.0.0 computes the func for whole vectors, so it reads the input behind its end: nothing masks
these loads, and the check at entry does not demand the elements."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(32), 2, "a")
    f, out = hl.Func("f"), hl.Func("out")
    f[x, y] = a[x, y]
    out[x, y] = f[x, y] + f[x, y + 1]
    out.reorder(y, x).vectorize(x, 8, hl.TailStrategy.PredicateStores)
    f.compute_at(out, y)
    return out
