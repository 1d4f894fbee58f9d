"""Iterations of a histogram in parallel, each update atomic."""

import halide as hl


def pipeline():
    i = hl.Var("i")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    r = hl.RDom([(0, a.dim(0).extent())], "r")
    count = hl.Func("count")
    count[i] = hl.u32(0)
    count[hl.i32(a[r])] += hl.u32(1)
    count.update().atomic().parallel(r.x)
    return count
