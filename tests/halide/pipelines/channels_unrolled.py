"""Three channels, chosen by number and copied out."""

import halide as hl


def pipeline():
    x, c = hl.vars("x c")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    out = hl.Func("out")
    out[x, c] = hl.mux(c, [a[x], a[x] + hl.u8(1), a[x] ^ hl.u8(255)])
    out.bound(c, 0, 3).reorder(c, x).unroll(c)
    return out
