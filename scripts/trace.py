import halide as hl
import numpy

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    m = hl.ImageParam(hl.Int(8), 1, 'm')
    f = hl.ImageParam(hl.Float(32), 1, 'f')
    out = hl.Func('out')
    g = hl.Func('g')
    g[x] = a[x] + hl.u8(1)
    out[x] = g[x] * hl.u8(3)
    g.compute_root().trace_stores().trace_loads().trace_realizations()
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    return out
