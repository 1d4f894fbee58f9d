//! Clamps of floats that Halide leaves out, because a float of `u8`s lies within them.
//!
//! The test needs the project's Python with Halide; without it, it prints a message and checks
//! nothing.

use crate::edited::{Edited, judge_edited};

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, y = hl.Var('x'), hl.Var('y')
    a = hl.ImageParam(hl.UInt(8), 3, 'a')
    s = hl.ImageParam(hl.Int(8), 3, 's')
    out = hl.Func('out')

    def grey(p, red, green, blue):
        weights = [hl.f32(weight) for weight in (red, green, blue)]
        return weights[0] * p[x, y, 0] + weights[1] * p[x, y, 1] + weights[2] * p[x, y, 2]

    def clamped(value, low, high):
        return hl.cast(hl.UInt(8), hl.clamp(value, low, high))

    out[x, y] = {lines}
    return out
";

const GREY: &str = "clamped(grey(a, 0.299, 0.587, 0.114), 0, 255)";
/// The greatest sum is 255.00002, which Halide clamps.
const MORE: &str = "clamped(grey(a, 0.299, 0.587, 0.1140001), 0, 255)";
/// The greatest sum is above 256.
const MUCH: &str = "clamped(grey(a, 0.299, 0.587, 0.119), 0, 255)";
const LESS_HIGH: &str = "clamped(grey(a, 0.299, 0.587, 0.114), 0, 254)";
const LESS_LOW: &str = "clamped(grey(a, 0.299, 0.587, 0.114), 1, 255)";
const SIGNED: &str = "hl.cast(hl.Int(8), hl.clamp(grey(s, 0.299, 0.587, 0.114), -128, 127))";
const POSITIVE: &str = "clamped(grey(s, 0.299, 0.587, 0.114), 0, 255)";
const SHIFTED: &str = "clamped(grey(a, 0.299, 0.587, 0.114) + 0.0, -0.0, 300)";

const CASES: [Edited; 14] = [
    (GREY, &[], true),
    (GREY, &[("0.587000f", "0.588000f")], false),
    (MORE, &[], true),
    // As an integer, 255.00002 is 255.
    (MORE, &[("255.000000f", "256.000000f")], true),
    (MUCH, &[], true),
    (MUCH, &[("255.000000f", "256.000000f")], false),
    (LESS_HIGH, &[], true),
    (LESS_HIGH, &[("254.000000f", "255.000000f")], false),
    (LESS_LOW, &[], true),
    (LESS_LOW, &[("1.000000f", "0.000000f")], false),
    (SIGNED, &[], true),
    (POSITIVE, &[], true),
    (POSITIVE, &[("0.000000f", "-1.000000f")], false),
    (SHIFTED, &[], true),
];

#[test]
fn clamps_are_left_out_only_where_they_change_nothing() {
    if !judge_edited(SCRIPT, &CASES) {
        eprintln!("skipped: there is no .venv with Halide");
    }
}
