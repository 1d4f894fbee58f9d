//! Parses text into a syntax tree. Names are not resolved.

pub mod ast;
mod lexer;
mod parser;

pub use parser::{parse, parse_expr};
