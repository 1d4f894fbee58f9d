//! Poison: its sources, its spread, and its faults.

use halidom_halide_ir::tree::Scalar;
use halidom_halide_machine::{Beyond, FaultKind, Outcome};

use crate::common::{World, fault, out, twins};

#[test]
fn signed_overflow_is_poison_in_32_and_64_bits() {
    twins("out[0] = n + 2147483643", "out[0] = n + 2147483644", FaultKind::Poison);
    twins("out[0] = n*500000000", "out[0] = n*600000000", FaultKind::Poison);
    twins("out[0] = 0 - n", "out[0] = -2147483648 - n", FaultKind::Poison);
    twins(
        "out[0] = int32((int64)9223372036854775803 + int64(n))",
        "out[0] = int32((int64)9223372036854775804 + int64(n))",
        FaultKind::Poison,
    );
    // All other types wrap.
    assert_eq!(out("out[0] = int32(uint8(n)*(uint8)100)")[0], 144);
    assert_eq!(out("out[0] = int32(int16(n)*(int16)10000)")[0], -25536);
    assert_eq!(out("out[0] = int32(uint32(n)*(uint32)2000000000)")[0], -589_934_592);
}

#[test]
fn poison_that_decides_nothing_does_no_harm() {
    assert_eq!(out("let t = n + 2147483647\nout[0] = select(n == 4, 1, t)")[0], 1);
    assert_eq!(fault("let t = n + 2147483647\nout[0] = select(n == 5, 1, t)"), FaultKind::Poison);
    assert_eq!(fault("let t = n + 2147483647\nif (t < 0) {\n out[0] = 1\n}"), FaultKind::Poison);
    assert_eq!(fault("let t = n + 2147483647\nfor (i, 0, t) {\n out[0] = 1\n}"), FaultKind::Poison);
    assert_eq!(fault("let t = n + 2147483647\nout[0] = 5/t"), FaultKind::Poison);
    assert_eq!(fault("let t = n + 2147483647\nout[t] = 5"), FaultKind::Poison);
    assert_eq!(
        fault("let t = n + 2147483647\nallocate b[int32 * t]\nout[0] = 5"),
        FaultKind::Poison
    );
    assert_eq!(
        fault(
            "let t = n + 2147483647\nassert(t < 0, halide_error_bad_dimensions(\"a\", 1, \
                2))\nout[0] = 1"
        ),
        FaultKind::Poison
    );
    // A conjunction does not short-circuit.
    assert_eq!(
        fault("let t = n + 2147483647\nif ((n == 5) && (t < 0)) {\n out[0] = 1\n}"),
        FaultKind::Poison
    );
    // An element that holds poison may be written again.
    assert_eq!(out("let t = n + 2147483647\nout[0] = t\nout[0] = 1")[0], 1);
}

#[test]
fn shifts_stay_below_the_width() {
    twins("out[0] = shift_left(n, 29)", "out[0] = shift_left(n, 32)", FaultKind::Poison);
    twins("out[0] = shift_right(n, n)", "out[0] = shift_right(n, n*8)", FaultKind::Poison);
    // A negative amount of a signed type shifts the other way.
    assert_eq!(out("out[0] = shift_left(n, 0 - 1)")[0], 2);
    assert_eq!(out("out[0] = shift_right(n, 2 - n)")[0], 16);
    assert_eq!(fault("out[0] = int32(shift_left(uint32(n), uint32(n - 5)))"), FaultKind::Poison);
}

#[test]
fn floats_convert_within_the_type() {
    twins(
        "out[0] = int32(float32(n)*500000000.000000f)",
        "out[0] = int32(float32(n)*600000000.000000f)",
        FaultKind::Poison,
    );
    twins(
        "out[0] = int32(uint8(float32(n)*63.750000f))",
        "out[0] = int32(uint8(float32(n)*64.000000f))",
        FaultKind::Poison,
    );
    assert_eq!(out("out[0] = int32(float32(n)*-0.600000f)")[0], -2);
}

#[test]
fn division_is_euclidean_and_by_zero_zero() {
    assert_eq!(out("out[0] = -7/n")[0], -2);
    assert_eq!(out("out[0] = -7 % n")[0], 1);
    assert_eq!(out("out[0] = 7/(0 - n)")[0], -1);
    assert_eq!(out("out[0] = -7 % (0 - n)")[0], 1);
    assert_eq!(out("out[0] = 7/(n - 4)")[0], 0);
    assert_eq!(out("out[0] = 7 % (n - 4)")[0], 0);
    assert_eq!(fault("out[0] = -2147483648/(n - 5)"), FaultKind::Poison);
    assert_eq!(out("out[0] = -2147483648 % (n - 5)")[0], 0);
    twins(
        "out[0] = div_round_to_zero(-7, n)",
        "out[0] = div_round_to_zero(-7, n - 4)",
        FaultKind::Poison,
    );
}

#[test]
fn promises_are_kept() {
    twins(
        "out[unsafe_promise_clamped(n, 0, 4)] = 1",
        "out[unsafe_promise_clamped(n, 0, 3)] = 1",
        FaultKind::BrokenPromise,
    );
}

