//! The syntax of C++, as far as compilers of Halide's family use it for rules, mutators and
//! emitters, and a reader that turns text into syntax.
//!
//! This crate knows nothing about any compiler: names of classes and functions are plain text here.
//!
//! # Where to start
//!
//! * [`ast`] is the syntax; [`Sign`] is its operators.
//! * [`words!`] makes a type of the words that a reader knows.
//! * [`parse()`] reads a file; [`parse_after`] reads a file of a program of several files;
//!   [`expression`] reads an expression.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "C++ syntax has many kinds; those that are not named get the answer of what is not \
        understood"
)]

#[macro_use]
mod words;

pub mod ast;
mod declare;
mod directives;
mod headers;
mod literals;
mod others;
mod parse;
mod phases;
mod scopes;
mod sign;
mod statements;
mod syntax;
mod text;
mod unread;

pub use declare::TABLE;
pub use directives::included;
pub use headers::without_comments;
pub use parse::{expression, parse, parse_after};
pub use scopes::ANYTHING;
pub use sign::Sign;
pub use text::{is_letter, short_name, split_name, words};

/// The texts of this crate's sources: a kept verdict depends on them.
pub const SOURCES: &[&str] = &[
    include_str!("ast.rs"),
    include_str!("declare.rs"),
    include_str!("directives.rs"),
    include_str!("headers.rs"),
    include_str!("literals.rs"),
    include_str!("others.rs"),
    include_str!("unread.rs"),
    include_str!("parse.rs"),
    include_str!("phases.rs"),
    include_str!("scopes.rs"),
    include_str!("sign.rs"),
    include_str!("statements.rs"),
    include_str!("syntax.rs"),
    include_str!("text.rs"),
    include_str!("words.rs"),
];

#[cfg(test)]
mod tests {
    use super::SOURCES;

    #[test]
    fn every_source_is_listed() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let is_listed = path.ends_with("lib.rs") || SOURCES.contains(&text.as_str());
            assert!(is_listed, "{} is not listed", path.display());
        }
    }
}
