import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    out[x] = hl.select(hl.is_nan(f[x]), 1, hl.is_inf(f[x]), 2, hl.is_finite(f[x]), 3, 4)
    return out
