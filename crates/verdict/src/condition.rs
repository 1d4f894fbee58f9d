//! What a proof takes for granted, by name.

use std::borrow::Cow;

/// Who answers for a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// It is one of the closed list in the documentation, and holds for every verdict of its kind.
    Standard,
    /// The caller promised it, by an option of the command.
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
    /// Who answers for it.
    pub origin: Origin,
    /// Its name in the first line of a verdict, such as `buffers-apart`.
    pub name: Cow<'static, str>,
    /// What it says, as a clause: `the caller's buffers do not overlap`.
    pub words: Cow<'static, str>,
    /// Where the documentation gives its reason: a file and its heading's anchor. Empty for a contract, whose reason is the caller's.
    pub anchor: Cow<'static, str>,
}

impl Condition {
    /// One of the closed list.
    pub const fn standard(name: &'static str, words: &'static str, anchor: &'static str) -> Self {
        Self {
            origin: Origin::Standard,
            name: Cow::Borrowed(name),
            words: Cow::Borrowed(words),
            anchor: Cow::Borrowed(anchor),
        }
    }

    /// A promise of the caller.
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
