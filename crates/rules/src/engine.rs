//! Applies the rules.

use std::sync::LazyLock;

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Overflow, Pool, Scalar, Type, UnaryOp, eval};

use crate::{Literal, Op, Pattern, PatternVar, Rule, VarKind, VarSort, table};

/// Brings expressions into a form that no rule of [`table::RULES`] matches.
///
/// It remembers its results, so one simplifier should serve many expressions of a pool.
/// Simplification terminates because every rule makes expressions smaller in one well-founded
/// order.
#[derive(Clone, Debug, Default)]
pub struct Simplifier {
    done: FxHashMap<ExprId, ExprId>,
}

/// The rules for each operator, in the order of the table.
static BY_OP: LazyLock<FxHashMap<Op, Vec<&'static Rule>>> = LazyLock::new(|| {
    let mut by_op: FxHashMap<Op, Vec<&Rule>> = FxHashMap::default();
    for rule in table::RULES.iter() {
        if let Pattern::Apply(op, _) = &rule.lhs {
            by_op.entry(*op).or_default().push(rule);
        }
    }
    by_op
});

impl Simplifier {
    /// A simplifier that has no results yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the simplified expression; annotations of loads are simplified too. The result has
    /// the same type as the original, and the same value in every lane wherever the original is
    /// defined.
    pub fn simplify(&mut self, pool: &mut Pool, expr: ExprId) -> ExprId {
        pool.rewrite_bottom_up(expr, &mut self.done, &mut |pool, id, _| normalise(pool, id))
    }
}

/// Returns the normal form of an expression whose operands are normal.
fn normalise(pool: &mut Pool, id: ExprId) -> ExprId {
    if let Some(folded) = fold(pool, id) {
        return folded;
    }
    let Some((op, operands)) = view(pool, id) else { return id };
    let Some(rules) = BY_OP.get(&op) else { return id };
    for rule in rules {
        if let Some(result) = apply(pool, rule, id, &operands) {
            return result;
        }
    }
    id
}

