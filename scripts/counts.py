import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    w = hl.i16(m[x])
    out[x] = hl.count_leading_zeros(w) + hl.count_trailing_zeros(w) * hl.i16(32) + hl.popcount(w) * hl.i16(1024)
    return out
