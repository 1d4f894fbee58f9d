//! Fuzzing of stock Halide with random programs under random schedules: compares its output with
//! its own pipeline file.
//!
//! `testgen` makes a program from a seed. The program is printed as a Python script, and the
//! installed Halide compiles it, without the directives that it refuses. The validator judges the
//! statement, and its counterexample search runs it. The compiled code runs on random cases. A
//! [`Finding`] is a statement or code that differs. Start with [`run`].

mod examine;
mod figures;
mod finding;
mod stocks;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use halidom_base::stack;
use halidom_halide::bridge::BridgeError;
use halidom_smt::FindError;
use halidom_verdict::{Evidence, Ran, Verdict};

use crate::{reduce, searched};

pub use figures::Figures;
pub use finding::{Finding, Kind};
pub use stocks::each_stock;

/// The effort of a fuzzing run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of programs.
    pub programs: u64,
    /// The first program's seed; the following programs have the following seeds.
    pub seed: u64,
    /// The number of cases to run each program's compiled code on.
    pub cases: usize,
    /// The number of concurrent processes of Halide.
    pub threads: usize,
    /// After this many findings no further program is started.
    pub stop_after: usize,
    /// True if findings are shrunk.
    pub shrink: bool,
}

/// The results of a fuzzing run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Counts of the tried programs.
    pub figures: Figures,
    /// The findings, in the order of their seeds.
    pub findings: Vec<Finding>,
    /// The elapsed time.
    pub time: Duration,
}

impl Outcome {
    /// The verdict; `None` if statements were judged and nothing was found.
    pub fn verdict(&self) -> Option<Verdict> {
        let evidence = self.findings.iter().map(|found| {
            let what = format!("{}: {}", found.kind.name(), found.what);
            Evidence::of(Ran::CompiledCode, "what the program says", what)
        });
        let Figures { proved, refuted, unknown, .. } = &self.figures;
        searched::verdict(proved + refuted + unknown.values().sum::<u64>(), evidence)
    }
}

/// The reason why fuzzing cannot start.
#[derive(Debug, thiserror::Error)]
pub enum FuzzError {
    /// There is no solver.
    #[error(transparent)]
    Solver(#[from] FindError),
    /// There is no Halide.
    #[error(transparent)]
    Halide(#[from] BridgeError),
}

/// The number of programs that one process of Halide compiles, one after the other.
const BATCH: u64 = 16;
/// The number of cases for the code of a program that is given as a text.
const CASES: usize = 4;
/// The number of texts that are tried to shrink a finding.
const TRIES: usize = 60;

/// Tries programs until all are done or enough findings are made. Calls `progress` from time to
/// time.
pub fn run(options: &Options, progress: &mut dyn FnMut(&Figures)) -> Result<Outcome, FuzzError> {
    let begin = Instant::now();
    let examiner = examine::Examiner::new(options.cases)?;
    let next = AtomicU64::new(0);
    let found = AtomicUsize::new(0);
    let mut outcome = Outcome::default();
    let mut failed = None;
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..options.threads.max(1) {
            let (sender, examiner, next, found) = (sender.clone(), &examiner, &next, &found);
            scope.spawn(move || {
                loop {
                    let first = next.fetch_add(1, Ordering::Relaxed) * BATCH;
                    let enough = found.load(Ordering::Relaxed) >= options.stop_after;
                    if first >= options.programs || enough {
                        break;
                    }
                    let last = (first + BATCH).min(options.programs);
                    let seeds = (first..last).map(|number| options.seed.wrapping_add(number));
                    let texts = seeds.map(|seed| (seed, crate::fuzz::text(seed, 1))).collect();
                    let examined = stack::whole(|| examiner.examine(texts));
                    if let Ok((_, findings)) = &examined {
                        found.fetch_add(findings.len(), Ordering::Relaxed);
                    }
                    let is_over = examined.is_err();
                    if sender.send(examined).is_err() || is_over {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for examined in receiver {
            match examined {
                Ok((figures, findings)) => {
                    outcome.figures.add(figures);
                    outcome.findings.extend(findings);
                    progress(&outcome.figures);
                }
                Err(error) => failed = Some(error),
            }
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    outcome.findings.sort_by_key(|finding| finding.seed);
    if options.shrink {
        for finding in &mut outcome.findings {
            finding.small = shrink(&examiner, finding, TRIES);
        }
    }
    outcome.time = begin.elapsed();
    Ok(outcome)
}

/// Tries one program that is given as a text, and shrinks its findings with at most `tries` texts.
pub fn run_text(text: &str, tries: usize) -> Result<Outcome, FuzzError> {
    let begin = Instant::now();
    let examiner = examine::Examiner::new(CASES)?;
    let (figures, mut findings) = examiner.examine(vec![(0, text.to_owned())])?;
    for finding in &mut findings {
        finding.small = shrink(&examiner, finding, tries);
    }
    Ok(Outcome { figures, findings, time: begin.elapsed() })
}

/// The script of the smallest program with a finding of the same kind.
fn shrink(examiner: &examine::Examiner, found: &Finding, tries: usize) -> Option<String> {
    let mut small = None;
    let mut seen = |text: &str| {
        let examined = examiner.examine(vec![(found.seed, text.to_owned())]);
        let Ok((_, findings)) = examined else { return false };
        let same = findings.into_iter().find(|other| other.kind == found.kind);
        let is_same = same.is_some();
        if let Some(same) = same {
            small = Some(same.script);
        }
        is_same
    };
    reduce::reduce(&found.text, reduce::Options { tries }, &mut seen);
    small
}

/// The script of the random program with a seed.
///
/// # Errors
///
/// Returns the reason if the program has no script.
pub fn script(seed: u64) -> Result<String, String> {
    examine::script_of(&crate::fuzz::text(seed, 1))
}

/// Writes the files of a finding to a subfolder, including Halide's artifacts for its smallest
/// script.
pub fn keep(
    found: &Finding,
    folder: &std::path::Path,
) -> Result<PathBuf, halidom_driver::files::FileError> {
    examine::keep(found, folder)
}
