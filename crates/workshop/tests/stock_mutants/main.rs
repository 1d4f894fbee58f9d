//! Statements of stock Halide's compiler with one structural defect each: none that the literal
//! machine shows to be wrong is proved.
//!
//! A test run makes one defect of each kind in a few statements. `cargo xtask mutants --stock`
//! makes several thousand in more than a hundred statements, and prints a table by kind.

#![expect(clippy::print_stdout, reason = "tables are printed")]

#[path = "../../../driver/tests/all/common/mod.rs"]
mod common;
mod result;
mod statements;
mod sweep;
mod table;
mod verdict;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use halidom_workshop::stock::mutants::KINDS;

use result::Verdict;
use sweep::{Options, sweep};

/// An environment variable: the number of mutants over all statements. Without it the test examines
/// a few.
const MUTANTS: &str = "HALIDOM_STOCK_MUTANTS";
/// Further environment variables: parts of the names of the statements and of the kinds to examine,
/// and a flag to print a line for each mutant.
const OF: &str = "HALIDOM_STOCK_MUTANTS_OF";
const KIND: &str = "HALIDOM_STOCK_MUTANTS_KIND";
const TOLD: &str = "HALIDOM_STOCK_MUTANTS_TOLD";
/// Another environment variable: the code of one in this many refuted mutants is run.
const REPLAYED: &str = "HALIDOM_STOCK_MUTANTS_REPLAYED";
/// The default value of [`REPLAYED`].
const USUALLY_REPLAYED: usize = 5;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The statements of a test run: together they have a site of nearly every kind.
const FEW: [&str; 6] = [
    "async_producer",
    "gpu_shared_memory",
    "strict_floats",
    "tail_predicate_stores",
    "scan",
    "sdot",
];
/// The number of mutants from which six in ten of the wrong ones must be refuted.
const WHOLE: usize = 5_000;
/// The number of kinds that have at least one site in these statements.
const FEW_KINDS: usize = 80;

#[test]
fn no_statement_that_the_machine_shows_to_be_wrong_is_proved() {
    let place = tempfile::tempdir().expect("there is room");
    let wanted = variable(MUTANTS).map(|text| text.parse::<usize>().expect("a number"));
    let statements = match wanted {
        Some(_) => statements::all(place.path()),
        None => statements::few(&FEW),
    };
    if statements.is_empty() {
        println!("skipped: there is neither a Python with Halide nor ../shared/halide21");
        return;
    }
    let options = Options {
        mutants: wanted,
        kind: variable(KIND).unwrap_or_default(),
        is_told: variable(TOLD).is_some(),
        replayed: match (wanted, variable(REPLAYED)) {
            (None, _) => 0,
            (Some(_), None) => USUALLY_REPLAYED,
            (Some(_), Some(text)) => text.parse().expect("a number"),
        },
        // A test run keeps no state, so it examines everything anew.
        state: wanted.map(|_| root().join("target/stock-mutants")),
        findings: wanted.map(|_| root().join("findings/stock-mutants")),
    };
    let swept = sweep(&statements, &options);
    let text = table::table(&swept);
    println!("{text}");
    if let Some(folder) = &options.state {
        std::fs::create_dir_all(folder).expect("there is room");
        std::fs::write(folder.join("table.md"), &text).expect("there is room");
    }
    let wrong: Vec<String> = swept
        .results
        .iter()
        .filter(|result| result.is_wrong && result.verdict == Verdict::Proved)
        .map(|result| {
            format!("{}: {} #{}: {}", result.statement, result.kind, result.number, result.observed)
        })
        .collect();
    if wanted.is_none() && swept.proved == FEW.len() {
        let kinds: BTreeSet<&str> = swept.results.iter().map(|result| &*result.kind).collect();
        assert!(kinds.len() >= FEW_KINDS, "{} kinds", kinds.len());
    }
    assert!(wrong.is_empty(), "proved, and wrong:\n{}", wrong.join("\n"));
    let (observable, refuted) = swept.observable();
    let is_whole = wanted.is_some_and(|wanted| wanted >= WHOLE);
    assert!(!is_whole || refuted * 10 >= observable * 6, "{refuted} of {observable} are refuted");
}

#[test]
fn kinds_have_names_of_their_own() {
    let kinds: Vec<_> = KINDS.iter().copied().flatten().collect();
    assert!(kinds.len() >= 40);
    let names: BTreeSet<&str> = kinds.iter().map(|kind| kind.name).collect();
    assert_eq!(names.len(), kinds.len());
    assert!(kinds.iter().all(|kind| !kind.what.is_empty()));
}
