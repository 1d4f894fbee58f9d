//! Reads a file: parses it, and checks what was parsed.

use halidom_diag::{FileId, Sources};

use crate::module::Module;
use crate::{check, syntax};

/// Parses and checks a text. All errors are reported in one run; a pipeline or schedule with an
/// error is left out.
pub fn parse(sources: &Sources, file: FileId) -> Module {
    let text = sources.text(file);
    let mut diagnostics = Vec::new();
    let tree = syntax::parse_file(text, file, &mut diagnostics);
    let mut module = check::check_file(text, &tree, diagnostics, file);
    module
        .diagnostics
        .sort_by_key(|diagnostic| diagnostic.span().map(|span| (span.start, span.end)));
    module
}
