"""Each component of a tuple is updated from both, in vectors."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    r = hl.RDom([(0, 5)], "r")
    turned, out = hl.Func("turned"), hl.Func("out")
    turned[x] = (hl.u8(1), hl.u8(0))
    turned[x] = (turned[x][0] * a[x + r] - turned[x][1], turned[x][0] + turned[x][1])
    out[x] = turned[x][0] ^ turned[x][1]
    turned.compute_root().vectorize(x, 8).update().vectorize(x, 8)
    return out
