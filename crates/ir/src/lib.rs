//! The intermediate representation that everyone shares: types, expressions, statements, algorithms and schedules as data.
//!
//! Knows nothing about how anything is computed. Start with [`Pool`], which owns everything that an id names; then [`Expr`] and [`Stmt`]; then
//! [`Algorithm`] (what to compute), [`Schedule`] (how) and [`Program`] (the imperative result). The meaning of operators is in [`eval`].

mod algorithm;
mod array;
mod constant;
mod decl;
pub mod eval;
mod expr;
mod op;
pub mod parse;
mod pool;
pub mod print;
mod program;
mod schedule;
mod stmt;
mod types;
pub mod verify;

pub use algorithm::{Algorithm, Require};
pub use array::{Array, Shape, points};
pub use constant::Constant;
pub use decl::{
    BufferDecl, BufferId, BufferKind, Dim, FuncDecl, FuncId, FuncKind, HoleDecl, HoleId, HoleKind,
    HolePart, ReductionVar, Stage, VarDecl, VarId,
};
pub use expr::{Access, Expr, ExprId};
pub use op::{BinaryOp, Intrinsic, Overflow, UnaryOp};
pub use pool::{Pool, Substitution};
pub use program::{Output, Program};
pub use schedule::{Action, Directive, LoopLevel, Schedule, Tail};
pub use stmt::{Check, Interval, Label, LoopKind, Prophecy, Stmt, StmtId};
pub use types::{Scalar, Type};
