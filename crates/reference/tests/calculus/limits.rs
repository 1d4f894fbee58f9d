//! Undecided questions are unknown: limits that are reached, solvers that have no answer.

use std::path::Path;
use std::time::Duration;

use halidom_reference::{Options, Verdict};
use halidom_smt::{Family, Program};

use super::common::{COPY, FRESH, judged_within, options};

fn reason(value: &str, options: &Options) -> String {
    let body = format!("for y in [w.min, w.extent] {{ {} }}", FRESH.replace("+ 1i32", value));
    match judged_within(COPY, &body, options).verdict {
        Verdict::Proved => "proved".to_owned(),
        Verdict::Unknown(reason) => reason,
    }
}

#[test]
fn a_limit_that_is_reached_proves_nothing() {
    assert_eq!(reason("+ 1i32", &options()), "proved");
    let few = Options { operations: 20, ..options() };
    assert!(reason("+ 1i32", &few).contains("the work limit of 20 set operations"));
    let short = Options { time: Duration::ZERO, ..options() };
    assert!(reason("+ 1i32", &short).contains("the time"));
}

#[test]
fn a_solver_without_an_answer_proves_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/solvers");
    let solver = Program::find(Family::Z3, Some(&folder.join("silent"))).expect("it is a file");
    let mut options = options();
    options.asking.solver = solver;
    // One expression on both sides needs no solver.
    assert_eq!(reason("+ 1i32", &options), "proved");
    assert!(reason("- 2i32 + 3i32", &options).contains("not seen"));
}
