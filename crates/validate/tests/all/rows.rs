//! Rows whose length is a maximum. Where a path decides the maximum, the element number may use its
//! value there, and no other.

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_interp::Bindings;
use halidom_ir::{Array, Constant, Scalar, parse};
use halidom_validate::{Given, Kind, Report, Verdict, validate};

/// Rows of `max(n, 4)` elements, written as rows of `n` where `n >= 4`, and as rows of 4 elsewhere.
const ROWS: &str = include_str!("rows.ir");

const GUARD: &str = "if 4 <= output.window.extent.0 {";

fn judge(edits: &[(&str, &str)], runs: bool) -> Report {
    let mut text = ROWS.to_owned();
    for (old, new) in edits {
        assert_eq!(text.matches(old).count(), 1, "{old}");
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

/// Checks that only the location is open, and that a run shows a difference.
fn misplaced(edits: &[(&str, &str)]) {
    let report = judge(edits, false);
    let open_kinds: BTreeSet<Kind> = report.open().map(|obligation| obligation.kind).collect();
    assert_eq!(open_kinds, BTreeSet::from([Kind::Location]), "{}", open(&report));
    assert!(matches!(judge(edits, true).verdict, Verdict::Refuted(_)));
}

#[test]
fn a_length_that_the_path_decides() {
    let report = judge(&[], true);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    let located = report.obligations.iter().filter(|obligation| obligation.kind == Kind::Location);
    assert!(located.count() > 6);
}

#[test]
fn a_path_that_does_not_decide_it() {
    // Rows of 3 elements lie 4 apart.
    misplaced(&[(GUARD, "if 3 <= output.window.extent.0 {")]);
}

#[test]
fn a_path_that_decides_otherwise() {
    misplaced(&[("y1 * 4 + x1", "y1 * output.window.extent.0 + x1")]);
    misplaced(&[("y0 * output.window.extent.0 + x0", "y0 * 4 + x0")]);
}

#[test]
fn sizes_that_are_given_come_first() {
    // Random numbers hardly ever have this value.
    let only = ("int(n) <= 4096", "int(n) == 97");
    let judged = |edits: &[(&str, &str)], is_given: bool| {
        let text = edits.iter().fold(ROWS.to_owned(), |text, (old, new)| text.replace(old, new));
        let mut module = parse::module(&text).expect("the text is well formed");
        let program = module.program.expect("the text has a program");
        let (pool, algorithm) = (&module.pool, &module.algorithm);
        let mut bindings = Bindings::new();
        let n = Constant::wrapped(Scalar::I32, 97).expect("it is an integer");
        bindings.set_var(pool, algorithm.params[0], n).expect("it has this type");
        let input = Array::padded(Scalar::U8, vec![(0, 100)], &[0]).expect("it is small");
        bindings.set_input(pool, algorithm.inputs[0], input).expect("it has one dimension");
        let mut options = options();
        if is_given {
            options.given.push(Given { bindings, windows: vec![vec![(0, 3)]] });
        }
        validate(&mut module.pool, &module.algorithm, &program, &options)
    };
    let wrong = [only, (GUARD, "if 3 <= output.window.extent.0 {")];
    assert!(matches!(judged(&wrong, false).verdict, Verdict::Unknown(_)));
    assert!(matches!(judged(&wrong, true).verdict, Verdict::Refuted(_)));
    let right = judged(&[only], true);
    assert_eq!(right.verdict, Verdict::Proved, "{}", open(&right));
    assert_eq!(right.runs.passed, 1);
}
