//! Helpers that the tests share.

use std::fmt::Write as _;

use halidom_validate::{Options, Report, Status};

/// The default options, with the installed solver.
pub(crate) fn options() -> Options {
    let solver = halidom_smt::Program::find(halidom_smt::Family::Z3, None);
    Options::new(solver.expect("a solver is installed"))
}

/// Lists the open obligations of a report, one on each line.
pub(crate) fn open(report: &Report) -> String {
    let mut text = String::new();
    for obligation in report.open() {
        if let Status::Open(reason) = &obligation.status {
            let reason: String = reason.words.chars().take(300).collect();
            let _ = writeln!(text, "{}: {}: {reason}", obligation.kind.name(), obligation.place);
        }
    }
    text
}
