//! Examination of one program: its algorithm, its schedules step by step, the final form of each,
//! and the validator's verdict on that.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use halidom_codegen::Toolchain;
use halidom_diag::{Colours, Diagnostic, render};
use halidom_halide::translate::Contract;
use halidom_interp::algorithm::evaluate_within;
use halidom_ir::{Action, Schedule};
use halidom_schedule::Oracle;
use halidom_testgen::cases;
use halidom_validate::{Verdict, validate_refined};

use super::disagreement::{Disagreement, Kind, Undecided, Wrong};
use super::features::features;
use super::figures::{Figures, Part, Slowest, Spent};
use super::mutate;
use super::native::{self, Job};
use super::options::Options;
use super::runs::{Ended, counterexample_inputs, described, interpreted};
use super::steps::{LEGALITY_STEPS, Last, Steps};
use super::subject::{Known, Subject};
use halidom_driver::compile::{Compiled, Finished, compile, finish};
use halidom_driver::source::{Choice, Loaded, parse};

/// Codes of diagnostics that report a defect of ours.
const DEFECTS: [&str; 2] = ["HAL0701", "HAL0905"];
/// The step limit for evaluating an algorithm on a case. Lemma 4.6 states that the evaluation
/// terminates.
pub(super) const MOST_EVALUATION: u64 = 20_000_000;

/// Examines programs.
pub(super) struct Examiner<'a> {
    pub(super) options: &'a Options,
    pub(super) judge: Option<halidom_validate::Options>,
    pub(super) toolchain: Option<Toolchain>,
}

/// The results of examining a program.
#[derive(Default)]
pub(super) struct Examined {
    pub(super) figures: Figures,
    pub(super) disagreements: Vec<Disagreement>,
    pub(super) undecided: Vec<Undecided>,
    pub(super) spent: Spent,
    pub(super) slowest: Slowest,
}

impl Examined {
    pub(super) fn add(&mut self, other: Self) {
        self.figures.add(&other.figures);
        self.disagreements.extend(other.disagreements);
        self.undecided.extend(other.undecided);
        self.spent.add(&other.spent);
        self.slowest.add(other.slowest);
    }
}

