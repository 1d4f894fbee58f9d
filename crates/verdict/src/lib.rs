//! The verdict: the one answer that every job of Halidom gives.
//!
//! Knows nothing about what is judged. A job counts its obligations in [`Obligations`], which alone can make a proof; a refutation takes [`Evidence`] of a run. Verdicts on
//! several subjects are folded by [`Verdict::worst`], become an exit status by [`Verdict::exit`], the first line of a report by [`Verdict::sentence`], and JSON by
//! [`Verdict::json`]. There is no other fold, no other mapping, no other words.
//!
//! # Correctness
//! [`Proved`] has private fields and two makers: [`Obligations::verdict`], which needs at least one obligation that was shown and none that is open, and
//! [`Verdict::worst`], which needs all of its verdicts to be proofs and at least one of them. No type here has a default.

mod condition;
mod exit;
mod json;
mod modes;
mod obligations;
mod verdict;
mod words;

pub use condition::{Condition, Origin};
pub use exit::Exit;
pub use json::{KEYS, SCHEMA};
pub use modes::{Floats, Modes};
pub use obligations::Obligations;
pub use verdict::{Claim, Evidence, Nothing, Proved, Ran, Refuted, Unknown, Verdict};
