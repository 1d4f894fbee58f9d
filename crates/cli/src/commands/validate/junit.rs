//! Verdicts as a JUnit report with a case for each subject.

use std::path::Path;

use halidom_verdict::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::judging::Judged;
use super::show;

pub(super) fn text(file: &Path, all: &[Judged]) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(file.display().to_string());
    for judged in all {
        let verdict = &judged.verdict;
        let mut status = match (verdict, judged.is_accepted()) {
            (Verdict::Proved(_), true) => TestCaseStatus::success(),
            (Verdict::Refuted(_) | Verdict::Unknown(_), true) => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(format!("{}, as recorded in the baseline", verdict.name()));
                status
            }
            (Verdict::Nothing(_), true)
            | (
                Verdict::Proved(_)
                | Verdict::Refuted(_)
                | Verdict::Unknown(_)
                | Verdict::Nothing(_),
                false,
            ) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(verdict.name());
                status.set_message(verdict.sentence());
                status
            }
        };
        if !verdict.is_proved() {
            let lines = show::lines(&judged.subject, &judged.layout, &judged.report);
            status.set_description(lines.join("\n"));
        }
        let mut case = TestCase::new(judged.subject.title(), status);
        case.set_classname(judged.subject.pipeline.clone());
        case.set_time(judged.report.time);
        if show::is_weaker(verdict) {
            case.set_system_out(verdict.sentence());
        }
        suite.add_test_case(case);
    }
    let mut report = Report::new("halidom validate");
    report.add_test_suite(suite);
    report.to_string()
}
