"""The least value and where it stands, as one tuple."""

import halide as hl


def pipeline():
    a = hl.ImageParam(hl.Int(32), 1, "a")
    r = hl.RDom([(0, a.dim(0).extent())], "r")
    least = hl.Func("least")
    least[()] = (a[0], 0)
    least[()] = (hl.min(a[r], least[()][0]), hl.select(a[r] < least[()][0], r.x, least[()][1]))
    return least
