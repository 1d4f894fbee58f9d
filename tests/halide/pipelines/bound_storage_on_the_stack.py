"""The producer's row lies on the stack, of a size that is given."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    rows, out = hl.Func("rows"), hl.Func("out")
    rows[x, y] = a[x, y] + hl.u8(2)
    out[x, y] = rows[x, y] + rows[x + 1, y]
    out.bound(x, 0, 12)
    rows.compute_at(out, y).store_in(hl.MemoryType.Stack).bound_storage(x, 16)
    return out
