//! `cargo xtask mutators`: the rewrite rules of the compilers whose sources are at hand.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The variable that names the folder of the sources.
const SOURCES: &str = "HALIDOM_SOURCES";

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "mutators",
    summary: "verifies the rewrite rules of the compilers under the folder HALIDOM_SOURCES and prints a table",
    help: "\
Installs what is missing, builds the release binary, and runs `halidom verify` on the simplifiers of the
compilers whose sources lie in the folder that HALIDOM_SOURCES names: `halide` and `halide-to-hardware`,
each a checkout (a link will do). Answers are kept in the target folder, so a second run is quick.
A compiler whose folder is missing is named.

example: cargo xtask mutators",
    run,
    options: &[],
};

fn run() -> Result<(), Error> {
    let Some(sources) = std::env::var_os(SOURCES).map(PathBuf::from) else {
        return Err(Error::Missing {
            what: "the sources".to_owned(),
            advice: format!(
                "set {SOURCES} to a folder with checkouts `halide` and `halide-to-hardware`"
            ),
        });
    };
    setup::ensure()?;
    let halidom = process::halidom()?;
    let mut rows = Vec::new();
    for profile in ["halide", "halide-to-hardware"] {
        let files = simplifier(&sources.join(profile).join("src"))?;
        if files.is_empty() {
            println!("{profile}: no Simplify_*.cpp under {}", sources.join(profile).display());
            continue;
        }
        let mut command = program(&halidom);
        let cache = root().join("target").join(format!("mutators-{profile}.cache"));
        command
            .arg("verify")
            .args(&files)
            .args(["--profile", profile, "--json", "--cache"])
            .arg(cache);
        let output = capture(&mut command)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let answer = Json::parse(&text).map_err(problem)?;
        let counts = answer.get("counts").ok_or_else(|| problem("no counts"))?;
        for scope in ["8", "16", "32", "all"] {
            let of = counts.get(scope).ok_or_else(|| problem("no counts of a width"))?;
            let number = |key: &str| of.get(key).and_then(Json::number).unwrap_or(0.0);
            let mut row = vec![profile.to_owned(), scope.to_owned()];
            row.extend(STANDINGS.map(|key| format!("{:.0}", number(key))));
            let seconds = answer.get("seconds").and_then(Json::number);
            row.push(seconds.map_or("-".to_owned(), |seconds| format!("{seconds:.1}")));
            rows.push(row);
        }
    }
    let mut headings = vec!["compiler", "bits"];
    headings.extend(STANDINGS);
    headings.push("seconds");
    println!("{}", table::layout(&headings, &rows));
    Ok(())
}

/// What a rule can be, as `halidom verify` counts it.
const STANDINGS: [&str; 5] = ["verified", "wrong", "undecided", "unsupported", "unreached"];

/// The simplifier's files in a folder, in order; none if there is no folder.
fn simplifier(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let listed =
        fs::read_dir(folder).map_err(|cause| Error::File { path: folder.to_owned(), cause })?;
    let mut files = BTreeMap::new();
    for entry in listed.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("Simplify_") && Path::new(&name).extension().is_some_and(|e| e == "cpp")
        {
            files.insert(name, entry.path());
        }
    }
    Ok(files.into_values().collect())
}
