//! Verdicts as a JUnit report: a case for each subject.

use std::path::Path;

use halidom_validate::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::{Judged, show, word};
use crate::output::Status;

pub(super) fn text(file: &Path, all: &[Judged]) -> Result<String, SerializeError> {
    let mut suite = TestSuite::new(file.display().to_string());
    for judged in all {
        let verdict = &judged.report.verdict;
        let mut status = match (verdict, judged.status) {
            (Verdict::Proved, Status::Done) => TestCaseStatus::success(),
            (Verdict::Refuted(_) | Verdict::Unknown(_), Status::Done) => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(format!("{}, as recorded in the baseline", word(verdict)));
                status
            }
            (
                Verdict::Proved | Verdict::Refuted(_) | Verdict::Unknown(_),
                Status::Wrong | Status::BadInput | Status::Unknown | Status::Disagreement,
            ) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_type(word(verdict));
                status.set_message(show::summary(&judged.report));
                status
            }
        };
        if !matches!(verdict, Verdict::Proved) {
            let lines = show::lines(&judged.subject, &judged.layout, &judged.report);
            status.set_description(lines.join("\n"));
        }
        let mut case = TestCase::new(judged.subject.title(), status);
        case.set_classname(judged.subject.pipeline.clone());
        case.set_time(judged.report.time);
        if show::is_weaker(&judged.report) {
            case.set_system_out(show::summary(&judged.report));
        }
        suite.add_test_case(case);
    }
    let mut report = Report::new("halidom validate");
    report.add_test_suite(suite);
    report.to_string()
}
