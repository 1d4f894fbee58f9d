//! The verdict: the one answer that every job of Halidom gives.

mod condition;

pub use condition::{Condition, Origin};
