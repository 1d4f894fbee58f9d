//! Loads of vectors that do not begin at multiples of their length.

use halidom_ir::{
    BinaryOp, BufferDecl, BufferKind, Constant, Dim, LoopKind, Pool, Program, Scalar, Stmt,
};

use super::common::{Builder, arguments, array, kernel, number};
use crate::{Target, Toolchain, emit};
use halidom_prelude::helpers::{Helper, definition};
use halidom_prelude::operators::VectorOp;
use halidom_readback::check;

/// `rows` is a copy of the input, and `output(i·lanes … i·lanes + lanes - 1) = rows(i·step + first
/// …)` for four `i`, in a loop of this kind.
#[derive(Clone, Copy, Debug)]
struct Case {
    scalar: Scalar,
    lanes: u32,
    first: i128,
    step: i128,
    /// The number of elements that `rows` has room for.
    room: i128,
    marked: bool,
    kind: LoopKind,
    /// True if each iteration also writes the elements that it reads.
    writes: bool,
    /// True if the room is a multiple that depends on the output's size.
    grows: bool,
}

const PLAIN: Case = Case {
    scalar: Scalar::F32,
    lanes: 8,
    first: 3,
    step: 8,
    room: 40,
    marked: true,
    kind: LoopKind::Serial,
    writes: false,
    grows: false,
};

fn beside(case: Case) -> (Pool, Program) {
    let Case { scalar, lanes, first, step, room, marked, kind, writes, grows } = case;
    let mut b = Builder::new();
    let input = b.input("input", scalar, 1);
    let output = b.output("output", scalar, 1);
    let [zero, one, four, all, first, step, wide] =
        [0, 1, 4, room, first, step, lanes.into()].map(|value| b.pool.int(value));
    let (size, size_value) = b.int_var("size");
    let extent = if grows { size_value } else { all };
    let rows = b.buffer("rows", scalar, BufferKind::Internal, vec![Dim::new(zero, extent, one)]);
    let rows = {
        let decl = b.pool.buffer(rows).clone();
        b.pool.declare_buffer(BufferDecl { realigned: marked, ..decl })
    };
    let (x, x_value) = b.int_var("x");
    let given = b.pool.load(input, x_value, None);
    let write = b.store(rows, x_value, given);
    let fill = b.for_loop(x, zero, all, LoopKind::Serial, write);
    let (i, i_value) = b.int_var("i");
    let (place, place_value) = b.int_var("place");
    let distance = b.pool.mul(i_value, step);
    let from = b.pool.add(place_value, first);
    let from = b.ramp(from, 1, lanes);
    let value = b.pool.load(rows, from, None);
    let to = b.pool.mul(i_value, wide);
    let to = b.ramp(to, 1, lanes);
    let mut body = b.store(output, to, value);
    if writes {
        let again = b.store(rows, from, value);
        body = b.block(vec![body, again]);
    }
    let body = b.let_in(place, distance, body);
    let copy = b.for_loop(i, zero, four, kind, body);
    let body = b.block(vec![fill, copy]);
    let mut body = b.pool.stmt(Stmt::Allocate { buffer: rows, body });
    if grows {
        let given = b.pool.buffer(output).dims[0].extent;
        let groups = b.op(BinaryOp::Div, given, wide);
        let groups = b.pool.add(groups, one);
        let value = b.pool.mul(groups, wide);
        body = b.let_in(size, value, body);
    }
    let program = b.program("beside", body);
    (b.pool, program)
}

fn text(case: Case) -> String {
    let (pool, program) = beside(case);
    emit(&pool, &program, &Target::AVX2).unwrap().text
}

