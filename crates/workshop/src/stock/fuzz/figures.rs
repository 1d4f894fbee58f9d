//! Counts over the examined programs.

use std::collections::BTreeMap;

/// Counts over the examined programs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Generated programs.
    pub programs: u64,
    /// Programs that cannot be printed as a script, by reason.
    pub unprintable: BTreeMap<String, u64>,
    /// Scripts that Halide refuses even after directives are removed from their schedules.
    pub refused: u64,
    /// Statements that were proved.
    pub proved: u64,
    /// Statements that were refuted.
    pub refuted: u64,
    /// Refuted statements whose refutation the compiled code did not confirm, by reason.
    pub not_borne_out: BTreeMap<String, u64>,
    /// Statements with an unknown verdict, by reason.
    pub unknown: BTreeMap<String, u64>,
    /// Statements that could not be translated, by reason.
    pub untranslated: BTreeMap<String, u64>,
    /// Runs of compiled code.
    pub runs: u64,
    /// Runs that an entry check refused.
    pub runs_refused: u64,
    /// Directives in the compiled scripts, by name.
    pub directives: BTreeMap<String, u64>,
}

impl Figures {
    pub(super) fn add(&mut self, other: Self) {
        let merge = |own: &mut BTreeMap<String, u64>, other: BTreeMap<String, u64>| {
            for (key, count) in other {
                *own.entry(key).or_default() += count;
            }
        };
        self.programs += other.programs;
        merge(&mut self.unprintable, other.unprintable);
        self.refused += other.refused;
        self.proved += other.proved;
        self.refuted += other.refuted;
        self.runs += other.runs;
        self.runs_refused += other.runs_refused;
        merge(&mut self.not_borne_out, other.not_borne_out);
        merge(&mut self.unknown, other.unknown);
        merge(&mut self.untranslated, other.untranslated);
        merge(&mut self.directives, other.directives);
    }
}
