"""Shows that Halide 21.0.0 computes too little of a func whose coordinates come from strict floats.

Each operator of a strict float rounds. Bounds inference computes the ends of the needed region from
the same expression with operators that are not strict, so LLVM rounds a product and a sum at once.
Where the two results lie on two sides of an integer, an element is read that was not computed
(halide#8646). Halide's own app `resize` is such a program.
"""

import halide as hl
import numpy as np

scale = hl.Param(hl.Float(32), "scale")
source = hl.ImageParam(hl.Int(32), 1, "source")


def pipeline():
    x, xo, xi = (hl.Var(name) for name in ("x", "xo", "xi"))
    copied, out = hl.Func("copied"), hl.Func("out")
    inverse = hl.strict_float(1.0 / scale)
    at = hl.cast(hl.Int(32), hl.strict_float(hl.ceil((x + 0.5) * inverse - 3.0)))
    copied[x] = source[x]
    out[x] = copied[hl.clamp(at, 0, 999)]
    out.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf)
    copied.compute_at(out, xo)
    return out


if __name__ == "__main__":
    out = pipeline()
    values = np.arange(1000, 2000, dtype=np.int32)
    source.set(hl.Buffer(values))
    wrong = 0
    for numerator in range(3, 300):
        value = np.float32(numerator) / np.float32(30)
        scale.set(float(value))
        coordinates = np.arange(64, dtype=np.float32) + np.float32(0.5)
        places = np.ceil(coordinates * (np.float32(1) / value) - np.float32(3)).astype(int)
        expected = 1000 + np.clip(places, 0, 999)
        got = np.asarray(out.realize([64]))
        for place in np.flatnonzero(got != expected)[:1]:
            wrong += 1
            print(f"scale {value}: element {place} is {got[place]}, should be {expected[place]}")
    print(f"{wrong} of 297 scales give a wrong element")
