//! A program to examine, and its cases.

use halidom_ir::Array;
use halidom_testgen::Case;

use super::disagreement::{Disagreement, Wrong};

/// A text and the seed of its cases.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) seed: u64,
    pub(super) text: String,
}

impl Subject {
    pub(super) fn disagreement(&self, schedule: Option<String>, wrong: Wrong) -> Disagreement {
        let Wrong { kind, what, inputs } = wrong;
        let Self { seed, text } = self.clone();
        Disagreement { seed, text, schedule, kind, what, inputs, small: None }
    }
}

/// A case with the algorithm's outputs on it.
pub(super) struct Known {
    pub(super) case: Case,
    pub(super) expected: Vec<Array>,
}
