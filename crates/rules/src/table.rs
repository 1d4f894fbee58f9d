//! The list of rules.
//!
//! Each line is a rule: its name, the types for which it holds, the pattern to match, the
//! replacement, and conditions on its constants.

mod compare;
mod integer;
mod lane;
mod line;
mod logic;

use std::sync::LazyLock;

use crate::Rule;
pub use line::{Line, read};

/// All rules, in the order in which the engine tries them.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [integer::LINES, compare::LINES, logic::LINES, lane::LINES].into_iter().flat_map(read).collect()
});
