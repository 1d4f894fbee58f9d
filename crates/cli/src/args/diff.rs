//! The grammar of `diff`.

use std::path::PathBuf;

use clap::Args;

use super::{AnnotationsArg, Solving};

#[derive(Debug, Args)]
pub(crate) struct DiffArgs {
    /// The old compile: a Python script that defines `pipeline()` (.py), a pipeline file
    /// (.hlpipe), a generator's executable, or a folder that Halidom's Python package wrote
    pub(crate) old: PathBuf,
    /// The new compile; by default, the same file
    pub(crate) new: Option<PathBuf>,
    /// The Python whose Halide makes the old compile; by default, the one that `validate` takes
    #[arg(long, value_name = "PYTHON")]
    pub(crate) old_python: Option<PathBuf>,
    /// The Python whose Halide makes the new compile
    #[arg(long, value_name = "PYTHON")]
    pub(crate) new_python: Option<PathBuf>,
    /// The target of the old compile, in Halide's notation; by default, this machine
    #[arg(long, value_name = "TARGET")]
    pub(crate) old_target: Option<String>,
    /// The target of the new compile
    #[arg(long, value_name = "TARGET")]
    pub(crate) new_target: Option<String>,
    /// The generator of the executables; may be omitted if they have only one
    #[arg(short = 'g', long, value_name = "NAME")]
    pub(crate) generator_name: Option<String>,
    /// A parameter of both generators; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) param: Vec<String>,
    /// A parameter of the old generator; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) old_param: Vec<String>,
    /// A parameter of the new generator; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) new_param: Vec<String>,
    /// A condition on parameters and shapes that callers satisfy; may be repeated
    #[arg(long, value_name = "CONDITION")]
    pub(crate) assume: Vec<String>,
    /// Write the inputs on which the compiles differ, and the outputs of both, to the folders `old`
    /// and `new` in this one, as .npy files
    #[arg(long, value_name = "DIR")]
    pub(crate) replay: Option<PathBuf>,
    /// Choose when the pipelines are compiled a second time, with annotations
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(crate) annotations: Option<AnnotationsArg>,
    #[command(flatten)]
    pub(crate) solving: Solving,
    /// The time for the whole comparison, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120.0)]
    pub(crate) limit: f64,
}
