//! Loads of vectors that do not begin at multiples of their length.

use halidom_ir::{
    BinaryOp, BufferDecl, BufferKind, Constant, Dim, LoopKind, Pool, Program, Scalar, Stmt,
};
use halidom_lower::load_aligned;
use halidom_readback::check;

use super::common::{Builder, arguments, array, kernel, number};
use crate::{Target, Toolchain, emit};

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

/// The program with loads of aligned vectors.
fn aligned(case: Case) -> (Pool, Program) {
    let (mut pool, program) = beside(case);
    let program = load_aligned(&mut pool, program).unwrap();
    (pool, program)
}

fn text(case: Case) -> String {
    let (pool, program) = aligned(case);
    emit(&pool, &program, &Target::AVX2).unwrap().text
}

#[test]
fn vectors_beside_multiples_of_their_length_are_put_together_from_two() {
    let toolchain = Toolchain::find().unwrap().strict();
    for (scalar, lanes, first, helper) in [
        (
            Scalar::F32,
            8,
            3,
            "__builtin_shufflevector(load_f32x8(&rows[place]), load_f32x8(&rows[place + 8]), 3, ",
        ),
        (
            Scalar::F32,
            8,
            7,
            "__builtin_shufflevector(load_f32x8(&rows[place]), load_f32x8(&rows[place + 8]), 7, ",
        ),
        (Scalar::F32, 8, 8, "load_f32x8(&rows[place + 8])"),
        (
            Scalar::F32,
            16,
            1,
            "__builtin_shufflevector(load_f32x16(&rows[place]), load_f32x16(&rows[place + 16]), \
                1, ",
        ),
        (
            Scalar::F32,
            4,
            5,
            "__builtin_shufflevector(load_f32x4(&rows[place + 4]), load_f32x4(&rows[place + 8]), \
                1, ",
        ),
        (
            Scalar::F64,
            2,
            1,
            "__builtin_shufflevector(load_f64x2(&rows[place]), load_f64x2(&rows[place + 2]), 1, ",
        ),
        (
            Scalar::U16,
            16,
            15,
            "__builtin_shufflevector(load_u16x16(&rows[place]), load_u16x16(&rows[place + 16]), \
                15, ",
        ),
        (
            Scalar::U8,
            32,
            2,
            "__builtin_shufflevector(load_u8x32(&rows[place]), load_u8x32(&rows[place + 32]), 2, ",
        ),
        (
            Scalar::I64,
            4,
            2,
            "__builtin_shufflevector(load_i64x4(&rows[place]), load_i64x4(&rows[place + 4]), 2, ",
        ),
        (Scalar::Bool, 16, 1, "load_u8x16(&rows[place + 16])"),
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
            let (pool, program) = aligned(case);
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

/// The load of eight floats from the fourth on, and the same from aligned vectors.
const PLAIN_LOAD: &str = "load_f32x8(&rows[place + 3])";
const TWO_LOADS: &str = "__builtin_shufflevector(load_f32x8(&rows[place]), \
    load_f32x8(&rows[place + 8]), 3, 4, 5, 6, 7, 8, 9, 10)";

/// Checks that the pass leaves a program as it is, and that C with two loads is refused for it.
fn stays(case: Case) {
    let (pool, program) = beside(case);
    assert_eq!(aligned(case).1.body, program.body, "{case:?}");
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert!(text.contains(PLAIN_LOAD), "{text}");
    check(&pool, &program, &text).unwrap();
    let wrong = text.replace(PLAIN_LOAD, TWO_LOADS);
    assert_eq!(check(&pool, &program, &wrong).unwrap_err().what, "another value is written");
}

#[test]
fn memory_that_may_not_be_the_buffers_own_is_not_read_along() {
    // The last load would read a vector that lies only partly within the memory.
    stays(Case { room: 35, ..PLAIN });
    // The remainder is unknown.
    stays(Case { step: 4, ..PLAIN });
    stays(Case { step: 7, ..PLAIN });
    let shared = Case { kind: LoopKind::PARALLEL, writes: true, ..PLAIN };
    stays(shared);
    // Other threads do not write a buffer that is only read.
    let read = Case { kind: LoopKind::PARALLEL, ..PLAIN };
    assert!(text(read).contains(TWO_LOADS));
}

#[test]
fn who_does_not_ask_is_not_given_two_loads() {
    stays(Case { marked: false, ..PLAIN });
}

#[test]
fn other_lanes_of_two_vectors_are_refused() {
    let (pool, program) = aligned(PLAIN);
    let emitted = text(PLAIN);
    assert!(emitted.contains(TWO_LOADS), "{emitted}");
    check(&pool, &program, &emitted).unwrap();
    for (from, to, what) in [
        ("[place])", "[place + 8])", "another value is written"),
        ("[place])", "[place + 1])", "another value is written"),
        ("rows[place])", "input[place])", "another value is written"),
        ("[place])", "[i])", "another value is written"),
        ("3, 4", "2, 4", "another value is written"),
        ("9, 10", "9, 11", "another value is written"),
        ("9, 10", "9, 16", "lanes that do not exist"),
    ] {
        let wrong = emitted.replace(TWO_LOADS, &TWO_LOADS.replace(from, to));
        assert_eq!(check(&pool, &program, &wrong).unwrap_err().what, what, "{to}");
    }
}
