//! The order of threads: forks and joins, barriers.

use std::rc::Rc;

use super::machine::Machine;
use super::thread::{Flow, Group, Members, Thread, Wait};
use crate::order::{Clock, join, tick};
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Lane, Value};

/// The most members of a group, and the most threads that are live at one time.
const MOST_MEMBERS: u64 = 1 << 22;
const MOST_LIVE: usize = 1 << 14;

impl Machine<'_> {
    /// Runs until all threads have ended.
    pub(super) fn run(&mut self) -> Running<()> {
        loop {
            let Some(slot) = self.ready.pop() else {
                if self.start_next()? {
                    continue;
                }
                return self.stand_still();
            };
            let Some(mut thread) = self.threads.get_mut(slot).and_then(Option::take) else {
                continue;
            };
            let flow = self.advance(&mut thread)?;
            self.follow(slot, thread, flow)?;
        }
    }

    /// Ends a run in which no thread is ready: all have ended, or none can go on.
    fn stand_still(&mut self) -> Running<()> {
        let mut waiting = self.threads.iter().flatten().peekable();
        if waiting.peek().is_none() {
            return Ok(());
        }
        let at_barrier = waiting.clone().any(|thread| thread.wait == Wait::Barrier);
        let stuck = waiting.find(|thread| thread.wait != Wait::Group).map(|thread| thread.pc);
        if let Some(instr) = stuck.and_then(|pc| self.statement.code.get(pc)) {
            self.at = instr.at;
        }
        if at_barrier {
            return fault(
                FaultKind::DivergentBarrier,
                "threads of a block wait at a barrier that others do not reach",
            );
        }
        fault(
            FaultKind::Deadlock,
            "every thread waits: for a semaphore that nobody releases, or for one that waits",
        )
    }

    /// Executes instructions of one thread until it forks, waits or ends.
    fn advance(&mut self, thread: &mut Thread) -> Running<Flow> {
        let statement = self.statement;
        loop {
            let Some(instr) = statement.code.get(thread.pc) else { return Ok(Flow::End) };
            self.at = instr.at;
            self.steps += 1;
            if self.steps > self.limits.steps {
                return Err(Stop::TooLong);
            }
            match self.execute(&instr.op, thread)? {
                Flow::Next => thread.pc += 1,
                Flow::Goto(label) => thread.pc = label,
                flow @ (Flow::Fork { members: _, end: _, mark: _ }
                | Flow::Wait { address: _, count: _ }
                | Flow::Barrier
                | Flow::End) => return Ok(flow),
            }
        }
    }

    fn follow(&mut self, slot: usize, mut thread: Thread, flow: Flow) -> Running<()> {
        if thread.lock != 0 {
            return fault(FaultKind::Misuse, "a thread ends or waits while it holds a lock");
        }
        match flow {
            Flow::Next | Flow::Goto(_) => self.put_back(slot, thread, Wait::Nothing),
            Flow::Fork { members, end, mark } => {
                thread.pc = end;
                if members.count() == 0 {
                    self.ready.push(slot);
                    self.put_back(slot, thread, Wait::Nothing);
                    return Ok(());
                }
                if members.count() > MOST_MEMBERS {
                    return Err(Stop::TooLong);
                }
                let mut clock = Rc::clone(&thread.clock);
                if !self.statement.is_structured {
                    tick(&mut clock, thread.node, thread.time);
                }
                let registers = thread.registers.get(..mark as usize).unwrap_or_default().to_vec();
                self.groups_made += 1;
                self.groups.push(Some(Group {
                    parent: slot,
                    parent_node: thread.node,
                    members,
                    started: 0,
                    live: 0,
                    number: self.groups_made,
                    time: thread.time,
                    joined: Rc::clone(&clock),
                    clock,
                    registers,
                    arrived: std::collections::BTreeMap::new(),
                }));
                self.open.push(self.groups.len() - 1);
                // The thread's next event comes after the members.
                thread.time += 1;
                self.put_back(slot, thread, Wait::Group);
            }
            Flow::Wait { address, count } => {
                self.put_back(slot, thread, Wait::Semaphore { address, count });
            }
            Flow::Barrier => {
                let Some(group) = thread.group else {
                    return fault(FaultKind::DivergentBarrier, "a barrier outside of a kernel");
                };
                let block = thread.block;
                self.put_back(slot, thread, Wait::Barrier);
                self.arrive(slot, group, block)?;
            }
            Flow::End => self.end(slot, thread),
        }
        Ok(())
    }

    fn put_back(&mut self, slot: usize, mut thread: Thread, wait: Wait) {
        thread.wait = wait;
        if let Some(place) = self.threads.get_mut(slot) {
            *place = Some(thread);
        }
    }

    /// Starts a member of the newest group with members to start. Returns false if no group is
    /// open.
    fn start_next(&mut self) -> Running<bool> {
        let Some(number) = self.open.last().copied() else { return Ok(false) };
        let Some(group) = self.groups.get_mut(number).and_then(Option::as_mut) else {
            self.open.pop();
            return Ok(true);
        };
        let member = group.started;
        if member == group.members.count() {
            self.open.pop();
            return Ok(true);
        }
        group.started += 1;
        group.live += 1;
        let node = self.tree.fork(group.parent_node, group.number, group.time);
        let mut registers = self.retired.pop().unwrap_or_default();
        registers.clear();
        registers.extend_from_slice(&group.registers);
        registers.resize(self.statement.registers, Value::default());
        let mut thread = Thread::new(node, Rc::clone(&group.clock), registers, 0);
        thread.group = Some(number);
        match &group.members {
            Members::Loop { var, first, count: _, body } => {
                thread.pc = *body;
                let value = (i64::from(*first) + member as i64) as u32;
                thread.set(*var, Value::One(Lane::of(u64::from(value))));
            }
            Members::Tasks(tasks) => {
                thread.pc = tasks.get(member as usize).copied().unwrap_or(usize::MAX);
            }
            Members::Kernel { extents, body } => {
                thread.pc = *body;
                let [threads, blocks] = extents;
                let each: u64 = threads.iter().product();
                thread.block = member / each.max(1);
                let numbers = |mut number: u64, extents: &[u64; 3]| {
                    extents.map(|extent| {
                        let this = number % extent.max(1);
                        number /= extent.max(1);
                        this as i32
                    })
                };
                thread.identity =
                    [numbers(member % each.max(1), threads), numbers(thread.block, blocks)];
            }
        }
        let slot = match self.unused.pop() {
            Some(slot) => slot,
            None => {
                self.threads.push(None);
                self.threads.len() - 1
            }
        };
        if self.threads.len() > MOST_LIVE {
            return Err(Stop::TooLong);
        }
        self.put_back(slot, thread, Wait::Nothing);
        self.ready.push(slot);
        Ok(true)
    }

    fn end(&mut self, slot: usize, thread: Thread) {
        self.unused.push(slot);
        self.retired.push(thread.registers);
        let Some(number) = thread.group else { return };
        let Some(group) = self.groups.get_mut(number).and_then(Option::as_mut) else { return };
        join(&mut group.joined, &thread.clock);
        group.live -= 1;
        if group.live > 0 || group.started < group.members.count() {
            return;
        }
        let Some(group) = self.groups.get_mut(number).and_then(Option::take) else { return };
        let Some(parent) = self.threads.get_mut(group.parent).and_then(Option::as_mut) else {
            return;
        };
        join(&mut parent.clock, &group.joined);
        parent.wait = Wait::Nothing;
        if parent.node == 0 {
            // Everything so far comes before the first thread's next event.
            self.epoch += 1;
        }
        self.ready.push(group.parent);
    }

    /// Lets a block go on once all of its threads are at the barrier.
    fn arrive(&mut self, slot: usize, group: usize, block: u64) -> Running<()> {
        let Some(group) = self.groups.get_mut(group).and_then(Option::as_mut) else {
            return Ok(());
        };
        let Members::Kernel { extents: [threads, _], body: _ } = &group.members else {
            return fault(FaultKind::DivergentBarrier, "a barrier outside of a kernel");
        };
        let each: u64 = threads.iter().product();
        let arrived = group.arrived.entry(block).or_default();
        arrived.push(slot);
        if (arrived.len() as u64) < each {
            return Ok(());
        }
        let arrived = std::mem::take(arrived);
        let mut merged = Clock::default();
        let mut place = None;
        for slot in &arrived {
            let Some(thread) = self.threads.get(*slot).and_then(Option::as_ref) else { continue };
            if *place.get_or_insert(thread.pc) != thread.pc {
                return fault(
                    FaultKind::DivergentBarrier,
                    "threads of a block wait at different barriers",
                );
            }
            join(&mut merged, &thread.clock);
            tick(&mut merged, thread.node, thread.time);
        }
        for slot in arrived.iter().rev() {
            let Some(thread) = self.threads.get_mut(*slot).and_then(Option::as_mut) else {
                continue;
            };
            thread.clock = Rc::clone(&merged);
            thread.time += 1;
            thread.pc += 1;
            thread.wait = Wait::Nothing;
            self.ready.push(*slot);
        }
        Ok(())
    }
}
