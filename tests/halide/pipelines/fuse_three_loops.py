"""Three dimensions of the output become one parallel loop."""

import halide as hl


def pipeline():
    x, y, c, rows, all = hl.vars("x y c rows all")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    out = hl.Func("out")
    out[x, y, c] = a[x] + a[y]
    out.fuse(y, c, rows).fuse(x, rows, all).parallel(all)
    return out
