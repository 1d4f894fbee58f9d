//! The values of IR as terms, and the effects of statements.
//!
//! # Where to start
//!
//! * `terms` builds the terms for the claim of a path, and `claims` makes an obligation of it.
//! * `effect` describes the effects of statements on `memory`, and `equivalence` compares them.

pub(crate) mod claims;
pub(crate) mod computed;
pub(crate) mod effect;
pub(crate) mod equivalence;
pub(crate) mod facts;
pub(crate) mod memory;
pub(crate) mod presence;
pub(crate) mod regions;
pub(crate) mod sight;
pub(crate) mod terms;
