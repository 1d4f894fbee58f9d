"""Computes a func in the tail of a loop, where each of its elements has a condition."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    image = hl.ImageParam(hl.UInt(16), 1, "image")
    inner, out = hl.Func("inner"), hl.Func("out")
    inner[x] = image[x] + 1
    out[x] = inner[x] * 2
    out.vectorize(x, 8, hl.TailStrategy.GuardWithIf)
    inner.compute_at(out, x).unroll(x).store_in(hl.MemoryType.Register)
    return out
