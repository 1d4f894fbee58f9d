//! The compile job, from a pipeline and a schedule to a final program: a table of stages
//! ([`table`]), with the verifier after each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_codegen::Target;
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_halide::translate::Contract;
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, Pool, Program};
use halidom_lower::LowerError;
pub use halidom_lower::{PASSES, Pass};
use halidom_schedule::{Engine, ScheduleError};
use halidom_validate::Said;

use crate::source::{Choice, Loaded};

/// A program before and after lowering.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program with inferred bounds, whose funcs are still multidimensional.
    pub structured: Program,
    /// The final program, which is validated and printed as C.
    pub program: Program,
    /// The algorithm after each rewriting that the schedule asks for. The program computes the
    /// funcs of the last one.
    pub steps: Vec<Algorithm>,
    /// The conditions on callers beyond the entry checks. Programs that Halidom compiled have none.
    pub contract: Contract,
    /// The definitions that runs evaluate, if the algorithm has the same values and more.
    pub said: Option<Arc<Said>>,
    /// The stages that made the program, in order. There are none if it was given.
    pub stages: Vec<Stage>,
}

/// A stage that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its name.
    pub name: &'static str,
    /// The time that it took.
    pub time: Duration,
    /// The time that the verifier took for its result.
    pub verifying: Duration,
}

/// A program with bounds in its final form, and the stages that made it.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The program.
    pub program: Program,
    /// The stages after bounds inference.
    pub stages: Vec<Stage>,
}

impl Compiled {
    /// The algorithm whose funcs the program computes: the pipeline's own, or a schedule's
    /// rewriting of it.
    pub fn lowered<'a>(&'a self, own: &'a Algorithm) -> &'a Algorithm {
        self.steps.last().unwrap_or(own)
    }
}

/// A callback that gets the name of each stage or pass and the program after it.
pub type Observer<'a> = &'a mut dyn FnMut(&'static str, &Pool, &Program);

/// The schedule's directives, applied.
const HOLES: &str = "holes";
/// Bounds inference.
const BOUNDS: &str = "bounds";
/// The result of the last pass.
const FINAL: &str = "final";

/// The stages of a compile in order, each with the form that its result must have. The verifier
/// checks this form.
pub fn table() -> Vec<(&'static str, Phase)> {
    let mut table = vec![(HOLES, Phase::Holes), (BOUNDS, Phase::Structured)];
    let passes = PASSES.iter().enumerate();
    table.extend(passes.map(|(number, pass)| (pass.name, phase_after(number))));
    table
}

/// The form that a program must have after the pass with this number.
fn phase_after(pass: usize) -> Phase {
    if pass + 1 == PASSES.len() { Phase::Final } else { Phase::Structured }
}

/// All names that an observer is called with, in order.
pub fn stage_names() -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    // A pass that runs twice appears under one name, with its last result.
    for name in table().into_iter().map(|(name, _)| name).chain([FINAL]) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Compiles a pipeline under a schedule.
pub fn compile(
    loaded: &mut Loaded,
    choice: &Choice,
    observe: Observer<'_>,
) -> Result<Compiled, Vec<Diagnostic>> {
    let (structured, steps, mut stages) = rewrite_and_structure(loaded, choice, observe)?;
    let finished = finish(&mut loaded.module.pool, &structured, observe)?;
    stages.extend(finished.stages);
    let (program, contract) = (finished.program, Contract::default());
    Ok(Compiled { structured, program, steps, contract, said: None, stages })
}

/// Compiles a program with bounds to its final form.
pub fn finish(
    pool: &mut Pool,
    structured: &Program,
    observe: Observer<'_>,
) -> Result<Finished, Vec<Diagnostic>> {
    let mut course = Course::begin(observe);
    let machine = Target::host().machine();
    let mut program = structured.clone();
    for (number, pass) in PASSES.iter().enumerate() {
        program = (pass.run)(pool, program, machine).map_err(|error| vec![not_lowered(&error)])?;
        course.ends(pass.name, phase_after(number), pool, &program)?;
    }
    (course.observe)(FINAL, pool, &program);
    Ok(Finished { program, stages: course.stages })
}

/// A compile that is going on.
struct Course<'o> {
    observe: Observer<'o>,
    /// The beginning of the current stage.
    begin: Instant,
    stages: Vec<Stage>,
}

impl<'o> Course<'o> {
    fn begin(observe: Observer<'o>) -> Self {
        Self { observe, begin: Instant::now(), stages: Vec::new() }
    }

    /// Ends a stage: shows its result to the observer and verifies it.
    fn ends(
        &mut self,
        name: &'static str,
        phase: Phase,
        pool: &Pool,
        program: &Program,
    ) -> Result<(), Vec<Diagnostic>> {
        let time = self.begin.elapsed();
        (self.observe)(name, pool, program);
        let begin = Instant::now();
        well_formed(name, verify::program(pool, program, phase))?;
        self.stages.push(Stage { name, time, verifying: begin.elapsed() });
        self.begin = Instant::now();
        Ok(())
    }
}

/// Finds a pass of `lower` by its name.
pub fn pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Runs one pass on a program, and the verifier after it.
pub fn run_pass(
    pool: &mut Pool,
    program: Program,
    pass: &Pass,
) -> Result<(Program, Stage), Vec<Diagnostic>> {
    let observe = &mut |_: &'static str, _: &Pool, _: &Program| {};
    let mut course = Course::begin(observe);
    let machine = Target::host().machine();
    let program = (pass.run)(pool, program, machine).map_err(|error| vec![not_lowered(&error)])?;
    course.ends(pass.name, Phase::Structured, pool, &program)?;
    let stage = course.stages.remove(0);
    Ok((program, stage))
}

