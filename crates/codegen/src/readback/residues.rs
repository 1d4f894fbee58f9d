//! Residues of terms modulo the number of lanes. They show that elements which are loaded along
//! with a vector lie within the memory.

use halidom_base::FxHashMap;
use halidom_ir::{BufferId, Scalar, Type, VarId};

use super::terms::{Op, Ring, Term, TermId, Terms};
use crate::emit::sums::{Choice, Sum, Sums};

/// Facts about the variables and buffers that the program binds.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// The term that each variable is bound to; `None` if it loads from memory, or if there were
    /// two.
    variables: FxHashMap<VarId, Option<TermId>>,
    /// Factors of the number of elements that a buffer has memory for.
    sizes: FxHashMap<BufferId, Vec<TermId>>,
    /// Terms as sums in which variables are replaced. A term is queried only after everything that
    /// it mentions is bound.
    done: FxHashMap<TermId, Option<Sum<TermId>>>,
    sums: Sums<TermId>,
}

impl Terms<'_> {
    /// Records the term that a variable is bound to.
    pub(super) fn define(&mut self, var: VarId, value: TermId) {
        // Memory may hold another value later.
        let steady = !self.loads(value);
        let known = self.known.variables.entry(var).or_insert(Some(value).filter(|_| steady));
        if *known != Some(value) && known.take().is_some() {
            self.known.done.clear();
        }
    }

    /// Records the number of elements that a buffer has memory for: the product of these factors.
    pub(super) fn sized(&mut self, buffer: BufferId, factors: Vec<TermId>) {
        self.known.sizes.insert(buffer, factors);
    }

    /// Records that a buffer takes another buffer's memory.
    pub(super) fn lent(&mut self, buffer: BufferId, lender: BufferId) {
        if let Some(factors) = self.known.sizes.get(&lender) {
            self.known.sizes.insert(buffer, factors.clone());
        }
    }

    /// Tests whether vectors of so many lanes never straddle the end of the buffer's memory. Each
    /// vector that begins at this element, or at a multiple of its length after it, must lie either
    /// wholly inside the memory or wholly outside.
    pub(super) fn lies_whole(&mut self, buffer: BufferId, element: TermId, lanes: u32) -> bool {
        let lanes = i128::from(lanes);
        let factors = self.known.sizes.get(&buffer).cloned().unwrap_or_default();
        self.residue(element, lanes) == Some(0)
            && factors.into_iter().any(|factor| self.residue(factor, lanes) == Some(0))
    }

    /// Returns the remainder of a term divided by a positive number, if it is the same for all
    /// values of the variables.
    fn residue(&mut self, id: TermId, divisor: i128) -> Option<i128> {
        let sum = self.sum(id)?;
        self.known.sums.residue(&sum, divisor)
    }

    /// Returns a term as a sum, or `None` where numbers become too large.
    fn sum(&mut self, id: TermId) -> Option<Sum<TermId>> {
        if let Some(done) = self.known.done.get(&id) {
            return done.clone();
        }
        let is_place = self.ty(id) == Type::scalar(Scalar::I64);
        let sum = if is_place { self.new_sum(id) } else { None };
        self.known.done.insert(id, sum.clone());
        sum
    }

    fn new_sum(&mut self, id: TermId) -> Option<Sum<TermId>> {
        match *self.get(id) {
            Term::Const(value) => value.as_integer().map(Sum::constant),
            Term::Var(var) => match self.known.variables.get(&var) {
                Some(Some(value)) => self.sum(*value),
                Some(None) | None => Some(Sum::whole(id)),
            },
            Term::Ring { op, exact: true, lhs, rhs } => {
                let (lhs, rhs) = (self.sum(lhs)?, self.sum(rhs)?);
                match op {
                    Ring::Add => lhs.plus(&rhs, 1),
                    Ring::Sub => lhs.plus(&rhs, -1),
                    Ring::Mul => self.known.sums.product(&lhs, &rhs),
                }
            }
            Term::Neg { exact: true, operand } => Sum::constant(0).plus(&self.sum(operand)?, -1),
            Term::Binary(Op::Min, lhs, rhs) => self.one_of(Choice::Least, lhs, rhs),
            Term::Binary(Op::Max, lhs, rhs) => self.one_of(Choice::Greatest, lhs, rhs),
            Term::Select(condition, lhs, rhs) => self.one_of(Choice::By(condition), lhs, rhs),
            Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. }
            | Term::Broadcast(..) => Some(Sum::whole(id)),
        }
    }

    fn one_of(
        &mut self,
        choice: Choice<TermId>,
        first: TermId,
        second: TermId,
    ) -> Option<Sum<TermId>> {
        let (first, second) = (self.sum(first)?, self.sum(second)?);
        self.known.sums.one_of(choice, first, second)
    }

    fn loads(&self, id: TermId) -> bool {
        match *self.get(id) {
            Term::Load(..) => true,
            Term::Const(_) | Term::Var(_) => false,
            Term::Neg { operand: a, .. }
            | Term::Not(a)
            | Term::Cast(_, a)
            | Term::Call(_, a)
            | Term::Broadcast(a, _) => self.loads(a),
            Term::Ring { lhs: a, rhs: b, .. }
            | Term::Binary(_, a, b)
            | Term::Ramp { base: a, stride: b, .. } => self.loads(a) || self.loads(b),
            Term::Select(condition, a, b) => {
                self.loads(condition) || self.loads(a) || self.loads(b)
            }
        }
    }
}
