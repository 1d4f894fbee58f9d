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

/// A Python script that compiles the result of `pipeline` in the scripts `N.py` of a folder. Writes
/// the library `N.a` and the arguments' names, `N.txt`, or the reason why that fails, `N.failed`.
/// Its arguments are `FOLDER COUNT NAME`.
const COMPILE: &str = "\
import os, runpy, sys
import halide as hl
folder, count, name = sys.argv[1:]
for number in range(int(count)):
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

/// A library that Halide compiled, with its arguments.
pub(crate) struct HalideForm {
    pub(crate) library: HalideLibrary,
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
    let text = export(loaded, choice).map_err(|error| error.to_string())?;
    let pool = &loaded.module.pool;
    let algorithm = &loaded.module.pipelines[choice.pipeline].algorithm;
    let mut all = compile_all(&[text], (pool, algorithm), prepared, toolchain)?;
    all.pop().unwrap_or_else(|| Err("it is not compiled".to_owned()))
}

/// Compiles scripts of one pipeline with the installed Halide, in one process.
///
/// # Errors
/// Returns the reason if no script can be compiled.
pub(crate) fn compile_all(
    scripts: &[String],
    (pool, algorithm): (&Pool, &Algorithm),
    prepared: &Prepared,
    toolchain: &Toolchain,
) -> Result<Vec<Result<HalideForm, String>>, String> {
    let words = |error: &dyn std::fmt::Display| error.to_string();
    let folder = tempfile::tempdir().map_err(|error| words(&error))?;
    for (number, text) in scripts.iter().enumerate() {
        let file = folder.path().join(format!("{number}.py"));
        fs::write(file, text).map_err(|error| words(&error))?;
    }
    let python = bridge::find().map_err(|error| words(&error))?;
    let mut command = Command::new(python);
    command.args(["-c", COMPILE]).arg(folder.path()).arg(scripts.len().to_string()).arg(NAME);
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    // The process may crash at a script. Those before it are compiled.
    let ended = finish(&mut command);
    let form = |number: usize| {
        let [names, failed, archive, shared] = ["txt", "failed", "a", "so"]
            .map(|extension| folder.path().join(format!("{number}.{extension}")));
        let Ok(names) = fs::read_to_string(names) else {
            let reason = fs::read_to_string(failed).ok().or(ended.clone().err());
            let reason = reason.unwrap_or_default();
            let first = reason.lines().find(|line| !line.trim().is_empty());
            return Err(first.unwrap_or("Halide fails without a word").to_owned());
        };
        let mut command = Command::new(toolchain.compiler());
        command.args(["-shared", "-Wl,-Bsymbolic", "-o"]).arg(&shared).arg("-Wl,--whole-archive");
        command.arg(&archive).args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm"]);
        finish(&mut command)?;
        let library = HalideLibrary::open(&shared, NAME).map_err(|error| words(&error))?;
        HalideForm::of(library, &names, (pool, algorithm), prepared)
    };
    Ok((0..scripts.len()).map(form).collect())
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
    /// Adds the values for the arguments with these names, one on each line.
    fn of(
        library: HalideLibrary,
        names: &str,
        (pool, algorithm): (&Pool, &Algorithm),
        prepared: &Prepared,
    ) -> Result<Self, String> {
        let inputs = names.lines().map(|name| {
            argument(pool, algorithm, prepared, name)
                .ok_or_else(|| format!("`{name}` has no value"))
        });
        let inputs = inputs.collect::<Result<_, _>>()?;
        let mut outputs = Vec::new();
        for (func, window) in algorithm.outputs.iter().zip(&prepared.windows) {
            for scalar in &pool.func(*func).scalars {
                let zeros = Array::zeros(*scalar, window.clone());
                outputs.push(zeros.ok_or("an output is too large")?);
            }
        }
        Ok(Self { library, inputs, outputs })
    }

    /// Prepares a call with the arguments in place.
    pub(crate) fn call(&self) -> Result<HalideCall<'_>, HalideError> {
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
