//! The effort of a comparison with what others schedule, and the rows that earlier runs kept.

use super::programs::{Program, chosen};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, root};
use crate::setup;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

/// The seconds of a search.
const BUDGET: &str = "60";

/// The effort of a comparison.
pub(super) struct Effort<'w> {
    pub(super) budget: &'w str,
    pub(super) threads: &'w str,
    pub(super) halidom: PathBuf,
    /// The folder for what was found.
    pub(super) folder: PathBuf,
}

/// A program's name with its row.
pub(super) type Found = (String, Json);

impl<'w> Effort<'w> {
    /// Reads `--budget SECONDS`, `--threads N` and programs, in any order, and installs Halide.
    pub(super) fn read(words: &[&'w str]) -> Result<(Self, Vec<&'static Program>), Error> {
        let (mut budget, mut threads, mut names) = (BUDGET, "2", Vec::new());
        let mut rest = words;
        while let [word, after @ ..] = rest {
            rest = match (*word, after) {
                ("--budget", [given, after @ ..]) => {
                    budget = given;
                    after
                }
                ("--threads", [given, after @ ..]) => {
                    threads = given;
                    after
                }
                _ => {
                    names.push(*word);
                    after
                }
            };
        }
        let programs = chosen(&names)?;
        setup::ensure()?;
        setup::ensure_halide()?;
        let folder = root().join("target").join("search");
        fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
        Ok((Self { budget, threads, halidom: process::halidom()?, folder }, programs))
    }

    /// Compares each program that has no row yet in the file of this name. Returns the rows of all
    /// programs, and the programs without one.
    pub(super) fn each(
        &self,
        name: &str,
        programs: &[&'static Program],
        compare: fn(&Program, &Self) -> Result<String, Error>,
    ) -> (Vec<Found>, Vec<String>) {
        let kept = self.folder.join(format!("{name}-{}-{}.jsonl", self.threads, self.budget));
        let known = fs::read_to_string(&kept).unwrap_or_default();
        let mut found: Vec<Found> = Vec::new();
        for line in known.lines() {
            let row = Json::parse(line).ok();
            let name = row.as_ref().and_then(|row| row.get("program")?.text().map(str::to_owned));
            found.extend(name.zip(row));
        }
        let mut without = Vec::new();
        for one in programs {
            if found.iter().any(|(name, _)| name == one.name) {
                continue;
            }
            println!("{} …", one.name);
            // The others are measured even if one cannot be.
            let line = match compare(one, self) {
                Ok(line) => line,
                Err(error) => {
                    println!("{error}");
                    without.push(format!("{}: no time", one.name));
                    continue;
                }
            };
            let file = OpenOptions::new().create(true).append(true).open(&kept);
            if file.and_then(|mut file| writeln!(file, "{line}")).is_err() {
                println!("{}: cannot be written", kept.display());
            }
            found.extend(Json::parse(&line).ok().map(|row| (one.name.to_owned(), row)));
        }
        found.retain(|(name, _)| programs.iter().any(|one| one.name == name));
        (found, without)
    }
}
