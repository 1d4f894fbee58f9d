//! Rewrite rules of the languages of Halide's `IRMatch.h` and TVM's `pattern_match.h`.

mod assume;
mod circles;
mod decide;
mod encode;
mod interval;
mod kinds;
mod meaning;
mod pattern;
mod polynomial;
mod python;
mod read;
mod rounding;
mod search;
mod signs;
mod traps;
mod tvm;
mod uses;
mod value;
mod verify;

pub use circles::{Circle, circles, leads_down};
pub use decide::Limits;
pub use decide::{Decision, Fulfilment, decide, fulfil};
pub use interval::{contradict, shows};
pub use meaning::Obligation;
pub use meaning::{Context, is_unconditional};
pub(crate) use pattern::is_wildcard;
pub use pattern::{Op, Pattern, Reduction};
pub(crate) use python::{declaration, expression, literal};
pub use read::{Found, Guard, Rule, Subject, TypeTest, rules};
pub use search::Random;
pub use traps::{Trap, trap};
pub(crate) use tvm::rules as tvm_rules;
pub use value::{Domain, Number};
pub use value::{Fun, Node, ValueId, Values};
pub use verify::{At, Counterexample, Example, Verdict, example, replayed, verify};
pub(crate) use verify::{constant, cpp_type};
