//! Floats: each width in its own arithmetic, and the notes about those that LLVM assumes away.

use halidom_halide_ir::tree::Scalar;

use crate::common::World;

fn single(values: &[f32]) -> World {
    let a = values.iter().map(|value| u64::from(value.to_bits())).collect();
    World { scalar: Scalar::Float(32), a, ..World::default() }
}

fn value(world: &World, text: &str) -> (f32, bool, bool) {
    let (out, notes) = world.out(&format!("out[0] = {text}"));
    (f32::from_bits(out[0] as u32), notes.unusual_floats, notes.approximate)
}

#[test]
fn widths_round_by_themselves() {
    let world = single(&[16_777_216.0, 1.0]);
    assert_eq!(value(&world, "a[0] + a[1]"), (16_777_216.0, false, false));
    assert_eq!(
        value(&world, "float32(float64(a[0]) + float64(a[1]))"),
        (16_777_216.0, false, false)
    );
    assert_eq!(value(&world, "float32((float64(a[0]) + float64(a[1])) - float64(a[0]))").0, 1.0);
    let world = single(&[2048.0, 1.0]);
    assert_eq!(value(&world, "float32(float16(a[0]) + float16(a[1]))").0, 2048.0);
    assert_eq!(value(&world, "float32(bfloat16(a[1]/256.000000f) + bfloat16(a[1]))").0, 1.0);
}

#[test]
fn unusual_floats_are_said() {
    let world = single(&[0.0, 1.0, f32::NAN]);
    assert_eq!(value(&world, "select((a[1]/a[0]) > 1.000000f, 2.000000f, 3.000000f)").0, 2.0);
    assert!(value(&world, "select((a[1]/a[0]) > 1.000000f, 2.000000f, 3.000000f)").1);
    assert!(value(&world, "a[0]*-1.000000f").1);
    assert!(!value(&world, "a[0]*1.000000f").1);
    // Comparisons with a NaN are false, inequality included.
    assert_eq!(value(&world, "select(a[2] != a[2], 2.000000f, 3.000000f)").0, 3.0);
    assert_eq!(value(&world, "select(is_nan_f32(a[2]), 2.000000f, 3.000000f)").0, 2.0);
    assert_eq!(value(&world, "min(a[2], 5.000000f)").0, 5.0);
}

#[test]
fn functions_are_exact_or_said_not_to_be() {
    let world = single(&[2.5, -2.5, 3.5]);
    assert_eq!(value(&world, "floor_f32(a[1])"), (-3.0, false, false));
    assert_eq!(value(&world, "round(a[0])").0, 2.0);
    assert_eq!(value(&world, "round(a[2])").0, 4.0);
    assert!(!value(&world, "sqrt_f32(a[0])").2);
    assert!(value(&world, "exp_f32(a[0])").2);
}

#[test]
fn strict_operators_are_taken_as_they_are() {
    let world = single(&[0.0, 1.0]);
    assert_eq!(value(&world, "strict_add(a[0], a[1])").0, 1.0);
    assert_eq!(value(&world, "select(strict_lt(a[0], a[1]), 1.000000f, 2.000000f)").0, 1.0);
}

#[test]
fn the_greatest_float_on_the_way_is_said() {
    let world = single(&[4_294_967_296.0, 4_294_967_040.0, f32::INFINITY, 1.0]);
    let greatest = |text: &str| world.out(&format!("out[0] = {text}")).1.greatest;
    assert_eq!(greatest("(a[0] - a[1]) - 1.250000f"), 4_294_967_296.0);
    assert_eq!(greatest("a[3] + a[3]"), 2.0);
    // An infinity is noted as such.
    assert_eq!(greatest("select(a[2] > a[3], a[3], a[3])"), 1.0);
}
