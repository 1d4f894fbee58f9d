//! Mutators as programs: C++ methods run symbolically, each path's result proved equal to its input.
//!
//! # Where to start
//!
//! * [`examine`](verify::examine) decides one mutator.
//! * `machine`, `expression` and `numbers` interpret C++; `contracts` is the table of the API's functions, which `api` interprets.
//! * `meaning` says what a path claims; `replay` runs a mutator on concrete IR.

mod analysis;
mod api;
mod calls;
mod claims;
mod contracts;
mod expression;
mod fork;
mod ir;
mod list;
mod machine;
mod meaning;
mod methods;
mod nodes;
mod numbers;
mod replay;
mod state;
mod trial;
mod value;
mod verify;

pub use contracts::{CONTRACTS, Contract};
pub use list::{Mutator, mutators};
pub use verify::{Counterexample, Examination, Finding, Standing};
