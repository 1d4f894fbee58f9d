//! Parses text into a syntax tree.

pub(crate) mod ast;
mod directives;
mod expand;
mod exprs;
mod items;
mod lexer;
mod parser;
mod token;

pub(crate) use items::{count, given};
pub(crate) use lexer::{Lexeme, lex};
pub(crate) use parser::parse_file;
pub(crate) use token::{Punct, Token};

/// Returns the reserved words.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    token::Keyword::ALL.iter().map(|keyword| keyword.text())
}
