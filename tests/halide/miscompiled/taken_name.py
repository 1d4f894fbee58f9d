"""The larger of an element and a parameter. Halide 21.0.0 names a variable of its code generator
`a0` too, so its machine code compares the element with itself."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    b = hl.ImageParam(hl.UInt(8), 1, "b")
    least = hl.Param(hl.UInt(8), "a0")
    out = hl.Func("out")
    out[x] = hl.max(b[x], least)
    return out


if __name__ == "__main__":
    import numpy as np

    for name in ("a0", "least"):
        x, b, least = hl.Var("x"), hl.ImageParam(hl.UInt(8), 1, "b"), hl.Param(hl.UInt(8), name)
        out = hl.Func("out")
        out[x] = hl.max(b[x], least)
        b.set(hl.Buffer(np.array([10, 20, 30], dtype=np.uint8)))
        least.set(25)
        print(name, np.array(out.realize([3])))
