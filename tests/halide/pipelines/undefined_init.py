"""A func whose first stage leaves memory as it is."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    table, out = hl.Func("table"), hl.Func("out")
    table[x] = hl.undef(hl.Int(32))
    table[x] = a[x] + 1
    out[x] = table[x] * 2
    table.compute_root()
    return out
