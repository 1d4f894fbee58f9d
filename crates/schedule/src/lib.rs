//! Turns an algorithm and a schedule into an imperative program: lowering with holes, directives,
//! and bounds inference.
//!
//! Follows *Formal Semantics for the Halide Language* (FS): [`lower_algorithm`] is its lowering
//! function (Fig. 9), [`apply`] applies its scheduling directives phase by phase (§8), and
//! [`complete`] answers the bounds query (§7) and fills the holes. [`compile`] does all three.
//! Knows nothing of C.

mod algebra;
mod bounds;
mod checks;
mod directives;
mod emit;
mod error;
mod loops;
mod nest;
mod predicate;
mod prefetch;
mod query;
mod reduction;
mod report;
mod storage;
mod target;
mod transform;
mod trend;

use halidom_ir::{
    Algorithm, Check, ExprId, FuncKind, Output, Pool, Program, Schedule, Stmt, StmtId,
};

pub use bounds::Engine;
pub use directives::{Phase, Step, apply, apply_with, steps};
pub use error::ScheduleError;
pub use loops::{FuncPlaces, NamedLoop, Place, StageLoops, places, stage_loops};
pub use nest::{Lowered, lower_algorithm};
pub use reduction::Oracle;
pub use report::{bounds_answers, loop_nest, query_text, regions};
pub use transform::{Transformed, transform, transform_with};

/// Rewrites, lowers, schedules and completes.
///
/// # Errors
/// The errors of [`transform`], [`apply`] and [`complete`].
pub fn compile(
    pool: &mut Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
    engine: Engine,
) -> Result<Program, Vec<ScheduleError>> {
    let transformed = transform(pool, algorithm, schedule)?;
    let mut lowered = transformed.lower(pool, algorithm);
    apply(pool, &mut lowered, &transformed.schedule)?;
    complete(pool, &lowered, engine)
}

/// Fills the holes and adds the entry checks.
///
/// # Errors
/// Accesses for which the engine finds no finite bounds.
pub fn complete(
    pool: &mut Pool,
    lowered: &Lowered,
    engine: Engine,
) -> Result<Program, Vec<ScheduleError>> {
    fill(pool, lowered, engine, None)
}

/// Fills the holes with some answer that the query allows, not only with an engine's (FS Definition
/// 7.1): regions are enlarged at random, and the regions of the funcs that they use follow.
/// `choose` returns a number below its argument, which is never 0. Whatever it returns, the
/// completion is legal, so the program must compute the algorithm's values.
///
/// # Errors
/// As [`complete`], and extents of unrolled or vectorized loops that are no longer constants.
pub fn complete_at_random(
    pool: &mut Pool,
    lowered: &Lowered,
    choose: &mut dyn FnMut(u32) -> u32,
) -> Result<Program, Vec<ScheduleError>> {
    fill(pool, lowered, Engine::Default, Some(choose))
}

fn fill(
    pool: &mut Pool,
    lowered: &Lowered,
    engine: Engine,
    choose: Option<bounds::Choose<'_>>,
) -> Result<Program, Vec<ScheduleError>> {
    let holes = Holes::of(pool, lowered);
    let (lowered, known) = (&holes.lowered, &holes.known);
    let constraints = query::constraints(&holes.query);
    let mut answer = bounds::solve(pool, lowered, &constraints, engine, known, choose)?;
    directives::check_constant_extents(pool, lowered, &answer.solution, known)?;
    storage::lay_out(pool, lowered, &mut answer.solution, known)?;
    let work = emit::emit_work(pool, lowered, Some(&answer.solution), known);
    prefetch::check(pool, lowered, work)?;
    let (mut stmts, has_work) = checks::entry_checks(pool, lowered, &answer, known)?;
    let always = pool.as_constant(has_work).and_then(halidom_ir::Constant::as_bool) == Some(true);
    stmts.push(if always {
        work
    } else {
        pool.stmt(Stmt::If { condition: has_work, then_branch: work, else_branch: None })
    });
    let body = pool.stmt(Stmt::Block(stmts));
    Ok(program(pool, lowered, body))
}

/// A program with holes, restricted to what outputs depend on, and its query.
struct Holes {
    lowered: Lowered,
    known: algebra::Known,
    work: StmtId,
    query: query::Query,
}

impl Holes {
    fn of(pool: &mut Pool, lowered: &Lowered) -> Self {
        let lowered = nest::used(pool, lowered);
        let known = checks::known(pool, &lowered);
        let work = emit::emit_work(pool, &lowered, None, &known);
        let query = query::extract(pool, &lowered, work);
        Self { lowered, known, work, query }
    }
}

/// Returns the parts of the inputs that the definitions of an algorithm read for these windows of
/// its outputs, whatever the schedule. The result is a list of entry checks of the kind
/// [`halidom_ir::Check::InputRegion`], each with its condition.
///
/// # Errors
/// Accesses for which no finite bounds are found.
pub fn demands(
    pool: &mut Pool,
    algorithm: &Algorithm,
    outputs: &[Output],
) -> Result<Vec<(ExprId, Check)>, Vec<ScheduleError>> {
    let lowered = Lowered { outputs: outputs.to_vec(), ..lower_algorithm(pool, algorithm) };
    let holes = Holes::of(pool, &lowered);
    let (lowered, known) = (&holes.lowered, &holes.known);
    let constraints = query::constraints(&holes.query);
    let answer = bounds::solve(pool, lowered, &constraints, Engine::Default, known, None)?;
    let (checks, _) = checks::entry_checks(pool, lowered, &answer, known)?;
    let of_inputs = checks.into_iter().filter_map(|stmt| {
        let Stmt::Assert { condition, check } = pool.get_stmt(stmt) else { return None };
        matches!(check, Check::InputRegion { .. }).then(|| (*condition, check.clone()))
    });
    Ok(of_inputs.collect())
}

/// Returns the program with holes (FS's **Tgt?**), without entry checks.
pub fn with_holes(pool: &mut Pool, lowered: &Lowered) -> Program {
    let holes = Holes::of(pool, lowered);
    program(pool, &holes.lowered, holes.work)
}

fn program(pool: &Pool, lowered: &Lowered, body: StmtId) -> Program {
    let inputs = lowered
        .algorithm
        .inputs
        .iter()
        .filter_map(|input| match pool.func(*input).kind {
            FuncKind::Input { buffer } => Some(buffer),
            FuncKind::Defined { .. } => None,
        })
        .collect();
    Program {
        name: lowered.algorithm.name.clone(),
        params: lowered.algorithm.params.clone(),
        inputs,
        outputs: lowered.outputs.clone(),
        body,
    }
}
