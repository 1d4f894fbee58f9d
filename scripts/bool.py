import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    g = hl.Func('g')
    g[x] = a[x] > 3
    out[x] = g[x] & g[x + 1]
    g.compute_root().vectorize(x, 8)
    out.vectorize(x, 8)
    return out
