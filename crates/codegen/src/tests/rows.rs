//! Strided vectors through dense loads and stores.

use halidom_ir::{BufferKind, Constant, Dim, ExprId, LoopKind, Pool, Program, Scalar, StmtId};
use halidom_lower::{load_dense, lower_for, store_rows};
use halidom_prelude::helpers::{Helper, definition};
use halidom_prelude::operators::{Few, VectorOp};
use halidom_readback::check;

use super::common::{Builder, arguments, array, kernel, number};
use crate::{Target, Toolchain, emit};

/// `output(i) = input(first + step·i)` for so many lanes at once.
fn every(scalar: Scalar, lanes: u32, first: i128, step: i128) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", scalar, 1);
    let output = b.output("output", scalar, 1);
    let (zero, first) = (b.pool.int(0), b.pool.int(first));
    let from = b.ramp(first, step, lanes);
    let value = b.pool.load(input, from, None);
    let to = b.ramp(zero, 1, lanes);
    let body = b.store(output, to, value);
    let program = b.program("every", body);
    (b.pool, program)
}

#[test]
fn strided_vectors_are_shuffled_from_what_lies_between_the_first_and_the_last() {
    let toolchain = Toolchain::find().unwrap().strict();
    for (scalar, lanes, step, helper) in [
        (Scalar::U8, 16, 2, "__builtin_shufflevector(load_u8x16"),
        (Scalar::U8, 32, 4, "__builtin_shufflevector(load_u8x32"),
        (Scalar::I16, 8, 3, "__builtin_shufflevector(load_i16x8"),
        (Scalar::F32, 2, 2, "__builtin_shufflevector(load_f32x2"),
        (Scalar::F32, 2, 3, "__builtin_shufflevector(load_f32x2"),
        (Scalar::F32, 2, 4, "load_strided_f32x2"),
        (Scalar::F32, 8, 3, "__builtin_shufflevector(load_f32x8"),
        (Scalar::F64, 4, 4, "__builtin_shufflevector(load_f64x4"),
        (Scalar::Bool, 8, 2, "__builtin_shufflevector(load_u8x8"),
        (Scalar::U8, 16, -1, "load_reversed_u8x16"),
        (Scalar::I16, 8, 5, "load_strided_i16x8"),
        (Scalar::I16, 8, -2, "load_strided_i16x8"),
    ] {
        let reach = i128::from(lanes - 1) * i128::abs(step);
        let first = if step < 0 { reach } else { 0 };
        let (mut pool, program) = every(scalar, lanes, first, step);
        let program = load_dense(&mut pool, program).unwrap();
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        let call = [helper, "(&input["].concat();
        assert!(text.contains(&call), "{scalar} {lanes} {step}: {text}");
        assert_eq!(check(&pool, &program, &text), Ok(()));
        let value = number(scalar);
        // Exactly as many elements as the lanes span.
        let inputs = [array(scalar, &[(0, reach as i64 + 1)], &value)];
        let mut outputs = [array(scalar, &[(0, i64::from(lanes))], |_| Constant::zero(scalar))];
        kernel(&pool, &program, &toolchain)
            .run(&arguments(&inputs, &outputs), &mut outputs)
            .unwrap();
        for lane in 0..lanes as usize {
            let element = (first + step * lane as i128) as usize;
            let expected = Some(value(element));
            assert_eq!(outputs[0].get_element(lane), expected, "{scalar} {lanes} {step}: {lane}");
        }
    }
}

/// The shuffle of the lanes that a load of every second element takes.
const EVEN: &str = "__builtin_shufflevector(load_u8x8(&input[0]), load_u8x8(&input[7]), \
    0, 2, 4, 6, 9, 11, 13, 15)";

