//! The statement after every pass, as Halide prints it on standard error with `HL_DEBUG_CODEGEN=2`.

use halidom_diag::{Diagnostic, Severity};

use super::SyntaxError;
use super::cursor::Cursor;
use crate::tree::Block;
use crate::{Names, codes};

/// The beginning of the line before a statement.
const HEADER: &str = "Lowering after ";
/// The end of this line if a pass changed nothing.
const UNCHANGED: &str = " (unchanged)";

/// The result of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The pass's name in Halide's words.
    pub name: String,
    /// The beginning of its statement, in bytes.
    pub at: usize,
    /// The end of its statement, in bytes.
    pub end: usize,
    /// The statement, or `None` if the pass changed nothing.
    pub block: Option<Block>,
}

/// Reads a dump: the statements of one pipeline, pass by pass. Other lines, which report the
/// compiler's progress, are skipped.
///
/// # Errors
/// The first place in a statement that Halide's printer would not have written.
pub fn dump(text: &str, names: &mut Names) -> Result<Vec<Pass>, SyntaxError> {
    let mut passes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line = text[at..].lines().next().unwrap_or("");
        let next = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
        let Some(name) = line.strip_prefix(HEADER) else {
            at = next;
            continue;
        };
        let (name, unchanged) = match name.strip_suffix(UNCHANGED) {
            Some(name) => (name, true),
            None => (name, false),
        };
        let name = name.strip_suffix(':').unwrap_or(name).to_owned();
        if unchanged {
            passes.push(Pass { name, at: next, end: next, block: None });
            at = next;
            continue;
        }
        let mut cursor = Cursor::new(text, next, names);
        let block = cursor.block(0)?;
        let end = cursor.at();
        // A blank line ends the statement.
        if !cursor.is_at_end() && !cursor.skip("\n") {
            return Err(cursor.expected("a statement"));
        }
        at = cursor.at();
        passes.push(Pass { name, at: next, end, block: Some(block) });
    }
    Ok(passes)
}

/// Returns the diagnostic for a text that holds no statement after any pass.
pub fn not_a_dump(name: &str) -> Diagnostic {
    let message = format!("`{name}` holds no statement after a pass of Halide's compiler");
    Diagnostic::without_place(Severity::Error, codes::NOT_A_DUMP, message).with_hint(
        "compile with HL_DEBUG_CODEGEN=2 in the environment and keep what is written to \
            standard error",
    )
}
