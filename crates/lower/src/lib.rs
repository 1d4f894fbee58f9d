//! Lowers structured programs with complete bounds to final IR that the C printer prints
//! one-to-one.
//!
//! Knows nothing about C. Nothing trusts this crate: the validator checks the result against the
//! specification. For that purpose every pass preserves annotations (prophecies of stores, accesses
//! of loads, needed regions). Start with [`PASSES`]; each pass is a function in a file of the same
//! name.

mod columns;
mod cse;
mod dead_lets;
mod dense_rows;
mod exprs;
mod flatten_storage;
mod hoist;
mod index;
mod interleave;
mod interval;
mod legalize;
mod lets;
mod linear;
mod load_aligned;
mod load_dense;
mod narrow_gathers;
mod partition;
pub mod patterns;
mod prefetch;
mod refresh;
mod repeats;
mod simplify;
mod store_rows;
mod unroll;
mod vector_loads;
mod vectorize;

use halidom_ir::{ExprId, LoopKind, Pool, Program, VarId};

pub use columns::columns;
pub use cse::cse;
pub use dead_lets::dead_lets;
pub use dense_rows::dense_rows;
pub use flatten_storage::flatten_storage;
pub use hoist::hoist;
pub use interleave::interleave;
pub use legalize::legalize;
pub use load_aligned::load_aligned;
pub use load_dense::load_dense;
pub use narrow_gathers::narrow_gathers;
pub use partition::partition;
pub use prefetch::prefetch;
pub use repeats::repeats;
pub use simplify::simplify;
pub use store_rows::store_rows;
pub use unroll::{MOST_COPIES, unroll};
pub use vectorize::{MOST_LANES, vectorize};

/// A step of lowering.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, which is also its file's.
    pub name: &'static str,
    /// Its implementation. Most passes ignore the machine.
    pub run: fn(&mut Pool, Program, Machine) -> Result<Program, LowerError>,
}

/// The machine for which a program is lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The bytes of the widest vector that one instruction handles.
    pub vector_bytes: usize,
}

/// Every pass, in order. `simplify` runs three times: first to make extents constant, then to clean
/// up after vectors and copies, and finally after loops were split.
pub const PASSES: &[Pass] = &[
    Pass { name: "flatten_storage", run: |pool, program, _| flatten_storage(pool, program) },
    Pass { name: "dense_rows", run: |pool, program, _| dense_rows(pool, program) },
    Pass { name: "simplify", run: |pool, program, _| simplify(pool, program) },
    Pass { name: "columns", run: |pool, program, _| columns(pool, program) },
    Pass { name: "vectorize", run: |pool, program, _| vectorize(pool, program) },
    Pass { name: "unroll", run: |pool, program, _| unroll(pool, program) },
    Pass { name: "simplify", run: |pool, program, _| simplify(pool, program) },
    Pass { name: "partition", run: |pool, program, _| partition(pool, program) },
    Pass { name: "simplify", run: |pool, program, _| simplify(pool, program) },
    Pass { name: "repeats", run: |pool, program, _| repeats(pool, program) },
    Pass { name: "narrow_gathers", run: |pool, program, _| narrow_gathers(pool, program) },
    Pass { name: "cse", run: |pool, program, _| cse(pool, program) },
    Pass { name: "hoist", run: |pool, program, _| hoist(pool, program) },
    Pass { name: "interleave", run: |pool, program, _| interleave(pool, program) },
    Pass { name: "dead_lets", run: |pool, program, _| dead_lets(pool, program) },
    Pass { name: "prefetch", run: |pool, program, _| prefetch(pool, program) },
    Pass { name: "legalize", run: legalize },
    Pass { name: "store_rows", run: |pool, program, _| store_rows(pool, program) },
    Pass { name: "load_aligned", run: |pool, program, _| load_aligned(pool, program) },
    Pass { name: "load_dense", run: |pool, program, _| load_dense(pool, program) },
];

/// The reasons for which a program cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// The program was not complete.
    #[error("a bound of the program has not been inferred")]
    Hole,
    /// A read or write of a func that is neither allocated here nor an input or output.
    #[error("`{func}` has no storage where it is used")]
    NoBuffer {
        /// The func.
        func: String,
    },
    /// A pass met a statement or an expression that an earlier pass should have replaced.
    #[error("storage must be flattened first")]
    NotFlattened,
    /// The number of iterations of a loop is not known.
    #[error("the extent of the {} loop `{variable}` is not a constant", kind.keyword())]
    ExtentNotConstant {
        /// The loop.
        variable: String,
        /// The way that it was to be traversed.
        kind: LoopKind,
    },
    /// A loop is too long to be unrolled.
    #[error("the loop `{variable}` has {extent} iterations: at most {most} are unrolled")]
    TooManyCopies {
        /// The loop.
        variable: String,
        /// The number of iterations.
        extent: usize,
        /// The maximum number of copies, which is smaller for larger bodies.
        most: usize,
    },
    /// A loop is too long to become one vector.
    #[error("the loop `{variable}` has {extent} iterations: at most {MOST_LANES} are vectorized")]
    TooManyLanes {
        /// The loop.
        variable: String,
        /// The number of iterations.
        extent: usize,
    },
}

/// Runs every pass. `observe` receives the program after each, with the pass's name; statements are
/// immutable, so programs that it keeps stay printable.
pub fn lower(
    pool: &mut Pool,
    mut program: Program,
    machine: Machine,
    observe: &mut dyn FnMut(&'static str, &Pool, &Program),
) -> Result<Program, LowerError> {
    for pass in PASSES {
        program = (pass.run)(pool, program, machine)?;
        observe(pass.name, pool, &program);
    }
    Ok(program)
}

/// Runs the passes that depend on the machine, and those after them.
///
/// Requires: a program that the passes before have lowered.
pub fn lower_for(
    pool: &mut Pool,
    program: Program,
    machine: Machine,
) -> Result<Program, LowerError> {
    let general = PASSES.iter().position(|pass| pass.name == "legalize").unwrap_or(0);
    PASSES[general..].iter().try_fold(program, |program, pass| (pass.run)(pool, program, machine))
}

/// Returns the number of iterations of a loop that must have a constant extent; 0 if the extent is
/// negative.
fn constant_extent(
    pool: &Pool,
    variable: VarId,
    extent: ExprId,
    kind: LoopKind,
) -> Result<usize, LowerError> {
    let extent = index::as_int(pool, extent).ok_or_else(|| LowerError::ExtentNotConstant {
        variable: pool.var(variable).name.clone(),
        kind,
    })?;
    Ok(usize::try_from(extent.max(0)).unwrap_or(usize::MAX))
}
