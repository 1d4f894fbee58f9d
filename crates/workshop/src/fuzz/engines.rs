//! Fuzzing of the validator against the reference engine: on small random programs and on mutants
//! of them, the two must never contradict each other.
//!
//! A pipeline with a schedule is made from a seed ([`halidom_testgen::affine`]). Both engines judge
//! its final program and mutants of that. A program that one engine proves must not be refuted by
//! the other, and must compute the algorithm's values on all cases. All other differences are
//! counted but are not errors, as either engine may know less.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use halidom_base::stack;
use halidom_interp::algorithm::evaluate_within;
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, Pool};
use halidom_testgen::{Mutant, MutantKind, affine, cases, mutants};
use halidom_validate::{Report, Verdict};
use halidom_verdict::{self as verdict, Evidence, Ran};

use super::examine::MOST_EVALUATION;
use super::mutate::observe;
use super::subject::Known;
use super::{FuzzError, judge};
use crate::searched;
use halidom_driver::compile::{Compiled, compile};
use halidom_driver::reference;
use halidom_driver::source::{Choice, parse};

/// The reference engine's operation limit for one step. Programs that need more are left to the
/// validator.
const OPERATIONS: u64 = 50_000;

/// The effort of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The number of programs.
    pub programs: u64,
    /// The first program's seed; the following programs have the following seeds.
    pub seed: u64,
    /// The number of cases that each program runs on.
    pub cases: usize,
    /// The number of mutants of each program.
    pub mutants: usize,
    /// The number of programs that are examined concurrently.
    pub threads: usize,
}

/// Counts of the two engines' verdicts on programs of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Both engines prove the program.
    pub both: u64,
    /// Only the validator proves it.
    pub default_only: u64,
    /// Only the reference engine proves it; the validator's verdict is unknown.
    pub reference_only: u64,
    /// Neither engine proves or refutes it.
    pub neither: u64,
    /// The validator refutes it, and the reference engine does not prove it.
    pub refuted: u64,
}

impl Tally {
    /// The number of all these programs.
    pub fn programs(&self) -> u64 {
        let Self { both, default_only, reference_only, neither, refuted } = self;
        both + default_only + reference_only + neither + refuted
    }

    fn add(&mut self, other: &Self) {
        self.both += other.both;
        self.default_only += other.default_only;
        self.reference_only += other.reference_only;
        self.neither += other.neither;
        self.refuted += other.refuted;
    }
}

/// The numbers of programs tried, with their results.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// Pipelines without a final program, because bounds cannot be inferred.
    pub refused: u64,
    /// Programs whose schedule is illegal, so that the unscheduled form was used.
    pub unscheduled: u64,
    /// Verdicts on unchanged programs.
    pub compiled: Tally,
    /// Verdicts on mutants that a run shows to be wrong.
    pub wrong: Tally,
    /// Verdicts on mutants that no run shows to be wrong.
    pub other: Tally,
    /// The reasons why the reference engine did not prove unchanged programs, with counts.
    pub reasons: BTreeMap<String, u64>,
    /// The time that the validator took.
    pub default_time: Duration,
    /// The time that the reference engine took.
    pub reference_time: Duration,
}

impl Figures {
    fn add(&mut self, other: &Self) {
        let Self {
            refused,
            unscheduled,
            compiled,
            wrong,
            other: rest,
            reasons,
            default_time,
            reference_time,
        } = other;
        self.refused += refused;
        self.unscheduled += unscheduled;
        self.compiled.add(compiled);
        self.wrong.add(wrong);
        self.other.add(rest);
        for (reason, count) in reasons {
            *self.reasons.entry(reason.clone()).or_default() += count;
        }
        self.default_time += *default_time;
        self.reference_time += *reference_time;
    }
}

/// A contradiction: an engine proves a program that the other one refutes, or that a run shows to
/// be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The program's seed.
    pub seed: u64,
    /// The pipeline and its schedule.
    pub text: String,
    /// A description of the change, if it is a mutant.
    pub mutant: Option<String>,
    /// The engine that proves it, and the evidence against that.
    pub what: String,
}

/// The results of a whole run.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The numbers of programs tried.
    pub figures: Figures,
    /// The contradictions, in the order of their seeds.
    pub contradictions: Vec<Contradiction>,
    /// The elapsed time.
    pub time: Duration,
}

impl Outcome {
    /// The verdict; `None` if programs were judged and no engine was contradicted.
    pub fn verdict(&self) -> Option<verdict::Verdict> {
        let evidence = self.contradictions.iter().map(|found| {
            Evidence::of(Ran::Interpreter, "that no engine is contradicted", &*found.what)
        });
        let Figures { compiled, wrong, other, .. } = &self.figures;
        searched::verdict(compiled.programs() + wrong.programs() + other.programs(), evidence)
    }
}

/// The text for a seed: a pipeline and its schedule.
pub fn text(seed: u64) -> String {
    affine(seed)
}

