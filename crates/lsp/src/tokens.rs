//! Semantic tokens: each token with the meaning of its name.

use halidom_base::FxHashMap;
use halidom_ir::{DIRECTIVES, Scalar};
use halidom_lang::{SymbolKind, TokenKind, function_names, tokens};
use serde_json::{Value, json};

use crate::document::Document;

/// The kinds of tokens, in the order of their numbers.
const KINDS: [&str; 13] = [
    "comment",
    "keyword",
    "string",
    "number",
    "operator",
    "class",
    "function",
    "parameter",
    "variable",
    "enumMember",
    "method",
    "type",
    "property",
];
/// The first modifier marks definitions, the second what the language defines.
const MODIFIERS: [&str; 2] = ["definition", "defaultLibrary"];

const DEFINITION: u32 = 1;
const DEFAULT_LIBRARY: u32 = 2;

/// The legend of kinds and modifiers.
pub(crate) fn legend() -> Value {
    json!({"tokenTypes": KINDS, "tokenModifiers": MODIFIERS})
}

/// Returns the tokens of a text, encoded as the protocol wants them.
pub(crate) fn full(document: &Document) -> Value {
    let text = document.text();
    let names: FxHashMap<usize, (SymbolKind, bool)> = document
        .symbols
        .uses
        .iter()
        .filter_map(|used| {
            let symbol = document.symbols.symbols.get(used.symbol)?;
            Some((used.span.start, (symbol.kind, used.defines)))
        })
        .collect();
    let (makers, builtins) = function_names();
    let mut data: Vec<u32> = Vec::new();
    let mut last = lsp_types::Position::default();
    let all = tokens(text);
    for (at, token) in all.iter().enumerate() {
        let word = text.get(token.range.clone()).unwrap_or("");
        let previous = at.checked_sub(1).and_then(|at| text.get(all[at].range.clone()));
        let (kind, modifiers) = match token.kind {
            None => ("comment", 0),
            Some(TokenKind::Keyword) if previous == Some(".") => ("method", DEFAULT_LIBRARY),
            Some(TokenKind::Keyword) => ("keyword", 0),
            Some(TokenKind::Integer | TokenKind::Float) => ("number", 0),
            Some(TokenKind::Text) => ("string", 0),
            Some(TokenKind::Punctuation) => ("operator", 0),
            Some(TokenKind::Name) => match names.get(&token.range.start) {
                Some((kind, defines)) => (of_symbol(*kind), if *defines { DEFINITION } else { 0 }),
                None if previous == Some(".") => {
                    let is_directive = DIRECTIVES.iter().any(|form| form.name == word);
                    (if is_directive { "method" } else { "property" }, DEFAULT_LIBRARY)
                }
                None if word == "buffer" || Scalar::from_name(word).is_some() => {
                    ("type", DEFAULT_LIBRARY)
                }
                None if makers.contains(&word) || builtins.contains(&word) => {
                    ("function", DEFAULT_LIBRARY)
                }
                None => ("variable", 0),
            },
        };
        let kind = KINDS.iter().position(|known| *known == kind).unwrap_or(0) as u32;
        // A token of several lines, which only a comment can be, is sent line by line.
        let mut start = token.range.start;
        for line in word.split_inclusive('\n') {
            let content = line.trim_end_matches(['\n', '\r']);
            let length = document.lines.encoding.width(content);
            if length > 0 {
                let place = document.lines.position(text, start);
                let lines = place.line - last.line;
                let columns =
                    if lines == 0 { place.character - last.character } else { place.character };
                data.extend([lines, columns, length, kind, modifiers]);
                last = place;
            }
            start += line.len();
        }
    }
    json!({"data": data})
}

fn of_symbol(kind: SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Pipeline | SymbolKind::Schedule => "class",
        SymbolKind::ScheduleFn | SymbolKind::Function | SymbolKind::Func => "function",
        SymbolKind::Constant => "enumMember",
        SymbolKind::Param | SymbolKind::Input | SymbolKind::Argument => "parameter",
        SymbolKind::Let
        | SymbolKind::PureVar
        | SymbolKind::ReductionVar
        | SymbolKind::Index
        | SymbolKind::Loop => "variable",
    }
}
