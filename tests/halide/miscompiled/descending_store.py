"""Elements of a func, copied in descending order and then overwritten where the data say. The code
generator of Halide 21.0.0 tells LLVM that a vector at `15, 13, ..., 1` is the element 15 alone, and
LLVM leaves out the stores to the others."""

import halide as hl


def pipeline(plain=False):
    x = hl.Var("x")
    a, b = hl.ImageParam(hl.UInt(32), 1, "a"), hl.ImageParam(hl.UInt(32), 1, "b")
    f, out = hl.Func("f"), hl.Func("out")
    q, r = hl.RDom([(0, 8)], "q"), hl.RDom([(0, 8)], "r")
    r.where(b[r.x] == 7)
    f[x] = hl.cast(hl.UInt(32), x)
    f[16 + q] = f[15 - 2 * q]
    f[r.x] = a[r.x]
    out[x] = f[15 - 2 * x] + f[16 + x] * 1000
    out.bound(x, 0, 8)
    f.compute_root()
    if not plain:
        out.vectorize(x, 8)
        f.vectorize(x, 8)
        f.update().vectorize(q, 8)
        f.update(1).vectorize(r.x, 8)
    return out


if __name__ == "__main__":
    import numpy as np

    for plain in (True, False):
        made = hl.Pipeline(pipeline(plain))
        args = made.infer_arguments()
        given = {"a": np.arange(100, 132, dtype=np.uint32), "b": np.full(32, 7, np.uint32)}
        found = np.zeros(8, np.uint32)
        inputs = [hl.Buffer(given[argument.name]) for argument in args]
        made.compile_to_callable(args)(*inputs, hl.Buffer(found))
        print("plain" if plain else "vectors", found)
