"""A sum over rows in one vector: x and the reduction variable fused, with x inside.

Halide 21.0.0 sums as if the vector had as many slices as a row has elements: with eight elements in
two rows, it writes two elements, each a sum of eight.
"""

import halide as hl


def pipeline():
    x, rx = hl.Var("x"), hl.RVar("rx")
    a = hl.ImageParam(hl.Int(32), 2, "a")
    r = hl.RDom([(0, 2)], "r")
    out = hl.Func("out")
    out[x] = 0
    out[x] += a[x, r]
    out.output_buffer().dim(0).set_bounds(0, 8)
    out.update().reorder(x, r).fuse(x, r, rx).atomic().vectorize(rx)
    return out
