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
mod lets;
mod linear;
mod partition;
mod prefetch;
mod refresh;
mod repeats;
mod simplify;
mod unroll;
mod vectorize;

use halidom_ir::{ExprId, LoopKind, Pool, Program, VarId};

pub use columns::columns;
pub use cse::cse;
pub use dead_lets::dead_lets;
pub use dense_rows::dense_rows;
pub use flatten_storage::flatten_storage;
pub use hoist::hoist;
pub use interleave::interleave;
pub use partition::partition;
pub use prefetch::prefetch;
pub use repeats::repeats;
pub use simplify::simplify;
pub use unroll::{MOST_COPIES, unroll};
pub use vectorize::{MOST_LANES, vectorize};

/// A step of lowering.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// Its name, which is also its file's.
    pub name: &'static str,
    /// Its implementation.
    pub run: fn(&mut Pool, Program) -> Result<Program, LowerError>,
}

/// Every pass, in order. `simplify` runs three times: first to make extents constant, then to clean
/// up after vectors and copies, and finally after loops were split.
pub const PASSES: &[Pass] = &[
    Pass { name: "flatten_storage", run: flatten_storage },
    Pass { name: "dense_rows", run: dense_rows },
    Pass { name: "simplify", run: simplify },
    Pass { name: "columns", run: columns },
    Pass { name: "vectorize", run: vectorize },
    Pass { name: "unroll", run: unroll },
    Pass { name: "simplify", run: simplify },
    Pass { name: "partition", run: partition },
    Pass { name: "simplify", run: simplify },
    Pass { name: "repeats", run: repeats },
    Pass { name: "cse", run: cse },
    Pass { name: "hoist", run: hoist },
    Pass { name: "interleave", run: interleave },
    Pass { name: "dead_lets", run: dead_lets },
    Pass { name: "prefetch", run: prefetch },
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
    observe: &mut dyn FnMut(&'static str, &Pool, &Program),
) -> Result<Program, LowerError> {
    for pass in PASSES {
        program = (pass.run)(pool, program)?;
        observe(pass.name, pool, &program);
    }
    Ok(program)
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
