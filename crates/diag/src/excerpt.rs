//! Texts in which long lines are cut down to the part around a place.

use std::ops::Range;

use codespan_reporting::files::{Error, Files};

use crate::{FileId, Sources, Span};

/// The greatest length in bytes of a line that is shown whole.
const LONG: usize = 400;
/// The number of bytes shown before a place, and after its beginning.
const AROUND: usize = 90;
/// The mark where a line was cut.
const CUT: &str = "…";

/// The texts that a diagnostic refers to, with their long lines cut.
pub(crate) struct Excerpts {
    texts: Vec<Excerpt>,
}

struct Excerpt {
    file: FileId,
    name: String,
    text: String,
    lines: Vec<Line>,
}

/// A line of an excerpt.
struct Line {
    /// The offset of its beginning, in the source and in the excerpt.
    starts: [usize; 2],
    /// The range of the source's line that is shown, and the text before it in the excerpt.
    shown: Range<usize>,
    before: &'static str,
    /// The number of characters of the source's line before the shown part.
    hidden: usize,
}

impl Excerpts {
    /// Makes excerpts of the texts of some places, the most important place first; `None` if no
    /// line at these places is long.
    pub(crate) fn of(sources: &Sources, places: &[(FileId, Range<usize>)]) -> Option<Self> {
        let line_of = |file, offset| sources.position(Span::new(file, offset..offset)).line - 1;
        let is_long = |file, line| {
            sources.line_range(file, line).is_some_and(|range: Range<usize>| range.len() > LONG)
        };
        let any = places.iter().any(|(file, range)| {
            (line_of(*file, range.start)..=line_of(*file, range.end))
                .any(|line| is_long(*file, line))
        });
        if !any {
            return None;
        }
        let mut texts: Vec<Excerpt> = Vec::new();
        for (file, _) in places {
            if texts.iter().all(|known| known.file != *file) {
                let own: Vec<&Range<usize>> =
                    places.iter().filter(|(of, _)| of == file).map(|(_, range)| range).collect();
                texts.push(Excerpt::of(sources, *file, &own));
            }
        }
        Some(Self { texts })
    }

    /// The range in the excerpt that shows a range of the source.
    pub(crate) fn range(&self, file: FileId, range: &Range<usize>) -> Range<usize> {
        self.texts.iter().find(|text| text.file == file).map_or(range.clone(), |text| {
            let start = text.place(range.start);
            start..text.place(range.end).max(start)
        })
    }

    fn get(&self, file: FileId) -> Result<&Excerpt, Error> {
        self.texts.iter().find(|text| text.file == file).ok_or(Error::FileMissing)
    }
}

impl Excerpt {
    fn of(sources: &Sources, file: FileId, places: &[&Range<usize>]) -> Self {
        let mut text = String::new();
        let mut lines = Vec::new();
        for number in 0..sources.line_count(file) {
            let range = sources.line_range(file, number).unwrap_or_default();
            let line = sources.text(file).get(range.clone()).unwrap_or("");
            let bare = line.trim_end_matches(['\n', '\r']);
            let starts = [range.start, text.len()];
            let is_within = |at: &&usize| range.start <= **at && **at <= range.start + bare.len();
            let ends = places.iter().flat_map(|place| [&place.start, &place.end]);
            let shown = match (bare.len() > LONG, ends.into_iter().find(is_within)) {
                (false, _) => 0..bare.len(),
                (true, at) => {
                    let at = at.map_or(0, |at| at - range.start);
                    boundary(bare, at.saturating_sub(AROUND))..boundary(bare, at + AROUND)
                }
            };
            let before = if shown.start > 0 { CUT } else { "" };
            let after = if shown.end < bare.len() { CUT } else { "" };
            text.extend([before, &bare[shown.clone()], after, &line[bare.len()..]]);
            let hidden = bare[..shown.start].chars().count();
            lines.push(Line { starts, shown, before, hidden });
        }
        Self { file, name: sources.name(file).to_owned(), text, lines }
    }

    /// Returns the number of the line that contains an offset, in the source (side 0) or in the
    /// excerpt (side 1).
    fn line(&self, side: usize, offset: usize) -> usize {
        self.lines.partition_point(|line| line.starts[side] <= offset).saturating_sub(1)
    }

    /// The offset in the excerpt for an offset of the source. An offset outside the shown part maps
    /// to the nearest end of that part.
    fn place(&self, offset: usize) -> usize {
        let Some(line) = self.lines.get(self.line(0, offset)) else { return 0 };
        let within = (offset - line.starts[0]).clamp(line.shown.start, line.shown.end);
        line.starts[1] + line.before.len() + within - line.shown.start
    }
}

impl<'a> Files<'a> for Excerpts {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, file: FileId) -> Result<&'a str, Error> {
        Ok(&self.get(file)?.name)
    }

    fn source(&'a self, file: FileId) -> Result<&'a str, Error> {
        Ok(&self.get(file)?.text)
    }

    fn line_index(&'a self, file: FileId, byte: usize) -> Result<usize, Error> {
        Ok(self.get(file)?.line(1, byte))
    }

    fn line_range(&'a self, file: FileId, line: usize) -> Result<Range<usize>, Error> {
        let excerpt = self.get(file)?;
        let max = excerpt.lines.len().saturating_sub(1);
        let start = excerpt.lines.get(line).ok_or(Error::LineTooLarge { given: line, max })?;
        let end = excerpt.lines.get(line + 1).map_or(excerpt.text.len(), |next| next.starts[1]);
        Ok(start.starts[1]..end)
    }

    /// The column in the source.
    fn column_number(&'a self, file: FileId, line: usize, byte: usize) -> Result<usize, Error> {
        let excerpt = self.get(file)?;
        let max = excerpt.lines.len().saturating_sub(1);
        let found = excerpt.lines.get(line).ok_or(Error::LineTooLarge { given: line, max })?;
        let begin = found.starts[1] + found.before.len();
        let within = excerpt.text.get(begin..byte.max(begin)).unwrap_or("").chars().count();
        Ok(found.hidden + within + 1)
    }
}

/// The last character boundary at or before an offset.
pub(crate) fn boundary(text: &str, offset: usize) -> usize {
    (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}
