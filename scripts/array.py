import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    table = hl.Buffer(numpy.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=numpy.uint8), 'table')
    out[x] = table[x % 8] + a[x]
    return out
