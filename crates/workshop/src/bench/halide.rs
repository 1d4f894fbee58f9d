//! Compilation of our algorithm and schedule by stock Halide.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use halidom_codegen::{HalideArgument, HalideCall, HalideError, HalideLibrary, Toolchain};
use halidom_driver::stock::export;
use halidom_halide::bridge;
use halidom_ir::{Algorithm, Array, Constant, Pool};

use halidom_driver::data::Prepared;
use halidom_driver::source::{Choice, Loaded};

/// The name of the pipeline in its library.
const NAME: &str = "halide_pipeline";

/// A Python script that compiles the result of `pipeline` in the scripts `N.py` of a folder, from a
/// first number on. Writes the library `N.a` and the arguments' names, `N.txt`, or the reason why
/// that fails, `N.failed`. Its arguments are `FOLDER FIRST COUNT NAME`.
const COMPILE: &str = "\
import os, runpy, sys
import halide as hl
folder, first, count, name = sys.argv[1:]
for number in range(int(first), int(count)):
    at = os.path.join(folder, str(number))
    try:
        made = runpy.run_path(at + '.py')['pipeline']()
        made = made if isinstance(made, hl.Pipeline) else hl.Pipeline(made)
        arguments = made.infer_arguments()
        files = {hl.OutputFileType.static_library: at + '.a'}
        made.compile_to(files, arguments, name, hl.get_host_target())
        with open(at + '.txt', 'w') as names:
            names.writelines(argument.name + '\\n' for argument in arguments)
    except Exception as error:
        with open(at + '.failed', 'w') as reason:
            reason.write(str(error))
";

/// A library that Halide compiled, with the names of its arguments.
pub(crate) struct HalideForm {
    pub(crate) library: HalideLibrary,
    names: Vec<String>,
}

/// A call of a library, with memory for its arguments.
pub(crate) struct HalideRun<'f> {
    pub(crate) call: HalideCall<'f>,
    /// The number of inputs, which come first.
    inputs: usize,
    /// The outputs on their windows.
    outputs: Vec<Array>,
}

/// The value for an argument.
enum Argument<'a> {
    Array(&'a Array),
    Scalar(Constant),
}

/// Compiles a pipeline under a schedule with the installed Halide.
pub(super) fn compile(
    loaded: &Loaded,
    choice: &Choice,
    toolchain: &Toolchain,
) -> Result<HalideForm, String> {
    let text = export(loaded, choice).map_err(|error| error.to_string())?;
    let mut all = compile_all(&[text], toolchain, Duration::MAX)?;
    all.pop().unwrap_or_else(|| Err("it is not compiled".to_owned()))
}

/// Compiles scripts with the installed Halide within a time limit. One process compiles all of
/// them; after a crash, another one goes on behind the script at which it happened.
///
/// # Errors
/// Returns the reason if no script can be compiled.
pub(crate) fn compile_all(
    scripts: &[String],
    toolchain: &Toolchain,
    limit: Duration,
) -> Result<Vec<Result<HalideForm, String>>, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let begin = Instant::now();
    let folder = tempfile::tempdir().map_err(|error| words(&error))?;
    let file = |number: usize, extension| folder.path().join(format!("{number}.{extension}"));
    for (number, text) in scripts.iter().enumerate() {
        fs::write(file(number, "py"), text).map_err(|error| words(&error))?;
    }
    let python = bridge::find().map_err(|error| words(&error))?;
    let is_done = |number: &usize| {
        ["txt", "failed"].iter().any(|extension| file(*number, extension).is_file())
    };
    let mut first = 0;
    let mut last_words = String::new();
    while first < scripts.len() {
        let mut command = Command::new(&python);
        command.args(["-c", COMPILE]).arg(folder.path()).arg(first.to_string());
        command.arg(scripts.len().to_string()).arg(NAME).env("PYTHONDONTWRITEBYTECODE", "1");
        let left = limit.saturating_sub(begin.elapsed());
        match finish_within(&mut command, &folder.path().join("words"), left) {
            Ok(()) => break,
            Err(Ended::Late) => {
                last_words = String::from("compiling it takes too long");
                break;
            }
            Err(Ended::Failed(reason)) => last_words = reason,
        }
        first = (first..scripts.len()).find(|number| !is_done(number)).unwrap_or(scripts.len());
        if first < scripts.len() {
            fs::write(file(first, "failed"), &last_words).map_err(|error| words(&error))?;
        }
        first += 1;
    }
    let form = |number: usize| {
        let Ok(names) = fs::read_to_string(file(number, "txt")) else {
            let reason = fs::read_to_string(file(number, "failed"));
            let reason = reason.unwrap_or_else(|_| last_words.clone());
            let first = reason.lines().find(|line| !line.trim().is_empty());
            return Err(first.unwrap_or("Halide fails without a word").to_owned());
        };
        let shared = file(number, "so");
        let mut command = Command::new(toolchain.compiler());
        command.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(&shared).arg("-Wl,--whole-archive");
        command.arg(file(number, "a"));
        command.args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm"]);
        finish(&mut command)?;
        let library = HalideLibrary::open(&shared, NAME).map_err(|error| words(&error))?;
        Ok(HalideForm { library, names: names.lines().map(str::to_owned).collect() })
    };
    Ok((0..scripts.len()).map(form).collect())
}

