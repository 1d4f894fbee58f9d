//! One random program under its schedules.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use halidom_codegen::Toolchain;
use halidom_diag::{Colours, Diagnostic, render};
use halidom_interp::algorithm::evaluate;
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Constant, FuncId, Pool, Program, print};
use halidom_testgen::{Case, PipelineText, cases, pipeline, schedule};
use halidom_validate::{Verdict, validate_refined};

use super::mutate;
use super::native::{self, Ran};
use super::{Disagreement, Figures, Options, Undecided};
use crate::compile::{Compiled, compile};
use crate::source::{Choice, DEFAULT_SCHEDULE, Loaded, parse};

/// Codes of diagnostics that speak of a defect of ours.
const DEFECTS: [&str; 2] = ["HAL0701", "HAL0905"];
/// Elements of an input that are printed.
const SHOWN_ELEMENTS: usize = 400;

/// What examines programs.
pub(super) struct Examiner<'a> {
    pub(super) options: &'a Options,
    pub(super) judge: Option<halidom_validate::Options>,
    pub(super) toolchain: Option<Toolchain>,
}

/// What came of a program.
#[derive(Default)]
pub(super) struct Examined {
    pub(super) figures: Figures,
    pub(super) disagreements: Vec<Disagreement>,
    pub(super) undecided: Vec<Undecided>,
}

/// A case and what the algorithm gives on it.
pub(super) struct Known {
    pub(super) case: Case,
    pub(super) expected: Vec<Array>,
}

/// Who disagrees, and on which case.
pub(super) struct Wrong {
    pub(super) what: String,
    pub(super) inputs: Option<String>,
}

impl Wrong {
    fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), inputs: None }
    }
}

