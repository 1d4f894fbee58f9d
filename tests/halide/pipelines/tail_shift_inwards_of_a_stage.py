"""A stage between input and output in vectors; the last one is shifted inwards. Outputs may be
narrower than a vector: the stage then begins before them."""

import halide as hl


def pipeline():
    x, y = hl.Var("x"), hl.Var("y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    stage, out = hl.Func("stage"), hl.Func("out")
    stage[x, y] = a[x, y] * 3 + a[x + 1, y]
    out[x, y] = stage[x, y] + 1
    stage.compute_root().vectorize(x, 16)
    return out
