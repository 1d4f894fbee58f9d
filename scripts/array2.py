import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    table = hl.Buffer(numpy.arange(12, dtype=numpy.int32).reshape(3, 4), 'table')
    out[x, y] = table[x % 4, y % 3] + hl.i32(a[x])
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    return out
