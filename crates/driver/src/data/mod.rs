//! The data of a run: parameters, inputs, and the windows of the outputs.
//!
//! [`prepare`] turns a [`Request`] (the user's options) into a [`Prepared`]: a value for every
//! parameter, an array for every input, a window for every output. It evaluates the entry checks of
//! a reference program (the unscheduled one) to find the region of each input that a window needs.

mod error;
mod inputs;
pub(crate) mod params;
mod regions;
mod request;
mod window;

use halidom_interp::Bindings;
use halidom_ir::{Algorithm, Pool, Program, Shape};

pub use error::DataError;
pub use regions::Regions;
pub use request::{Request, Source};

/// All data of a run.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Parameters, shapes and inputs.
    pub bindings: Bindings,
    /// The window of each output.
    pub windows: Vec<Shape>,
}

/// Finds a value for everything. `references` are programs of the algorithm. Their entry checks
/// determine the region of each input that a window needs. The windows follow from the first
/// reference. Inputs that are created here are as large as any reference needs, so that runs under
/// different schedules use the same data.
pub fn prepare(
    pool: &Pool,
    algorithm: &Algorithm,
    references: &[Program],
    request: &Request,
) -> Result<Prepared, DataError> {
    let mut bindings = Bindings::new();
    params::bind(pool, algorithm, request, &mut bindings)?;
    inputs::check_names(pool, algorithm, request)?;
    inputs::bind_files(pool, algorithm, request, &mut bindings)?;
    let windows = match references.first() {
        Some(reference) => {
            window::choose(pool, reference, &Regions::of(pool, reference), request, &mut bindings)?
        }
        None => Vec::new(),
    };
    for reference in references {
        for (output, window) in reference.outputs.iter().zip(&windows) {
            window::bind(pool, output, window, &mut bindings)?;
        }
    }
    inputs::bind_rest(pool, algorithm, references, request, &mut bindings)?;
    Ok(Prepared { bindings, windows })
}
