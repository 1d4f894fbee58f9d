"""Blocks that blend within blocks that blend, inner ones of a parameter's width: one is lost."""

import halide as hl


def pipeline():
    x, block, inner, part, lane = (hl.Var(name) for name in ("x", "block", "inner", "part", "lane"))
    width = hl.Param(hl.Int(32), "width")
    out = hl.Func("out")
    out[x] = hl.cast(hl.Int(32), 1)
    blend = hl.TailStrategy.ShiftInwardsAndBlend
    out.split(x, block, inner, 3, blend).split(inner, part, lane, width, blend)
    return out
