//! Counts proof obligations: the only way to a proof.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

use crate::{Cause, Claim, Condition, Modes, Proved, Reason, Unknown, Verdict};

/// The obligations for one subject, added one at a time.
#[derive(Clone, Debug)]
pub struct Obligations {
    claim: Claim,
    shown: usize,
    open: Vec<Reason>,
    trusted: usize,
    modes: Modes,
    conditions: BTreeSet<Condition>,
}

impl Obligations {
    /// An empty count for a subject with this claim.
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

    /// Adds an obligation that was shown, by this equality of floats.
    pub fn shown(&mut self, by: &Modes) {
        self.shown += 1;
        self.modes = self.modes.clone().and(by);
    }

    /// Adds an obligation that remains open, for a reason of this kind.
    pub fn open(&mut self, cause: Cause, reason: impl Into<String>) {
        self.open.push(Reason::new(cause, reason));
    }

    /// Adds an obligation that is not shown, but follows from a condition.
    pub fn trusted(&mut self, condition: Condition) {
        self.trusted += 1;
        self.conditions.insert(condition);
    }

    /// Adds a condition that the other obligations rest on.
    pub fn assume(&mut self, condition: Condition) {
        self.conditions.insert(condition);
    }

    /// The number of obligations.
    pub fn total(&self) -> usize {
        self.shown + self.open.len() + self.trusted
    }

    /// Returns a proof if at least one obligation was shown and none is open. If all of them are
    /// only assumed, the verdict is unknown. `nothing` gives the reason and a remedy in case there
    /// are no obligations.
    pub fn verdict(self, nothing: (&str, &str)) -> Verdict {
        if self.total() == 0 {
            return Verdict::nothing(nothing.0, nothing.1);
        }
        if let Some(unknown) = Unknown::of(self.open) {
            return Verdict::Unknown(unknown);
        }
        match NonZeroUsize::new(self.shown) {
            None => Verdict::unknown(Cause::Assumption, "all that is to be shown is only assumed"),
            Some(shown) => Verdict::Proved(Proved {
                claims: BTreeMap::from([(self.claim, NonZeroUsize::MIN)]),
                shown,
                modes: self.modes,
                conditions: self.conditions,
            }),
        }
    }
}
