//! `cargo xtask mutators`: verifies the rewrite rules and mutators of the compilers whose sources
//! are available.

mod confirm;
mod known;
mod passes;

use crate::answer::Answer as Answered;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, cargo, measure, program, root, shown};
use crate::relink::{completed, installed_halide};
use crate::{setup, table};
use std::path::{Path, PathBuf};

/// The variable that names the folder of the sources.
const SOURCES: &str = "HALIDOM_SOURCES";

pub(crate) const COMMAND: crate::Command = crate::Command {
    name: "mutators",
    summary: "verifies the transformations of the compilers under the folder HALIDOM_SOURCES and \
              prints tables",
    help: "\
Installs what is missing, builds the release binary, and runs `halidom verify` on the
transformations of the compilers whose sources are in the folder that HALIDOM_SOURCES names:
`heterocl`, `halide-hls`, `halide-to-hardware`, `halide` and `tvm`, each a checkout (or a link to
one); `tvm` has rules alone. The first table counts the rewrite rules by width. The second has a row
for the mutators of each file, which is verified in a separate process: the counts by result, the
seconds, and the peak memory of the process and its solvers. The third has, for each compiler, the
number of mutators with a verdict and the number decided without a bound. The fourth has the number
of decided rules. The last lists the unsupported mutators with the first obstacle of each. Marks
every number that misses its target. Keeps answers in the target folder, so that a second run is
quick; HALIDOM_FRESH=1 discards them first. Fails if a known answer about these sources is not
found. Names each compiler whose folder is missing. HALIDOM_ONLY=TEXT restricts the run to compilers
with TEXT in their names.

With --mutants, changes the project's own correct mutators in 300 places (a flipped comparison, a
constant off by one, a dropped guard, swapped operands, a dropped push or pop), verifies each
mutant, runs it on some thousand inputs, and prints a table by kind. Fails if a mutant is verified
that a run shows to be wrong, or if fewer than six in ten of the mutants that a run shows to be
wrong are refuted. HALIDOM_SOURCE_MUTANTS=N makes N mutants.

With --compiled, tests the refuted rules of `halide` and an example of each verified rule on the
installed Halide: a C++ program builds the left side, has Halide simplify it, and compares values.
Prints the refuted rules whose value the compiler keeps (another rule may come first, or its guards
are stricter), and fails if the compiler changes the value of a verified rule.

With --confirm, runs each defect that `halidom verify` finds in `halide` on the installed Halide,
whose version the checkout should have. A C++ program, which stays in target/mutators-confirm,
builds the input of each counterexample, calls `simplify`, and evaluates input and result on the
counterexample's values. Each name of the input is tried as a variable and as an unknown call. A
table gives the outcome of each finding: confirmed; not reachable, because an operand or other code
is simplified first, or because no entry point leads there; or not borne out. Fails if a finding is
not borne out although the versions are the same.

With --passes, verifies the paper's 46 transformations, each a file in a process of its own, and
prints for each the theorem that its methods make, or the methods that stand in its way. The paper
names eight of them; we chose the others among the compilers' small passes.

example: HALIDOM_SOURCES=~/compilers cargo xtask mutators
example: cargo xtask mutators --mutants
example: HALIDOM_SOURCES=~/compilers cargo xtask mutators --passes
example: HALIDOM_SOURCES=~/compilers cargo xtask mutators --compiled
example: HALIDOM_SOURCES=~/compilers cargo xtask mutators --confirm",
    run,
    options: &[
        ("--mutants", crate::Action::Alone(mutants)),
        ("--compiled", crate::Action::Alone(compiled)),
        ("--passes", crate::Action::Alone(passes::run)),
        ("--confirm", crate::Action::Alone(confirm::run)),
    ],
};

/// The variable that chooses compilers.
const ONLY: &str = "HALIDOM_ONLY";

/// The variable that turns off the use of answers from earlier runs.
const FRESH: &str = "HALIDOM_FRESH";

/// Returns the folder of the sources.
fn sources() -> Result<PathBuf, Error> {
    std::env::var_os(SOURCES).map(PathBuf::from).ok_or_else(|| Error::Missing {
        what: "the sources".to_owned(),
        advice: format!(
            "set {SOURCES} to a folder with checkouts of the compilers: {}",
            PROFILES.join(", ")
        ),
    })
}

