//! A rule: two patterns, and when they are equal.

use halidom_ir::Scalar;

use crate::{Pattern, PatternError};

/// A set of scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types(u16);

impl Types {
    /// `bool`.
    pub const BOOL: Self = Self::of(&[Scalar::Bool]);
    /// `int`.
    pub const INT: Self = Self::of(&[Scalar::Int]);
    /// `i8` to `i64`.
    pub const SIGNED: Self = Self::of(&[Scalar::I8, Scalar::I16, Scalar::I32, Scalar::I64]);
    /// `u8` to `u64`.
    pub const UNSIGNED: Self = Self::of(&[Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64]);
    /// `f32` and `f64`.
    pub const FLOAT: Self = Self::of(&[Scalar::F32, Scalar::F64]);
    /// Fixed-width integers.
    pub const MACHINE: Self = Self::SIGNED.or(Self::UNSIGNED);
    /// Fixed-width integers and `int`.
    pub const INTEGER: Self = Self::MACHINE.or(Self::INT);
    /// Everything but `bool`.
    pub const NUMBER: Self = Self::INTEGER.or(Self::FLOAT);
    /// Everything.
    pub const ANY: Self = Self::NUMBER.or(Self::BOOL);
    /// What has bits.
    pub const LOGICAL: Self = Self::MACHINE.or(Self::BOOL);

    /// These types.
    pub const fn of(scalars: &[Scalar]) -> Self {
        let mut bits = 0;
        let mut position = 0;
        while position < scalars.len() {
            bits |= 1 << scalars[position] as u16;
            position += 1;
        }
        Self(bits)
    }

    /// The types in either set.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a type is in the set.
    pub const fn contains(self, scalar: Scalar) -> bool {
        self.0 & (1 << scalar as u16) != 0
    }

    /// The types of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Scalar> {
        Scalar::ALL.into_iter().filter(move |scalar| self.contains(*scalar))
    }
}

/// A rewrite rule: where `when` holds of the constants, `lhs` may be replaced by `rhs`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Unique.
    pub name: &'static str,
    /// The types of the variables and numbers for which it holds.
    pub types: Types,
    /// What is matched: an operator applied.
    pub lhs: Pattern,
    /// What it becomes; mentions no variable that `lhs` does not. Constant parts are computed.
    pub rhs: Pattern,
    /// Conditions on constants, all of which must be true.
    pub when: Vec<Pattern>,
}

impl Rule {
    /// Reads a rule from its texts; conditions are separated by commas.
    pub fn parse(
        name: &'static str,
        types: Types,
        lhs: &'static str,
        rhs: &'static str,
        when: &'static str,
    ) -> Result<Self, PatternError> {
        let when = when
            .split(',')
            .filter(|text| !text.trim().is_empty())
            .map(Pattern::parse)
            .collect::<Result<_, _>>()?;
        Ok(Self { name, types, lhs: Pattern::parse(lhs)?, rhs: Pattern::parse(rhs)?, when })
    }
}
