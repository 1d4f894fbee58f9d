"""A sliding window that moves by a row in every second iteration."""

import halide as hl


def pipeline():
    x, y, yo, yi = hl.vars("x y yo yi")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = hl.u16(a[x, y]) * hl.u16(3)
    out[x, y] = rows[x, y / 2] + rows[x, y / 2 + 1]
    out.split(y, yo, yi, 16)
    rows.store_at(out, yo).compute_at(out, yi).fold_storage(y, 4)
    return out
