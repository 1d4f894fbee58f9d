//! The values of IR as terms, and the effects of statements.
//!
//! # Where to start
//!
//! * `terms` says what a path claims, `claims` makes an obligation of it.
//! * `effect` says what statements do to `memory`, `equivalence` compares them.

pub(crate) mod claims;
pub(crate) mod computed;
pub(crate) mod effect;
pub(crate) mod equivalence;
pub(crate) mod facts;
pub(crate) mod memory;
pub(crate) mod sight;
pub(crate) mod terms;
