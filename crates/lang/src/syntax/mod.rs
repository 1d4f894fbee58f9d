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
pub(crate) use lexer::{Lexeme, lex, lex_with_comments};
pub(crate) use token::{Keyword, Punct, Token};

use halidom_diag::{Diagnostic, FileId};

use expand::expand_schedules;
use parser::Parser;

/// Parses a file. The result has everything that could be parsed, the diagnostics every error.
pub(crate) fn parse_file<'s>(
    text: &'s str,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> ast::File<'s> {
    let lexemes = lex(text, file, diagnostics);
    let mut file = Parser::new(lexemes, diagnostics).file();
    expand_schedules(&mut file, diagnostics);
    file
}

/// Parses a file as written: the applications of schedule functions are not expanded.
pub(crate) fn parse_as_written<'s>(
    text: &'s str,
    file: FileId,
    diagnostics: &mut Vec<Diagnostic>,
) -> ast::File<'s> {
    let lexemes = lex(text, file, diagnostics);
    Parser::new(lexemes, diagnostics).file()
}

/// Returns the reserved words.
pub(crate) fn keywords() -> impl Iterator<Item = &'static str> {
    Keyword::ALL.iter().map(|keyword| keyword.text())
}
