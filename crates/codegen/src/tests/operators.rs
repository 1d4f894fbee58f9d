//! Every operator on every type that it takes, with one lane and with several: compiled results
//! equal `ir::eval`'s on all pairs of edge values.

use halidom_ir::{
    Array, BinaryOp, BufferId, Constant, Expr, ExprId, FunctionDecl, Intrinsic, LoopKind, Overflow,
    Scalar, StmtId, UnaryOp, eval,
};

use super::common::{Builder, arguments, array, kernel};
use crate::{EmitError, Target, Toolchain, emit};

/// A function of two operands of one type.
#[derive(Clone, Copy, Debug)]
enum Op {
    Binary(BinaryOp),
    /// An operator with a constant as second operand.
    By(BinaryOp, i128),
    Unary(UnaryOp),
    Call(Intrinsic),
    Cast(Scalar),
    /// `a < b ? b : a`
    Select,
    /// `(a < b) && !(a == b) || (a > b) ^ (a != b)`, as a `bool`.
    Logic,
    /// `select(a < b && T(a), b, a)` where the conditions are cast back and forth: masks of several
    /// widths meet.
    Widths,
}

/// Builds the operator as an expression.
fn build(b: &mut Builder, op: Op, x: ExprId, y: ExprId) -> ExprId {
    let ty = b.pool.ty(x);
    match op {
        Op::Binary(op) => b.pool.binary(op, x, y),
        Op::By(op, constant) => {
            let mut constant = b.constant(ty.scalar, constant);
            if ty.lanes > 1 {
                constant = b.broadcast(constant, ty.lanes);
            }
            b.pool.binary(op, x, constant)
        }
        Op::Unary(op) => b.pool.unary(op, x),
        Op::Call(intrinsic) => b.pool.call(intrinsic, x),
        Op::Cast(scalar) => b.pool.cast(scalar, x),
        Op::Select => {
            let less = b.pool.binary(BinaryOp::Lt, x, y);
            b.pool.select(less, y, x)
        }
        Op::Logic => {
            let [less, equal, greater, differ] =
                [BinaryOp::Lt, BinaryOp::Eq, BinaryOp::Gt, BinaryOp::Ne]
                    .map(|op| b.pool.binary(op, x, y));
            let unequal = b.pool.unary(UnaryOp::Not, equal);
            let both = b.pool.binary(BinaryOp::And, less, unequal);
            let one = b.pool.binary(BinaryOp::Xor, greater, differ);
            b.pool.binary(BinaryOp::Or, both, one)
        }
        Op::Widths => {
            let (narrow_x, narrow_y) = (b.pool.cast(Scalar::U8, x), b.pool.cast(Scalar::U8, y));
            let narrow = b.pool.binary(BinaryOp::Le, narrow_x, narrow_y);
            let wide = b.pool.binary(BinaryOp::Lt, x, y);
            let both = b.pool.binary(BinaryOp::Or, narrow, wide);
            let truth = b.pool.cast(ty.scalar, both);
            let chosen = b.pool.select(both, x, y);
            b.pool.add(chosen, truth)
        }
    }
}

/// Evaluates the tree that [`build`] makes.
fn value(b: &Builder, expr: ExprId, x: Constant, y: Constant, names: [ExprId; 2]) -> Constant {
    if expr == names[0] {
        return x;
    }
    if expr == names[1] {
        return y;
    }
    let at = |operand| value(b, operand, x, y, names);
    match b.pool.get(expr) {
        Expr::Const(constant) => *constant,
        Expr::Unary(op, operand) => eval::unary(*op, at(*operand)).unwrap(),
        Expr::Binary(op, lhs, rhs) => eval::binary(*op, at(*lhs), at(*rhs)).unwrap(),
        Expr::Select { condition, if_true, if_false } => {
            if at(*condition).as_bool().unwrap() {
                at(*if_true)
            } else {
                at(*if_false)
            }
        }
        Expr::Cast(scalar, operand) => eval::cast(*scalar, at(*operand)).unwrap(),
        Expr::Call(intrinsic, operand) => eval::intrinsic(*intrinsic, at(*operand)).unwrap(),
        Expr::Broadcast { value: operand, .. } => at(*operand),
        other => panic!("{other:?} does not occur"),
    }
}

