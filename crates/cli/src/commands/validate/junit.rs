//! Verdicts as a JUnit report with a case for each subject.

use std::path::Path;

use halidom_verdict::Verdict;
use quick_junit::{NonSuccessKind, Report, SerializeError, TestCase, TestCaseStatus, TestSuite};

use super::cut::Cut;
use super::judging::Judged;
use super::show;

/// The name of every report.
const NAME: &str = "halidom validate";

/// Tests whether a file is a report of an earlier run.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(1000)]);
    head.contains(&format!("<testsuites name=\"{NAME}\""))
}

pub(super) fn text(
    file: &Path,
    all: &[Judged],
    cut: Option<&Cut<'_>>,
) -> Result<String, SerializeError> {
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
    suite.add_test_cases(cut.map(|cut| TestCase::new(suite.name.as_str(), status(cut))));
    let mut report = Report::new(NAME);
    report.add_test_suite(suite);
    report.to_string()
}

/// The status of a command that ended early.
fn status(cut: &Cut<'_>) -> TestCaseStatus {
    let (kind, word, message) = match cut {
        Cut::Judged(Verdict::Proved(_)) => return TestCaseStatus::success(),
        Cut::Judged(
            verdict @ (Verdict::Refuted(_) | Verdict::Unknown(_) | Verdict::Nothing(_)),
        ) => (NonSuccessKind::Failure, verdict.name(), verdict.sentence()),
        Cut::Failed(diagnostics) => {
            let said = diagnostics.iter().find(|said| said["severity"] == "error");
            let text = |key| said.and_then(|said| said[key].as_str()).unwrap_or_default();
            (NonSuccessKind::Error, text("code"), text("message").to_owned())
        }
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(word);
    status.set_message(message);
    status
}
