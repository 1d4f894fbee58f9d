"""Rows are fetched two rows ahead."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = a[x, y] + hl.u8(2)
    out[x, y] = rows[x, y] + rows[x + 1, y]
    rows.compute_root()
    out.prefetch(rows, y, y, 2)
    return out
