//! Residues of terms modulo the number of lanes. They show that elements which are loaded along
//! with a vector lie within the memory.

use halidom_base::FxHashSet;
use halidom_ir::{BufferId, Scalar, Type, VarId};

use crate::polynomial::{Polynomial, Rule};
use crate::term::{Op, Ring, Term, TermId};
use crate::terms::Terms;

impl Terms<'_> {
    /// Records the term that a variable is bound to.
    pub(crate) fn define(&mut self, var: VarId, value: TermId) {
        // Memory may hold another value later.
        let steady = !self.loads(value);
        let known = self.known.variables.entry(var).or_insert(Some(value).filter(|_| steady));
        if *known != Some(value) && known.take().is_some() {
            self.known.done.clear();
        }
    }

    /// Records the number of elements that a buffer has memory for: the product of these factors.
    pub(crate) fn sized(&mut self, buffer: BufferId, factors: Vec<TermId>) {
        self.known.sizes.insert(buffer, factors);
    }

    /// Records that a buffer takes another buffer's memory.
    pub(crate) fn lent(&mut self, buffer: BufferId, lender: BufferId) {
        if let Some(factors) = self.known.sizes.get(&lender) {
            self.known.sizes.insert(buffer, factors.clone());
        }
    }

    /// Tests whether vectors of so many lanes never straddle the end of the buffer's memory. Each
    /// vector that begins at this element, or at a multiple of its length after it, must lie either
    /// wholly inside the memory or wholly outside.
    pub(crate) fn lies_whole(&mut self, buffer: BufferId, element: TermId, lanes: u32) -> bool {
        let lanes = i128::from(lanes);
        let factors = self.known.sizes.get(&buffer).cloned().unwrap_or_default();
        self.residue(element, lanes) == Some(0)
            && factors.into_iter().any(|factor| self.residue(factor, lanes) == Some(0))
    }

    /// Returns the remainder of a term divided by a positive number, if it is the same for all
    /// values of the variables.
    fn residue(&mut self, id: TermId, divisor: i128) -> Option<i128> {
        let polynomial = self.polynomial(id);
        self.known.choices.residue(&polynomial, divisor)
    }

    /// Returns the value of a term as a polynomial.
    fn polynomial(&mut self, id: TermId) -> Polynomial {
        if let Some(done) = self.known.done.get(&id) {
            return done.clone();
        }
        let is_place = self.ty(id) == Type::scalar(Scalar::I64);
        let parts = if is_place { self.parts(id) } else { None };
        let polynomial = parts.unwrap_or_else(|| Polynomial::opaque(id));
        self.known.done.insert(id, polynomial.clone());
        polynomial
    }

    /// Returns the polynomial of a term's operands, or `None` where the term itself must be opaque:
    /// for other operators, and where numbers become too large.
    fn parts(&mut self, id: TermId) -> Option<Polynomial> {
        match *self.get(id) {
            Term::Const(value) => value.as_integer().map(Polynomial::constant),
            Term::Var(var) => {
                let value = self.known.variables.get(&var).copied().flatten()?;
                Some(self.polynomial(value))
            }
            Term::Ring { op, exact: true, lhs, rhs } => {
                let (lhs, rhs) = (self.polynomial(lhs), self.polynomial(rhs));
                match op {
                    Ring::Add => lhs.plus(1, &rhs),
                    Ring::Sub => lhs.plus(-1, &rhs),
                    Ring::Mul => lhs.times(&rhs),
                }
            }
            Term::Neg { exact: true, operand } => {
                Polynomial::default().plus(-1, &self.polynomial(operand))
            }
            Term::Binary(Op::Min, lhs, rhs) => self.one_of(Rule::Least, lhs, rhs),
            Term::Binary(Op::Max, lhs, rhs) => self.one_of(Rule::Greatest, lhs, rhs),
            Term::Select(condition, lhs, rhs) => self.one_of(Rule::Condition(condition), lhs, rhs),
            Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. }
            | Term::Broadcast(..) => None,
        }
    }

    fn one_of(&mut self, rule: Rule, first: TermId, second: TermId) -> Option<Polynomial> {
        let (first, second) = (self.polynomial(first), self.polynomial(second));
        self.known.choices.one_of(rule, &first, &second)
    }

    fn loads(&self, id: TermId) -> bool {
        self.has_load(id, &|_| true)
    }

    /// Tests whether a term reads a buffer.
    pub(crate) fn reads(&self, id: TermId, buffer: BufferId) -> bool {
        self.has_load(id, &|read| read == buffer)
    }

    /// Tests whether a term reads a buffer of some kind. Visits shared parts of the term once.
    fn has_load(&self, id: TermId, of: &impl Fn(BufferId) -> bool) -> bool {
        let (mut open, mut seen) = (vec![id], FxHashSet::default());
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match *self.get(id) {
                Term::Load(buffer, _) if of(buffer) => return true,
                Term::Const(_) | Term::Var(_) => {}
                Term::Load(_, a)
                | Term::Neg { operand: a, .. }
                | Term::Not(a)
                | Term::Cast(_, a)
                | Term::Call(_, a)
                | Term::Broadcast(a, _) => open.push(a),
                Term::Ring { lhs: a, rhs: b, .. }
                | Term::Binary(_, a, b)
                | Term::Ramp { base: a, stride: b, .. } => open.extend([a, b]),
                Term::Select(condition, a, b) => open.extend([condition, a, b]),
            }
        }
        false
    }
}
