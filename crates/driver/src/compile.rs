//! The compile job, from a pipeline and a schedule to a final program: a sequence of passes with
//! the verifier after each.

use halidom_codegen::Target;
use halidom_diag::{Code, Diagnostic, Severity};
use halidom_halide::translate::Contract;
use halidom_ir::verify::{self, Phase};
use halidom_ir::{Algorithm, Pool, Program};
use halidom_lower::LowerError;
pub use halidom_lower::{PASSES, Pass};
use halidom_schedule::{Engine, ScheduleError};

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

/// The names of the stages before the passes of `lower`, in order. After the passes comes `final`.
pub const STAGES: [&str; 2] = ["holes", "bounds"];

/// All names that an observer is called with, in order.
pub fn stage_names() -> Vec<&'static str> {
    let passes = PASSES.iter().map(|pass| pass.name);
    let mut names: Vec<&'static str> = Vec::new();
    // A pass that runs twice appears under one name, with its last result.
    for name in STAGES.into_iter().chain(passes).chain(["final"]) {
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
    let (structured, steps) = rewrite_and_structure(loaded, choice, observe)?;
    let program = finish(&mut loaded.module.pool, &structured, observe)?;
    Ok(Compiled { structured, program, steps, contract: Contract::default() })
}

/// Compiles a program with bounds to its final form.
pub fn finish(
    pool: &mut Pool,
    structured: &Program,
    observe: Observer<'_>,
) -> Result<Program, Vec<Diagnostic>> {
    let machine = Target::host().machine();
    let program = halidom_lower::lower(pool, structured.clone(), machine, observe);
    let program = program.map_err(|error| vec![not_lowered(&error)])?;
    observe("final", pool, &program);
    well_formed("lower", verify::program(pool, &program, Phase::Final))?;
    Ok(program)
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
) -> Result<Program, Vec<Diagnostic>> {
    let machine = Target::host().machine();
    let program = (pass.run)(pool, program, machine).map_err(|error| vec![not_lowered(&error)])?;
    well_formed(pass.name, verify::program(pool, &program, Phase::Structured))?;
    Ok(program)
}

/// Compiles a pipeline up to the program with bounds.
pub fn structure(
    loaded: &mut Loaded,
    choice: &Choice,
    observe: Observer<'_>,
) -> Result<Program, Vec<Diagnostic>> {
    rewrite_and_structure(loaded, choice, observe).map(|(program, _)| program)
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

/// Computes the program with bounds, and the algorithm after each rewriting that the schedule asks
/// for.
fn rewrite_and_structure(
    loaded: &mut Loaded,
    choice: &Choice,
    observe: Observer<'_>,
) -> Result<(Program, Vec<Algorithm>), Vec<Diagnostic>> {
    let schedule = loaded.schedule_of(choice);
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let pool = &mut loaded.module.pool;
    let structured = (|| {
        let transformed = halidom_schedule::transform(pool, &algorithm, &schedule)?;
        let mut lowered = transformed.lower(pool, &algorithm);
        halidom_schedule::apply(pool, &mut lowered, &transformed.schedule)?;
        let holes = halidom_schedule::with_holes(pool, &lowered);
        observe("holes", pool, &holes);
        let structured = halidom_schedule::complete(pool, &lowered, Engine::Default)?;
        Ok((structured, transformed.steps))
    })();
    let (structured, steps) =
        structured.map_err(|errors: Vec<ScheduleError>| refusals(loaded, choice, &errors))?;
    let pool = &loaded.module.pool;
    observe("bounds", pool, &structured);
    let algorithms: Vec<&Algorithm> = steps.iter().chain([&algorithm]).collect();
    check(pool, &algorithms, &structured)?;
    Ok((structured, steps))
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
