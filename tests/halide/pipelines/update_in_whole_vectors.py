"""The update runs in whole vectors, beyond the elements that the pure stage writes."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x] = hl.u8(1)
    sums[x] += a[x]
    out[x] = sums[x]
    sums.compute_root().vectorize(x, 8).update().vectorize(x, 8)
    return out
