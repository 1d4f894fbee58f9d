//! Rewrite rules: two patterns, and the conditions under which they are equal.

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
    /// Types that have bits: fixed-width integers and `bool`.
    pub const LOGICAL: Self = Self::MACHINE.or(Self::BOOL);

    /// The set of these types.
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

    /// Tests whether a type is in the set.
    pub const fn contains(self, scalar: Scalar) -> bool {
        self.0 & (1 << scalar as u16) != 0
    }

    /// The types of the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Scalar> {
        Scalar::ALL.into_iter().filter(move |scalar| self.contains(*scalar))
    }
}

/// A rewrite rule: `lhs` may be replaced by `rhs` where the constants satisfy `when`.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The rule's unique name.
    pub name: &'static str,
    /// The types of variables and numbers for which the rule holds.
    pub types: Types,
    /// The pattern to match. It applies an operator.
    pub lhs: Pattern,
    /// The replacement. It mentions only variables of `lhs`, and its constant parts are computed.
    pub rhs: Pattern,
    /// Conditions on constants. All of them must be true.
    pub when: Vec<Pattern>,
}

impl Rule {
    /// Parses a rule from its texts. Commas separate conditions.
    ///
    /// # Errors
    /// Returns an error if one of the texts is not a pattern.
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
