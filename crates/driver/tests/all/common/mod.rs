//! The examples, with functions that several tests use.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use halidom_diag::{Colours, render};
use halidom_driver::compile::Compiled;
use halidom_driver::judge::{self, judge_within};
use halidom_driver::source::{self, Choice, Loaded};
use halidom_ir::{Algorithm, Array, Pool};
use halidom_validate::{Options, Report, Status};

/// The examples' names.
pub(crate) const EXAMPLES: [&str; 6] =
    ["blur", "box_blur", "gemm", "harris", "histogram", "unsharp"];

/// Every `.hal` file under `examples/`, by name.
pub(crate) fn every_example() -> Vec<(String, PathBuf)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut found = Vec::new();
    for folder in [root.clone(), root.join("applications")] {
        for entry in std::fs::read_dir(folder).expect("the folder exists") {
            let path = entry.expect("it can be listed").path();
            if path.extension().is_some_and(|extension| extension == "hal") {
                let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
                found.push((name, path));
            }
        }
    }
    found.sort();
    found
}

/// Every example and program of Table 1, with its text.
pub(crate) fn every_program() -> Vec<(String, String)> {
    let mut paths = every_example();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/table1");
    for entry in std::fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_some_and(|extension| extension == "hal") {
            let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
            paths.push((format!("table1/{name}"), path));
        }
    }
    paths.sort();
    let read = |path: &Path| std::fs::read_to_string(path).expect("it can be read");
    paths.into_iter().map(|(name, path)| (name, read(&path))).collect()
}

/// The text of an example.
pub(crate) fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path.with_extension("hal")).expect("the example exists")
}

/// Parses a text that has no errors.
pub(crate) fn load(name: &str, text: &str) -> Loaded {
    let loaded = source::parse(name, text);
    let report: Vec<String> = loaded
        .module
        .diagnostics
        .iter()
        .map(|diagnostic| render(&loaded.sources, diagnostic, Colours::Never))
        .collect();
    assert!(!loaded.module.has_errors(), "{}\n{text}", report.concat());
    loaded
}

/// The choices of the first pipeline under every schedule, the unscheduled form first.
pub(crate) fn choices(loaded: &Loaded) -> Vec<Choice> {
    let count = loaded.module.pipelines[0].schedules.len();
    std::iter::once(None)
        .chain((0..count).map(Some))
        .map(|schedule| Choice { pipeline: 0, schedule })
        .collect()
}

/// Validation options with the installed solver and a timeout for a busy machine.
pub(crate) fn options() -> Options {
    let solver = halidom_smt::Program::find(halidom_smt::Family::Z3, None);
    let mut options = Options::new(solver.expect("a solver is installed"));
    options.asking.timeout = Duration::from_mins(1);
    // No test here is about entry checks that are too strict.
    options.strictness = Duration::ZERO;
    options
}

/// Like [`options`], without runs: obligations that stay open are no refutation.
pub(crate) fn unsearched() -> Options {
    let mut options = options();
    options.search.runs = 0;
    options
}

/// Judges a compiled program, without the search for entry checks that are too strict: no test here
/// is about them.
pub(crate) fn judge(
    pool: &Pool,
    algorithm: &Algorithm,
    compiled: &Compiled,
    options: &judge::Options,
) -> Report {
    judge_within(pool, (algorithm, compiled), options, &|own| own.strictness = Duration::ZERO)
}

/// Tests whether all that a compiled program owes is shown. No run is made, so that no refutation
/// hides a wrong proof.
pub(crate) fn is_shown(pool: &Pool, algorithm: &Algorithm, compiled: &Compiled) -> bool {
    let options = judge::Options::find().expect("a solver is installed");
    let report = judge_within(pool, (algorithm, compiled), &options, &|own| {
        own.strictness = Duration::ZERO;
        own.search.runs = 0;
    });
    !report.obligations.is_empty() && report.open().next().is_none()
}

/// The number of distinct values: an image that came out black or empty has one or none.
pub(crate) fn distinct(array: &Array) -> usize {
    let mut bits: Vec<_> =
        array.points().filter_map(|point| array.get(&point)?.to_bits()).collect();
    bits.sort_unstable();
    bits.dedup();
    bits.len()
}

/// The open obligations of a report, one per line.
pub(crate) fn open(report: &Report) -> String {
    let mut text = String::new();
    for obligation in report.open() {
        let Status::Open(reason) = &obligation.status else { continue };
        let reason: String = reason.words.chars().take(300).collect();
        writeln!(text, "{}: {}: {reason}", obligation.kind.name(), obligation.place)
            .expect("strings grow");
    }
    text
}

/// Does a job for each item on two threads. Returns the results in the order of the items.
pub(crate) fn in_parallel<I: Sync, R: Send>(items: &[I], job: impl Fn(&I) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let number = {
                        let mut next = next.lock().expect("no job panics while it counts");
                        *next += 1;
                        *next - 1
                    };
                    let Some(item) = items.get(number) else { break };
                    let result = job(item);
                    results.lock().expect("no job panics while it writes").push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("no job panicked while it wrote");
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
