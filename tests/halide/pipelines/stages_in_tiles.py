"""Stages in vectors within tiles of the output, each read beyond the tile by the next."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    xo, yo, xi, yi, xv, xvi = hl.vars("xo yo xi yi xv xvi")
    source = hl.ImageParam(hl.UInt(16), 2, "source")
    stages = [hl.BoundaryConditions.repeat_edge(source)]
    for number in range(4):
        stage = hl.Func(f"stage_{number}")
        before = stages[-1]
        stage[x, y] = before[x - 1, y] + before[x + 1, y] + before[x, y - 1] + before[x, y + 1]
        stages.append(stage)
    out = stages[-1]
    out.tile(x, y, xo, yo, xi, yi, 64, 64).split(xi, xv, xvi, 16).vectorize(xvi)
    out.parallel(yo).parallel(xo)
    for stage in stages[1:-1]:
        stage.compute_at(out, xo).split(x, xv, xvi, 16).vectorize(xvi)
    return out
