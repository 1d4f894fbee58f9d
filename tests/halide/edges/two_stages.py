"""One func that is computed as a whole before its reader."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    twice, out = hl.Func("twice"), hl.Func("out")
    twice[x] = a[x] * hl.u8(2)
    out[x] = twice[x] + hl.u8(1)
    twice.compute_root()
    return out
