//! C++ as far as mutators use it: syntax and its reader.

pub mod ast;
mod parse;

pub use parse::parse;
pub(crate) use parse::parse_after;
