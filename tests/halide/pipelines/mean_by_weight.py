"""Means by weights: of integers by one of equal, less and more width; of floats by a float."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    b = hl.ImageParam(hl.Int(16), 1, "b")
    narrow = hl.ImageParam(hl.UInt(8), 1, "narrow")
    wide = hl.ImageParam(hl.UInt(16), 1, "wide")
    share = hl.Param(hl.Float(32), "share")
    whole, mean = hl.Func("whole"), hl.Func("mean")
    whole[x] = hl.lerp(a[x], a[x + 1], narrow[x])
    mean[x] = (
        whole[x],
        hl.lerp(a[x + 1], a[x], wide[x]),
        hl.lerp(b[x], b[x + 1], narrow[x]),
        hl.lerp(b[x + 1], b[x], wide[x]),
        hl.lerp(hl.f32(a[x]), hl.f32(whole[x + 1]), share),
    )
    whole.compute_root().vectorize(x, 8, hl.TailStrategy.RoundUp)
    mean.vectorize(x, 8, hl.TailStrategy.ShiftInwards)
    return mean
