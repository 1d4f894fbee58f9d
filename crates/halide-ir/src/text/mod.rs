//! The text of Halide's intermediate representation, as Halide 21.0.0 prints it (its `IRPrinter.cpp`).
//!
//! The grammar is the printer read backwards: a statement stands on lines of its own, each as many blanks in as it is nested deep; a binary operator stands in parentheses, or alone
//! where nothing else can follow, so that there is no precedence. What the printer would not print is refused.

mod cursor;
mod dump;
mod error;
mod expr;
mod print;
mod stmt;

pub use dump::{Pass, dump, not_a_dump};
pub use error::SyntaxError;
pub use print::{digits, print, print_expr};

use crate::Names;
use crate::tree::{Block, Expr};
use cursor::Cursor;

/// Reads a statement: all of the text.
pub fn statement(text: &str, names: &mut Names) -> Result<Block, SyntaxError> {
    let mut cursor = Cursor::new(text, 0, names);
    let block = cursor.block(0)?;
    if !cursor.is_at_end() || block.is_empty() {
        return Err(cursor.expected("a statement"));
    }
    // Types that Halide would not print, or would, are what the grammar cannot tell.
    let printed = print(&block, names);
    if printed != text {
        let same = text.bytes().zip(printed.bytes()).take_while(|(a, b)| a == b).count();
        return Err(SyntaxError { at: same, expected: "what Halide prints here", known: None });
    }
    Ok(block)
}

/// Reads an expression: all of the text.
pub fn expression(text: &str, names: &mut Names) -> Result<Expr, SyntaxError> {
    let mut cursor = Cursor::new(text, 0, names);
    let expr = cursor.expr()?;
    if cursor.is_at_end() { Ok(expr) } else { Err(cursor.expected("the end of the expression")) }
}
