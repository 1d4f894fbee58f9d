//! Scripts of stock Halide at the edges of types and machines: numbers of 64 bits, saturation,
//! atomic updates, components of an output, and assertions that fail without an error. Each wrong
//! statement has a right twin. No wrong one is proved; the right ones are.

use crate::edited::{Edited, judge_edited};

const COPY: &str = "out[x] = a[x]";
const BYTES: &str = "out[x] = hl.saturating_cast(hl.UInt(8), d[x])";
const WORDS: &str = "out[x] = hl.saturating_cast(hl.Int(32), hl.f32(d[x]))";
const PAIR: &str = "out[x] = (a[x], a[x] + hl.u8(1))";

const CASES: &[Edited] = &[
    // The compiler moves numbers across comparisons, which may overflow.
    ("out[x] = hl.select(p < q, 1, 2) + x", &[], true),
    ("out[x] = hl.select(p + 5 < q - 3, 1, 2) + x", &[], false),
    // A product of 64 bits, computed with 32.
    ("out[x] = hl.i64(m)*hl.i64(n) + hl.i64(x)", &[], true),
    ("out[x] = hl.i64(m)*hl.i64(n) + hl.i64(x)", &[("int64(m)*int64(n)", "int64(m*n)")], false),
    // Atomic updates that are more than one step.
    ("out[x] = hl.u8(1)\n    out[0] += a[r]\n    out.update().atomic().parallel(r)", &[], true),
    ("out[x] = hl.u8(1)\n    out[0] *= a[r]\n    out.update().atomic().parallel(r)", &[], false),
    // Saturation of floats.
    (BYTES, &[], true),
    (BYTES, &[("(uint8)saturating_cast(", "uint8(")], false),
    (WORDS, &[], true),
    (WORDS, &[("= saturating_cast(", "= int32(")], false),
    ("out[x] = hl.cast(hl.Float(16), hl.f32(a[x]))", &[], true),
    ("out[x] = hl.cast(hl.Float(16), d[x])", &[], false),
    // An assertion that returns success where it fails.
    (COPY, &[("halide_error_host_is_null(\"Input buffer a\")", "0")], false),
    // Components of an output that are not shown to be alike.
    (PAIR, &[], true),
    (PAIR, &[("assert(out.1.stride.0 == 1", "assert(out.1.stride.0 == out.1.stride.0")], false),
    (PAIR, &[("assert(out.1.min.0 == out.0.min.0", "assert(out.1.min.0 == out.1.min.0")], false),
    // Memory beyond a stack.
    (
        "f[x] = a[x]\n    out[x] = f[x]\n    f.compute_root().bound(x, 0, 4096)\n    \
        out.bound(x, 0, 4096)\n    f.store_in(hl.MemoryType.Register)",
        &[],
        true,
    ),
    (
        "f[x] = a[x]\n    out[x] = f[x]\n    f.compute_root().bound(x, 0, 4096000)\n    \
        out.bound(x, 0, 4096000)\n    f.store_in(hl.MemoryType.Register)",
        &[],
        false,
    ),
];

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, r = hl.Var('x'), hl.RDom([(0, 64)], 'r').x
    a, d = hl.ImageParam(hl.UInt(8), 1, 'a'), hl.ImageParam(hl.Float(64), 1, 'd')
    p, q = hl.Param(hl.Int(64), 'p'), hl.Param(hl.Int(64), 'q')
    m, n = hl.Param(hl.Int(32), 'm'), hl.Param(hl.Int(32), 'n')
    f, out = hl.Func('f'), hl.Func('out')
    {lines}
    return out
";

#[test]
fn edges_of_types_are_not_overlooked() {
    if !judge_edited(SCRIPT, CASES) {
        println!("skipped: there is no Python with Halide");
    }
}
