"""Two rows of a stage that are kept while the consumer goes along and down."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    waves, out = hl.Func("waves"), hl.Func("out")
    waves[x, y] = hl.sin(hl.f32(x) * hl.f32(y))
    sums = waves[x, y] + waves[x, y + 1] + waves[x + 1, y] + waves[x + 1, y + 1]
    out[x, y] = sums / 4
    waves.store_root().compute_at(out, x)
    return out
