//! Turns the validator's outcome into the verdict that every job gives. No other module does this.

use std::collections::BTreeMap;

use halidom_verdict::{self as verdict, Cause, Claim, Condition, Evidence, Modes, Obligations};

use crate::{Axioms, Floats, Method, Report, Status, Verdict};

/// The condition that callers' buffers do not overlap. No entry check can see this.
pub const BUFFERS_APART: Condition = Condition::standard(
    "buffers-apart",
    "the caller's buffers do not overlap",
    "docs/validator.md#what-is-decided",
);

/// The condition that entry checks are evaluated without overflow, which holds for sizes within the
/// checks' limits.
pub const ENTRY_ARITHMETIC: Condition = Condition::standard(
    "entry-arithmetic",
    "entry checks are evaluated without overflow",
    "docs/validator.md#what-is-decided",
);

/// The reason for a verdict without any obligation, and a hint that tells how to mend it.
pub const NOTHING: (&str, &str) =
    ("the program has nothing to show", "give the program an output that it computes");

/// Translates the equality of floats that a method relies on.
fn modes(method: Method) -> Modes {
    let names = |axioms: Axioms| axioms.iter().map(|axiom| axiom.name().to_owned()).collect();
    let names: Vec<String> = names(method.axioms());
    match method.floats() {
        Floats::Bits | Floats::Axioms => Modes::axioms(names),
        Floats::Reals => Modes::reals(names),
    }
}

impl Report {
    /// The kinds of reasons for which obligations are open, with the number of each.
    fn causes(&self) -> BTreeMap<Cause, usize> {
        let mut causes = BTreeMap::new();
        for obligation in self.open() {
            if let Status::Open(reason) = &obligation.status {
                *causes.entry(reason.cause).or_insert(0) += 1;
            }
        }
        causes
    }

    /// The verdict that a job gives.
    ///
    /// A proof is counted once more from the obligations: the validator's own `Proved` closes none
    /// of them.
    pub fn answer(&self) -> verdict::Verdict {
        match &self.verdict {
            Verdict::Refuted(found) => verdict::Verdict::refuted(Evidence::of(
                found.ran,
                found.expected.as_str(),
                found.got.as_str(),
            )),
            Verdict::Unknown(reason) => {
                let mut causes = self.causes();
                if causes.is_empty() || reason.cause == Cause::Unconfirmed {
                    causes = BTreeMap::from([(reason.cause, 1)]);
                }
                verdict::Verdict::unknown_for(reason.words.as_str(), causes)
            }
            Verdict::Proved => self.answer_of(self.claim, 0..self.obligations.len()),
        }
    }

    /// The verdict on some of the obligations, given by their numbers: for example those for one
    /// store.
    ///
    /// # Panics
    /// Panics if a number is out of range.
    pub fn answer_of(
        &self,
        claim: Claim,
        numbers: impl IntoIterator<Item = usize>,
    ) -> verdict::Verdict {
        let mut count = Obligations::of(claim);
        for number in numbers {
            let obligation = &self.obligations[number];
            match &obligation.status {
                Status::Closed(method) => count.shown(&modes(*method)),
                Status::Open(reason) => {
                    count.open(reason.cause, format!("{}: {}", obligation.place, reason.words));
                }
            }
        }
        for condition in &self.conditions {
            count.assume(condition.clone());
        }
        count.verdict(NOTHING)
    }
}
