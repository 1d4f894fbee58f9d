"""The last vector of an update goes beyond the end; what is there is kept."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(16), 1, "a")
    out = hl.Func("out")
    out[x] = a[x]
    out[x] += hl.i16(7)
    out.vectorize(x, 8, hl.TailStrategy.RoundUp)
    out.update().vectorize(x, 8, hl.TailStrategy.RoundUpAndBlend)
    return out
