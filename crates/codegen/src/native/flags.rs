//! The C compilers that are looked for, and the flags that all of them get. The build script reads
//! this file too.

/// The candidates, in order; the first one found is used. Vector code by clang is 10 to 40 %
/// faster.
pub(crate) const CANDIDATES: &[&str] = &["clang-19", "clang", "gcc", "cc"];

/// The dialect, the optimisation level, position independence, no `errno`.
pub(crate) const EVERYWHERE: &[&str] = &["-std=gnu11", "-O2", "-fPIC", "-fno-math-errno"];
