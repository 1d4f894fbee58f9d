//! Compilation of our algorithm and schedule by stock Halide.

use std::fs;
use std::process::Command;

use halidom_codegen::{HalideArgument, HalideCall, HalideError, HalideLibrary, Toolchain};
use halidom_driver::stock::export;
use halidom_halide::bridge;
use halidom_ir::{Algorithm, Array, Constant, Pool};

use halidom_driver::data::Prepared;
use halidom_driver::source::{Choice, Loaded};

/// The name of the pipeline in its library.
const NAME: &str = "halide_pipeline";

/// A Python script that compiles the result of `pipeline` in a script and prints the arguments'
/// names. Its arguments are `FILE OUT NAME`.
const COMPILE: &str = "\
import runpy, sys
import halide as hl
made = runpy.run_path(sys.argv[1])['pipeline']()
made = made if isinstance(made, hl.Pipeline) else hl.Pipeline(made)
arguments = made.infer_arguments()
files = {hl.OutputFileType.static_library: sys.argv[2]}
made.compile_to(files, arguments, sys.argv[3], hl.get_host_target())
for argument in arguments:
    print(argument.name)
";

/// A library that Halide compiled, with its arguments.
pub(super) struct HalideForm {
    pub(super) library: HalideLibrary,
    /// The inputs, in the order of the library's arguments.
    inputs: Vec<Argument>,
    /// The outputs on their windows.
    outputs: Vec<Array>,
}

/// The value for an argument.
enum Argument {
    Array(Array),
    Scalar(Constant),
}

/// Compiles a pipeline under a schedule with the installed Halide.
pub(super) fn compile(
    loaded: &Loaded,
    choice: &Choice,
    prepared: &Prepared,
    toolchain: &Toolchain,
) -> Result<HalideForm, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let text = export(loaded, choice).map_err(|error| words(&error))?;
    let folder = tempfile::tempdir().map_err(|error| words(&error))?;
    let [file, archive, shared] =
        ["pipeline.py", "pipeline.a", "pipeline.so"].map(|name| folder.path().join(name));
    fs::write(&file, text).map_err(|error| words(&error))?;
    let python = bridge::find().map_err(|error| words(&error))?;
    let mut command = Command::new(python);
    command.args(["-c", COMPILE]).arg(&file).arg(&archive).arg(NAME);
    let names = finish(&mut command)?;
    let mut command = Command::new(toolchain.compiler());
    command.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(&shared).arg("-Wl,--whole-archive");
    command.arg(&archive).args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm"]);
    finish(&mut command)?;
    let library = HalideLibrary::open(&shared, NAME).map_err(|error| words(&error))?;
    let pool = &loaded.module.pool;
    let algorithm = &loaded.module.pipelines[choice.pipeline].algorithm;
    let inputs = names.lines().map(|name| {
        argument(pool, algorithm, prepared, name).ok_or_else(|| format!("`{name}` has no value"))
    });
    let mut outputs = Vec::new();
    for (func, window) in algorithm.outputs.iter().zip(&prepared.windows) {
        for scalar in &pool.func(*func).scalars {
            outputs.push(Array::zeros(*scalar, window.clone()).ok_or("an output is too large")?);
        }
    }
    Ok(HalideForm { library, inputs: inputs.collect::<Result<_, _>>()?, outputs })
}

/// The value of an input or a parameter.
fn argument(
    pool: &Pool,
    algorithm: &Algorithm,
    prepared: &Prepared,
    name: &str,
) -> Option<Argument> {
    let input = algorithm.inputs.iter().find(|input| pool.func(**input).name == name);
    if let Some(input) = input {
        return prepared.bindings.input(*input).cloned().map(Argument::Array);
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
    /// Prepares a call with the arguments in place.
    pub(super) fn call(&self) -> Result<HalideCall<'_>, HalideError> {
        let inputs = self.inputs.iter().map(|input| match input {
            Argument::Array(array) => HalideArgument::Array(array),
            Argument::Scalar(value) => HalideArgument::Scalar(*value),
        });
        let outputs = self.outputs.iter().map(HalideArgument::Array);
        self.library.prepare(&inputs.chain(outputs).collect::<Vec<_>>())
    }

    /// The outputs of the last run.
    pub(super) fn outputs(&self, call: &HalideCall<'_>) -> Option<Vec<Array>> {
        let first = self.inputs.len();
        let mut outputs = self.outputs.clone();
        for (number, output) in outputs.iter_mut().enumerate() {
            if !call.copy_out(first + number, output) {
                return None;
            }
        }
        Some(outputs)
    }
}
