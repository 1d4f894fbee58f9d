"""One reader has a producer of its own."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    base, left, out = hl.Func("base"), hl.Func("left"), hl.Func("out")
    base[x] = a[x] * hl.u8(3)
    left[x] = base[x] + base[x + 1]
    out[x] = left[x] ^ base[x]
    base.compute_root()
    left.compute_root()
    base.clone_in(left).compute_at(left, x)
    return out
