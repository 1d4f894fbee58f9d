//! The conditions that a proof rests on, by name.

use std::borrow::Cow;

/// The party that answers for a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// The condition is in the closed list of the documentation, and holds for every verdict of its
    /// kind.
    Standard,
    /// The caller promised it with an option of the command.
    Contract,
}

impl Origin {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::Contract => "contract",
        }
    }
}

/// A condition under which something is proved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// The party that answers for it.
    pub origin: Origin,
    /// Its name in the first line of a verdict, such as `buffers-apart`.
    pub name: Cow<'static, str>,
    /// The condition as a clause: `the caller's buffers do not overlap`.
    pub words: Cow<'static, str>,
    /// The place in the documentation with its reason: a file and the anchor of a heading. Empty
    /// for a contract, whose reason is the caller's.
    pub anchor: Cow<'static, str>,
}

impl Condition {
    /// A condition of the closed list.
    pub const fn standard(name: &'static str, words: &'static str, anchor: &'static str) -> Self {
        Self {
            origin: Origin::Standard,
            name: Cow::Borrowed(name),
            words: Cow::Borrowed(words),
            anchor: Cow::Borrowed(anchor),
        }
    }

    /// A promise of the caller's.
    pub fn contract(
        name: impl Into<Cow<'static, str>>,
        words: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            origin: Origin::Contract,
            name: name.into(),
            words: words.into(),
            anchor: Cow::Borrowed(""),
        }
    }
}
