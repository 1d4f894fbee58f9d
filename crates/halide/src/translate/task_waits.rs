//! Waits of a task that never last: for semaphores that another task releases together with one
//! that the task has already waited for.
//!
//! # Correctness
//! Let the iterations of two tasks be numbered alike, let each iteration of the first end with
//! releases of one unit of several semaphores, and let nothing but these releases be between them.
//! Let iteration `i` of the second begin with an acquisition of a unit of one of them. When it has
//! this unit, iteration `i` of the first has come to its releases, as that semaphore begins at 0
//! and each iteration of the second takes one unit. The first task does all of these releases
//! without waiting, so each further semaphore has `i + 1` units in the end. If no iteration of the
//! second takes more than one of them, and nobody else takes any, at most `i` were taken before.
//! So an acquisition of one unit does not last forever. It orders nothing that is not ordered
//! already: all work of iteration `i` of the first comes before its releases.

use super::error::{Result, unsupported};
use super::task_parts::Iteration;
use super::walk::Walk;
use crate::NameId;
use crate::tree::{Block, Expr, Stmt, StmtKind};

impl Walk<'_> {
    /// Takes out the acquisitions within an iteration of the second task, if they never last.
    /// `computed` is the semaphore that the iteration waits for at its beginning.
    pub(super) fn without_idle_waits(
        &mut self,
        first: &Iteration<'_>,
        second: &mut Iteration<'_>,
        computed: NameId,
    ) -> Result<()> {
        let all = self.all_released(first)?;
        let mut further: Vec<NameId> = all.iter().copied().filter(|it| *it != computed).collect();
        if all.len() != further.len() + 1 {
            return unsupported("a task that releases a semaphore twice");
        }
        for semaphore in &further {
            // The count can be taken once, so the semaphore serves these two tasks alone.
            if self.take_count(*semaphore)? != 0 {
                return unsupported("a semaphore that lets a task read what is not computed yet");
            }
        }
        second.body = self.opened_waits(&second.body, &mut further);
        Ok(())
    }

    /// A block without the acquisitions of some semaphores, each of which it acquires at most once
    /// outside of loops and conditions. Other acquisitions stay, and are refused.
    fn opened_waits(&self, block: &[Stmt], further: &mut Vec<NameId>) -> Block {
        let mut opened = Vec::new();
        for stmt in block {
            let mut stmt = stmt.clone();
            if let StmtKind::Acquire { semaphore, count: Expr::Int(1, _), body } = &stmt.kind
                && let Some(found) = self.semaphore(semaphore)
                && further.contains(&found)
            {
                further.retain(|semaphore| *semaphore != found);
                stmt.kind = StmtKind::Scope(self.opened_waits(body, further));
            } else if let StmtKind::ProducerConsumer { name: _, role: _, body }
            | StmtKind::Scope(body) = &mut stmt.kind
            {
                *body = self.opened_waits(body, further);
            }
            opened.push(stmt);
        }
        opened
    }
}
