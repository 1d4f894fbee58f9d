//! Demands on the sizes of inputs where the target omits assertions.

use halidom_halide::Condition;
use halidom_halide::translate::{Compiled, Note, Source};
use halidom_ir::{Stmt, StmtId};
use halidom_schedule as schedule;

/// Adds entry checks on the inputs' sizes to a statement that checks nothing. The sizes come from
/// our own bounds inference on the pipeline's definitions. The region that the statement itself
/// reads is not used: a statement cannot excuse its own reads.
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
                    .map(|error| format!("nothing says how large inputs are: {}", error.message))
                    .map(Note::Other),
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
