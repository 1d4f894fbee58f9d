//! Finds the place where a program goes wrong in a run that fails.

use halidom_interp::machine::{self, Fault, Watch};
use halidom_ir::{Algorithm, BufferId, Constant, Pool, Program, Prophecy, Stmt, StmtId, VarId};

use super::case::Case;
use crate::report::{Instance, Site};

/// Finds the statement that faults. If there is no fault, finds the first store whose value differs
/// from the specification's value for its claim, or else the store that wrote the wrong element
/// last. The claims refer to `lowered`; `element` is the wrong element of the outputs.
pub(super) fn site(
    pool: &Pool,
    lowered: &Algorithm,
    program: &Program,
    case: &Case,
    options: &machine::Options,
    element: Option<(BufferId, Vec<i64>)>,
) -> Option<Site> {
    let given = (&case.bindings, case.windows.as_slice());
    let watch = Watch { stmt: None, element };
    let run = |claims| machine::run_watched(pool, program, claims, given, options, &watch);
    let (plain, trace) = run(None);
    if let Err(fault) = plain
        && let Some(stmt) = fault.stmt()
    {
        let (fault, loops) = (fault.to_string(), named(pool, &trace.loops));
        let instance = instance(pool, stmt);
        return Some(Site { fault, stmt, instance, loops, expected: None, got: None });
    }
    let (claims, compared) = run(Some(lowered));
    if let Err(Fault::ClaimWrong(claim)) = claims {
        let (func, stage) = claim.instance;
        let value = |value: Option<Constant>| value.map_or_else(|| "nothing".to_owned(), show);
        // Updates that commute may pass through other values than the specification's.
        let fault = if stage == 0 {
            "it writes another value than the algorithm gives"
        } else {
            "it writes another value than the algorithm gives at that point of its order"
        };
        return Some(Site {
            fault: fault.to_owned(),
            stmt: claim.place.stmt,
            instance: Some(Instance { func, stage, coords: claim.coords, point: claim.point }),
            loops: named(pool, &compared.loops),
            expected: Some(value(claim.specified)),
            got: Some(value(claim.stored)),
        });
    }
    let last = trace.last?;
    Some(Site {
        fault: "it is the last to write the element that is wrong".to_owned(),
        stmt: last.stmt,
        instance: instance(pool, last.stmt),
        loops: named(pool, &last.loops),
        expected: None,
        got: last.value.map(show),
    })
}

/// Returns the stage that a store claims to compute.
fn instance(pool: &Pool, stmt: StmtId) -> Option<Instance> {
    let (func, stage) = match pool.get_stmt(stmt) {
        Stmt::Provide { func, stage, .. }
        | Stmt::Store { prophecy: Some(Prophecy { func, stage, .. }), .. } => (*func, *stage),
        Stmt::Store { prophecy: None, .. }
        | Stmt::Block(_)
        | Stmt::Let { .. }
        | Stmt::If { .. }
        | Stmt::For { .. }
        | Stmt::Allocate { .. }
        | Stmt::Assert { .. }
        | Stmt::Labeled { .. } => return None,
    };
    Some(Instance { func, stage, coords: Vec::new(), point: Vec::new() })
}

fn named(pool: &Pool, loops: &[(VarId, i128)]) -> Vec<(String, i128)> {
    loops.iter().map(|(var, value)| (pool.var(*var).name.clone(), *value)).collect()
}

/// Formats a value.
pub(super) fn show(value: Constant) -> String {
    match (value.as_integer(), value.as_f32(), value.as_f64()) {
        (Some(number), ..) => number.to_string(),
        (None, Some(number), _) => format!("{number:?}"),
        (None, None, Some(number)) => format!("{number:?}"),
        (None, None, None) => "nothing".to_owned(),
    }
}
