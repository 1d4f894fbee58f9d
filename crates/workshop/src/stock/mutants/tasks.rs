//! Defects of concurrency: tasks, semaphores, barriers, and calls for their effects.

use halidom_halide::tree::{Block, Expr, Stmt, StmtKind};

use super::build::{doubts, plus};
use super::kind::{Edits, Find, Kind, Point};
use super::walk::{blocks, blocks_mut};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        name: "tasks: one after the other",
        what: "tasks run in order, not at one time",
        find: Find::Stmt(in_order),
    },
    Kind {
        name: "tasks: exchanged",
        what: "tasks stand in another order",
        find: Find::Stmt(exchanged),
    },
    Kind { name: "tasks: dropped", what: "a task is gone", find: Find::Stmt(task_dropped) },
    Kind {
        name: "tasks: at one time",
        what: "two stages that follow each other run at one time",
        find: Find::Stmt(forked),
    },
    Kind {
        name: "tasks: let",
        what: "a name is bound in one task alone",
        find: Find::Stmt(let_in_task),
    },
    Kind {
        name: "acquire: dropped",
        what: "a task does not wait",
        find: Find::Stmt(acquire_dropped),
    },
    Kind {
        name: "acquire: count",
        what: "a task waits for one more or less",
        find: Find::Stmt(acquire_count),
    },
    Kind {
        name: "acquire: semaphore",
        what: "a task waits for another semaphore",
        find: Find::Stmt(acquire_semaphore),
    },
    Kind {
        name: "acquire: earlier",
        what: "a task waits before its loop, not in each iteration",
        find: Find::Stmt(acquire_earlier),
    },
    Kind {
        name: "release: dropped",
        what: "a task does not say that it has done its work",
        find: Find::Stmt(release_dropped),
    },
    Kind {
        name: "release: twice",
        what: "a task says twice that it has done its work",
        find: Find::Stmt(release_twice),
    },
    Kind {
        name: "release: earlier",
        what: "a task says so before it has done its work",
        find: Find::Stmt(release_earlier),
    },
    Kind {
        name: "release: later",
        what: "a task says so after its loop",
        find: Find::Stmt(release_later),
    },
    Kind {
        name: "release: count",
        what: "a task gives one more or less",
        find: Find::Stmt(release_count),
    },
    Kind {
        name: "release: semaphore",
        what: "a task gives to another semaphore",
        find: Find::Stmt(release_semaphore),
    },
    Kind {
        name: "semaphore: first count",
        what: "a semaphore begins with one more or less",
        find: Find::Stmt(first_count),
    },
    Kind {
        name: "semaphore: not begun",
        what: "a semaphore is given no count",
        find: Find::Stmt(not_begun),
    },
    Kind {
        name: "barrier: dropped",
        what: "threads do not wait for each other",
        find: Find::Stmt(barrier_dropped),
    },
    Kind {
        name: "barrier: moved",
        what: "threads wait before or after another statement",
        find: Find::Stmt(barrier_moved),
    },
    Kind {
        name: "barrier: conditional",
        what: "some threads do not come to a barrier",
        find: Find::Stmt(barrier_conditional),
    },
    Kind {
        name: "barrier: fence",
        what: "a barrier orders no memory, or another",
        find: Find::Stmt(barrier_fence),
    },
    Kind {
        name: "threads: divided",
        what: "a loop of threads ends and begins anew where a barrier stood",
        find: Find::Stmt(threads_divided),
    },
    Kind {
        name: "call: dropped",
        what: "a call for its effect is gone",
        find: Find::Stmt(call_dropped),
    },
];

const BARRIER: &str = "gpu_thread_barrier";
const RELEASE: &str = "halide_semaphore_release";
const BEGIN: &str = "halide_semaphore_init";

/// The name of the function that a statement calls.
fn called<'p>(point: &Point<'p>, stmt: &'p Stmt) -> Option<&'p str> {
    if let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind {
        Some(point.scope.names.text(call.name))
    } else {
        None
    }
}

fn is_call(point: &Point<'_>, name: &str) -> bool {
    called(point, &point.block[point.at]) == Some(name)
}

/// Changes the arguments of a call.
fn with_args(block: &mut Block, at: usize, change: impl Fn(&mut Vec<Expr>)) {
    if let StmtKind::Evaluate(Expr::Call(call)) = &mut block[at].kind {
        change(&mut call.args);
    }
}

fn args<'p>(point: &Point<'p>) -> &'p [Expr] {
    if let StmtKind::Evaluate(Expr::Call(call)) = &point.block[point.at].kind {
        &call.args
    } else {
        &[]
    }
}

