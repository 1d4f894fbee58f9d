//! Runs stock Halide's compilations in three ways: by the literal machine, by the interpreter of
//! the translation, and as compiled code.
//!
//! `cargo xtask agree` examines everything (`tests/halide`, Table 1, random programs), with 60
//! cases each; a test run examines a part.

#![expect(clippy::print_stdout, reason = "tables are printed")]

mod kinds;
mod values;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use halidom_driver::stock::{self, Request, Stock, bridge};
use halidom_workshop::stock::{Agreement, Effort, agree, fuzz};

/// An environment variable: if it is set, everything is examined.
const ALL: &str = "HALIDOM_AGREE";
/// An environment variable: only things whose names contain one of its parts between commas are
/// examined; a part with a `$` at its end is a whole name.
const ONLY: &str = "HALIDOM_AGREE_ONLY";
/// An environment variable: the number of random programs.
const PROGRAMS: &str = "HALIDOM_AGREE_PROGRAMS";

/// The scripts that a test run examines.
const FEW: [&str; 3] = ["async_producer", "gpu_shared_memory", "tail_predicate"];
/// The rows of Table 1 that a test run examines, and the rows whose smallest run takes the
/// interpreter too long.
const FEW_ROWS: [&str; 1] = ["blur"];
const LONG_ROWS: [&str; 4] = ["conv", "sc1", "sc32", "cmm1024"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn is_whole() -> bool {
    std::env::var_os(ALL).is_some()
}

fn is_wanted(name: &str) -> bool {
    let is_named = |part: &str| match part.strip_suffix('$') {
        Some(whole) => name == whole,
        None => name.contains(part),
    };
    std::env::var(ONLY).map_or(true, |only| only.split(',').any(is_named))
}

fn has_halide() -> bool {
    let is_there = bridge::find().is_ok_and(|python| {
        let probe = Command::new(python).args(["-c", "import halide"]).output();
        probe.is_ok_and(|output| output.status.success())
    });
    if !is_there {
        println!("skipped: there is no Python with Halide");
    }
    is_there
}

fn effort() -> Effort {
    let cases = if is_whole() { 60 } else { 8 };
    Effort { seed: 7, cases, elements: 1 << 14, runs_code: true }
}

/// The sums over a table.
#[derive(Default)]
struct Sums {
    statements: usize,
    cases: usize,
    with_interpreter: usize,
    with_code: usize,
    under_conditions: BTreeMap<String, usize>,
    passed_over: BTreeMap<String, usize>,
    not_taken: BTreeMap<String, usize>,
    different: Vec<String>,
}

impl Sums {
    fn add(&mut self, name: &str, agreement: Result<Agreement, String>) {
        let agreement = match agreement {
            Ok(agreement) => agreement,
            Err(words) => {
                println!("{name:<34} not taken: {words}");
                *self.not_taken.entry(words).or_default() += 1;
                return;
            }
        };
        let Agreement {
            cases,
            with_interpreter,
            with_code,
            under_conditions,
            passed_over,
            differences,
        } = agreement;
        self.statements += 1;
        self.cases += cases;
        self.with_interpreter += with_interpreter;
        self.with_code += with_code;
        println!(
            "{name:<34} {cases:>4} cases, {with_interpreter:>4} = interpreter, {with_code:>4} = \
                compiled code"
        );
        for (kind, count) in under_conditions {
            println!("{:<34} {count:>4} under the conditions of a verdict: {kind}", "");
            *self.under_conditions.entry(kind).or_default() += count;
        }
        for (reason, count) in passed_over {
            println!("{:<34} {count:>4} passed over: {reason}", "");
            *self.passed_over.entry(reason).or_default() += count;
        }
        for difference in differences {
            println!("{:<34} DIFFERS {difference}", "");
            self.different.push(format!("{name}: {difference}"));
        }
    }

    /// Prints the sums and fails if there are differences.
    fn finish(&self, title: &str) {
        println!(
            "{title}: {} statements, {} cases; {} comparisons of machine and interpreter, {} of \
                machine and compiled code; {} differences",
            self.statements,
            self.cases,
            self.with_interpreter,
            self.with_code,
            self.different.len()
        );
        for (what, counts) in [
            ("compared under the conditions of a verdict", &self.under_conditions),
            ("passed over", &self.passed_over),
            ("statements not taken", &self.not_taken),
        ] {
            for (reason, count) in counts {
                println!("{count} {what}: {reason}");
            }
        }
        assert!(self.different.is_empty(), "{}", self.different.join("\n"));
    }
}

/// Reads the compilation of a request.
fn read(request: &Request) -> Result<Stock, String> {
    stock::read(request).map_err(|refusal| {
        let messages = refusal.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str());
        messages.collect::<Vec<_>>().join("; ")
    })
}

