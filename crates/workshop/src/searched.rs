//! The end of a search for disagreements.

use halidom_verdict::{Evidence, Verdict};

/// The verdict on a search. Each disagreement refutes. Finding none proves nothing, so `None` is no
/// verdict; without a run, there was nothing to judge.
pub(crate) fn verdict(runs: u64, found: impl Iterator<Item = Evidence>) -> Option<Verdict> {
    let nothing = ("no program was run", "try more programs with `--programs N`");
    let refuted: Vec<Verdict> = found.map(Verdict::refuted).collect();
    if refuted.is_empty() && runs > 0 {
        return None;
    }
    Some(Verdict::worst(refuted, nothing))
}

#[cfg(test)]
mod tests {
    use std::iter;

    use halidom_verdict::{Evidence, Ran, Verdict};

    use super::verdict;

    #[test]
    fn only_findings_refute() {
        let found = || iter::once(Evidence::of(Ran::Interpreter, "1", "2"));
        assert!(matches!(verdict(3, found()), Some(Verdict::Refuted(_))));
        assert!(matches!(verdict(0, found()), Some(Verdict::Refuted(_))));
        assert_eq!(verdict(3, iter::empty()), None);
        assert!(matches!(verdict(0, iter::empty()), Some(Verdict::Nothing(_))));
    }
}
