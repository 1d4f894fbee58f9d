//! The verdicts of a sweep, a line of comma-separated values for each.

use super::list::{Entry, FIELDS};
use crate::error::Error;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// The end of one judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Proved under standard conditions alone, bit for bit.
    Proved,
    /// Proved under named axioms of floats.
    Axioms,
    /// Refuted, and the compiled code is wrong too.
    Confirmed,
    /// Refuted, and not borne out by the compiled code.
    Unconfirmed,
    Unknown,
    /// No pipeline was collected, or it was not judged.
    Error,
    /// Over the limit of time or memory.
    Late,
    /// The judge ended with a panic or a signal.
    Panic,
}

impl End {
    pub(super) const ALL: [Self; 8] = [
        Self::Proved,
        Self::Axioms,
        Self::Confirmed,
        Self::Unconfirmed,
        Self::Unknown,
        Self::Error,
        Self::Late,
        Self::Panic,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Proved => "proved",
            Self::Axioms => "proved under axioms",
            Self::Confirmed => "refuted",
            Self::Unconfirmed => "refuted, not confirmed",
            Self::Unknown => "unknown",
            Self::Error => "error",
            Self::Late => "over the limits",
            Self::Panic => "panic",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|end| end.name() == name)
    }

    pub(super) fn is_proof(self) -> bool {
        match self {
            Self::Proved | Self::Axioms => true,
            Self::Confirmed
            | Self::Unconfirmed
            | Self::Unknown
            | Self::Error
            | Self::Late
            | Self::Panic => false,
        }
    }
}

/// A judged pipeline.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    pub(super) entry: Entry,
    /// The digest of the binary that judged it.
    pub(super) judge: String,
    pub(super) end: End,
    /// The code of the first cause of an unknown verdict, or of the diagnostic; empty if there is
    /// none.
    pub(super) code: String,
    /// The first reason, without what is particular to the pipeline.
    pub(super) reason: String,
    /// The first reason as it was given.
    pub(super) detail: String,
    pub(super) seconds: f64,
    pub(super) mib: u64,
    /// The command that judges it again.
    pub(super) command: String,
}

/// The headings of a file of rows.
const HEADINGS: &str =
    "group,file,name,parameters,target,judge,end,code,reason,detail,seconds,MiB,command\n";

impl Row {
    /// Tests whether this is the verdict of a binary on an entry.
    pub(super) fn is_of(&self, entry: &Entry, judge: &str) -> bool {
        self.entry == *entry && self.judge == judge
    }

    /// The row without what names places of this machine.
    pub(super) fn anywhere(&self) -> Self {
        let kept = |text: &String| if text.contains('/') { String::new() } else { text.clone() };
        let (reason, command) = (kept(&self.reason), String::new());
        Self { reason, detail: String::new(), command, ..self.clone() }
    }

    fn line(&self) -> String {
        let mut fields = self.entry.fields().to_vec();
        let Self { entry: _, judge, end, code, reason, detail, seconds, mib, command } = self;
        let of_judge = [judge.as_str(), end.name(), code, reason, detail];
        fields.extend(of_judge.map(str::to_owned));
        fields.extend([format!("{seconds:.2}"), mib.to_string(), command.clone()]);
        let fields: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        fields.join(",") + "\n"
    }

    fn of(fields: &[String]) -> Option<Self> {
        let (of_entry, rest) = fields.split_at_checked(FIELDS)?;
        let of_entry: Vec<&str> = of_entry.iter().map(String::as_str).collect();
        let [judge, end, code, reason, detail, seconds, mib, command] = rest else { return None };
        Some(Self {
            entry: Entry::of(&of_entry)?,
            judge: judge.clone(),
            end: End::named(end)?,
            code: code.clone(),
            reason: reason.clone(),
            detail: detail.clone(),
            seconds: seconds.parse().ok()?,
            mib: mib.parse().ok()?,
            command: command.clone(),
        })
    }
}

/// A field with quotes, if it needs them.
fn quoted(field: &str) -> String {
    let field: String = field.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if field.contains([',', '"']) { format!("\"{}\"", field.replace('"', "\"\"")) } else { field }
}

/// The fields of a line; `None` if a quote does not end.
fn fields(line: &str) -> Option<Vec<String>> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' if is_quoted && rest.next_if_eq(&'"').is_some() => fields.last_mut()?.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => fields.last_mut()?.push(c),
        }
    }
    (!is_quoted).then_some(fields)
}

