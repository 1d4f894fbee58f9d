//! The grammar of `preload`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct PreloadArgs {
    /// The folder of the Halide that the program is linked with, which has `include/Halide.h` and
    /// `lib64` or `lib`; by default, the Python package `halide`
    #[arg(long, value_name = "DIR")]
    pub(crate) halide: Option<PathBuf>,
    /// Judge the pipelines that the library writes to this folder, as it tells on standard input
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) judge: Option<PathBuf>,
    /// Keep the folder
    #[arg(long, hide = true, requires = "judge")]
    pub(crate) keep: bool,
}
