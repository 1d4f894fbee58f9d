//! How large inputs are where the target leaves assertions out.

use halidom_halide::Condition;
use halidom_halide::translate::{Compiled, Source};
use halidom_ir::{Stmt, StmtId};
use halidom_schedule as schedule;

/// Lets callers of a statement that checks nothing bring what the pipeline's definitions read, by our own bounds inference. Which region the statement reads is no condition: it cannot excuse itself.
pub(super) fn demand(source: &mut Source, before: Option<&Source>, compiled: &mut Compiled) {
    if compiled.checked {
        return;
    }
    let algorithm = &before.map_or(&source.algorithm, |before| &before.algorithm);
    let pool = &mut source.pool;
    let checks = match schedule::demands(pool, algorithm, &compiled.program.outputs) {
        Ok(checks) => checks,
        Err(errors) => {
            compiled.notes.extend(
                errors
                    .into_iter()
                    .map(|error| format!("nothing says how large inputs are: {}", error.message)),
            );
            return;
        }
    };
    let contract = &mut compiled.contract;
    let mut parts: Vec<StmtId> =
        checks.into_iter().map(|check| contract.add(pool, Condition::NoAsserts, check)).collect();
    parts.push(compiled.program.body);
    compiled.program.body = pool.stmt(Stmt::Block(parts));
}