/// The reason why a process did not do its work.
enum Ended {
    Failed(String),
    Late,
}

/// Runs a command to its end, or ends it when a time limit passes. Its words go to a file.
fn finish_within(command: &mut Command, file: &Path, limit: Duration) -> Result<(), Ended> {
    const LOOK: Duration = Duration::from_millis(20);
    let failed = |error: std::io::Error| Ended::Failed(error.to_string());
    let begin = Instant::now();
    let words = fs::File::create(file).map_err(failed)?;
    let mut child = command.stdout(Stdio::null()).stderr(words).spawn().map_err(failed)?;
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if begin.elapsed() >= limit => {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                return Err(Ended::Late);
            }
            None => thread::sleep(LOOK),
        }
    };
    if status.success() {
        return Ok(());
    }
    let words = fs::read_to_string(file).unwrap_or_default();
    let last = words.lines().rev().find(|line| !line.trim().is_empty());
    Err(Ended::Failed(last.map_or_else(|| status.to_string(), str::to_owned)))
}

/// The value of an input or a parameter.
fn argument<'p>(
    pool: &Pool,
    algorithm: &Algorithm,
    prepared: &'p Prepared,
    name: &str,
) -> Option<Argument<'p>> {
    let input = algorithm.inputs.iter().find(|input| pool.func(**input).name == name);
    if let Some(input) = input {
        return prepared.bindings.input(*input).map(Argument::Array);
    }
    let param = algorithm.params.iter().find(|param| pool.var(**param).name == name)?;
    prepared.bindings.var(*param).map(Argument::Scalar)
}

/// Runs a command to its end and returns its standard output. If the command fails, the error is
/// the last line of its standard error.
fn finish(command: &mut Command) -> Result<String, String> {
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let last = words.lines().rev().find(|line| !line.trim().is_empty());
    Err(last.unwrap_or("it fails without a word").to_owned())
}

impl HalideForm {
    /// Prepares a run on these inputs.
    pub(crate) fn place(
        &self,
        (pool, algorithm): (&Pool, &Algorithm),
        prepared: &Prepared,
    ) -> Result<HalideRun<'_>, HalideError> {
        let inputs = self.names.iter().enumerate().map(|(number, name)| {
            argument(pool, algorithm, prepared, name).ok_or(HalideError::Argument(number))
        });
        let inputs: Vec<Argument<'_>> = inputs.collect::<Result<_, _>>()?;
        let mut outputs = Vec::new();
        for (func, window) in algorithm.outputs.iter().zip(&prepared.windows) {
            for scalar in &pool.func(*func).scalars {
                let zeros = Array::zeros(*scalar, window.clone());
                outputs.push(zeros.ok_or(HalideError::Argument(inputs.len() + outputs.len()))?);
            }
        }
        let arguments = inputs.iter().map(|input| match input {
            Argument::Array(array) => HalideArgument::Array(array),
            Argument::Scalar(value) => HalideArgument::Scalar(*value),
        });
        let all: Vec<_> = arguments.chain(outputs.iter().map(HalideArgument::Array)).collect();
        let call = self.library.prepare(&all)?;
        Ok(HalideRun { call, inputs: inputs.len(), outputs })
    }
}

impl HalideRun<'_> {
    /// The outputs of the last run.
    pub(crate) fn outputs(&self) -> Option<Vec<Array>> {
        let mut outputs = self.outputs.clone();
        for (number, output) in outputs.iter_mut().enumerate() {
            if !self.call.copy_out(self.inputs + number, output) {
                return None;
            }
        }
        Some(outputs)
    }
}
