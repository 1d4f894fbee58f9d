//! Tables of the results for mutants.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use halidom_validate::Kind;

use crate::judge::{Family, Judgement, Outcome};

/// Counts for a kind of mutants.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) mutants: usize,
    pub(crate) observable: usize,
    pub(crate) refuted: usize,
    pub(crate) unknown: usize,
    pub(crate) unknown_unseen: usize,
    pub(crate) proved_wrong: usize,
    pub(crate) proved_same: usize,
}

impl Counts {
    pub(crate) fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Self {
        let mut counts = Self::default();
        for outcome in outcomes {
            counts.mutants += 1;
            let observable = outcome.observed.is_some();
            counts.observable += usize::from(observable);
            let column = match (outcome.judgement, observable) {
                (Judgement::Refuted, _) => &mut counts.refuted,
                (Judgement::Unknown, true) => &mut counts.unknown,
                (Judgement::Unknown, false) => &mut counts.unknown_unseen,
                (Judgement::Proved, true) => &mut counts.proved_wrong,
                (Judgement::Proved, false) => &mut counts.proved_same,
            };
            *column += 1;
        }
        counts
    }

    fn line(&self, name: &str) -> String {
        let Self { mutants, observable, refuted, unknown, .. } = self;
        let Self { unknown_unseen, proved_wrong, proved_same, .. } = self;
        let share = 100.0 * *refuted as f64 / (*observable).max(1) as f64;
        let share = if *observable == 0 { "-".to_owned() } else { format!("{share:.1}") };
        format!(
            "{name:<42}{mutants:>8}{observable:>11}{refuted:>9}{share:>7}{unknown:>9}\
                {unknown_unseen:>8}{proved_wrong:>14}{proved_same:>13}\n"
        )
    }
}

/// A row for each kind of mutants, sums for each family and for all. If no observable mutant is
/// proved, also a 95 % confidence bound on the share of such mutants that would be.
pub(crate) fn by_kind(outcomes: &[Outcome]) -> String {
    let mut text = format!(
        "{:<42}{:>8}{:>11}{:>9}{:>7}{:>9}{:>8}{:>14}{:>13}\n",
        "",
        "mutants",
        "observable",
        "refuted",
        "%",
        "unknown",
        "unseen",
        "proved, wrong",
        "proved, same"
    );
    for family in Family::ALL {
        let of_family = || outcomes.iter().filter(|outcome| outcome.family == family);
        let mut kinds: Vec<&str> = of_family().map(|outcome| outcome.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            let counts = Counts::of(of_family().filter(|outcome| outcome.kind == kind));
            text.push_str(&counts.line(&format!("{}: {kind}", family.name())));
        }
        text.push_str(&Counts::of(of_family()).line(&format!("{}, all", family.name())));
    }
    let all = Counts::of(outcomes);
    text.push_str(&all.line("all"));
    if all.proved_wrong == 0 && all.observable > 0 {
        let bound = 1.0 - 0.05_f64.powf(1.0 / all.observable as f64);
        writeln!(
            text,
            "of {} observable mutants 0 are proved: with 95 % confidence less than {:.2} % of such \
                mutants are",
            all.observable,
            100.0 * bound
        )
        .expect("strings grow");
    }
    text
}

/// For each kind of obligation, the number of observable mutants that leave it open, and the number
/// that leave only this kind open. The latter would be proved without it.
pub(crate) fn by_obligation(outcomes: &[Outcome]) -> String {
    let wrong = || outcomes.iter().filter(|outcome| outcome.observed.is_some());
    let mut text = format!("{:<14}{:>8}{:>8}   {}\n", "obligation", "open", "alone", "of which");
    for kind in Kind::ALL {
        let open = wrong().filter(|outcome| outcome.open.contains(&kind)).count();
        let mut alone: BTreeMap<String, usize> = BTreeMap::new();
        for outcome in wrong() {
            if outcome.open.len() == 1 && outcome.open.contains(&kind) {
                *alone
                    .entry(format!("{}: {}", outcome.family.name(), outcome.kind))
                    .or_default() += 1;
            }
        }
        let sum: usize = alone.values().sum();
        let mut kinds: Vec<_> = alone.into_iter().collect();
        kinds.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
        let kinds: Vec<String> =
            kinds.iter().map(|(name, count)| format!("{count} {name}")).collect();
        writeln!(text, "{:<14}{open:>8}{sum:>8}   {}", kind.name(), kinds.join(", "))
            .expect("strings grow");
    }
    text
}

/// The reasons why observable mutants are unknown: the kinds of their open obligations, with
/// counts.
pub(crate) fn unknown(outcomes: &[Outcome]) -> String {
    let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
    for outcome in outcomes {
        if outcome.judgement == Judgement::Unknown && outcome.observed.is_some() {
            let kinds: Vec<&str> = outcome.open.iter().map(|kind| kind.name()).collect();
            *reasons.entry(kinds.join(", ")).or_default() += 1;
        }
    }
    let mut text = String::new();
    for (kinds, count) in reasons {
        writeln!(text, "{count:>6} observable and unknown, open: {kinds}").expect("strings grow");
    }
    text
}

/// Each mutant that is not refuted, in two lines; with its open obligations if `details` is set.
pub(crate) fn listed(outcomes: &[Outcome], details: bool) -> String {
    let open = outcomes.iter().filter(|outcome| outcome.judgement != Judgement::Refuted);
    let lines = open.map(|outcome| {
        let detail = if details { outcome.detail.as_str() } else { "" };
        format!("{}{detail}", line(outcome))
    });
    lines.collect()
}

/// Like [`listed`], for the mutants that a run shows to be wrong.
pub(crate) fn missed(outcomes: &[Outcome]) -> String {
    let wrong = outcomes.iter().filter(|outcome| outcome.observed.is_some());
    wrong.filter(|outcome| outcome.judgement != Judgement::Refuted).map(line).collect()
}

fn line(outcome: &Outcome) -> String {
    let words = match (outcome.judgement, &outcome.observed) {
        (Judgement::Proved, None) => {
            format!("proved: {}", outcome.reason.unwrap_or("nobody knows why"))
        }
        (Judgement::Proved, Some(observed)) => format!("PROVED, though {observed}"),
        (Judgement::Unknown, Some(observed)) => format!("unknown, though {observed}"),
        (Judgement::Unknown, None) => "unknown, and no run shows anything".to_owned(),
        (Judgement::Refuted, _) => "refuted".to_owned(),
    };
    let (family, kind) = (outcome.family.name(), outcome.kind);
    format!("{}: {family}: {kind}: {}\n    {words}\n", outcome.name, outcome.description)
}

/// The number of mutants that are proved for each reason.
pub(crate) fn reasons(outcomes: &[Outcome]) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        if outcome.judgement == Judgement::Proved && outcome.observed.is_none() {
            *reasons.entry(outcome.reason.unwrap_or("nobody knows why")).or_default() += 1;
        }
    }
    let mut reasons: Vec<_> = reasons.into_iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut text = String::new();
    for (reason, count) in reasons {
        writeln!(text, "{count:>6} proved: {reason}").expect("strings grow");
    }
    text
}
