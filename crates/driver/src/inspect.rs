//! The description of a schedule that `check` shows.

use halidom_diag::Diagnostic;
use halidom_schedule::ScheduleError;

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
