//! Updates whose predicate reads their own func: the condition reads the value before the instance,
//! wherever it is evaluated.

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Kind, Report, Status, Verdict, validate};

/// `for r in 0..n where f(r + 1) > 3 { f(r) = 0; }`
const PREDICATE: &str = include_str!("predicate.ir");

const LOOP: &str = "for f.s1.r in [0, int(n)] {";
const CONDITION: &str = "if 3i32 < f.buffer[(f.s1.r - f.min.0 + 1) * f.stride.0 @ f(f.s1.r + 1)] {";
const EXTENT: &str = "let f.s0.extent.0: int = max(int(n), f.window.min.0 + f.window.extent.0 + \
    -1) - f.s0.min.0 + 1;";

fn judge(edits: &[(&str, &str)], runs: bool) -> Report {
    let mut text = PREDICATE.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "nothing to edit: {old}");
        text = text.replace(old, new);
    }
    let mut module = parse::module(&text).expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let mut options = options();
    if !runs {
        options.search.trials = 0;
    }
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

fn kinds(report: &Report) -> Vec<Kind> {
    let open = report.obligations.iter().filter(|o| matches!(o.status, Status::Open(_)));
    let mut kinds: Vec<Kind> = open.map(|obligation| obligation.kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn the_program_as_lowered_is_proved() {
    let report = judge(&[], true);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

#[test]
fn a_condition_that_sees_later_versions_is_refuted() {
    // From the end: the instance `r + 1`, which comes later in the specification, has overwritten
    // `f(r + 1)`.
    let edits = [(LOOP, "for t in [0, int(n)] { let f.s1.r: int = int(n) - 1 - t;")];
    let report = judge(&edits, false);
    assert!(kinds(&report).contains(&Kind::Order), "{}", open(&report));
    assert!(matches!(judge(&edits, true).verdict, Verdict::Refuted(_)));
}

#[test]
fn a_condition_on_another_location_is_refuted() {
    let wrong =
        CONDITION.replace(" + 1) * f.stride.0 @ f(f.s1.r + 1)", ") * f.stride.0 @ f(f.s1.r)");
    let edits = [(CONDITION, &*wrong)];
    let report = judge(&edits, false);
    assert!(kinds(&report).contains(&Kind::Claim), "{}", open(&report));
    assert!(matches!(judge(&edits, true).verdict, Verdict::Refuted(_)));
}

#[test]
fn what_a_condition_reads_was_written() {
    // No consumer needs `f(n)`, but the condition of the last instance reads it.
    let short = EXTENT.replace("max(int(n),", "max(int(n) - 1,");
    let report = judge(&[(EXTENT, &short)], false);
    assert_ne!(report.verdict, Verdict::Proved);
    assert!(kinds(&report).contains(&Kind::Definedness), "{}", open(&report));
    assert!(matches!(judge(&[(EXTENT, &short)], true).verdict, Verdict::Refuted(_)));
}
