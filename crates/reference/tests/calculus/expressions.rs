//! Tests the typing rules of TV Fig. 2, under the rules' names: expressions of type 𝔸, of type 𝔹 or
//! of a value type, and expressions that are ill-typed or have another meaning.

use super::common::{COPY, FRESH, open, proved};
use halidom_reference::Premise;

/// A loop that stores `out` at an index computed from `z` in `0..w.extent`.
fn at(index: &str) -> String {
    format!("for z in [0, w.extent] {{ let y: int = {index}; {FRESH} }}")
}

/// A loop with too wide a range that stores `out` where a condition holds.
fn guarded(condition: &str) -> String {
    format!("for y in [w.min - 5, w.extent + 10] {{ if {condition} {{ {FRESH} }} }}")
}

/// A loop that stores the given value to `out`.
fn stored(value: &str) -> String {
    let read = |shift: &str| format!("a.buffer[(y{shift} - a.min) * a.stride @ a(y{shift})]");
    let value = value.replace("NEXT", &read(" + 1")).replace("FAR", &read(" + 4"));
    let value = value.replace("HERE", &read(""));
    format!(
        "for y in [w.min, w.extent] {{ out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = \
            {value}; }}"
    )
}

#[test]
fn t_var_t_int_t_add() {
    proved(COPY, &at("z + w.min"));
    proved(COPY, &at("w.min + 3 + (z - 3)"));
    open(COPY, &at("z + w.min + 3"), Premise::Bounds, "outside");
}

#[test]
fn t_mul() {
    proved(COPY, &at("2 * z - z + w.min"));
    proved(COPY, &at("z * (w.min + 1) - z * w.min + w.min"));
    open(COPY, &at("2 * z + w.min"), Premise::Bounds, "outside");
    open(COPY, &at("z * w.min"), Premise::Form, "product of variables");
}

#[test]
fn t_div_t_mod() {
    proved(COPY, &at("z / 2 * 2 + z % 2 + w.min"));
    open(COPY, &at("z / 2 + w.min"), Premise::Output, "not written");
    open(COPY, &at("z % 2 + w.min"), Premise::Output, "not written");
    open(COPY, &at("z / w.extent + w.min"), Premise::Form, "not quasi-affine");
}

#[test]
fn t_cmp_t_and_t_not() {
    proved(COPY, &guarded("w.min <= y & y < w.min + w.extent"));
    proved(COPY, &guarded("!(y < w.min | w.min + w.extent <= y)"));
    proved(COPY, &guarded("y >= w.min & (y != w.min + w.extent & y <= w.min + w.extent)"));
    open(COPY, &guarded("w.min < y & y < w.min + w.extent"), Premise::Output, "not written");
    open(COPY, &guarded("w.min <= y & y <= w.min + w.extent"), Premise::Bounds, "outside");
}

#[test]
fn t_select() {
    let out = "stage(v) = select(v < 3, a(v), a(v + 1));";
    proved(out, &stored("select(y < 3, HERE, NEXT)"));
    proved(out, &stored("select(2 < y, NEXT, HERE)"));
    open(out, &stored("select(y < 4, HERE, NEXT)"), Premise::Constraint, "prophesied");
    // An arm is read only where it is chosen.
    let out = "stage(v) = select(v + 4 < a.min + a.extent, a(v + 4), 0i32);";
    proved(out, &stored("select(y + 4 < a.min + a.extent, FAR, 0i32)"));
    open(
        out,
        &stored("select(y + 3 < a.min + a.extent, FAR, 0i32)"),
        Premise::Defined,
        "not written",
    );
}

#[test]
fn t_call() {
    proved("stage(v) = abs(a(v));", &stored("abs(HERE)"));
    open("stage(v) = abs(a(v));", &stored("HERE"), Premise::Constraint, "prophesied");
    // Floats follow IEEE 754: sums commute but do not associate.
    let out = "stage(v) = i32(f32(a(v)) + f32(a(v + 1)) + 0.5f32);";
    proved(out, &stored("i32(f32(NEXT) + f32(HERE) + 0.5f32)"));
    let other = stored("i32(f32(HERE) + (f32(NEXT) + 0.5f32))");
    open(out, &other, Premise::Constraint, "prophesied");
}

#[test]
fn t_tensor() {
    // A func without an array is unfolded; accesses match by their coordinates.
    let out = "stage(v) = f(v + 1) * f(v);";
    proved(out, &stored("(HERE + 1i32) * (1i32 + NEXT)"));
    open(out, &stored("(HERE + 1i32) * (1i32 + HERE)"), Premise::Constraint, "prophesied");
}
