import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    out[x] = hl.strict_float(f[x] % 2.5)
    return out
