//! From text to a syntax tree; names are not looked at.

pub mod ast;
mod lexer;
mod parser;

pub use parser::{parse, parse_expr};
