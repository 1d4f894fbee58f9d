//! The data of a run, and the part of it that is given.

use halidom_interp::Bindings;
use halidom_ir::{Array, FuncId, Shape};

/// Parameters, shapes and windows to try before any random ones.
#[derive(Clone, Debug)]
pub struct Given {
    /// Parameters and inputs. The elements of inputs get new random values, and so do parameters
    /// that are floats.
    pub bindings: Bindings,
    /// The windows of the outputs.
    pub windows: Vec<Shape>,
}

/// Parameters, inputs and windows of a run.
pub(crate) struct Case {
    /// The most steps of one interpreter.
    pub(super) steps: u64,
    pub(super) bindings: Bindings,
    pub(super) inputs: Vec<(FuncId, Array)>,
    pub(super) windows: Vec<Shape>,
    pub(super) padding: Vec<i64>,
}
