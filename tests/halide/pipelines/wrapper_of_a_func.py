"""A copy of the producer for one of its readers."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    base, left, out = hl.Func("base"), hl.Func("left"), hl.Func("out")
    base[x] = a[x] + hl.u8(1)
    left[x] = base[x] + base[x + 1]
    out[x] = left[x] ^ base[x + 2]
    base.compute_root()
    left.compute_root()
    base.in_(left).compute_root()
    return out
