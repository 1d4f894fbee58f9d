"""Shows that Halide 21.0.0 returns values of an earlier run for a memoized func.

The cache's key holds parameters of two widths, and one overwrites the other.
"""

import halide as hl

x = hl.Var("x")
small = hl.Param(hl.UInt(8), "small", 1)
large = hl.Param(hl.Int(32), "large", 10)
kept, out = hl.Func("kept"), hl.Func("out")
kept[x] = hl.i32(small) * 1000 + large
out[x] = kept[x]
kept.compute_root().memoize()
for number in (1, 2, 3):
    small.set(number)
    found = out.realize([1])[0]
    wanted = number * 1000 + 10
    print(f"small = {number}: {found}", "" if found == wanted else f"instead of {wanted}")
