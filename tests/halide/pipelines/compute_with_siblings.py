"""Two funcs in one loop nest."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.UInt(8), 2, "a")
    low, high, out = hl.Func("low"), hl.Func("high"), hl.Func("out")
    low[x, y] = hl.min(a[x, y], a[x + 1, y])
    high[x, y] = hl.max(a[x, y], a[x + 1, y])
    out[x, y] = high[x, y] - low[x, y]
    low.compute_root()
    high.compute_root().compute_with(low, y)
    return out
