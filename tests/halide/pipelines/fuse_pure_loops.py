"""Two loops of a pure stage as one."""

import halide as hl


def pipeline():
    x, y, xy = hl.vars("x y xy")
    a = hl.ImageParam(hl.Int(16), 2, "a")
    out = hl.Func("out")
    out[x, y] = a[x, y] * hl.i16(3)
    out.fuse(x, y, xy).parallel(xy)
    return out
