"""An update of a tuple whose first component is undefined at times, and whose second one always is.

Halide 21.0.0 forgets the condition: it stores the first component everywhere.
"""

import halide as hl


def pipeline():
    x = hl.Var("x")
    undefined = hl.undef(hl.Int(32))
    out = hl.Func("out")
    out[x] = (x, x + 100)
    out[x] = (hl.select(x < 5, 7 * out[x][0], undefined), undefined)
    return out
