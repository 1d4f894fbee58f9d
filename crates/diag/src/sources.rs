//! Source texts, and places in them.

use std::ops::Range;

use halidom_base::{Arena, define_id};

define_id!(
    /// A source text.
    pub FileId, "file"
);

/// A range of one source text, in bytes: `start .. end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Creates a span of a text.
    pub fn new(file: FileId, range: Range<usize>) -> Self {
        Self { file, start: range.start, end: range.end }
    }

    /// Returns the span from the start of this one to the end of a later one of the same text.
    #[must_use]
    pub fn to(self, end: Self) -> Self {
        Self { end: end.end.max(self.end), ..self }
    }

    /// The offsets.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// A place, in numbers for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
}

/// A text with its name and the offsets at which its lines start.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

/// The texts that spans point into.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Arena<FileId, Source>,
}

impl Sources {
    /// Creates a collection without texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text. The name is only for people; for a text from a file it is the path.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let line_starts =
            std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.files.push(Source { name: name.into(), text, line_starts })
    }

    /// The name of a text; empty for an id of other sources.
    pub fn name(&self, file: FileId) -> &str {
        self.files.get(file).map_or("", |source| &source.name)
    }

    /// A text; empty for an id of other sources.
    pub fn text(&self, file: FileId) -> &str {
        self.files.get(file).map_or("", |source| &source.text)
    }

    /// The text of a span; empty if it is not within its file.
    pub fn snippet(&self, span: Span) -> &str {
        self.text(span.file).get(span.range()).unwrap_or("")
    }

    /// The position where a span starts. Offsets beyond the text count as its end.
    pub fn position(&self, span: Span) -> Position {
        let Some(source) = self.files.get(span.file) else {
            return Position { line: 1, column: 1 };
        };
        let line = source.line_starts.partition_point(|start| *start <= span.start).max(1);
        let start = source.line_starts[line - 1];
        let before = source.text.get(start..span.start.min(source.text.len())).unwrap_or("");
        Position { line, column: before.chars().count() + 1 }
    }

    /// The number of lines in a text.
    pub(crate) fn line_count(&self, file: FileId) -> usize {
        self.files.get(file).map_or(0, |source| source.line_starts.len())
    }

    /// The offsets of a line, including its line break. Lines are counted from 0.
    pub(crate) fn line_range(&self, file: FileId, line: usize) -> Option<Range<usize>> {
        let source = self.files.get(file)?;
        let start = *source.line_starts.get(line)?;
        Some(start..source.line_starts.get(line + 1).copied().unwrap_or(source.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Position, Sources, Span};

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let mut sources = Sources::new();
        let file = sources.add("a.hal", "one\ntwö three\n");
        for (start, line, column) in
            [(0, 1, 1), (3, 1, 4), (4, 2, 1), (9, 2, 5), (15, 3, 1), (99, 3, 1)]
        {
            assert_eq!(
                sources.position(Span::new(file, start..start)),
                Position { line, column },
                "offset {start}"
            );
        }
        assert_eq!(sources.snippet(Span::new(file, 4..8)), "twö");
        assert_eq!(sources.snippet(Span::new(file, 4..7)), "", "within a character");
        assert_eq!(sources.snippet(Span::new(file, 90..91)), "");
    }
}
