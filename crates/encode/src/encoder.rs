//! The traversal of expressions.

use halidom_base::FxHashMap;
use halidom_ir::{BinaryOp, Expr, ExprId, Intrinsic, Overflow, Pool, Scalar, UnaryOp, VarId};
use halidom_smt::{Sort, TermId, Terms};

use crate::error::EncodeError;
use crate::scalar::{constant, sort};
use crate::{cast, float, integer};

/// Translates expressions to terms, each distinct subexpression once.
///
/// Variables without a given term, loads and refs become constants of the solver: equal expressions
/// become equal constants, different expressions become unrelated constants. One encoder must
/// therefore encode only expressions that are evaluated in one state of memory. In truth more
/// equalities may hold than the terms imply, never fewer.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    vars: FxHashMap<VarId, TermId>,
    done: FxHashMap<ExprId, TermId>,
}

impl Encoder {
    /// Creates an encoder without variables.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the term of a variable. Call this before encoding the first expression that mentions
    /// the variable. The term has the sort of the variable's type.
    pub fn set_var(&mut self, var: VarId, term: TermId) {
        self.vars.insert(var, term);
    }

    /// Sets the term of an expression. Call this before encoding the first expression that contains
    /// it. The term has the sort of the expression's type.
    pub fn set_expr(&mut self, expr: ExprId, term: TermId) {
        self.done.insert(expr, term);
    }

    /// Returns the term of a variable, if it has one.
    pub fn var(&self, var: VarId) -> Option<TermId> {
        self.vars.get(&var).copied()
    }

    /// Returns the term of an expression; its sort follows from the expression's type.
    ///
    /// # Errors
    /// Some part of the expression has no term.
    pub fn expr(
        &mut self,
        terms: &mut Terms,
        pool: &Pool,
        id: ExprId,
    ) -> Result<TermId, EncodeError> {
        if let Some(term) = self.done.get(&id) {
            return Ok(*term);
        }
        let term = self.make(terms, pool, id)?;
        self.done.insert(id, term);
        Ok(term)
    }

    fn make(&mut self, terms: &mut Terms, pool: &Pool, id: ExprId) -> Result<TermId, EncodeError> {
        let ty = pool.ty(id);
        if ty.lanes != 1 {
            return Err(EncodeError::Vector);
        }
        match pool.get(id) {
            Expr::Const(value) => Ok(constant(terms, *value)),
            Expr::Var(var) => Ok(*self
                .vars
                .entry(*var)
                .or_insert_with(|| terms.fresh(&pool.var(*var).name, sort(ty.scalar)))),
            Expr::Unary(op, operand) => {
                let term = self.expr(terms, pool, *operand)?;
                unary(terms, *op, pool.ty(*operand).scalar, term)
            }
            Expr::Binary(op, lhs, rhs) => {
                let scalar = pool.ty(*lhs).scalar;
                if pool.ty(*rhs).scalar != scalar {
                    return Err(EncodeError::IllTyped);
                }
                let lhs = self.expr(terms, pool, *lhs)?;
                let rhs = self.expr(terms, pool, *rhs)?;
                binary(terms, *op, scalar, lhs, rhs)
            }
            Expr::Select { condition, if_true, if_false } => {
                if pool.ty(*condition).scalar != Scalar::Bool
                    || pool.ty(*if_true) != pool.ty(*if_false)
                {
                    return Err(EncodeError::IllTyped);
                }
                let condition = self.expr(terms, pool, *condition)?;
                let if_true = self.expr(terms, pool, *if_true)?;
                let if_false = self.expr(terms, pool, *if_false)?;
                Ok(terms.ite(condition, if_true, if_false))
            }
            Expr::Cast(to, operand) => {
                let term = self.expr(terms, pool, *operand)?;
                cast::cast(terms, pool.ty(*operand).scalar, *to, term)
            }
            Expr::Call(intrinsic, operand) => {
                let term = self.expr(terms, pool, *operand)?;
                call(terms, *intrinsic, pool.ty(*operand).scalar, term)
            }
            // The result is some value; equal expressions share one term.
            Expr::Apply { function, .. } => {
                Ok(terms.fresh(&pool.function(*function).name, sort(ty.scalar)))
            }
            Expr::Ref { func, .. } => Ok(terms.fresh(&pool.func(*func).name, sort(ty.scalar))),
            Expr::Load { buffer, .. } => {
                Ok(terms.fresh(&pool.buffer(*buffer).name, sort(ty.scalar)))
            }
            Expr::Ramp { .. } | Expr::Broadcast { .. } | Expr::Shuffle { .. } => {
                Err(EncodeError::Vector)
            }
            Expr::Hole(_) => Err(EncodeError::Hole),
        }
    }
}

