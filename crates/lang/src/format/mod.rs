//! Formats a text: spaces, line breaks and indentation change, tokens and comments stay.
//!
//! Lines are broken where the author broke them, if that is a usual place, and where they would be
//! too long. So the layout of a table of numbers survives, and formatting twice changes nothing
//! more. [`words`] reads the text without loss, [`shape`] chooses spaces and places to break, and
//! [`lines`] breaks and indents.

mod lines;
mod shape;
mod words;

use halidom_diag::{Diagnostic, FileId, Sources};

use crate::syntax;

/// The reasons for which a text is left alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unformatted {
    /// It does not parse; errors in names and types do not matter.
    Syntax(Vec<Diagnostic>),
    /// The formatted text would have other tokens or comments, which is a defect of this program.
    Defect,
}

/// Returns a text formatted. The result has the tokens and comments of the text, in order.
pub fn format(sources: &Sources, file: FileId) -> Result<String, Unformatted> {
    let text = sources.text(file);
    let mut diagnostics = Vec::new();
    syntax::parse_as_written(text, file, &mut diagnostics);
    if !diagnostics.is_empty() {
        return Err(Unformatted::Syntax(diagnostics));
    }
    let words = words::words(text, file);
    let laid = lines::lines(&words, &shape::shape(&words));
    // The line breaks of a text are of one kind.
    let laid = if text.contains("\r\n") { laid.replace('\n', "\r\n") } else { laid };
    if !is_same(&words, &words::words(&laid, file)) {
        return Err(Unformatted::Defect);
    }
    Ok(laid)
}

/// True if two texts have the same tokens and comments, in order.
fn is_same(before: &[words::Word<'_>], after: &[words::Word<'_>]) -> bool {
    fn parts<'a>(words: &'a [words::Word<'_>]) -> impl Iterator<Item = &'a str> {
        words.iter().flat_map(|word| {
            let above = word.above.iter().map(|comment| comment.text.as_str());
            let beside = word.beside.iter().map(|comment| comment.text.as_str());
            above.chain(std::iter::once(word.text)).chain(beside)
        })
    }
    parts(before).eq(parts(after))
}
