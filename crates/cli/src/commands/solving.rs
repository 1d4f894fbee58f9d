//! The setup of solvers from the options of a command.

use std::path::Path;
use std::time::Duration;

use halidom_driver::judge::Options;
use halidom_smt::{Cache, CacheError, Family, FindError, Program};
use halidom_validate::Floats;

use crate::args::{FloatsArg, Solving};
use crate::output::{Output, Stop};

/// The hint for a program that is not a solver.
const NO_SOLVER: &str = "name another one; `halidom doctor` shows what is found";

/// The options of a validation with the solver found on this machine.
pub(crate) fn default(output: &mut Output<'_>) -> Result<Options, Stop> {
    Options::find().map_err(|error| missing(&error, output))
}

/// The options of a validation that the command line requests.
pub(crate) fn options(args: &Solving, output: &mut Output<'_>) -> Result<Options, Stop> {
    let solver = Program::find(Family::Z3, args.solver.as_deref());
    let mut options = Options::new(solver.map_err(|error| missing(&error, output))?);
    options.asking.timeout = seconds(args.timeout, output)?;
    options.floats = args.floats.map(|floats| match floats {
        FloatsArg::Bits => Floats::Bits,
        FloatsArg::Axioms => Floats::Axioms,
        FloatsArg::Reals => Floats::Reals,
    });
    if let Some(second) = &args.confirm {
        let second = find_second(second).map_err(|error| missing(&error, output))?;
        identify(&second, output)?;
        options.asking.confirm = Some(second);
    }
    if let Some(path) = &args.cache {
        let cache = Cache::load(path, &options.asking.solver).map_err(|error| match &error {
            CacheError::Solver { .. } => output.error("HAL0817", &error.to_string(), NO_SOLVER),
            CacheError::Io { .. } | CacheError::Malformed { .. } => output.error(
                "HAL0908",
                &error.to_string(),
                "name another file, or delete it: answers are found again",
            ),
        })?;
        options.asking.cache = Some(cache);
    }
    Ok(options)
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

/// Finds the second solver: a family's name, or an executable, which is addressed like the family
/// that its name begins with.
fn find_second(name: &Path) -> Result<Program, FindError> {
    let family = |text: &str| {
        [Family::Z3, Family::Cvc5].into_iter().find(|family| text.starts_with(family.executable()))
    };
    if let Some(family) = name.to_str().and_then(family)
        && name.as_os_str() == family.executable()
    {
        return Program::find(family, None);
    }
    let file = name.file_name().unwrap_or_default().to_string_lossy();
    Program::find(family(&file).unwrap_or(Family::Cvc5), Some(name))
}

/// Checks that a solver reports its name and version.
fn identify(solver: &Program, output: &mut Output<'_>) -> Result<(), Stop> {
    solver.probe().map(drop).map_err(|reason| {
        let path = solver.path().display();
        output.error(
            "HAL0817",
            &format!("`{path}` does not answer like a solver: {reason}"),
            NO_SOLVER,
        )
    })
}

fn missing(error: &FindError, output: &mut Output<'_>) -> Stop {
    output.error(
        "HAL0817",
        &error.to_string(),
        "run `cargo xtask setup`, or set HALIDOM_Z3; `halidom doctor` shows what is found",
    )
}
