"""A part for each term, in vectors; one reads beyond the end of `squares`, without effect."""

import halide as hl


def pipeline():
    c, x, u = hl.Var("c"), hl.Var("x"), hl.Var("u")
    squares = hl.Func("squares")
    squares[c] = c * c
    r = hl.RDom([(0, 4)], "r")
    total = hl.Func("total")
    total[x] = 0
    total[x] += squares[r[0]]
    squares.compute_root()
    total.update(0).rfactor([(r[0], u)]).update(0).vectorize(u, 16)
    return total