impl Examiner<'_> {
    /// Examines a program under each of its schedules, or without one if it has none. Returns the
    /// jobs of native code for the caller to compile and run. A panic anywhere is a finding like
    /// any other.
    pub(super) fn subject(&self, subject: &Subject) -> (Examined, Vec<Job>) {
        let mut examined = Examined::default();
        let mut jobs = Vec::new();
        examined.figures.programs = 1;
        let subject = Rc::new(subject.clone());
        let mut spent = Spent::default();
        let begun = spent.on(Part::Algorithm, || caught(|| self.begin(&subject)));
        examined.spent.add(&spent);
        let (loaded, known) = match begun {
            Ok((loaded, known)) => (loaded, Rc::from(known)),
            Err(wrong) => {
                examined.disagreements.push(subject.disagreement(None, wrong));
                return (examined, jobs);
            }
        };
        let pipeline = &loaded.module.pipelines[0];
        features(&loaded.module.pool, &pipeline.algorithm, &mut examined.figures.features);
        let schedules = pipeline.schedules.len();
        let choices: Vec<Option<usize>> =
            if schedules == 0 { vec![None] } else { (0..schedules).map(Some).collect() };
        for schedule in choices {
            let choice = Choice { pipeline: 0, schedule };
            let name = loaded.schedule_of(&choice).name;
            let result =
                caught(|| self.schedule(&loaded, &choice, (&subject, &known), &mut examined));
            match result {
                Ok(job) => jobs.extend(job),
                Err(wrong) => {
                    examined.disagreements.push(subject.disagreement(Some(name), wrong));
                }
            }
        }
        (examined, jobs)
    }

    /// Compiles and runs native code.
    pub(super) fn natively(
        &self,
        jobs: &[Job],
        figures: &mut Figures,
        spent: &mut Spent,
    ) -> Vec<Disagreement> {
        match &self.toolchain {
            Some(toolchain) if !jobs.is_empty() => native::examine(toolchain, jobs, figures, spent),
            Some(_) | None => Vec::new(),
        }
    }

    /// Parses the text and evaluates the algorithm on its cases.
    fn begin(&self, subject: &Subject) -> Result<(Loaded, Vec<Known>), Wrong> {
        let loaded = parse("random.hal", subject.text.clone());
        if loaded.module.has_errors() || loaded.module.pipelines.is_empty() {
            return Err(Wrong::of(
                Kind::FrontEnd,
                format!(
                    "the front end refuses a valid text:\n{}",
                    rendered(&loaded, &loaded.module.diagnostics)
                ),
            ));
        }
        let (pool, algorithm) = (&loaded.module.pool, &loaded.module.pipelines[0].algorithm);
        let mut known = Vec::new();
        for case in cases(pool, algorithm, subject.seed, self.options.cases) {
            match evaluate_within(pool, algorithm, &case.bindings, &case.windows, MOST_EVALUATION) {
                Ok(expected) => known.push(Known { case, expected }),
                Err(error) => {
                    return Err(Wrong {
                        kind: Kind::NoValue,
                        what: format!("the algorithm has no value where it should: {error}"),
                        inputs: Some(described(pool, algorithm, &case)),
                    });
                }
            }
        }
        Ok((loaded, known))
    }

    /// Examines a schedule: the final form of its last legal step, and the verdict on that. Returns
    /// the job of native code, if one is due.
    fn schedule(
        &self,
        loaded: &Loaded,
        choice: &Choice,
        (subject, known): (&Rc<Subject>, &Rc<[Known]>),
        examined: &mut Examined,
    ) -> Result<Option<Job>, Wrong> {
        let algorithm = &loaded.module.pipelines[choice.pipeline].algorithm;
        let Examined { figures, undecided, spent, .. } = examined;
        let seed = subject.seed;
        let steps = Steps {
            pool: &loaded.module.pool,
            algorithm,
            known,
            seed,
            completions: self.options.completions,
        };
        let schedule = loaded.schedule_of(choice);
        let mut oracle = Oracle::limited(LEGALITY_STEPS);
        let last = steps.examine(&schedule, &mut oracle, figures, spent)?;
        if last.as_ref().is_none_or(|last| !last.is_whole) {
            // A schedule that was not decided within the limit may be legal.
            refused(loaded, choice, oracle.gave_up())?;
        }
        let Some(Last { mut pool, structured, rewritten, schedule, .. }) = last else {
            figures.refused += 1;
            return Ok(None);
        };
        count(&schedule, figures);
        let program =
            spent.on(Part::Lowering, || finish(&mut pool, &structured, &mut |_, _, _| {}));
        let Finished { program, stages } = match program {
            Ok(finished) => finished,
            // There are too many copies or lanes.
            Err(diagnostics) if sound(&diagnostics) => {
                figures.refused += 1;
                return Ok(None);
            }
            Err(diagnostics) => {
                return Err(Wrong::of(Kind::Lowering, rendered(loaded, &diagnostics)));
            }
        };
        figures.compiles += 1;
        let contract = Contract::default();
        let steps = rewritten;
        let compiled = Compiled { structured, program, steps, contract, said: None, stages };
        for known in known.iter() {
            spent.on(Part::Interpreter, || both_forms(&pool, algorithm, &compiled, known, seed))?;
        }
        let program = &compiled.program;
        let number = choice.schedule.map_or(0, |number| 1 + number as u64);
        let turn = seed.wrapping_mul(self.options.schedules.max(1)).wrapping_add(number);
        let is_validated = turn.is_multiple_of(self.options.validate_one_in.max(1));
        if let Some(judge) = self.judge.as_ref().filter(|_| is_validated) {
            if self.options.mutants > 0 {
                let limits = (self.options.mutants, seed);
                let algorithms = (algorithm, compiled.steps.as_slice());
                let survivors = || {
                    mutate::survivors(&mut pool.clone(), algorithms, program, limits, known, judge)
                };
                figures.mutants += spent.on(Part::Mutants, survivors)?;
            }
            let report = spent.on(Part::Validator, || {
                validate_refined(&mut pool.clone(), algorithm, &compiled.steps, program, judge)
            });
            match report.verdict {
                Verdict::Proved => figures.proved += 1,
                Verdict::Unknown(reason) => {
                    figures.unknown += 1;
                    let schedule = schedule.name.clone();
                    undecided.push(Undecided { seed, schedule, reason: reason.words });
                }
                Verdict::Refuted(counterexample) => {
                    return Err(Wrong {
                        kind: Kind::Refuted,
                        what: format!(
                            "at {:?} {:?} expected {}, got {}",
                            counterexample.output,
                            counterexample.coords,
                            counterexample.expected,
                            counterexample.got
                        ),
                        inputs: Some(counterexample_inputs(&counterexample)),
                    });
                }
            }
        }
        if self.toolchain.is_none() || !turn.is_multiple_of(self.options.native_one_in.max(1)) {
            return Ok(None);
        }
        let (algorithm, Compiled { program, .. }) = (algorithm.clone(), compiled);
        let job = || Job::new((subject, known), schedule.name, pool, algorithm, program, number);
        spent.on(Part::Printing, job).map(Some)
    }
}

