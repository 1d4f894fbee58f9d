//! Execution of a pipeline: natively, or by interpretation of its algorithm.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use halidom_codegen::{
    ArgumentInfo, Arguments, Artifact, CModule, CompileError, EmitError, Kernel, RunError, Target,
    Toolchain,
};
use halidom_interp::algorithm::{self, AlgorithmError};
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Array, Output, Pool, Program, Shape, points};
use halidom_smt::sealed::hexadecimal;
use sha2::{Digest as _, Sha256};

use crate::data::Prepared;

/// The time limit for timing a run, beyond its first execution.
const TIMING_BUDGET: Duration = Duration::from_millis(300);
/// The largest number of bytes that are compiled in one call, unless one program has more.
const MOST_TEXT: usize = 80_000;
/// The largest number of timed runs.
const MOST_RUNS: usize = 50;

/// The reason why a program could not be compiled to native code.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The C printer failed.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// The emitted C, when read back, differs from the program.
    #[error("the emitted C differs from the validated program: {0}")]
    ReadBack(#[from] halidom_readback::Mismatch),
    /// The C compiler failed.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// The reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// The native code reported an error.
    #[error(transparent)]
    Native(#[from] RunError),
    /// The interpreter of algorithms failed.
    #[error(transparent)]
    Algorithm(#[from] AlgorithmError),
    /// The regions of the outputs could not be found.
    #[error(transparent)]
    Regions(Box<Fault>),
    /// There is not enough memory for an output.
    #[error("an output is too large for this machine's memory")]
    OutputTooLarge,
}

/// Native code, with its compiler and target.
pub struct Native {
    kernel: Kernel,
    /// The name and version of the C compiler.
    pub compiler: String,
    /// The instruction set.
    pub target: Target,
}

/// The result of a native run.
#[derive(Debug)]
pub struct Run {
    /// The outputs on their windows, one array for each component.
    pub outputs: Vec<Array>,
    /// The median time of a run.
    pub median: Duration,
    /// The number of timed runs.
    pub runs: usize,
}

/// Prints C and reads it back, so that the compiled program is the validated one.
fn printed(pool: &Pool, program: &Program, target: &Target) -> Result<CModule, BuildError> {
    let module = halidom_codegen::emit(pool, program, target)?;
    halidom_readback::check(pool, program, &module.text)?;
    Ok(module)
}

/// A library that is compiled ahead of time.
#[derive(Debug)]
pub struct Ahead {
    /// The written files.
    pub files: Vec<PathBuf>,
    /// The SHA-256 hash of the C, in base 16.
    pub code: String,
    /// The pipeline's function in C.
    pub function: String,
    /// The parameters of the function, in order.
    pub arguments: Vec<ArgumentInfo>,
    /// The entry checks, in the order of their numbers in C, in words.
    pub checks: Vec<String>,
}

/// Writes a library that is compiled ahead of time.
pub fn build_ahead(
    pool: &Pool,
    program: &Program,
    toolchain: &Toolchain,
    target: &Target,
    directory: &Path,
    artifacts: &[Artifact],
) -> Result<Ahead, BuildError> {
    let module = printed(pool, program, target)?;
    let files = halidom_codegen::write_all(directory, &module, toolchain, target, artifacts)?;
    let checks = module.checks.iter().map(|check| check.what.clone()).collect();
    let code = hexadecimal(&Sha256::digest(module.library_text(target)));
    Ok(Ahead { files, code, function: module.name, arguments: module.arguments, checks })
}

/// Prints C, reads it back, compiles and loads it.
pub fn build(
    pool: &Pool,
    program: &Program,
    toolchain: &Toolchain,
    target: Target,
) -> Result<Native, BuildError> {
    let module = printed(pool, program, &target)?;
    let kernel = halidom_codegen::compile(&module, toolchain, &target)?;
    Ok(Native {
        kernel,
        compiler: format!("{} ({})", toolchain.compiler(), toolchain.version()),
        target,
    })
}

/// Prints, reads back and compiles programs of one algorithm with few calls of the C compiler,
/// which takes less time than one call for each. If a call fails, its programs are compiled one by
/// one. Reports each result with its program's number as soon as it is there.
pub fn build_batch(
    programs: &[(&Pool, &Program)],
    toolchain: &Toolchain,
    target: &Target,
    found: &mut dyn FnMut(usize, Result<Native, BuildError>),
) {
    let native = |kernel: Kernel| Native {
        kernel,
        compiler: format!("{} ({})", toolchain.compiler(), toolchain.version()),
        target: target.clone(),
    };
    // One call contracts floats for all of its programs or for none.
    let mut open: [Vec<(usize, CModule)>; 2] = [Vec::new(), Vec::new()];
    let compile = |part: Vec<(usize, CModule)>, found: &mut dyn FnMut(usize, _)| {
        let (numbers, modules): (Vec<usize>, Vec<CModule>) = part.into_iter().unzip();
        let effort = halidom_codegen::Effort::Optimised;
        match halidom_codegen::compile_batch(&modules, toolchain, target, effort) {
            Ok(kernels) => {
                let all = numbers.into_iter().zip(kernels);
                all.for_each(|(number, kernel)| found(number, Ok(native(kernel))));
            }
            Err(error) if modules.len() == 1 => found(numbers[0], Err(error.into())),
            Err(_) => {
                for (number, module) in numbers.into_iter().zip(&modules) {
                    let alone = halidom_codegen::compile(module, toolchain, target);
                    found(number, alone.map(native).map_err(BuildError::from));
                }
            }
        }
    };
    for (number, (pool, program)) in programs.iter().enumerate() {
        // The functions of one file need distinct names.
        let name = format!("{}_{number}", program.name);
        let named = Program { name, ..Program::clone(program) };
        match printed(pool, &named, target) {
            Ok(module) => {
                let part = &mut open[usize::from(module.compiled_for(target).contracts())];
                let length: usize = part.iter().map(|(_, module)| module.text.len()).sum();
                if length + module.text.len() > MOST_TEXT && !part.is_empty() {
                    compile(std::mem::take(part), found);
                }
                part.push((number, module));
            }
            Err(error) => found(number, Err(error)),
        }
    }
    for part in open.into_iter().filter(|part| !part.is_empty()) {
        compile(part, found);
    }
}

/// Runs native code on prepared data and times it.
pub fn run(
    native: &Native,
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    prepared: &Prepared,
    threads: Option<u32>,
) -> Result<Run, ExecuteError> {
    if let Some(threads) = threads {
        native.set_threads(threads as usize);
    }
    let mut placed = place(native, pool, algorithm, program, prepared)?;
    let begin = Instant::now();
    placed.call.run()?;
    let fits = TIMING_BUDGET.as_nanos() / begin.elapsed().as_nanos().max(1);
    let timing =
        placed.call.time(usize::try_from(fits).unwrap_or(MOST_RUNS).clamp(1, MOST_RUNS))?;
    Ok(Run { outputs: placed.outputs()?, median: timing.median, runs: timing.runs })
}

/// Native code with its arrays in place. It can run any number of times.
pub struct Placed<'n> {
    call: halidom_codegen::Prepared<'n>,
    outputs: Vec<Array>,
    windows: Vec<Shape>,
}

/// Copies prepared data to the memory on which native code will work.
pub fn place<'n>(
    native: &'n Native,
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    prepared: &Prepared,
) -> Result<Placed<'n>, ExecuteError> {
    let regions = machine::output_regions(pool, program, &prepared.bindings, &prepared.windows)
        .map_err(|fault| ExecuteError::Regions(Box::new(fault)))?;
    let mut outputs = Vec::new();
    for (output, shape) in program.outputs.iter().zip(regions) {
        for buffer in &output.buffers {
            let array = Array::zeros(pool.buffer(*buffer).scalar, shape.clone());
            outputs.push(array.ok_or(ExecuteError::OutputTooLarge)?);
        }
    }
    let windows = component_windows(program, &prepared.windows);
    let arguments = Arguments {
        inputs: program
            .inputs
            .iter()
            .filter_map(|buffer| prepared.bindings.input(pool.buffer(*buffer).func))
            .collect(),
        windows: windows.clone(),
        params: algorithm
            .params
            .iter()
            .filter_map(|param| Some((*param, prepared.bindings.var(*param)?)))
            .collect(),
    };
    let views: Vec<&Array> = outputs.iter().collect();
    let call = native.kernel.prepare(&arguments, &views)?;
    Ok(Placed { call, outputs, windows })
}

