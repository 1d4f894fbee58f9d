"""Prefix sums along rows, rows in parallel."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.Int(32), 2, "a")
    r = hl.RDom([(1, 31)], "r")
    sums = hl.Func("sums")
    sums[x, y] = a[x, y]
    sums[r.x, y] += sums[r.x - 1, y]
    sums.bound(x, 0, 32)
    sums.update().parallel(y)
    return sums
