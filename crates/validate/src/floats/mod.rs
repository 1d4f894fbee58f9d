//! What equality of floats means (TV §7.3): bit for bit, under named laws, or over the reals.
//!
//! # Correctness
//! `docs/validator.md` (*Weaker modes*) has the theorem. An *interpretation* gives each float type a set of values, each float a value in it, and each operator on floats a
//! function. All interpretations have the basic laws of [`normal`], which IEEE 754 has too; those of [`Floats::Axioms`] have the [`Axiom`]s that are listed besides; that of
//! [`Floats::Reals`] has the real numbers. The reals have every axiom, so no axioms prove what is false of real numbers, `0 = 1` say. What is not an operator from floats to
//! a float (comparisons, conversions to integers) is no part of an interpretation: it is applied to values that are right bit for bit ([`deciding`]).

pub(crate) mod deciding;
pub(crate) mod normal;
mod rational;
#[cfg(test)]
mod tests;

/// What equality of floats means. Stronger ones are less.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Floats {
    /// The same bits, by IEEE 754.
    #[default]
    Bits,
    /// The same in every interpretation of the operators that has certain named laws.
    Axioms,
    /// The same if every operator computed with real numbers.
    Reals,
}

impl Floats {
    /// Its name in options and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Axioms => "axioms",
            Self::Reals => "reals",
        }
    }
}

/// A law that real numbers have and IEEE 754 has not, because of rounding, NaN or the sign of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axiom {
    /// Terms of a sum may be grouped otherwise.
    AddAssociative,
    /// Factors of a product may be grouped otherwise.
    MulAssociative,
    /// A factor of a sum is one of each term.
    Distributive,
    /// The negation of a sum is that of each term: they differ in the sign of zero.
    NegateSum,
    /// Zero may be added: `-0 + 0` is 0.
    AddZero,
    /// Least of three, grouped otherwise.
    MinAssociative,
    /// Least of two in the other order.
    MinCommutative,
    /// Greatest of three, grouped otherwise.
    MaxAssociative,
    /// Greatest of two in the other order.
    MaxCommutative,
}

impl Axiom {
    /// Every axiom.
    pub const ALL: [Self; 9] = [
        Self::AddAssociative,
        Self::MulAssociative,
        Self::Distributive,
        Self::NegateSum,
        Self::AddZero,
        Self::MinAssociative,
        Self::MinCommutative,
        Self::MaxAssociative,
        Self::MaxCommutative,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::AddAssociative => "float-add-associative",
            Self::MulAssociative => "float-mul-associative",
            Self::Distributive => "float-distributive",
            Self::NegateSum => "float-negate-sum",
            Self::AddZero => "float-add-zero",
            Self::MinAssociative => "float-min-associative",
            Self::MinCommutative => "float-min-commutative",
            Self::MaxAssociative => "float-max-associative",
            Self::MaxCommutative => "float-max-commutative",
        }
    }

    /// What it says.
    pub fn law(self) -> &'static str {
        match self {
            Self::AddAssociative => "(x + y) + z = x + (y + z)",
            Self::MulAssociative => "(x * y) * z = x * (y * z)",
            Self::Distributive => "x * (y + z) = x * y + x * z",
            Self::NegateSum => "-(x + y) = (-x) + (-y)",
            Self::AddZero => "x + 0 = x",
            Self::MinAssociative => "min(min(x, y), z) = min(x, min(y, z))",
            Self::MinCommutative => "min(x, y) = min(y, x)",
            Self::MaxAssociative => "max(max(x, y), z) = max(x, max(y, z))",
            Self::MaxCommutative => "max(x, y) = max(y, x)",
        }
    }

    fn bit(self) -> u16 {
        1 << (self as u16)
    }
}

/// A set of axioms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axioms(u16);

impl Axioms {
    /// None of them.
    pub const NONE: Self = Self(0);

    /// All of them.
    pub fn all() -> Self {
        Axiom::ALL.into_iter().collect()
    }

    /// Whether an axiom is one of them.
    pub fn contains(self, axiom: Axiom) -> bool {
        self.0 & axiom.bit() != 0
    }

    /// Those of both.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All but one.
    #[must_use]
    pub(crate) fn without(self, axiom: Axiom) -> Self {
        Self(self.0 & !axiom.bit())
    }

    /// The axioms, in order.
    pub fn iter(self) -> impl Iterator<Item = Axiom> {
        Axiom::ALL.into_iter().filter(move |axiom| self.contains(*axiom))
    }
}

impl FromIterator<Axiom> for Axioms {
    fn from_iter<I: IntoIterator<Item = Axiom>>(axioms: I) -> Self {
        axioms.into_iter().fold(Self::NONE, |set, axiom| Self(set.0 | axiom.bit()))
    }
}

impl std::fmt::Display for Axioms {
    /// Their names, separated by commas.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, axiom) in self.iter().enumerate() {
            write!(f, "{}{}", if position == 0 { "" } else { ", " }, axiom.name())?;
        }
        Ok(())
    }
}