/// Tests examples of Halide's rules on the installed Halide.
fn compiled() -> Result<(), Error> {
    let checkout = sources()?.join("halide");
    setup::ensure()?;
    setup::ensure_halide()?;
    let halidom = process::halidom()?;
    let halide = installed_halide()?;
    let folder = root().join("target/mutators-compiled");
    std::fs::create_dir_all(&folder)
        .map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let (text, asker) = (folder.join("ask.cpp"), folder.join("ask"));
    let mut command = program(&halidom);
    command.arg("verify").arg(checkout).args(["--profile", "halide", "--only", "rules", "--json"]);
    command.args(["--timeout", "1", "--cache"]).arg(kept("halide")).arg("--ask").arg(&text);
    // Some rules are wrong, so the exit status reports a refutation.
    let output = capture(&mut command)?;
    Answered::judged(&command, &output)?;
    let mut command = program("g++");
    command.args(["-std=c++17", "-O0", "-o"]).arg(&asker).arg(&text);
    command.arg("-I").arg(&halide.include).arg("-L").arg(&halide.libraries);
    command.arg(format!("-Wl,-rpath,{}", halide.libraries.display())).arg("-lHalide");
    completed(&mut command)?;
    let mut command = program(&asker);
    let output = capture(&mut command)?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let last = printed.lines().last().unwrap_or_default();
    let answer = Json::parse(last).map_err(|problem| Error::Output {
        command: shown(&command),
        problem: problem.to_owned(),
    })?;
    let mut changed = 0.0;
    for (name, what) in [("verified", "verified rules"), ("wrong", "refutations")] {
        let numbers = answer.get(name).and_then(Json::array).unwrap_or_default();
        let [asked, differ] =
            [0, 1].map(|at| numbers.get(at).and_then(Json::number).unwrap_or(0.0));
        println!("{what}: {asked:.0} asked, {differ:.0} change their value in the compiled Halide");
        if name == "verified" {
            changed = if asked > 0.0 { differ } else { 1.0 };
        }
    }
    let refused = answer.get("refused").and_then(Json::number).unwrap_or(0.0);
    println!("{refused:.0} that the compiler does not build");
    for line in printed.lines().filter(|line| !line.starts_with('{')) {
        println!("  {line}");
    }
    if changed > 0.0 {
        return Err(Error::Refuted(vec!["verified rules, by the compiled Halide".to_owned()]));
    }
    Ok(())
}

fn run() -> Result<(), Error> {
    let sources = sources()?;
    setup::ensure()?;
    let halidom = process::halidom()?;
    let only = std::env::var(ONLY).unwrap_or_default();
    let (mut rules, mut transformations) = (Vec::new(), Vec::new());
    let mut covered: Vec<Covered> = Vec::new();
    let (mut decided, mut missing, mut known) = (Vec::new(), Vec::new(), 0);
    for profile in PROFILES.into_iter().filter(|profile| profile.contains(&only)) {
        let checkout = sources.join(profile);
        if !checkout.is_dir() {
            println!("{profile}: no folder {}", checkout.display());
            continue;
        }
        if std::env::var_os(FRESH).is_some() {
            forget(profile)?;
        }
        let mut found = Vec::new();
        let mut run = Run { halidom: &halidom, profile, checkout: &checkout, found: &mut found };
        rules.extend(run.rules(&mut decided)?);
        let mut coverage = Covered { compiler: profile.to_owned(), ..Covered::default() };
        let rows = run.transformations(&mut coverage)?;
        // A compiler may have rules alone.
        if coverage.mutators > 0 {
            transformations.extend(rows);
            covered.push(coverage);
        }
        missing.extend(known::missing(profile, &found));
        known += known::count(profile);
    }
    if covered.iter().all(|coverage| coverage.mutators == 0) && rules.is_empty() {
        return Err(Error::Missing {
            what: "what could be verified".to_owned(),
            advice: format!(
                "no compiler was looked at: {SOURCES} is {}, {ONLY} is `{only}`",
                sources.display()
            ),
        });
    }
    let mut headings = vec!["compiler", "bits"];
    headings.extend(STANDINGS);
    headings.extend(COSTS);
    println!("{}", table::layout(&headings, &rules));
    let mut headings = vec!["compiler", "transformation", "mutators"];
    headings.extend(PROGRAM_STANDINGS);
    headings.extend(COSTS);
    println!("{}", table::layout(&headings, &transformations));
    show_coverage(&covered, &decided);
    if missing.is_empty() {
        println!("all {known} known answers about these sources were found");
        Ok(())
    } else {
        Err(Error::Answers(missing))
    }
}

/// The file that keeps the answers about a compiler.
fn kept(profile: &str) -> PathBuf {
    root().join("target").join(format!("mutators-{profile}.cache"))
}