/// Runs a program before and after lowering. Both must give the algorithm's values, or an entry
/// check must refuse both.
fn both_forms(
    pool: &halidom_ir::Pool,
    algorithm: &halidom_ir::Algorithm,
    compiled: &Compiled,
    known: &Known,
    seed: u64,
) -> Result<(), Wrong> {
    let lowered = compiled.lowered(algorithm);
    let run = |program, kind| interpreted(pool, lowered, program, known, seed, kind);
    let structured = run(&compiled.structured, Kind::Step)?;
    let last = run(&compiled.program, Kind::Final)?;
    if (structured == Ended::Refused) != (last == Ended::Refused) {
        return Err(Wrong {
            kind: Kind::EntryChecks,
            what: format!("before lowering: {structured:?}, after: {last:?}"),
            inputs: Some(described(pool, algorithm, &known.case)),
        });
    }
    Ok(())
}

/// Tests whether diagnostics describe errors that the user can repair: each has a message and a
/// hint, and none reports a defect of ours.
fn sound(diagnostics: &[Diagnostic]) -> bool {
    let is_sound = |diagnostic: &Diagnostic| {
        !DEFECTS.contains(&diagnostic.code.0)
            && !diagnostic.message.is_empty()
            && diagnostic.hint.is_some()
    };
    !diagnostics.is_empty() && diagnostics.iter().all(is_sound)
}

/// Checks that a schedule whose last step is refused is refused as a whole, with a proper
/// diagnostic. A schedule that `may_be_legal` may also be accepted.
fn refused(loaded: &Loaded, choice: &Choice, may_be_legal: bool) -> Result<(), Wrong> {
    let mut loaded = loaded.clone();
    let diagnostics = match compile(&mut loaded, choice, &mut |_, _, _| {}) {
        Err(diagnostics) => diagnostics,
        Ok(_) if may_be_legal => return Ok(()),
        Ok(_) => {
            let what = "the last step is refused, the whole schedule is not";
            return Err(Wrong::of(Kind::Refusal, what));
        }
    };
    // Only bounds that cannot be inferred may prevent the unscheduled form: they are the
    // algorithm's fault.
    let of_bounds = diagnostics.iter().all(|diagnostic| diagnostic.message.contains("bound"));
    if sound(&diagnostics) && (choice.schedule.is_some() || of_bounds) {
        return Ok(());
    }
    let told = rendered(&loaded, &diagnostics);
    Err(Wrong::of(Kind::Refusal, format!("it is refused without a proper diagnostic:\n{told}")))
}

/// Counts the directives of a schedule, including nested ones.
fn count(schedule: &Schedule, figures: &mut Figures) {
    for directive in &schedule.directives {
        *figures.directives.entry(directive.action.name()).or_default() += 1;
        if let Action::Specialize { directives, .. } = &directive.action {
            for inner in directives {
                *figures.directives.entry(inner.action.name()).or_default() += 1;
            }
        }
    }
}

/// Turns a panic into a finding.
fn caught<T>(job: impl FnOnce() -> Result<T, Wrong>) -> Result<T, Wrong> {
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(result) => result,
        Err(payload) => Err(Wrong::of(Kind::Panic, message(payload.as_ref()))),
    }
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

fn rendered(loaded: &Loaded, diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| render(&loaded.sources, diagnostic, Colours::Never))
        .collect()
}
