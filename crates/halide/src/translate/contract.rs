//! The conditions that a translated statement rests on beyond its own checks, as data.

use std::collections::BTreeSet;

use halidom_base::FxHashSet;
use halidom_ir::{
    Algorithm, BinaryOp, Check, Expr, ExprId, Overflow, Pool, Scalar, Stmt, StmtId, UnaryOp,
};

use super::ops::Widths;
use crate::Condition;

/// A condition as an entry check of the translated program. The compiled code does not evaluate it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The condition of the closed list that it is a part of.
    pub condition: Condition,
    /// The expression of the entry check.
    pub expr: ExprId,
}

/// The conditions that a verdict rests on beyond the statement's own checks, and the widths in
/// which the code computes.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// Conditions with an entry check.
    pub clauses: Vec<Clause>,
    /// Conditions without an entry check, on the way in which the code runs.
    pub others: BTreeSet<Condition>,
    /// The widths in which the code computes `int`s.
    pub widths: Widths,
    /// The widths of the pipeline's own `int`s, which do not overflow.
    pub specified: Widths,
    /// Extents of outputs that the pipeline fixes to 1.
    pub single: FxHashSet<ExprId>,
    /// True if no memory of 2^31 bytes or more is allocated: the code refuses to, or
    /// [`Condition::Allocations`] excludes it. This holds for all that stock Halide compiles, and
    /// not by default.
    pub checks_memory: bool,
    /// True if the statement has operators on floats that are not strict, and the pipeline none.
    pub(super) has_own_floats: bool,
}

impl Contract {
    /// Adds an entry check for a part of a condition.
    pub fn add(
        &mut self,
        pool: &mut Pool,
        condition: Condition,
        (expr, check): (ExprId, Check),
    ) -> StmtId {
        self.clauses.push(Clause { condition, expr });
        pool.stmt(Stmt::Assert { condition: expr, check })
    }

    /// All conditions, each once.
    pub fn conditions(&self) -> BTreeSet<Condition> {
        let clauses = self.clauses.iter().map(|clause| clause.condition.clone());
        clauses.chain(self.others.iter().cloned()).collect()
    }
}

/// The conditions on every statement, and those on values that leave their type. The latter depend
/// on what the pipeline computes.
pub(super) fn computes(pool: &Pool, algorithm: &Algorithm, widths: &Widths) -> BTreeSet<Condition> {
    let mut found =
        BTreeSet::from([Condition::Disjoint, Condition::IndexWraps, Condition::PipelineFits]);
    let stages = algorithm.funcs.iter().flat_map(|func| pool.func(*func).stages());
    for stage in stages {
        for expr in stage.values.iter().chain(&stage.lhs).chain(&stage.predicate) {
            pool.for_each_subexpr(*expr, &mut |id, node| match node {
                Expr::Binary(
                    BinaryOp::Add(overflow) | BinaryOp::Sub(overflow) | BinaryOp::Mul(overflow),
                    ..,
                )
                | Expr::Unary(UnaryOp::Neg(overflow), _)
                    if *overflow == Overflow::AssumedAbsent && !pool.ty(id).scalar.is_float() =>
                {
                    found.insert(Condition::ValuesWrap);
                }
                Expr::Cast(to, inner) => {
                    let from = pool.ty(*inner).scalar;
                    // A coordinate becomes a value.
                    if from == Scalar::Int && *to != Scalar::Int {
                        found.insert(Condition::ValuesWrap);
                    }
                }
                Expr::Const(_)
                | Expr::Var(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ref { .. }
                | Expr::Load { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => {}
            });
        }
    }
    let stages = algorithm.funcs.iter().flat_map(|func| pool.func(*func).stages());
    let roots = stages.flat_map(|stage| {
        let ends = stage.domain.iter().flat_map(|variable| [variable.min, variable.extent]);
        stage.roots().chain(ends)
    });
    let demands = algorithm.requires.iter().map(|require| require.condition);
    for expr in roots.chain(demands) {
        found.extend(converted(pool, widths, expr, None));
        pool.for_each_subexpr(expr, &mut |_, node| {
            node.for_each_operand(|operand| {
                found.extend(converted(pool, widths, operand, Some(node)));
            });
        });
    }
    found
}

/// Tests whether a definition of an algorithm names a function.
pub(super) fn names_function(pool: &Pool, algorithm: &Algorithm, function: &str) -> bool {
    let mut found = false;
    let stages = algorithm.funcs.iter().flat_map(|func| pool.func(*func).stages());
    for root in stages.flat_map(halidom_ir::Stage::roots) {
        pool.for_each_subexpr(root, &mut |_, node| {
            found |= matches!(node, Expr::Apply { function: named, .. }
                if pool.function(*named).name == function);
        });
    }
    found
}

/// The condition on an expression that converts a float to an integer. A conversion to a narrow
/// type goes through 64 bits (`Ops::cast`): then `user` converts the result to that type. A direct
/// one is a step of a translation, and its operand fits the type.
fn converted(pool: &Pool, widths: &Widths, expr: ExprId, user: Option<&Expr>) -> Option<Condition> {
    let Expr::Cast(to, inner) = pool.get(expr) else { return None };
    if !pool.ty(*inner).scalar.is_float() || to.is_float() || *to == Scalar::Bool {
        return None;
    }
    let narrow = |to: &Scalar| to.bytes().is_some_and(|bytes| bytes < 4) || *to == Scalar::U32;
    if narrow(to) || widths.fits(expr) {
        return None;
    }
    let is_narrowed = *to == Scalar::I64
        && !widths.is_kept(expr)
        && matches!(user, Some(Expr::Cast(to, _)) if narrow(to));
    Some(if is_narrowed { Condition::ConversionsWrap } else { Condition::ConversionsFit })
}
