//! The outputs with which those of all candidates are compared.

use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_codegen::Toolchain;
use halidom_driver::data::Prepared;
use halidom_driver::execute;
use halidom_driver::source::{Choice, DEFAULT_SCHEDULE, Loaded};
use halidom_ir::Schedule;
use halidom_lang::print_schedule;
use halidom_verdict::Verdict;

use super::demands::move_inwards;
use super::error::TuneError;
use super::facts::Facts;
use super::form::{self, Built, Expected, Failure, Form, words};
use super::model::Model;
use super::moves::number;
use super::options::Options;
use super::processor;
use super::propose::{Proposal, propose};
use super::search::Unscheduled;
use crate::bench::Likeness;

/// If a run of the unscheduled form is at most this long, the interpreter provides the expected
/// outputs.
const CHEAP: Duration = Duration::from_micros(300);
/// The least time limit for the run.
const LEAST: Duration = Duration::from_secs(10);
/// The estimated nanoseconds from which on a proposal takes the place of the unscheduled form, and
/// the factor by which its estimate has to be lower.
const LONG: f64 = 2e9;
const WORTH: f64 = 4.0;
/// The time for that proposal, and for its compile.
const PROPOSING: Duration = Duration::from_secs(1);
const COMPILE: Duration = Duration::from_secs(8);

/// The source of the expected outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The interpreter of the algorithm itself.
    Interpreter,
    /// The native unscheduled form, which is proved.
    Unscheduled,
    /// The native unscheduled form, on which the validator could not decide, with its reason.
    Undecided(String),
    /// A native proposal that is proved: the unscheduled form would take too long.
    Proposed,
}

/// The expected results, with their source.
pub(super) struct Right {
    pub(super) expected: Arc<Expected>,
    pub(super) reference: Reference,
    /// The unscheduled form, unless a proposal took its place.
    pub(super) unscheduled: Option<Unscheduled>,
    /// The time of its compile.
    pub(super) compiled_in: Duration,
    pub(super) validated_in: Duration,
}

/// Runs the unscheduled form, or a proved proposal if that form would take too long.
pub(super) fn expected(
    loaded: &mut Loaded,
    options: &Options,
    toolchain: &Toolchain,
    prepared: &Arc<Prepared>,
    progress: &mut dyn FnMut(&str),
) -> Result<Right, TuneError> {
    if let Some(proposal) = proposed(loaded, options, toolchain, prepared, progress)
        && let Some(right) = proved(proposal, options, progress)?
    {
        return Ok(right);
    }
    progress("running the unscheduled form, which says what is right");
    unscheduled(loaded, options, toolchain, prepared)
}

/// A proposal that was compiled, its text, and the time of the compile.
type Compiled = (Form, String, Duration);

/// Compiles the proposal with the lowest estimate, if the unscheduled form would take long.
fn proposed(
    loaded: &mut Loaded,
    options: &Options,
    toolchain: &Toolchain,
    prepared: &Arc<Prepared>,
    progress: &mut dyn FnMut(&str),
) -> Option<Compiled> {
    if !options.estimates {
        return None;
    }
    let algorithm = loaded.module.pipelines[options.pipeline].algorithm.clone();
    let choice = Choice { pipeline: options.pipeline, schedule: None };
    let plain = loaded.schedule_of(&choice);
    let (machine, _) = processor::machine(options.threads());
    let pool = &mut loaded.module.pool;
    let model = Model::new(pool, &algorithm, prepared, machine);
    let estimate = model.estimate(pool, &plain).ok()?.total;
    if estimate < LONG {
        return None;
    }
    let facts = Facts::asked(pool, &algorithm, prepared, options);
    let all = propose(pool, &facts, &model, Instant::now() + PROPOSING);
    let Proposal { estimate: lowest, mut directives, .. } = all.into_iter().next()?;
    if lowest * WORTH > estimate {
        return None;
    }
    let seconds = estimate / 1e9;
    progress(&format!(
        "the unscheduled form would take about {seconds:.1} s; a proposal says what is right, if \
            it is proved"
    ));
    move_inwards(pool, &facts, &mut directives);
    number(&mut directives);
    let schedule = Schedule { name: "proposal".to_owned(), directives };
    let text = print_schedule(pool, &algorithm, &schedule).ok()?;
    let (copy, pipeline, compiler) = (loaded.clone(), options.pipeline, toolchain.clone());
    let make = move || form::compile(copy, pipeline, Some(schedule), &compiler).map(Arc::new);
    let begin = Instant::now();
    let form = Form::start(make, prepared, COMPILE).ok()?;
    Some((form.with_threads(options.threads()), text, begin.elapsed()))
}