/// Rejects overflow conventions that give no value.
fn total(overflow: Overflow, scalar: Scalar) -> Result<(), EncodeError> {
    match overflow {
        Overflow::AssumedAbsent => Err(EncodeError::AssumedAbsentOverflow),
        Overflow::Wraps | Overflow::Unbounded
            if (overflow == Overflow::Unbounded) != (scalar == Scalar::Int) =>
        {
            Err(EncodeError::IllTyped)
        }
        Overflow::Wraps | Overflow::Unbounded => Ok(()),
    }
}

fn unary(
    terms: &mut Terms,
    op: UnaryOp,
    scalar: Scalar,
    term: TermId,
) -> Result<TermId, EncodeError> {
    match op {
        UnaryOp::Neg(overflow) => {
            total(overflow, scalar)?;
            match sort(scalar) {
                Sort::Int => Ok(terms.negate(term)),
                Sort::BitVec(_) => Ok(terms.bit_vec_negate(term)),
                Sort::Float { .. } => Ok(terms.float_negate(term)),
                Sort::Bool | Sort::Real => Err(EncodeError::IllTyped),
            }
        }
        UnaryOp::Not => match sort(scalar) {
            Sort::Bool => Ok(terms.not(term)),
            Sort::BitVec(_) => Ok(terms.bit_vec_not(term)),
            Sort::Int | Sort::Float { .. } | Sort::Real => Err(EncodeError::IllTyped),
        },
    }
}

fn binary(
    terms: &mut Terms,
    op: BinaryOp,
    scalar: Scalar,
    lhs: TermId,
    rhs: TermId,
) -> Result<TermId, EncodeError> {
    if let BinaryOp::Add(overflow) | BinaryOp::Sub(overflow) | BinaryOp::Mul(overflow) = op {
        total(overflow, scalar)?;
    }
    match sort(scalar) {
        Sort::Bool => logical(terms, op, lhs, rhs),
        Sort::Int => integer::unbounded(terms, op, lhs, rhs),
        Sort::BitVec(_) => Ok(integer::wrapping(terms, op, scalar.is_signed(), lhs, rhs)),
        Sort::Float { .. } => float::binary(terms, op, lhs, rhs),
        Sort::Real => Err(EncodeError::IllTyped),
    }
}

/// Encodes an operator on conditions.
fn logical(
    terms: &mut Terms,
    op: BinaryOp,
    lhs: TermId,
    rhs: TermId,
) -> Result<TermId, EncodeError> {
    match op {
        BinaryOp::And => Ok(terms.and(&[lhs, rhs])),
        BinaryOp::Or => Ok(terms.or(&[lhs, rhs])),
        BinaryOp::Eq => Ok(terms.equal(lhs, rhs)),
        BinaryOp::Xor | BinaryOp::Ne => {
            let equal = terms.equal(lhs, rhs);
            Ok(terms.not(equal))
        }
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => Err(EncodeError::IllTyped),
    }
}

fn call(
    terms: &mut Terms,
    intrinsic: Intrinsic,
    scalar: Scalar,
    term: TermId,
) -> Result<TermId, EncodeError> {
    match sort(scalar) {
        // The result is some value, as for a read; equal expressions share one term.
        sort @ Sort::Float { .. } => Ok(float::call(terms, intrinsic, term)
            .unwrap_or_else(|| terms.fresh(intrinsic.name(), sort))),
        Sort::Int | Sort::BitVec(_)
            if intrinsic == Intrinsic::Abs && (scalar.is_signed() || scalar == Scalar::Int) =>
        {
            Ok(integer::abs(terms, term))
        }
        Sort::Int | Sort::BitVec(_) | Sort::Bool | Sort::Real => Err(EncodeError::IllTyped),
    }
}