fn operators(scalar: Scalar) -> Vec<Op> {
    use BinaryOp::{
        Add, And, Div, Eq, Ge, Gt, Le, Lt, Max, Min, Mod, Mul, Ne, Or, Shl, Shr, Sub, Xor,
    };
    let wraps = if scalar == Scalar::Int { Overflow::Unbounded } else { Overflow::Wraps };
    let mut ops: Vec<Op> = Vec::new();
    if scalar == Scalar::Bool {
        ops.extend([And, Or, Xor, Eq, Ne].map(Op::Binary));
        ops.push(Op::Unary(UnaryOp::Not));
    } else {
        ops.extend([Add(wraps), Sub(wraps), Mul(wraps), Div, Min, Max].map(Op::Binary));
        ops.extend([Eq, Ne, Lt, Le, Gt, Ge].map(Op::Binary));
        ops.extend([Op::Unary(UnaryOp::Neg(wraps)), Op::Select, Op::Logic, Op::Widths]);
        ops.extend([Add(wraps), Sub(wraps), Mul(wraps), Div].map(|op| Op::By(op, 3)));
    }
    if scalar.is_machine_integer() {
        ops.extend([And, Or, Xor, Shl, Shr].map(Op::Binary));
        ops.push(Op::Unary(UnaryOp::Not));
        ops.extend(
            [(Shl, 3), (Shr, 3), (Shr, 100), (Shl, -2), (And, 200)].map(|(op, by)| Op::By(op, by)),
        );
    }
    if !scalar.is_float() && scalar != Scalar::Bool {
        ops.push(Op::Binary(Mod));
        for divisor in [3, 8, 1, 0, -1, -3, i128::from(i32::MIN), 255] {
            ops.extend([Op::By(Div, divisor), Op::By(Mod, divisor), Op::By(Lt, divisor)]);
        }
    }
    let calls = if scalar.is_float() {
        &Intrinsic::ALL[..]
    } else if scalar.is_signed() || scalar == Scalar::Int {
        &[Intrinsic::Abs][..]
    } else {
        &[]
    };
    ops.extend(calls.iter().map(|intrinsic| Op::Call(*intrinsic)));
    let castable = |to: &Scalar| *to != scalar && !(scalar.is_float() && *to == Scalar::Int);
    ops.extend(Scalar::ALL.into_iter().filter(castable).map(Op::Cast));
    if scalar.is_float() {
        ops.retain(|op| !matches!(op, Op::Widths));
    }
    ops
}

