//! TV's calculus, rule by rule.

mod common;
mod expressions;
mod limits;
mod recurrences;
mod rules;
