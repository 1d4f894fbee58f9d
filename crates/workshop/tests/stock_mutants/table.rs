//! The table by kind.

use std::fmt::Write as _;

use halidom_workshop::stock::mutants::KINDS;

use crate::result::{MutantResult, Verdict};
use crate::sweep::Swept;

/// Counts of results.
fn row(results: &[&MutantResult]) -> String {
    let count = |wrong: bool, verdict: Option<Verdict>| {
        let is_counted = |result: &&&MutantResult| {
            result.is_wrong == wrong && verdict.is_none_or(|verdict| result.verdict == verdict)
        };
        results.iter().filter(is_counted).count()
    };
    let own = [Verdict::Proved, Verdict::Refuted, Verdict::Unknown, Verdict::Refused];
    let mut text = format!("{:>5} | {:>5}", results.len(), count(true, None));
    for verdict in own {
        let _ = write!(text, " | {:>5}", count(true, Some(verdict)));
    }
    for verdict in own {
        let _ = write!(text, " | {:>5}", count(false, Some(verdict)));
    }
    text
}

/// Formats all results by kind.
pub(crate) fn table(swept: &Swept) -> String {
    let mut text = String::new();
    let width = KINDS.iter().copied().flatten().map(|kind| kind.name.len()).max().unwrap_or(0);
    let _ = writeln!(
        text,
        "{:<width$} | {:>5} | wrong | {:>5} | {:>5} | {:>5} | {:>5} | other | {:>5} | {:>5} | \
            {:>5}",
        "kind", "all", "proved", "refuted", "unknown", "refused", "refuted", "unknown", "refused"
    );
    let mut kinds = 0;
    for kind in KINDS.iter().copied().flatten() {
        let own: Vec<&MutantResult> =
            swept.results.iter().filter(|result| result.kind == kind.name).collect();
        if !own.is_empty() {
            kinds += 1;
            let _ = writeln!(text, "{:<width$} | {}", kind.name, row(&own));
        }
    }
    let all: Vec<&MutantResult> = swept.results.iter().collect();
    let _ = writeln!(text, "{:<width$} | {}", "all", row(&all));
    let (observable, refuted) = swept.observable();
    let _ = writeln!(
        text,
        "\n{} mutants of {kinds} kinds, made from {} statements that are proved as they are: \
            {observable} are seen to be wrong, {refuted} of these are refuted, {} proved",
        swept.results.len(),
        swept.proved,
        swept.results.iter().filter(|it| it.is_wrong && it.verdict == Verdict::Proved).count(),
    );
    let (run, wrong) = swept.replayed();
    if run > 0 {
        let _ = writeln!(
            text,
            "the code that Halide compiles of {run} that a run of the statement refutes was run \
                too: it is wrong in {wrong}"
        );
    }
    text
}
