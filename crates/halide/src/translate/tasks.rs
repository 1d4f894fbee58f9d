//! Concurrent tasks: some compute, others read the results.
//!
//! # Correctness
//! A semaphore with initial count `c`, acquired and released by one unit, orders two tasks:
//! acquisition number `n` (from 0) follows release number `n - c`. Two forms are judged; all others
//! are refused.
//!
//! * Each task acquires semaphores before everything else, and releases at most one, once, after
//!   everything else. A semaphore begins at 0, one task releases it, and one later task in the text
//!   acquires it. So that task follows the first. Two tasks that no chain of semaphores orders
//!   access no common memory that one of them writes. So all orders that the semaphores admit have
//!   one result, that of the tasks one after the other.
//! * Both tasks are loops with the same iterations ([`super::task_loops`]).
//!
//! With acquisitions and releases of one unit, and the counts above, no task waits forever. Each
//! task binds its own names. Expressions evaluated outside of the acquisitions read no memory.

use halidom_ir::{Pool, StmtId};

use super::error::{Result, unsupported};
use super::task_accesses::{Side, common};
use super::task_parts::Iteration;
use super::walk::{Atomicity, Item, Walk, closed};
use crate::tree::Block;
use crate::{Condition, NameId};

impl Walk<'_> {
    /// Translates concurrent tasks.
    pub(super) fn fork(&mut self, pool: &mut Pool, tasks: &[Block]) -> Result<StmtId> {
        if tasks.iter().any(|task| self.calls_stage(task)) {
            return unsupported("an extern stage in a task");
        }
        if self.atomic != Atomicity::None {
            return unsupported("tasks within an atomic update");
        }
        self.work_begun = true;
        if let [first, second] = tasks
            && let (Some(first), Some(mut second)) = (self.looped(first), self.looped(second))
        {
            return self.merged(pool, &first, &mut second);
        }
        let tasks: Vec<Iteration<'_>> = tasks.iter().map(|task| self.iteration(task)).collect();
        self.in_sequence(pool, &tasks)
    }

    /// Translates tasks that wait for the ends of others, one after the other.
    fn in_sequence(&mut self, pool: &mut Pool, tasks: &[Iteration<'_>]) -> Result<StmtId> {
        let follows = self.follows(tasks)?;
        let mut items = Vec::new();
        let mut sides = Vec::new();
        for task in tasks {
            let before = self.enter();
            let mut own = Vec::new();
            let done = self.named(pool, &task.lets, &mut own).and_then(|bound| {
                let done = self.block(pool, &task.body);
                self.unnamed(&bound);
                done
            });
            self.leave(before);
            own.push(Item::Stmt(done?));
            let own = closed(pool, own);
            sides.push(Side::of(pool, &self.definitions, own));
            items.push(Item::Stmt(own));
        }
        // Copies between the host and devices are no accesses of the statement's.
        let has_copies = self.contract.others.contains(&Condition::Copies);
        for (second, side) in sides.iter().enumerate() {
            for (first, other) in sides[..second].iter().enumerate() {
                if !follows[second][first] && (has_copies || !common(other, side).is_empty()) {
                    return unsupported(
                        "tasks that access common memory, and no semaphore orders them",
                    );
                }
            }
        }
        Ok(closed(pool, items))
    }

    /// For each task and each task before it, true if semaphores let it follow that one.
    fn follows(&mut self, tasks: &[Iteration<'_>]) -> Result<Vec<Vec<bool>>> {
        let mut released: Vec<Option<NameId>> = Vec::new();
        let mut follows: Vec<Vec<bool>> = Vec::new();
        for task in tasks {
            let mut own = vec![false; released.len()];
            for semaphore in self.acquired(task)? {
                let from = released.iter().position(|known| *known == Some(semaphore));
                let Some(from) = from else {
                    return unsupported("a task that waits for a semaphore of no earlier task");
                };
                if self.take_count(semaphore)? != 0 {
                    return unsupported(
                        "a semaphore that lets the second task begin before the first ends",
                    );
                }
                own[from] = true;
                for (own, known) in own.iter_mut().zip(&follows[from]) {
                    *own |= known;
                }
            }
            let semaphore = self.released(task)?;
            if semaphore.is_some() && released.contains(&semaphore) {
                return unsupported("a semaphore that two tasks release");
            }
            released.push(semaphore);
            follows.push(own);
        }
        Ok(follows)
    }
}