impl Native {
    /// Sets the number of threads for the parallel loops of all our pipelines; 0 restores the
    /// default.
    pub fn set_threads(&self, count: usize) {
        self.kernel.set_threads(count);
    }
}

impl Placed<'_> {
    /// Runs the code once.
    pub fn run(&mut self) -> Result<(), ExecuteError> {
        Ok(self.call.run()?)
    }

    /// The results of the last run on the windows, one array for each component.
    pub fn outputs(&mut self) -> Result<Vec<Array>, ExecuteError> {
        for (position, output) in self.outputs.iter_mut().enumerate() {
            if !self.call.copy_output(position, output) {
                return Err(ExecuteError::OutputTooLarge);
            }
        }
        let both = self.outputs.iter().zip(&self.windows);
        let cropped = both.map(|(array, window)| crop(array, window)).collect::<Option<_>>();
        cropped.ok_or(ExecuteError::OutputTooLarge)
    }
}

/// The window of each output buffer, given the windows of the outputs.
pub fn component_windows(program: &Program, windows: &[Shape]) -> Vec<Shape> {
    let outputs = program.outputs.iter().zip(windows);
    let repeated = |(output, window): (&Output, &Shape)| vec![window.clone(); output.buffers.len()];
    outputs.flat_map(repeated).collect()
}

