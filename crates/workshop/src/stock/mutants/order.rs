//! Defects of control: conditions, loops, the order of statements, and the places of assertions and
//! lets.

use halidom_halide::tree::{BinaryOp, Block, Call, CallKind, Expr, ForKind, Stmt, StmtKind, Type};

use super::build::{ERROR, doubts, int, plus, variable};
use super::kind::{Edits, Find, Kind, Point};
use super::walk::{blocks, blocks_mut};

pub(super) const KINDS: &[Kind] = &[
    Kind { name: "if: negated", what: "a condition is negated", find: Find::Stmt(if_negated) },
    Kind {
        name: "if: dropped",
        what: "what stands under a condition always runs",
        find: Find::Stmt(if_dropped),
    },
    Kind {
        name: "if: added",
        what: "a statement runs under a condition",
        find: Find::Stmt(if_added),
    },
    Kind {
        name: "if: arms exchanged",
        what: "each of two blocks runs where the other should",
        find: Find::Stmt(arms_exchanged),
    },
    Kind {
        name: "if: arm dropped",
        what: "one of the blocks under a condition is gone",
        find: Find::Stmt(arm_dropped),
    },
    Kind {
        name: "loop: kind",
        what: "a loop is serial, parallel, of blocks or of threads instead",
        find: Find::Stmt(loop_kind),
    },
    Kind {
        name: "loop: first value",
        what: "a loop begins one later or earlier",
        find: Find::Stmt(loop_min),
    },
    Kind {
        name: "loop: count",
        what: "a loop has an iteration more or less, or one",
        find: Find::Stmt(loop_extent),
    },
    Kind {
        name: "loop: gone",
        what: "of a loop the first iteration alone runs, as a statement",
        find: Find::Stmt(loop_gone),
    },
    Kind { name: "loop: repeated", what: "a loop runs twice", find: Find::Stmt(loop_repeated) },
    Kind {
        name: "loop: exchanged",
        what: "a loop and the one in it are exchanged",
        find: Find::Stmt(loop_exchanged),
    },
    Kind {
        name: "loop: divided",
        what: "the statements of a loop run in two loops",
        find: Find::Stmt(loop_divided),
    },
    Kind {
        name: "loop: fused",
        what: "two loops one after the other run as one",
        find: Find::Stmt(loop_fused),
    },
    Kind {
        name: "order: exchanged",
        what: "two statements are exchanged",
        find: Find::Stmt(exchanged),
    },
    Kind {
        name: "order: into a loop",
        what: "a statement moves into the loop or the stage before or after it",
        find: Find::Stmt(into_block),
    },
    Kind {
        name: "order: out of a loop",
        what: "the first or last statement of a loop moves out of it",
        find: Find::Stmt(out_of_loop),
    },
    Kind {
        name: "stage: dropped",
        what: "a stage is not computed",
        find: Find::Stmt(stage_dropped),
    },
    Kind { name: "stage: twice", what: "a stage is computed twice", find: Find::Stmt(stage_twice) },
    Kind {
        name: "assertion: dropped",
        what: "a check is gone",
        find: Find::Stmt(assertion_dropped),
    },
    Kind {
        name: "assertion: later",
        what: "a check stands behind the work",
        find: Find::Stmt(assertion_later),
    },
    Kind {
        name: "assertion: into a loop",
        what: "a check stands within a later block",
        find: Find::Stmt(assertion_within),
    },
    Kind {
        name: "assertion: arithmetic",
        what: "the numbers of a check overflow: both sides are multiplied with 65536",
        find: Find::Stmt(assertion_scaled),
    },
    Kind {
        name: "assertion: weakened",
        what: "a check holds in more cases",
        find: Find::Stmt(assertion_weakened),
    },
    Kind {
        name: "assertion: added",
        what: "a check that does not always hold stands before a statement",
        find: Find::Stmt(assertion_added),
    },
    Kind {
        name: "let: later",
        what: "a name is bound after the statement that follows",
        find: Find::Stmt(let_later),
    },
    Kind {
        name: "let: into a block",
        what: "a name is bound in a block of a later statement alone",
        find: Find::Stmt(let_within),
    },
    Kind {
        name: "let: out of a block",
        what: "a name of a block is bound before it",
        find: Find::Stmt(let_out),
    },
    Kind {
        name: "let: renamed",
        what: "a name is bound under that of another one in scope",
        find: Find::Stmt(let_renamed),
    },
    Kind {
        name: "let: off by one",
        what: "a name has the next or the previous value",
        find: Find::Stmt(let_off),
    },
];

