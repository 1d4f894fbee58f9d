//! Rewrite rules of the language of Halide's `IRMatch.h`.

mod decide;
mod encode;
mod kinds;
mod meaning;
mod pattern;
mod polynomial;
mod read;
mod search;
mod value;
mod verify;

pub use decide::Limits;
pub(crate) use decide::{Decision, Fulfilment, decide, fulfil};
pub(crate) use meaning::Obligation;
pub use meaning::{Context, is_unconditional};
pub use pattern::{Op, Pattern, Reduction};
pub use read::{Found, Guard, Rule, Subject, TypeTest, rules};
pub(crate) use search::Random;
pub use value::{Domain, Number};
pub(crate) use value::{Fun, Node, ValueId, Values};
pub use verify::{At, Counterexample, Verdict, replayed, verify};
