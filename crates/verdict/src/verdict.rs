//! The verdict, the data of each case, and the fold over several.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::{Cause, Condition, Modes};

/// The answer of a job that judges.
///
/// From the best to the worst: proved, nothing, unknown, refuted; see [`Verdict::worst`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// The claim holds, under named conditions.
    Proved(Proved),
    /// A run shows that the claim does not hold.
    Refuted(Refuted),
    /// It is open whether the claim holds.
    Unknown(Unknown),
    /// There was nothing to judge.
    Nothing(Nothing),
}

/// A claim about a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claim {
    /// A program of ours computes the same as its algorithm.
    Program,
    /// A store of a program writes the algorithm's value, provided that the rest of the program is
    /// right.
    Store,
    /// A statement that stock Halide compiled computes the same as its pipeline.
    Statement,
    /// Two statements that stock Halide compiled from one pipeline compute the same.
    Pair,
    /// A rewrite rule keeps the value.
    Rule,
    /// A mutator keeps value and type.
    Mutator,
    /// A derivation's certificate proves its final program equal to its source.
    Derivation,
}

/// A proof. Its makers ensure that something was shown and nothing is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proved {
    /// The number of subjects with each claim.
    pub(crate) claims: BTreeMap<Claim, NonZeroUsize>,
    /// The number of obligations that were shown.
    pub(crate) shown: NonZeroUsize,
    pub(crate) modes: Modes,
    pub(crate) conditions: BTreeSet<Condition>,
}

impl Proved {
    /// The number of obligations that were shown.
    pub fn shown(&self) -> NonZeroUsize {
        self.shown
    }

    /// The equality of floats that it rests on.
    pub fn modes(&self) -> &Modes {
        &self.modes
    }

    /// The conditions that it rests on, in order.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.conditions.iter()
    }
}

/// The object of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ran {
    /// The program, by the interpreter, which holds the semantics.
    Interpreter,
    /// The compiled code.
    CompiledCode,
    /// A rewrite rule or a mutator, on values.
    Rewriting,
    /// Coq, on a certificate.
    Coq,
    /// The script of a derivation, which makes a certificate's files.
    Script,
}

/// A run with a wrong result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The object of the run.
    pub ran: Ran,
    /// The expected result.
    pub expected: String,
    /// The actual result.
    pub got: String,
}

impl Evidence {
    /// The evidence of a run that was carried out.
    pub fn of(ran: Ran, expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { ran, expected: expected.into(), got: got.into() }
    }
}

/// A refutation, with at least one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refuted {
    first: Evidence,
    others: Vec<Evidence>,
}

impl Refuted {
    /// The runs that refute, in order.
    pub fn evidence(&self) -> impl Iterator<Item = &Evidence> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The first run that refutes.
    pub fn first(&self) -> &Evidence {
        &self.first
    }
}

/// A reason why something is not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Its kind.
    pub cause: Cause,
    /// The reason in words.
    pub words: String,
}

impl Reason {
    /// A reason of this kind.
    pub fn new(cause: Cause, words: impl Into<String>) -> Self {
        Self { cause, words: words.into() }
    }
}

/// The reasons why a verdict is unknown; there is at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    first: String,
    others: Vec<String>,
    causes: BTreeMap<Cause, usize>,
}

impl Unknown {
    pub(crate) fn of(reasons: impl IntoIterator<Item = Reason>) -> Option<Self> {
        let mut causes = BTreeMap::new();
        let mut words = reasons.into_iter().map(|reason| {
            *causes.entry(reason.cause).or_insert(0) += 1;
            reason.words
        });
        let first = words.next()?;
        let others = words.collect();
        Some(Self { first, others, causes })
    }

    /// The reasons in words, in order.
    pub fn reasons(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.first).chain(&self.others).map(String::as_str)
    }

    /// The first reason in words.
    pub fn first(&self) -> &str {
        &self.first
    }

    /// The kinds of the reasons, with the number of each.
    pub fn causes(&self) -> impl Iterator<Item = (Cause, usize)> {
        self.causes.iter().map(|(cause, count)| (*cause, *count))
    }

    /// The unknown verdict that combines both.
    fn and(mut self, other: Self) -> Self {
        self.others.push(other.first);
        self.others.extend(other.others);
        for (cause, count) in other.causes {
            *self.causes.entry(cause).or_insert(0) += count;
        }
        self
    }
}

