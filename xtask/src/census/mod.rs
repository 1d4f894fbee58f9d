//! `cargo xtask census`: the verdicts on the pipelines of Halide's own apps, tests and tutorials.
//!
//! The list of pipelines is frozen (`tests/halide/census/LIST.txt`), so that no pipeline can be
//! left out because it is not proved. `collect` makes the command for each, `judge` runs it within
//! limits, `rows` keeps the verdicts, and `report` counts them.

mod collect;
mod judge;
mod list;
mod report;
mod rows;

use crate::error::Error;
use crate::process::{self, program, root, shown};
use crate::{Action, setup};
use collect::Site;
use judge::{Limits, Outcome};
use list::{Entry, Group};
use rows::{End, Row};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "census",
    summary: "judges the pipelines of Halide's own apps, tests and tutorials, and ranks what \
        blocks",
    help: "\
Judges what stock Halide compiles from the pipelines that tests/halide/census/LIST.txt names, each
by `halidom validate` in a process of its own with limits of time and memory. Pipelines of six
groups: apps, autoschedulers, generators (the rows of the build files), python, tests, tutorials
(programs that are run, with what compiles wrapped). Halide's sources come from --halide, or else
from ../shared/halide21. A pipeline that cannot be collected is an error, and errors and time-outs
count as pipelines without a proof.

Writes to target/census: rows.csv (each verdict with its reason and the command that gives it
again), table.md, ranking.md and changes.md (what became proved, and what was lost, since
tests/halide/census/verdicts.csv). What was compiled or collected there is used again.

  --halide DIR      the root of Halide's source tree
  --group GROUP     this group alone; may be repeated
  --only TEXT       pipelines with TEXT in their file or name
  --sample N        N pipelines of each group, chosen by --seed S (0 without it)
  --resume          skips pipelines that the same binary has judged
  --jobs N          judges, or with --freeze compiles, N at a time (1 without it)
  --limit-s N       seconds for each pipeline (60)
  --limit-gib N     memory for each pipeline and all that it starts (4)
  --binary FILE     judges by this `halidom` instead of building it
  --keep            puts the table into docs/census.md, and the verdicts into
                    tests/halide/census/verdicts.csv
  --freeze          judges nothing: runs the programs of the chosen groups and writes what they
                    compile into the list; rows of build files stay as they are

example: cargo xtask census --group python --resume
example: cargo xtask census --sample 100 --seed 7",
    run: || run(&[]),
    options: &[
        ("--halide", Action::Words(|words| with("--halide", words))),
        ("--group", Action::Words(|words| with("--group", words))),
        ("--only", Action::Words(|words| with("--only", words))),
        ("--sample", Action::Words(|words| with("--sample", words))),
        ("--seed", Action::Words(|words| with("--seed", words))),
        ("--resume", Action::Words(|words| with("--resume", words))),
        ("--jobs", Action::Words(|words| with("--jobs", words))),
        ("--limit-s", Action::Words(|words| with("--limit-s", words))),
        ("--limit-gib", Action::Words(|words| with("--limit-gib", words))),
        ("--binary", Action::Words(|words| with("--binary", words))),
        ("--keep", Action::Words(|words| with("--keep", words))),
        ("--freeze", Action::Words(|words| with("--freeze", words))),
    ],
};

/// The frozen list.
const LIST: &str = "tests/halide/census/LIST.txt";
/// The verdicts of the last table.
const LAST: &str = "tests/halide/census/verdicts.csv";
/// The page with the table, and the markers around it.
const PAGE: &str = "docs/census.md";
const MARKERS: [&str; 2] = ["<!-- census: table -->", "<!-- census: end -->"];
/// Halide's sources, packed.
pub(crate) const SOURCES: &str = "../shared/halide21/sources-v21.0.0.tar.xz";

/// The options of a sweep.
#[derive(Debug, Clone, PartialEq)]
struct Options {
    halide: Option<PathBuf>,
    /// All if empty.
    groups: Vec<Group>,
    only: Option<String>,
    sample: Option<usize>,
    seed: u64,
    resume: bool,
    jobs: usize,
    limits: Limits,
    binary: Option<PathBuf>,
    keep: bool,
    freeze: bool,
}

impl Options {
    fn read(words: &[&str]) -> Result<Self, Error> {
        let mut options = Self {
            halide: None,
            groups: Vec::new(),
            only: None,
            sample: None,
            seed: 0,
            resume: false,
            jobs: 1,
            limits: Limits { seconds: 60, mib: 4096 },
            binary: None,
            keep: false,
            freeze: false,
        };
        let mut words = words.iter().copied();
        while let Some(option) = words.next() {
            match option {
                "--resume" => options.resume = true,
                "--keep" => options.keep = true,
                "--freeze" => options.freeze = true,
                _ => {
                    let value = words.next().ok_or_else(|| needs(option, "a value"))?;
                    options.set(option, value)?;
                }
            }
        }
        Ok(options)
    }

