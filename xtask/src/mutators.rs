//! `cargo xtask mutators`: the rewrite rules and mutators of the compilers whose sources are at hand.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, cargo, measure, program, root, shown};
use crate::{setup, table};
use std::path::{Path, PathBuf};

/// The variable that names the folder of the sources.
const SOURCES: &str = "HALIDOM_SOURCES";

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "mutators",
    summary: "verifies the transformations of the compilers under the folder HALIDOM_SOURCES and prints tables",
    help: "\
Installs what is missing, builds the release binary, and runs `halidom verify` on the transformations of the
compilers whose sources lie in the folder that HALIDOM_SOURCES names: `heterocl`, `halide-hls`,
`halide-to-hardware` and `halide`, each a checkout (a link will do). The first table has the rewrite rules by
width, the second the mutators of each file, which is run as a process of its own: what they are, seconds, and
the most memory of the process and its solvers. The third says of how many mutators of each compiler there is a
verdict, and how many are decided without a bound, the last which are not supported and what stopped them first.
Answers are kept in the target folder, so a second run is
quick. A compiler whose folder is missing is named. HALIDOM_ONLY=TEXT runs the compilers with TEXT in their
names alone.

With --mutants, changes the project's own right mutators in 300 places (a flipped comparison, a constant off
by one, a dropped guard, swapped operands), verifies each mutant, runs it on some thousand inputs, and prints
a table by kind. Fails if one is verified that a run shows to be wrong, or fewer than six in ten of those that
a run shows to be wrong are refuted. HALIDOM_SOURCE_MUTANTS=N makes N.

example: HALIDOM_SOURCES=~/compilers cargo xtask mutators
example: cargo xtask mutators --mutants",
    run,
    options: &[("--mutants", mutants)],
};

/// The variable that chooses compilers.
const ONLY: &str = "HALIDOM_ONLY";

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
    let only = std::env::var(ONLY).unwrap_or_default();
    let (mut rules, mut transformations) = (Vec::new(), Vec::new());
    let mut covered: Vec<Covered> = Vec::new();
    for profile in PROFILES.into_iter().filter(|profile| profile.contains(&only)) {
        let checkout = sources.join(profile);
        if !checkout.is_dir() {
            println!("{profile}: no folder {}", checkout.display());
            continue;
        }
        rules.extend(rules_of(&halidom, profile, &checkout)?);
        let mut coverage = Covered { compiler: profile.to_owned(), ..Covered::default() };
        transformations.extend(transformations_of(&halidom, profile, &checkout, &mut coverage)?);
        covered.push(coverage);
    }
    let mut headings = vec!["compiler", "bits"];
    headings.extend(STANDINGS);
    headings.extend(COSTS);
    println!("{}", table::layout(&headings, &rules));
    let mut headings = vec!["compiler", "transformation", "mutators"];
    headings.extend(PROGRAM_STANDINGS);
    headings.extend(COSTS);
    println!("{}", table::layout(&headings, &transformations));
    show_coverage(&covered);
    Ok(())
}

/// Of the mutators of a compiler, how many there is a verdict on.
#[derive(Default)]
struct Covered {
    compiler: String,
    mutators: usize,
    /// Those that are supported.
    judged: usize,
    /// Those that are verified, or shown to be wrong.
    decided: usize,
    /// The others: file and name, where they stopped first, and at what.
    unsupported: Vec<[String; 3]>,
}

/// In a hundred: how many mutators of the compilers of the paper should have a verdict, and how many should be decided.
const TARGETS: [usize; 2] = [85, 60];

fn show_coverage(covered: &[Covered]) {
    let (mut rows, mut unsupported) = (Vec::new(), Vec::new());
    // The paper's compilers; what came after them is not counted among them.
    let sum = |of: fn(&Covered) -> usize| -> usize {
        let papers = covered.iter().filter(|known| known.compiler != "halide");
        papers.map(of).sum()
    };
    let all = Covered {
        compiler: "the paper's".to_owned(),
        mutators: sum(|known| known.mutators),
        judged: sum(|known| known.judged),
        decided: sum(|known| known.decided),
        unsupported: Vec::new(),
    };
    for known in covered.iter().chain([&all]) {
        let mut row = vec![known.compiler.clone(), known.mutators.to_string()];
        for (count, target) in [known.judged, known.decided].into_iter().zip(TARGETS) {
            let is_met = count * 100 >= target * known.mutators;
            let share = (count * 100).checked_div(known.mutators).unwrap_or(0);
            let met = if is_met { "" } else { "  missed" };
            row.push(format!("{count} ({share} of {target} %){met}"));
        }
        rows.push(row);
        let stopped = known.unsupported.iter();
        unsupported.extend(stopped.map(|stop| [&[known.compiler.clone()][..], &stop[..]].concat()));
    }
    let headings = ["compiler", "mutators", "with a verdict", "verified or refuted"];
    println!("{}", table::layout(&headings, &rows));
    println!("{}", table::layout(&["compiler", "unsupported", "line", "construct"], &unsupported));
}

/// What a run takes.
const COSTS: [&str; 2] = ["seconds", "MiB"];

/// What a run of `halidom verify` said, and what it took.
struct Answer {
    json: Json,
    costs: [String; 2],
}