fn scripts(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/halide").join(folder);
    let entries = std::fs::read_dir(folder).expect("it can be listed");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|extension| extension == "py")).collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    path.file_stem().expect("it has a name").to_string_lossy().into_owned()
}

#[test]
fn scripts_agree() {
    if !has_halide() {
        return;
    }
    let mut sums = Sums::default();
    let paths = ["pipelines", "repaired", "miscompiled"].into_iter().flat_map(scripts);
    for path in paths {
        let name = name(&path);
        if !is_wanted(&name) || !(is_whole() || FEW.contains(&name.as_str())) {
            continue;
        }
        let request = Request::of_job(bridge::Job::of(bridge::Origin::Script(path)));
        let is_gpu = name.starts_with("gpu");
        let agreement = read(&request).and_then(|stock| {
            // A GPU pipeline's code needs a GPU, so it does not run.
            agree(&stock, &Effort { runs_code: !is_gpu, ..effort() })
        });
        sums.add(&name, agreement);
    }
    let is_compared = sums.with_interpreter > 0 && sums.with_code > 0;
    assert!(is_compared || std::env::var_os(ONLY).is_some(), "nothing was compared");
    sums.finish("scripts");
}

#[test]
fn table_1_agrees() {
    let folder = root().join("../shared/halide21/table1");
    if !folder.is_dir() {
        println!("skipped: there is no folder {}", folder.display());
        return;
    }
    let runs_code = has_halide();
    let mut sums = Sums::default();
    let entries = std::fs::read_dir(&folder).expect("it can be listed");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .filter(|name| is_whole() || FEW_ROWS.contains(&name.as_str()))
        .filter(|name| is_wanted(name))
        .collect();
    names.sort();
    for name in names {
        if LONG_ROWS.contains(&name.as_str()) {
            println!("{name:<34} passed over: its least run is too long for the interpreter");
            continue;
        }
        let own = folder.join(&name);
        let mut request = Request {
            statement: Some(own.join("stock.stmt")),
            ..Request::of(&own.join(&name).with_extension("hlpipe"))
        };
        if name.ends_with("_strict") {
            request.job.target = Some("host-strict_float".to_owned());
        }
        let effort = Effort { runs_code, elements: 1 << 16, ..effort() };
        let agreement = read(&request).and_then(|stock| agree(&stock, &effort));
        sums.add(&name, agreement);
    }
    sums.finish("Table 1");
}

#[test]
fn random_programs_agree() {
    if !has_halide() {
        return;
    }
    let programs = std::env::var(PROGRAMS).ok().and_then(|count| count.parse().ok());
    let programs = programs.unwrap_or(if is_whole() { 500 } else { 3 });
    let mut sums = Sums::default();
    let name = |seed: u64| format!("seed {seed}");
    let is_wanted = |seed| is_wanted(&name(seed));
    let figures = fuzz::each_stock(11, programs, &is_wanted, &mut |seed, stock| {
        sums.add(&name(seed), agree(stock, &effort()));
    });
    figures.expect("Halide is there");
    sums.finish("random programs");
}