fn forget(profile: &str) -> Result<(), Error> {
    let path = kept(profile);
    match std::fs::remove_file(&path) {
        Err(cause) if cause.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::File { path, cause })
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The coverage of a compiler's mutators: counts of those with a verdict, and the other ones.
#[derive(Default)]
struct Covered {
    compiler: String,
    mutators: usize,
    /// The number of mutators that are supported.
    judged: usize,
    /// The number of mutators that are verified, or shown to be wrong.
    decided: usize,
    /// The other mutators: file and name, the place of the first obstacle, and the obstacle.
    unsupported: Vec<[String; 3]>,
}

/// The targets in per cent for the mutators of the paper's compilers: with a verdict, and decided.
const TARGETS: [usize; 2] = [85, 65];

fn show_coverage(covered: &[Covered], decided: &[Vec<String>]) {
    let (mut rows, mut unsupported) = (Vec::new(), Vec::new());
    // The sum is over the paper's compilers only; `halide` is later.
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
    let headings = ["compiler", "rules", "decided", "seconds", "seconds with kept answers"];
    println!("{}", table::layout(&headings, decided));
    println!("{}", table::layout(&["compiler", "unsupported", "line", "construct"], &unsupported));
}

/// The columns for the costs of a run.
const COSTS: [&str; 2] = ["seconds", "MiB"];

/// The target costs for the mutators of one file: seconds, and MiB.
const COST_LIMITS: [f64; 2] = [60.0, 2048.0];

/// The target number of decided rules for each compiler, and the target time in seconds.
const RULE_TARGETS: [(&str, f64, f64); 3] =
    [("halide", 1900.0, 300.0), ("halide-to-hardware", 950.0, 300.0), ("tvm", 330.0, 60.0)];

/// The target time in seconds of a run whose answers are cached.
const KEPT_SECONDS: f64 = 20.0;

/// An answer of `halidom verify` with its costs.
struct Answer {
    json: Json,
    seconds: f64,
    mib: f64,
}

impl Answer {
    fn costs(&self, limits: [f64; 2]) -> [String; 2] {
        [
            marked(format!("{:.1}", self.seconds), self.seconds <= limits[0]),
            marked(format!("{:.0}", self.mib), self.mib <= limits[1]),
        ]
    }
}

/// Marks a number that misses its target.
fn marked(number: String, is_met: bool) -> String {
    if is_met { number } else { number + " missed" }
}

/// Runs of `halidom verify` on one compiler.
struct Run<'a> {
    halidom: &'a Path,
    profile: &'a str,
    checkout: &'a Path,
    /// The findings so far, each with the file that the run was limited to.
    found: &'a mut Vec<(Option<String>, Json)>,
}

impl Run<'_> {
    /// Runs `halidom verify` on the checkout.
    fn verify(&self, arguments: &[&str]) -> Result<Answer, Error> {
        let mut command = program(self.halidom);
        command.arg("verify").arg(self.checkout).args(["--profile", self.profile, "--json"]);
        command.arg("--cache").arg(kept(self.profile)).args(arguments);
        let measured = measure(&mut command)?;
        let json = Answered::of(&command, &measured.output)?.json;
        Ok(Answer { json, seconds: measured.time.as_secs_f64(), mib: measured.peak_mib as f64 })
    }

    fn keep(&mut self, file: Option<&str>, answer: &Answer) {
        let mutators = answer.json.get("mutators").cloned().unwrap_or(Json::Null);
        self.found.push((file.map(str::to_owned), mutators));
    }

    /// Makes a row for each width and one for all. Also adds to `decided` the number of decided
    /// rules and the time.
    fn rules(&mut self, decided: &mut Vec<Vec<String>>) -> Result<Vec<Vec<String>>, Error> {
        let arguments = ["--only", "rules", "--timeout", "1"];
        let answer = self.verify(&arguments)?;
        self.keep(None, &answer);
        let counted = |scope: &str| {
            let of = answer.json.get("counts").and_then(|counts| counts.get(scope));
            let number = |key: &str| of.and_then(|of| of.get(key)).and_then(Json::number);
            STANDINGS.map(|key| number(key).unwrap_or(0.0))
        };
        let mut rows = Vec::new();
        for scope in ["8", "16", "32", "all"] {
            let counts = counted(scope);
            // A compiler without rules has no rows.
            if counts.iter().all(|count| *count == 0.0) {
                continue;
            }
            let mut row = vec![self.profile.to_owned(), scope.to_owned()];
            row.extend(counts.map(|count| format!("{count:.0}")));
            row.extend(answer.costs([f64::INFINITY; 2]));
            rows.push(row);
        }
        let target = RULE_TARGETS.into_iter().find(|(compiler, ..)| *compiler == self.profile);
        let Some((_, least, seconds)) = target else { return Ok(rows) };
        let again = self.verify(&arguments)?;
        let [verified, wrong, crash, ..] = counted("all");
        let count = verified + wrong + crash;
        let total: f64 = counted("all").iter().sum();
        decided.push(vec![
            self.profile.to_owned(),
            format!("{total:.0}"),
            marked(format!("{count:.0} of {least:.0}"), count >= least),
            marked(format!("{:.1} of {seconds:.0}", answer.seconds), answer.seconds <= seconds),
            marked(
                format!("{:.1} of {KEPT_SECONDS:.0}", again.seconds),
                again.seconds <= KEPT_SECONDS,
            ),
        ]);
        Ok(rows)
    }

    /// Makes a row for each file with mutators and one for all, with the number of mutators of each
    /// standing.
    fn transformations(&mut self, coverage: &mut Covered) -> Result<Vec<Vec<String>>, Error> {
        let listed = self.verify(&["--list"])?;
        let files = listed.json.get("files").and_then(Json::members).unwrap_or_default();
        let mut rows = Vec::new();
        let mut total = [0; PROGRAM_STANDINGS.len()];
        for (file, _) in files {
            let arguments =
                ["--only", "mutators", "--timeout", "0.5", "--mutator", &format!("{file}: ")];
            let answer = self.verify(&arguments)?;
            self.keep(Some(file), &answer);
            let own = of_file(file, &answer.json);
            let counts = PROGRAM_STANDINGS
                .map(|name| own.iter().filter(|(_, mutator)| standing(mutator) == name).count());
            for (sum, count) in total.iter_mut().zip(counts) {
                *sum += count;
            }
            coverage.add(file, &answer.json);
            rows.push(row(self.profile, file, &counts, answer.costs(COST_LIMITS)));
        }
        rows.push(row(self.profile, "all", &total, [String::new(), String::new()]));
        Ok(rows)
    }
}

