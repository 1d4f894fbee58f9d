//! Renaming. The text with the new name is checked as a whole: every name must keep its meaning,
//! and no error may appear.

use halidom_base::IndexMap;
use halidom_diag::Code;
use halidom_driver::source;
use halidom_lang::{Symbols, is_keyword};
use lsp_server::ErrorCode;
use lsp_types::RenameParams;
use serde_json::{Value, json};

use crate::answer::{Answer, modified};
use crate::document::{Document, refusals};
use crate::names::symbols_at;
use crate::reports::range;

/// Returns the range of the name at a place, if it can be renamed.
pub(crate) fn prepare(document: &Document, offset: usize) -> Value {
    let Some(used) = document.symbols.at(offset).next() else { return Value::Null };
    let name = document.symbols.symbols.get(used.symbol).map(|symbol| symbol.name.as_str());
    json!({"range": range(document, used.span), "placeholder": name})
}

/// Returns the edits that rename the symbol at a place.
pub(crate) fn rename(
    document: &Document,
    params: RenameParams,
    is_stale: &dyn Fn() -> bool,
) -> Answer {
    let place = params.text_document_position.position;
    let offset = document.lines.offset(document.text(), place);
    let refused = |message: String| Err((ErrorCode::RequestFailed, message));
    let name = params.new_name;
    if !is_name(&name) {
        return refused(format!("`{name}` is no name"));
    }
    let symbols = symbols_at(document, offset);
    if symbols.is_empty() {
        return refused("there is no name here that can be changed".to_owned());
    }
    let mut spans: Vec<std::ops::Range<usize>> = symbols
        .iter()
        .flat_map(|symbol| document.symbols.uses_of(*symbol))
        .map(|used| used.span.range())
        .collect();
    spans.sort_by_key(|span| span.start);
    spans.dedup();
    let mut text = document.text().to_owned();
    for span in spans.iter().rev() {
        text.replace_range(span.clone(), &name);
    }
    let renamed = Document::new(document.uri.clone(), 0, &text, document.lines.encoding);
    if meanings(&document.symbols) != meanings(&renamed.symbols) {
        return refused(format!("`{name}` has another meaning in this text"));
    }
    let (Some(known), Some(found)) = (errors(document.text(), is_stale), errors(&text, is_stale))
    else {
        return modified();
    };
    let more = |(code, count): &(&Code, &usize)| *count > known.get(*code).unwrap_or(&0);
    if found.iter().any(|found| more(&found)) {
        return refused(format!("with the name `{name}` the text has more errors"));
    }
    let edits: Vec<Value> = spans
        .into_iter()
        .map(|span| {
            let range = document.lines.range(document.text(), span);
            json!({"range": range, "newText": name})
        })
        .collect();
    Ok(json!({"changes": {document.uri.as_str(): edits}}))
}

/// The symbols of all names, in order of the text.
fn meanings(symbols: &Symbols) -> Vec<(usize, bool)> {
    symbols.uses.iter().map(|used| (used.symbol, used.defines)).collect()
}

/// The numbers of errors of a text and its schedules, by code; `None` once `is_stale` returns true.
fn errors(text: &str, is_stale: &dyn Fn() -> bool) -> Option<IndexMap<Code, usize>> {
    let mut loaded = source::parse("text", text);
    let refused = refusals(&mut loaded, is_stale)?;
    let all = loaded.module.diagnostics.iter().chain(&refused);
    let mut counts = IndexMap::default();
    for diagnostic in all.filter(|diagnostic| diagnostic.is_error()) {
        *counts.entry(diagnostic.code).or_default() += 1;
    }
    Some(counts)
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && letters.all(|c| c.is_alphanumeric() || c == '_')
        && !is_keyword(text)
}
