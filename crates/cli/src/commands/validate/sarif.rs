//! Verdicts as a SARIF 2.1.0 log. There is one result for each refutation, each open obligation,
//! each entry check that is too strict, and each proof that is not bit for bit.

use std::fmt::Write as _;
use std::path::Path;

use halidom_driver::layout::Layout;
use halidom_driver::subject::{Line, Subject};
use halidom_ir::StmtId;
use halidom_validate::{Kind, Status as Closed, Verdict};
use halidom_verdict::Verdict as Outcome;
use serde_json::{Value, json};

use super::cut::Cut;
use super::judging::Judged;
use super::show;

/// Rules that are not kinds of obligations, with their descriptions.
const REFUTED: (&str, &str) =
    ("refuted", "a run shows that the program does not compute the algorithm");
const TOO_STRICT: (&str, &str) =
    ("too-strict", "an entry check refuses what the algorithm has a value for");
const UNJUDGED: (&str, &str) = ("unjudged", "the program was not judged as a whole");
const NOT_BITS: (&str, &str) =
    ("not-bit-for-bit", "the program is proved under laws that floats do not have bit for bit");

/// The name of the tool in every log.
const TOOL: &str = "halidom";

/// Tests whether a file is a log of an earlier run.
pub(super) fn is_report(bytes: &[u8]) -> bool {
    let log: Result<Value, _> = serde_json::from_slice(bytes);
    log.is_ok_and(|log| log["runs"][0]["tool"]["driver"]["name"] == TOOL)
}

pub(super) fn text(file: &Path, all: &[Judged], cut: Option<&Cut<'_>>) -> String {
    let mut results = Vec::new();
    for judged in all {
        let Judged { subject, report, layout, .. } = judged;
        let accepted = judged.is_accepted();
        let mut result = |rule: &str, level: &str, message: String, stmt: Option<StmtId>| {
            let mut result = json!({
                "ruleId": rule,
                "level": level,
                "message": {"text": format!("{}: {message}", subject.title())},
                "locations": [location(file, subject, layout, stmt)],
            });
            let others = lines(subject, layout, stmt).into_iter().skip(1);
            let others: Vec<Value> =
                others.map(|line| json!({"physicalLocation": physical(&line)})).collect();
            if !others.is_empty() {
                result["relatedLocations"] = others.into();
            }
            if accepted && judged.recorded.is_some() {
                result["baselineState"] = "unchanged".into();
            }
            results.push(result);
        };
        if let Verdict::Refuted(counterexample) = &report.verdict {
            let lines = show::counterexample(subject, layout, counterexample);
            let stmt = counterexample.site.as_ref().map(|site| site.stmt);
            result(REFUTED.0, "error", lines.join("\n"), stmt);
        }
        for obligation in report.open() {
            if let Closed::Open(reason) = &obligation.status {
                let message = format!("{}: {reason}", obligation.place);
                result(obligation.kind.name(), "warning", message, obligation.stmt);
            }
        }
        if show::is_weaker(&judged.verdict) {
            result(NOT_BITS.0, "note", judged.verdict.sentence(), None);
        }
        for strict in &report.too_strict {
            result(TOO_STRICT.0, "note", show::strict(strict), None);
        }
    }
    if let Some(Cut::Judged(verdict)) = cut
        && let Some((rule, level)) = rule_of(verdict)
    {
        let place = json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}}});
        results.push(json!({
            "ruleId": rule,
            "level": level,
            "message": {"text": verdict.sentence()},
            "locations": [place],
        }));
    }
    let mut rules: Vec<Value> = Kind::ALL
        .iter()
        .map(|kind| rule(kind.name(), "an obligation of this kind was not closed"))
        .collect();
    rules.extend([REFUTED, TOO_STRICT, NOT_BITS, UNJUDGED].map(|(id, text)| rule(id, text)));
    let mut log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": TOOL,
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    if let Some(cut) = cut {
        log["runs"][0]["invocations"] = json!([invocation(cut)]);
    }
    format!("{log:#}\n")
}

/// The rule and the level for a verdict on the whole.
fn rule_of(verdict: &Outcome) -> Option<(&'static str, &'static str)> {
    match verdict {
        Outcome::Proved(_) => None,
        Outcome::Refuted(_) => Some((REFUTED.0, "error")),
        Outcome::Unknown(_) => Some((UNJUDGED.0, "warning")),
        Outcome::Nothing(_) => Some((UNJUDGED.0, "error")),
    }
}

/// The invocation of a command that ended early, with its diagnostics.
fn invocation(cut: &Cut<'_>) -> Value {
    let diagnostics = match cut {
        Cut::Judged(_) => return json!({"executionSuccessful": true}),
        Cut::Failed(diagnostics) => diagnostics,
    };
    let notification = |said: &Value| {
        let mut notification = json!({
            "level": said["severity"],
            "message": {"text": said["message"]},
            "descriptor": {"id": said["code"]},
        });
        if let Some(file) = said["file"].as_str() {
            notification["locations"] = json!([{"physicalLocation": {
                "artifactLocation": {"uri": uri(Path::new(file))},
                "region": {"startLine": said["line"], "startColumn": said["column"]},
            }}]);
        }
        notification
    };
    let notifications: Vec<Value> = diagnostics.iter().map(notification).collect();
    json!({"executionSuccessful": false, "toolExecutionNotifications": notifications})
}

fn rule(id: &str, text: &str) -> Value {
    json!({"id": id, "shortDescription": {"text": text}})
}

/// The lines that make a statement: its func's directives, where their places are known, and the
/// definition that it computes. Without a statement, the directives of the outputs.
fn lines(subject: &Subject, layout: &Layout, stmt: Option<StmtId>) -> Vec<Line> {
    let store = stmt.and_then(|stmt| layout.stores.iter().find(|store| store.stmt == stmt));
    let Some((func, stage)) = store.and_then(|store| store.instance) else {
        let outputs = subject.algorithm.outputs.iter();
        return outputs.flat_map(|output| subject.directives(*output)).collect();
    };
    let mut lines = subject.directives(func);
    lines.extend(subject.definition(func, stage));
    lines
}

/// A line of a file.
fn physical(Line { file, number, text }: &Line) -> Value {
    json!({
        "artifactLocation": {"uri": uri(Path::new(file))},
        "region": {"startLine": number, "snippet": {"text": text}},
    })
}

/// The first line that makes a statement, and the statement's place in the program.
fn location(file: &Path, subject: &Subject, layout: &Layout, stmt: Option<StmtId>) -> Value {
    let mut location = match lines(subject, layout, stmt).first() {
        Some(line) => json!({"physicalLocation": physical(line)}),
        None => json!({"physicalLocation": {"artifactLocation": {"uri": uri(file)}}}),
    };
    if let Some(line) = stmt.and_then(|stmt| layout.line(stmt)) {
        let name = format!("{}, line {line} of the final IR", subject.title());
        location["logicalLocations"] = json!([{"fullyQualifiedName": name}]);
    }
    location
}

/// A path as a relative or absolute URI reference.
fn uri(path: &Path) -> String {
    let mut text = String::new();
    for byte in path.to_string_lossy().bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            write!(text, "%{byte:02X}").expect("a string accepts any text");
        }
    }
    if path.is_absolute() { format!("file://{text}") } else { text }
}