    fn set(&mut self, option: &str, value: &str) -> Result<(), Error> {
        match option {
            "--halide" => self.halide = Some(value.into()),
            "--group" => {
                let group = Group::named(value).ok_or_else(|| needs(option, "a group's name"))?;
                self.groups.push(group);
            }
            "--only" => self.only = Some(value.to_owned()),
            "--sample" => self.sample = Some(number(option, value)?),
            "--seed" => self.seed = number(option, value)?,
            "--jobs" => self.jobs = number::<usize>(option, value)?.max(1),
            "--limit-s" => self.limits.seconds = number(option, value)?,
            "--limit-gib" => self.limits.mib = 1024 * number::<u64>(option, value)?,
            "--binary" => self.binary = Some(value.into()),
            _ => {
                let problem = format!("`cargo xtask census` takes no argument `{option}`");
                return Err(Error::Usage(problem));
            }
        }
        Ok(())
    }

    /// The entries of the list that are to be judged.
    fn chosen(&self, list: Vec<Entry>) -> Vec<Entry> {
        let is_wanted = |entry: &Entry| {
            let only = self.only.as_deref();
            (self.groups.is_empty() || self.groups.contains(&entry.group))
                && only.is_none_or(|text| entry.file.contains(text) || entry.name.contains(text))
        };
        let wanted: Vec<Entry> = list.into_iter().filter(is_wanted).collect();
        match self.sample {
            Some(count) => list::sample(&wanted, count, self.seed),
            None => wanted,
        }
    }
}

fn needs(option: &str, what: &str) -> Error {
    Error::Usage(format!("`{option}` needs {what}"))
}

fn number<N: std::str::FromStr>(option: &str, value: &str) -> Result<N, Error> {
    value.parse().map_err(|_| needs(option, "a number"))
}

fn with(option: &str, words: &[&str]) -> Result<(), Error> {
    run(&[&[option], words].concat())
}

fn run(words: &[&str]) -> Result<(), Error> {
    let options = Options::read(words)?;
    setup::ensure()?;
    setup::ensure_halide()?;
    let folder = root().join("target/census");
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let halide = match &options.halide {
        Some(halide) => halide.clone(),
        None => unpacked(&folder)?,
    };
    let site = Site::prepare(&halide, &folder)?;
    let path = root().join(LIST);
    let list = list::read(&path)?;
    if options.freeze {
        return freeze(&site, &options, &list, &path);
    }
    let binary = match &options.binary {
        Some(binary) => binary.clone(),
        None => process::halidom()?,
    };
    sweep(&site, &binary, &options, &options.chosen(list))
}

/// Unpacks Halide's sources, once.
pub(crate) fn unpacked(folder: &Path) -> Result<PathBuf, Error> {
    let halide = folder.join("halide");
    if !halide.is_dir() {
        let packed = root().join(SOURCES);
        if !packed.is_file() {
            return Err(Error::Missing {
                what: "Halide's sources".to_owned(),
                advice: format!(
                    "name a source tree of v21.0.0 with --halide, or provide {SOURCES}"
                ),
            });
        }
        // The archive has no folder of its own.
        let part = folder.join("halide.part");
        fs::create_dir_all(&part).map_err(|cause| Error::File { path: part.clone(), cause })?;
        process::run(program("tar").arg("xJf").arg(&packed).arg("-C").arg(&part))?;
        fs::rename(&part, &halide).map_err(|cause| Error::File { path: part, cause })?;
    }
    Ok(halide)
}

/// Writes what the programs of the chosen groups compile into the list.
fn freeze(site: &Site, options: &Options, list: &[Entry], path: &Path) -> Result<(), Error> {
    site.note_host()?;
    let mut entries = Vec::new();
    for group in Group::ALL {
        let is_chosen = options.groups.is_empty() || options.groups.contains(&group);
        let is_found = is_chosen && group.is_found_by_running();
        // Python generators are rows of a build file too.
        let stays =
            |entry: &&Entry| entry.group == group && (!is_found || entry.option("-g").is_some());
        if is_found {
            entries.extend(site.find(group, options.jobs)?);
        }
        entries.extend(list.iter().filter(stays).cloned());
    }
    println!("{} pipelines in {LIST}", entries.len());
    list::write(path, &entries)
}