/// Reads a file of rows; a missing file has none. An unfinished last line is left out: a sweep that
/// was ended leaves one.
pub(super) fn read(path: &Path) -> Result<Vec<Row>, Error> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => return Err(Error::File { path: path.to_owned(), cause }),
    };
    parse(&text).map_err(|line| Error::Line { path: path.to_owned(), line })
}

fn parse(text: &str) -> Result<Vec<Row>, usize> {
    let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
    let lines = whole.lines().enumerate().skip(1);
    lines
        .map(|(number, line)| fields(line).and_then(|fields| Row::of(&fields)).ok_or(number + 1))
        .collect()
}

/// Writes a file of rows.
pub(super) fn write(path: &Path, rows: &[Row]) -> Result<(), Error> {
    let lines: Vec<String> = rows.iter().map(Row::line).collect();
    let text = HEADINGS.to_owned() + &lines.concat();
    fs::write(path, text).map_err(|cause| Error::File { path: path.to_owned(), cause })
}

/// Appends a row to a file, which [`write`] began.
pub(super) fn append(path: &Path, row: &Row) -> Result<(), Error> {
    let written = OpenOptions::new()
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(row.line().as_bytes()));
    written.map_err(|cause| Error::File { path: path.to_owned(), cause })
}

/// The last row of each entry, in the order of the first ones.
pub(super) fn latest(rows: Vec<Row>) -> Vec<Row> {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Vec<Row> = Vec::new();
    for row in rows {
        match places.get(&row.entry.to_string()) {
            Some(&place) => kept[place] = row,
            None => {
                places.insert(row.entry.to_string(), kept.len());
                kept.push(row);
            }
        }
    }
    kept
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A row of the test `argmax` with this number.
    pub(in super::super) fn row(number: u32, end: End, reason: &str) -> Row {
        let name = number.to_string();
        let fields = ["tests", "test/correctness/argmax.cpp", &name, "-", "host"];
        Row {
            entry: Entry::of(&fields).expect("an entry"),
            judge: "a1".to_owned(),
            end,
            code: if end == End::Unknown { "HAL1301".to_owned() } else { String::new() },
            reason: reason.to_owned(),
            detail: format!("{reason}, \"x\" at 7"),
            seconds: 0.25 * f64::from(number),
            mib: 12,
            command: "halidom validate 'a b'".to_owned(),
        }
    }

    #[test]
    fn rows_round_trip() {
        let rows: Vec<Row> = End::ALL
            .into_iter()
            .zip(1..)
            .map(|(end, number)| row(number, end, "why, so"))
            .collect();
        let lines: Vec<String> = rows.iter().map(Row::line).collect();
        let text = HEADINGS.to_owned() + &lines.concat();
        assert_eq!(parse(&text), Ok(rows.clone()));
        let cut = &text[..text.len() - 5];
        assert_eq!(parse(cut), Ok(rows[..7].to_vec()), "the last line is unfinished");
        assert_eq!(parse(&text.replace("over the limits", "fine")), Err(8));
    }

    #[test]
    fn a_sweep_goes_on_with_what_its_own_binary_left() {
        let [first, second] = [1, 2].map(|number| row(number, End::Unknown, "why"));
        assert!(first.is_of(&first.entry, "a1"));
        assert!(!first.is_of(&first.entry, "b2"), "of another binary");
        assert!(!first.is_of(&second.entry, "a1"), "of another pipeline");
    }

    #[test]
    fn kept_rows_name_no_place_of_this_machine() {
        let row = row(1, End::Error, "no file /x/y");
        let kept = row.anywhere();
        assert!(!kept.line().contains("/x") && kept.command.is_empty());
        assert_eq!((kept.entry, kept.end), (row.entry, row.end));
    }

    #[test]
    fn the_last_verdict_counts() {
        let rows =
            vec![row(1, End::Unknown, "why"), row(2, End::Proved, ""), row(1, End::Proved, "")];
        let kept = latest(rows);
        let names: Vec<(&str, End)> =
            kept.iter().map(|row| (row.entry.name.as_str(), row.end)).collect();
        assert_eq!(names, [("1", End::Proved), ("2", End::Proved)]);
    }
}
