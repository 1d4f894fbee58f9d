"""Code for wide outputs alone."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.UInt(8), 1, "a")
    out = hl.Func("out")
    out[x] = a[x] + hl.u8(1)
    out.specialize(out.output_buffer().width() >= 8).vectorize(x, 8)
    out.specialize_fail("the output is narrow")
    return out
