"""A sliding window whose fold Halide checks during the run."""

import halide as hl


def pipeline():
    x, y, yo, yi = hl.vars("x y yo yi")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = hl.u16(a[x, y]) * hl.u16(3)
    out[x, y] = rows[x, y / 2] + rows[x, y / 2 + 1]
    out.split(y, yo, yi, 3)
    rows.store_root().compute_at(out, yo).fold_storage(y, 8)
    return out
