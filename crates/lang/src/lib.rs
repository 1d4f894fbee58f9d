//! Turns `.hal` text into algorithms and schedules: parses, resolves names, types, and checks the
//! validity rules of FS §4.2.
//!
//! Knows nothing of lowering. Start with [`parse`]. `docs/language.md` describes the language, and
//! every example there is a test here. Each diagnostic has a code of [`codes`] and a page in
//! `docs/errors`.

mod check;
pub mod codes;
mod format;
mod module;
mod names;
mod outline;
mod parse;
mod print;
mod symbols;
mod syntax;

pub use check::function_names;
pub use format::{Unformatted, format};
pub use module::{Module, NamedSchedule, Pipeline};
pub use outline::{Bracket, Lexical, Outline, TokenKind, outline, tokens};
pub use parse::parse;
pub use print::{Unprintable, print, print_schedule};
pub use symbols::{Symbol, SymbolKind, Symbols, Use, symbols};

/// Returns the words that the language reserves.
pub fn keywords() -> impl Iterator<Item = &'static str> {
    syntax::keywords()
}

/// True if the language reserves a word, so that it cannot be a name.
pub fn is_keyword(word: &str) -> bool {
    syntax::keywords().any(|keyword| keyword == word)
}
