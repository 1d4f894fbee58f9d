"""An update that changes a part of a stage, which is read beyond that part."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    stage, out = hl.Func("stage"), hl.Func("out")
    r = hl.RDom([(0, 8)])
    stage[x] = a[x]
    stage[r.x + 1] += 3
    out[x] = stage[x]
    stage.compute_root()
    return out
