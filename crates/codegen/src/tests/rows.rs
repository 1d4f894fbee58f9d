//! Strided vectors through dense loads and stores.

use halidom_ir::{BufferKind, Constant, Dim, ExprId, LoopKind, Pool, Program, Scalar, StmtId};

use super::common::{Builder, arguments, array, kernel, number};
use crate::{Target, Toolchain, emit};
use halidom_lower::legalize;
use halidom_prelude::helpers::{Helper, definition};
use halidom_prelude::operators::{Few, VectorOp};
use halidom_readback::check;

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
        (Scalar::U8, 16, 2, "load_every2_u8x16"),
        (Scalar::U8, 32, 4, "load_every4_u8x32"),
        (Scalar::I16, 8, 3, "load_every3_i16x8"),
        (Scalar::F32, 2, 2, "load_every2_f32x2"),
        (Scalar::F32, 2, 3, "load_every3_f32x2"),
        (Scalar::F32, 2, 4, "load_strided_f32x2"),
        (Scalar::F32, 8, 3, "load_every3_f32x8"),
        (Scalar::F64, 4, 4, "load_every4_f64x4"),
        (Scalar::Bool, 8, 2, "load_every2_u8x8"),
        (Scalar::U8, 16, -1, "load_reversed_u8x16"),
        (Scalar::I16, 8, 5, "load_strided_i16x8"),
        (Scalar::I16, 8, -2, "load_strided_i16x8"),
    ] {
        let reach = i128::from(lanes - 1) * i128::abs(step);
        let first = if step < 0 { reach } else { 0 };
        let (pool, program) = every(scalar, lanes, first, step);
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        let call = [helper, "(&input["].concat();
        assert!(text.contains(&call), "{scalar} {lanes} {step}: {text}");
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

#[test]
fn loads_of_every_few_elements_end_at_the_last_lane() {
    for step in Few::ALL {
        for lanes in [2, 4, 8, 16, 32, 64] {
            if lanes + 1 < step.count() {
                continue;
            }
            let text = definition(Helper::Vector(VectorOp::LoadEvery(step), Scalar::U8, lanes));
            let last = (lanes - 1) * step.count();
            let starts: Vec<u32> = text
                .lines()
                .filter_map(|line| line.split_once("_memory *)"))
                .map(|(_, at)| {
                    let digits: String = at.chars().filter(char::is_ascii_digit).collect();
                    digits.parse().unwrap_or(0)
                })
                .collect();
            assert_eq!(starts.len(), step.count() as usize, "{text}");
            assert!(starts.iter().all(|start| start + lanes - 1 <= last), "{text}");
        }
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
        let program = legalize(&mut pool, wide, Target::AVX2.machine()).unwrap();
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
        let (pool, program) = woven(Scalar::U8, 16, &order);
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        assert!(!text.contains("store_interleaved"), "{order:?}: {text}");
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

const STORES: &str = "store_strided_u8x16(&output[0], 2, load_u8x16(&input[0]));";

#[test]
fn a_value_that_an_earlier_store_decides_is_not_computed_before() {
    let (pool, program) = dependent();
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert!(text.contains(STORES) && !text.contains("store_interleaved"), "{text}");
    // The C must not interleave them either.
    let definitions =
        definition(Helper::Vector(VectorOp::StoreInterleaved(Few::Two), Scalar::U8, 16));
    let store = definition(Helper::Vector(VectorOp::Store, Scalar::U8, 16));
    let second = "store_strided_u8x16(&output[1], 2, load_every2_u8x16(&output[0]));";
    assert!(text.contains(second), "{text}");
    let strided = definition(Helper::Vector(VectorOp::StoreStrided, Scalar::U8, 16));
    assert!(text.contains(&strided));
    let wrong = text
        .replace(
            STORES,
            "store_interleaved2_u8x16(&output[0], load_u8x16(&input[0]), \
            load_every2_u8x16(&output[0]));",
        )
        .replace(second, "")
        .replace(&strided, &[store, definitions].concat());
    let mismatch = check(&pool, &program, &wrong).unwrap_err();
    assert_eq!(mismatch.what, "a value that an earlier store decides");
}

#[test]
fn rows_are_read_back_exactly() {
    let (pool, program) = woven(Scalar::U8, 16, &[0, 1]);
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
            "another number of stores",
        ),
    ] {
        let mismatch = check(&pool, &program, &text.replace(call, wrong)).unwrap_err();
        // If the row begins elsewhere, its first store already writes another element.
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
    let (pool, program) = neighbours(false);
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let (lanes, along) =
        ("load_strided_u8x16(&shared[i * 32 + 1], 2)", "load_every2_u8x16(&shared[i * 32 + 1])");
    assert!(text.contains(lanes), "{text}");
    // A buffer that nobody writes is loaded densely.
    assert!(text.contains("load_every2_u8x16(&input["), "{text}");
    let mismatch = check(&pool, &program, &text.replace(lanes, along)).unwrap_err();
    assert_eq!(mismatch.what, "a load of elements that other threads may write");

    let (pool, program) = neighbours(true);
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert!(text.contains(along), "{text}");
}