/// Judges entries and writes the results.
fn sweep(site: &Site, binary: &Path, options: &Options, entries: &[Entry]) -> Result<(), Error> {
    let bytes = fs::read(binary).map_err(|cause| Error::File { path: binary.into(), cause })?;
    let judge = format!("{:016x}", list::digest(&bytes));
    let path = site.folder.join("rows.csv");
    let mut kept = rows::latest(rows::read(&path)?);
    // Verdicts on pipelines that are not chosen stay for later sweeps.
    kept.retain(|row| options.resume || !entries.contains(&row.entry));
    rows::write(&path, &kept)?;
    let is_done = |entry: &Entry| kept.iter().any(|row| row.is_of(entry, &judge));
    let open: Vec<&Entry> = entries.iter().filter(|entry| !is_done(entry)).collect();
    println!("{} pipelines, {} of them to judge", entries.len(), open.len());
    let next = AtomicUsize::new(0);
    let failed: Mutex<Option<Error>> = Mutex::new(None);
    let writing = Mutex::new(());
    thread::scope(|scope| {
        for worker in 0..options.jobs {
            let (open, next, failed, writing) = (&open, &next, &failed, &writing);
            let (judge, path) = (&judge, &path);
            scope.spawn(move || {
                let folder = site.folder.join(format!("judge-{worker}"));
                while let Some(entry) = open.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = judged(site, binary, entry, judge, &folder, options.limits);
                    let _writing = writing.lock();
                    println!(
                        "{:>7.1} s  {}: {} {}",
                        row.seconds,
                        row.end.name(),
                        entry.file,
                        entry.name
                    );
                    if let Err(error) = rows::append(path, &row)
                        && let Ok(mut failed) = failed.lock()
                    {
                        *failed = Some(error);
                        return;
                    }
                }
            });
        }
    });
    if let Ok(Some(error)) = failed.into_inner() {
        return Err(error);
    }
    finish(site, options, entries, &path)
}

/// Judges one entry. What goes wrong makes an error of the entry.
fn judged(
    site: &Site,
    binary: &Path,
    entry: &Entry,
    judge: &str,
    folder: &Path,
    limits: Limits,
) -> Row {
    let error = |detail: String| Outcome {
        end: End::Error,
        code: String::new(),
        reason: judge::normal(&detail),
        detail,
        seconds: 0.0,
        mib: 0,
    };
    let (outcome, command) = match site.command(binary, entry) {
        Err(missing) => (error(missing), String::new()),
        Ok(mut command) => {
            let words = shown(&command);
            command.args(["--json", "--limit", &limits.seconds.to_string()]);
            let outcome = judge::judge(&mut command, folder, limits);
            (outcome.unwrap_or_else(|cause| error(cause.to_string())), words)
        }
    };
    let Outcome { end, code, reason, detail, seconds, mib } = outcome;
    let (entry, judge) = (entry.clone(), judge.to_owned());
    Row { entry, judge, end, code, reason, detail, seconds, mib, command }
}

/// Counts the verdicts on entries.
fn finish(site: &Site, options: &Options, entries: &[Entry], path: &Path) -> Result<(), Error> {
    let rows = rows::latest(rows::read(path)?);
    let rows: Vec<Row> = rows.into_iter().filter(|row| entries.contains(&row.entry)).collect();
    let last = root().join(LAST);
    let table = report::table(&rows);
    let earlier = rows::latest(rows::read(&last)?);
    let changes = report::changes(&earlier, &rows);
    print!("\n{table}\n{changes}");
    let ranking = report::ranking(&rows);
    for (name, text) in [("table.md", &table), ("ranking.md", &ranking), ("changes.md", &changes)] {
        write(&site.folder.join(name), text)?;
    }
    if options.keep {
        // Verdicts on pipelines that were not chosen stay.
        let known: Vec<Row> = earlier.into_iter().chain(rows).collect();
        let known: Vec<Row> = rows::latest(known).iter().map(Row::anywhere).collect();
        let table = report::table(&known);
        let page = root().join(PAGE);
        let text =
            fs::read_to_string(&page).map_err(|cause| Error::File { path: page.clone(), cause })?;
        let text = report::inserted(&text, MARKERS, &table).ok_or_else(|| Error::Output {
            command: PAGE.to_owned(),
            problem: format!("it lacks the markers {}", MARKERS.join(" and ")),
        })?;
        write(&page, &text)?;
        rows::write(&last, &known)?;
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|cause| Error::File { path: path.to_owned(), cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let words = ["--group", "python", "--sample", "5", "--resume", "--limit-gib", "2"];
        let options = Options::read(&words).expect("options");
        assert_eq!(options.groups, [Group::Python]);
        assert_eq!((options.sample, options.resume, options.limits.mib), (Some(5), true, 2048));
        for words in [
            &["--group", "zebras"][..],
            &["--group"],
            &["--sample", "many"],
            &["--resume", "python"],
        ] {
            assert!(matches!(Options::read(words), Err(Error::Usage(_))), "{words:?}");
        }
    }

    #[test]
    fn the_list_is_read_and_names_no_pipeline_twice() {
        let list = list::read(&root().join(LIST)).expect("the list");
        let mut lines: Vec<String> = list.iter().map(Entry::to_string).collect();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), list.len());
        for group in Group::ALL {
            assert!(list.iter().any(|entry| entry.group == group), "{}", group.name());
        }
    }
}
