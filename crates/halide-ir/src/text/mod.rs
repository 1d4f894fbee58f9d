//! The text of Halide's intermediate representation, as Halide 21.0.0 or 19.0.0 prints it (its
//! `IRPrinter.cpp`).
//!
//! The grammar is the printer, read backwards. A statement stands on separate lines, indented by as
//! many blanks as it is nested deep. A binary operator stands in parentheses, or alone where
//! nothing else can follow, so there is no precedence. Everything that the printer would not print
//! is refused.

mod cursor;
mod dump;
mod error;
mod expr;
mod notation;
mod print;
mod renamed;
mod stmt;

pub use dump::{Pass, dump, not_a_dump};
pub use error::SyntaxError;
pub use expr::is_construct;
pub use notation::digits;
pub use print::{print, print_as, print_expr};
pub use renamed::same_but_bound_names;

use crate::ending::ended;
use crate::tree::{Block, Expr, Stmt, StmtKind};
use crate::{Names, Release};
use cursor::Cursor;

/// Reads a statement from the whole text. Halide ends its last line; further line breaks there, or
/// none, make no difference.
///
/// # Errors
/// The first place at which Halide would have printed something else.
pub fn statement(text: &str, names: &mut Names) -> Result<Block, SyntaxError> {
    let read = exactly(&ended(text), names);
    read.map_err(|error| SyntaxError { at: error.at.min(text.len()), ..error })
}

/// Reads a statement from a text that Halide may have printed, byte for byte.
fn exactly(text: &str, names: &mut Names) -> Result<Block, SyntaxError> {
    let mut cursor = Cursor::new(text, 0, names);
    let block = cursor.block(0)?;
    if !cursor.is_at_end() || block.is_empty() {
        return Err(cursor.expected("a statement"));
    }
    // The grammar cannot tell which types Halide prints.
    let same = |release| {
        let printed = print_as(release, &block, names);
        let same = text.bytes().zip(printed.bytes()).take_while(|(a, b)| a == b).count();
        (printed != text).then_some(same)
    };
    // A text does not name the release that printed it.
    let [preferred, other] = Release::ALL;
    match (same(preferred), same(other)) {
        (Some(one), Some(two)) => {
            Err(SyntaxError { at: one.max(two), expected: "what Halide prints here", known: None })
        }
        (None, _) | (_, None) => Ok(block),
    }
}

/// Gives the statements of a dump the places that they have in the text that Halide prints for
/// them. All places are 0 if the text does not read as the dump does.
pub fn locate(block: &mut Block, text: &str, names: &Names) {
    let mut names = names.clone();
    let read = Cursor::new(text, 0, &mut names).block(0);
    let is_located = read.is_ok_and(|read| located(block, &mut read.iter()));
    if !is_located {
        for_each_stmt(block, &mut |stmt| stmt.at = 0);
    }
}

/// Gives statements the places of others, which must be the same except for scopes. Returns false
/// if they are not.
fn located(block: &mut Block, read: &mut std::slice::Iter<'_, Stmt>) -> bool {
    for stmt in block {
        if let StmtKind::Scope(body) = &mut stmt.kind {
            stmt.at = read.as_slice().first().map_or(0, |first| first.at);
            if !located(body, read) {
                return false;
            }
            continue;
        }
        let Some(other) = read.next() else { return false };
        stmt.at = other.at;
        if std::mem::discriminant(&stmt.kind) != std::mem::discriminant(&other.kind) {
            return false;
        }
        let mut bodies = Vec::new();
        other.for_each_block(&mut |body| bodies.push(body));
        let mut bodies = bodies.into_iter();
        let mut same = true;
        stmt.kind.for_each_body_mut(&mut |body| {
            same &= bodies.next().is_some_and(|other| {
                let mut other = other.iter();
                located(body, &mut other) && other.as_slice().is_empty()
            });
        });
        if !same || bodies.next().is_some() {
            return false;
        }
    }
    true
}

fn for_each_stmt(block: &mut Block, visit: &mut impl FnMut(&mut Stmt)) {
    for stmt in block {
        visit(stmt);
        stmt.kind.for_each_body_mut(&mut |body| for_each_stmt(body, visit));
    }
}

/// Reads an expression from the whole text.
///
/// # Errors
/// The first place that does not belong to an expression.
pub fn expression(text: &str, names: &mut Names) -> Result<Expr, SyntaxError> {
    let mut cursor = Cursor::new(text, 0, names);
    let expr = cursor.expr()?;
    if cursor.is_at_end() { Ok(expr) } else { Err(cursor.expected("the end of the expression")) }
}