/// A statement without a source position.
fn stmt(kind: StmtKind) -> Stmt {
    Stmt { at: 0, kind }
}

fn not(condition: &Expr) -> Expr {
    Expr::Not(Box::new(condition.clone()))
}

fn if_negated(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::If { .. }) {
        edits.push(move |block| {
            if let StmtKind::If { condition, .. } = &mut block[at].kind {
                *condition = not(condition);
            }
        });
    }
}

fn if_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::If { else_branch, .. } = &point.block[at].kind else { return };
    edits.push(move |block| {
        if let StmtKind::If { then_branch, .. } = &block[at].kind {
            let inner = then_branch.clone();
            block.splice(at..=at, inner);
        }
    });
    if else_branch.is_some() {
        edits.push(move |block| {
            if let StmtKind::If { else_branch: Some(inner), .. } = &block[at].kind {
                let inner = inner.clone();
                block.splice(at..=at, inner);
            }
        });
    }
}

/// Tests whether a statement does work, as opposed to binding or asserting something for the
/// statements after it.
fn is_work(kind: &StmtKind) -> bool {
    matches!(
        kind,
        StmtKind::ProducerConsumer { .. }
            | StmtKind::For { .. }
            | StmtKind::Store { .. }
            | StmtKind::If { .. }
            | StmtKind::Fork(_)
            | StmtKind::Atomic { .. }
            | StmtKind::Acquire { .. }
    )
}

fn if_added(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_work(&point.block[at].kind) {
        return;
    }
    for condition in doubts(point.scope) {
        edits.push(move |block| {
            let inner = block[at].clone();
            let condition = condition.clone();
            block[at].kind =
                StmtKind::If { condition, then_branch: vec![inner], else_branch: None };
        });
    }
}

fn arms_exchanged(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::If { else_branch: Some(_), .. }) {
        edits.push(move |block| {
            if let StmtKind::If { then_branch, else_branch: Some(other), .. } = &mut block[at].kind
            {
                std::mem::swap(then_branch, other);
            }
        });
    }
}

fn arm_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::If { else_branch, .. } = &point.block[at].kind else { return };
    if else_branch.is_some() {
        edits.push(move |block| {
            if let StmtKind::If { else_branch, .. } = &mut block[at].kind {
                *else_branch = None;
            }
        });
        edits.push(move |block| {
            if let StmtKind::If { condition, then_branch, else_branch } = &mut block[at].kind
                && let Some(other) = else_branch.take()
            {
                *condition = not(condition);
                *then_branch = other;
            }
        });
    } else {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn loop_kind(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { kind, .. } = &point.block[at].kind else { return };
    let others: &[ForKind] = match kind {
        ForKind::Serial => &[ForKind::Parallel, ForKind::GpuThread],
        ForKind::Parallel => &[ForKind::Serial],
        ForKind::Vectorized | ForKind::Unrolled => &[ForKind::Serial, ForKind::Parallel],
        ForKind::GpuBlock => &[ForKind::Serial, ForKind::GpuThread, ForKind::Parallel],
        ForKind::GpuThread => &[ForKind::Serial, ForKind::GpuBlock, ForKind::GpuLane],
        ForKind::GpuLane => &[ForKind::GpuThread],
        ForKind::Extern => &[],
    };
    for other in others.iter().copied() {
        edits.push(move |block| {
            if let StmtKind::For { kind, .. } = &mut block[at].kind {
                *kind = other;
            }
        });
    }
}

fn loop_min(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { min, .. } = &point.block[at].kind else { return };
    for to in [1, -1].into_iter().filter_map(|by| plus(point.scope, min, by)) {
        edits.push(move |block| {
            if let StmtKind::For { min, .. } = &mut block[at].kind {
                min.clone_from(&to);
            }
        });
    }
}

fn loop_extent(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { extent, .. } = &point.block[at].kind else { return };
    let off = [1, -1].into_iter().filter_map(|by| plus(point.scope, extent, by));
    for to in off.chain([int(1)]) {
        edits.push(move |block| {
            if let StmtKind::For { extent, .. } = &mut block[at].kind {
                extent.clone_from(&to);
            }
        });
    }
}

fn loop_gone(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::For { .. }) {
        edits.push(move |block| {
            if let StmtKind::For { name, min, body, .. } = &block[at].kind {
                let mut inner = vec![stmt(StmtKind::Let { name: *name, value: min.clone() })];
                inner.extend(body.iter().cloned());
                block.splice(at..=at, inner);
            }
        });
    }
}

