//! The verdict: the one answer that every job of Halidom gives.
//!
//! This crate knows nothing about the subjects that are judged. A job counts its obligations in
//! [`Obligations`], which alone can make a proof. A refutation takes the [`Evidence`] of a run.
//! [`Verdict::worst`] folds verdicts on several subjects, [`Verdict::exit`] gives the exit status,
//! [`Verdict::sentence`] the first line of a report, and [`Verdict::json`] the JSON. There is no
//! other fold, no other mapping, and no other wording. [`Answer::read`] is the only reader of that
//! JSON: programs that run a job as a process of its own read its answer by it.
//!
//! # Correctness
//! [`Proved`] has private fields and two makers: [`Obligations::verdict`], which needs at least one
//! shown obligation and no open one, and [`Verdict::worst`], which needs all of its verdicts to be
//! proofs and at least one of them. No type here has a default.

mod cause;
mod condition;
mod exit;
mod json;
mod modes;
mod obligations;
mod read;
mod verdict;
mod words;

pub use cause::Cause;
pub use condition::{Condition, Origin};
pub use exit::Exit;
pub use json::{KEYS, SCHEMA};
pub use modes::{Floats, Modes};
pub use obligations::Obligations;
pub use read::{Answer, NoVerdict, Word, object};
pub use verdict::{Claim, Evidence, Nothing, Proved, Ran, Reason, Refuted, Unknown, Verdict};
