//! The IR as a path through a mutator knows it: kinds of nodes, types, C++ values, states.
//!
//! This module knows nothing about how a program runs.

pub(crate) mod intrinsics;
pub(crate) mod kinds;
pub(crate) mod layout;
pub(crate) mod node;
pub(crate) mod quoted;
pub(crate) mod record;
pub(crate) mod renamed;
pub(crate) mod show;
pub(crate) mod state;
pub(crate) mod value;
pub(crate) mod visits;
