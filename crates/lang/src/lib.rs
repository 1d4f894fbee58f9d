//! `.hal` text to algorithms and schedules: parse, resolve, type, check the validity rules of FS §4.2.
//!
//! Knows nothing of lowering. Start with [`parse`]. The language is described in `docs/language.md`, every example of which is a test here; each diagnostic has
//! a code of [`codes`] and a page in `docs/errors`.

mod check;
pub mod codes;
mod module;
mod names;
mod outline;
mod print;
mod syntax;

pub use module::{Module, NamedSchedule, Pipeline, parse};
pub use outline::{Bracket, Outline, TokenKind, outline};
pub use print::{Unprintable, print, print_schedule};

/// Whether the language keeps a word for itself, so that nothing can have it as its name.
pub fn is_keyword(word: &str) -> bool {
    syntax::keywords().any(|keyword| keyword == word)
}
