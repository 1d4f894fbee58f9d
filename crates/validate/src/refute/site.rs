//! Where a program goes wrong, once a run is known on which it does.

use halidom_interp::machine::{self, Fault, Watch};
use halidom_ir::{Algorithm, BufferId, Constant, Pool, Program, Prophecy, Stmt, StmtId, VarId};

use super::{Case, show};
use crate::report::{Instance, Site};

/// Finds the first store that writes another value than the specification gives to what it claims; else the statement of the fault; else the store that wrote the
/// wrong element last. `lowered` is the algorithm that the claims speak of, `element` what is wrong of the outputs.
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
    let (result, trace) =
        machine::run_watched(pool, program, Some(lowered), given, options, &watch);
    let loops = named(pool, &trace.loops);
    let fault = result.err();
    if let Some(Fault::ClaimWrong(claim)) = &fault {
        let (func, stage) = claim.instance;
        let value = |value: Option<Constant>| value.map_or_else(|| "nothing".to_owned(), show);
        return Some(Site {
            fault: "it writes another value than the algorithm gives".to_owned(),
            stmt: claim.place.stmt,
            instance: Some(Instance {
                func,
                stage,
                coords: claim.coords.clone(),
                point: claim.point.clone(),
            }),
            loops,
            expected: Some(value(claim.specified)),
            got: Some(value(claim.stored)),
        });
    }
    if let Some(fault) = fault
        && let Some(stmt) = fault.stmt()
    {
        let instance = instance(pool, stmt);
        let fault = fault.to_string();
        return Some(Site { fault, stmt, instance, loops, expected: None, got: None });
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

/// The stage that a store claims to compute.
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
