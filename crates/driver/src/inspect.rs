//! The description of a schedule that `check` shows.

use halidom_diag::Diagnostic;
use halidom_ir::{Algorithm, Directive, FuncId, Pool, Schedule};
use halidom_schedule::{FuncPlaces, Lowered, ScheduleError, StageLoops};

use crate::compile::refusals;
use crate::source::{Choice, Loaded};

/// A schedule's loop nest and bounds, as text.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// One line for each loop, indented.
    pub loop_nest: String,
    /// The bounds query and both engines' answers, if requested.
    pub bounds: Option<String>,
}

/// Applies a schedule and infers its bounds.
pub fn inspect(
    loaded: &mut Loaded,
    choice: &Choice,
    bounds: bool,
) -> Result<Inspection, Vec<Diagnostic>> {
    let schedule = loaded.schedule_of(choice);
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let pool = &mut loaded.module.pool;
    let inspected = (|| {
        let transformed = halidom_schedule::transform(pool, &algorithm, &schedule)?;
        let mut lowered = transformed.lower(pool, &algorithm);
        halidom_schedule::apply(pool, &mut lowered, &transformed.schedule)?;
        halidom_schedule::complete(pool, &lowered, halidom_schedule::Engine::Default)?;
        let loop_nest = halidom_schedule::loop_nest(pool, &lowered);
        let bounds = bounds.then(|| {
            let query = halidom_schedule::query_text(pool, &lowered);
            let answers = halidom_schedule::bounds_answers(pool, &lowered);
            format!("{}\n\n{}", query.trim_end(), answers)
        });
        Ok(Inspection { loop_nest, bounds })
    })();
    inspected.map_err(|errors: Vec<ScheduleError>| refusals(loaded, choice, &errors))
}

/// A schedule as data, for editors.
#[derive(Clone, Debug)]
pub struct Description {
    /// The places of all funcs.
    pub places: Vec<FuncPlaces>,
    /// The needed regions of funcs and inputs, one line for each interval.
    pub regions: Vec<(FuncId, String)>,
}

/// Applies a schedule and checks that it has bounds; with `regions`, also prints these.
pub fn describe(
    loaded: &mut Loaded,
    choice: &Choice,
    regions: bool,
) -> Result<Description, Vec<Diagnostic>> {
    let schedule = loaded.schedule_of(choice);
    let algorithm = loaded.module.pipelines[choice.pipeline].algorithm.clone();
    let pool = &mut loaded.module.pool;
    let described = (|| {
        let lowered = lowered(pool, &algorithm, &schedule)?;
        halidom_schedule::complete(pool, &lowered, halidom_schedule::Engine::Default)?;
        let regions = if regions { halidom_schedule::regions(pool, &lowered) } else { Vec::new() };
        Ok(Description { places: halidom_schedule::places(&lowered), regions })
    })();
    described.map_err(|errors: Vec<ScheduleError>| refusals(loaded, choice, &errors))
}

/// Returns the loops of every stage under a schedule; none if the schedule is refused.
pub fn loops(pool: &mut Pool, algorithm: &Algorithm, schedule: &Schedule) -> Vec<StageLoops> {
    let lowered = lowered(pool, algorithm, schedule);
    lowered.map(|lowered| halidom_schedule::stage_loops(pool, &lowered)).unwrap_or_default()
}

/// True if a schedule is legal with one more directive.
pub fn accepts(
    pool: &mut Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
    directive: Directive,
) -> bool {
    let mut longer = schedule.clone();
    longer.directives.push(directive);
    lowered(pool, algorithm, &longer).is_ok()
}

fn lowered(
    pool: &mut Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
) -> Result<Lowered, Vec<ScheduleError>> {
    let transformed = halidom_schedule::transform(pool, algorithm, schedule)?;
    let mut lowered = transformed.lower(pool, algorithm);
    halidom_schedule::apply(pool, &mut lowered, &transformed.schedule)?;
    Ok(lowered)
}
