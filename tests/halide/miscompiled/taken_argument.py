"""An array named `closure_arg`, in a parallel loop. The code generator of Halide 21.0.0 gives this
name to the argument of the function that it makes of the loop's body."""

import halide as hl


def pipeline(name="closure_arg"):
    import numpy as np

    x, y = hl.Var("x"), hl.Var("y")
    table = hl.Buffer(np.arange(1, 17, dtype=np.int32) * 1000, name=name)
    out = hl.Func("out")
    out[x, y] = table[hl.clamp(x, 0, 15)] + y
    out.parallel(y)
    return out


if __name__ == "__main__":
    import sys

    import numpy as np

    found = np.zeros((2, 4), np.int32)
    hl.Pipeline(pipeline(*sys.argv[1:])).compile_to_callable([])(hl.Buffer(found))
    print(found)
