//! Compiled pipelines: compile, bind arrays, run, time.

use std::time::{Duration, Instant};

use halidom_ir::{Array, Check, Constant, Scalar, Shape, VarId};

use crate::module::{CheckInfo, Field, Part, Side, Signature, Source, run_symbol};
use crate::native::link::{self, OBJECT_NAME};
use crate::native::loader::{self, Call, Entry, Failure, Memory, Status, Word};
use crate::native::toolchain::{SOURCE_NAME, write_sources};
use crate::{CModule, CompileError, Target, Toolchain};

/// Compiles and loads a module.
///
/// # Errors
/// Files cannot be written, the compiler does not run, takes too long or refuses the C, or the
/// library does not load.
pub fn compile(
    module: &CModule,
    toolchain: &Toolchain,
    target: &Target,
) -> Result<Kernel, CompileError> {
    let directory = tempfile::tempdir().map_err(CompileError::io("make a directory"))?;
    write_sources(directory.path(), module)?;
    let target = module.compiled_for(target);
    let mut command = toolchain.command(&target, directory.path());
    command.args(["-c", SOURCE_NAME, "-o", OBJECT_NAME]);
    toolchain.run(command, directory.path())?;
    let entry = link::load(toolchain, directory.path(), &run_symbol(&module.name))?;
    Ok(Kernel::new(entry, module))
}

/// A loaded pipeline.
pub struct Kernel {
    entry: Entry,
    fields: Vec<Field>,
    checks: Vec<CheckInfo>,
    signature: Signature,
}

/// The arguments of a pipeline, except for the outputs' arrays.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'a> {
    /// The inputs, in the program's order.
    pub inputs: Vec<&'a Array>,
    /// The required region of each output's buffer, in order.
    pub windows: Vec<Shape>,
    /// A value for each parameter.
    pub params: Vec<(VarId, Constant)>,
}

/// The reasons why a pipeline did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// An entry check failed.
    #[error("{message}")]
    Check {
        /// Its number among the module's checks.
        index: usize,
        /// The check.
        check: Check,
        /// The reported values: for a region, the needed min and extent, then the given ones.
        values: Vec<i64>,
        /// The message.
        message: String,
    },
    /// The memory for an internal buffer could not be allocated.
    #[error("there is not enough memory for an internal buffer")]
    OutOfMemory,
    /// The pipeline returned a status, or reported a check, that it does not have.
    #[error("the pipeline returned the unknown status {0}")]
    UnknownStatus(i32),
    /// Too many or too few arrays or windows.
    #[error("the pipeline takes {expected} {what}, not {given}")]
    Count {
        /// The kind of things that are counted.
        what: &'static str,
        /// The number that the pipeline takes.
        expected: usize,
        /// The number that was given.
        given: usize,
    },
    /// An array has another type or rank.
    #[error("`{name}` must have {rank} dimensions of `{scalar}`")]
    Type {
        /// The input or output.
        name: String,
        /// Its element type.
        scalar: Scalar,
        /// Its number of dimensions.
        rank: usize,
    },
    /// An array's bytes do not hold its box.
    #[error("the array for `{0}` has less memory than its shape and strides say")]
    Memory(String),
    /// A parameter has no value, or a value of another type.
    #[error("parameter `{name}` needs a value of type `{scalar}`")]
    Param {
        /// The parameter.
        name: String,
        /// Its type.
        scalar: Scalar,
    },
    /// Two arrays that share a layout variable differ in it.
    #[error("the arguments disagree about `{0}`")]
    Shared(String),
}

/// The durations of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The shortest run.
    pub best: Duration,
    /// The median.
    pub median: Duration,
    /// The number of runs.
    pub runs: usize,
}

/// A pipeline with its arrays in place, to run any number of times.
pub struct Prepared<'k> {
    kernel: &'k Kernel,
    call: Call,
}

