"""A func in a ring of two buffers, whose update reads the func itself. Halide 21.0.0 writes this
update to the current buffer of the ring, but lets it read the first one."""

import halide as hl


def pipeline():
    x, y = hl.vars("x y")
    a = hl.ImageParam(hl.Int(32), 2, "a")
    f, out = hl.Func("f"), hl.Func("out")
    f[x, y] = a[x, y]
    f[x, y] += 1
    out[x, y] = f[x, y]
    f.compute_at(out, y).hoist_storage_root().ring_buffer(2)
    return out


if __name__ == "__main__":
    import numpy as np

    given = np.arange(12, dtype=np.int32).reshape(4, 3)
    found = np.zeros((4, 3), np.int32)
    made = hl.Pipeline(pipeline())
    made.compile_to_callable(made.infer_arguments())(hl.Buffer(given), hl.Buffer(found))
    print(found)
    print(given + 1)
