"""Reads beyond the border are mirrored."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    edged = hl.BoundaryConditions.mirror_image(a, [(0, a.dim(0).extent())])
    out = hl.Func("out")
    out[x] = edged[x - 1] ^ edged[x + 1]
    return out
