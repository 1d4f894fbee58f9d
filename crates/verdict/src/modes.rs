//! The equality of floats that a proof rests on.

use std::collections::BTreeSet;
use std::fmt;

/// The meanings of equality of floats, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Floats {
    /// The same bits.
    Bits,
    /// Equal by named axioms.
    Axioms,
    /// Equal if they were real numbers.
    Reals,
}

impl Floats {
    /// The word in JSON and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bits => "bits",
            Self::Axioms => "axioms",
            Self::Reals => "reals",
        }
    }

    /// The meaning with a name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::Bits, Self::Axioms, Self::Reals].into_iter().find(|floats| floats.name() == name)
    }
}

/// The weakest equality of floats that a proof rests on, with the axioms that it uses.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Modes {
    floats: Floats,
    axioms: BTreeSet<String>,
}

impl Modes {
    /// The same bits.
    pub const BITS: Self = Self { floats: Floats::Bits, axioms: BTreeSet::new() };

    /// Equality by these axioms; bitwise if the list is empty.
    pub fn axioms<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        let axioms: BTreeSet<String> = names.into_iter().map(Into::into).collect();
        let floats = if axioms.is_empty() { Floats::Bits } else { Floats::Axioms };
        Self { floats, axioms }
    }

    /// Equality over the reals; some parts hold by these axioms alone.
    pub fn reals<T: Into<String>>(names: impl IntoIterator<Item = T>) -> Self {
        Self { floats: Floats::Reals, axioms: names.into_iter().map(Into::into).collect() }
    }

    /// The weaker of the two, with the axioms of both.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        self.floats = self.floats.max(other.floats);
        self.axioms.extend(other.axioms.iter().cloned());
        self
    }

    /// The meaning of equality.
    pub fn floats(&self) -> Floats {
        self.floats
    }

    /// The axioms' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.axioms.iter().map(String::as_str)
    }
}

impl fmt::Display for Modes {
    /// The equality as an adverb: `bit for bit`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.floats {
            Floats::Bits => f.write_str("bit for bit"),
            Floats::Axioms => {
                write!(f, "under {}", self.names().collect::<Vec<_>>().join(", "))
            }
            Floats::Reals => f.write_str("over the reals"),
        }
    }
}
