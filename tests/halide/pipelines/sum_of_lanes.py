"""Eight elements of a row are summed at once, and the sum is added to the total of the row."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    r = hl.RDom([(0, 64)], "r")
    total, out = hl.Func("total"), hl.Func("out")
    total[x] = hl.u32(0)
    total[x] += hl.u32(a[r, x])
    out[x] = total[x]
    total.compute_root().update().atomic().vectorize(r, 8)
    return out