fn in_order(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Fork(_)) {
        edits.push(move |block| {
            if let StmtKind::Fork(tasks) = &block[at].kind {
                let all: Block = tasks.concat();
                block.splice(at..=at, all);
            }
        });
    }
}

fn exchanged(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Fork(_)) {
        edits.push(move |block| {
            if let StmtKind::Fork(tasks) = &mut block[at].kind {
                tasks.reverse();
            }
        });
        // Also run the tasks one after the other in this reversed order.
        edits.push(move |block| {
            if let StmtKind::Fork(tasks) = &block[at].kind {
                let all: Block = tasks.iter().rev().flatten().cloned().collect();
                block.splice(at..=at, all);
            }
        });
    }
}

fn task_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Fork(tasks) = &point.block[at].kind else { return };
    for number in 0..tasks.len() {
        edits.push(move |block| {
            if let StmtKind::Fork(tasks) = &mut block[at].kind {
                tasks.remove(number);
            }
        });
    }
}

fn forked(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let is_work = |stmt: Option<&Stmt>| {
        stmt.is_some_and(|stmt| {
            matches!(stmt.kind, StmtKind::ProducerConsumer { .. } | StmtKind::For { .. })
        })
    };
    if is_work(point.block.get(at)) && is_work(point.block.get(at + 1)) {
        edits.push(move |block| {
            let tasks: Vec<Block> = block.drain(at..=at + 1).map(|stmt| vec![stmt]).collect();
            block.insert(at, Stmt { at: 0, kind: StmtKind::Fork(tasks) });
        });
    }
}

fn let_in_task(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Let { .. } = &point.block[at].kind else { return };
    for to in at + 1..point.block.len() {
        let StmtKind::Fork(tasks) = &point.block[to].kind else { continue };
        for number in 0..tasks.len() {
            edits.push(move |block| {
                let moved = block[at].clone();
                if let StmtKind::Fork(tasks) = &mut block[to].kind {
                    tasks[number].insert(0, moved);
                }
                block.remove(at);
            });
        }
    }
}

fn acquire_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if matches!(point.block[at].kind, StmtKind::Acquire { .. }) {
        edits.push(move |block| {
            if let StmtKind::Acquire { body, .. } = &block[at].kind {
                let inner = body.clone();
                block.splice(at..=at, inner);
            }
        });
    }
}

fn acquire_count(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Acquire { count, .. } = &point.block[at].kind else { return };
    for to in [1, -1].into_iter().filter_map(|by| plus(point.scope, count, by)) {
        edits.push(move |block| {
            if let StmtKind::Acquire { count, .. } = &mut block[at].kind {
                count.clone_from(&to);
            }
        });
    }
}

/// Other semaphores in scope.
fn semaphores(point: &Point<'_>, own: &Expr) -> Vec<Expr> {
    let known = point.scope.semaphores().into_iter();
    let known = known.map(|(name, ty)| Expr::Variable { name, ty: Some(ty) });
    known.filter(|other| !same_variable(other, own)).collect()
}

fn same_variable(one: &Expr, other: &Expr) -> bool {
    matches!(
        (one, other),
        (Expr::Variable { name: a, ty: _ }, Expr::Variable { name: b, ty: _ }) if a == b
    )
}

fn acquire_semaphore(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::Acquire { semaphore, .. } = &point.block[at].kind else { return };
    for other in semaphores(point, semaphore) {
        edits.push(move |block| {
            if let StmtKind::Acquire { semaphore, .. } = &mut block[at].kind {
                semaphore.clone_from(&other);
            }
        });
    }
}

fn acquire_earlier(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let StmtKind::For { body, .. } = &point.block[at].kind else { return };
    let found = body.iter().position(|stmt| matches!(stmt.kind, StmtKind::Acquire { .. }));
    let Some(number) = found else { return };
    edits.push(move |block| {
        let mut around = block[at].clone();
        let StmtKind::For { body, .. } = &mut block[at].kind else { return };
        let StmtKind::Acquire { semaphore, count, body: inner } = body[number].kind.clone() else {
            return;
        };
        if let StmtKind::For { body, .. } = &mut around.kind {
            body.splice(number..=number, inner);
        }
        block[at].kind = StmtKind::Acquire { semaphore, count, body: vec![around] };
    });
}

