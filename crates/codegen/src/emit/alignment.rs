//! Residues of element numbers modulo the length of a vector.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, BufferId, BufferKind, Expr, ExprId, Pool, Scalar, StoreIn, UnaryOp, VarId,
};
use halidom_sums::{Atom, Choice, Product};

/// An expression as a sum.
type Sum = halidom_sums::Sum<Product<Atom<ExprId>>>;

/// The values of `int` variables that lets bind, and expressions as sums over the other variables.
/// Every binder is unique, so a recorded fact about a variable stays true.
#[derive(Debug, Default)]
pub(crate) struct Residues {
    lets: FxHashMap<VarId, ExprId>,
    done: FxHashMap<ExprId, Option<Sum>>,
    sums: halidom_sums::Residues<ExprId>,
}

impl Residues {
    /// Records the value that a variable is bound to. A value that loads from memory is not
    /// recorded, because memory may change later.
    pub(crate) fn bind(&mut self, pool: &Pool, var: VarId, value: ExprId) {
        let mut loads = false;
        pool.for_each_subexpr(value, &mut |_, expr| loads |= matches!(expr, Expr::Load { .. }));
        if pool.ty(value).scalar == Scalar::Int && !loads {
            self.lets.insert(var, value);
        }
    }

    /// Tests whether a vector of `lanes` elements lies within the buffer's memory if it contains an
    /// element of the buffer and begins at a multiple of its length.
    pub(crate) fn holds_whole(&mut self, pool: &Pool, buffer: BufferId, lanes: u32) -> bool {
        let decl = pool.buffer(buffer);
        if let StoreIn::Within(lender) = decl.store_in {
            return self.holds_whole(pool, lender, lanes);
        }
        decl.kind == BufferKind::Internal
            && decl.dims.iter().any(|dim| self.of(pool, dim.extent, lanes.into()) == Some(0))
    }

    /// Returns the remainder of a scalar divided by a positive number, if it is the same for all
    /// values of the variables.
    pub(crate) fn of(&mut self, pool: &Pool, id: ExprId, divisor: i128) -> Option<i128> {
        let sum = self.sum(pool, id)?;
        self.sums.residue(&sum, divisor)
    }

    fn sum(&mut self, pool: &Pool, id: ExprId) -> Option<Sum> {
        if let Some(done) = self.done.get(&id) {
            return done.clone();
        }
        let sum = self.new_sum(pool, id);
        self.done.insert(id, sum.clone());
        sum
    }

    fn new_sum(&mut self, pool: &Pool, id: ExprId) -> Option<Sum> {
        match *pool.get(id) {
            Expr::Const(value) => value.as_integer().map(Sum::constant),
            Expr::Var(var) => match self.lets.get(&var) {
                Some(value) => self.sum(pool, *value),
                None => Some(Sum::atom(Atom::Whole(id))),
            },
            Expr::Unary(UnaryOp::Neg(_), operand) => self.sum(pool, operand)?.scaled(-1),
            Expr::Binary(BinaryOp::Add(_), lhs, rhs) => {
                self.sum(pool, lhs)?.plus(&self.sum(pool, rhs)?, 1)
            }
            Expr::Binary(BinaryOp::Sub(_), lhs, rhs) => {
                self.sum(pool, lhs)?.plus(&self.sum(pool, rhs)?, -1)
            }
            Expr::Binary(BinaryOp::Mul(_), lhs, rhs) => {
                let (lhs, rhs) = (self.sum(pool, lhs)?, self.sum(pool, rhs)?);
                self.sums.product(&lhs, &rhs)
            }
            Expr::Binary(BinaryOp::Min, lhs, rhs) => self.one_of(pool, Choice::Least, lhs, rhs),
            Expr::Binary(BinaryOp::Max, lhs, rhs) => self.one_of(pool, Choice::Greatest, lhs, rhs),
            Expr::Select { condition, if_true, if_false } => {
                self.one_of(pool, Choice::By(condition), if_true, if_false)
            }
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Hole(_) => Some(Sum::atom(Atom::Whole(id))),
        }
    }

    fn one_of(
        &mut self,
        pool: &Pool,
        choice: Choice<ExprId>,
        first: ExprId,
        second: ExprId,
    ) -> Option<Sum> {
        let (first, second) = (self.sum(pool, first)?, self.sum(pool, second)?);
        self.sums.one_of(choice, &first, &second)
    }
}
