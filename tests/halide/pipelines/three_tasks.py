"""Two funcs that are computed as a whole, each by a task of its own, and their reader."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    less, more, out = hl.Func("less"), hl.Func("more"), hl.Func("out")
    less[x] = a[x] * hl.u8(3)
    more[x] = a[x] + hl.u8(1)
    out[x] = less[x] * more[x]
    less.compute_root().async_()
    more.compute_root().async_()
    return out
