"""An integer becomes a truth value: its lowest bit."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    b = hl.ImageParam(hl.Int(32), 1, "b")
    out = hl.Func("out")
    odd = hl.cast(hl.Bool(), a[x])
    other = hl.cast(hl.Bool(), b[x])
    out[x] = hl.select(odd, 1, 0) + hl.select(other, 20, x)
    out.vectorize(x, 8)
    return out
