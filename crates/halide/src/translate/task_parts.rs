//! The parts of concurrent tasks: statements before an acquisition, acquisitions, a body, and
//! releases.

use super::error::{Result, unsupported};
use super::kernels::reads_memory;
use super::nodes::Binding;
use super::walk::{Item, Walk};
use crate::NameId;
use crate::tree::{self, Block, Expr, Stmt, StmtKind};
use halidom_ir::Pool;

/// A statement before a task waits for others.
#[derive(Clone, Copy)]
pub(super) enum Early<'s> {
    Let(NameId, &'s Expr),
    Assert { condition: &'s Expr, message: &'s Expr },
}

/// The lets and assertions at the beginning of a block, and the statements after them.
pub(super) struct Opened<'s> {
    pub(super) lets: Vec<Early<'s>>,
    pub(super) rest: &'s [Stmt],
}

/// Skips the lets, assertions, producers and scopes at the beginning of a block.
pub(super) fn opened(block: &[Stmt]) -> Opened<'_> {
    let mut lets = Vec::new();
    let mut rest = block;
    while let Some((first, after)) = rest.split_first() {
        if let StmtKind::Let { name, value } = &first.kind {
            lets.push(Early::Let(*name, value));
            rest = after;
        } else if let StmtKind::Assert { condition, message } = &first.kind {
            lets.push(Early::Assert { condition, message });
            rest = after;
        } else if after.is_empty()
            && let StmtKind::ProducerConsumer { name: _, role: _, body } | StmtKind::Scope(body) =
                &first.kind
        {
            rest = body;
        } else {
            break;
        }
    }
    Opened { lets, rest }
}

/// The body of a task, or of one iteration of it.
pub(super) struct Iteration<'s> {
    /// Lets and assertions before the acquisitions.
    pub(super) lets: Vec<Early<'s>>,
    /// The semaphores that it acquires, and the counts.
    pub(super) acquired: Vec<(&'s Expr, &'s Expr)>,
    /// The statements after the acquisitions.
    pub(super) body: Block,
    /// The releases at the end, the last one first.
    pub(super) released: Vec<&'s tree::Call>,
}

impl Walk<'_> {
    /// Splits a block into the acquisitions around it, a body, and the releases at its end.
    pub(super) fn iteration<'s>(&self, block: &'s [Stmt]) -> Iteration<'s> {
        let (mut lets, mut acquired, mut block) = (Vec::new(), Vec::new(), block);
        loop {
            let Opened { lets: before, rest } = opened(block);
            let [only] = rest else { break };
            let StmtKind::Acquire { semaphore, count, body } = &only.kind else { break };
            lets.extend(before);
            acquired.push((semaphore, count));
            block = body;
        }
        let (body, released) = self.without_releases(block);
        Iteration { lets, acquired, body, released }
    }

    /// Splits off the releases that a block ends with.
    pub(super) fn without_releases<'s>(&self, block: &'s [Stmt]) -> (Block, Vec<&'s tree::Call>) {
        let (mut released, mut before) = (Vec::new(), block);
        while let Some((last, others)) = before.split_last()
            && let Some(call) = self.release(last)
        {
            released.push(call);
            before = others;
        }
        let mut body = before.to_vec();
        let Some(last) = before.last().filter(|_| released.is_empty()) else {
            return (body, released);
        };
        if let StmtKind::ProducerConsumer { name, role, body: inner } = &last.kind {
            let (inner, released) = self.without_releases(inner);
            body.pop();
            let kind = StmtKind::ProducerConsumer { name: *name, role: *role, body: inner };
            body.push(Stmt { at: last.at, kind });
            return (body, released);
        }
        if let StmtKind::Scope(inner) = &last.kind {
            let (inner, released) = self.without_releases(inner);
            body.pop();
            body.push(Stmt { at: last.at, kind: StmtKind::Scope(inner) });
            return (body, released);
        }
        (body, released)
    }

    pub(super) fn release<'s>(&self, stmt: &'s Stmt) -> Option<&'s tree::Call> {
        let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind else { return None };
        (self.nodes.names.text(call.name) == "halide_semaphore_release").then_some(call)
    }

    /// The semaphore that a task releases by one unit.
    pub(super) fn released(&self, iteration: &Iteration<'_>) -> Result<Option<NameId>> {
        match *self.all_released(iteration)?.as_slice() {
            [] => Ok(None),
            [semaphore] => Ok(Some(semaphore)),
            [..] => unsupported("a task that releases several semaphores"),
        }
    }

    /// The semaphores that a task releases by one unit each, the last one first.
    pub(super) fn all_released(&self, iteration: &Iteration<'_>) -> Result<Vec<NameId>> {
        let one = |call: &&tree::Call| match self.semaphore_call(call) {
            Some((semaphore, 1)) => Ok(semaphore),
            Some(_) | None => unsupported("a release of something else than one of a semaphore"),
        };
        iteration.released.iter().map(one).collect()
    }

    /// The semaphores that a task acquires by one unit each.
    pub(super) fn acquired(&self, iteration: &Iteration<'_>) -> Result<Vec<NameId>> {
        let one = |(semaphore, count): &(&Expr, &Expr)| match (self.semaphore(semaphore), count) {
            (Some(semaphore), Expr::Int(1, _)) => Ok(semaphore),
            (Some(_) | None, _) => {
                unsupported("an acquisition of something else than one of a semaphore")
            }
        };
        iteration.acquired.iter().map(one).collect()
    }

    /// Binds the names before an acquisition. An assertion there owes its condition: one that
    /// fails ends the run.
    pub(super) fn named(
        &mut self,
        pool: &mut Pool,
        lets: &[Early<'_>],
        items: &mut Vec<Item>,
    ) -> Result<Vec<(NameId, Binding)>> {
        let mut bound = Vec::new();
        for early in lets {
            let (Early::Let(_, read) | Early::Assert { condition: read, message: _ }) = early;
            if reads_memory(read) {
                return unsupported("a task that reads memory before it waits");
            }
            match early {
                Early::Let(name, value) => {
                    let (binding, item) = self.let_binding(pool, (*name, value), &[])?;
                    self.nodes.bind(*name, binding);
                    bound.push((*name, binding));
                    items.extend(item);
                }
                Early::Assert { condition, message } => {
                    items.extend(self.assertion(pool, condition, message)?.map(Item::Stmt));
                }
            }
        }
        Ok(bound)
    }

    pub(super) fn unnamed(&mut self, bound: &[(NameId, Binding)]) {
        for (name, _) in bound.iter().rev() {
            self.nodes.unbind(*name);
        }
    }
}
