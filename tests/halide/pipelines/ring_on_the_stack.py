"""Keeps the rows of a sliding window in a ring on the stack, whose memory states its size only."""

import halide as hl


def pipeline():
    x, y, xi, yi = hl.vars("x y xi yi")
    image = hl.ImageParam(hl.UInt(16), 2, "image")
    sums, out = hl.Func("sums"), hl.Func("out")
    sums[x, y] = image[x, y] + image[x + 1, y]
    out[x, y] = sums[x, y] + sums[x, y + 1] * 3 + sums[x, y + 2]
    out.tile(x, y, xi, yi, 32, 16).vectorize(xi, 16)
    sums.store_at(out, x).compute_at(out, yi).store_in(hl.MemoryType.Stack).vectorize(x, 16)
    return out
