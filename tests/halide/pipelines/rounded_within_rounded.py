"""Computes funcs in vectors that are rounded up, and one of them where its reader is computed.

Lanes beyond what is needed read elements that nobody has written, and nobody reads their results.
"""

import halide as hl


def pipeline():
    x, y, xo, xi, xv = hl.vars("x y xo xi xv")
    image = hl.ImageParam(hl.Int(32), 2, "image")
    gray, slope, squares = hl.Func("gray"), hl.Func("slope"), hl.Func("squares")
    sums, out = hl.Func("sums"), hl.Func("out")
    gray[x, y] = image[x, y] * 2
    slope[x, y] = gray[x + 1, y] - gray[x - 1, y]
    squares[x, y] = slope[x, y] * slope[x, y]
    sums[x, y] = squares[x - 1, y] + squares[x, y] + squares[x + 1, y]
    out[x, y] = sums[x, y] + 1
    up = hl.TailStrategy.RoundUp
    out.split(x, xo, xi, 72, hl.TailStrategy.ShiftInwards).vectorize(xi, 8)
    gray.compute_at(out, xo).vectorize(x, 8, hl.TailStrategy.ShiftInwards)
    slope.compute_at(out, xo).vectorize(x, 8, up)
    sums.compute_at(out, xo).split(x, x, xi, 16, up).split(xi, xi, xv, 8, up).vectorize(xv)
    squares.compute_at(sums, x).vectorize(x, 8, up)
    return out
