//! The statement after every pass, as `HL_DEBUG_CODEGEN=2` has Halide print it on standard error.

use halidom_diag::{Diagnostic, Severity};

use super::SyntaxError;
use super::cursor::Cursor;
use crate::tree::Block;
use crate::{Names, codes};

/// What begins the line before a statement.
const HEADER: &str = "Lowering after ";
/// What ends that line where a pass changed nothing.
const UNCHANGED: &str = " (unchanged)";

/// What a pass left.
#[derive(Clone, Debug, PartialEq)]
pub struct Pass {
    /// The pass, in Halide's words.
    pub name: String,
    /// Where its statement begins, in bytes.
    pub at: usize,
    /// Where it ends.
    pub end: usize,
    /// The statement; `None` where it is that of the pass before.
    pub block: Option<Block>,
}

/// Reads a dump: the statements of one pipeline, pass by pass. Other lines, which say what the compiler is doing, are passed over.
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

/// That a text holds no statement after any pass.
pub fn not_a_dump(name: &str) -> Diagnostic {
    let message = format!("`{name}` holds no statement after a pass of Halide's compiler");
    Diagnostic::without_place(Severity::Error, codes::NOT_A_DUMP, message)
        .with_hint("compile with HL_DEBUG_CODEGEN=2 in the environment and keep what is written to standard error")
}