fn loop_repeated(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let Some(name) = point.scope.names.find("mutant.repetition") else { return };
    if matches!(point.block[at].kind, StmtKind::For { .. }) {
        edits.push(move |block| {
            let inner = block[at].clone();
            block[at].kind = StmtKind::For {
                name,
                min: int(0),
                extent: int(2),
                kind: ForKind::Serial,
                device: None,
                body: vec![inner],
            };
        });
    }
}

fn loop_exchanged(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { body, .. } = &point.block[at].kind else { return };
    let inner = body.iter().position(|stmt| matches!(stmt.kind, StmtKind::For { .. }));
    if let Some(inner) = inner.filter(|inner| inner + 1 == body.len()) {
        edits.push(move |block| {
            let StmtKind::For { name, min, extent, kind, device, body } = &block[at].kind else {
                return;
            };
            let mut lets: Block = body[..inner].to_vec();
            let StmtKind::For {
                name: other,
                min: low,
                extent: count,
                kind: way,
                device: place,
                body: innermost,
            } = &body[inner].kind
            else {
                return;
            };
            lets.extend(innermost.iter().cloned());
            let within = StmtKind::For {
                name: *name,
                min: min.clone(),
                extent: extent.clone(),
                kind: *kind,
                device: *device,
                body: lets,
            };
            block[at].kind = StmtKind::For {
                name: *other,
                min: low.clone(),
                extent: count.clone(),
                kind: *way,
                device: *place,
                body: vec![stmt(within)],
            };
        });
    }
}

fn loop_divided(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { body, .. } = &point.block[at].kind else { return };
    let is_after_work = |to: &usize| body[..*to].iter().any(|stmt| is_work(&stmt.kind));
    for to in (1..body.len()).filter(is_after_work) {
        edits.push(move |block| {
            let mut second = block[at].clone();
            if let StmtKind::For { body, .. } = &mut block[at].kind {
                body.truncate(to);
            }
            if let StmtKind::For { body, .. } = &mut second.kind {
                let mut number = 0;
                // Both loops need the names that lets bind.
                body.retain(|stmt| {
                    number += 1;
                    number > to || matches!(stmt.kind, StmtKind::Let { .. })
                });
            }
            block.insert(at + 1, second);
        });
    }
}

fn loop_fused(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let (Some(first), Some(second)) = (point.block.get(at), point.block.get(at + 1)) else {
        return;
    };
    let (Some(one), Some(other)) = (range(first), range(second)) else { return };
    if one.1 != other.1 {
        return;
    }
    edits.push(move |block| {
        let mut second = block.remove(at + 1);
        let Some(StmtKind::For { name: other, min: low, body: rest, .. }) = the_loop(&mut second)
        else {
            return;
        };
        let (other, low, rest) = (*other, low.clone(), std::mem::take(rest));
        if let Some(StmtKind::For { name, min, body, .. }) = the_loop(&mut block[at]) {
            let first = Expr::Binary(BinaryOp::Sub, Box::new([variable(*name), min.clone()]));
            let value = Expr::Binary(BinaryOp::Add, Box::new([first, low]));
            body.push(stmt(StmtKind::Let { name: other, value }));
            body.extend(rest);
        }
    });
}

