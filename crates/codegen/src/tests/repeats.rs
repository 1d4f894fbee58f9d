//! Loads in which each element occurs several times in a row.

use halidom_ir::{BinaryOp, Constant, LoopKind, Pool, Program, Scalar};
use halidom_prelude::helpers::{Helper, definition};
use halidom_prelude::operators::{Few, VectorOp};
use halidom_readback::check;

use super::common::{Builder, arguments, array, kernel};
use crate::{Target, Toolchain, emit};

/// `output(i, y) = input((y + i) / times + offset)` for so many `i` at once, and all `y`.
pub(crate) fn repeats(scalar: Scalar, lanes: u32, times: i128, offset: i128) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", scalar, 1);
    let output = b.output("output", scalar, 2);
    let (y, ye) = b.int_var("y");
    let places = b.ramp(ye, 1, lanes);
    let times = b.pool.int(times);
    let times = b.broadcast(times, lanes);
    let mut from = b.op(BinaryOp::Div, places, times);
    if offset != 0 {
        let offset = b.pool.int(offset);
        let offset = b.broadcast(offset, lanes);
        from = b.pool.add(from, offset);
    }
    let value = b.pool.load(input, from, None);
    let dims = b.pool.buffer(output).dims.clone();
    let first = b.index(output, &[dims[0].min, ye]);
    let to = b.ramp(first, 1, lanes);
    let store = b.store(output, to, value);
    let window = b.outputs[0].window[1];
    let (min, extent) = (b.pool.var_expr(window.0), b.pool.var_expr(window.1));
    let body = b.for_loop(y, min, extent, LoopKind::Serial, store);
    let program = b.program("repeats", body);
    (b.pool, program)
}

#[test]
fn each_element_is_read_once_and_stands_in_its_lanes() {
    let toolchains: Vec<Toolchain> = Toolchain::all().into_iter().map(Toolchain::strict).collect();
    assert!(!toolchains.is_empty(), "no C compiler");
    for (scalar, lanes, times, offset, call) in [
        (Scalar::U8, 16, 2, 3, "load_repeated2_u8x16(input, 3, y)"),
        (Scalar::U8, 32, 4, 2, "load_repeated4_u8x32(input, 2, y)"),
        (Scalar::I16, 8, 3, 2, "load_repeated3_i16x8(input, 2, y)"),
        (Scalar::I32, 4, 3, 0, "load_repeated3_i32x4(input, 0, y)"),
        (Scalar::F32, 8, 3, 2, "load_repeated3_f32x8(input, 2, y)"),
        (Scalar::F32, 8, 2, 0, "load_repeated2_f32x8(input, 0, y)"),
        (Scalar::F64, 4, 4, 2, "load_repeated4_f64x4(input, 2, y)"),
        (Scalar::Bool, 8, 2, 3, "load_repeated2_u8x8(input, 3, y)"),
        // Two lanes are too few, and five repetitions too many.
        (Scalar::F32, 2, 2, 3, "gather_at_f32x2(input, 3, "),
        (Scalar::F32, 8, 5, 1, "gather_at_f32x8(input, 1, "),
        // As many lanes as a signed byte can count, and more.
        (Scalar::U8, 64, 4, 2, "load_repeated4_u8x64(input, 2, y)"),
        (Scalar::U8, 128, 4, 2, "gather_at_u8x128(input, 2, "),
    ] {
        let (pool, program) = repeats(scalar, lanes, times, offset);
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        assert!(text.contains(call), "{call}: {text}");
        // Places that begin at each phase, also below 0 where the offset keeps the elements within.
        let (first, rows) = (if offset == 0 { 0 } else { -5 }, 11);
        let element = |y: i64, lane: i64| (y + lane).div_euclid(times as i64) + offset as i64;
        let count = element(first + rows - 1, i64::from(lanes) - 1) + 1;
        let value = |n: usize| {
            let value = Constant::wrapped(Scalar::U16, n as i128 * 40503 + 7).unwrap();
            halidom_ir::eval::cast(scalar, value).unwrap()
        };
        let inputs = [array(scalar, &[(0, count)], value)];
        for toolchain in &toolchains {
            let shape = [(0, i64::from(lanes)), (first, rows)];
            let mut outputs = [array(scalar, &shape, |_| Constant::zero(scalar))];
            let kernel = kernel(&pool, &program, toolchain);
            kernel.run(&arguments(&inputs, &outputs), &mut outputs).unwrap();
            for point in outputs[0].points() {
                let expected = inputs[0].get(&[element(point[1], point[0])]).unwrap();
                assert_eq!(outputs[0].get(&point), Some(expected), "{call} at {point:?}");
            }
        }
    }
}

#[test]
fn other_repetitions_are_noticed() {
    let (pool, program) = repeats(Scalar::F32, 8, 3, 2);
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    assert_eq!(check(&pool, &program, &text), Ok(()));
    let call = "load_repeated3_f32x8(input, 2, y)";
    assert_eq!(text.matches(call).count(), 1, "{text}");
    for wrong in [
        "load_repeated2_f32x8(input, 2, y)",
        "load_repeated3_f32x8(input, 1, y)",
        "load_repeated3_f32x8(input, 0, y)",
        "load_repeated3_f32x8(input, y, 2)",
        "load_repeated3_f32x8(output, 2, y)",
        "load_repeated3_f32x8(input, 2)",
        "load_f32x8(&input[y / 3 + 2])",
    ] {
        assert!(check(&pool, &program, &text.replace(call, wrong)).is_err(), "{wrong}");
    }
    // The file must define the function exactly as it is.
    let place = "reached2 = place >= 6";
    assert!(check(&pool, &program, &text.replace(place, "reached2 = place >= 5")).is_err());
    // Nor is the function accepted for more lanes than a signed byte can count.
    let (pool, program) = repeats(Scalar::U8, 128, 4, 2);
    let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
    let start = text.find("gather_at_u8x128(input").expect("a gather");
    let end = start + text[start..].find(");\n").expect("the end of the store");
    let helper = |op| definition(Helper::Vector(op, Scalar::U8, 128));
    let mut wrong = text;
    wrong.replace_range(start..end, "load_repeated4_u8x128(input, 2, y)");
    let load =
        [definition(Helper::Type(Scalar::I8, 128)), helper(VectorOp::LoadRepeated(Few::Four))];
    let store = helper(VectorOp::Store);
    let wrong = wrong.replacen(&store, &[load.concat(), store.clone()].concat(), 1);
    let mismatch = check(&pool, &program, &wrong).unwrap_err();
    assert_eq!(mismatch.what, "more lanes than their places can be counted");
}
