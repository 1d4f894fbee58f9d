//! Checks on extreme and random operands that the solver's value of each operator's term equals the
//! result of `ir::eval`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use halidom_encode::{EncodeError, Encoder, constant, sort};
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, Intrinsic, Overflow, Pool, Scalar, Type, UnaryOp, eval,
};
use halidom_smt::{Answer, Family, Options, Program, Solver, Terms};

const BINARY: [fn(Overflow) -> BinaryOp; 18] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    |_| BinaryOp::Div,
    |_| BinaryOp::Mod,
    |_| BinaryOp::Min,
    |_| BinaryOp::Max,
    |_| BinaryOp::And,
    |_| BinaryOp::Or,
    |_| BinaryOp::Xor,
    |_| BinaryOp::Shl,
    |_| BinaryOp::Shr,
    |_| BinaryOp::Eq,
    |_| BinaryOp::Ne,
    |_| BinaryOp::Lt,
    |_| BinaryOp::Le,
    |_| BinaryOp::Gt,
    |_| BinaryOp::Ge,
];

fn overflow(scalar: Scalar) -> Overflow {
    if scalar == Scalar::Int { Overflow::Unbounded } else { Overflow::Wraps }
}

/// A pseudorandom sequence of numbers (xorshift), the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Extreme values of a type, then random ones.
fn operands(scalar: Scalar, numbers: &mut Numbers) -> Vec<Constant> {
    let mut values = Vec::new();
    if let (Some(bits), true) = (scalar.bits(), scalar.is_float()) {
        let specials = [
            0.0,
            -0.0,
            1.0,
            -0.5,
            1.5,
            2.5,
            255.5,
            -129.0,
            3e9,
            -1e19,
            1e300,
            f64::INFINITY,
            f64::NAN,
        ];
        values.extend(specials.map(|value| eval::cast(scalar, Constant::f64(value)).unwrap()));
        values.extend([1, 0x8000_0001].map(|bits| Constant::from_bits(scalar, bits).unwrap()));
        // Floats with random bits are mostly huge or tiny; random integers are not.
        for _ in 0..4 {
            values.push(Constant::from_bits(scalar, numbers.next() >> (64 - bits)).unwrap());
            values.push(
                eval::cast(scalar, Constant::int(i128::from(numbers.next() as i32))).unwrap(),
            );
        }
        return values;
    }
    let (low, high) = scalar.range().unwrap_or((-(1 << 70), 1 << 70));
    for value in [low, low + 1, -9, -2, -1, 0, 1, 2, 3, 7, 8, 63, 64, high - 1, high] {
        values.push(Constant::wrapped(scalar, value).unwrap());
    }
    for _ in 0..3 {
        values.push(Constant::wrapped(scalar, i128::from(numbers.next() as i64)).unwrap());
    }
    values.dedup();
    values
}

/// Claims about one type, checked in one query: no expression may differ from its expected value.
struct Claims {
    pool: Pool,
    terms: Terms,
    encoder: Encoder,
    differences: Vec<halidom_smt::TermId>,
    given: Vec<halidom_smt::TermId>,
    counted: usize,
}

impl Claims {
    fn new() -> Self {
        Self {
            pool: Pool::new(),
            terms: Terms::new(),
            encoder: Encoder::new(),
            differences: Vec::new(),
            given: Vec::new(),
            counted: 0,
        }
    }

    /// Makes an operand. It alternates between literals and variables constrained to the value,
    /// because the terms of literals may be built differently.
    fn operand(&mut self, value: Constant) -> ExprId {
        self.counted += 1;
        // Floats get few variables: the solver splits arithmetic on them into bits.
        let every = if value.scalar().is_float() { 29 } else { 5 };
        if !self.counted.is_multiple_of(every) {
            return self.pool.constant(value);
        }
        let scalar = value.scalar();
        let var = self.pool.declare_var("v", Type::scalar(scalar));
        let term = self.terms.fresh("v", sort(scalar));
        self.encoder.set_var(var, term);
        let literal = constant(&mut self.terms, value);
        self.given.push(self.terms.equal(term, literal));
        self.pool.var_expr(var)
    }

    fn claim(&mut self, expr: ExprId, expected: Result<Constant, eval::EvalError>) {
        match (self.encoder.expr(&mut self.terms, &self.pool, expr), expected) {
            (Ok(term), Ok(expected)) => {
                let expected = constant(&mut self.terms, expected);
                let equal = self.terms.equal(term, expected);
                self.differences.push(self.terms.not(equal));
            }
            (Err(EncodeError::IllTyped), Err(eval::EvalError::IllTyped)) => {}
            // The evaluator of `int` stops at 128 bits; the solver does not.
            (Ok(_), Err(eval::EvalError::BeyondEvaluator)) => {}
            (term, value) => panic!("encoded as {term:?}, evaluated to {value:?}"),
        }
    }