/// Evaluates the algorithm by interpretation.
pub fn interpret(
    pool: &Pool,
    algorithm: &Algorithm,
    prepared: &Prepared,
) -> Result<Vec<Array>, ExecuteError> {
    Ok(algorithm::evaluate(pool, algorithm, &prepared.bindings, &prepared.windows)?)
}

/// The part of an array within a window.
pub fn crop(array: &Array, window: &[(i64, i64)]) -> Option<Array> {
    let shape: Vec<(i64, i64)> =
        window.iter().map(|(min, extent)| (*min, (*extent).max(0))).collect();
    if array.shape == shape && array.data.len() == array.len() * array.scalar.bytes()? {
        return Some(array.clone());
    }
    let mut cropped = Array::zeros(array.scalar, shape.clone())?;
    let bytes = array.scalar.bytes()?;
    // Copy whole runs along the first dimension where they are dense.
    let dense = array.strides.first().is_some_and(|stride| *stride == 1);
    let run = if dense { usize::try_from(shape[0].1).ok()? } else { 1 };
    if run == 0 {
        return Some(cropped);
    }
    let mut starts = shape;
    if dense {
        starts[0].1 = 1;
    }
    for point in points(&starts) {
        let mut last = point.clone();
        if let Some(first) = last.first_mut() {
            *first += run as i64 - 1;
        }
        // Invariant: both ends of a run are within the array.
        let (from, _) = (array.offset(&point)? * bytes, array.offset(&last)?);
        let to = cropped.offset(&point)? * bytes;
        let source = array.data.get(from..from + run * bytes)?;
        cropped.data.get_mut(to..to + run * bytes)?.copy_from_slice(source);
    }
    Some(cropped)
}

/// Finds the C compiler. A background thread queries its version, as that takes about as long as
/// lowering a program.
pub fn toolchain() -> Result<Toolchain, CompileError> {
    let toolchain = Toolchain::find()?;
    let asked = toolchain.clone();
    thread::spawn(move || asked.version().len());
    Ok(toolchain)
}

/// The host target for an algorithm. Under `fast_math` the C compiler may contract products and
/// sums that affect only values.
pub fn host(algorithm: &Algorithm) -> Target {
    Target::host().contracting(algorithm.fast_math)
}

impl ExecuteError {
    /// The stable error code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Native(RunError::OutOfMemory) | Self::OutputTooLarge => "HAL0812",
            Self::Native(_) | Self::Algorithm(_) | Self::Regions(_) => "HAL0816",
        }
    }

    /// A hint for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Native(RunError::OutOfMemory) | Self::OutputTooLarge => "give a smaller size",
            Self::Native(_) | Self::Algorithm(_) | Self::Regions(_) => {
                "give inputs, sizes and parameters that satisfy the check"
            }
        }
    }
}
