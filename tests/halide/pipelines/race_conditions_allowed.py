"""Updates of different elements in parallel, which Halide does not see."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    r = hl.RDom([(0, 16)], "r")
    out = hl.Func("out")
    out[x] = x
    out[15 - r.x] = a[r.x]
    out.update().allow_race_conditions().parallel(r.x)
    return out
