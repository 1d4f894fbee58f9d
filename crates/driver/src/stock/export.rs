//! Export of a pipeline under a schedule as a script for stock Halide.

use halidom_halide::script;

use crate::source::{Choice, Loaded};

/// Prints the Halide script of a pipeline under a schedule.
///
/// # Errors
///
/// Returns the construct that cannot be expressed in a script.
pub fn export(loaded: &Loaded, choice: &Choice) -> Result<String, script::Unprintable> {
    let schedule = loaded.schedule_of(choice);
    let algorithm = &loaded.module.pipelines[choice.pipeline].algorithm;
    script::print(&loaded.module.pool, algorithm, &schedule)
}
