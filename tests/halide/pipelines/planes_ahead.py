"""A task that computes planes, one ahead of its reader, in memory for two of them."""

import halide as hl


def pipeline():
    x, y, c = hl.vars("x y c")
    a = hl.ImageParam(hl.UInt(8), 3, "a")
    planes, out = hl.Func("planes"), hl.Func("out")
    planes[x, y, c] = a[x, y, c] * hl.u8(3)
    out[x, y, c] = planes[x - 1, y, c] + planes[x + 1, y + 1, c]
    planes.async_().compute_at(out, c).store_root().fold_storage(c, 2)
    return out
