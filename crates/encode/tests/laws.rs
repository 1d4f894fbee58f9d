//! Tests which update operators obey which laws.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use halidom_encode::law::{self, Law, Operator, Verdict};
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Overflow, Pool, Scalar, Stage, Type, UnaryOp};
use halidom_smt::{Family, Options, Program, Solver};

fn solver() -> Solver {
    Solver::open(Options::new(Program::find(Family::Z3, None).unwrap())).unwrap()
}

/// The state `x`, the operand `y`, and the variable that differs between instances.
struct Build {
    pool: Pool,
    x: ExprId,
    y: ExprId,
    varying: halidom_ir::VarId,
}

impl Build {
    fn new(scalar: Scalar) -> Self {
        let mut pool = Pool::new();
        let mut var = |name: &str| pool.declare_var(name, Type::scalar(scalar));
        let (x, y) = (var("state"), var("operand"));
        let varying = y;
        let (x, y) = (pool.var_expr(x), pool.var_expr(y));
        Self { pool, x, y, varying }
    }

    fn decide(&self, value: ExprId, law: &Law) -> Verdict {
        let state = [(self.x, 0)];
        let operand = [(self.y, 0)];
        let commutes = *law == Law::Commutes;
        let operator = Operator {
            pool: &self.pool,
            values: &[value],
            state: &state,
            operand: if commutes { &[] } else { &operand },
            varying: &[self.varying],
        };
        law::decide(&mut solver(), &operator, law)
    }
}

fn overflow(scalar: Scalar) -> Overflow {
    if scalar == Scalar::Int { Overflow::Unbounded } else { Overflow::Wraps }
}

/// An operator and the expected laws: whether it commutes, whether it is associative, and its
/// identity if it has one.
struct Row {
    name: &'static str,
    scalars: &'static [Scalar],
    make: fn(&mut Build, Scalar) -> ExprId,
    commutes: bool,
    associative: bool,
    identity: Option<fn(Scalar) -> Constant>,
}

const MACHINE: &[Scalar] = &[
    Scalar::I8,
    Scalar::I16,
    Scalar::I32,
    Scalar::I64,
    Scalar::U8,
    Scalar::U16,
    Scalar::U32,
    Scalar::U64,
];
const FLOATS: &[Scalar] = &[Scalar::F32, Scalar::F64];

fn integer(scalar: Scalar, value: i128) -> Constant {
    Constant::wrapped(scalar, value).unwrap()
}

const ROWS: &[Row] = &[
    Row {
        name: "sum",
        scalars: MACHINE,
        make: |b, s| b.pool.binary(BinaryOp::Add(overflow(s)), b.x, b.y),
        commutes: true,
        associative: true,
        identity: Some(|s| integer(s, 0)),
    },
    Row {
        name: "product",
        scalars: MACHINE,
        make: |b, s| b.pool.binary(BinaryOp::Mul(overflow(s)), b.y, b.x),
        commutes: true,
        associative: true,
        identity: Some(|s| integer(s, 1)),
    },
    Row {
        name: "min",
        scalars: MACHINE,
        make: |b, _| b.pool.binary(BinaryOp::Min, b.x, b.y),
        commutes: true,
        associative: true,
        identity: Some(|s| integer(s, s.range().unwrap().1)),
    },
    Row {
        name: "xor",
        scalars: MACHINE,
        make: |b, _| b.pool.binary(BinaryOp::Xor, b.x, b.y),
        commutes: true,
        associative: true,
        identity: Some(|s| integer(s, 0)),
    },
    Row {
        name: "difference",
        scalars: MACHINE,
        make: |b, s| b.pool.binary(BinaryOp::Sub(overflow(s)), b.x, b.y),
        commutes: true,
        associative: false,
        identity: Some(|s| integer(s, 0)),
    },
    Row {
        name: "double and add",
        scalars: MACHINE,
        make: |b, s| {
            let twice = b.pool.binary(BinaryOp::Add(overflow(s)), b.x, b.x);
            b.pool.binary(BinaryOp::Add(overflow(s)), twice, b.y)
        },
        commutes: false,
        associative: false,
        identity: None,
    },
    Row {
        name: "overwrite",
        scalars: MACHINE,
        make: |b, _| b.y,
        commutes: false,
        associative: true,
        identity: None,
    },
    Row {
        name: "saturating sum",
        scalars: &[Scalar::U8],
        make: |b, _| {
            let (x, y) = (b.pool.cast(Scalar::U16, b.x), b.pool.cast(Scalar::U16, b.y));
            let sum = b.pool.binary(BinaryOp::Add(Overflow::Wraps), x, y);
            let most = b.pool.constant(Constant::wrapped(Scalar::U16, 255).unwrap());
            let least = b.pool.binary(BinaryOp::Min, sum, most);
            b.pool.cast(Scalar::U8, least)
        },
        commutes: true,
        associative: true,
        identity: Some(|s| integer(s, 0)),
    },
    Row {
        name: "sum of floats",
        scalars: FLOATS,
        make: |b, _| b.pool.binary(BinaryOp::Add(Overflow::Wraps), b.x, b.y),
        commutes: false,
        associative: false,
        identity: Some(|s| eval_float(s, -0.0)),
    },
    // `a < b ? a : b`: a NaN in the middle discards the earlier values.
    Row {
        name: "min of floats",
        scalars: FLOATS,
        make: |b, _| b.pool.binary(BinaryOp::Min, b.x, b.y),
        commutes: false,
        associative: false,
        identity: None,
    },
    Row {
        name: "negate",
        scalars: &[Scalar::I32],
        make: |b, _| b.pool.unary(UnaryOp::Neg(Overflow::Wraps), b.x),
        commutes: true,
        associative: false,
        identity: None,
    },
];