/// Runs a proposal if it is proved.
fn proved(
    (mut form, text, compiled_in): Compiled,
    options: &Options,
    progress: &mut dyn FnMut(&str),
) -> Result<Option<Right>, TuneError> {
    let begin = Instant::now();
    let verdict = form.built.judged(&options.judge);
    let validated_in = begin.elapsed();
    match &verdict {
        Verdict::Proved(_) => {}
        Verdict::Refuted(refuted) => {
            let how = format!("the validator refutes it: {}", refuted.first());
            return Err(TuneError::Wrong { text, how });
        }
        Verdict::Unknown(_) | Verdict::Nothing(_) => {
            progress(&format!("the proposal is not proved: {}", verdict.sentence()));
            return Ok(None);
        }
    }
    let run = form.run(1, options.budget.max(LEAST)).and_then(|_| form.outputs());
    let Ok(outputs) = run else { return Ok(None) };
    let is_near = form.built.algorithm.fast_math || options.halide.is_some();
    let nearly = is_near.then(|| Likeness::of(&form.built.pool, &form.built.algorithm));
    let expected = Arc::new(Expected { outputs, nearly });
    let (reference, unscheduled) = (Reference::Proposed, None);
    Ok(Some(Right { expected, reference, unscheduled, compiled_in, validated_in }))
}

fn unscheduled(
    loaded: &Loaded,
    options: &Options,
    toolchain: &Toolchain,
    prepared: &Arc<Prepared>,
) -> Result<Right, TuneError> {
    let schedule = DEFAULT_SCHEDULE.to_owned();
    let fails = |failure: Failure| match failure {
        Failure::Refused(diagnostics) => TuneError::Refused(diagnostics),
        other @ (Failure::NotCompiled(_)
        | Failure::SlowToCompile
        | Failure::EntryCheck(_)
        | Failure::Run(_)
        | Failure::SlowToRun
        | Failure::Ended) => TuneError::Start { schedule: schedule.clone(), reason: words(&other) },
    };
    let limit = options.budget.max(LEAST);
    let (copy, pipeline, compiler) = (loaded.clone(), options.pipeline, toolchain.clone());
    let make = move || form::compile(copy, pipeline, None, &compiler).map(Arc::new);
    let begin = Instant::now();
    let mut form = Form::start(make, prepared, limit).map_err(|(failure, _)| fails(failure))?;
    let compiled_in = begin.elapsed();
    let mut took = form.run(1, limit).map_err(fails)?;
    // A short run may have waited for other work.
    for _ in 0..2 {
        if (CHEAP..20 * CHEAP).contains(&took) {
            took = took.min(form.run(1, limit).map_err(fails)?);
        }
    }
    let outputs = form.outputs().map_err(fails)?;
    let built = Arc::clone(&form.built);
    let begin = Instant::now();
    let Built { pool, algorithm, .. } = &*built;
    let judged = built.judged(&options.judge);
    let validated_in = begin.elapsed();
    let wrong = |how: String| TuneError::Wrong { text: schedule.clone(), how };
    let mut reference = match judged {
        Verdict::Proved(_) => Reference::Unscheduled,
        Verdict::Refuted(refuted) => {
            return Err(wrong(format!("the validator refutes it: {}", refuted.first())));
        }
        Verdict::Unknown(unknown) => Reference::Undecided(unknown.first().to_owned()),
        Verdict::Nothing(nothing) => Reference::Undecided(nothing.what),
    };
    let nearly = algorithm.fast_math.then(|| Likeness::of(pool, algorithm));
    let mut expected = Arc::new(Expected { outputs, nearly: nearly.clone() });
    if took <= CHEAP
        && let Ok(outputs) = execute::interpret(pool, algorithm, prepared)
    {
        expected = Arc::new(Expected { outputs, nearly });
        if !form.agrees(&expected).map_err(fails)? {
            return Err(wrong("its outputs are not the interpreter's".to_owned()));
        }
        reference = Reference::Interpreter;
    }
    if options.halide.is_some() {
        // Stock Halide may regroup floats.
        let nearly = Some(Likeness::of(pool, algorithm));
        expected = Arc::new(Expected { outputs: expected.outputs.clone(), nearly });
    }
    let unscheduled = Some(Unscheduled { built, took });
    Ok(Right { expected, reference, unscheduled, compiled_in, validated_in })
}