impl Kernel {
    pub(crate) fn new(entry: Entry, module: &CModule) -> Self {
        Self {
            entry,
            fields: module.fields.clone(),
            checks: module.checks.clone(),
            signature: module.signature.clone(),
        }
    }

    /// Returns the entry checks.
    pub fn checks(&self) -> &[CheckInfo] {
        &self.checks
    }

    /// Sets the number of threads that the parallel loops of all pipelines use; 0 restores the
    /// default.
    pub fn set_threads(&self, count: usize) {
        loader::set_threads(count);
    }

    /// Runs the pipeline once. The outputs keep their old values where the pipeline writes nothing.
    /// They stay as they were if a check fails.
    ///
    /// # Errors
    /// The arguments do not fit the pipeline, or it does not run to its end.
    pub fn run(&self, arguments: &Arguments<'_>, outputs: &mut [Array]) -> Result<(), RunError> {
        let views: Vec<&Array> = outputs.iter().collect();
        let mut prepared = self.prepare(arguments, &views)?;
        prepared.run()?;
        for (position, output) in outputs.iter_mut().enumerate() {
            prepared.copy_output(position, output);
        }
        Ok(())
    }

    /// Copies the arrays to the memory on which the pipeline will work.
    ///
    /// # Errors
    /// The arguments do not fit the pipeline.
    pub fn prepare(
        &self,
        arguments: &Arguments<'_>,
        outputs: &[&Array],
    ) -> Result<Prepared<'_>, RunError> {
        let Signature { inputs, outputs: expected_outputs, .. } = &self.signature;
        count("inputs", inputs.len(), arguments.inputs.len())?;
        count("outputs", expected_outputs.len(), outputs.len())?;
        count("windows", expected_outputs.len(), arguments.windows.len())?;
        let mut memories = Vec::new();
        let expected = inputs.iter().chain(expected_outputs);
        for (expected, array) in expected.zip(arguments.inputs.iter().chain(outputs)) {
            if array.scalar != expected.scalar
                || array.shape.len() != expected.rank
                || array.strides.len() != expected.rank
            {
                return Err(RunError::Type {
                    name: expected.name.clone(),
                    scalar: expected.scalar,
                    rank: expected.rank,
                });
            }
            // Invariant: a call is made only on arrays whose memory holds their box.
            if !holds_its_box(array) {
                return Err(RunError::Memory(expected.name.clone()));
            }
            memories.push(Memory::of(&array.data));
        }
        for (expected, window) in expected_outputs.iter().zip(&arguments.windows) {
            count("dimensions of a window", expected.rank, window.len())?;
        }
        for (position, expected) in expected_outputs.iter().enumerate() {
            let Some(first) = expected.like else { continue };
            let same_shape = outputs[position].shape == outputs[first].shape
                && outputs[position].strides == outputs[first].strides;
            if !same_shape || arguments.windows[position] != arguments.windows[first] {
                return Err(RunError::Shared(expected.name.clone()));
            }
        }
        let mut words: Vec<Word> = Vec::with_capacity(self.fields.len());
        for (position, field) in self.fields.iter().enumerate() {
            let word = self.word(field, arguments, outputs)?;
            let shared = self.fields[..position]
                .iter()
                .position(|earlier| field.var.is_some() && earlier.var == field.var);
            if let Some(earlier) = shared
                && let (Word::Value(a, _), Word::Value(b, _)) = (words[earlier], word)
                && a != b
            {
                return Err(RunError::Shared(field.name.clone()));
            }
            words.push(word);
        }
        Ok(Prepared { kernel: self, call: Call::new(memories, words) })
    }

    fn word(
        &self,
        field: &Field,
        arguments: &Arguments<'_>,
        outputs: &[&Array],
    ) -> Result<Word, RunError> {
        let int = |value: i64| Word::Value(value as u64, 8);
        Ok(match field.source {
            Source::Memory(Side::Input(position)) => Word::Memory(position),
            Source::Memory(Side::Output(position)) => {
                Word::Memory(self.signature.inputs.len() + position)
            }
            Source::Layout(side, dim, part) => {
                let array = match side {
                    Side::Input(position) => arguments.inputs[position],
                    Side::Output(position) => outputs[position],
                };
                let (min, extent) = array.shape[dim];
                int(match part {
                    Part::Min => min,
                    Part::Extent => extent,
                    Part::Stride => array.strides[dim],
                })
            }
            Source::Window(output, dim, part) => {
                let (min, extent) = arguments.windows[output][dim];
                int(if part == Part::Min { min } else { extent })
            }
            Source::Param(position) => {
                let param = &self.signature.params[position];
                let missing = || RunError::Param { name: param.name.clone(), scalar: param.scalar };
                let value = arguments
                    .params
                    .iter()
                    .find(|(var, _)| *var == param.var)
                    .map(|(_, value)| *value)
                    .filter(|value| value.scalar() == param.scalar)
                    .ok_or_else(missing)?;
                match (value.to_bits(), value.as_integer()) {
                    (Some(bits), _) => Word::Value(bits, param.scalar.bytes().unwrap_or(8)),
                    (None, Some(number)) => int(i64::try_from(number).map_err(|_| missing())?),
                    (None, None) => return Err(missing()),
                }
            }
        })
    }

    fn failure(&self, failure: &Failure) -> RunError {
        let index = usize::try_from(failure.check).unwrap_or(usize::MAX);
        match self.checks.get(index) {
            Some(info) => {
                let values = info.values(&failure.values);
                RunError::Check {
                    index,
                    check: info.check.clone(),
                    message: info.message(&values),
                    values,
                }
            }
            None => RunError::UnknownStatus(failure.check),
        }
    }
}