/// Runs `halidom verify` on a checkout.
fn verify(
    halidom: &Path,
    profile: &str,
    checkout: &Path,
    arguments: &[&str],
) -> Result<Answer, Error> {
    let mut command = program(halidom);
    let cache = root().join("target").join(format!("mutators-{profile}.cache"));
    command.arg("verify").arg(checkout).args(["--profile", profile, "--json", "--cache"]);
    command.arg(cache).args(arguments);
    let measured = measure(&mut command)?;
    let text = String::from_utf8_lossy(&measured.output.stdout);
    let json = Json::parse(&text).map_err(|problem| Error::Output {
        command: shown(&command),
        problem: problem.to_owned(),
    })?;
    let costs = [format!("{:.1}", measured.time.as_secs_f64()), measured.peak_mib.to_string()];
    Ok(Answer { json, costs })
}

/// A row for each width, and one for all.
fn rules_of(halidom: &Path, profile: &str, checkout: &Path) -> Result<Vec<Vec<String>>, Error> {
    let answer = verify(halidom, profile, checkout, &["--only", "rules", "--timeout", "1"])?;
    let mut rows = Vec::new();
    for scope in ["8", "16", "32", "all"] {
        let of = answer.json.get("counts").and_then(|counts| counts.get(scope));
        let number = |key: &str| of.and_then(|of| of.get(key)).and_then(Json::number);
        let mut row = vec![profile.to_owned(), scope.to_owned()];
        row.extend(STANDINGS.map(|key| format!("{:.0}", number(key).unwrap_or(0.0))));
        row.extend(answer.costs.clone());
        rows.push(row);
    }
    // A compiler without rules has no rows.
    rows.retain(|row| row[2..2 + STANDINGS.len()].iter().any(|count| count != "0"));
    Ok(rows)
}

/// A row for each file with mutators, and one for all: how many there are of each standing.
fn transformations_of(
    halidom: &Path,
    profile: &str,
    checkout: &Path,
    coverage: &mut Covered,
) -> Result<Vec<Vec<String>>, Error> {
    let listed = verify(halidom, profile, checkout, &["--list"])?;
    let files = listed.json.get("files").and_then(Json::members).unwrap_or_default();
    let mut rows = Vec::new();
    let mut total = [0; PROGRAM_STANDINGS.len()];
    for (file, _) in files {
        let arguments =
            ["--only", "mutators", "--timeout", "0.5", "--mutator", &format!("{file}: ")];
        let answer = verify(halidom, profile, checkout, &arguments)?;
        let counted = answer.json.get("programs");
        let number = |name: &str| counted.and_then(|of| of.get(name)).and_then(Json::number);
        let counts = PROGRAM_STANDINGS.map(|name| number(name).unwrap_or(0.0) as usize);
        for (sum, count) in total.iter_mut().zip(counts) {
            *sum += count;
        }
        coverage.add(file, &answer.json);
        rows.push(row(profile, file, &counts, answer.costs));
    }
    rows.push(row(profile, "all", &total, [String::new(), String::new()]));
    Ok(rows)
}

impl Covered {
    /// Counts the mutators of a file.
    fn add(&mut self, file: &str, json: &Json) {
        for (name, mutator) in json.get("mutators").and_then(Json::members).unwrap_or_default() {
            let standing = mutator.get("standing").and_then(Json::text).unwrap_or("unsupported");
            self.mutators += 1;
            self.judged += usize::from(standing != "unsupported");
            self.decided +=
                usize::from(!matches!(standing, "unsupported" | "bounded" | "undecided"));
            if standing != "unsupported" {
                continue;
            }
            let of = |finding: &Json, key: &str| {
                finding.get(key).and_then(Json::text).unwrap_or_default().to_owned()
            };
            let findings = mutator.get("findings").and_then(Json::array).unwrap_or_default();
            let first = findings.iter().find(|finding| of(finding, "kind") == standing);
            let (place, reason) = first.map_or_else(Default::default, |finding| {
                (of(finding, "place"), of(finding, "reason"))
            });
            let line = place.rsplit(':').next().unwrap_or_default().to_owned();
            self.unsupported.push([format!("{file}: {name}"), line, reason]);
        }
    }
}

fn row(profile: &str, file: &str, counts: &[usize], costs: [String; 2]) -> Vec<String> {
    let mut row = vec![profile.to_owned(), file.to_owned()];
    row.push(counts.iter().sum::<usize>().to_string());
    row.extend(counts.iter().map(ToString::to_string));
    row.extend(costs);
    row
}

/// The compilers, by the names of their profiles.
const PROFILES: [&str; 4] = ["heterocl", "halide-hls", "halide-to-hardware", "halide"];

/// What a mutator can be, as `halidom verify` counts it.
const PROGRAM_STANDINGS: [&str; 8] =
    ["verified", "wrong", "crash", "type", "contract", "bounded", "undecided", "unsupported"];

/// What a rule can be, as `halidom verify` counts it.
const STANDINGS: [&str; 6] =
    ["verified", "wrong", "crash", "undecided", "unsupported", "unreached"];

/// Mutants of the mutators' sources.
const MUTANTS: &str = "300";
/// Tells the test how many.
const VARIABLE: &str = "HALIDOM_SOURCE_MUTANTS";

fn mutants() -> Result<(), Error> {
    setup::ensure()?;
    let mut command =
        cargo(&["test", "--release", "--package", "halidom-mutators", "--test", "source_mutants"]);
    command.args(["--", "--nocapture"]);
    if std::env::var_os(VARIABLE).is_none() {
        command.env(VARIABLE, MUTANTS);
    }
    process::run(&mut command).map(drop)
}
