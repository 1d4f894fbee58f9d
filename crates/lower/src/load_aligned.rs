//! Loads of realigned buffers by aligned loads.

use halidom_base::FxHashMap;
use halidom_ir::{
    BinaryOp, BufferId, BufferKind, Expr, ExprId, Pool, Program, Scalar, UnaryOp, VarId,
};
use halidom_sums::{Atom, Choice, Product};

use crate::exprs::loads;
use crate::vector_loads::{Replace, Spaced, replace_loads};
use crate::{LowerError, index};

/// An expression as a sum.
type Sum = halidom_sums::Sum<Product<Atom<ExprId>>>;

/// Replaces each dense load of a buffer marked `realigned` by a shuffle of two aligned loads, if it
/// begins at the same lane of an aligned vector every time, and the buffer's rows hold a multiple
/// of the number of lanes. Then the aligned loads lie within the buffer. Loads of buffers that
/// other threads may write meanwhile stay.
///
/// Requires: vectors fit the machine.
/// Ensures: the same values.
pub fn load_aligned(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    Ok(replace_loads(pool, program, &mut Aligned::default()))
}

/// The values of `int` variables that lets bind, and expressions as sums over the other variables.
/// Every binder is unique, so a recorded fact about a variable stays true.
#[derive(Debug, Default)]
struct Aligned {
    lets: FxHashMap<VarId, ExprId>,
    done: FxHashMap<ExprId, Option<Sum>>,
    sums: halidom_sums::Residues<ExprId>,
}

impl Replace for Aligned {
    fn bind(&mut self, pool: &Pool, var: VarId, value: ExprId) {
        if pool.ty(value).scalar == Scalar::Int && !loads(pool, value) {
            self.lets.insert(var, value);
        }
    }

    fn load(&mut self, pool: &mut Pool, load: &Spaced) -> Option<ExprId> {
        if load.step != 1 || !pool.buffer(load.buffer).realigned {
            return None;
        }
        let lane = u32::try_from(self.residue(pool, load.base, load.lanes.into())?).ok()?;
        if lane == 0 || !self.holds_whole(pool, load.buffer, load.lanes) {
            return None;
        }
        let first = load.dense_part(pool, -i128::from(lane))?;
        let second = load.dense_part(pool, (load.lanes - lane).into())?;
        let lanes = (lane..lane + load.lanes).collect();
        Some(pool.expr(Expr::Shuffle { vectors: [first, second].into(), lanes }))
    }
}

impl Aligned {
    /// Tests whether a vector of `lanes` elements lies within a row of the buffer if it contains an
    /// element of the row and begins at a multiple of its length.
    fn holds_whole(&mut self, pool: &Pool, buffer: BufferId, lanes: u32) -> bool {
        let decl = pool.buffer(buffer);
        let mut rows = decl.dims.iter().filter(|dim| index::as_int(pool, dim.stride) == Some(1));
        decl.kind == BufferKind::Internal
            && rows.any(|dim| self.residue(pool, dim.extent, lanes.into()) == Some(0))
    }

    /// Returns the remainder of a scalar divided by a positive number, if it is the same for all
    /// values of the variables.
    fn residue(&mut self, pool: &Pool, id: ExprId, divisor: i128) -> Option<i128> {
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
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
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
