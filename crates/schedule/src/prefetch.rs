//! Checks that there is something to prefetch: the loop of a `prefetch` must read the named func,
//! from memory that exists in later iterations too.

use halidom_ir::visit::{Role, for_each_stmt};
use halidom_ir::{Expr, FuncId, Pool, Stmt, StmtId, VarId};

use crate::error::ScheduleError;
use crate::nest::{Ahead, Lowered, Nest};

/// Checks every `prefetch` on the statement that was made from the schedule.
///
/// # Errors
/// `HAL0630`: a prefetch of a func that the loop does not read, or for which each of its iterations
/// allocates new memory.
pub(crate) fn check(
    pool: &Pool,
    lowered: &Lowered,
    work: StmtId,
) -> Result<(), Vec<ScheduleError>> {
    let mut errors = Vec::new();
    for nest in lowered.nests() {
        for l in &nest.loops {
            for ahead in &l.ahead {
                let Some(body) = body_of(pool, work, l.var) else { continue };
                errors.extend(refusal(pool, lowered, (nest, &l.name), *ahead, body));
            }
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn refusal(
    pool: &Pool,
    lowered: &Lowered,
    (nest, name): (&Nest, &str),
    ahead: Ahead,
    body: StmtId,
) -> Option<ScheduleError> {
    let of_func = |func: FuncId| lowered.original(func) == lowered.original(ahead.func);
    let mut found = Found::default();
    visit(pool, body, &of_func, &mut found);
    let read = &pool.func(ahead.func).name;
    let name = nest.loop_name(pool, name);
    let (message, hint) = if found.is_allocated {
        (
            format!("each iteration of `{name}` has memory of its own for `{read}`"),
            format!("store `{read}` around that loop, or fetch ahead what `{read}` reads"),
        )
    } else if !found.is_read {
        (
            format!("nothing within `{name}` reads `{read}`"),
            "name a func or input that is read there; one that is computed inline is not"
                .to_owned(),
        )
    } else {
        return None;
    };
    let message = format!("`{}.prefetch`: {message}", nest.name(pool));
    Some(ScheduleError::new("HAL0630", ahead.origin, message, hint))
}

/// The uses of a func within a statement.
#[derive(Default)]
struct Found {
    is_read: bool,
    is_allocated: bool,
}

fn visit(pool: &Pool, id: StmtId, of_func: &impl Fn(FuncId) -> bool, found: &mut Found) {
    for_each_stmt(pool, id, &mut |_, stmt| {
        if let Stmt::Allocate { buffer, .. } = stmt {
            found.is_allocated |= of_func(pool.buffer(*buffer).func);
        }
        stmt.for_each_expr(pool, &mut |role, expr| {
            if matches!(role, Role::LetValue | Role::Condition | Role::Index | Role::Value) {
                pool.for_each_subexpr(expr, &mut |_, expr| {
                    found.is_read |= matches!(expr, Expr::Ref { func, .. } if of_func(*func));
                });
            }
        });
    });
}

/// Returns the body of the loop over a variable.
fn body_of(pool: &Pool, id: StmtId, loop_var: VarId) -> Option<StmtId> {
    let stmt = pool.get_stmt(id);
    if let Stmt::For { var, body, .. } = stmt
        && *var == loop_var
    {
        return Some(*body);
    }
    stmt.children().find_map(|child| body_of(pool, child, loop_var))
}