fn edges(scalar: Scalar) -> Vec<Constant> {
    let floats = [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -1.0,
        -1.5,
        3.0,
        127.5,
        128.0,
        255.9,
        256.0,
        -128.9,
        -129.0,
        65535.5,
        2_147_483_648.0,
        4_294_967_296.0,
        -2_147_483_648.0,
        9.3e18,
        1.9e19,
        -1e19,
        1e30,
        8_388_609.5,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match scalar {
        Scalar::F32 => floats.map(|value| Constant::f32(value as f32)).to_vec(),
        Scalar::F64 => floats.map(Constant::f64).to_vec(),
        Scalar::Bool => vec![Constant::bool(false), Constant::bool(true)],
        other => {
            let (low, high) = other.range().unwrap();
            let mut values = vec![
                low,
                low + 1,
                high,
                high - 1,
                high / 2,
                0,
                1,
                2,
                3,
                5,
                7,
                8,
                31,
                63,
                64,
                -1,
                -2,
                -7,
                -8,
                100,
                200,
                255,
                256,
                16_777_217,
                0x7fff_ffff_ffff_fe00,
            ];
            values.retain(|value| (low..=high).contains(value));
            values.into_iter().map(|value| Constant::wrapped(other, value).unwrap()).collect()
        }
    }
}

/// The type in which a type's values are stored: `int` has no memory form.
fn memory(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Int { Scalar::I64 } else { scalar }
}

/// Builds one loop of a program: every operator on vectors of `lanes` (1 for scalars), each stored
/// to a separate output.
fn operator_loop(
    b: &mut Builder,
    scalar: Scalar,
    sources: [BufferId; 2],
    lanes: u32,
    count: usize,
) -> (StmtId, Vec<(String, ExprId, [ExprId; 2])>) {
    let (var, position) = b.int_var("i");
    let index = if lanes == 1 { position } else { b.ramp(position, 1, lanes) };
    let [x, y] = sources.map(|buffer| {
        let loaded = b.pool.load(buffer, index, None);
        b.pool.cast(scalar, loaded)
    });
    let mut stores = Vec::new();
    let mut results = Vec::new();
    for (number, op) in operators(scalar).into_iter().enumerate() {
        let result = build(b, op, x, y);
        let stored_as = memory(b.pool.ty(result).scalar);
        let output = b.output(&format!("out{number}.{lanes}"), stored_as, 1);
        let stored = b.pool.cast(stored_as, result);
        stores.push(b.store(output, index, stored));
        results.push((format!("{op:?} of {scalar}x{lanes}"), stored, [x, y]));
    }
    let body = b.block(stores);
    let (zero, end) = (b.pool.int(0), b.pool.int((count / lanes as usize) as i128));
    // The loop counts vectors, so `i` is a multiple of the lanes.
    let (step, step_value) = b.int_var("step");
    let by = b.pool.int(i128::from(lanes));
    let scaled = b.pool.mul(step_value, by);
    let body = b.let_in(var, scaled, body);
    (b.for_loop(step, zero, end, LoopKind::Serial, body), results)
}

/// Compares the compiled operators of one type with `eval`.
fn check(scalar: Scalar, toolchain: &Toolchain) {
    // Products of `int`s must stay within 64 bits, so their operands have 32.
    let source = if scalar == Scalar::Int { Scalar::I32 } else { scalar };
    let edges = edges(source);
    let count = edges.len().pow(2).next_multiple_of(8);
    let pair = |n: usize| (edges[n / edges.len() % edges.len()], edges[n % edges.len()]);
    let inputs = [
        array(source, &[(0, count as i64)], |n| pair(n).0),
        array(source, &[(0, count as i64)], |n| pair(n).1),
    ];

    let mut b = Builder::new();
    let sources = [b.input("a", source, 1), b.input("b", source, 1)];
    let (scalars, mut results) = operator_loop(&mut b, scalar, sources, 1, count);
    let (vectors, vector_results) = operator_loop(&mut b, scalar, sources, 8, count);
    results.extend(vector_results);
    let body = b.block(vec![scalars, vectors]);
    let program = b.program(&format!("operators of {scalar}"), body);
    let mut outputs: Vec<Array> = results
        .iter()
        .map(|(_, expr, _)| {
            let scalar = b.pool.ty(*expr).scalar;
            array(scalar, &[(0, count as i64)], |_| Constant::zero(scalar))
        })
        .collect();
    let kernel = kernel(&b.pool, &program, toolchain);
    kernel.run(&arguments(&inputs, &outputs), &mut outputs).unwrap();

    for ((what, expr, operands), output) in results.iter().zip(&outputs) {
        for n in 0..edges.len().pow(2) {
            let cast = |constant| eval::cast(scalar, constant).unwrap();
            let (first, second) = pair(n);
            let expected = value(&b, *expr, cast(first), cast(second), *operands);
            let got = output.get_element(n).unwrap();
            let by = toolchain.compiler();
            assert_eq!(got, expected, "{what} on {first:?}, {second:?} by {by}");
        }
    }
}

#[test]
fn compiled_operators_equal_their_definition() {
    let toolchains: Vec<Toolchain> = Toolchain::all().into_iter().map(Toolchain::strict).collect();
    assert!(!toolchains.is_empty(), "no C compiler");
    std::thread::scope(|scope| {
        for half in [&Scalar::ALL[..6], &Scalar::ALL[6..]] {
            let toolchains = &toolchains;
            scope.spawn(move || {
                for scalar in half {
                    for toolchain in toolchains {
                        check(*scalar, toolchain);
                    }
                }
            });
        }
    });
}

/// Programs of our own cannot reach code of others: the printer refuses a function that is only
/// named, with one lane and with several.
#[test]
fn a_function_that_is_only_named_is_refused() {
    for lanes in [1, 4] {
        let mut b = Builder::new();
        let input = b.input("input", Scalar::U8, 1);
        let output = b.output("output", Scalar::U8, 1);
        let zero = b.pool.int(0);
        let place = if lanes == 1 { zero } else { b.ramp(zero, 1, lanes) };
        let element = b.pool.load(input, place, None);
        let (name, params) = ("system".to_owned(), [Scalar::U8].into());
        let decl = FunctionDecl { name, params, result: Scalar::U8, real: None };
        let function = b.pool.declare_function(decl);
        let value = b.pool.apply(function, [element]);
        let body = b.store(output, place, value);
        let program = b.program("calls", body);
        let refused = emit(&b.pool, &program, &Target::AVX2).map(|module| module.text);
        assert_eq!(refused, Err(EmitError::NamedFunction("system".to_owned())));
    }
}
