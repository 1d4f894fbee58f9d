//! Splitting vectors into pieces that the machine's vectors hold.

use halidom_base::IndexSet;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, LoopKind, Pool, Program, Scalar, Stmt, StmtId};
use halidom_lower::{legalize, narrow_gathers};
use halidom_readback::check;

use super::common::{Builder, arguments, array, kernel};
use crate::{Target, Toolchain, emit};

/// `output(i) = u16((u32(input(i)) * 3 + u32(select(input(i) < input(i + 1), i, 7))) / 4)` for
/// `lanes` values at once, by way of a let.
pub(crate) fn weighted(lanes: u32) -> (Pool, Program) {
    let mut b = Builder::new();
    let input = b.input("input", Scalar::U16, 1);
    let output = b.output("output", Scalar::U16, 1);
    let (step, step_value) = b.int_var("step");
    let (one, by) = (b.pool.int(1), b.pool.int(i128::from(lanes)));
    let base = b.pool.mul(step_value, by);
    let next = b.pool.add(base, one);
    let [here, there] = [base, next].map(|base| {
        let index = b.ramp(base, 1, lanes);
        (index, b.pool.load(input, index, None))
    });
    let less = b.pool.binary(BinaryOp::Lt, here.1, there.1);
    let position = b.pool.cast(Scalar::U32, here.0);
    let seven = b.constant(Scalar::U32, 7);
    let seven = b.broadcast(seven, lanes);
    let chosen = b.pool.select(less, position, seven);
    let wide = b.pool.cast(Scalar::U32, here.1);
    let three = b.constant(Scalar::U32, 3);
    let three = b.broadcast(three, lanes);
    let product = b.pool.mul(wide, three);
    let ty = b.pool.ty(product);
    let bound = b.pool.declare_var("product", ty);
    let product_value = b.pool.var_expr(bound);
    let sum = b.pool.add(product_value, chosen);
    let four = b.constant(Scalar::U32, 4);
    let four = b.broadcast(four, lanes);
    let quotient = b.op(BinaryOp::Div, sum, four);
    let value = b.pool.cast(Scalar::U16, quotient);
    let store = b.store(output, here.0, value);
    let body = b.let_in(bound, product, store);
    let (zero, count) = (b.pool.int(0), b.pool.int(3));
    let body = b.for_loop(step, zero, count, LoopKind::Serial, body);
    let program = b.program("weighted", body);
    (b.pool, program)
}

/// Collects all expressions of a statement.
fn vectors(pool: &Pool, stmt: StmtId, seen: &mut IndexSet<ExprId>) {
    let mut exprs = |id: ExprId| {
        pool.for_each_subexpr(id, &mut |id, _| {
            seen.insert(id);
        });
    };
    match pool.get_stmt(stmt) {
        Stmt::Block(stmts) => stmts.iter().for_each(|stmt| vectors(pool, *stmt, seen)),
        Stmt::Let { value, body, .. } => {
            exprs(*value);
            vectors(pool, *body, seen);
        }
        Stmt::For { body, .. } => vectors(pool, *body, seen),
        Stmt::Store { index, value, .. } => {
            exprs(*index);
            exprs(*value);
        }
        other => panic!("{other:?} does not occur"),
    }
}

