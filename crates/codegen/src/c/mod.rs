//! C as a tree, and its text.

pub(crate) mod discard;
pub(crate) mod names;
pub(crate) mod printer;
pub(crate) mod tree;
