"""The update runs again in each row, on the values of the row before: 1, 2, 3, which should be 1.

`count` is computed in each row and stored outside. From the second row on nothing of it is new:
Halide leaves out its pure stage, which is unrolled by two, and not its update.
"""

import halide as hl


def pipeline():
    x, y, c = hl.Var("x"), hl.Var("y"), hl.Var("c")
    count = hl.Func("count")
    count[x, c] = 0
    count[1, c] += 1
    out = hl.Func("out")
    out[x, y] = count[1, 0]
    count.unroll(c, 2)
    count.store_root().compute_at(out, y)
    return [out]
