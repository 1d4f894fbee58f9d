"""Means of two pictures by a weight: of integers by one of their width, of floats by a float."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    weight = hl.ImageParam(hl.UInt(8), 1, "weight")
    share = hl.Param(hl.Float(32), "share")
    whole, mean = hl.Func("whole"), hl.Func("mean")
    whole[x] = hl.lerp(a[x], a[x + 1], weight[x])
    mean[x] = (whole[x], hl.lerp(hl.f32(a[x]), hl.f32(whole[x + 1]), share))
    whole.compute_root().vectorize(x, 8, hl.TailStrategy.RoundUp)
    mean.vectorize(x, 8, hl.TailStrategy.ShiftInwards)
    return mean
