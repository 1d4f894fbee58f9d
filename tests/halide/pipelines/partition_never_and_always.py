"""Loops that are never and always divided into a beginning, a middle and an end."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    edged = hl.BoundaryConditions.constant_exterior(a, hl.u8(0), [(0, a.width()), (0, a.height())])
    out = hl.Func("out")
    out[x, y] = edged[x, y] + edged[x + 1, y]
    out.never_partition([x]).always_partition([y])
    return out
