import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    b = hl.ImageParam(hl.Bool(), 1, 'b')
    out[x] = hl.select(b[x], a[x], hl.u8(7))
    out.vectorize(x, 8)
    return out
