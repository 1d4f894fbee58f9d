//! Native code on cases with padded outputs.

use halidom_codegen::{Arguments, Kernel, RunError, Target, Toolchain};
use halidom_interp::machine::output_regions;
use halidom_ir::{Algorithm, Array, Pool, Program};
use halidom_testgen::Case;

use crate::execute::{BuildError, ExecuteError, crop};

/// A loaded kernel.
pub(super) struct Native {
    kernel: Kernel,
}

/// How a run ended.
pub(super) enum Ran {
    /// The outputs on their windows.
    Done(Vec<Array>),
    /// An entry check failed.
    Refused,
}

pub(super) fn build(
    toolchain: &Toolchain,
    pool: &Pool,
    program: &Program,
) -> Result<Native, BuildError> {
    let target = Target::host();
    let module = halidom_codegen::emit(pool, program, &target)?;
    Ok(Native { kernel: halidom_codegen::compile(&module, toolchain, &target)? })
}

impl Native {
    pub(super) fn run(
        &self,
        pool: &Pool,
        algorithm: &Algorithm,
        program: &Program,
        case: &Case,
    ) -> Result<Ran, ExecuteError> {
        let regions = output_regions(pool, program, &case.bindings, &case.windows)
            .map_err(|fault| ExecuteError::Regions(Box::new(fault)))?;
        let mut outputs = Vec::new();
        for (output, shape) in program.outputs.iter().zip(regions) {
            let mut padding = case.output_padding.clone();
            padding.resize(shape.len(), 0);
            let array = Array::padded(pool.buffer(output.buffer).scalar, shape, &padding);
            outputs.push(array.ok_or(ExecuteError::OutputTooLarge)?);
        }
        let arguments = Arguments {
            inputs: program
                .inputs
                .iter()
                .filter_map(|buffer| case.bindings.input(pool.buffer(*buffer).func))
                .collect(),
            windows: case.windows.clone(),
            params: algorithm
                .params
                .iter()
                .filter_map(|param| Some((*param, case.bindings.var(*param)?)))
                .collect(),
        };
        match self.kernel.run(&arguments, &mut outputs) {
            Ok(()) => {}
            Err(RunError::Check { .. }) => return Ok(Ran::Refused),
            Err(error) => return Err(error.into()),
        }
        outputs
            .iter()
            .zip(&case.windows)
            .map(|(array, window)| crop(array, window))
            .collect::<Option<_>>()
            .map(Ran::Done)
            .ok_or(ExecuteError::OutputTooLarge)
    }
}