/// The bounds of a loop, possibly inside its stage.
fn range(stmt: &Stmt) -> Option<(&Expr, &Expr)> {
    if let StmtKind::For { min, extent, .. } = &stmt.kind {
        return Some((min, extent));
    }
    let StmtKind::ProducerConsumer { body, .. } = &stmt.kind else { return None };
    if let [only] = body.as_slice() { range(only) } else { None }
}

/// The loop whose bounds [`range`] returns.
fn the_loop(stmt: &mut Stmt) -> Option<&mut StmtKind> {
    if matches!(stmt.kind, StmtKind::For { .. }) {
        return Some(&mut stmt.kind);
    }
    blocks_mut(&mut stmt.kind).pop()?.first_mut().and_then(the_loop)
}

fn exchanged(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if at + 1 < point.block.len() {
        edits.push(move |block| block.swap(at, at + 1));
    }
}

fn into_block(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !matches!(
        point.block[at].kind,
        StmtKind::Store { .. } | StmtKind::ProducerConsumer { .. } | StmtKind::For { .. }
    ) {
        return;
    }
    if at > 0 {
        for inside in 0..blocks(&point.block[at - 1].kind).len() {
            edits.push(move |block| {
                let moved = block.remove(at);
                if let Some(inner) = blocks_mut(&mut block[at - 1].kind).into_iter().nth(inside) {
                    inner.push(moved);
                }
            });
        }
    }
    if at + 1 < point.block.len() {
        for inside in 0..blocks(&point.block[at + 1].kind).len() {
            edits.push(move |block| {
                let moved = block.remove(at);
                if let Some(inner) = blocks_mut(&mut block[at].kind).into_iter().nth(inside) {
                    inner.insert(0, moved);
                }
            });
        }
    }
}

fn out_of_loop(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { name, min, body, .. } = &point.block[at].kind else { return };
    if body.len() < 2 {
        return;
    }
    let (name, min) = (*name, min.clone());
    // Outside the loop, its variable has the first value.
    for last in [false, true] {
        let min = min.clone();
        edits.push(move |block| {
            let StmtKind::For { body, .. } = &mut block[at].kind else { return };
            let first = stmt(StmtKind::Let { name, value: min.clone() });
            let work = body.iter().position(|stmt| is_work(&stmt.kind));
            let number = if last { Some(body.len() - 1) } else { work };
            let Some(number) = number else { return };
            let mut moved: Block = vec![first];
            let lets = body[..number].iter();
            moved.extend(lets.filter(|stmt| matches!(stmt.kind, StmtKind::Let { .. })).cloned());
            moved.push(body.remove(number));
            let to = if last { at + 1 } else { at };
            block.splice(to..to, moved);
        });
    }
}

fn is_stage(point: &Point<'_>) -> bool {
    matches!(point.block[point.at].kind, StmtKind::ProducerConsumer { .. })
}

