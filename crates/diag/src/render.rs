//! The one renderer: diagnostics as text for people.

use std::ops::Range;

use codespan_reporting::diagnostic as report;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, termcolor};

use crate::excerpt::{Excerpts, boundary};
use crate::{Diagnostic, FileId, Label, Severity, Sources};

/// The use of terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// Plain text.
    Never,
    /// ANSI escapes.
    Ansi,
}

impl<'a> Files<'a> for Sources {
    type FileId = FileId;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, file: FileId) -> Result<&'a str, Error> {
        Ok(self.name(file))
    }

    fn source(&'a self, file: FileId) -> Result<&'a str, Error> {
        Ok(self.text(file))
    }

    fn line_index(&'a self, file: FileId, byte: usize) -> Result<usize, Error> {
        Ok(self.position(crate::Span::new(file, byte..byte)).line - 1)
    }

    fn line_range(&'a self, file: FileId, line: usize) -> Result<Range<usize>, Error> {
        let max = self.line_count(file).saturating_sub(1);
        self.line_range(file, line).ok_or(Error::LineTooLarge { given: line, max })
    }
}

/// Prints a diagnostic with the lines that it points to; for a long line, only the part around the
/// place. The text ends with a line break.
pub fn render(sources: &Sources, diagnostic: &Diagnostic, colours: Colours) -> String {
    let severity = match diagnostic.severity {
        Severity::Note => report::Severity::Note,
        Severity::Warning => report::Severity::Warning,
        Severity::Error => report::Severity::Error,
    };
    let primary = diagnostic.primary.iter().map(|label| (report::LabelStyle::Primary, label));
    let secondary = diagnostic.secondary.iter().map(|label| (report::LabelStyle::Secondary, label));
    let labels: Vec<_> = primary
        .chain(secondary)
        .map(|(style, label)| {
            report::Label::new(style, label.span.file, clipped(sources, label))
                .with_message(&label.message)
        })
        .collect();
    let notes = diagnostic.hint.iter().map(|hint| format!("hint: {hint}")).collect();
    let report = report::Diagnostic::new(severity)
        .with_code(diagnostic.code.0)
        .with_message(&diagnostic.message)
        .with_notes(notes);
    let places: Vec<_> = labels.iter().map(|label| (label.file_id, label.range.clone())).collect();
    let written = match Excerpts::of(sources, &places) {
        None => emit(sources, &report.with_labels(labels), colours),
        Some(excerpts) => {
            let moved = labels.into_iter().map(|mut label| {
                label.range = excerpts.range(label.file_id, &label.range);
                label
            });
            emit(&excerpts, &report.with_labels(moved.collect()), colours)
        }
    };
    // The renderer fails only on places outside the texts; the message must still reach the user.
    written.unwrap_or_else(|_| {
        format!("{}[{}]: {}\n", diagnostic.severity.name(), diagnostic.code, diagnostic.message)
    })
}

fn emit<'f>(
    files: &'f impl Files<'f, FileId = FileId>,
    report: &report::Diagnostic<FileId>,
    colours: Colours,
) -> Result<String, Error> {
    let config = term::Config { chars: term::Chars::ascii(), ..term::Config::default() };
    match colours {
        Colours::Never => term::emit_into_string(&config, files, report),
        Colours::Ansi => {
            let mut writer = termcolor::Ansi::new(Vec::new());
            term::emit_to_write_style(&mut writer, &config, files, report)
                .map(|()| String::from_utf8_lossy(writer.get_ref()).into_owned())
        }
    }
}

/// The span, limited to its text and moved to character boundaries.
fn clipped(sources: &Sources, label: &Label) -> Range<usize> {
    let text = sources.text(label.span.file);
    let boundary = |offset: usize| boundary(text, offset);
    boundary(label.span.start)..boundary(label.span.end).max(boundary(label.span.start))
}

#[cfg(test)]
mod tests {
    use super::{Colours, render};
    use crate::{Code, Diagnostic, Severity, Sources, Span};

    #[test]
    fn a_diagnostic_shows_its_lines_labels_and_hint() {
        let mut sources = Sources::new();
        let file = sources.add("blur.hal", "func f(x) = g(x);\nfunc h(x) = 1;\n");
        let diagnostic = Diagnostic::error(Code("HAL0201"), Span::new(file, 12..13), "unknown `g`")
            .labelled("not defined")
            .with_label(Span::new(file, 23..24), "`h` is near")
            .with_hint("define `g`");
        let text = render(&sources, &diagnostic, Colours::Never);
        let expected = "error[HAL0201]: unknown `g`
  --> blur.hal:1:13
  |
1 | func f(x) = g(x);
  |             ^ not defined
2 | func h(x) = 1;
  |      - `h` is near
  |
  = hint: define `g`

";
        assert_eq!(text, expected);
        let coloured = render(&sources, &diagnostic, Colours::Ansi);
        assert!(coloured.contains("\u{1b}[") && coloured.contains("define `g`"), "{coloured:?}");
    }

    #[test]
    fn places_outside_the_text_do_not_hide_the_message() {
        let mut sources = Sources::new();
        let file = sources.add("a.hal", "ö");
        for range in [0..99, 50..60, 1..2] {
            let span = Span::new(file, range);
            let text = render(
                &sources,
                &Diagnostic::error(Code("HAL0104"), span, "end of file"),
                Colours::Never,
            );
            assert!(text.starts_with("error[HAL0104]: end of file\n"), "{text}");
        }
        let placeless =
            Diagnostic::without_place(Severity::Warning, Code("HAL0801"), "input missing");
        assert_eq!(
            render(&sources, &placeless, Colours::Never),
            "warning[HAL0801]: input missing\n\n"
        );
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let mut sources = Sources::new();
        let long = format!("first\n{}HERE{}\nlast\n", "ä".repeat(20_000), "b".repeat(20_000));
        let start = long.find("HERE").expect("it is there");
        let file = sources.add("long.hal", long);
        let diagnostic =
            Diagnostic::error(Code("HAL0104"), Span::new(file, start..start + 4), "unexpected")
                .with_label(Span::new(file, start + 10_000..start + 10_001), "far away")
                .with_label(Span::new(file, 0..5), "short");
        let text = render(&sources, &diagnostic, Colours::Never);
        assert!(text.contains("--> long.hal:2:20001\n"), "{text}");
        assert!(text.contains("…ää") && text.contains("äHEREb") && text.contains("bb…"), "{text}");
        assert!(text.contains("1 | first\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() < 300), "{text}");
        let at = |needle: &str| {
            let line = text.lines().find(|line| line.contains(needle)).expect("the line is shown");
            line.chars().take_while(|c| !needle.starts_with(*c)).count()
        };
        assert_eq!(at("HERE"), at("^^^^"), "{text}");
        // A span over most of the line is shown at its beginning and its end.
        let whole = Diagnostic::error(Code("HAL0104"), Span::new(file, 6..start + 4), "unexpected");
        let text = render(&sources, &whole, Colours::Never);
        assert!(text.contains("long.hal:2:1\n") && text.len() < 2_000, "{text}");
    }
}
