//! The simplifier's rewrite rules as named data, and the engine that applies them.
//!
//! This crate knows nothing about lowering. A [`Rule`] consists of two patterns over typed
//! variables, the types for which it holds, and conditions on its constants. [`table`] lists the
//! rules. The crate's tests prove each rule with a solver for every type that it claims. They also
//! show that each rule makes expressions smaller in one order, and that false rules are refused.
//! Start with [`Simplifier`], which applies the rules until none matches, and folds constants by
//! [`halidom_ir::eval`].
//!
//! # Undefined values
//! A rule may make an expression more defined, never less: wherever the left side is defined, the
//! right side is defined and equal to it.

mod engine;
mod pattern;
mod rule;
pub mod table;

pub use engine::Simplifier;
pub use pattern::{Literal, Op, Pattern, PatternError, PatternVar, VarKind, VarSort};
pub use rule::{Rule, Types};