#[test]
fn vectors_beside_multiples_of_their_length_are_put_together_from_two() {
    let toolchain = Toolchain::find().unwrap().strict();
    for (scalar, lanes, first, helper) in [
        (Scalar::F32, 8, 3, "load_f32x8_at_3(&rows[place])"),
        (Scalar::F32, 8, 7, "load_f32x8_at_7(&rows[place])"),
        (Scalar::F32, 8, 8, "load_f32x8(&rows[place + 8])"),
        (Scalar::F32, 16, 1, "load_f32x16_at_1(&rows[place])"),
        (Scalar::F32, 4, 5, "load_f32x4_at_1(&rows[place + 4])"),
        (Scalar::F64, 2, 1, "load_f64x2_at_1(&rows[place])"),
        (Scalar::U16, 16, 15, "load_u16x16_at_15(&rows[place])"),
        (Scalar::U8, 32, 2, "load_u8x32_at_2(&rows[place])"),
        (Scalar::I64, 4, 2, "load_i64x4_at_2(&rows[place])"),
        (Scalar::Bool, 16, 1, "load_u8x16_at_1(&rows[place])"),
    ] {
        for grows in [false, true] {
            let step = i128::from(lanes);
            // A growing buffer has room for the four vectors of the output and one more.
            let room = if grows { 5 * step } else { 6 * step };
            let case = Case { scalar, lanes, first, step, room, grows, ..PLAIN };
            if first + 4 * step > case.room {
                continue;
            }
            let emitted = text(case);
            assert!(emitted.contains(helper), "{case:?}: {emitted}");
            let (pool, program) = beside(case);
            let value = number(scalar);
            let inputs = [array(scalar, &[(0, case.room as i64)], &value)];
            let mut outputs =
                [array(scalar, &[(0, 4 * i64::from(lanes))], |_| Constant::zero(scalar))];
            kernel(&pool, &program, &toolchain)
                .run(&arguments(&inputs, &outputs), &mut outputs)
                .unwrap();
            for lane in 0..4 * lanes as usize {
                let expected = Some(value(lane + first as usize));
                assert_eq!(outputs[0].get_element(lane), expected, "{case:?}: {lane}");
            }
        }
    }
}

/// Returns the reason why C with two aligned loads in place of one is refused.
fn refusal(case: Case) -> String {
    let (plain, two) = ("load_f32x8(&rows[place + 3])", "load_f32x8_at_3(&rows[place])");
    let helper = definition(Helper::LoadAt(Scalar::F32, 8, 3));
    let (pool, program) = beside(case);
    let emitted = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert!(emitted.contains(plain) && !emitted.contains(two), "{case:?}: {emitted}");
    let store = definition(Helper::Vector(VectorOp::Store, Scalar::F32, 8));
    let wrong = emitted.replace(plain, two).replace(&store, &[store.clone(), helper].concat());
    check(&pool, &program, &wrong).unwrap_err().what
}

#[test]
fn memory_that_may_not_be_the_buffers_own_is_not_read_along() {
    let outside = "a load of what may lie outside";
    // The last load would read a vector that lies only partly within the memory.
    assert_eq!(refusal(Case { room: 35, ..PLAIN }), outside);
    // The remainder is unknown.
    assert_eq!(refusal(Case { step: 4, ..PLAIN }), outside);
    assert_eq!(refusal(Case { step: 7, ..PLAIN }), outside);
    let shared = Case { kind: LoopKind::PARALLEL, writes: true, ..PLAIN };
    assert_eq!(refusal(shared), "a load of elements that other threads may write");
    // Other threads do not write a buffer that is only read.
    let read = Case { kind: LoopKind::PARALLEL, ..PLAIN };
    assert!(text(read).contains("load_f32x8_at_3(&rows["));
}

#[test]
fn who_does_not_ask_is_not_given_two_loads() {
    let emitted = text(Case { marked: false, ..PLAIN });
    assert!(emitted.contains("load_f32x8(&rows[place + 3])"), "{emitted}");
}

#[test]
fn other_lanes_of_two_vectors_are_refused() {
    let (pool, program) = beside(PLAIN);
    let emitted = text(PLAIN);
    let call = "load_f32x8_at_3(&rows[place])";
    assert!(emitted.contains(call), "{emitted}");
    check(&pool, &program, &emitted).unwrap();
    for (wrong, what) in [
        ("load_f32x8_at_3(&rows[place + 8])", "another value is written"),
        ("load_f32x8_at_3(&rows[place + 1])", "a load of what may lie outside"),
        ("load_f32x8_at_3(&input[place])", "a load of what may lie outside"),
        ("load_f32x8_at_3(&rows[i])", "a load of what may lie outside"),
    ] {
        let mismatch = check(&pool, &program, &emitted.replace(call, wrong)).unwrap_err();
        assert_eq!(mismatch.what, what, "{wrong}");
    }
    // A helper for another lane, and one whose text does not match its name.
    for lane in ["2", "8", "0", "03"] {
        let wrong = emitted.replace("load_f32x8_at_3", &["load_f32x8_at_", lane].concat());
        check(&pool, &program, &wrong).unwrap_err();
    }
    let list = "3, 4, 5, 6, 7, 8, 9, 10";
    assert!(emitted.contains(list), "{emitted}");
    check(&pool, &program, &emitted.replace(list, "3, 4, 5, 6, 7, 8, 9, 11")).unwrap_err();
}