fn release_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_call(point, RELEASE) {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn release_twice(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_call(point, RELEASE) {
        edits.push(move |block| {
            let again = block[at].clone();
            block.insert(at, again);
        });
    }
}

fn release_earlier(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_call(point, RELEASE) || at == 0 {
        return;
    }
    let mut places = vec![at - 1, 0];
    places.dedup();
    for to in places {
        edits.push(move |block| {
            let moved = block.remove(at);
            block.insert(to, moved);
        });
    }
    // Move it into the statement before it: to the end or the beginning of its blocks, and so into
    // each iteration of a loop.
    for inside in 0..blocks(&point.block[at - 1].kind).len() {
        for is_begin in [true, false] {
            edits.push(move |block| {
                let moved = block.remove(at);
                if let Some(inner) = blocks_mut(&mut block[at - 1].kind).into_iter().nth(inside) {
                    let to = if is_begin { 0 } else { inner.len() };
                    inner.insert(to, moved);
                }
            });
        }
    }
}

fn release_later(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    for (number, inner) in blocks(&point.block[at].kind).into_iter().enumerate() {
        let is_release = |stmt: &Stmt| called(point, stmt) == Some(RELEASE);
        let Some(place) = inner.iter().position(is_release) else { continue };
        edits.push(move |block| {
            let inner = blocks_mut(&mut block[at].kind).into_iter().nth(number);
            if let Some(moved) = inner.map(|inner| inner.remove(place)) {
                block.insert(at + 1, moved);
            }
        });
    }
}

/// Adds or subtracts one from the last argument of a call.
fn counts(point: &Point<'_>, name: &str, edits: &mut Edits) {
    let at = point.at;
    if !is_call(point, name) {
        return;
    }
    let Some(count) = args(point).last() else { return };
    for to in [1, -1].into_iter().filter_map(|by| plus(point.scope, count, by)) {
        edits.push(move |block| {
            with_args(block, at, |args| {
                if let Some(last) = args.last_mut() {
                    last.clone_from(&to);
                }
            });
        });
    }
}

fn release_count(point: &Point<'_>, edits: &mut Edits) {
    counts(point, RELEASE, edits);
}

fn first_count(point: &Point<'_>, edits: &mut Edits) {
    counts(point, BEGIN, edits);
}

fn release_semaphore(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_call(point, RELEASE) {
        return;
    }
    let Some(own) = args(point).first() else { return };
    for other in semaphores(point, own) {
        edits.push(move |block| with_args(block, at, |args| args[0].clone_from(&other)));
    }
}

fn not_begun(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_call(point, BEGIN) {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn barrier_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if is_call(point, BARRIER) {
        edits.push(move |block| drop(block.remove(at)));
    }
}

fn barrier_moved(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_call(point, BARRIER) {
        return;
    }
    if at > 0 {
        edits.push(move |block| block.swap(at - 1, at));
    }
    if at + 1 < point.block.len() {
        edits.push(move |block| block.swap(at, at + 1));
    }
}

fn barrier_conditional(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_call(point, BARRIER) {
        return;
    }
    for condition in doubts(point.scope).into_iter().take(2) {
        edits.push(move |block| {
            let inner = block[at].clone();
            let condition = condition.clone();
            block[at].kind =
                StmtKind::If { condition, then_branch: vec![inner], else_branch: None };
        });
    }
}

fn barrier_fence(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    if !is_call(point, BARRIER) {
        return;
    }
    let Some(fence) = args(point).first() else { return };
    let Expr::Int(known, ty) = fence else { return };
    for other in [0, 1, 2].into_iter().filter(|other| other != known) {
        let ty = *ty;
        edits.push(move |block| with_args(block, at, |args| args[0] = Expr::Int(other, ty)));
    }
}

fn threads_divided(point: &Point<'_>, edits: &mut Edits) {
    use halidom_halide::tree::ForKind;
    let at = point.at;
    let StmtKind::For { kind: ForKind::GpuThread, body, .. } = &point.block[at].kind else {
        return;
    };
    let barrier = body.iter().position(|stmt| called(point, stmt) == Some(BARRIER));
    let Some(to) = barrier else { return };
    edits.push(move |block| {
        let mut second = block[at].clone();
        if let StmtKind::For { body, .. } = &mut block[at].kind {
            body.truncate(to);
        }
        if let StmtKind::For { body, .. } = &mut second.kind {
            let mut number = 0;
            body.retain(|stmt| {
                number += 1;
                number > to + 1 || matches!(stmt.kind, StmtKind::Let { .. })
            });
        }
        block.insert(at + 1, second);
    });
}

fn call_dropped(point: &Point<'_>, edits: &mut Edits) {
    let at = point.at;
    let known = [BARRIER, RELEASE, BEGIN];
    if called(point, &point.block[at]).is_some_and(|name| !known.contains(&name)) {
        edits.push(move |block| drop(block.remove(at)));
    }
}