#[test]
fn assertions_hold_from_where_they_stand() {
    let outcome = World::default()
        .run("out[0] = 1\nassert(n == 5, halide_error_bad_dimensions(\"a\", n, 5))\nout[99] = 1");
    let Outcome::Ended { error, words } = outcome else { panic!("{outcome:?}") };
    assert_eq!((error.as_str(), words.as_str()), ("halide_error_bad_dimensions", "a, 4, 5"));
    let outcome = World::default().run(
        "assert(n == 5, halide_error_requirement_failed(\"n == 5\", stringify(\"n is \", n)))",
    );
    assert!(
        matches!(&outcome, Outcome::Ended { words, .. } if words == "n == 5, n is , 4"),
        "{outcome:?}"
    );
    // An event that an assertion would have refused can happen before the assertion.
    assert_eq!(
        fault("out[n*4] = 1\nassert(n < 4, halide_error_bad_dimensions(\"a\", n, 5))"),
        FaultKind::OutOfBounds
    );
}

#[test]
fn intrinsics_have_their_values() {
    let cases: [(&str, i32); 26] = [
        ("int32(abs(0 - n))", 4),
        ("int32(abs(-2147483648 - (n - 4)))", i32::MIN),
        ("int32(absd(-2147483648, n + 2147483643))", -1),
        ("int32(halving_add((uint8)255, uint8(n) + (uint8)250))", 254),
        ("int32(rounding_halving_add((uint8)255, uint8(n) + (uint8)250))", 255),
        ("int32(halving_sub((int8)-128, int8(n)))", -66),
        ("int32(saturating_add((int8)125, int8(n)))", 127),
        ("int32(saturating_sub((uint8)2, uint8(n)))", 0),
        ("int32((uint8)saturating_cast(n*100))", 255),
        ("int32((int8)saturating_cast(0 - (n*100)))", -128),
        ("int32(widening_add((uint8)255, uint8(n)))", 259),
        ("int32(widening_sub((uint8)0, uint8(n)))", -4),
        ("int32(widening_mul((int8)-128, int8(n)))", -512),
        ("int32(widen_right_add((uint16)65535, uint8(n)))", 3),
        ("int32(rounding_shift_right(int16(n) + (int16)2, (int16)2))", 2),
        ("int32(rounding_shift_left(int16(n), (int16)-3))", 1),
        ("int32(mul_shift_right((int16)16384, int16(n), (uint16)15))", 2),
        ("int32(mul_shift_right((int16)32767, (int16)32767, (uint16)0))", 32767),
        ("int32(rounding_mul_shift_right((int16)16385, int16(n), (uint16)15))", 2),
        ("int32(sorted_avg((uint8)250, uint8(n) + (uint8)250))", 252),
        ("int32(count_leading_zeros(uint8(n)))", 5),
        ("int32(count_trailing_zeros(uint8(n) - (uint8)4))", 8),
        ("int32(popcount(uint16(n) - (uint16)5))", 16),
        ("int32(bitwise_not(uint8(n)))", 251),
        ("int32(lerp((uint8)10, (uint8)20, uint8(n)*(uint8)32))", 15),
        ("mux(n - 2, 10, 11, 12, n + 2147483647)", 12),
    ];
    for (text, expected) in cases {
        assert_eq!(out(&format!("out[0] = {text}"))[0], expected, "{text}");
    }
}

#[test]
fn elements_of_other_types() {
    let world = World { scalar: Scalar::UInt(8), ..World::default() };
    assert_eq!(world.out("out[0] = a[3]*(uint8)100").0[0], 44);
    assert_eq!(world.out("out[3] = uint8(a[1] < a[2])").0[3], 1);
}

/// Exactly the operations that the conditions of a verdict name wrap.
#[test]
fn sums_and_narrow_conversions_wrap_where_that_is_asked_for() {
    let wraps = World { beyond: Beyond::Wraps, ..World::default() };
    let out = |body: &str| wraps.out(body).0[0] as u32 as i32;
    assert_eq!(out("out[0] = n + 2147483647"), i32::MIN + 3);
    assert_eq!(out("out[0] = 0 - (n*1000000000)"), 294_967_296);
    assert_eq!(out("out[0] = int32(uint8(float32(n)*64.500000f))"), 2);
    assert_eq!(out("out[0] = int32(uint8(float32(n)*-0.500000f))"), 254);
    assert_eq!(out("out[0] = int32(int16(float32(n)*10000.000000f))"), -25536);
    for body in [
        "out[0] = int32(float32(n)*600000000.000000f)",
        "out[0] = int32(uint8(((float32(n)*1000000000.000000f)*1000000000.000000f)*100.000000f))",
        "out[0] = -2147483648/(3 - n)",
        "out[0] = shift_left(n, 32)",
        "allocate b[int32 * n]\nout[0] = b[0]",
    ] {
        assert_eq!(wraps.fault(body), FaultKind::Poison, "{body}");
    }
}

/// Memory remembers why a byte has no value.
#[test]
fn faults_say_where_poison_comes_from() {
    for (body, reason) in [
        ("let t = n + 2147483647\nout[0] = t", "a signed overflow"),
        ("allocate b[int32 * n]\nb[0] = n + 2147483647\nout[0] = b[0]", "a signed overflow"),
        ("allocate b[int32 * n]\nout[0] = b[0]", "undefined memory"),
    ] {
        match World::default().run(body) {
            Outcome::Fault(fault) => {
                assert_eq!(fault.words, format!("byte 0 of `out` has no value: {reason}"));
            }
            other => panic!("{other:?}\n{body}"),
        }
    }
}
