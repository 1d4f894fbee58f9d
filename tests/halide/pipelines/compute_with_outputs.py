"""Two outputs in one loop nest."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    up, down = hl.Func("up"), hl.Func("down")
    up[x, y] = a[x, y] + hl.u8(1)
    down[x, y] = a[x, y] - hl.u8(1)
    down.compute_with(up, y)
    return [up, down]