#[test]
fn shuffles_are_read_back_exactly() {
    let (mut pool, program) = every(Scalar::U8, 8, 0, 2);
    let strided = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let dense = load_dense(&mut pool, program.clone()).unwrap();
    let text = emit(&pool, &dense, &Target::AVX2).unwrap().text;
    assert!(text.contains(EVEN), "{text}");
    // C for one form is refused where the program has the other, although it computes the same.
    check(&pool, &program, &strided).unwrap();
    check(&pool, &dense, &text).unwrap();
    check(&pool, &program, &text).unwrap_err();
    check(&pool, &dense, &strided).unwrap_err();
    for (wrong, what) in [
        (EVEN.replace("[7]", "[8]"), "another value is written"),
        (EVEN.replace("[0]), load", "[1]), load"), "another value is written"),
        (EVEN.replace("4, 6", "4, 7"), "another value is written"),
        (EVEN.replace("4, 6", "4, -1"), "another value is written"),
        (EVEN.replace("15)", "16)"), "lanes that do not exist"),
        (EVEN.replace("15)", "-2)"), "no number of a lane"),
        (EVEN.replace(", 15)", ")"), "a vector of another type"),
    ] {
        let mismatch = check(&pool, &dense, &text.replace(EVEN, &wrong)).unwrap_err();
        assert_eq!(mismatch.what, what, "{wrong}");
    }
}

/// `output(count·i + k) = input(k·lanes + i)` by one store for each `k`, in this order.
fn woven(scalar: Scalar, lanes: u32, order: &[i128]) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", scalar, 1);
    let output = b.output("output", scalar, 1);
    let mut stores = Vec::new();
    for k in order {
        let from = b.pool.int(k * i128::from(lanes));
        let from = b.ramp(from, 1, lanes);
        let value = b.pool.load(input, from, None);
        let to = b.pool.int(*k);
        let to = b.ramp(to, order.len() as i128, lanes);
        stores.push(b.store(output, to, value));
    }
    let body = b.block(stores);
    let program = b.program("woven", body);
    (b.pool, program)
}

#[test]
fn stores_that_fill_a_row_are_one() {
    let toolchain = Toolchain::find().unwrap().strict();
    for (scalar, lanes, count) in [
        (Scalar::U8, 16, 2),
        (Scalar::U8, 64, 2),
        (Scalar::Bool, 16, 2),
        (Scalar::I16, 8, 3),
        (Scalar::F32, 32, 3),
        (Scalar::F64, 4, 4),
        (Scalar::U8, 32, 4),
        (Scalar::F32, 2, 2),
    ] {
        let order: Vec<i128> = (0..count).collect();
        let (mut pool, wide) = woven(scalar, lanes, &order);
        let program = lower_for(&mut pool, wide, Target::AVX2.machine()).unwrap();
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        let prefix = ["store_interleaved", &count.to_string(), "_"].concat();
        assert!(text.contains(&prefix) && !text.contains("store_strided"), "{text}");
        assert_eq!(check(&pool, &program, &text), Ok(()));
        let value = number(scalar);
        let elements = i64::from(lanes) * count as i64;
        let inputs = [array(scalar, &[(0, elements)], &value)];
        let mut outputs = [array(scalar, &[(0, elements)], |_| Constant::zero(scalar))];
        kernel(&pool, &program, &toolchain)
            .run(&arguments(&inputs, &outputs), &mut outputs)
            .unwrap();
        for element in 0..elements as usize {
            let (k, i) = (element % count as usize, element / count as usize);
            let expected = Some(value(k * lanes as usize + i));
            assert_eq!(outputs[0].get_element(element), expected, "{scalar} {lanes}: {element}");
        }
    }
}

#[test]
fn only_rows_in_order_are_one_store() {
    for order in [vec![1, 0], vec![0, 2, 1], vec![0, 0], vec![1, 1, 2]] {
        let (mut pool, program) = woven(Scalar::U8, 16, &order);
        let joined = store_rows(&mut pool, program.clone()).unwrap();
        assert_eq!(joined, program, "{order:?}");
    }
}

/// `output(2i) = input(i)`, `output(2i + 1) = output(2i)`: the second store reads what the first
/// one wrote.
fn dependent() -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::U8, 1);
    let output = b.output("output", Scalar::U8, 1);
    let [zero, one] = [0, 1].map(|value| b.pool.int(value));
    let dense = b.ramp(zero, 1, 16);
    let [even, odd] = [zero, one].map(|base| b.ramp(base, 2, 16));
    let value = b.pool.load(input, dense, None);
    let first = b.store(output, even, value);
    let written = b.pool.load(output, even, None);
    let second = b.store(output, odd, written);
    let body = b.block(vec![first, second]);
    let program = b.program("dependent", body);
    (b.pool, program)
}

