//! Schedules that are not proved.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::Directive;
use halidom_verdict::Verdict;

use super::choose::places;
use super::facts::Facts;
use super::propose::canonical;

/// After so many unproved schedules with the funcs at the same places, others with them at these
/// places are not expected to be proved either.
const MOST_ALIKE: usize = 2;

/// The schedules that are not proved.
#[derive(Default)]
pub(super) struct Unproved {
    schedules: FxHashSet<String>,
    /// The number of those with the funcs at the same places.
    kinds: FxHashMap<String, usize>,
    /// The first one's verdict.
    pub(super) verdict: Option<Verdict>,
}

impl Unproved {
    /// Adds a schedule with its verdict.
    pub(super) fn add(&mut self, facts: &Facts, directives: &[Directive], verdict: Verdict) {
        self.schedules.insert(canonical(directives));
        *self.kinds.entry(places(facts, directives)).or_default() += 1;
        self.verdict.get_or_insert(verdict);
    }

    /// The number of schedules.
    pub(super) fn len(&self) -> usize {
        self.schedules.len()
    }

    /// Tests whether this very schedule is not proved.
    pub(super) fn has(&self, directives: &[Directive]) -> bool {
        !self.schedules.is_empty() && self.schedules.contains(&canonical(directives))
    }

    /// Tests whether a schedule is like several that are not proved, or one of them.
    pub(super) fn has_like(&self, facts: &Facts, directives: &[Directive]) -> bool {
        let alike = || self.kinds.get(&places(facts, directives)).copied().unwrap_or(0);
        self.has(directives) || !self.kinds.is_empty() && alike() >= MOST_ALIKE
    }
}
