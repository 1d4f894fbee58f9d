//! Reads emitted C back and compares it with the program that it was printed from.
//!
//! This is a parser of C's grammar, C's rules for types, and a walk along the IR. The crate cannot
//! see the printer, and has its own analyses of the program. The two share only
//! [`halidom_prelude`]: the texts of the preamble and of the helper functions, which tests compare
//! with `ir::eval`, and C's names for types. Names are matched as they are declared. Comments are
//! ignored.
//!
//! # Correctness
//! [`check`] succeeds only if every statement of the C corresponds, in order, to a statement of the
//! program with the same value, and the file contains nothing else. Everything that the parser does
//! not know is a mismatch. Users' compilers give no warnings, so what C merely warns about is
//! refused here, too.

mod calls;
mod compare;
mod from_ir;
mod functions;
mod helper_names;
pub mod lex;
mod lift;
mod memory;
mod mismatch;
mod names;
mod parse;
mod syntax;
mod term;
mod terms;
#[cfg(test)]
mod tests;

use halidom_base::FxHashSet;
use halidom_ir::{Pool, Program};
use halidom_prelude::{PREAMBLE, helpers};

pub use mismatch::Mismatch;
pub use names::REFUSED;

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
    compare::compare(pool, program, text, &file)?;
    let is_missing =
        |name: &&String| helper_names::helper_of(name).is_some() && !seen.contains(name);
    if let Some(name) = file.called.iter().find(is_missing) {
        return Err(Mismatch::at(text, 0, format!("the helper function `{name}` is missing")));
    }
    Ok(())
}
