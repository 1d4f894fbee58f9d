//! Entry checks that are stronger than necessary.
//!
//! # Correctness
//! Nothing is proved here. A check is reported if it refuses sizes, parameters and inputs for which
//! the interpreter found that the algorithm has a value. The buffers hold everything that the
//! algorithm reads and writes, so a reference implementation would accept them. The solver suggests
//! sizes at which the check fails and all others hold.

use std::time::{Duration, Instant};

use halidom_interp::algorithm::evaluate_within;
use halidom_interp::machine::{self, Fault};
use halidom_ir::{Algorithm, Check, Constant, FuncId, Pool, Program, Stmt, StmtId, VarId, print};

use super::{Aim, Case, HINTED, Hint, Random, draw, show};
use crate::program::Model;
use crate::report::TooStrict;
use crate::space::{FormulaId, Space};

/// The greatest extent of the windows that are tried.
const MOST_EXTENT: i128 = 6;
/// The most steps of an interpreter for a case.
const MOST_STEPS: u64 = 200_000;
/// The number of cases for each of the solver's suggestions.
const TRIES: usize = 8;

/// Returns, for each entry check that may be too strict, formulas for sizes to try: this check
/// fails, the others hold, and windows are small and not empty.
pub(crate) fn questions(space: &Space, model: &Model) -> Vec<Vec<FormulaId>> {
    let mut small = Vec::new();
    for (_, window) in &model.windows {
        for (min, extent) in window {
            let (one, most) = (space.constant(1), space.constant(MOST_EXTENT));
            let (low, width) = (space.constant(-20), space.constant(41));
            small.push(space.within(*extent, one, most));
            small.push(space.within(*min, low, width));
        }
    }
    let suspects = model.entry.iter().enumerate().filter(|(_, entry)| is_suspect(&entry.check));
    suspects
        .map(|(number, entry)| {
            let mut facts = small.clone();
            facts.push(space.not(entry.condition));
            let others = model.entry.iter().enumerate().filter(|(other, _)| *other != number);
            facts.extend(others.map(|(_, other)| other.condition));
            facts
        })
        .collect()
}

/// Tests whether a check may be too strict. Checks of layouts and of the limits of 64 bits have no
/// counterpart in the algorithm.
fn is_suspect(check: &Check) -> bool {
    match check {
        Check::SizeLimit { .. } | Check::Layout { .. } => false,
        Check::InputRegion { .. }
        | Check::OutputRegion { .. }
        | Check::Require { .. }
        | Check::DomainExtent { .. }
        | Check::SplitFactor { .. }
        | Check::Bound { .. } => true,
    }
}

/// Tries the sizes until the time is over.
pub(crate) fn too_strict(
    pool: &Pool,
    algorithm: &Algorithm,
    program: &Program,
    hints: &[Hint],
    time: Duration,
) -> Vec<TooStrict> {
    let begin = Instant::now();
    let mut found: Vec<(Check, TooStrict)> = Vec::new();
    let mut random = Random::new(0x51ed_270b_0000_0001);
    let cases = hints.iter().flat_map(|hint| std::iter::repeat_n(hint, TRIES));
    for (number, hint) in cases.enumerate() {
        if begin.elapsed() > time {
            break;
        }
        // Even numbers get the inputs that the algorithm reads, odd ones the inputs that the
        // program asks for.
        let aim = Aim { fixed: false, ..Aim::at(hint, MOST_STEPS * HINTED) };
        let case = draw(pool, algorithm, program, aim, &mut random, number % TRIES);
        let Some(case) = case else { continue };
        let Some(check) = refusal(pool, algorithm, program, &case) else { continue };
        if is_suspect(&check) && found.iter().all(|(known, _)| *known != check) {
            let condition = condition(pool, program.body, &check);
            let text = condition.map_or_else(String::new, |expr| {
                format!("{}: {}", crate::prose::describe(pool, &check), print::expr(pool, expr))
            });
            let sizes = sizes(pool, algorithm, &case);
            found.push((check, TooStrict { check: text, condition, sizes }));
        }
    }
    found.into_iter().map(|(_, found)| found).collect()
}

/// Returns the entry check that fails although the algorithm has a value on the whole windows.
fn refusal(pool: &Pool, algorithm: &Algorithm, program: &Program, case: &Case) -> Option<Check> {
    evaluate_within(pool, algorithm, &case.bindings, &case.windows, case.steps).ok()?;
    let options = machine::Options {
        output_shapes: Some(case.windows.clone()),
        // Entry checks come before the first step.
        steps: Some(0),
        elements: 1 << 22,
        ..machine::Options::default()
    };
    match machine::run(pool, program, &case.bindings, &case.windows, &options) {
        Err(Fault::CheckFailed(failure)) => Some(failure.check),
        Ok(_) | Err(_) => None,
    }
}

/// Returns the condition of the assert with this check.
fn condition(pool: &Pool, stmt: StmtId, check: &Check) -> Option<halidom_ir::ExprId> {
    match pool.get_stmt(stmt) {
        Stmt::Assert { condition, check: found } => (found == check).then_some(*condition),
        Stmt::Block(parts) => parts.iter().find_map(|part| condition(pool, *part, check)),
        Stmt::Let { body, .. }
        | Stmt::Labeled { body, .. }
        | Stmt::Allocate { body, .. }
        | Stmt::For { body, .. } => condition(pool, *body, check),
        Stmt::If { then_branch, else_branch, .. } => condition(pool, *then_branch, check)
            .or_else(|| else_branch.and_then(|branch| condition(pool, branch, check))),
        Stmt::Provide { .. } | Stmt::Store { .. } => None,
    }
}

/// Describes the sizes of a case in words.
fn sizes(pool: &Pool, algorithm: &Algorithm, case: &Case) -> Vec<(String, String)> {
    let param = |param: &VarId| {
        let value: Constant = case.bindings.var(*param)?;
        Some((pool.var(*param).name.clone(), show(value)))
    };
    let name = |func: &FuncId| pool.func(*func).name.clone();
    let region = |shape: &halidom_ir::Shape| {
        let sides = shape.iter().map(|(min, extent)| format!("{min}..{}", min + extent));
        sides.collect::<Vec<_>>().join(" x ")
    };
    let mut sizes: Vec<_> = algorithm.params.iter().filter_map(param).collect();
    let windows = algorithm.outputs.iter().zip(&case.windows);
    sizes.extend(windows.map(|(func, window)| (name(func), region(window))));
    sizes.extend(case.inputs.iter().map(|(func, array)| (name(func), region(&array.shape))));
    sizes
}
