"""Histograms of rows, which are added at the end."""

import halide as hl


def pipeline():
    i, v = hl.vars("i v")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    r = hl.RDom([(0, a.width()), (0, a.height())], "r")
    count = hl.Func("count")
    count[i] = hl.u32(0)
    count[hl.i32(a[r.x, r.y])] += hl.u32(1)
    part = count.update().rfactor(r.y, v)
    part.compute_root().update().parallel(v)
    return count
