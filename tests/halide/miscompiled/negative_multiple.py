"""The remainder of a product with a negative number. Halide 21.0.0 writes `(a*-3) % 1000` as
`(a*997) % 1000`, which overflows 32 bits where `a*-3` does not."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    a = hl.ImageParam(hl.Int(32), 1, "a")
    out = hl.Func("out")
    out[x] = (a[x] * -3) % 1000
    return out


if __name__ == "__main__":
    import numpy as np

    given = np.array([5, 2200000, 3000001], np.int32)
    made = hl.Pipeline(pipeline())
    found = np.zeros(3, np.int32)
    made.compile_to_callable(made.infer_arguments())(hl.Buffer(given), hl.Buffer(found))
    print(found)
    print(given * -3 % 1000)
