//! The frozen list of pipelines: one line for each, with fields that are separated by tabs.

use crate::error::Error;
use std::fmt;
use std::fs;
use std::path::Path;

/// A part of Halide's source tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group {
    /// Generators of the apps, with the schedules that their authors wrote.
    Apps,
    /// The same under autoschedulers.
    Autoschedulers,
    /// Generators of the tests.
    Generators,
    /// Python tests, tutorials and apps.
    Python,
    /// C++ tests.
    Tests,
    /// C++ tutorials.
    Tutorials,
}

impl Group {
    pub(super) const ALL: [Self; 6] = [
        Self::Apps,
        Self::Autoschedulers,
        Self::Generators,
        Self::Python,
        Self::Tests,
        Self::Tutorials,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Apps => "apps",
            Self::Autoschedulers => "autoschedulers",
            Self::Generators => "generators",
            Self::Python => "python",
            Self::Tests => "tests",
            Self::Tutorials => "tutorials",
        }
    }

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.name() == name)
    }

    /// Tests whether the pipelines of this group are found by running programs. The others are rows
    /// of build files.
    pub(super) fn is_found_by_running(self) -> bool {
        match self {
            Self::Python | Self::Tests | Self::Tutorials => true,
            Self::Apps | Self::Autoschedulers | Self::Generators => false,
        }
    }
}

/// A pipeline of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) group: Group,
    /// The source file, from the root of the tree; further files of its folder follow after `+`.
    pub(super) file: String,
    /// The name of the compiled library, or the number of the pipeline among those of a program.
    pub(super) name: String,
    /// A generator's command line, as `-g NAME`, `-p AUTOSCHEDULER` and `PARAMETER=VALUE`.
    pub(super) words: Vec<String>,
    /// The target in Halide's notation.
    pub(super) target: String,
}

/// The separator of the words of a command line.
const WORDS: &str = ";";
/// No words.
const NONE: &str = "-";
/// The number of fields.
pub(super) const FIELDS: usize = 5;

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fields().join("\t"))
    }
}

impl Entry {
    pub(super) fn fields(&self) -> [String; FIELDS] {
        let words = if self.words.is_empty() { NONE.to_owned() } else { self.words.join(WORDS) };
        let Self { group, file, name, words: _, target } = self;
        [group.name().to_owned(), file.clone(), name.clone(), words, target.clone()]
    }

    /// Reads the fields of a line; `None` if they make no entry.
    pub(super) fn of(fields: &[&str]) -> Option<Self> {
        let [group, file, name, words, target] = fields else { return None };
        let words = match *words {
            NONE => Vec::new(),
            words => words.split(WORDS).map(str::to_owned).collect(),
        };
        Some(Self {
            group: Group::named(group)?,
            file: (*file).to_owned(),
            name: (*name).to_owned(),
            words,
            target: (*target).to_owned(),
        })
    }

    /// The entry in a form that serves as the name of a file.
    pub(super) fn stem(&self) -> String {
        format!("{}-{}", flat(&self.file), self.name)
    }

    /// The value of an option among the words.
    pub(super) fn option(&self, option: &str) -> Option<&str> {
        let at = self.words.iter().position(|word| word == option)?;
        self.words.get(at + 1).map(String::as_str)
    }
}

/// A path in a form that serves as the name of a file.
pub(super) fn flat(file: &str) -> String {
    let first = file.split('+').next().unwrap_or(file);
    let stem = first.strip_suffix(".cpp").or_else(|| first.strip_suffix(".py")).unwrap_or(first);
    stem.replace('/', "-")
}

/// Reads a list.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>, Error> {
    let text =
        fs::read_to_string(path).map_err(|cause| Error::File { path: path.to_owned(), cause })?;
    parse(&text).map_err(|line| Error::Line { path: path.to_owned(), line })
}

/// Reads the text of a list; the error is the number of a line that makes no entry.
fn parse(text: &str) -> Result<Vec<Entry>, usize> {
    let entries = text.lines().enumerate().map(|(number, line)| {
        let fields: Vec<&str> = line.split('\t').collect();
        Entry::of(&fields).ok_or(number + 1)
    });
    entries.collect()
}

/// Writes a list.
pub(super) fn write(path: &Path, entries: &[Entry]) -> Result<(), Error> {
    let lines: Vec<String> = entries.iter().map(|entry| format!("{entry}\n")).collect();
    fs::write(path, lines.concat()).map_err(|cause| Error::File { path: path.to_owned(), cause })
}

/// Chooses up to `count` entries of each group; the same ones for the same seed.
pub(super) fn sample(entries: &[Entry], count: usize, seed: u64) -> Vec<Entry> {
    let mut chosen = Vec::new();
    for group in Group::ALL {
        let mut own: Vec<(usize, &Entry)> =
            entries.iter().enumerate().filter(|(_, entry)| entry.group == group).collect();
        own.sort_by_key(|(_, entry)| digest(format!("{seed} {entry}").as_bytes()));
        own.truncate(count);
        own.sort_by_key(|(number, _)| *number);
        chosen.extend(own.into_iter().map(|(_, entry)| entry.clone()));
    }
    chosen
}

/// The digest FNV-1a of 64 bits.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, &byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "\
apps\tapps/fft/fft_generator.cpp+fft.cpp\tfft_c2c\t-g;fft;size0=16\thost
generators\ttest/generator/string_param_generator.cpp\tstring_param\t\
-g;string_param;e=5 y * x +\thost
python\tpython_bindings/tutorial/lesson_01_basics.py\t1\t-\thost
tests\ttest/correctness/argmax.cpp\t1\t-\thost-cuda
tests\ttest/correctness/argmax.cpp\t2\t-\thost
";

    #[test]
    fn lists_round_trip() {
        let entries = parse(LINES).expect("a list");
        let lines: Vec<String> = entries.iter().map(|entry| format!("{entry}\n")).collect();
        assert_eq!(lines.concat(), LINES);
        assert_eq!(entries[0].option("-g"), Some("fft"));
        assert_eq!(entries[0].option("-p"), None);
        assert_eq!(entries[0].stem(), "apps-fft-fft_generator-fft_c2c");
    }

    #[test]
    fn a_line_that_makes_no_entry_is_named() {
        for (text, line) in [
            ("apps\tfile\tname\t-", 1),
            ("apps\tfile\tname\t-\thost\nzebras\tfile\tname\t-\thost", 2),
            ("\n", 1),
        ] {
            assert_eq!(parse(text), Err(line), "{text}");
        }
    }

    #[test]
    fn samples_depend_on_the_seed_alone() {
        let entries = parse(LINES).expect("a list");
        let of = |seed| sample(&entries, 1, seed);
        assert_eq!(of(7), of(7));
        assert_eq!(of(7).len(), 4, "one of each group");
        assert!((0..20).any(|seed| of(seed) != of(7)));
        assert_eq!(sample(&entries, 9, 7), entries);
    }
}
