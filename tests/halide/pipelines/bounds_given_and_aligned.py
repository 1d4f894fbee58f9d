"""An output of a fixed width, a producer that begins at even places."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x] = a[x] + a[x + 1]
    out[x] = sums[x] + sums[x + 1]
    out.bound(x, 0, 32).vectorize(x, 8)
    sums.compute_root().align_bounds(x, 2).vectorize(x, 2)
    return out
