//! Tests of the simplifier on expressions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use halidom_base::FxHashMap;
use halidom_ir::visit::parts;
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, Overflow, Pool, Scalar, Stmt, Type, UnaryOp, VarId, eval,
    parse, print,
};
use halidom_rules::Simplifier;

const HEAD: &str = "algorithm t {
  param a: int; param b: int; param d: int;
  param i: i16; param u: u8; param f: f32; param p: bool; param q: bool;
  input in(ix): f32 in in.buffer [m0, e0, 1];
  func g(x): TYPE { stage(x) = ";

/// The simplified text of an expression over the variables of [`HEAD`].
fn simplified(ty: &str, text: &str) -> String {
    let source = format!("{}{text}; }} output g; }}", HEAD.replace("TYPE", ty));
    let mut module = parse::module(&source).unwrap();
    let value = module.pool.func(module.algorithm.funcs[0]).stages()[0].values[0];
    let result = Simplifier::new().simplify(&mut module.pool, value);
    print::expr(&module.pool, result)
}

#[test]
fn expressions_become_simpler() {
    for (text, expected) in [
        ("(a + 1 - b) * 1 + 0", "a - b + 1"),
        ("max(a, min(a + b * 8, a + d - 8)) + 1 - a", "max(a, min(a + b * 8, a + d + -8)) - a + 1"),
        ("(a * 8 + b) / 8", "a + b / 8"),
        ("(a * 8 + 16) / 4", "a * 2 + 4"),
        ("(1 + a) + (2 + b)", "a + b + 3"),
        ("a + 3 - (a + b) + b", "3"),
        ("select(a + 1 > a, a, b)", "a"),
        ("select(a < b, a, b)", "min(a, b)"),
        ("min(min(a, 7), 5)", "min(a, 5)"),
        ("3 / 0 + a", "a"),
        (
            "max(max(max(min(a - b * 8, 8), 0), min(a - b * 8 + 1, 9)), min(a - b * 8 + 2, 10))",
            "max(min(a - b * 8 + 2, 10), 0)",
        ),
    ] {
        assert_eq!(simplified("int", text), expected, "{text}");
    }
    for (ty, text, expected) in [
        ("i16", "(i + 1i16) - i", "1i16"),
        ("i16", "i + 32767i16 + 1i16", "i + -32768i16"),
        ("u8", "select(u < 0u8, u, 3u8)", "3u8"),
        ("u8", "(u + 1u8) / 1u8 * 0u8", "0u8"),
        ("f32", "f * 1.0f32 - 0.0f32", "f"),
        ("f32", "in(a + 0)", "in(a)"),
        ("bool", "!(a < b) & (p | !p)", "b <= a"),
        ("bool", "(p & q) & p", "p & q"),
    ] {
        assert_eq!(simplified(ty, text), expected, "{text}");
    }
}

#[test]
fn what_only_looks_alike_stays() {
    for (ty, text) in [
        ("f32", "f + 0.0f32"),
        ("f32", "f - f"),
        ("f32", "f * 0.0f32"),
        ("bool", "f == f"),
        ("bool", "i < i + 1i16"),
        ("u8", "u * 3u8 / 3u8"),
        ("i16", "i +! 1i16 +! 2i16"),
        ("bool", "select(p, q, false)"),
    ] {
        assert_eq!(simplified(ty, text), text);
    }
}

#[test]
fn vectors_become_ramps_and_broadcasts() {
    let text = "in.buffer[ramp(a, 1, 4) - broadcast(b, 4) + broadcast(2, 4) * broadcast(d, 4)]";
    let source = format!("{} 0.0f32; }} output g; }}", HEAD.replace("TYPE", "f32"));
    let program = format!(
        "program t {{ output g in g.buffer [gm, ge, 1] window [wm, we]; g.buffer[ramp(a, 0, 4)] = \
            {text}; }}"
    );
    let mut module = parse::module(&format!("{source}\n{program}")).unwrap();
    let body = module.program.unwrap().body;
    let store = parts(&module.pool, body)[0];
    let Stmt::Store { index, value, .. } = *module.pool.get_stmt(store) else {
        panic!("the program is one store")
    };
    let mut simplifier = Simplifier::new();
    let index = simplifier.simplify(&mut module.pool, index);
    let value = simplifier.simplify(&mut module.pool, value);
    assert_eq!(print::expr(&module.pool, index), "broadcast(a, 4)");
    assert_eq!(print::expr(&module.pool, value), "in.buffer[ramp(a - b + d * 2, 1, 4)]");
}

/// The value of one lane of an expression over variables, which have one value in all lanes.
/// Returns `None` where the evaluator has no value.
fn evaluate(
    pool: &Pool,
    id: ExprId,
    values: &FxHashMap<VarId, Constant>,
    lane: i128,
) -> Option<Constant> {
    let operand = |id: ExprId| evaluate(pool, id, values, lane);
    match *pool.get(id) {
        Expr::Const(value) => Some(value),
        Expr::Var(var) => values.get(&var).copied(),
        Expr::Unary(op, a) => eval::unary(op, operand(a)?).ok(),
        Expr::Binary(op, a, b) => eval::binary(op, operand(a)?, operand(b)?).ok(),
        Expr::Select { condition, if_true, if_false } => {
            operand(if operand(condition)?.as_bool()? { if_true } else { if_false })
        }
        Expr::Ramp { base, stride, .. } => {
            let (base, stride) = (operand(base)?.as_integer()?, operand(stride)?.as_integer()?);
            Some(Constant::int(base + lane * stride))
        }
        Expr::Broadcast { value, .. } => operand(value),
        Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// A pseudorandom sequence (xorshift) that is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

struct Generator {
    pool: Pool,
    numbers: Numbers,
    scalar: Scalar,
    vars: Vec<VarId>,
    lanes: u32,
}

impl Generator {
    fn constant(&mut self) -> Constant {
        let small = self.numbers.below(9) as i128 - 4;
        if self.scalar.is_float() {
            eval::cast(self.scalar, Constant::int(small)).unwrap()
        } else {
            Constant::wrapped(self.scalar, small).unwrap()
        }
    }

    /// A variable or a constant.
    fn scalar_leaf(&mut self) -> ExprId {
        if self.numbers.below(3) == 0 {
            let value = self.constant();
            return self.pool.constant(value);
        }
        let var = self.vars[self.numbers.below(self.vars.len())];
        self.pool.var_expr(var)
    }

    fn leaf(&mut self) -> ExprId {
        let value = self.scalar_leaf();
        let lanes = self.lanes;
        if lanes == 1 {
            value
        } else if self.scalar == Scalar::Int && self.numbers.below(2) == 0 {
            let stride = self.scalar_leaf();
            self.pool.expr(Expr::Ramp { base: value, stride, lanes })
        } else {
            self.pool.expr(Expr::Broadcast { value, lanes })
        }
    }

    fn expr(&mut self, depth: usize) -> ExprId {
        use BinaryOp::{Add, Div, Max, Min, Mod, Mul, Sub};
        let overflow =
            if self.scalar == Scalar::Int { Overflow::Unbounded } else { Overflow::Wraps };
        if depth == 0 || self.numbers.below(8) == 0 {
            return self.leaf();
        }
        let ops = [
            Add(overflow),
            Sub(overflow),
            Mul(overflow),
            Min,
            Max,
            Add(overflow),
            Sub(overflow),
            Div,
            Mod,
        ];
        let count = if self.scalar.is_float() { ops.len() - 1 } else { ops.len() };
        match self.numbers.below(count + 2) {
            choice if choice < count => {
                let (lhs, rhs) = (self.expr(depth - 1), self.expr(depth - 1));
                self.pool.binary(ops[choice], lhs, rhs)
            }
            choice if choice == count => {
                let operand = self.expr(depth - 1);
                self.pool.unary(UnaryOp::Neg(overflow), operand)
            }
            _ => {
                let condition = self.condition(depth - 1);
                let (if_true, if_false) = (self.expr(depth - 1), self.expr(depth - 1));
                self.pool.select(condition, if_true, if_false)
            }
        }
    }

    fn condition(&mut self, depth: usize) -> ExprId {
        use BinaryOp::{And, Eq, Ge, Gt, Le, Lt, Ne, Or, Xor};
        if depth > 0 {
            let logical = [And, Or, Xor, Ne];
            match self.numbers.below(8) {
                choice if choice < 4 => {
                    let (lhs, rhs) = (self.condition(depth - 1), self.condition(depth - 1));
                    return self.pool.binary(logical[choice], lhs, rhs);
                }
                4 => {
                    let operand = self.condition(depth - 1);
                    return self.pool.unary(UnaryOp::Not, operand);
                }
                _ => {}
            }
        }
        let op = [Eq, Ne, Lt, Le, Gt, Ge][self.numbers.below(6)];
        let (lhs, rhs) = (self.expr(depth.min(2)), self.expr(depth.min(2)));
        self.pool.binary(op, lhs, rhs)
    }
}

#[test]
fn random_expressions_keep_their_values() {
    let mut changed = 0;
    for (scalar, lanes) in [
        (Scalar::Int, 1),
        (Scalar::Int, 4),
        (Scalar::I8, 1),
        (Scalar::U8, 2),
        (Scalar::I32, 1),
        (Scalar::U64, 1),
        (Scalar::F32, 1),
    ] {
        let mut pool = Pool::new();
        let vars = (0..3).map(|_| pool.declare_var("v", Type::scalar(scalar))).collect();
        let numbers = Numbers(0x9e37_79b9_7f4a_7c15);
        let mut generator = Generator { pool, numbers, scalar, vars, lanes };
        let mut simplifier = Simplifier::new();
        for _ in 0..1500 {
            let expr = generator.expr(5);
            let result = simplifier.simplify(&mut generator.pool, expr);
            assert_eq!(generator.pool.ty(result), generator.pool.ty(expr));
            let again = Simplifier::new().simplify(&mut generator.pool, result);
            assert_eq!(result, again, "simplifying twice is simplifying once");
            changed += usize::from(result != expr);
            for lane in [0, 0, 0, 0, i128::from(lanes) - 1, i128::from(lanes) / 2] {
                let vars = generator.vars.clone();
                let values = vars.into_iter().map(|var| (var, generator.constant())).collect();
                if let Some(expected) = evaluate(&generator.pool, expr, &values, lane) {
                    let found = evaluate(&generator.pool, result, &values, lane);
                    let texts = [expr, result].map(|id| print::expr(&generator.pool, id));
                    assert_eq!(found, Some(expected), "{scalar}: {texts:#?}");
                }
            }
        }
    }
    assert!(changed > 5000, "only {changed} expressions were simplified");
}
