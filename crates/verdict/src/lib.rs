//! The verdict: the one answer that every job of Halidom gives.
//!
//! This crate knows nothing about the subjects that are judged. A job counts its obligations in
//! [`Obligations`], which alone can make a proof. A refutation takes the [`Evidence`] of a run.
//! [`Verdict::worst`] folds verdicts on several subjects, [`Verdict::exit`] gives the exit status,
//! [`Verdict::sentence`] the first line of a report, and [`Verdict::json`] the JSON. There is no
//! other fold, no other mapping, and no other wording. Where only the kind of a verdict is known,
//! [`Word`] has the same fold and mapping.
//!
//! Two readers of that JSON are here, and there are no others. [`Answer::read`] reads the answer of
//! a job that ran as a process of its own, and holds it against the process's end. [`Record::read`]
//! reads a verdict that was recorded, with which later ones are compared ([`Verdict::against`]).
//!
//! # Correctness
//! [`Proved`] has private fields and two makers: [`Obligations::verdict`], which needs at least one
//! shown obligation and no open one, and [`Verdict::worst`], which needs all of its verdicts to be
//! proofs and at least one of them. No type here has a default.

mod cause;
mod condition;
mod ended;
mod exit;
mod json;
mod modes;
mod obligations;
mod read;
mod record;
mod verdict;
mod word;
mod words;

pub use cause::Cause;
pub use condition::{Condition, Origin};
pub use ended::Ended;
pub use exit::Exit;
pub use json::{KEYS, SCHEMA};
pub use modes::{Floats, Modes};
pub use obligations::Obligations;
pub use read::{Answer, NoVerdict, object};
pub use record::{Compared, Record};
pub use verdict::{Claim, Evidence, Nothing, Proved, Ran, Reason, Refuted, Unknown, Verdict};
pub use word::Word;
