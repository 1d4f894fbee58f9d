"""A sum by one thread of a GPU."""

import halide as hl

target = "x86-64-linux-cuda"


def pipeline():
    a = hl.ImageParam(hl.Int(32), 1, "a")
    r = hl.RDom([(0, a.dim(0).extent())], "r")
    total = hl.Func("total")
    total[()] = 0
    total[()] += a[r]
    total.gpu_single_thread()
    total.update().gpu_single_thread()
    return total
