//! The prelude of generated C, as text: the preamble, names of types, and helper functions.
//!
//! The printer of `codegen` writes these texts, and `readback` compares a file with them. The crate
//! holds nothing else that the two share: texts and tables, and no analysis of programs. A text is
//! right because tests of `codegen` compile it and compare its results with `ir::eval`.

pub mod helpers;
pub mod operators;
mod shuffles;
mod templates;
pub mod types;

/// The start of every file. The source may contain comparisons whose outcome the types decide. In
/// generated code they are not mistakes, so their warnings are off.
pub const PREAMBLE: &str = "\
#include <stddef.h>
#include <stdint.h>

#include \"halidom_runtime.h\"

#pragma GCC diagnostic ignored \"-Wtype-limits\"
#pragma GCC diagnostic ignored \"-Wtautological-compare\"
#pragma GCC diagnostic ignored \"-Wpsabi\"
";
