"""Memory for a tile is taken once, outside of the loop over tiles: each tile begins elsewhere."""

import halide as hl


def pipeline():
    x, y, xo, xi = hl.vars("x y xo xi")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    ahead, out = hl.Func("ahead"), hl.Func("out")
    ahead[x, y] = hl.u16(a[x, y]) + hl.u16(1)
    out[x, y] = ahead[x, y] + ahead[x + 1, y]
    out.split(x, xo, xi, 16)
    ahead.compute_at(out, xo).hoist_storage(out, y)
    return out
