//! The arguments of `halidom tune`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::DataArgs;

#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct TuneArgs {
    /// The program
    #[arg(required_unless_present_any = ["calibrate", "halide_script"])]
    pub(crate) file: Option<PathBuf>,
    /// A Python script whose `pipeline()` returns the pipeline; the search is for stock Halide
    #[arg(
        long,
        value_name = "SCRIPT",
        conflicts_with_all = ["file", "calibrate", "explain", "sample"]
    )]
    pub(crate) halide_script: Option<PathBuf>,
    /// Search for stock Halide: time and validate its code for each schedule, and print the winner
    /// as directives in this language
    #[arg(long, value_enum, conflicts_with_all = ["calibrate", "explain", "sample"])]
    pub(crate) language: Option<LanguageArg>,
    /// The pipeline; may be omitted if the file has only one
    #[arg(short, long)]
    pub(crate) pipeline: Option<String>,
    /// The schedule to begin with; `default` is the unscheduled form
    #[arg(short, long)]
    pub(crate) schedule: Option<String>,
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// The time limit for the search, in seconds, without the validator's time
    #[arg(long, default_value_t = 60.0)]
    pub(crate) budget: f64,
    /// The time limit for proofs of new schedules after the search, in seconds; half of the budget
    /// by default, but at least 10
    #[arg(long, value_name = "SECONDS")]
    pub(crate) proofs: Option<f64>,
    /// Threads for parallel loops; all processors by default
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(crate) threads: Option<u16>,
    /// The seed of the random changes; measured times also decide which changes are tried
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// The file for the text of the fastest proved schedule
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Estimate the schedules of the file, say where the time goes, and search nothing
    #[arg(long)]
    pub(crate) explain: bool,
    /// Let the schedule demand outputs of at least one block, or of just the few channels that
    /// `--size` has
    #[arg(long)]
    pub(crate) allow_bounds: bool,
    /// Draw candidates at random, without estimates
    #[arg(long)]
    pub(crate) no_estimates: bool,
    /// Measure this machine for estimates, for about a minute, and keep the result
    #[arg(long, conflicts_with_all = ["file", "explain", "sample"])]
    pub(crate) calibrate: bool,
    /// Measure random schedules until there are N, and compare them with their estimates
    #[arg(long, value_name = "N", requires = "samples", conflicts_with = "explain")]
    pub(crate) sample: Option<usize>,
    /// The file that keeps the measured schedules
    #[arg(long, value_name = "FILE")]
    pub(crate) samples: Option<PathBuf>,
}

/// The language of directives for stock Halide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LanguageArg {
    /// Python, with Halide's package as `hl`
    Python,
    /// C++, with `using namespace Halide`
    Cpp,
}
