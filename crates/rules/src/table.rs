//! The list of rules.
//!
//! Each line is a rule: its name, the types for which it holds, the pattern to match, the
//! replacement, and conditions on its constants.

mod compare;
mod integer;
mod lane;
mod logic;

use std::sync::LazyLock;

use crate::{Rule, Types};

/// A rule as it is written: name, types, left side, right side, conditions.
pub type Line = (&'static str, Types, &'static str, &'static str, &'static str);

/// All rules, in the order in which the engine tries them.
pub static RULES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    [integer::LINES, compare::LINES, logic::LINES, lane::LINES].into_iter().flat_map(read).collect()
});

/// Parses lines of the table.
///
/// # Panics
/// Panics if a line's pattern is not well formed.
pub fn read(lines: &[Line]) -> Vec<Rule> {
    lines
        .iter()
        .map(|(name, types, lhs, rhs, when)| {
            Rule::parse(name, *types, lhs, rhs, when).expect("the table's patterns are well formed")
        })
        .collect()
}
