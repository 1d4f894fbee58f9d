import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    r = hl.RDom([(1, 9)])
    out[x] = hl.undef(hl.UInt(8))
    out[r] = out[r] + out[r - 1]
    return out
