//! Positions of the protocol: lines, and columns in the units that client and server agreed on.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind, Range as LspRange};

/// The units of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
}

impl Encoding {
    /// Chooses bytes if the client knows them.
    pub(crate) fn choose(offered: Option<&[PositionEncodingKind]>) -> Self {
        let offers = offered.is_some_and(|kinds| kinds.contains(&PositionEncodingKind::UTF8));
        if offers { Self::Utf8 } else { Self::Utf16 }
    }

    /// Its name in the protocol.
    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    fn length(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
        }
    }

    /// The length of a text in units.
    pub(crate) fn width(self, text: &str) -> u32 {
        text.chars().map(|c| self.length(c)).sum::<usize>() as u32
    }
}

/// The beginnings of a text's lines.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    starts: Vec<usize>,
    pub(crate) encoding: Encoding,
}

impl Lines {
    pub(crate) fn of(text: &str, encoding: Encoding) -> Self {
        let after = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { starts: std::iter::once(0).chain(after).collect(), encoding }
    }

    /// The offset of a position. A column beyond its line is the line's end, one within a character
    /// is its beginning, and a line beyond the text is its end.
    pub(crate) fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else { return text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(text.len());
        let content = text.get(start..end).unwrap_or("");
        let content = content.strip_suffix('\n').unwrap_or(content);
        let content = content.strip_suffix('\r').unwrap_or(content);
        let mut units = 0;
        for (at, c) in content.char_indices() {
            units += self.encoding.length(c);
            if units > position.character as usize {
                return start + at;
            }
        }
        start + content.len()
    }

    /// The position of an offset, which is moved to the beginning of its character.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let before = text.get(self.starts[line]..offset).unwrap_or("");
        Position { line: line as u32, character: self.encoding.width(before) }
    }

    pub(crate) fn range(&self, text: &str, range: Range<usize>) -> LspRange {
        LspRange::new(
            self.position(text, range.start),
            self.position(text, range.end.max(range.start)),
        )
    }

    /// The offsets of a range, in order.
    pub(crate) fn offsets(&self, text: &str, range: LspRange) -> Range<usize> {
        let (start, end) = (self.offset(text, range.start), self.offset(text, range.end));
        start.min(end)..start.max(end)
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Lines, Position};

    #[test]
    fn positions_and_offsets_agree_in_both_encodings() {
        let text = "aö😀b\r\nx\n";
        for (encoding, columns) in [
            (Encoding::Utf16, [(0, 0), (1, 1), (3, 2), (7, 4), (8, 5)]),
            (Encoding::Utf8, [(0, 0), (1, 1), (3, 3), (7, 7), (8, 8)]),
        ] {
            let lines = Lines::of(text, encoding);
            for (offset, character) in columns {
                let position = Position { line: 0, character };
                assert_eq!(lines.position(text, offset), position);
                assert_eq!(lines.offset(text, position), offset);
            }
            assert_eq!(lines.offset(text, Position { line: 0, character: 999 }), 8);
            assert_eq!(lines.offset(text, Position { line: 9, character: 0 }), text.len());
            assert_eq!(lines.position(text, 999), Position { line: 2, character: 0 });
            assert_eq!(lines.position(text, 5), lines.position(text, 3), "within a character");
        }
        let lines = Lines::of(text, Encoding::Utf16);
        assert_eq!(lines.offset(text, Position { line: 0, character: 3 }), 3, "half a pair");
    }
}