/// The mutators of a file. An answer about one file also has what is not read of the others, and
/// the bodies there that contracts stand for, which count with their own files.
fn of_file<'j>(file: &str, json: &'j Json) -> Vec<&'j (String, Json)> {
    let all = json.get("mutators").and_then(Json::members).unwrap_or_default();
    let is_own = |(name, mutator): &&(String, Json)| {
        let is_here = mutator.get("file").and_then(Json::text).is_none_or(|of| of == file);
        let is_read =
            !name.starts_with(UNREAD) || first_finding(mutator).0.starts_with(&format!("{file}:"));
        is_here && is_read
    };
    all.iter().filter(is_own).collect()
}

fn standing(mutator: &Json) -> &str {
    mutator.get("standing").and_then(Json::text).unwrap_or("unsupported")
}

/// The place and the reason of the finding that decides a mutator's standing.
fn first_finding(mutator: &Json) -> (String, String) {
    let of = |finding: &Json, key: &str| {
        finding.get(key).and_then(Json::text).unwrap_or_default().to_owned()
    };
    let findings = mutator.get("findings").and_then(Json::array).unwrap_or_default();
    let first = findings.iter().find(|finding| of(finding, "kind") == standing(mutator));
    first.map_or_else(Default::default, |finding| (of(finding, "place"), of(finding, "reason")))
}

impl Covered {
    /// Adds the mutators of a file to the counts.
    fn add(&mut self, file: &str, json: &Json) {
        for (name, mutator) in of_file(file, json) {
            let standing = standing(mutator);
            self.mutators += 1;
            self.judged += usize::from(standing != "unsupported");
            self.decided += usize::from(!matches!(
                standing,
                "unsupported" | "bounded" | "undecided" | "partial"
            ));
            if standing != "unsupported" {
                continue;
            }
            let (place, reason) = first_finding(mutator);
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

/// The beginning of the name of text that is not read.
const UNREAD: &str = "text that is not read";

/// The compilers, by the names of their profiles.
const PROFILES: [&str; 5] = ["heterocl", "halide-hls", "halide-to-hardware", "halide", "tvm"];

/// The standings of a mutator, as `halidom verify` counts them.
const PROGRAM_STANDINGS: [&str; 11] = [
    "verified",
    "wrong",
    "crash",
    "type",
    "scope",
    "contract",
    "rejects",
    "partial",
    "bounded",
    "undecided",
    "unsupported",
];

/// The standings of a rule, as `halidom verify` counts them.
const STANDINGS: [&str; 6] =
    ["verified", "wrong", "crash", "undecided", "unsupported", "unreached"];

/// The number of mutants of the mutators' sources.
const MUTANTS: &str = "300";
/// The variable that passes this number to the test.
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
