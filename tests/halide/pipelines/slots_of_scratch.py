"""A func whose updates fill its last dimension slot by slot, each from earlier ones, in vectors."""

import halide as hl


def pipeline():
    x, y, u = hl.vars("x y u")
    a = hl.ImageParam(hl.UInt(16), 2, "a")
    scratch, out = hl.Func("scratch"), hl.Func("out")
    scratch[x, y, u] = hl.undef(hl.UInt(16))
    scratch[x, y, 0] = a[x, y] + 1
    scratch[x, y, 1] = scratch[x, y, 0] * 2
    scratch[x, y, 2] = scratch[x, y, 0] + scratch[x, y, 1]
    out[x, y] = scratch[x, y, 2]
    scratch.compute_at(out, y)
    for number in range(3):
        scratch.update(number).vectorize(x, 8, hl.TailStrategy.RoundUp)
    out.vectorize(x, 8, hl.TailStrategy.RoundUp)
    return out
