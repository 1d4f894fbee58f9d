"""Columns of the producer lie together, sixteen elements apart at least."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x, y] = a[x, y] + a[x, y + 1]
    out[x, y] = sums[x, y] ^ sums[x + 1, y]
    sums.compute_root().reorder_storage(y, x).align_storage(y, 16)
    return out
