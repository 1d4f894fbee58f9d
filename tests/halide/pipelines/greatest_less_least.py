"""The greatest and the least element around each, of an image that is continued at its borders."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    r = hl.RDom([(-1, 3), (-1, 3)], "r")
    near, out = hl.Func("near"), hl.Func("out")
    near[x, y] = a[hl.clamp(x, 0, a.width() - 1), hl.clamp(y, 0, a.height() - 1)]
    around = near[x + r.x, y + r.y]
    out[x, y] = hl.maximum(around) - hl.minimum(around)
    near.compute_root()
    out.vectorize(x, 8)
    return out
