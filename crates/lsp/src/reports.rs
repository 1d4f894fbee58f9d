//! Diagnostics of the protocol.

use halidom_diag::{Diagnostic, Severity, Span};
use halidom_verdict::Word;
use lsp_types::{DiagnosticSeverity, Range};
use serde_json::{Value, json};

use crate::document::Document;
use crate::verdicts::{Named, Proof};

/// Returns all diagnostics of a document: errors of the text, refusals of schedules, and verdicts
/// that are not proofs.
pub(crate) fn diagnostics(document: &Document) -> Vec<Value> {
    let found = &document.loaded.module.diagnostics;
    let mut all: Vec<Value> = found
        .iter()
        .chain(&document.refusals)
        .map(|diagnostic| report(document, diagnostic))
        .collect();
    for (named, proof) in &document.proofs {
        let Proof::Ended(judged) = proof else { continue };
        let severity = match judged.word {
            Some(Word::Proved) => continue,
            Some(Word::Refuted) => DiagnosticSeverity::ERROR,
            Some(Word::Unknown | Word::Nothing) | None => DiagnosticSeverity::INFORMATION,
        };
        if let Some(span) = schedule_span(document, named) {
            all.push(json!({
                "range": range(document, span),
                "severity": severity,
                "source": "halidom proof",
                "message": judged.sentence,
            }));
        }
    }
    all
}

/// The place of a schedule's name, or of its pipeline's for the unscheduled form.
pub(crate) fn schedule_span(document: &Document, (pipeline, schedule): &Named) -> Option<Span> {
    let (_, pipeline) = document.pipeline(pipeline)?;
    Some(pipeline.schedule(schedule).map_or(pipeline.span, |named| named.span))
}

pub(crate) fn range(document: &Document, span: Span) -> Range {
    document.lines.range(document.text(), span.range())
}

fn report(document: &Document, diagnostic: &Diagnostic) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Note => DiagnosticSeverity::INFORMATION,
    };
    let place = diagnostic.span().map_or_else(Range::default, |span| range(document, span));
    let label = diagnostic.primary.as_ref().map_or("", |label| label.message.as_str());
    let mut message = diagnostic.message.clone();
    if !label.is_empty() {
        message.push_str(": ");
        message.push_str(label);
    }
    if let Some(hint) = &diagnostic.hint {
        message.push_str("\nhint: ");
        message.push_str(hint);
    }
    let related: Vec<Value> = diagnostic
        .secondary
        .iter()
        .map(|label| {
            let location = json!({"uri": document.uri, "range": range(document, label.span)});
            json!({"location": location, "message": label.message})
        })
        .collect();
    json!({
        "range": place,
        "severity": severity,
        "code": diagnostic.code.0,
        "source": "halidom",
        "message": message,
        "relatedInformation": related,
    })
}
