//! `cargo xtask mutators`: the rewrite rules and mutators of the compilers whose sources are at hand.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The variable that names the folder of the sources.
const SOURCES: &str = "HALIDOM_SOURCES";

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "mutators",
    summary: "verifies the transformations of the compilers under the folder HALIDOM_SOURCES and prints tables",
    help: "\
Installs what is missing, builds the release binary, and runs `halidom verify` on the transformations of the
compilers whose sources lie in the folder that HALIDOM_SOURCES names: `heterocl`, `halide-hls`,
`halide-to-hardware` and `halide`, each a checkout (a link will do). The first table has the rewrite rules by
width, the second the mutators of each file. Answers about rules are kept in the target folder, so a second
run is quick. A compiler whose folder is missing is named.

example: cargo xtask mutators",
    run,
    options: &[],
};

fn run() -> Result<(), Error> {
    let Some(sources) = std::env::var_os(SOURCES).map(PathBuf::from) else {
        return Err(Error::Missing {
            what: "the sources".to_owned(),
            advice: format!(
                "set {SOURCES} to a folder with checkouts of the compilers: {}",
                PROFILES.join(", ")
            ),
        });
    };
    setup::ensure()?;
    let halidom = process::halidom()?;
    let (mut rows, mut transformations) = (Vec::new(), Vec::new());
    for profile in PROFILES {
        let checkout = sources.join(profile);
        if !checkout.is_dir() {
            println!("{profile}: no folder {}", checkout.display());
            continue;
        }
        let mut command = program(&halidom);
        let cache = root().join("target").join(format!("mutators-{profile}.cache"));
        command
            .arg("verify")
            .arg(&checkout)
            .args(["--profile", profile, "--json", "--cache"])
            .arg(cache);
        let output = capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let answer = Json::parse(&text).map_err(problem)?;
        let seconds = answer.get("seconds").and_then(Json::number);
        let seconds = seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.1}"));
        transformations.extend(by_file(profile, &answer, &seconds));
        let Some(counts) = answer.get("counts") else { continue };
        for scope in ["8", "16", "32", "all"] {
            let of = counts.get(scope).ok_or_else(|| problem("no counts of a width"))?;
            let number = |key: &str| of.get(key).and_then(Json::number).unwrap_or(0.0);
            let mut row = vec![profile.to_owned(), scope.to_owned()];
            row.extend(STANDINGS.map(|key| format!("{:.0}", number(key))));
            row.push(seconds.clone());
            rows.push(row);
        }
    }
    let mut headings = vec!["compiler", "bits"];
    headings.extend(STANDINGS);
    headings.push("seconds");
    println!("{}", table::layout(&headings, &rows));
    let mut headings = vec!["compiler", "transformation", "mutators"];
    headings.extend(PROGRAM_STANDINGS);
    headings.push("seconds in all");
    println!("{}", table::layout(&headings, &transformations));
    Ok(())
}

/// The compilers, by the names of their profiles.
const PROFILES: [&str; 4] = ["heterocl", "halide-hls", "halide-to-hardware", "halide"];

/// What a mutator can be, as `halidom verify` counts it.
const PROGRAM_STANDINGS: [&str; 8] =
    ["verified", "wrong", "crash", "type", "contract", "bounded", "undecided", "unsupported"];

/// A row for each file with mutators: how many there are of each standing.
fn by_file(profile: &str, answer: &Json, seconds: &str) -> Vec<Vec<String>> {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mutators = answer.get("mutators").and_then(Json::members).unwrap_or_default();
    for (_, mutator) in mutators {
        let standing = mutator.get("standing").and_then(Json::text);
        let file = mutator.get("file").and_then(Json::text);
        if let (Some(standing), Some(file)) = (standing, file) {
            files.entry(file).or_default().push(standing);
        }
    }
    let row = |(file, standings): (&str, Vec<&str>)| {
        let mut row = vec![profile.to_owned(), file.to_owned(), standings.len().to_string()];
        row.extend(PROGRAM_STANDINGS.map(|name| {
            standings.iter().filter(|standing| **standing == name).count().to_string()
        }));
        row.push(seconds.to_owned());
        row
    };
    files.into_iter().map(row).collect()
}

/// What a rule can be, as `halidom verify` counts it.
const STANDINGS: [&str; 5] = ["verified", "wrong", "undecided", "unsupported", "unreached"];