/// The reason why there was nothing to judge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nothing {
    /// The missing item, as a clause.
    pub what: String,
    /// A remedy.
    pub hint: String,
}

impl Verdict {
    /// A refutation by this run.
    pub fn refuted(evidence: Evidence) -> Self {
        Self::Refuted(Refuted { first: evidence, others: Vec::new() })
    }

    /// An unknown verdict, for a reason of this kind.
    pub fn unknown(cause: Cause, reason: impl Into<String>) -> Self {
        Self::unknown_for(reason, BTreeMap::from([(cause, 1)]))
    }

    /// An unknown verdict for one reason that sums up several, whose kinds are counted.
    pub fn unknown_for(reason: impl Into<String>, causes: BTreeMap<Cause, usize>) -> Self {
        Self::Unknown(Unknown { first: reason.into(), others: Vec::new(), causes })
    }

    /// A verdict for nothing to judge, with a remedy.
    pub fn nothing(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Nothing(Nothing { what: what.into(), hint: hint.into() })
    }

    /// Tests whether it is a proof.
    pub fn is_proved(&self) -> bool {
        match self {
            Self::Proved(_) => true,
            Self::Refuted(_) | Self::Unknown(_) | Self::Nothing(_) => false,
        }
    }

    /// The verdict on several subjects: the worst of theirs.
    ///
    /// One refutation refutes the whole. Otherwise one unknown verdict makes the whole unknown.
    /// Subjects with nothing to judge among proved ones make it unknown too: the whole was
    /// requested, and a part of it was not judged. If no subject has anything to judge, or the list
    /// is empty, the verdict is that there is nothing to judge; `nothing` gives the reason and a
    /// remedy for an empty list.
    pub fn worst(verdicts: impl IntoIterator<Item = Self>, nothing: (&str, &str)) -> Self {
        let folded = verdicts.into_iter().reduce(Self::worse);
        folded.unwrap_or_else(|| Self::nothing(nothing.0, nothing.1))
    }

    /// The worse of two verdicts. If they are equally bad, the result combines the data of both,
    /// except that the first of two verdicts with nothing to judge is kept.
    fn worse(one: Self, other: Self) -> Self {
        let partly = |nothing: Nothing| {
            let what = nothing.what;
            Self::unknown(
                Cause::Part,
                format!("a part of what was asked for was not judged: {what}"),
            )
        };
        match (one, other) {
            (Self::Refuted(mut one), Self::Refuted(other)) => {
                one.others.push(other.first);
                one.others.extend(other.others);
                Self::Refuted(one)
            }
            (worse @ Self::Refuted(_), Self::Proved(_) | Self::Unknown(_) | Self::Nothing(_))
            | (Self::Proved(_) | Self::Unknown(_) | Self::Nothing(_), worse @ Self::Refuted(_)) => {
                worse
            }
            (Self::Unknown(one), Self::Unknown(other)) => Self::Unknown(one.and(other)),
            (unknown @ Self::Unknown(_), Self::Proved(_) | Self::Nothing(_))
            | (Self::Proved(_) | Self::Nothing(_), unknown @ Self::Unknown(_)) => unknown,
            (nothing @ Self::Nothing(_), Self::Nothing(_)) => nothing,
            (Self::Nothing(nothing), Self::Proved(_))
            | (Self::Proved(_), Self::Nothing(nothing)) => partly(nothing),
            (Self::Proved(one), Self::Proved(other)) => Self::Proved(one.and(other)),
        }
    }
}

impl Proved {
    /// Joins two proofs.
    fn and(mut self, other: Self) -> Self {
        for (claim, count) in other.claims {
            self.claims
                .entry(claim)
                .and_modify(|known| *known = known.saturating_add(count.get()))
                .or_insert(count);
        }
        self.shown = self.shown.saturating_add(other.shown.get());
        self.modes = self.modes.and(&other.modes);
        self.conditions.extend(other.conditions);
        self
    }
}
