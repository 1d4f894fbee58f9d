"""Sums of absolute differences of bytes, eight in a vector: the cost of matching two blocks.

Halide 21.0.0's statement is right. On x86 its code generator makes one instruction of the sum, and
drops what the statement adds to it: each output is the sum of the last eight differences.
"""

import halide as hl


def pipeline():
    x, ro, ri = hl.Var("x"), hl.RVar("ro"), hl.RVar("ri")
    a, b = hl.ImageParam(hl.UInt(8), 1, "a"), hl.ImageParam(hl.UInt(8), 1, "b")
    r = hl.RDom([(0, 16)], "r")
    out = hl.Func("out")
    out[x] = hl.i32(0)
    out[x] += hl.i32(hl.absd(a[r], b[x + r]))
    out.update().split(r, ro, ri, 8).atomic().vectorize(ri)
    return out