impl Prepared<'_> {
    /// Runs the pipeline once.
    ///
    /// # Errors
    /// A check fails, memory runs out, or the pipeline returns an unknown status.
    pub fn run(&mut self) -> Result<(), RunError> {
        let (status, failure) = self.kernel.entry.call(&mut self.call);
        match status {
            Status::Done => Ok(()),
            Status::CheckFailed => Err(self.kernel.failure(&failure)),
            Status::OutOfMemory => Err(RunError::OutOfMemory),
            Status::Other(status) => Err(RunError::UnknownStatus(status)),
        }
    }

    /// Times `runs` runs, at least one, after one run that does not count.
    ///
    /// # Errors
    /// A run fails.
    pub fn time(&mut self, runs: usize) -> Result<Timing, RunError> {
        self.run()?;
        let runs = runs.max(1);
        let mut durations = Vec::with_capacity(runs);
        for _ in 0..runs {
            let start = Instant::now();
            self.run()?;
            durations.push(start.elapsed());
        }
        durations.sort_unstable();
        Ok(Timing { best: durations[0], median: durations[runs / 2], runs })
    }

    /// Copies an output out to an array of the layout with which it was prepared. Returns false,
    /// and copies nothing, if the array has another number of bytes.
    pub fn copy_output(&self, position: usize, output: &mut Array) -> bool {
        let memory = self.call.memory(self.kernel.signature.inputs.len() + position);
        memory.copy_to(&mut output.data)
    }
}

fn count(what: &'static str, expected: usize, given: usize) -> Result<(), RunError> {
    if expected == given { Ok(()) } else { Err(RunError::Count { what, expected, given }) }
}

/// Tests whether every element of the box lies in the array's bytes.
pub(crate) fn holds_its_box(array: &Array) -> bool {
    if array.shape.iter().any(|(_, extent)| *extent <= 0) {
        return true;
    }
    let (mut low, mut high) = (0_i128, 0_i128);
    for ((_, extent), stride) in array.shape.iter().zip(&array.strides) {
        let reach = (i128::from(*extent) - 1) * i128::from(*stride);
        low += reach.min(0);
        high += reach.max(0);
    }
    let bytes = array.scalar.bytes().unwrap_or(8) as i128;
    low >= 0 && (high + 1) * bytes <= array.data.len() as i128
}
