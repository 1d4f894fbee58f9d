//! The setup of solvers from the options of a command.

use std::time::Duration;

use halidom_driver::judge::Options;
use halidom_driver::solving::{self, SolvingError};
use halidom_validate::Floats;

use crate::args::{FloatsArg, Solving};
use crate::output::{Output, Stop};

/// The options of a validation with the solver found on this machine.
pub(crate) fn default(output: &mut Output<'_>) -> Result<Options, Stop> {
    Options::find().map_err(|error| failed(&error.into(), output))
}

/// The options of a validation that the command line requests.
pub(crate) fn options(args: &Solving, output: &mut Output<'_>) -> Result<Options, Stop> {
    let Solving { floats, timeout, solver, confirm, cache } = args;
    let wanted = solving::Solving {
        solver: solver.clone(),
        confirm: confirm.clone(),
        cache: cache.clone(),
        timeout: seconds(*timeout, output)?,
    };
    let floats = floats.map(|floats| match floats {
        FloatsArg::Bits => Floats::Bits,
        FloatsArg::Axioms => Floats::Axioms,
        FloatsArg::Reals => Floats::Reals,
    });
    let options = wanted.options().map_err(|error| failed(&error, output))?;
    Ok(Options { floats, ..options })
}

/// Writes the answers to the cache file, if one is given.
pub(crate) fn keep(args: &Solving, options: &Options, output: &mut Output<'_>) -> Result<(), Stop> {
    let (Some(path), Some(cache)) = (&args.cache, &options.asking.cache) else { return Ok(()) };
    cache.save(path).map_err(|error| output.error("HAL0805", &error.to_string(), "check the path"))
}

/// Converts a number of seconds to a duration.
pub(crate) fn seconds(number: f64, output: &mut Output<'_>) -> Result<Duration, Stop> {
    Duration::try_from_secs_f64(number).map_err(|_| {
        output.error(
            "HAL0906",
            &format!("`{number}` is no time limit"),
            "give a number of seconds, such as 10",
        )
    })
}

fn failed(error: &SolvingError, output: &mut Output<'_>) -> Stop {
    output.error(error.code(), &error.to_string(), error.hint())
}
