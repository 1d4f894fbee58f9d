//! Quick fixes: the changes that diagnostics carry.

use halidom_diag::Diagnostic;
use lsp_types::CodeActionParams;
use serde_json::{Value, json};

use crate::document::Document;
use crate::reports::range;

/// Returns the changes for the diagnostics in a range.
pub(crate) fn actions(document: &Document, params: &CodeActionParams) -> Value {
    let wanted = document.lines.offsets(document.text(), params.range);
    let found = document.loaded.module.diagnostics.iter().chain(&document.refusals);
    let touched = found.filter(|diagnostic| {
        diagnostic.span().is_some_and(|span| span.start <= wanted.end && wanted.start <= span.end)
    });
    touched.filter_map(|diagnostic| action(document, diagnostic)).collect()
}

fn action(document: &Document, diagnostic: &Diagnostic) -> Option<Value> {
    let fix = diagnostic.fix.as_ref()?;
    let edits: Vec<Value> = fix
        .edits
        .iter()
        .map(|(span, text)| json!({"range": range(document, *span), "newText": text}))
        .collect();
    let place = range(document, diagnostic.span()?);
    let report = json!({
        "range": place,
        "code": diagnostic.code.0,
        "source": "halidom",
        "message": diagnostic.message,
    });
    Some(json!({
        "title": fix.title,
        "kind": "quickfix",
        "isPreferred": true,
        "diagnostics": [report],
        "edit": {"changes": {document.uri.as_str(): edits}},
    }))
}
