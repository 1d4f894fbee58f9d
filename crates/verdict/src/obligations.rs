//! The count of what is to be shown: the only way to a proof.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::{Claim, Condition, Modes, Proved, Unknown, Verdict};

/// What is to be shown of one subject, one obligation after the other.
#[derive(Clone, Debug)]
pub struct Obligations {
    claim: Claim,
    shown: usize,
    open: Vec<String>,
    trusted: usize,
    modes: Modes,
    conditions: BTreeSet<Condition>,
}

impl Obligations {
    /// None yet, of a subject of which this is claimed.
    pub fn of(claim: Claim) -> Self {
        Self {
            claim,
            shown: 0,
            open: Vec::new(),
            trusted: 0,
            modes: Modes::BITS,
            conditions: BTreeSet::new(),
        }
    }

    /// One that was shown, by this equality of floats.
    pub fn shown(&mut self, by: &Modes) {
        self.shown += 1;
        self.modes = self.modes.clone().and(by);
    }

    /// One that is not shown, for this reason.
    pub fn open(&mut self, reason: impl Into<String>) {
        self.open.push(reason.into());
    }

    /// One that is not shown, but follows from a condition.
    pub fn trusted(&mut self, condition: Condition) {
        self.trusted += 1;
        self.conditions.insert(condition);
    }

    /// A condition that the others rest on.
    pub fn assume(&mut self, condition: Condition) {
        self.conditions.insert(condition);
    }

    /// How many there are.
    pub fn total(&self) -> usize {
        self.shown + self.open.len() + self.trusted
    }

    /// A proof if all were shown and there is one. `nothing` says why there may be none, and how to mend that.
    pub fn verdict(self, nothing: (&str, &str)) -> Verdict {
        if self.total() == 0 {
            return Verdict::nothing(nothing.0, nothing.1);
        }
        if let Some(unknown) = Unknown::of(self.open) {
            return Verdict::Unknown(unknown);
        }
        match NonZeroUsize::new(self.shown) {
            None => Verdict::unknown("all that is to be shown is only assumed"),
            Some(shown) => Verdict::Proved(Proved {
                claims: BTreeMap::from([(self.claim, NonZeroUsize::MIN)]),
                shown,
                modes: self.modes,
                conditions: self.conditions,
            }),
        }
    }
}