impl Examiner<'_> {
    /// Makes the program of a seed and looks at it under each of its schedules. A panic anywhere is a finding like any other.
    pub(super) fn program(&self, seed: u64) -> Examined {
        let mut examined = Examined::default();
        examined.figures.programs = 1;
        let made = pipeline(seed);
        let mut text = made.text.clone();
        for number in 0..self.options.schedules {
            text.push_str(&self.schedule_text(&made, seed, number));
        }
        let begun = caught(|| self.begin(&text, seed));
        let (loaded, known) = match begun {
            Ok(begun) => begun,
            Err(wrong) => {
                examined.disagreements.push(disagreement(seed, &text, None, wrong));
                return examined;
            }
        };
        let schedules = loaded.module.pipelines[0].schedules.len();
        for schedule in std::iter::once(None).chain((0..schedules).map(Some)) {
            let choice = Choice { pipeline: 0, schedule };
            let name = loaded.schedule_of(&choice).name;
            let result = caught(|| self.schedule(&loaded, &choice, &known, seed, &mut examined));
            if let Err(wrong) = result {
                examined.disagreements.push(disagreement(seed, &text, Some(name), wrong));
            }
        }
        examined
    }

    fn schedule_text(&self, made: &PipelineText, seed: u64, number: u64) -> String {
        let seed = seed.wrapping_mul(self.options.schedules.max(1)).wrapping_add(number);
        schedule(made, &format!("s{number}"), seed)
    }

    /// Parses the text and evaluates the algorithm on its cases.
    fn begin(&self, text: &str, seed: u64) -> Result<(Loaded, Vec<Known>), Wrong> {
        let loaded = parse("random.hal", text);
        if loaded.module.has_errors() {
            return Err(Wrong::of(format!(
                "the front end refuses a valid text:\n{}",
                rendered(&loaded, &loaded.module.diagnostics)
            )));
        }
        let (pool, algorithm) = (&loaded.module.pool, &loaded.module.pipelines[0].algorithm);
        let mut known = Vec::new();
        for case in cases(pool, algorithm, seed, self.options.cases) {
            match evaluate(pool, algorithm, &case.bindings, &case.windows) {
                Ok(expected) => known.push(Known { case, expected }),
                Err(error) => {
                    return Err(Wrong {
                        what: format!("the algorithm has no value where it should: {error}"),
                        inputs: Some(described(pool, algorithm, &case)),
                    });
                }
            }
        }
        Ok((loaded, known))
    }

    fn schedule(
        &self,
        loaded: &Loaded,
        choice: &Choice,
        known: &[Known],
        seed: u64,
        examined: &mut Examined,
    ) -> Result<(), Wrong> {
        // Each schedule has a pool of its own, so that a finding does not depend on the other schedules.
        let mut loaded = Loaded { sources: loaded.sources.clone(), module: loaded.module.clone() };
        let compiled = match compile(&mut loaded, choice, &mut |_, _, _| {}) {
            Ok(compiled) => compiled,
            Err(diagnostics) => {
                examined.figures.refused += 1;
                return refusal(&loaded, choice, &diagnostics);
            }
        };
        examined.figures.compiles += 1;
        let pool = &loaded.module.pool;
        let algorithm = &loaded.module.pipelines[choice.pipeline].algorithm;
        for known in known {
            examined.figures.cases += 1;
            let refused = interpreted(pool, algorithm, &compiled, known, seed)?;
            examined.figures.cases_refused += u64::from(refused);
        }
        let number = choice.schedule.map_or(0, |number| 1 + number as u64);
        let turn = seed.wrapping_mul(self.options.schedules + 1).wrapping_add(number);
        if let Some(toolchain) = &self.toolchain
            && turn.is_multiple_of(self.options.native_one_in)
        {
            examined.figures.native += 1;
            natively(toolchain, pool, algorithm, &compiled.program, known)?;
        }
        if let Some(judge) = &self.judge {
            if self.options.mutants > 0 {
                let mut pool = pool.clone();
                let tried = mutate::survivors(
                    &mut pool,
                    (algorithm, &compiled.steps),
                    &compiled.program,
                    (self.options.mutants, seed),
                    known,
                    judge,
                );
                examined.figures.mutants += tried?;
            }
            let steps = &compiled.steps;
            let report =
                validate_refined(&mut pool.clone(), algorithm, steps, &compiled.program, judge);
            match report.verdict {
                Verdict::Proved => examined.figures.proved += 1,
                Verdict::Unknown(reason) => {
                    examined.figures.unknown += 1;
                    let schedule = loaded.schedule_of(choice).name;
                    examined.undecided.push(Undecided { seed, schedule, reason });
                }
                Verdict::Refuted(counterexample) => {
                    return Err(Wrong {
                        what: format!(
                            "the validator refutes it: at {:?} {:?} expected {}, got {}",
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
        Ok(())
    }
}

/// Turns a panic into a finding.
fn caught<T>(job: impl FnOnce() -> Result<T, Wrong>) -> Result<T, Wrong> {
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(result) => result,
        Err(payload) => Err(Wrong::of(format!("a panic: {}", message(payload.as_ref())))),
    }
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("without a message")
}

fn disagreement(seed: u64, text: &str, schedule: Option<String>, wrong: Wrong) -> Disagreement {
    let Wrong { what, inputs } = wrong;
    Disagreement { seed, text: text.to_owned(), schedule, what, inputs }
}

fn rendered(loaded: &Loaded, diagnostics: &[Diagnostic]) -> String {
    diagnostics
        .iter()
        .map(|diagnostic| render(&loaded.sources, diagnostic, Colours::Never))
        .collect()
}

/// A refusal must be the user's to repair: a message, a hint, and no defect of ours.
fn refusal(loaded: &Loaded, choice: &Choice, diagnostics: &[Diagnostic]) -> Result<(), Wrong> {
    let is_sound = |diagnostic: &Diagnostic| {
        !DEFECTS.contains(&diagnostic.code.0)
            && !diagnostic.message.is_empty()
            && diagnostic.hint.is_some()
    };
    if diagnostics.is_empty() || !diagnostics.iter().all(is_sound) {
        return Err(Wrong::of(format!(
            "it is refused without a proper diagnostic:\n{}",
            rendered(loaded, diagnostics)
        )));
    }
    if choice.schedule.is_none() {
        // Bounds that cannot be inferred are the algorithm's fault; nothing else may hinder the unscheduled form.
        let unbounded = |diagnostic: &Diagnostic| diagnostic.message.contains("bound");
        if !diagnostics.iter().all(unbounded) {
            return Err(Wrong::of(format!(
                "the schedule `{DEFAULT_SCHEDULE}` is refused:\n{}",
                rendered(loaded, diagnostics)
            )));
        }
    }
    Ok(())
}

/// Runs the program before and after lowering, comparing claims and outputs; whether an entry check refuses the case.
fn interpreted(
    pool: &Pool,
    algorithm: &Algorithm,
    compiled: &Compiled,
    known: &Known,
    seed: u64,
) -> Result<bool, Wrong> {
    let Known { case, expected } = known;
    let options = machine::Options {
        seed,
        output_padding: case.output_padding.clone(),
        steps: Some(20_000_000),
        elements: 1 << 24,
        ..machine::Options::default()
    };
    let wrong = |what| Wrong { what, inputs: Some(described(pool, algorithm, case)) };
    let mut refused = [false; 2];
    let programs = [("with structure", &compiled.structured), ("final", &compiled.program)];
    for ((name, program), refused) in programs.into_iter().zip(&mut refused) {
        let (bindings, windows) = (&case.bindings, &case.windows);
        let lowered = compiled.lowered(algorithm);
        let run = machine::run_checking_claims(pool, program, lowered, bindings, windows, &options);
        match run {
            Ok(outcome) => {
                if let Some(difference) = difference(pool, algorithm, expected, &outcome.outputs) {
                    return Err(wrong(format!("the interpreted program ({name}): {difference}")));
                }
            }
            Err(Fault::CheckFailed(_)) => *refused = true,
            Err(Fault::OutOfSteps | Fault::TooLarge { .. }) => {}
            Err(fault) => return Err(wrong(format!("the interpreted program ({name}): {fault}"))),
        }
    }
    if refused[0] != refused[1] {
        return Err(wrong(format!(
            "entry checks before and after lowering differ: refused {refused:?}"
        )));
    }
    Ok(refused[1])
}

fn natively(
    toolchain: &Toolchain,
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    known: &[Known],
) -> Result<(), Wrong> {
    let native = native::build(toolchain, pool, program)
        .map_err(|error| Wrong::of(format!("the back end fails: {error}")))?;
    for Known { case, expected } in known {
        let wrong = |what| Wrong { what, inputs: Some(described(pool, algorithm, case)) };
        match native.run(pool, algorithm, program, case) {
            Ok(Ran::Done(outputs)) => {
                if let Some(difference) = difference(pool, algorithm, expected, &outputs) {
                    return Err(wrong(format!("compiled code: {difference}")));
                }
            }
            Ok(Ran::Refused) => {}
            Err(error) => return Err(wrong(format!("compiled code: {error}"))),
        }
    }
    Ok(())
}

/// The first location where outputs differ. A NaN is as good as another: their bits are nobody's promise.
pub(super) fn difference(
    pool: &Pool,
    algorithm: &Algorithm,
    expected: &[Array],
    got: &[Array],
) -> Option<String> {
    for ((output, expected), got) in algorithm.outputs.iter().zip(expected).zip(got) {
        if expected.shape != got.shape {
            return Some(format!("shape {:?}, not {:?}", got.shape, expected.shape));
        }
        for point in expected.points() {
            let (want, have) = (expected.get(&point), got.get(&point));
            let is_nan = |value: Option<Constant>| {
                value.is_some_and(|value| {
                    value.as_f32().is_some_and(f32::is_nan)
                        || value.as_f64().is_some_and(f64::is_nan)
                })
            };
            if want != have && !(is_nan(want) && is_nan(have)) {
                let name = &pool.func(*output).name;
                return Some(format!(
                    "{name}{point:?}: expected {}, got {}",
                    shown(want),
                    shown(have)
                ));
            }
        }
    }
    (expected.len() != got.len()).then(|| format!("{} outputs", got.len()))
}

fn shown(value: Option<Constant>) -> String {
    value.map_or_else(|| "nothing".to_owned(), print::constant)
}

/// Parameters, inputs and windows for people.
pub(super) fn described(pool: &Pool, algorithm: &Algorithm, case: &Case) -> String {
    let name = |func: &FuncId| pool.func(*func).name.as_str();
    let mut lines: Vec<String> = Vec::new();
    for param in &algorithm.params {
        lines.push(format!("{} = {}", pool.var(*param).name, shown(case.bindings.var(*param))));
    }
    for input in &algorithm.inputs {
        if let Some(array) = case.bindings.input(*input) {
            lines.push(array_line(name(input), array));
        }
    }
    for (output, window) in algorithm.outputs.iter().zip(&case.windows) {
        let padding = &case.output_padding;
        lines.push(format!("{} on {window:?} (min, extent), padding {padding:?}", name(output)));
    }
    lines.join("\n")
}

fn array_line(name: &str, array: &Array) -> String {
    let values: Vec<String> =
        array.points().take(SHOWN_ELEMENTS).map(|point| shown(array.get(&point))).collect();
    let more = if array.len() > SHOWN_ELEMENTS { ", …" } else { "" };
    let Array { shape, strides, .. } = array;
    format!("{name} {shape:?} (min, extent), strides {strides:?} = [{}{more}]", values.join(", "))
}

fn counterexample_inputs(counterexample: &halidom_validate::Counterexample) -> String {
    let mut lines: Vec<String> = counterexample
        .parameters
        .iter()
        .map(|(name, value)| format!("{name} = {}", print::constant(*value)))
        .collect();
    lines.extend(counterexample.inputs.iter().map(|(name, array)| array_line(name, array)));
    lines.extend(
        counterexample
            .windows
            .iter()
            .map(|(name, window)| format!("{name} on {window:?} (min, extent)")),
    );
    lines.join("\n")
}
