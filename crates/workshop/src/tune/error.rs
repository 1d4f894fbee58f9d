//! The reasons why a search fails.

use halidom_codegen::CompileError;
use halidom_diag::Diagnostic;
use halidom_driver::data::DataError;
use halidom_verdict::{Evidence, Ran, Verdict};

use super::counts::Counts;

/// The reason why a search fails.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The pipeline or the schedule to start with is refused.
    #[error("a schedule is refused")]
    Refused(Vec<Diagnostic>),
    /// The inputs cannot be prepared.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The C compiler is missing.
    #[error(transparent)]
    Toolchain(#[from] CompileError),
    /// A file cannot be read or written.
    #[error(transparent)]
    File(#[from] std::io::Error),
    /// The unscheduled form or the form of the schedule to start with cannot be run.
    #[error("`{schedule}` cannot be run: {reason}")]
    Start {
        /// The schedule's name.
        schedule: String,
        /// The reason.
        reason: String,
    },
    /// A schedule computes other results or is refuted: a defect of the compiler.
    #[error("a legal schedule computes something else: {how}")]
    Wrong {
        /// The schedule's text.
        text: String,
        /// The evidence.
        how: String,
    },
    /// None of the fastest schedules is proved.
    #[error(
        "none of the {tried} fastest schedules is proved; of the fastest: {}",
        verdict.sentence()
    )]
    NotProved {
        /// The number of schedules that were given to the validator.
        tried: usize,
        /// The verdict on the fastest.
        verdict: Box<Verdict>,
        /// The candidates' fates.
        counts: Box<Counts>,
        /// The scripts for which stock Halide's code gave other outputs or was refuted.
        differing: Vec<String>,
    },
}

/// The verdict on a legal schedule that computes something else ([`TuneError::Wrong`]).
pub fn wrong(how: &str) -> Verdict {
    Verdict::refuted(Evidence::of(Ran::CompiledCode, "what the pipeline says", how))
}
