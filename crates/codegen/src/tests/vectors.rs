//! Splitting vectors into pieces that the machine's vectors hold.

use halidom_base::IndexSet;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, LoopKind, Pool, Program, Scalar, Stmt, StmtId};

use super::common::{Builder, arguments, array, kernel};
use crate::{Target, Toolchain, emit};
use halidom_lower::legalize;

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