fn eval_float(scalar: Scalar, value: f64) -> Constant {
    if scalar == Scalar::F32 { Constant::f32(value as f32) } else { Constant::f64(value) }
}

#[test]
fn operators_obey_the_laws_that_they_obey() {
    for row in ROWS {
        for scalar in row.scalars {
            let mut build = Build::new(*scalar);
            let value = (row.make)(&mut build, *scalar);
            let check = |law: &Law, expected: bool| {
                let verdict = build.decide(value, law);
                let name = format!("{} of {} {law:?}: {verdict:?}", row.name, scalar.name());
                if expected {
                    assert_eq!(verdict, Verdict::Holds, "{name}");
                } else {
                    assert!(matches!(verdict, Verdict::Fails(_)), "{name}");
                }
            };
            check(&Law::Commutes, row.commutes);
            check(&Law::Associative, row.associative);
            if let Some(identity) = row.identity {
                check(&Law::Identity(vec![identity(*scalar)]), true);
            }
            if scalar.is_machine_integer() {
                let wrong = row
                    .identity
                    .map_or(7, |identity| identity(*scalar).as_integer().unwrap_or(0) ^ 1);
                check(&Law::Identity(vec![integer(*scalar, wrong)]), false);
            }
        }
    }
}

#[test]
fn a_failure_names_values() {
    let mut build = Build::new(Scalar::I32);
    let value = build.pool.binary(BinaryOp::Sub(Overflow::Wraps), build.x, build.y);
    let Verdict::Fails(failure) = build.decide(value, &Law::Associative) else {
        unreachable!("subtraction is not associative")
    };
    let text = failure.to_string();
    assert!(text.starts_with("with x = ") && text.contains("one way gives"), "{text}");
}

#[test]
fn the_argument_of_a_read_is_no_unknown() {
    let mut build = Build::new(Scalar::I32);
    let pool = &mut build.pool;
    let arg = pool.declare_var("i", Type::INT);
    let table = pool.declare_func(halidom_ir::FuncDecl {
        name: "table".into(),
        scalars: vec![Scalar::I32],
        args: vec![arg],
        kind: halidom_ir::FuncKind::Defined { stages: Vec::new(), synthetic: false },
    });
    let at = pool.cast(Scalar::Int, build.x);
    let value = pool.func_ref(table, 0, [at]);
    assert!(matches!(build.decide(value, &Law::Commutes), Verdict::Unknown(_)));
}

#[test]
fn an_update_reads_its_own_location_only() {
    let mut pool = Pool::new();
    let arg = pool.declare_var("x", Type::INT);
    let f = pool.declare_func(halidom_ir::FuncDecl {
        name: "f".into(),
        scalars: vec![Scalar::I32],
        args: vec![arg],
        kind: halidom_ir::FuncKind::Defined { stages: Vec::new(), synthetic: false },
    });
    let x = pool.var_expr(arg);
    let one = pool.int(1);
    let next = pool.add(x, one);
    let (here, there) = (pool.func_ref(f, 0, [x]), pool.func_ref(f, 0, [next]));
    let sum = pool.binary(BinaryOp::Add(Overflow::Wraps), here, there);
    let stage = |lhs, predicate, value| Stage {
        domain: Vec::new(),
        predicate,
        lhs: vec![lhs],
        values: vec![value],
    };
    assert_eq!(law::state(&pool, f, &stage(x, None, here)), Ok(vec![(here, 0)]));
    assert_eq!(law::state(&pool, f, &stage(x, None, sum)), Err(law::NoOperator::ReadsElsewhere));
    let positive = pool.binary(BinaryOp::Gt, here, there);
    let placed = law::state(&pool, f, &stage(x, Some(positive), here));
    assert_eq!(placed, Err(law::NoOperator::Placed));
    let index = pool.expr(Expr::Cast(Scalar::Int, here));
    assert_eq!(law::state(&pool, f, &stage(index, None, x)), Err(law::NoOperator::Placed));
}
