//! Mutators as programs: C++ methods run symbolically, each path's result proved equal to its input.
//!
//! # Where to start
//!
//! * [`examine`](verify::examine) decides one mutator.
//! * `machine`, `expression` and `numbers` interpret C++; `contracts` is the table of the API's functions, which `api` interprets.
//! * `statement` decides a mutator of statements: `effect` says what statements do, `equivalence` compares them.
//! * `emit` is what an emitter of C writes, `emit_text` its tokens; `emit_expr` and `emit_stmt` read it again.
//! * `scopes` says which members are scopes, `balance` keeps a record of what a path leaves on them.
//! * `meaning` says what a path claims; `replay` runs a mutator on concrete IR.

mod analysis;
mod api;
mod balance;
mod calls;
mod claims;
mod contracts;
mod effect;
mod emit;
mod emit_expr;
mod emit_stmt;
mod emit_text;
mod equivalence;
mod expression;
mod fork;
mod info;
mod intrinsics;
mod ir;
mod keep;
mod layout;
mod list;
mod lists;
mod machine;
mod meaning;
mod methods;
mod nodes;
mod numbers;
mod observe;
mod replay;
mod scopes;
mod show;
mod sight;
mod state;
mod statement;
mod structure;
mod trial;
mod value;
mod verdict;
mod verify;
mod visitors;

pub use contracts::{CONTRACTS, Contract};
pub use list::{Mutator, mutators, mutators_of, names};
pub use observe::{Mutation, observe};
pub use verify::{Counterexample, Examination, Finding, Standing};
