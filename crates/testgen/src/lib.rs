//! Random inputs, pipelines, schedules and mutants, for tests, fuzzing and `--random`. Everything
//! follows from a seed.
//!
//! The crate knows nothing of how programs are lowered or judged. Start with [`random_array`] for
//! inputs, [`pipeline`] and [`schedule`] for `.hal` texts, [`affine`] for small ones, [`cases`] for
//! inputs and windows that an algorithm accepts, [`mutants`] for programs that are wrong in one
//! place, and [`specification_mutants`] for algorithms that are wrong in one place.

mod affine;
mod cases;
mod mutants;
mod pipelines;
mod random;
mod sample;
mod schedules;
mod specifications;

pub use affine::affine;
pub use cases::{Case, cases, cases_of};
pub use mutants::{Mutant, MutantKind, mutants};
pub use pipelines::{FuncText, PipelineText, pipeline};
pub use random::{Random, random_array, random_constant, random_nested_array};
pub use sample::{is_sweep, sampled};
pub use schedules::schedule;
pub use specifications::{
    SpecificationKind, SpecificationMutant, rewriting_mutants, specification_mutants,
};
