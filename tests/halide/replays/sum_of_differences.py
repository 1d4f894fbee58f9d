"""Shows that the code of Halide 21.0.0 for x86 loses a part of a sum of absolute differences.

The statement is right. The code generator makes one instruction of the sum of eight differences of
bytes, and drops what the statement adds to it: each output is the sum of the last eight alone.
"""

import halide as hl


def pipeline():
    x, ro, ri = hl.Var("x"), hl.RVar("ro"), hl.RVar("ri")
    a, b = hl.ImageParam(hl.UInt(8), 1, "a"), hl.ImageParam(hl.UInt(8), 1, "b")
    r = hl.RDom([(0, 16)], "r")
    out = hl.Func("out")
    out[x] = hl.i32(0)
    out[x] += hl.i32(hl.absd(a[r], b[x + r]))
    out.update().split(r, ro, ri, 8).atomic().vectorize(ri)
    return out, a, b


if __name__ == "__main__":
    out, a, b = pipeline()
    left, right = hl.Buffer(hl.UInt(8), [16]), hl.Buffer(hl.UInt(8), [32])
    for i in range(16):
        left[i] = 3 * i
    for i in range(32):
        right[i] = i
    a.set(left)
    b.set(right)
    found = out.realize([4])
    for x in range(4):
        wanted = sum(abs(left[i] - right[x + i]) for i in range(16))
        print(f"out[{x}]: {found[x]}", "" if found[x] == wanted else f"instead of {wanted}")
