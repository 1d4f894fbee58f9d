//! The meaning of equality of floats (TV §7.3): bit for bit, under named laws, or over the reals.
//!
//! # Correctness
//! `docs/validator.md` (*Weaker modes*) has the theorem. An *interpretation* gives each float type
//! a set of values, each float a value in it, and each operator on floats a function. All
//! interpretations have the basic laws of [`proof`], which IEEE 754 has too. The interpretations
//! for [`Floats::Axioms`] also have the listed [`Axiom`]s. The interpretation for [`Floats::Reals`]
//! has the real numbers. The reals have every axiom except [`Axiom::Reciprocal`], so no other
//! axioms prove a statement that is false for real numbers, such as `0 = 1`. Nor does this one,
//! because real numbers have it if all literals in `(2^k, 2^(k+1))` stand for `2^(k + 1/2)`, as it
//! excepts reciprocals that round to a power of two. Interpretations cover only operators from
//! floats to a float. All others (comparisons, conversions to integers) are applied to values that
//! are right bit for bit ([`deciding`]).

pub(crate) mod deciding;
pub(crate) mod proof;
pub(crate) mod rational;
#[cfg(test)]
mod tests;

use halidom_ir::{BinaryOp, Overflow, UnaryOp};

pub(crate) const ADD: BinaryOp = BinaryOp::Add(Overflow::Wraps);
pub(crate) const SUB: BinaryOp = BinaryOp::Sub(Overflow::Wraps);
pub(crate) const MUL: BinaryOp = BinaryOp::Mul(Overflow::Wraps);
pub(crate) const NEG: UnaryOp = UnaryOp::Neg(Overflow::Wraps);

/// A meaning of equality of floats. Stronger equalities compare less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Floats {
    /// Both have the same bits, by IEEE 754.
    #[default]
    Bits,
    /// Both are equal in every interpretation of the operators that has certain named laws.
    Axioms,
    /// Both are equal if every operator computes with real numbers.
    Reals,
}

/// A law of real numbers that IEEE 754 lacks, because of rounding, NaN or the sign of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axiom {
    /// Terms of a sum may be regrouped.
    AddAssociative,
    /// Factors of a product may be regrouped.
    MulAssociative,
    /// A factor distributes over a sum.
    Distributive,
    /// Negation distributes over a sum: only the sign of zero may differ.
    NegateSum,
    /// Adding zero changes nothing: with bits, `-0 + 0` is 0.
    AddZero,
    /// A product with zero is zero: with bits, it is NaN for infinity and NaN, and has a sign.
    MulZero,
    /// The operands of minima may be regrouped.
    MinAssociative,
    /// The operands of a minimum may be swapped.
    MinCommutative,
    /// The operands of maxima may be regrouped.
    MaxAssociative,
    /// The operands of a maximum may be swapped.
    MaxCommutative,
    /// A quotient by a literal is a product with its rounded reciprocal. They differ by less than
    /// three halves of the distance between neighbouring floats for each rounding: by a relative
    /// error below `3 * 2^-24` for `f32` and `3 * 2^-53` for `f64`.
    Reciprocal,
    /// No float of the algorithm is NaN. Where one is, nothing is owed. Equal values have equal
    /// bits elsewhere.
    Numbers,
}

impl Axiom {
    /// All axioms.
    pub const ALL: [Self; 12] = [
        Self::AddAssociative,
        Self::MulAssociative,
        Self::Distributive,
        Self::NegateSum,
        Self::AddZero,
        Self::MulZero,
        Self::MinAssociative,
        Self::MinCommutative,
        Self::MaxAssociative,
        Self::MaxCommutative,
        Self::Reciprocal,
        Self::Numbers,
    ];

    fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

/// A set of axioms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axioms(u16);

impl Axioms {
    /// The empty set.
    pub const NONE: Self = Self(0);

    /// The set of all axioms.
    pub fn all() -> Self {
        Axiom::ALL.into_iter().collect()
    }

    /// Tests whether an axiom is in the set.
    pub fn contains(self, axiom: Axiom) -> bool {
        self.0 & axiom.bit() != 0
    }

    /// The axioms in either set.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The set without one axiom.
    #[must_use]
    pub(crate) fn without(self, axiom: Axiom) -> Self {
        Self(self.0 & !axiom.bit())
    }

    /// The axioms of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Axiom> {
        Axiom::ALL.into_iter().filter(move |axiom| self.contains(*axiom))
    }
}

impl FromIterator<Axiom> for Axioms {
    fn from_iter<I: IntoIterator<Item = Axiom>>(axioms: I) -> Self {
        axioms.into_iter().fold(Self::NONE, |set, axiom| Self(set.0 | axiom.bit()))
    }
}
