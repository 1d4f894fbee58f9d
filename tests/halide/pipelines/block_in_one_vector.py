"""Blocks of four by four are moved to where they lie together, one vector each."""

import halide as hl


def pipeline():
    x, y, b = hl.vars("x y b")
    a = hl.ImageParam(hl.Float(32), 2, "a")
    read, blocks, out = hl.Func("read"), hl.Func("blocks"), hl.Func("out")
    read[x, y] = a[x, y]
    blocks[x, y, b] = read[b * 4 + x, y]
    out[x, y] = blocks[x % 4, y, x / 4] * 2.0
    out.bound(x, 0, 16).bound(y, 0, 16)
    yo = hl.Var("yo")
    blocks.compute_root().split(y, yo, y, 4).reorder(x, y, b, yo).bound_extent(x, 4)
    blocks.vectorize(x).vectorize(y)
    read.compute_at(blocks, b).vectorize(x).unroll(y)
    return out
