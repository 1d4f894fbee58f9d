//! Builders over integers and reals. The operands of an operator have the same sort, integer or
//! real.

use crate::op::Op;
use crate::term::Node;
use crate::{Sort, TermId, Terms};

impl Terms {
    /// An integer.
    pub fn int(&mut self, value: i128) -> TermId {
        self.intern(Node::Int(value), Sort::Int)
    }

    /// Returns the integer if the term is an integer literal.
    pub fn as_int(&self, term: TermId) -> Option<i128> {
        if let Node::Int(value) = self.node(term) { Some(*value) } else { None }
    }

    /// The fraction `numerator / denominator` as a real. The denominator is not 0.
    pub fn real(&mut self, numerator: i128, denominator: u64) -> TermId {
        assert!(denominator != 0, "a fraction with denominator 0");
        self.intern(Node::Real(numerator, denominator), Sort::Real)
    }

    fn arithmetic(&self, terms: &[TermId]) -> Sort {
        let sort = self.common_sort(terms);
        assert!(matches!(sort, Sort::Int | Sort::Real), "arithmetic over {sort}");
        sort
    }

    /// The sum of one or more terms.
    pub fn sum(&mut self, terms: &[TermId]) -> TermId {
        let sort = self.arithmetic(terms);
        if let [single] = terms { *single } else { self.op(Op::Add, terms, sort) }
    }

    /// `lhs + rhs`.
    pub fn add(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        match (self.as_int(lhs), self.as_int(rhs)) {
            (Some(0), _) => rhs,
            (_, Some(0)) => lhs,
            (Some(_) | None, Some(_) | None) => self.sum(&[lhs, rhs]),
        }
    }

    /// `lhs - rhs`.
    pub fn sub(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let negated = self.negate(rhs);
        self.add(lhs, negated)
    }

    /// The product of one or more terms.
    pub fn product(&mut self, terms: &[TermId]) -> TermId {
        let sort = self.arithmetic(terms);
        if let [single] = terms { *single } else { self.op(Op::Mul, terms, sort) }
    }

    /// `lhs · rhs`.
    pub fn mul(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        match (self.as_int(lhs), self.as_int(rhs)) {
            (Some(1), _) => rhs,
            (_, Some(1)) => lhs,
            (Some(_) | None, Some(_) | None) => self.product(&[lhs, rhs]),
        }
    }

    /// `-term`.
    pub fn negate(&mut self, term: TermId) -> TermId {
        let sort = self.arithmetic(&[term]);
        match self.as_int(term).and_then(i128::checked_neg) {
            Some(value) => self.int(value),
            None => self.op(Op::Negate, &[term], sort),
        }
    }

    /// `lhs ≤ rhs`.
    pub fn le(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.arithmetic(&[lhs, rhs]);
        match (self.as_int(lhs), self.as_int(rhs)) {
            (Some(lhs), Some(rhs)) => self.bool(lhs <= rhs),
            (Some(_) | None, Some(_) | None) => self.op(Op::Le, &[lhs, rhs], Sort::Bool),
        }
    }

    /// `lhs < rhs`.
    pub fn lt(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.arithmetic(&[lhs, rhs]);
        match (self.as_int(lhs), self.as_int(rhs)) {
            (Some(lhs), Some(rhs)) => self.bool(lhs < rhs),
            (Some(_) | None, Some(_) | None) => self.op(Op::Lt, &[lhs, rhs], Sort::Bool),
        }
    }

    /// `lhs ≥ rhs`.
    pub fn ge(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.le(rhs, lhs)
    }

    /// `lhs > rhs`.
    pub fn gt(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.lt(rhs, lhs)
    }

    /// The lesser of two numbers.
    pub fn min(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let is_le = self.le(lhs, rhs);
        self.ite(is_le, lhs, rhs)
    }

    /// The greater of two numbers.
    pub fn max(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        let is_le = self.le(lhs, rhs);
        self.ite(is_le, rhs, lhs)
    }

    /// The Euclidean quotient of integers: `lhs = rhs·q + r` with `0 ≤ r < |rhs|`. If `rhs` is 0,
    /// the quotient is some integer that depends on `lhs` only; callers who mean something else
    /// must express it with [`Terms::ite`].
    pub fn int_div(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.require(lhs, Sort::Int);
        self.require(rhs, Sort::Int);
        if self.as_int(rhs) == Some(1) { lhs } else { self.op(Op::IntDiv, &[lhs, rhs], Sort::Int) }
    }

    /// The Euclidean remainder of integers, in `0..|rhs|`. A zero `rhs` is treated as in
    /// [`Terms::int_div`].
    pub fn int_mod(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.require(lhs, Sort::Int);
        self.require(rhs, Sort::Int);
        self.op(Op::IntMod, &[lhs, rhs], Sort::Int)
    }

    /// The quotient of reals. If `rhs` is 0, the quotient is some real that depends on `lhs` only.
    pub fn real_div(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.require(lhs, Sort::Real);
        self.require(rhs, Sort::Real);
        self.op(Op::RealDiv, &[lhs, rhs], Sort::Real)
    }

    /// An integer as a real.
    pub fn int_to_real(&mut self, term: TermId) -> TermId {
        self.require(term, Sort::Int);
        self.op(Op::IntToReal, &[term], Sort::Real)
    }

    /// A real rounded down to an integer.
    pub fn real_to_int_floor(&mut self, term: TermId) -> TermId {
        self.require(term, Sort::Real);
        self.op(Op::RealToIntFloor, &[term], Sort::Int)
    }
}
