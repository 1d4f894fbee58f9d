"""A sum of two elements."""

import halide as hl


def pipeline():
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    r = hl.RDom([(0, 2)], "r")
    total = hl.Func("total")
    total[()] = hl.u8(0)
    total[()] += a[r]
    return total
