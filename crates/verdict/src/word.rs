//! The kinds of verdicts: their names, their exit statuses and their fold.

use crate::{Exit, Verdict};

/// The kinds of verdicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// It is proved.
    Proved,
    /// It is refuted.
    Refuted,
    /// It is undecided.
    Unknown,
    /// There was nothing to judge.
    Nothing,
}

impl Word {
    /// All kinds.
    const ALL: [Self; 4] = [Self::Proved, Self::Refuted, Self::Unknown, Self::Nothing];

    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unknown => "unknown",
            Self::Nothing => "nothing",
        }
    }

    /// The kind with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|word| word.name() == name)
    }

    /// The exit status of a command with this verdict.
    pub fn exit(self) -> Exit {
        match self {
            Self::Proved => Exit::Done,
            Self::Refuted => Exit::Wrong,
            Self::Unknown => Exit::Unknown,
            Self::Nothing => Exit::BadInput,
        }
    }

    /// The kind of the verdict on several subjects, as [`Verdict::worst`] gives it.
    pub fn worst(words: impl IntoIterator<Item = Self>) -> Self {
        words.into_iter().reduce(Self::worse).unwrap_or(Self::Nothing)
    }

    fn worse(one: Self, other: Self) -> Self {
        match (one, other) {
            (Self::Refuted, _) | (_, Self::Refuted) => Self::Refuted,
            (Self::Proved, Self::Proved) => Self::Proved,
            (Self::Nothing, Self::Nothing) => Self::Nothing,
            // Nothing among proofs leaves a part of the whole open.
            (Self::Unknown, _)
            | (_, Self::Unknown)
            | (Self::Proved, Self::Nothing)
            | (Self::Nothing, Self::Proved) => Self::Unknown,
        }
    }
}

impl Verdict {
    /// The kind of the verdict.
    pub fn word(&self) -> Word {
        match self {
            Self::Proved(_) => Word::Proved,
            Self::Refuted(_) => Word::Refuted,
            Self::Unknown(_) => Word::Unknown,
            Self::Nothing(_) => Word::Nothing,
        }
    }

    /// The word for it in JSON and in tables.
    pub fn name(&self) -> &'static str {
        self.word().name()
    }

    /// The exit status of a command that gives this verdict.
    pub fn exit(&self) -> Exit {
        self.word().exit()
    }
}
