"""Elements at places that another input names."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    place = hl.ImageParam(hl.UInt(8), 1, "place")
    table, out = hl.Func("table"), hl.Func("out")
    table[x] = a[x] + hl.u8(1)
    out[x] = table[hl.i32(place[x])]
    table.compute_root()
    return out
