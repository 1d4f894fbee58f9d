"""Elements are written at places that another input names."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    place = hl.ImageParam(hl.UInt(8), 1, "place")
    r = hl.RDom([(0, place.dim(0).extent())], "r")
    out = hl.Func("out")
    out[x] = hl.u8(0)
    out[hl.clamp(hl.i32(place[r]), 0, 15)] = a[r]
    out.bound(x, 0, 16)
    return out
