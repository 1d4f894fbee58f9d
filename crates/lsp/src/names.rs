//! Definitions, references, and the outline of a text.

use halidom_lang::{Symbol, SymbolKind};
use lsp_types::{ReferenceParams, SymbolKind as LspKind};
use serde_json::{Value, json};

use crate::document::Document;
use crate::reports::range;

/// The symbols that are named at a place.
pub(crate) fn symbols_at(document: &Document, offset: usize) -> Vec<usize> {
    let mut found: Vec<usize> = document.symbols.at(offset).map(|used| used.symbol).collect();
    found.dedup();
    found
}

/// Returns the places where the name at a place is defined first.
pub(crate) fn definition(document: &Document, offset: usize) -> Value {
    let symbols = symbols_at(document, offset);
    let places = symbols.iter().filter_map(|number| document.symbols.symbols.get(*number));
    let locations: Vec<Value> = places
        .map(|symbol| json!({"uri": document.uri, "range": range(document, symbol.span)}))
        .collect();
    if locations.is_empty() { Value::Null } else { Value::Array(locations) }
}

/// The places of all names with the meanings of the one at a place.
fn uses(document: &Document, offset: usize, with_definitions: bool) -> Vec<lsp_types::Range> {
    let mut ranges: Vec<lsp_types::Range> = symbols_at(document, offset)
        .into_iter()
        .flat_map(|symbol| document.symbols.uses_of(symbol))
        .filter(|used| with_definitions || !used.defines)
        .map(|used| range(document, used.span))
        .collect();
    ranges.sort_by_key(|range| (range.start, range.end));
    ranges.dedup();
    ranges
}

/// Returns the places where a name is used.
pub(crate) fn references(document: &Document, params: &ReferenceParams) -> Value {
    let place = params.text_document_position.position;
    let offset = document.lines.offset(document.text(), place);
    let found = uses(document, offset, params.context.include_declaration);
    found.into_iter().map(|range| json!({"uri": document.uri, "range": range})).collect()
}

/// Returns the places of a name in the text, to be marked.
pub(crate) fn highlights(document: &Document, offset: usize) -> Value {
    uses(document, offset, true).into_iter().map(|range| json!({"range": range})).collect()
}

/// Returns the pipelines, schedules and functions of a text, with the funcs in pipelines.
pub(crate) fn document_symbols(document: &Document) -> Value {
    let all = &document.symbols.symbols;
    let node = |symbol: &Symbol, children: Vec<Value>| {
        let detail = symbol.annotation.map(|span| document.loaded.sources.snippet(span).to_owned());
        json!({
            "name": symbol.name,
            "detail": detail,
            "kind": kind(symbol.kind),
            "range": range(document, symbol.whole),
            "selectionRange": range(document, symbol.span),
            "children": children,
        })
    };
    let outer = all.iter().enumerate().filter(|(_, symbol)| {
        matches!(
            symbol.kind,
            SymbolKind::Pipeline
                | SymbolKind::Schedule
                | SymbolKind::ScheduleFn
                | SymbolKind::Function
        )
    });
    let nodes = outer.map(|(number, symbol)| {
        let is_inside = |inner: &&Symbol| {
            inner.owner == Some(number)
                && symbol.kind == SymbolKind::Pipeline
                && symbol.whole.start <= inner.span.start
                && inner.span.end <= symbol.whole.end
                && matches!(
                    inner.kind,
                    SymbolKind::Func | SymbolKind::Input | SymbolKind::Param | SymbolKind::Constant
                )
        };
        let children = all.iter().filter(is_inside).map(|inner| node(inner, Vec::new())).collect();
        (symbol.span.start, node(symbol, children))
    });
    let mut nodes: Vec<(usize, Value)> = nodes.collect();
    nodes.sort_by_key(|(start, _)| *start);
    nodes.into_iter().map(|(_, node)| node).collect()
}

/// The kind of a symbol in the protocol.
fn kind(kind: SymbolKind) -> LspKind {
    match kind {
        SymbolKind::Pipeline => LspKind::CLASS,
        SymbolKind::Schedule => LspKind::EVENT,
        SymbolKind::ScheduleFn | SymbolKind::Function | SymbolKind::Func => LspKind::FUNCTION,
        SymbolKind::Constant => LspKind::CONSTANT,
        SymbolKind::Input => LspKind::ARRAY,
        SymbolKind::Param
        | SymbolKind::Let
        | SymbolKind::PureVar
        | SymbolKind::ReductionVar
        | SymbolKind::Index
        | SymbolKind::Loop
        | SymbolKind::Argument => LspKind::VARIABLE,
    }
}
