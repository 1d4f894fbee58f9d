//! Random programs, schedules, inputs and mutants, for tests and fuzzing.
//!
//! Everything is made from a seed and is the same for the same seed. Start with [`Random`].

mod random;

pub use random::{Random, random_array, random_constant};
