//! The releases of Halide whose output is read, and the differences between their outputs.
//!
//! * In texts, 19.0.0 prints the operand of a cast or reinterpretation like that of an operator: a
//!   sum stands in parentheses of its own.
//! * The operand of a reduction over lanes is printed in 19.0.0 as if no name were bound, so that
//!   its names have types.
//! * A strict float is a wrapper in 19.0.0, `strict_float(a + b)`, within which every operator is
//!   strict. In 21.0.0 the operators are calls, `strict_add(a, b)`.
//! * Pipeline files differ only in the version that they name; 19.0.0 also
//!   has a kind of split that replaces a reduction variable by a pure one, which renames it.
//! * Dumps differ only in the first line.

use std::fmt;

/// A release of Halide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Release {
    /// 19.0.0.
    V19,
    /// 21.0.0.
    V21,
}

impl Release {
    /// All releases, the preferred one first.
    pub const ALL: [Self; 2] = [Self::V21, Self::V19];

    /// The version number.
    pub fn version(self) -> &'static str {
        match self {
            Self::V19 => "19.0.0",
            Self::V21 => crate::HALIDE_VERSION,
        }
    }

    /// The release with this version number.
    pub fn of_version(version: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|release| release.version() == version)
    }

    /// The first line of a dump.
    pub fn dump_line(self) -> &'static str {
        match self {
            Self::V19 => "halidom-dump 1 halide 19.0.0",
            Self::V21 => "halidom-dump 1 halide 21.0.0",
        }
    }

    /// True if texts have parentheses around an operator in a cast.
    pub(crate) fn encloses_casts(self) -> bool {
        match self {
            Self::V19 => true,
            Self::V21 => false,
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.version())
    }
}
