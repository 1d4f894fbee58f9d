//! Names of kinds, methods and axioms, for reports. Nothing here decides anything.

use crate::floats::{Axiom, Axioms, Floats};
use crate::obligation::record::{Kind, Method};

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 14] = [
        Self::Location,
        Self::Bounds,
        Self::Claim,
        Self::Value,
        Self::Coverage,
        Self::Definedness,
        Self::Order,
        Self::Retention,
        Self::Race,
        Self::Output,
        Self::Overflow,
        Self::Assumption,
        Self::Form,
        Self::Refinement,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Bounds => "bounds",
            Self::Claim => "claim",
            Self::Value => "value",
            Self::Coverage => "coverage",
            Self::Definedness => "definedness",
            Self::Order => "order",
            Self::Retention => "retention",
            Self::Race => "race",
            Self::Output => "output",
            Self::Overflow => "overflow",
            Self::Assumption => "assumption",
            Self::Form => "form",
            Self::Refinement => "refinement",
        }
    }
}

impl Method {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Solver => "solver",
            Self::Intervals => "intervals",
            Self::Run => "run",
            Self::Structure => "structure",
            Self::Commuting => "commuting",
            Self::Sets => "sets",
            Self::Axioms(_) => "axioms",
            Self::Reals => "reals",
        }
    }
}

impl std::fmt::Display for Method {
    /// Writes its name, with the axioms.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Axioms(axioms) => write!(f, "{}: {axioms}", self.name()),
            Self::Identity
            | Self::Solver
            | Self::Intervals
            | Self::Run
            | Self::Structure
            | Self::Commuting
            | Self::Sets
            | Self::Reals => f.write_str(self.name()),
        }
    }
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

impl Axiom {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::AddAssociative => "float-add-associative",
            Self::MulAssociative => "float-mul-associative",
            Self::Distributive => "float-distributive",
            Self::NegateSum => "float-negate-sum",
            Self::AddZero => "float-add-zero",
            Self::MulZero => "float-mul-zero",
            Self::MinAssociative => "float-min-associative",
            Self::MinCommutative => "float-min-commutative",
            Self::MaxAssociative => "float-max-associative",
            Self::MaxCommutative => "float-max-commutative",
            Self::Reciprocal => "float-reciprocal",
            Self::Numbers => "float-numbers",
        }
    }

    /// The law as an equation.
    pub fn law(self) -> &'static str {
        match self {
            Self::AddAssociative => "(x + y) + z = x + (y + z)",
            Self::MulAssociative => "(x * y) * z = x * (y * z)",
            Self::Distributive => "x * (y + z) = x * y + x * z",
            Self::NegateSum => "-(x + y) = (-x) + (-y)",
            Self::AddZero => "x + 0 = x",
            Self::MulZero => "x * 0 = 0",
            Self::MinAssociative => "min(min(x, y), z) = min(x, min(y, z))",
            Self::MinCommutative => "min(x, y) = min(y, x)",
            Self::MaxAssociative => "max(max(x, y), z) = max(x, max(y, z))",
            Self::MaxCommutative => "max(x, y) = max(y, x)",
            Self::Reciprocal => {
                "x / c = x * (1 / c), with a relative error below 3 * 2^-24 (f32) or \
                    3 * 2^-53 (f64)"
            }
            Self::Numbers => "no float is NaN, even as an intermediate result",
        }
    }
}

impl std::fmt::Display for Axioms {
    /// Writes the names of the axioms, separated by commas.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (position, axiom) in self.iter().enumerate() {
            write!(f, "{}{}", if position == 0 { "" } else { ", " }, axiom.name())?;
        }
        Ok(())
    }
}
