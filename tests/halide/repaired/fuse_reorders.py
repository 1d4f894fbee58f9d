"""An update whose order counts, with its loops in their own order."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    r = hl.RDom([(0, 4), (0, 3)], "r")
    outer, inner = hl.RVar("outer"), hl.RVar("inner")
    f = hl.Func("f")
    f[x] = 1
    f[x] = f[x] * 2 + r.x * 5 + r.y
    f.update().split(r.x, outer, inner, 2)
    return f