/// Folds an operator on constants into a constant for every lane.
fn fold(pool: &mut Pool, id: ExprId) -> Option<ExprId> {
    let lanes = pool.ty(id).lanes;
    let value = match *pool.get(id) {
        Expr::Unary(op, operand) => eval::unary(op, constant(pool, operand)?).ok()?,
        Expr::Binary(op, lhs, rhs) => {
            eval::binary(op, constant(pool, lhs)?, constant(pool, rhs)?).ok()?
        }
        Expr::Cast(scalar, operand) => eval::cast(scalar, constant(pool, operand)?).ok()?,
        Expr::Call(intrinsic, operand) => {
            eval::intrinsic(intrinsic, constant(pool, operand)?).ok()?
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Select { .. }
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => return None,
    };
    Some(splat(pool, value, lanes))
}

/// The value of a constant, or of a constant that is broadcast.
fn constant(pool: &Pool, id: ExprId) -> Option<Constant> {
    match *pool.get(id) {
        Expr::Const(value) => Some(value),
        Expr::Broadcast { value, .. } => pool.as_constant(value),
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

fn splat(pool: &mut Pool, value: Constant, lanes: u32) -> ExprId {
    let value = pool.constant(value);
    if lanes == 1 { value } else { pool.expr(Expr::Broadcast { value, lanes }) }
}

/// Splits an expression into an operator of patterns and its operands. Returns `None` for all other
/// expressions, and for arithmetic that is assumed not to overflow.
fn view(pool: &Pool, id: ExprId) -> Option<(Op, Vec<ExprId>)> {
    Some(match *pool.get(id) {
        Expr::Unary(UnaryOp::Not, operand) => (Op::Not, vec![operand]),
        Expr::Unary(UnaryOp::Neg(overflow), operand) => (Op::Neg, vec![total(overflow, operand)?]),
        Expr::Binary(op, lhs, rhs) => (binary_op(op)?, vec![lhs, rhs]),
        Expr::Select { condition, if_true, if_false } => {
            (Op::Select, vec![condition, if_true, if_false])
        }
        Expr::Ramp { base, stride, .. } => (Op::Ramp, vec![base, stride]),
        Expr::Broadcast { value, .. } => (Op::Broadcast, vec![value]),
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => return None,
    })
}

fn total<T>(overflow: Overflow, value: T) -> Option<T> {
    (overflow != Overflow::AssumedAbsent).then_some(value)
}

fn binary_op(op: BinaryOp) -> Option<Op> {
    Some(match op {
        BinaryOp::Add(overflow) => total(overflow, Op::Add)?,
        BinaryOp::Sub(overflow) => total(overflow, Op::Sub)?,
        BinaryOp::Mul(overflow) => total(overflow, Op::Mul)?,
        BinaryOp::Div => Op::Div,
        BinaryOp::Mod => Op::Mod,
        BinaryOp::Min => Op::Min,
        BinaryOp::Max => Op::Max,
        BinaryOp::And => Op::And,
        BinaryOp::Or => Op::Or,
        BinaryOp::Xor => Op::Xor,
        BinaryOp::Shl => Op::Shl,
        BinaryOp::Shr => Op::Shr,
        BinaryOp::Eq => Op::Eq,
        BinaryOp::Ne => Op::Ne,
        BinaryOp::Lt => Op::Lt,
        BinaryOp::Le => Op::Le,
        BinaryOp::Gt => Op::Gt,
        BinaryOp::Ge => Op::Ge,
    })
}

/// The bindings of a rule's variables.
struct Bindings {
    main: Option<Scalar>,
    exprs: Vec<(&'static str, ExprId)>,
    constants: Vec<(&'static str, Constant)>,
}

/// Returns the simplified right side of a rule if the rule matches.
fn apply(pool: &mut Pool, rule: &Rule, id: ExprId, operands: &[ExprId]) -> Option<ExprId> {
    let Pattern::Apply(_, patterns) = &rule.lhs else { return None };
    let mut bindings = Bindings { main: None, exprs: Vec::new(), constants: Vec::new() };
    for (pattern, operand) in patterns.iter().zip(operands) {
        if !bindings.matches(pool, pattern, *operand) {
            return None;
        }
    }
    let main = bindings.main.unwrap_or(Scalar::Bool);
    if !rule.types.contains(main) {
        return None;
    }
    let holds = rule.when.iter().all(|condition| {
        bindings.evaluate(condition, main).and_then(Constant::as_bool) == Some(true)
    });
    if !holds {
        return None;
    }
    let ty = pool.ty(id);
    bindings.build(pool, &rule.rhs, main, ty)
}

impl Bindings {
    /// Tests whether the rule's type is `scalar`. A type that is still open becomes `scalar`.
    fn is_main(&mut self, scalar: Scalar) -> bool {
        *self.main.get_or_insert(scalar) == scalar
    }

    fn matches(&mut self, pool: &Pool, pattern: &Pattern, id: ExprId) -> bool {
        match pattern {
            Pattern::Var(var) => self.bind(pool, *var, id),
            Pattern::Literal(literal) => constant(pool, id).is_some_and(|value| {
                // A number that comes before any variable does not know the rule's type, so it
                // matches in the type of the constant in its place.
                let scalar = value.scalar();
                let right_type = match literal {
                    Literal::Condition(_) => scalar == Scalar::Bool,
                    Literal::Number(_) | Literal::NegativeZero => self.is_main(scalar),
                };
                right_type && literal.value(scalar) == Some(value)
            }),
            Pattern::Apply(op, patterns) => match view(pool, id) {
                Some((found, operands)) => {
                    found == *op
                        && patterns
                            .iter()
                            .zip(operands)
                            .all(|(pattern, operand)| self.matches(pool, pattern, operand))
                }
                None => false,
            },
        }
    }

    fn bind(&mut self, pool: &Pool, var: PatternVar, id: ExprId) -> bool {
        let scalar = pool.ty(id).scalar;
        let right_type = match var.sort {
            VarSort::Main => self.is_main(scalar),
            VarSort::Condition => scalar == Scalar::Bool,
        };
        if !right_type {
            return false;
        }
        let value = constant(pool, id);
        match (var.kind, value) {
            (VarKind::Any, _) | (VarKind::NotConstant, None) => {
                bind_in(&mut self.exprs, var.name, id)
            }
            (VarKind::Constant, Some(value)) => bind_in(&mut self.constants, var.name, value),
            (VarKind::NotConstant, Some(_)) | (VarKind::Constant, None) => false,
        }
    }

    /// Evaluates a pattern over constants.
    fn evaluate(&self, pattern: &Pattern, main: Scalar) -> Option<Constant> {
        match pattern {
            Pattern::Var(var) => find(&self.constants, var.name),
            Pattern::Literal(literal) => literal.value(main),
            Pattern::Apply(op, operands) => {
                let values = operands
                    .iter()
                    .map(|operand| self.evaluate(operand, main))
                    .collect::<Option<Vec<_>>>()?;
                let (first, second) = (values.first()?, values.get(1));
                match (op.unary(main), op.binary(main), second) {
                    (Some(op), _, None) => eval::unary(op, *first).ok(),
                    (_, Some(op), Some(second)) => eval::binary(op, *first, *second).ok(),
                    (Some(_) | None, Some(_) | None, Some(_) | None) => None,
                }
            }
        }
    }

    /// Returns the normal form of a pattern with `ty`'s lanes, or `None` if a constant part has no
    /// value.
    fn build(&self, pool: &mut Pool, pattern: &Pattern, main: Scalar, ty: Type) -> Option<ExprId> {
        if pattern.is_constant() {
            let value = self.evaluate(pattern, main)?;
            return Some(splat(pool, value, ty.lanes));
        }
        let (op, operands) = match pattern {
            Pattern::Var(var) => return find(&self.exprs, var.name),
            Pattern::Literal(_) => return None,
            Pattern::Apply(op, operands) => (*op, operands),
        };
        let lanes = if matches!(op, Op::Ramp | Op::Broadcast) { 1 } else { ty.lanes };
        let built = operands
            .iter()
            .map(|operand| self.build(pool, operand, main, Type { lanes, ..ty }))
            .collect::<Option<Vec<_>>>()?;
        let expr = match (op, built.as_slice()) {
            (Op::Broadcast, &[value]) => Expr::Broadcast { value, lanes: ty.lanes },
            (Op::Ramp, &[base, stride]) => Expr::Ramp { base, stride, lanes: ty.lanes },
            (Op::Select, &[condition, if_true, if_false]) => {
                Expr::Select { condition, if_true, if_false }
            }
            (op, &[operand]) => Expr::Unary(op.unary(main)?, operand),
            (op, &[lhs, rhs]) => Expr::Binary(op.binary(main)?, lhs, rhs),
            (_, _) => return None,
        };
        let id = pool.expr(expr);
        Some(normalise(pool, id))
    }
}

fn bind_in<T: Copy + PartialEq>(
    bound: &mut Vec<(&'static str, T)>,
    name: &'static str,
    value: T,
) -> bool {
    match find(bound, name) {
        Some(earlier) => earlier == value,
        None => {
            bound.push((name, value));
            true
        }
    }
}

fn find<T: Copy>(bound: &[(&'static str, T)], name: &str) -> Option<T> {
    bound.iter().find(|(bound, _)| *bound == name).map(|(_, value)| *value)
}
