//! Native code of many programs, compiled by one call of the C compiler, and run on cases with
//! padded outputs.

use std::rc::Rc;

use halidom_codegen::{
    Arguments, CModule, CompileError, Effort, Kernel, RunError, Target, Toolchain,
};
use halidom_interp::machine::output_regions;
use halidom_ir::{Algorithm, Array, Pool, Program};
use halidom_testgen::Case;

use super::disagreement::{Disagreement, Kind, Wrong};
use super::figures::{Figures, Part, Spent};
use super::runs::{described, difference};
use super::subject::{Known, Subject};
use halidom_driver::execute::{BuildError, ExecuteError, component_windows, crop};

/// A program to compile, with its expected results.
pub(super) struct Job {
    pub(super) subject: Rc<Subject>,
    pub(super) schedule: String,
    pool: Pool,
    algorithm: Algorithm,
    program: Program,
    module: CModule,
    known: Rc<[Known]>,
}

impl Job {
    /// Prints a program as C and reads the C back. `number` makes its name unique.
    pub(super) fn new(
        (subject, known): (&Rc<Subject>, &Rc<[Known]>),
        schedule: String,
        pool: Pool,
        algorithm: Algorithm,
        mut program: Program,
        number: u64,
    ) -> Result<Self, Wrong> {
        program.name = format!("p{}_{number}", subject.seed);
        let failed = |error: BuildError| Wrong::of(Kind::BackEnd, error.to_string());
        let module = halidom_codegen::emit(&pool, &program, &Target::host())
            .map_err(|error| failed(error.into()))?;
        halidom_readback::check(&pool, &program, &module.text)
            .map_err(|error| failed(error.into()))?;
        let (subject, known) = (Rc::clone(subject), Rc::clone(known));
        Ok(Self { subject, schedule, pool, algorithm, program, module, known })
    }

    fn examine(&self, kernel: &Kernel, figures: &mut Figures) -> Result<(), Wrong> {
        let (pool, algorithm) = (&self.pool, &self.algorithm);
        for Known { case, expected } in self.known.iter() {
            let wrong = |what| Wrong {
                kind: Kind::Native,
                what,
                inputs: Some(described(pool, algorithm, case)),
            };
            match run(kernel, pool, algorithm, &self.program, case) {
                Ok(Ran::Done(outputs)) => {
                    figures.native_runs += 1;
                    if let Some(difference) = difference(pool, algorithm, expected, &outputs) {
                        return Err(wrong(difference));
                    }
                }
                Ok(Ran::Refused) => {}
                Err(error) => return Err(wrong(error.to_string())),
            }
        }
        Ok(())
    }
}

/// One in this many programs is compiled with the users' optimizations; the others are only
/// translated.
const OPTIMISED_ONE_IN: u64 = 4;

/// Compiles and runs programs.
pub(super) fn examine(
    toolchain: &Toolchain,
    jobs: &[Job],
    figures: &mut Figures,
    spent: &mut Spent,
) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let (optimised, plain): (Vec<&Job>, Vec<&Job>) =
        jobs.iter().partition(|job| job.subject.seed.is_multiple_of(OPTIMISED_ONE_IN));
    for (jobs, effort) in [(optimised, Effort::Optimised), (plain, Effort::Plain)] {
        if jobs.is_empty() {
            continue;
        }
        let kernels = spent.on(Part::Compiler, || compiled(toolchain, &jobs, effort, &mut found));
        for (job, kernel) in jobs.iter().zip(&kernels) {
            let Some(kernel) = kernel else { continue };
            figures.native += 1;
            figures.native_optimised += u64::from(effort == Effort::Optimised);
            if let Err(wrong) = spent.on(Part::Native, || job.examine(kernel, figures)) {
                found.push(job.subject.disagreement(Some(job.schedule.clone()), wrong));
            }
        }
    }
    found
}

/// The programs' kernels. A program that the compiler refuses is a finding.
fn compiled(
    toolchain: &Toolchain,
    jobs: &[&Job],
    effort: Effort,
    found: &mut Vec<Disagreement>,
) -> Vec<Option<Kernel>> {
    let target = Target::host();
    let modules: Vec<CModule> = jobs.iter().map(|job| job.module.clone()).collect();
    if let Ok(kernels) = halidom_codegen::compile_batch(&modules, toolchain, &target, effort) {
        return kernels.into_iter().map(Some).collect();
    }
    // Compile them one by one to find those that the compiler refuses.
    let each = jobs.iter().zip(&modules).map(|(job, module)| {
        let failed = |error: CompileError| {
            let wrong = Wrong::of(Kind::BackEnd, error.to_string());
            found.push(job.subject.disagreement(Some(job.schedule.clone()), wrong));
        };
        halidom_codegen::compile(module, toolchain, &target).map_err(failed).ok()
    });
    each.collect()
}

/// The end of a run.
enum Ran {
    /// The outputs on their windows.
    Done(Vec<Array>),
    /// An entry check failed.
    Refused,
}

fn run(
    kernel: &Kernel,
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
        for buffer in &output.buffers {
            let scalar = pool.buffer(*buffer).scalar;
            let array = Array::padded(scalar, shape.clone(), &padding);
            outputs.push(array.ok_or(ExecuteError::OutputTooLarge)?);
        }
    }
    let windows = component_windows(program, &case.windows);
    let arguments = Arguments {
        inputs: program
            .inputs
            .iter()
            .filter_map(|buffer| case.bindings.input(pool.buffer(*buffer).func))
            .collect(),
        windows: windows.clone(),
        params: algorithm
            .params
            .iter()
            .filter_map(|param| Some((*param, case.bindings.var(*param)?)))
            .collect(),
    };
    match kernel.run(&arguments, &mut outputs) {
        Ok(()) => {}
        Err(RunError::Check { .. }) => return Ok(Ran::Refused),
        Err(error) => return Err(error.into()),
    }
    outputs
        .iter()
        .zip(&windows)
        .map(|(array, window)| crop(array, window))
        .collect::<Option<_>>()
        .map(Ran::Done)
        .ok_or(ExecuteError::OutputTooLarge)
}
