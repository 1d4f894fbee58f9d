//! Memory: lifetimes, sizes, conditions, contents, types.

use halidom_halide_machine::{FaultKind, Outcome};

use crate::common::{World, fault, out, refused, twins};

#[test]
fn memory_is_used_before_its_free() {
    twins(
        "allocate b[int32 * n]\nb[0] = 5\nout[0] = b[0]\nfree b",
        "allocate b[int32 * n]\nb[0] = 5\nfree b\nout[0] = b[0]",
        FaultKind::UseAfterFree,
    );
}

#[test]
fn memory_is_freed_once() {
    twins(
        "allocate b[int32 * n]\nb[0] = 5\nfree b",
        "allocate b[int32 * n]\nb[0] = 5\nfree b\nfree b",
        FaultKind::DoubleFree,
    );
    twins(
        "for (i, 0, 2) {\n allocate b[int32 * n]\n b[0] = 5\n free b\n}",
        "allocate b[int32 * n]\nfor (i, 0, 2) {\n b[0] = 5\n free b\n}",
        FaultKind::UseAfterFree,
    );
    // Memory that no statement frees is freed at the end of its scope.
    assert_eq!(out("allocate b[int32 * n]\nb[0] = 5\nout[0] = b[0]")[0], 5);
}

#[test]
fn sizes_are_exact() {
    twins(
        "allocate b[int32 * n]\nb[3] = 5\nout[0] = b[3]",
        "allocate b[int32 * n]\nb[4] = 5\nout[0] = b[4]",
        FaultKind::OutOfBounds,
    );
    twins("out[15] = 1", "out[16] = 1", FaultKind::OutOfBounds);
    twins("out[0] = a[0]", "out[0] = a[-1]", FaultKind::OutOfBounds);
    // Padding is memory too.
    assert_eq!(out("allocate b[int32 * (n + 2)]\nb[5] = 5\nout[0] = b[5]")[0], 5);
    // A negative extent gives no memory.
    assert_eq!(fault("allocate b[int32 * (0 - n)]\nb[0] = 5"), FaultKind::OutOfBounds);
}

#[test]
fn an_index_is_computed_in_64_bits() {
    // At the top of an index the product does not overflow, and lies far outside.
    assert_eq!(fault("out[n*1000000000] = 1"), FaultKind::OutOfBounds);
    // In a name before the index, it does overflow.
    assert_eq!(fault("let t = n*1000000000\nout[t] = 1"), FaultKind::Poison);
    assert_eq!(out("out[(n*1000000000) - (n*1000000000)] = 1")[0], 1);
    assert_eq!(fault("let t = (n*1000000000) - (n*1000000000)\nout[t] = 1"), FaultKind::Poison);
}

#[test]
fn a_false_condition_gives_no_bytes_and_the_body_runs() {
    twins(
        "allocate b[int32 * n] if (n == 4)\nb[0] = 5\nout[0] = b[0]",
        "allocate b[int32 * n] if (n == 5)\nb[0] = 5\nout[0] = b[0]",
        FaultKind::OutOfBounds,
    );
    assert_eq!(out("allocate b[int32 * n] if (n == 5)\nout[0] = 1")[0], 1);
    // Memory of constant size is on the stack, where the condition does not matter.
    assert_eq!(out("allocate b[int32 * 4] if (n == 5)\nb[0] = 5\nout[0] = b[0]")[0], 5);
    assert_eq!(
        fault("allocate b[int32 * 4] in Heap if (n == 5)\nb[0] = 5"),
        FaultKind::OutOfBounds
    );
    // Large memory is not on the stack.
    assert_eq!(fault("allocate b[int32 * 5000] if (n == 5)\nb[0] = 5"), FaultKind::OutOfBounds);
}

#[test]
fn too_much_memory_ends_the_run() {
    assert_eq!(fault("allocate b[int32 * (n*536870912)]\nout[0] = 1"), FaultKind::Poison);
    let outcome = World::default().run("allocate b[int32 * (n*100000000) * 10]\nout[0] = 1");
    let Outcome::Ended { error, words: _ } = &outcome else { panic!("{outcome:?}") };
    assert_eq!(error, "halide_error_buffer_allocation_too_large");
}

#[test]
fn contents_are_undefined_at_first() {
    twins(
        "allocate b[int32 * n]\nb[0] = 5\nout[0] = b[0]",
        "allocate b[int32 * n]\nb[1] = 5\nout[0] = b[0]",
        FaultKind::Poison,
    );
    // Definedness is per byte: an element is defined if all of its bytes are.
    twins(
        "allocate b[uint8 * n]\nb[ramp(0, 1, 4)] = x4((uint8)1)\nout[0] = int32(b[3])",
        "allocate b[uint8 * n]\nb[ramp(0, 1, 2)] = x2((uint8)1)\nout[0] = int32(b[3])",
        FaultKind::Poison,
    );
    // A value that depends on undefined memory does no harm if it is not used.
    assert_eq!(out("allocate b[int32 * n]\nlet t = b[0] + 1\nout[0] = 3")[0], 3);
    assert_eq!(out("allocate b[int32 * n]\nout[0] = select(n == 4, 3, b[0])")[0], 3);
    assert_eq!(fault("allocate b[int32 * n]\nout[0] = select(n == 5, 3, b[0])"), FaultKind::Poison);
}

#[test]
fn pointers_are_no_numbers() {
    assert_eq!(
        out("assert(a != reinterpret<(void *)>((uint64)0), \
                halide_error_host_is_null(\"a\"))\nout[0] = 1")[0],
        1
    );
    assert_eq!(refused("out[0] = int32(reinterpret<uint64>(a))"), "a pointer as a number");
    assert_eq!(
        out("assert((reinterpret<uint64>(a) % (uint64)64) == (uint64)0, \
                halide_error_unaligned_host_ptr(\"a\", 64))\nout[0] = 1")[0],
        1
    );
    // A pointer that is bound again points to the same memory.
    let text = "let b = (void *)_halide_buffer_get_host((struct halide_buffer_t \
        *)out.buffer)\nout[0] = 3\nout[1] = b[0]";
    assert_eq!(out(text)[1], 3);
}

#[test]
fn alignments_are_owed() {
    twins(
        "out[ramp(n, 1, 4) aligned(4, 0)] = x4(1)",
        "out[ramp(n + 1, 1, 4) aligned(4, 0)] = x4(1)",
        FaultKind::Misaligned,
    );
    twins(
        "out[0] = a[(n + 3) aligned(8, 7)]".replace("(n + 3) aligned", "n + 3 aligned").as_str(),
        "out[0] = a[n + 2 aligned(8, 7)]",
        FaultKind::Misaligned,
    );
}

#[test]
fn two_things_have_two_names() {
    assert_eq!(
        refused("allocate b[int32 * n]\nallocate b[int32 * n]\nb[0] = 1"),
        "two things of the name `b`"
    );
    assert_eq!(refused("free a"), "`free` of `a`, which is not allocated");
}