#[test]
fn a_value_that_an_earlier_store_decides_is_not_computed_before() {
    let (mut pool, program) = dependent();
    let joined = store_rows(&mut pool, program.clone()).unwrap();
    assert_eq!(joined, program);
    // The C must not interleave them either.
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let [first, second] = [
        "store_strided_u8x16(&output[0], 2, load_u8x16(&input[0]));",
        "store_strided_u8x16(&output[1], 2, load_strided_u8x16(&output[0], 2));",
    ];
    assert!(text.contains(first) && text.contains(second), "{text}");
    let row = "store_interleaved2_u8x16(&output[0], load_u8x16(&input[0]), \
        load_strided_u8x16(&output[0], 2));";
    let strided = definition(Helper::Vector(VectorOp::StoreStrided, Scalar::U8, 16));
    let [store, interleaved] = [VectorOp::Store, VectorOp::StoreInterleaved(Few::Two)]
        .map(|op| definition(Helper::Vector(op, Scalar::U8, 16)));
    let wrong = text
        .replace(first, row)
        .replace(second, "")
        .replace(&strided, &[store, interleaved].concat());
    let mismatch = check(&pool, &program, &wrong).unwrap_err();
    assert_eq!(mismatch.what, "another element is written");
}

#[test]
fn rows_are_read_back_exactly() {
    let (mut pool, program) = woven(Scalar::U8, 16, &[0, 1]);
    let program = store_rows(&mut pool, program).unwrap();
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let call =
        "store_interleaved2_u8x16(&output[0], load_u8x16(&input[0]), load_u8x16(&input[16]));";
    assert!(text.contains(call), "{text}");
    for (wrong, what) in [
        (
            "store_interleaved2_u8x16(&output[0], load_u8x16(&input[16]), load_u8x16(&input[0]));",
            "another value is written",
        ),
        (
            "store_interleaved2_u8x16(&output[1], load_u8x16(&input[0]), load_u8x16(&input[16]));",
            "another element is written",
        ),
        (
            "store_interleaved2_u8x16(&input[0], load_u8x16(&input[0]), load_u8x16(&input[16]));",
            "another buffer is written",
        ),
        (
            "store_interleaved2_u8x16(&output[0], load_u8x16(&input[0]));",
            "another number of vectors",
        ),
    ] {
        let mismatch = check(&pool, &program, &text.replace(call, wrong)).unwrap_err();
        assert_eq!(mismatch.what, what, "{wrong}");
    }
}

/// In a parallel loop over `i`: `shared(32·i + 2·lane + 1) = input(…)`, `output(…) = shared(32·i +
/// 2·lane)`. If `own` is true, each iteration allocates `shared` itself.
fn neighbours(own: bool) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::U8, 1);
    let output = b.output("output", Scalar::U8, 1);
    let (i, position) = b.int_var("i");
    let [zero, one, wide, all] = [0, 1, 32, 128].map(|value| b.pool.int(value));
    let shared =
        b.buffer("shared", Scalar::U8, BufferKind::Internal, vec![Dim::new(zero, all, one)]);
    let base = b.pool.mul(position, wide);
    let next = b.pool.add(base, one);
    let ramp = |b: &mut Builder, base: ExprId| b.ramp(base, 2, 16);
    let (even, odd) = (ramp(&mut b, base), ramp(&mut b, next));
    let given = b.pool.load(input, even, None);
    let write = b.store(shared, odd, given);
    let read = b.pool.load(shared, odd, None);
    let copy = b.store(output, odd, read);
    let mut body: StmtId = b.block(vec![write, copy]);
    let allocate =
        |b: &mut Builder, body| b.pool.stmt(halidom_ir::Stmt::Allocate { buffer: shared, body });
    if own {
        body = allocate(&mut b, body);
    }
    let four = b.pool.int(4);
    body = b.for_loop(i, zero, four, LoopKind::PARALLEL, body);
    if !own {
        body = allocate(&mut b, body);
    }
    let program = b.program("neighbours", body);
    (b.pool, program)
}

#[test]
fn what_other_threads_may_write_is_not_read_along() {
    for (own, calls) in [
        (false, "load_strided_u8x16(&shared[i * 32 + 1], 2)"),
        (true, "__builtin_shufflevector(load_u8x16(&shared[i * 32 + 1])"),
    ] {
        let (mut pool, program) = neighbours(own);
        let program = load_dense(&mut pool, program).unwrap();
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        assert!(text.contains(calls), "{text}");
        // A buffer that nobody writes is loaded densely.
        assert!(text.contains("__builtin_shufflevector(load_u8x16(&input["), "{text}");
    }
}
