//! Sizes of memory that a statement of stock Halide computes: what they are in its own arithmetic,
//! and not what they would be without overflow, is the room for elements. And pipelines whose
//! values are no numbers, which prove nothing.
//!
//! The tests need the project's Python with Halide; without it, they print a message and check
//! nothing.

use crate::edited::{Edited, judge_edited};

const TABLE: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a, p = hl.ImageParam(hl.UInt(8), 1, 'a'), hl.Param(hl.Int(32), 'p')
    g, out = hl.Func('g'), hl.Func('out')
    g[x] = hl.u8(x) * hl.u8(x)
    g.compute_root()
    out[x] = g[hl.i32(a[x])] {lines}
    return out
";

const SIZE: &str = "allocate g[uint8 * 256]";

const SIZES: [Edited; 8] = [
    ("", &[], true),
    ("", &[(SIZE, "allocate g[uint8 * 255]")], false),
    ("", &[(SIZE, "allocate g[uint8 * ((out.extent.0 - out.extent.0) + 256)]")], true),
    // Each of these is 256 without overflow.
    (
        "",
        &[(SIZE, "allocate g[uint8 * ((((out.extent.0*65536)/65536) - out.extent.0) + 256)]")],
        false,
    ),
    (
        "",
        &[(
            SIZE,
            "allocate g[uint8 * (((out.extent.0 + 2147483647) - out.extent.0) + -2147483391)]",
        )],
        false,
    ),
    ("+ hl.u8(p)", &[(SIZE, "allocate g[uint8 * ((((p*65536)/65536) - p) + 256)]")], false),
    (
        "",
        &[(
            SIZE,
            "allocate g[uint8 * int32(((int64(out.extent.0) % (int64)1) + (int64)4294967552))]",
        )],
        true,
    ),
    (
        "",
        &[(
            SIZE,
            "allocate g[uint8 * int32(((int64(out.extent.0) % (int64)1) + (int64)4294967297))]",
        )],
        false,
    ),
];

const PLANE: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    y = hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 1, 'a')
    g, out = hl.Func('g'), hl.Func('out')
    g[x, y] = hl.u8(x) * hl.u8(y)
    g.compute_root()
    out[x] = g[hl.i32(a[x]) % 16, hl.i32(a[x]) % 6] {lines}
    return out
";

const PRODUCT: &str = "allocate g[uint8 * 96]";

const PRODUCTS: [Edited; 12] = [
    ("", &[], true),
    ("", &[(PRODUCT, "allocate g[uint8 * 16 * 6]")], true),
    ("", &[(PRODUCT, "allocate g[uint8 * (48*2)]")], true),
    ("", &[(PRODUCT, "allocate g[uint8 * (19*5)]")], false),
    ("", &[(PRODUCT, "allocate g[uint8 * (65536*65536)]")], false),
    ("", &[(PRODUCT, "allocate g[uint8 * ((65536*65536)/65536)]")], false),
    ("", &[("% 6)*16)", "% 6)*((1048576*65536)/4294967296))")], false),
    ("", &[("% 6)*16)", "% 6)*((16777216*64)/67108864))")], true),
    // A sum that wraps, and wraps back.
    ("", &[("% 6)*16)", "% 6)*(((2147483647 + 17) - 2147483647) - 1))")], true),
    ("", &[("% 6)*16)", "% 6)*select((2147483647 + 1) < 0, 1, 16))")], false),
    ("", &[("% 6)*16)", "% 6)*min(2147483647*2, 16))")], false),
    ("", &[("% 6)*16)", "% 6)*(int32((int64)2147483648) + 16))")], false),
];

const FLOATS: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a, b = hl.ImageParam(hl.UInt(8), 1, 'a'), hl.ImageParam(hl.UInt(8), 1, 'b')
    out = hl.Func('out')
    out[x] = {lines}
    return out
";

const NUMBERS: [Edited; 3] = [
    ("hl.min(hl.f32(a[x]) * hl.f32(b[x]), hl.f32(3.0))", &[("3.000000f", "4.000000f")], false),
    (
        "hl.min(hl.f32(a[x]) * hl.f32(b[x]), hl.f32(float('nan')))",
        &[("float32(a[", "float32(b[")],
        false,
    ),
    (
        "hl.min(hl.f32(3.0), hl.select(hl.i32(a[x]) < hl.i32(b[x]) + 256, hl.f32(float('nan')), \
         hl.f32(b[x])))",
        &[("3.000000f", "4.000000f")],
        false,
    ),
];

#[test]
fn sizes_are_those_that_the_statement_computes() {
    if !judge_edited(TABLE, &SIZES) {
        eprintln!("skipped: there is no .venv with Halide");
    }
}

#[test]
fn products_of_sizes_are_numbers() {
    if !judge_edited(PLANE, &PRODUCTS) {
        eprintln!("skipped: there is no .venv with Halide");
    }
}

#[test]
fn values_that_are_no_numbers_prove_nothing() {
    if !judge_edited(FLOATS, &NUMBERS) {
        eprintln!("skipped: there is no .venv with Halide");
    }
}
