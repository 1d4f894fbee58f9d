//! Every schedule of the examples is proved, for all sizes at once.

mod common;

use common::{cases, example, open, options};
use halidom_validate::{Verdict, validate};

fn proves(file: &str) {
    for mut case in cases(&example(file)) {
        let report = validate(&mut case.pool, &case.algorithm, &case.program, &options());
        assert_eq!(report.verdict, Verdict::Proved, "{}\n{}", case.name, open(&report));
        assert!(!report.obligations.is_empty() && report.queries > 0, "{}", case.name);
    }
}

#[test]
fn blur() {
    proves("blur.hal");
}

#[test]
fn box_blur() {
    proves("box_blur.hal");
}

#[test]
fn gemm() {
    proves("gemm.hal");
}

#[test]
fn histogram() {
    proves("histogram.hal");
}

#[test]
fn harris() {
    proves("harris.hal");
}

#[test]
fn unsharp() {
    proves("unsharp.hal");
}
