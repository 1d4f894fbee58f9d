//! The simplifier's rewrite rules as named data, and the engine that applies them.
//!
//! Knows nothing about lowering. A [`Rule`] is two patterns over typed variables, the types for which it holds, and a condition on its constants; [`table`] is the list.
//! Each rule is proved by a solver for every type that it claims, and shown to make expressions smaller in one order: the crate's tests do both, and show that
//! false rules are refused. Start with [`Simplifier`], which applies the rules until none matches, and folds constants by [`halidom_ir::eval`].
//!
//! # Undefined values
//! A rule may make an expression more defined, never less: where the left side is defined, so is the right side, and they are equal.

mod engine;
mod pattern;
mod rule;
pub mod table;

pub use engine::Simplifier;
pub use pattern::{Literal, Op, Pattern, PatternError, PatternVar, VarKind, VarSort};
pub use rule::{Rule, Types};