    fn check(mut self, label: &str) {
        assert!(!self.differences.is_empty(), "{label}: nothing is claimed");
        let mut options = Options::new(Program::find(Family::Z3, None).unwrap());
        options.memory_mib = 2048;
        options.soft_timeout = std::time::Duration::from_mins(1);
        options.hard_timeout = std::time::Duration::from_secs(70);
        let mut solver = Solver::open(options).unwrap();
        for given in &self.given {
            solver.assert(&self.terms, *given);
        }
        // Without the claims the query must have a model; otherwise anything would follow.
        assert!(
            matches!(solver.check_fresh(&self.terms, label), Answer::Sat(_)),
            "{label}: vacuous"
        );
        let different = self.terms.or(&self.differences);
        solver.assert(&self.terms, different);
        match solver.check_fresh(&self.terms, label) {
            Answer::Unsat => {}
            Answer::Sat(_) => {
                for difference in &self.differences {
                    solver.push();
                    solver.assert(&self.terms, *difference);
                    let answer = solver.check(&self.terms, label);
                    assert!(answer == Answer::Unsat, "{label}: {difference:?} {answer:?}");
                    solver.pop();
                }
            }
            Answer::Unknown(reason) => panic!("{label}: {reason}"),
        }
    }
}

fn check_operators(scalars: &[Scalar]) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for scalar in scalars {
        let mut claims = Claims::new();
        let values = operands(*scalar, &mut numbers);
        for lhs in &values {
            for rhs in &values {
                for op in BINARY {
                    let op = op(overflow(*scalar));
                    let (a, b) = (claims.operand(*lhs), claims.operand(*rhs));
                    let expr = claims.pool.binary(op, a, b);
                    claims.claim(expr, eval::binary(op, *lhs, *rhs));
                }
            }
        }
        claims.check(scalar.name());
    }
}

#[test]
fn operators_on_narrow_integers_and_conditions() {
    check_operators(&[Scalar::Bool, Scalar::I8, Scalar::U8, Scalar::I16, Scalar::U16]);
}

#[test]
fn operators_on_wide_integers() {
    check_operators(&[Scalar::I32, Scalar::U32, Scalar::I64, Scalar::U64, Scalar::Int]);
}

#[test]
fn operators_on_floats() {
    check_operators(&[Scalar::F32, Scalar::F64]);
}

#[test]
fn conversions_and_functions_of_one_operand() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for scalar in Scalar::ALL {
        let mut claims = Claims::new();
        for value in operands(scalar, &mut numbers) {
            for op in [UnaryOp::Neg(overflow(scalar)), UnaryOp::Not] {
                if scalar == Scalar::Bool && op != UnaryOp::Not {
                    continue;
                }
                let operand = claims.operand(value);
                let expr = claims.pool.unary(op, operand);
                claims.claim(expr, eval::unary(op, value));
            }
            for to in Scalar::ALL {
                let operand = claims.operand(value);
                let expr = claims.pool.expr(Expr::Cast(to, operand));
                claims.claim(expr, eval::cast(to, value));
            }
            for intrinsic in Intrinsic::ALL.into_iter().filter(|known| known.is_ieee()) {
                let operand = claims.operand(value);
                let expr = claims.pool.call(intrinsic, operand);
                claims.claim(expr, eval::intrinsic(intrinsic, value));
            }
            for (condition, chosen) in [(true, value), (false, Constant::zero(scalar))] {
                let (p, x, y) = (
                    claims.operand(Constant::bool(condition)),
                    claims.operand(value),
                    claims.operand(Constant::zero(scalar)),
                );
                let expr = claims.pool.select(p, x, y);
                claims.claim(expr, Ok(chosen));
            }
        }
        claims.check(scalar.name());
    }
}

#[test]
fn what_has_no_term_is_an_error() {
    let mut claims = Claims::new();
    let x = claims.pool.constant(Constant::zero(Scalar::I32));
    let assumed = claims.pool.binary(BinaryOp::Add(Overflow::AssumedAbsent), x, x);
    let vector = claims.pool.expr(Expr::Broadcast { value: x, lanes: 4 });
    let unbounded = claims.pool.binary(BinaryOp::Add(Overflow::Unbounded), x, x);
    for (expr, expected) in [
        (assumed, EncodeError::AssumedAbsentOverflow),
        (vector, EncodeError::Vector),
        (unbounded, EncodeError::IllTyped),
    ] {
        assert_eq!(claims.encoder.expr(&mut claims.terms, &claims.pool, expr), Err(expected));
    }
}