/// Compiles a pipeline up to the program with bounds.
pub fn structure(
    loaded: &mut Loaded,
    choice: &Choice,
    observe: Observer<'_>,
) -> Result<Program, Vec<Diagnostic>> {
    rewrite_and_structure(loaded, choice, observe).map(|(program, ..)| program)
}

/// The programs with bounds of a pipeline under all of its schedules, the unscheduled one first.
/// Refused schedules are skipped.
pub fn references(loaded: &mut Loaded, pipeline: usize) -> Result<Vec<Program>, Vec<Diagnostic>> {
    let unscheduled = Choice { pipeline, schedule: None };
    let mut programs = vec![structure(loaded, &unscheduled, &mut |_, _, _| {})?];
    for schedule in 0..loaded.module.pipelines[pipeline].schedules.len() {
        let choice = Choice { pipeline, schedule: Some(schedule) };
        programs.extend(structure(loaded, &choice, &mut |_, _, _| {}).ok());
    }
    Ok(programs)
}

/// Computes the program with bounds, the algorithm after each rewriting that the schedule asks for,
/// and the stages.
fn rewrite_and_structure(
    loaded: &mut Loaded,
    choice: &Choice,
    observe: Observer<'_>,
) -> Result<(Program, Vec<Algorithm>, Vec<Stage>), Vec<Diagnostic>> {
    let mut course = Course::begin(observe);
    let schedule = loaded.schedule_of(choice);
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let pool = &mut loaded.module.pool;
    let placed = (|| {
        let transformed = halidom_schedule::transform(pool, &algorithm, &schedule)?;
        let mut lowered = transformed.lower(pool, &algorithm);
        halidom_schedule::apply(pool, &mut lowered, &transformed.schedule)?;
        Ok((lowered, transformed.steps))
    })();
    let (lowered, steps) =
        placed.map_err(|errors: Vec<ScheduleError>| refusals(loaded, choice, &errors))?;
    let pool = &mut loaded.module.pool;
    let holes = halidom_schedule::with_holes(pool, &lowered);
    course.ends(HOLES, Phase::Holes, pool, &holes)?;
    let structured = halidom_schedule::complete(pool, &lowered, Engine::Default)
        .map_err(|errors| refusals(loaded, choice, &errors))?;
    let pool = &loaded.module.pool;
    course.ends(BOUNDS, Phase::Structured, pool, &structured)?;
    for algorithm in steps.iter().chain([&algorithm]) {
        well_formed(BOUNDS, verify::algorithm(pool, algorithm))?;
    }
    Ok((structured, steps, course.stages))
}

/// Verifies the input of `lower`'s passes.
pub(crate) fn check(
    pool: &Pool,
    algorithms: &[&Algorithm],
    structured: &Program,
) -> Result<(), Vec<Diagnostic>> {
    for algorithm in algorithms {
        well_formed("schedule", verify::algorithm(pool, algorithm))?;
    }
    well_formed("schedule", verify::program(pool, structured, Phase::Structured))
}

/// Converts refused directives to diagnostics at their places in the text.
pub(crate) fn refusals(
    loaded: &Loaded,
    choice: &Choice,
    errors: &[ScheduleError],
) -> Vec<Diagnostic> {
    errors.iter().map(|error| refused(loaded, choice, error)).collect()
}

fn refused(loaded: &Loaded, choice: &Choice, error: &ScheduleError) -> Diagnostic {
    let pipeline = &loaded.module.pipelines[choice.pipeline];
    let named = choice.schedule.map(|number| &pipeline.schedules[number]);
    let func = error.func.and_then(|func| pipeline.func_spans.get(&func).copied());
    let place = match (error.origin, named) {
        _ if func.is_some() => func,
        (Some(origin), Some(named)) => named.spans.get(origin).copied(),
        (None, Some(named)) => Some(named.span),
        (_, None) => Some(pipeline.span),
    };
    let diagnostic = match place {
        Some(span) => Diagnostic::error(Code(error.code), span, &error.message),
        None => Diagnostic::without_place(Severity::Error, Code(error.code), &error.message),
    };
    diagnostic.with_hint(&error.hint)
}

/// The diagnostic for a program that a pass does not take.
fn not_lowered(error: &LowerError) -> Diagnostic {
    let split = "split the loop by a smaller constant first, or traverse it serially";
    let (code, hint) = match error {
        LowerError::ExtentNotConstant { .. } => ("HAL0702", split),
        LowerError::TooManyCopies { .. } => ("HAL0703", split),
        LowerError::TooManyLanes { .. } => ("HAL0704", split),
        LowerError::Hole => ("HAL0701", "infer the bounds first"),
        LowerError::NoBuffer { .. } => ("HAL0701", "allocate memory for the func around its uses"),
        LowerError::NotFlattened => ("HAL0701", "run the pass `flatten_storage` first"),
    };
    Diagnostic::without_place(Severity::Error, Code(code), error.to_string()).with_hint(hint)
}

fn well_formed(
    pass: &str,
    result: Result<(), Vec<verify::Violation>>,
) -> Result<(), Vec<Diagnostic>> {
    result.map_err(|violations| {
        let report = |violation: &verify::Violation| {
            Diagnostic::without_place(
                Severity::Error,
                Code("HAL0905"),
                format!("after {pass}: {violation}"),
            )
            .with_hint(
                "this is a defect of Halidom: please report it with the program and the schedule",
            )
        };
        violations.iter().map(report).collect()
    })
}
