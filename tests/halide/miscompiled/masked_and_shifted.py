"""A split whose last block is shifted inwards, of which the outer loop is split with masked loads.
Halide 21.0.0 masks the loads of blocks after the last one, but not their stores, and shifts these
blocks inwards too: they overwrite the last elements with what masked loads give."""

import halide as hl


def pipeline():
    x, outer, inner, outermost, middle = hl.vars("x outer inner outermost middle")
    a = hl.ImageParam(hl.UInt(32), 1, "a")
    out = hl.Func("out")
    out[x] = a[x] + 1
    out.split(x, outer, inner, 4, hl.TailStrategy.ShiftInwards)
    out.split(outer, outermost, middle, 4, hl.TailStrategy.PredicateLoads)
    return out


if __name__ == "__main__":
    import numpy as np

    given = np.arange(100, 105, dtype=np.uint32)
    found = np.zeros(5, np.uint32)
    made = hl.Pipeline(pipeline())
    made.compile_to_callable(made.infer_arguments())(hl.Buffer(given), hl.Buffer(found))
    print(found)
    print(given + 1)
