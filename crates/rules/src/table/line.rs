//! The form of the lines.

use crate::{Rule, Types};

/// A rule as it is written: name, types, left side, right side, conditions.
pub type Line = (&'static str, Types, &'static str, &'static str, &'static str);

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