fn stage_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_stage(point) {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn stage_twice(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_stage(point) {
        edits.push(move |block| {
            let again = block[at].clone();
            block.insert(at + 1, again);
        });
    }
}

fn is_assertion(point: &Point<'_>) -> bool {
    matches!(point.block[point.at].kind, StmtKind::Assert { .. })
}

fn assertion_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_assertion(point) {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn assertion_later(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_assertion(point) {
        return;
    }
    let work = (at + 1..point.block.len()).filter(|to| is_work(&point.block[*to].kind));
    let ends: Vec<usize> = work.take(1).chain([point.block.len() - 1]).collect();
    for to in ends {
        edits.push(move |block| {
            let moved = block.remove(at);
            block.insert(to, moved);
        });
    }
}

fn assertion_within(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_assertion(point) {
        return;
    }
    let work = (at + 1..point.block.len()).filter(|to| is_work(&point.block[*to].kind));
    for to in work.take(2) {
        edits.push(move |block| {
            let moved = block[at].clone();
            if let Some(inner) = blocks_mut(&mut block[to].kind).into_iter().next() {
                inner.insert(0, moved);
                block.remove(at);
            }
        });
    }
}

fn assertion_scaled(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Assert { condition, .. } = &point.block[at].kind else { return };
    let Expr::Binary(op, operands) = condition else { return };
    let is_int = point.scope.type_of(&operands[0]) == Some(Type::INT32);
    if !op.is_comparison() || !is_int {
        return;
    }
    let scaled = operands
        .each_ref()
        .map(|operand| Expr::Binary(BinaryOp::Mul, Box::new([operand.clone(), int(65536)])));
    let to = Expr::Binary(*op, Box::new(scaled));
    edits.push(move |block| {
        if let StmtKind::Assert { condition, .. } = &mut block[at].kind {
            condition.clone_from(&to);
        }
    });
}

fn assertion_weakened(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Assert { condition, .. } = &point.block[at].kind else { return };
    for doubt in doubts(point.scope) {
        let to = Expr::Binary(BinaryOp::Or, Box::new([condition.clone(), doubt]));
        edits.push(move |block| {
            if let StmtKind::Assert { condition, .. } = &mut block[at].kind {
                condition.clone_from(&to);
            }
        });
    }
}

fn assertion_added(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_work(&point.block[at].kind) {
        return;
    }
    let Some(error) = point.scope.names.find(ERROR) else { return };
    for condition in doubts(point.scope) {
        edits.push(move |block| {
            let words = |text: &[u8]| Expr::String(text.into());
            let message = Expr::Call(Box::new(Call {
                name: error,
                ty: Some(Type::INT32),
                args: vec![words(b"a mutant"), words(b"does not hold")],
                kind: Some(CallKind::Extern),
                component: 0,
                parameter: None,
            }));
            let kind = StmtKind::Assert { condition: condition.clone(), message };
            block.insert(at, stmt(kind));
        });
    }
}

fn is_let(point: &Point<'_>) -> bool {
    matches!(point.block[point.at].kind, StmtKind::Let { .. })
}

fn let_later(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_let(point) && at + 1 < point.block.len() {
        edits.push(move |block| block.swap(at, at + 1));
    }
}

fn let_within(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_let(point) {
        return;
    }
    for to in (at + 1..point.block.len()).take(4) {
        for inside in 0..blocks(&point.block[to].kind).len() {
            edits.push(move |block| {
                let moved = block[at].clone();
                if let Some(inner) = blocks_mut(&mut block[to].kind).into_iter().nth(inside) {
                    inner.insert(0, moved);
                }
                block.remove(at);
            });
        }
    }
}

fn let_out(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let inside = blocks(&point.block[at].kind);
    for (number, inner) in inside.into_iter().enumerate() {
        for (place, _) in inner
            .iter()
            .enumerate()
            .filter(|(_, stmt)| matches!(stmt.kind, StmtKind::Let { .. }))
            .take(3)
        {
            edits.push(move |block| {
                let inner = blocks_mut(&mut block[at].kind).into_iter().nth(number);
                if let Some(moved) = inner.map(|inner| inner.remove(place)) {
                    block.insert(at, moved);
                }
            });
        }
    }
}

fn let_renamed(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Let { name, value } = &point.block[at].kind else { return };
    let Some(ty) = point.scope.type_of(value) else { return };
    for other in point.scope.values(ty, Some(*name)).into_iter().take(3) {
        // Keep the right value under the old name for the following statements, but shadow the
        // other name too.
        edits.push(move |block| {
            let StmtKind::Let { name, .. } = &mut block[at].kind else { return };
            let own = std::mem::replace(name, other);
            let value = Expr::Variable { name: other, ty: Some(ty) };
            block.insert(at + 1, stmt(StmtKind::Let { name: own, value }));
        });
    }
}

fn let_off(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Let { value, .. } = &point.block[at].kind else { return };
    for to in [1, -1].into_iter().filter_map(|by| plus(point.scope, value, by)) {
        edits.push(move |block| {
            if let StmtKind::Let { value, .. } = &mut block[at].kind {
                value.clone_from(&to);
            }
        });
    }
}
