//! Lowers derivations of the tensor language ATL to the IR.
//!
//! The source program of a derivation becomes an algorithm ([`halidom_ir::Algorithm`]). The final
//! program becomes a structured program, whose stores name the values of that algorithm that they
//! claim to write. So a derivation takes the same path as every other pipeline: the passes of
//! `lower`, the validator, the C back end. The validator is a second check, independent of the
//! certificate, that the final program computes the same values as the source.
//!
//! Knows nothing about `.hal` files, schedules, or validation. Start with [`lower`].
//!
//! # Correctness
//! A verdict rests on the reading of the source (`funcs`, and `hull` for bounds with variables),
//! which must be trusted; nothing else here must be. The intermediate results of the final program
//! are further funcs, on which the algorithm's outputs do not depend: the source's algorithm comes
//! first ([`Lowered::algorithm`]), the extended one second ([`Lowered::extended`]).

mod entry;
mod error;
mod funcs;
mod hull;
mod indices;
mod limits;
mod nest;
mod points;
mod scalars;

use halidom_atl::certificate::instance;
use halidom_atl::engine::State;
use halidom_atl::file::Derived;
use halidom_atl::lower::normalize;
use halidom_atl::program::Program as Source;
use halidom_ir::{Algorithm, Pool, Program};

pub use error::LowerError;
use funcs::Funcs;

/// A derivation in the IR.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// Owns everything below.
    pub pool: Pool,
    /// The source program.
    pub algorithm: Algorithm,
    /// The source program, together with the final program's intermediate results.
    pub extended: Algorithm,
    /// The final program, for the funcs of [`Lowered::extended`].
    pub program: Program,
}

/// Lowers a derivation. A program of unknown shape is lowered for the empty shape.
pub fn lower(derived: &Derived<'_>) -> Result<Lowered, LowerError> {
    let engine = derived.state.engine;
    let (source, term) = if derived.program.shapes.is_empty() {
        (derived.program.clone(), std::rc::Rc::clone(&derived.state.term))
    } else {
        instance(engine, &derived.program, &derived.state.term)
    };
    let mut state = State::new(engine, source.context(), term);
    normalize(&mut state).map_err(LowerError::Refused)?;
    let mut funcs = Funcs::new(engine, &source);
    let (algorithm, output) = specification(&mut funcs, &source)?;
    let buffer = funcs.output_buffer(output);
    let mut nest = nest::Nest::new(funcs, output, &source, &derived.state.traversals);
    let work = nest.work(&state.term)?;
    let (mut funcs, allocations) = nest.finish();
    let mut extended = algorithm.clone();
    // The final program's own funcs may read those of the source, and none of these reads them.
    let last = extended.funcs.iter().position(|func| *func == output);
    let last = last.unwrap_or(extended.funcs.len());
    extended.funcs.splice(last..last, funcs.beside(&algorithm.funcs));
    let program = entry::program(&mut funcs, &extended, (output, buffer), &allocations, work)?;
    Ok(Lowered { pool: funcs.pool, algorithm, extended, program })
}

/// Returns the source program as an algorithm, and its output.
fn specification(
    funcs: &mut Funcs<'_>,
    source: &Source,
) -> Result<(Algorithm, halidom_ir::FuncId), LowerError> {
    let output = funcs.define_output(source)?;
    let requires = entry::requires(funcs, source)?;
    let algorithm = Algorithm {
        name: source.name.clone(),
        params: funcs.params.clone(),
        inputs: funcs.inputs.clone(),
        funcs: funcs.defined.clone(),
        outputs: vec![output],
        requires,
        fast_math: false,
    };
    Ok((algorithm, output))
}
