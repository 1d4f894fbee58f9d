//! Reads emitted C back and compares it with the program that it was printed from.
//!
//! This is a parser of C's grammar, C's rules for types, and a walk along the IR. Nothing here
//! calls the printer. Only the texts of the helper functions are taken from it, and tests compare
//! those functions with `ir::eval`. Names are matched as they are declared. Comments are ignored.
//!
//! # Correctness
//! [`check`] succeeds only if every statement of the C corresponds, in order, to a statement of the
//! program with the same value, and the file contains nothing else. Everything that the parser does
//! not know is a mismatch.

mod calls;
mod compare;
mod from_ir;
mod functions;
mod helper_names;
mod lex;
mod lift;
mod memory;
mod parse;
mod residues;
mod syntax;
mod terms;
#[cfg(test)]
mod tests;

use halidom_base::FxHashSet;
use halidom_ir::{Pool, Program};

use halidom_prelude::{PREAMBLE, helpers};

/// A place where the C differs from the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the generated C is not what was validated: {what}: `{excerpt}`")]
pub struct Mismatch {
    /// Line of the file, from 1.
    pub line: usize,
    /// A description of the difference.
    pub what: String,
    /// The line's text.
    pub excerpt: String,
}

impl Mismatch {
    fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let offset = offset.min(text.len());
        let line = text[..offset].matches('\n').count();
        let excerpt = text.lines().nth(line).unwrap_or_default().trim().to_owned();
        Self { line: line + 1, what: what.into(), excerpt }
    }
}

/// Compares the text of a C file with a final program.
///
/// # Errors
/// The first place where they differ.
pub fn check(pool: &Pool, program: &Program, text: &str) -> Result<(), Mismatch> {
    let file = parse::parse(text)?;
    let expected = PREAMBLE.lines().filter(|line| line.starts_with('#'));
    if !expected.eq(file.directives.iter().map(String::as_str)) {
        return Err(Mismatch::at(text, 0, "other lines for the preprocessor"));
    }
    let mut seen = FxHashSet::default();
    for (at, name, definition) in &file.helpers {
        let right = helper_names::helper_of(name)
            .is_some_and(|helper| helpers::definition(helper).trim() == definition);
        if !right || !seen.insert(name) {
            return Err(Mismatch::at(text, *at, "a helper function of another meaning"));
        }
    }
    compare::compare(pool, program, text, &file)
}
