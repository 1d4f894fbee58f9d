//! Builders of the core theory: booleans, equality, choice.

use crate::op::Op;
use crate::term::Node;
use crate::{Sort, TermId, Terms};

impl Terms {
    /// A truth value.
    pub fn bool(&mut self, value: bool) -> TermId {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// Returns the truth value if the term is a Boolean literal.
    pub fn as_bool(&self, term: TermId) -> Option<bool> {
        if let Node::Bool(value) = self.node(term) { Some(*value) } else { None }
    }

    /// Negation.
    pub fn not(&mut self, term: TermId) -> TermId {
        self.require(term, Sort::Bool);
        if let Some(value) = self.as_bool(term) {
            return self.bool(!value);
        }
        if let Node::Op(Op::Not, arguments) = self.node(term) {
            return arguments[0];
        }
        self.op(Op::Not, &[term], Sort::Bool)
    }

    /// Conjunction; true if there are no terms.
    pub fn and(&mut self, terms: &[TermId]) -> TermId {
        self.junction(Op::And, true, terms)
    }

    /// Disjunction; false if there are no terms.
    pub fn or(&mut self, terms: &[TermId]) -> TermId {
        self.junction(Op::Or, false, terms)
    }

    /// Applies `op` to `terms`, dropping the literal `neutral`; the opposite literal decides the
    /// result.
    fn junction(&mut self, op: Op, neutral: bool, terms: &[TermId]) -> TermId {
        let mut kept = Vec::with_capacity(terms.len());
        for term in terms {
            self.require(*term, Sort::Bool);
            match self.as_bool(*term) {
                Some(value) if value == neutral => {}
                Some(value) => return self.bool(value),
                None => kept.push(*term),
            }
        }
        match kept.as_slice() {
            [] => self.bool(neutral),
            [single] => *single,
            several => self.op(op, several, Sort::Bool),
        }
    }

    /// `if premise then conclusion`.
    pub fn implies(&mut self, premise: TermId, conclusion: TermId) -> TermId {
        self.require(premise, Sort::Bool);
        self.require(conclusion, Sort::Bool);
        match (self.as_bool(premise), self.as_bool(conclusion)) {
            (Some(true), _) => conclusion,
            (Some(false), _) | (None, Some(true)) => self.bool(true),
            (None, Some(false)) => self.not(premise),
            (None, None) => self.op(Op::Implies, &[premise, conclusion], Sort::Bool),
        }
    }

    /// Equality of two terms of one sort. On floats it is identity: NaN equals NaN, and the two
    /// zeros differ.
    pub fn equal(&mut self, lhs: TermId, rhs: TermId) -> TermId {
        self.common_sort(&[lhs, rhs]);
        if lhs == rhs { self.bool(true) } else { self.op(Op::Equal, &[lhs, rhs], Sort::Bool) }
    }

    /// `then` if the condition holds, else `otherwise`.
    pub fn ite(&mut self, condition: TermId, then: TermId, otherwise: TermId) -> TermId {
        self.require(condition, Sort::Bool);
        let sort = self.common_sort(&[then, otherwise]);
        match self.as_bool(condition) {
            Some(true) => then,
            Some(false) => otherwise,
            None if then == otherwise => then,
            None => self.op(Op::Ite, &[condition, then, otherwise], sort),
        }
    }
}
