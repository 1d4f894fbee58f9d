//! The order of floats, as integers.
//!
//! # Correctness
//! The *order* of a float is the integer that its bits without the sign stand for, negated if the
//! sign is negative. So both zeros have order 0, and numbers compare like their orders. The order
//! of NaN is 0. A float is a *number* if it is not NaN; infinities are numbers.

use halidom_ir::{BinaryOp, Constant, Intrinsic, Scalar, UnaryOp};

use super::{FormulaId, PolyId, Space, Term, TermId, Value};

impl Space {
    /// Returns a formula that holds exactly if a float is a number.
    pub(crate) fn is_number(&self, term: TermId) -> FormulaId {
        match *self.term(term) {
            Term::FromInt(..) => self.truth(true),
            Term::Cast(_, operand) if !self.scalar(operand).is_float() => self.truth(true),
            // These give NaN for NaN alone.
            Term::Cast(_, operand)
            | Term::Unary(_, operand)
            | Term::Call(
                Intrinsic::Abs
                | Intrinsic::Floor
                | Intrinsic::Ceil
                | Intrinsic::Round
                | Intrinsic::Trunc,
                operand,
            ) => self.is_number(operand),
            // The second operand, unless the first one is less or greater.
            Term::Binary(BinaryOp::Min | BinaryOp::Max, _, second) => self.is_number(second),
            Term::Select(condition, a, b) => {
                let (first, second) = (self.is_number(a), self.is_number(b));
                self.or([self.and([condition, first]), self.and([self.not(condition), second])])
            }
            Term::Constant(_)
            | Term::Ring(..)
            | Term::Truth(_)
            | Term::Parameter(..)
            | Term::Read { .. }
            | Term::Binary(..)
            | Term::Apply { .. }
            | Term::Call(..) => self.compare_floats(BinaryOp::Eq, term, term),
        }
    }

    /// Returns the order of a float.
    pub(crate) fn order_of(&self, term: TermId) -> PolyId {
        if let Term::Constant(constant) = *self.term(term) {
            return self.constant(order(constant));
        }
        if let Term::Unary(UnaryOp::Neg(_), operand) = *self.term(term) {
            return self.scale(self.order_of(operand), -1);
        }
        // A product with 0 is a zero or NaN.
        if let Term::Binary(BinaryOp::Mul(_), a, b) = *self.term(term)
            && (self.is_zero_float(a) || self.is_zero_float(b))
        {
            return self.constant(0);
        }
        self.opaque_value(term)
    }

    /// Tests whether a float is a literal zero, of either sign.
    pub(crate) fn is_zero_float(&self, term: TermId) -> bool {
        self.term_constant(term).is_some_and(|constant| order(constant) == 0 && !is_nan(constant))
    }

    /// Returns the floats in a value that are compared, become integers, or are operands of a named
    /// function whose result is no float.
    pub(crate) fn deciding_floats(&self, value: Value) -> Vec<TermId> {
        let mut found = Vec::new();
        for term in self.terms_of(value) {
            match *self.term(term) {
                Term::Binary(op, a, b)
                    if op.is_comparison() || matches!(op, BinaryOp::Min | BinaryOp::Max) =>
                {
                    found.extend([a, b]);
                }
                Term::Cast(to, operand) if !to.is_float() => found.push(operand),
                Term::Apply { scalar, ref args, .. } if !scalar.is_float() => found.extend(args),
                Term::Constant(_)
                | Term::Ring(..)
                | Term::Truth(_)
                | Term::Parameter(..)
                | Term::Read { .. }
                | Term::Unary(..)
                | Term::Binary(..)
                | Term::Select(..)
                | Term::Cast(..)
                | Term::FromInt(..)
                | Term::Apply { .. }
                | Term::Call(..) => {}
            }
        }
        found.retain(|term| self.scalar(*term).is_float());
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn is_nan(constant: Constant) -> bool {
    constant.as_f64().or(constant.as_f32().map(f64::from)).is_some_and(f64::is_nan)
}

/// Returns the order of a float that is a constant.
pub(crate) fn order(constant: Constant) -> i128 {
    let sign = if constant.scalar() == Scalar::F32 { 1 << 31 } else { 1 << 63 };
    match constant.to_bits() {
        Some(bits) if !is_nan(constant) => {
            let magnitude = i128::from(bits & !sign);
            if bits & sign == 0 { magnitude } else { -magnitude }
        }
        Some(_) | None => 0,
    }
}
