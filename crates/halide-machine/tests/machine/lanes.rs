//! Vectors: all loads come before all stores, lanes are in order, and predicates are taken
//! literally.

use halidom_halide_machine::{FaultKind, Mode};

use crate::common::{World, fault, out, refused, twins};

#[test]
fn loads_come_before_stores() {
    // The values shift by one, and no copy is copied again.
    assert_eq!(
        out("out[ramp(0, 1, 4)] = ramp(1, 1, 4)\nout[ramp(1, 1, 3)] = out[ramp(0, 1, 3)]")[..4],
        [1, 1, 2, 3]
    );
}

#[test]
fn lanes_are_stored_in_order() {
    assert_eq!(out("out[ramp(0, 0, 4)] = ramp(5, 1, 4)")[0], 8);
    assert_eq!(out("out[x4(2)] = ramp(5, 1, 4)")[2], 8);
}

#[test]
fn a_vector_adds_once_and_an_atomic_one_for_each_lane() {
    let add = "out[ramp(0, 0, 4)] = out[ramp(0, 0, 4)] + x4(1)";
    assert_eq!(out(&format!("out[0] = 0\n{add}"))[0], 1);
    assert_eq!(out(&format!("out[0] = 0\natomic (out) {{\n  {add}\n}}"))[0], 4);
}

#[test]
fn predicates_are_taken_as_they_stand() {
    // The load has the same predicate as the store, or it has no predicate and reads in all lanes.
    let load = "a[ramp(14, 1, 4)] if (ramp(0, 1, 4) < x4(2))";
    let store = "predicate (ramp(0, 1, 4) < x4(2))\n out[ramp(0, 1, 4)] = ";
    let right = format!("{store}{load}");
    let wrong = format!("{store}a[ramp(14, 1, 4)]");
    assert_eq!(out(&right)[..2], [14, 15]);
    assert_eq!(fault(&wrong), FaultKind::OutOfBounds);
    twins(
        "predicate (ramp(0, 1, 4) < x4(2))\n out[ramp(14, 1, 4)] = x4(1)",
        "predicate (ramp(0, 1, 4) < x4(3))\n out[ramp(14, 1, 4)] = x4(1)",
        FaultKind::OutOfBounds,
    );
    // The lanes that a dense load leaves out are poison.
    assert_eq!(
        fault("out[ramp(0, 1, 4)] = a[ramp(14, 1, 4)] if (ramp(0, 1, 4) < x4(2))"),
        FaultKind::Poison
    );
}

#[test]
fn what_is_shown_is_read_and_changes_nothing() {
    let shown = |index| {
        format!("out[0] = return_second(halide_print(stringify(\"at \", a[{index}], \"\\n\")), 7)")
    };
    assert_eq!(out(&shown(3))[0], 7);
    assert_eq!(fault(&shown(99)), FaultKind::OutOfBounds);
    let traced = |index| {
        format!(
            "let id = halide_trace_helper(\"f\", make_struct(), make_struct(0), 3, 0, id0, \"\")\n\
             halide_trace_helper(\"f\", make_struct(a[{index}]), make_struct(1), 3, 0, id, \"\")\n\
             out[0] = 5"
        )
        .replace("id0", "0")
    };
    assert_eq!(out(&traced(3))[0], 5);
    assert_eq!(fault(&traced(99)), FaultKind::OutOfBounds);
}

#[test]
fn if_then_else_evaluates_what_it_chooses() {
    assert_eq!(out("out[0] = if_then_else(n == 4, 3, a[99])")[0], 3);
    assert_eq!(fault("out[0] = select(n == 4, 3, a[99])"), FaultKind::OutOfBounds);
    assert_eq!(
        out("out[ramp(0, 1, 4)] = if_then_else(ramp(0, 1, 4) < x4(2), a[ramp(14, 1, 4)], x4(7))")
            [..4],
        [14, 15, 7, 7]
    );
    assert_eq!(
        fault("out[ramp(0, 1, 4)] = if_then_else(ramp(0, 1, 4) < x4(3), a[ramp(14, 1, 4)], x4(7))"),
        FaultKind::OutOfBounds
    );
}

#[test]
fn lanes_are_shuffled() {
    let cases = [
        ("interleave_vectors(ramp(0, 1, 2), ramp(10, 1, 2))", [0, 10, 1, 11]),
        ("concat_vectors(ramp(0, 1, 2), ramp(10, 1, 2))", [0, 1, 10, 11]),
        ("slice_vectors(ramp(0, 1, 16), 1, 3, 4)", [1, 4, 7, 10]),
        ("shuffle(ramp(0, 1, 4), 3, 2, 1, 0)", [3, 2, 1, 0]),
        ("(int32x4)vector_reduce_add(ramp(0, 1, 8))", [1, 5, 9, 13]),
        ("(int32x4)vector_reduce_max(ramp(7, -1, 8))", [7, 5, 3, 1]),
        ("x4(extract_element(ramp(0, 2, 4), 3))", [6, 6, 6, 6]),
        ("reinterpret<int32x4>(interleave_vectors(x4((int16)1), x4((int16)2)))", [131_073; 4]),
    ];
    for (text, expected) in cases {
        assert_eq!(out(&format!("out[ramp(0, 1, 4)] = {text}"))[..4], expected, "{text}");
    }
}

#[test]
fn steps_of_ramps_go_back_too() {
    assert_eq!(out("out[ramp(0, 1, 4)] = a[ramp(7, -2, 4)]")[..4], [7, 5, 3, 1]);
    assert_eq!(out("out[ramp(0, 1, 4)] = a[ramp(3, -1, 4)]")[..4], [3, 2, 1, 0]);
    twins(
        "out[ramp(0, 1, 4)] = a[ramp(3, -1, 4)]",
        "out[ramp(0, 1, 4)] = a[ramp(2, -1, 4)]",
        FaultKind::OutOfBounds,
    );
}

#[test]
fn lanes_of_loops_are_of_earlier_passes() {
    let text = "vectorized (x, 0, 4) {\n out[x] = x\n}";
    assert!(refused(text).contains("vectorized"), "{}", refused(text));
    let world = World { mode: Mode::Earlier, ..World::default() };
    assert_eq!(world.out(text).0[..4], [0, 1, 2, 3]);
}