#[test]
fn split_vectors_fit_the_machine_and_compute_the_same() {
    let toolchain = Toolchain::find().unwrap().strict();
    for (lanes, target) in [
        (64, Target::host()),
        (16, Target::SSE2),
        (12, Target::AVX2),
        (3, Target::AVX2),
        (8, Target::host()),
    ] {
        let (mut pool, wide) = weighted(lanes);
        let program = legalize(&mut pool, wide.clone(), target.machine()).unwrap();
        let mut seen = IndexSet::default();
        vectors(&pool, program.body, &mut seen);
        for id in seen {
            let ty = pool.ty(id);
            let is_index = matches!(pool.get(id), Expr::Ramp { .. });
            let bytes = ty.scalar.bytes().unwrap_or(8) * ty.lanes as usize;
            assert!(ty.lanes.is_power_of_two(), "{lanes} lanes give {ty}");
            assert!(ty.lanes == 1 || is_index || bytes <= target.vector_bytes(), "{lanes}: {ty}");
        }
        let count = 3 * i64::from(lanes);
        let value = |n: usize| Constant::wrapped(Scalar::U16, n as i128 * 40503 % 9973).unwrap();
        let inputs = [array(Scalar::U16, &[(0, count + 1)], value)];
        let mut outputs = [array(Scalar::U16, &[(0, count)], |_| Constant::zero(Scalar::U16))];
        kernel(&pool, &program, &toolchain)
            .run(&arguments(&inputs, &outputs), &mut outputs)
            .unwrap();
        for n in 0..count as usize {
            let [here, there] =
                [n, n + 1].map(|n| inputs[0].get_element(n).unwrap().as_integer().unwrap());
            let expected = (here * 3 + if here < there { n as i128 } else { 7 }) / 4 % 65536;
            assert_eq!(
                outputs[0].get_element(n).unwrap().as_integer(),
                Some(expected),
                "{lanes}: {n}"
            );
        }
    }
}

/// `output(i) = table(int(input(i)) + offset)` for 32 values at once.
fn looked_up(scalar: Scalar, offset: i128) -> (Pool, Program) {
    let lanes = 32;
    let mut b = Builder::new();
    let input = b.input("input", scalar, 1);
    let table = b.input("table", Scalar::F32, 1);
    let output = b.output("output", Scalar::F32, 1);
    let zero = b.pool.int(0);
    let index = b.ramp(zero, 1, lanes);
    let place = b.pool.load(input, index, None);
    let mut place = b.pool.cast(Scalar::Int, place);
    if offset != 0 {
        let offset = b.pool.int(offset);
        let offset = b.pool.expr(Expr::Broadcast { value: offset, lanes });
        place = b.pool.add(place, offset);
    }
    let value = b.pool.load(table, place, None);
    let body = b.store(output, index, value);
    let program = b.program("looked_up", body);
    (b.pool, program)
}

#[test]
fn a_table_takes_indices_as_narrow_as_they_are() {
    let toolchain = Toolchain::find().unwrap().strict();
    for (scalar, call, places) in [
        (Scalar::I8, "gather_narrow_f32x8", "i32x8_from_i8x8(load_i8x8(&input["),
        (Scalar::U8, "gather_narrow_f32x8", "i32x8_from_u8x8(load_u8x8(&input["),
        (Scalar::I16, "gather_narrow_f32x8", "i32x8_from_i16x8(load_i16x8(&input["),
        (Scalar::U16, "gather_narrow_f32x8", "i32x8_from_u16x8(load_u16x8(&input["),
        (Scalar::I32, "gather_narrow_f32x8", "load_i32x8(&input["),
        (Scalar::U32, "gather_f32x4", "i64x4_from_u32x4(load_u32x4(&input["),
        (Scalar::I64, "gather_f32x4", "load_i64x4(&input["),
    ] {
        for offset in [0, 3] {
            let (mut pool, wide) = looked_up(scalar, offset);
            let wide = narrow_gathers(&mut pool, wide).unwrap();
            let program = legalize(&mut pool, wide, Target::AVX2.machine()).unwrap();
            let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
            let call = match offset {
                0 => [call, "(table, ", places].concat(),
                _ => [&call.replace("_f32", "_at_f32"), "(table, 3, ", places].concat(),
            };
            assert!(text.contains(&call), "{scalar:?}: {call}: {text}");
            let place = |n: usize| Constant::wrapped(scalar, (n as i128 * 29 + 5) % 125).unwrap();
            let inputs = [
                array(scalar, &[(0, 32)], place),
                array(Scalar::F32, &[(0, 128)], |n| Constant::f32(n as f32)),
            ];
            let mut outputs = [array(Scalar::F32, &[(0, 32)], |_| Constant::zero(Scalar::F32))];
            kernel(&pool, &program, &toolchain)
                .run(&arguments(&inputs, &outputs), &mut outputs)
                .unwrap();
            for n in 0..32 {
                let expected = inputs[0].get_element(n).unwrap().as_integer().unwrap() + offset;
                let found = outputs[0].get_element(n).unwrap();
                assert_eq!(found, Constant::f32(expected as f32), "{scalar:?}: {n}");
            }
        }
    }
}

