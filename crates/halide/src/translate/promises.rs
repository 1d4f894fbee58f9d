//! Promises of a pipeline's author (`unsafe_promise_clamped`).
//!
//! # Correctness
//! A promise says that a value lies between two others, and Halide computes with it as it is. So
//! the judged algorithm has the value itself: a proof also covers runs that break a promise. A
//! refutation must not rest on one: there the pipeline has no value. The algorithm here has a value
//! that is known only by its name where a promise is broken, so that an evaluation shows it.

use super::algorithm::{Signature, Source, Translation};
use super::error::Result;
use super::intrinsics::UNSAFE_PROMISE;
use crate::Names;
use crate::pipeline::Pipeline;

/// Translates the algorithm of a pipeline so that it has no value where a promise is broken. Its
/// parameters and inputs have the ids that they have in [`algorithm`](super::algorithm). Returns
/// `None` for a pipeline without promises of its author's: Halide's own, as `rfactor` makes them,
/// are `promise_clamped`.
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn with_promises(pipeline: &Pipeline, names: &Names) -> Result<Option<Source>> {
    if names.find(UNSAFE_PROMISE).is_none() {
        return Ok(None);
    }
    let mut translation = Translation::new(pipeline, halidom_ir::Pool::new(), names);
    translation.widths.keeps_promises = true;
    translation.run(&Signature::default()).map(Some)
}
