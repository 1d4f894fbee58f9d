//! Which C compilers are looked for, and what all that they compile for us has in common. The build script reads this file too.

/// What is looked for, the first found taken: clang is 10 to 40 % ahead on vector code.
pub(crate) const CANDIDATES: &[&str] = &["clang-19", "clang", "gcc", "cc"];

/// The dialect, the effort, no `errno`, position independence.
pub(crate) const EVERYWHERE: &[&str] = &["-std=gnu11", "-O2", "-fPIC", "-fno-math-errno"];
