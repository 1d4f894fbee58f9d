"""A tuple whose first component reads the second, which is written after it."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    r = hl.RDom([(0, 3)], "r")
    pair, out = hl.Func("pair"), hl.Func("out")
    pair[x] = (0, -x - 1)
    pair[x] = (hl.i32(hl.abs(pair[x][1])) + 0 * r, pair[x][1] - 1)
    pair.compute_root()
    out[x] = pair[x][1] * 1000 + pair[x][0]
    return out
