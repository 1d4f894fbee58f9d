//! Verdicts as a SARIF 2.1.0 log. There is one result for each refutation, each open obligation,
//! each entry check that is too strict, and each proof that is not bit for bit.

use std::fmt::Write as _;
use std::path::Path;

use halidom_driver::layout::Layout;
use halidom_driver::subject::{Line, Subject};
use halidom_ir::StmtId;
use halidom_validate::{Kind, Status as Closed, Verdict};
use serde_json::{Value, json};

use super::judging::Judged;
use super::show;

/// Rules that are not kinds of obligations, with their descriptions.
const REFUTED: (&str, &str) =
    ("refuted", "a run shows that the program does not compute the algorithm");
const TOO_STRICT: (&str, &str) =
    ("too-strict", "an entry check refuses what the algorithm has a value for");
const NOT_BITS: (&str, &str) =
    ("not-bit-for-bit", "the program is proved under laws that floats do not have bit for bit");

pub(super) fn text(file: &Path, all: &[Judged]) -> String {
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
    let mut rules: Vec<Value> = Kind::ALL
        .iter()
        .map(|kind| rule(kind.name(), "an obligation of this kind was not closed"))
        .collect();
    rules.extend([REFUTED, TOO_STRICT, NOT_BITS].map(|(id, text)| rule(id, text)));
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "halidom",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    format!("{log:#}\n")
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
