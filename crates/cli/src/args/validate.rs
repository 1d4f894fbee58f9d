//! The grammar of `validate`, and of what commands that judge are given.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Engine, Named, Solving};

#[derive(Debug, Args)]
pub(crate) struct ValidateArgs {
    #[command(flatten)]
    pub(crate) given: Given,
    /// For a refutation of stock Halide's code, write the inputs, the pipeline's values and the
    /// compiled code's values to this folder, as .npy files
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// Do not run the compiled code, neither on the inputs of a refutation nor on the inputs that
    /// try a proof: the verdict is then about the statement alone
    #[arg(long, requires = "stock", conflicts_with = "replay")]
    pub(crate) no_replay: bool,
    /// Write the judged statement to this file without loss, in the form that `--ir` takes
    #[arg(long, value_name = "FILE", requires = "stock")]
    pub(crate) write_statement: Option<PathBuf>,
    /// Write the algorithm and the judged statement as a program to this file, with the claims and
    /// regions that the proof is about; reports number the lines of the same text
    #[arg(long, value_name = "FILE", requires = "stock")]
    pub(crate) write_program: Option<PathBuf>,
    /// Choose when stock Halide compiles the pipeline a second time, with annotations of the value
    /// that each store writes; the verdict records whether it uses them. The default is `fallback`
    #[arg(long, value_enum, value_name = "WHEN", requires = "stock")]
    pub(crate) annotations: Option<AnnotationsArg>,
    #[command(flatten)]
    pub(crate) solving: Solving,
    /// The engine that judges
    #[arg(long, value_enum, default_value = "default")]
    pub(crate) engine: Engine,
    /// The time for the whole judgement of a program, in seconds. What is not shown by then is
    /// unknown. The default is 60 for stock Halide; for other programs there is no limit
    #[arg(long, value_name = "SECONDS")]
    pub(crate) limit: Option<f64>,
    /// End as soon as the standard input ends, with all processes that were started
    #[arg(long, hide = true)]
    pub(crate) end_with_input: bool,
    /// Write every solver query to this folder, as SMT-LIB text that any solver can read
    #[arg(long, value_name = "DIR")]
    pub(crate) emit_smt: Option<PathBuf>,
    /// Fail only if a verdict is worse than in this file, which `--json` wrote; a subject that the
    /// file does not mention must be proved
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline: Option<PathBuf>,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write a SARIF report
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
}

/// The cases in which stock Halide also compiles a pipeline with annotations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AnnotationsArg {
    /// Never: the value that each store writes is inferred from the plain statement
    Never,
    /// Only if the inferred values lead to neither a proof nor a refutation
    Fallback,
    /// From the beginning
    Always,
}

/// A file, or a pipeline that stock Halide compiled.
#[derive(Debug, Args)]
pub(crate) struct Given {
    /// The program, whose schedules are judged at the same time, up to four; with `--generator`,
    /// the generator's parameters, each as `NAME=VALUE`
    #[arg(
        value_name = "FILE",
        required_unless_present_any = ["halide_script", "generator", "passes"]
    )]
    pub(crate) words: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) named: Named,
    #[command(flatten)]
    pub(crate) stock: StockArgs,
}

impl Given {
    /// Returns the dump if nothing else is given.
    pub(crate) fn dump_alone(&self) -> Option<&Path> {
        let Self { words, stock, .. } = self;
        let alone = words.is_empty()
            && !stock.halide
            && stock.halide_script.is_none()
            && stock.generator.is_none();
        stock.passes.as_deref().filter(|_| alone)
    }
}

/// A pipeline that stock Halide compiled.
#[derive(Debug, Args)]
#[group(id = "stock", multiple = true)]
pub(crate) struct StockArgs {
    /// Judge what Halide compiles from FILE, a pipeline that stock Halide serialized (.hlpipe); or
    /// the compiled code in FILE, a folder that Halidom's Python package wrote
    #[arg(long, conflicts_with_all = ["halide_script", "generator"])]
    pub(crate) halide: bool,
    /// Judge what Halide compiles from a Python script, which defines `pipeline()`; this function
    /// returns a `halide.Func`, a list of outputs or a `halide.Pipeline`
    #[arg(long, value_name = "SCRIPT", conflicts_with = "generator")]
    pub(crate) halide_script: Option<PathBuf>,
    /// Judge what a compiled C++ generator produces; FILE… are its parameters, each as `NAME=VALUE`
    #[arg(long, value_name = "BINARY")]
    pub(crate) generator: Option<PathBuf>,
    /// The generator of the binary; may be omitted if the binary has only one
    #[arg(short = 'g', long, value_name = "NAME", requires = "generator")]
    pub(crate) generator_name: Option<String>,
    /// A plug-in that the generator loads, such as an autoscheduler's library
    /// (`…/halide/lib64/libautoschedule_mullapudi2016.so`); may be repeated
    #[arg(long, value_name = "FILE", requires = "generator")]
    pub(crate) plugin: Vec<PathBuf>,
    /// Judge the pipeline of the generator's gradients (the generator's `-d 1`)
    #[arg(long, requires = "generator")]
    pub(crate) gradient_descent: bool,
    /// The target of Halide's compile, in Halide's notation (`x86-64-linux-avx2`); by default, this
    /// machine
    #[arg(long, value_name = "TARGET", requires = "stock")]
    pub(crate) target: Option<String>,
    /// The final statement that Halide compiled from the pipeline; by default, the installed Halide
    /// compiles it
    #[arg(long, value_name = "STATEMENT", requires = "halide")]
    pub(crate) ir: Option<PathBuf>,
    /// Halide's output on standard error with HL_DEBUG_CODEGEN=2: a refutation then names the pass
    /// after which the statement is wrong. Without FILE, `validate` runs the statements after all
    /// passes on the same inputs and names the first pass that changes the result
    #[arg(long, value_name = "DUMP")]
    pub(crate) passes: Option<PathBuf>,
    /// A condition on parameters and shapes that callers satisfy in addition to the statement's
    /// checks, written as in statements (`0 <= radius`, `(input.extent.0 % 8) == 0`); may be
    /// repeated. The verdict lists it
    #[arg(long, value_name = "CONDITION")]
    pub(crate) assume: Vec<String>,
}