#[test]
fn other_places_of_a_table_are_noticed() {
    let cases: [(i128, &str, &[&str]); 2] = [
        (
            0,
            "gather_narrow_f32x8(table, i32x8_from_u8x8(",
            &[
                "gather_narrow_f32x8(output, i32x8_from_u8x8(",
                "gather_narrow_f32x8(table, i32x8_from_i8x8((i8x8)",
                "gather_narrow_f32x8(table, 1 + i32x8_from_u8x8(",
                "gather_f32x8(table, i32x8_from_u8x8(",
                "gather_narrow_f32x8(table, i64x8_from_u8x8(",
                "gather_narrow_f32x8(table, (",
            ],
        ),
        (
            3,
            "gather_narrow_at_f32x8(table, 3, i32x8_from_u8x8(",
            &[
                "gather_narrow_at_f32x8(table, 4, i32x8_from_u8x8(",
                "gather_narrow_at_f32x8(table, 3, 1 + i32x8_from_u8x8(",
                "gather_narrow_at_f32x8(output, 3, i32x8_from_u8x8(",
                "gather_narrow_f32x8(table, i32x8_from_u8x8(",
                "gather_at_f32x8(table, 3, i32x8_from_u8x8(",
                "gather_at_f32x8(table, 3, i64x8_from_u8x8(",
            ],
        ),
    ];
    for (offset, call, wrong_calls) in cases {
        let (mut pool, wide) = looked_up(Scalar::U8, offset);
        let wide = narrow_gathers(&mut pool, wide).unwrap();
        let program = legalize(&mut pool, wide, Target::AVX2.machine()).unwrap();
        let text = emit(&pool, &program, &Target::AVX2).unwrap().text;
        assert_eq!(check(&pool, &program, &text), Ok(()));
        assert_eq!(text.matches(call).count(), 4, "{text}");
        for wrong in wrong_calls {
            assert!(check(&pool, &program, &text.replacen(call, wrong, 1)).is_err(), "{wrong}");
        }
        // The file must define the function exactly as it is.
        let definition = "i32x8 index) {";
        assert!(text.contains(definition), "{text}");
        let wrong = text.replace(definition, &definition.replace("i32x8", "u32x8"));
        assert!(check(&pool, &program, &wrong).is_err());
    }
}

#[test]
fn all_lanes_are_read_before_any_is_written() {
    // Reverses the output in place: output(i) = output(lanes - 1 - i).
    let lanes = 128;
    let mut b = Builder::new();
    let output = b.output("output", Scalar::U8, 1);
    let (zero, last) = (b.pool.int(0), b.pool.int(127));
    let index = b.ramp(zero, 1, lanes);
    let reversed = b.ramp(last, -1, lanes);
    let value = b.pool.load(output, reversed, None);
    let body = b.store(output, index, value);
    let wide = b.program("reverse", body);
    let target = Target::host();
    let program = legalize(&mut b.pool, wide.clone(), target.machine()).unwrap();
    assert_ne!(program, wide);
    let toolchain = Toolchain::find().unwrap().strict();
    let value = |n: usize| Constant::wrapped(Scalar::U8, n as i128).unwrap();
    let mut outputs = [array(Scalar::U8, &[(0, 128)], value)];
    kernel(&b.pool, &program, &toolchain).run(&arguments(&[], &outputs), &mut outputs).unwrap();
    for n in 0..128 {
        assert_eq!(outputs[0].get_element(n), Some(value(127 - n)));
    }
}

#[test]
fn vectors_without_a_c_type_are_refused() {
    let (pool, program) = weighted(12);
    let error = emit(&pool, &program, &Target::AVX2).unwrap_err();
    assert_eq!(error.to_string(), "no vector type of C has the lanes of `u32x12`");
}