/// Judges programs by both engines. Calls `progress` after each program with the number done.
pub fn run(options: &Options, progress: &mut dyn FnMut(u64)) -> Result<Outcome, FuzzError> {
    let begin = Instant::now();
    let judge = judge()?;
    let mut reference = halidom_reference::Options::new(judge.asking.solver.clone());
    reference.operations = OPERATIONS;
    let engines = Engines { judge, reference };
    let next = AtomicU64::new(0);
    let mut results = BTreeMap::new();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..options.threads.max(1) {
            let (sender, engines, next) = (sender.clone(), &engines, &next);
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= options.programs {
                        break;
                    }
                    let seed = options.seed.wrapping_add(number);
                    let examined = stack::whole(|| engines.examine(options, seed));
                    if sender.send((number, examined)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (number, examined) in receiver {
            results.insert(number, examined);
            progress(results.len() as u64);
        }
    });
    let mut outcome = Outcome::default();
    for (figures, contradictions) in results.into_values() {
        outcome.figures.add(&figures);
        outcome.contradictions.extend(contradictions);
    }
    outcome.time = begin.elapsed();
    Ok(outcome)
}

struct Engines {
    judge: halidom_validate::Options,
    reference: halidom_reference::Options,
}

impl Engines {
    fn examine(&self, options: &Options, seed: u64) -> (Figures, Vec<Contradiction>) {
        let mut figures = Figures::default();
        let mut found = Vec::new();
        let text = affine(seed);
        let mut loaded = parse("random.hal", text.clone());
        let contradiction = |mutant: Option<String>, what: String| Contradiction {
            seed,
            text: text.clone(),
            mutant,
            what,
        };
        if loaded.module.has_errors() || loaded.module.pipelines.is_empty() {
            found.push(contradiction(None, "the front end refuses a valid text".to_owned()));
            return (figures, found);
        }
        let choice = |schedule| Choice { pipeline: 0, schedule };
        let compiled = compile(&mut loaded, &choice(Some(0)), &mut |_, _, _| {});
        figures.unscheduled = u64::from(compiled.is_err());
        let compiled = compiled.or_else(|_| compile(&mut loaded, &choice(None), &mut |_, _, _| {}));
        let Ok(compiled) = compiled else {
            figures.refused += 1;
            return (figures, found);
        };
        let algorithm = loaded.module.pipelines[0].algorithm.clone();
        let pool = &mut loaded.module.pool;
        let known = cases(pool, &algorithm, seed, options.cases);
        let known: Vec<Known> = known
            .into_iter()
            .filter_map(|case| {
                let (bindings, windows) = (&case.bindings, &case.windows);
                let expected =
                    evaluate_within(pool, &algorithm, bindings, windows, MOST_EVALUATION);
                expected.ok().map(|expected| Known { case, expected })
            })
            .collect();
        let kinds = [MutantKind::FINAL, MutantKind::ANNOTATIONS].concat();
        let changed = mutants(pool, &compiled.program, &kinds, seed, options.mutants);
        let own = (None, compiled.program.clone());
        let changed = changed.into_iter().map(|Mutant { kind, program, description, .. }| {
            (Some(format!("{}: {description}", kind.name())), program)
        });
        for (mutant, program) in std::iter::once(own).chain(changed) {
            if verify::program(pool, &program, Phase::Final).is_err() {
                continue;
            }
            let seen =
                known.iter().find_map(|known| observe(pool, &algorithm, &program, known, seed));
            let subject = Compiled { program, ..compiled.clone() };
            let (default, reference) = self.verdicts(pool, &algorithm, &subject, &mut figures);
            let tally = match (&mutant, &seen) {
                (None, _) => &mut figures.compiled,
                (Some(_), Some(_)) => &mut figures.wrong,
                (Some(_), None) => &mut figures.other,
            };
            let proved = |report: &Report| matches!(report.verdict, Verdict::Proved);
            let cell = match (&default.verdict, proved(&reference)) {
                (Verdict::Proved, true) => &mut tally.both,
                (Verdict::Proved, false) => &mut tally.default_only,
                (Verdict::Unknown(_), true) => &mut tally.reference_only,
                (Verdict::Unknown(_), false) => &mut tally.neither,
                (Verdict::Refuted(_), _) => &mut tally.refuted,
            };
            *cell += 1;
            if let (None, Verdict::Unknown(reason)) = (&mutant, &reference.verdict) {
                *figures.reasons.entry(reason.words.clone()).or_default() += 1;
            }
            for (name, report) in
                [("the validator", &default), ("the reference engine", &reference)]
            {
                if !proved(report) {
                    continue;
                }
                if let Some(seen) = &seen {
                    let what = format!("{name} proves it; a run: {seen}");
                    found.push(contradiction(mutant.clone(), what));
                } else if let Verdict::Refuted(run) = &default.verdict {
                    let what = format!("{name} proves it; the validator refutes it: {}", run.got);
                    found.push(contradiction(mutant.clone(), what));
                }
            }
        }
        (figures, found)
    }

    fn verdicts(
        &self,
        pool: &Pool,
        algorithm: &Algorithm,
        compiled: &Compiled,
        figures: &mut Figures,
    ) -> (Report, Report) {
        let Compiled { program, steps, .. } = compiled;
        let begin = Instant::now();
        let default = halidom_validate::validate_refined(
            &mut pool.clone(),
            algorithm,
            steps,
            program,
            &self.judge,
        );
        figures.default_time += begin.elapsed();
        let begin = Instant::now();
        let reference = reference::judge(pool, algorithm, compiled, &self.reference);
        figures.reference_time += begin.elapsed();
        (default, reference)
    }
}
