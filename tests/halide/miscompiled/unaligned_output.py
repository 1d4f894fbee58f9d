"""An update that reads its own output in vectors. Halide 21.0.0 loads them by instructions that
fault unless the output begins at a multiple of 32 bytes, and it does not check where it begins."""

import halide as hl


def pipeline():
    x = hl.Var("x")
    out = hl.Func("out")
    out[x] = x
    out[x] = hl.select(out[x] > 5, out[x], out[x] * out[x])
    out.update().vectorize(x, 8)
    return out


if __name__ == "__main__":
    import sys

    import numpy as np

    # With an argument the output begins 4 bytes after such a place.
    memory = np.zeros(64, np.int32)
    first = -(memory.ctypes.data // 4) % 16 + (len(sys.argv) > 1)
    found = memory[first : first + 16]
    made = hl.Pipeline(pipeline())
    made.compile_to_callable([])(hl.Buffer(found))
    print(found)
