//! Semaphores and locks.

use std::rc::Rc;

use super::machine::{Locks, Machine};
use super::thread::{Semaphore, Thread, Wait, decided};
use crate::code::SyncCall;
use crate::memory::LOCKS;
use crate::order::{Event, join, tick};
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Kind, Lane};

impl Machine<'_> {
    /// Makes a call about semaphores or locks, and returns its result.
    pub(super) fn sync(&mut self, call: &SyncCall, thread: &mut Thread) -> Running<Lane> {
        match call {
            SyncCall::MakeSemaphore => {
                let pointer = self.memory.allocate("a semaphore".to_owned(), 16, thread.node);
                return Ok(Lane::of(pointer));
            }
            SyncCall::InitSemaphore { semaphore, count } => {
                let address = decided(thread.value(*semaphore).first(), "a semaphore")?;
                let count = thread.int32(*count, "the units of a semaphore")?;
                if !self.memory.is_live(address) || count < 0 {
                    return fault(
                        FaultKind::Misuse,
                        "a semaphore of less than nothing, or without memory",
                    );
                }
                self.semaphores.insert(address, Semaphore::new(i64::from(count)));
            }
            SyncCall::Release { semaphore, count } => {
                let address = decided(thread.value(*semaphore).first(), "a semaphore")?;
                let count = thread.int32(*count, "the units of a semaphore")?;
                self.release(address, i64::from(count), thread)?;
            }
            SyncCall::MakeLocks { extent, kind } => {
                let extent =
                    kind.value(decided(thread.value(*extent).first(), "a number of locks")?);
                self.locks.push(Locks { extent });
                return Ok(Lane::of(LOCKS | (self.locks.len() as u64 - 1)));
            }
            SyncCall::Lock { locks, index, kind, is_lock } => {
                let [locks, index] = [*locks, *index].map(|number| thread.value(number).first());
                self.lock(locks, (index, *kind), *is_lock, thread)?;
            }
        }
        Ok(Lane::of(0))
    }

    /// Takes a lock, or gives it back.
    fn lock(
        &mut self,
        locks: Lane,
        (index, kind): (Lane, Kind),
        is_lock: bool,
        thread: &mut Thread,
    ) -> Running<()> {
        let locks = decided(locks, "a lock")?;
        let index = kind.value(decided(index, "a lock")?);
        let extent = (locks & LOCKS == LOCKS)
            .then(|| self.locks.get((locks & !LOCKS) as usize))
            .flatten()
            .map(|locks| locks.extent);
        let Some(extent) = extent else {
            return fault(FaultKind::Misuse, "a lock of what are no locks");
        };
        if !(0..extent).contains(&index) {
            return fault(FaultKind::OutOfBounds, format!("the lock {index} of {extent}"));
        }
        let next = self.held.len() as u32 + 1;
        let number = *self.held.entry((locks, index)).or_insert(next);
        let expected = if is_lock { 0 } else { number };
        if thread.lock != expected {
            return fault(
                FaultKind::Misuse,
                "a lock that is held is taken, or another one given back",
            );
        }
        thread.lock = if is_lock { number } else { 0 };
        Ok(())
    }

    fn event(thread: &Thread) -> Event {
        Event {
            node: thread.node,
            time: thread.time,
            atomic: false,
            lock: 0,
            group: false,
            is_covered: false,
        }
    }

    /// Adds units to a semaphore.
    pub(super) fn release(&mut self, address: u64, count: i64, thread: &mut Thread) -> Running<()> {
        let Some(semaphore) = self.semaphores.get_mut(&address) else {
            return fault(FaultKind::Misuse, "the release of a semaphore that is not initialized");
        };
        if count < 0 {
            return fault(FaultKind::Misuse, "the release of less than nothing");
        }
        let event = Self::event(thread);
        if semaphore.releaser.is_some_and(|last| !self.tree.is_before(last, thread.who())) {
            return Err(Stop::Refused("a semaphore that unordered threads release".to_owned()));
        }
        semaphore.releaser = Some(event);
        let mut clock = Rc::clone(&thread.clock);
        tick(&mut clock, thread.node, thread.time);
        thread.time += 1;
        semaphore.units.push_back((count, clock));
        let available = semaphore.available();
        for (slot, waiting) in self.threads.iter_mut().enumerate() {
            let Some(waiting) = waiting else { continue };
            if let Wait::Semaphore { address: of, count } = waiting.wait
                && of == address
                && count <= available
            {
                // The thread takes its units itself when it runs.
                waiting.wait = Wait::Nothing;
                self.ready.push(slot);
            }
        }
        Ok(())
    }

    /// Takes units of a semaphore, or returns false if there are not enough.
    pub(super) fn acquire(
        &mut self,
        address: u64,
        count: i64,
        thread: &mut Thread,
    ) -> Running<bool> {
        let Some(semaphore) = self.semaphores.get_mut(&address) else {
            return fault(
                FaultKind::Misuse,
                "the acquisition of a semaphore that is not initialized",
            );
        };
        if count < 0 {
            return fault(FaultKind::Misuse, "the acquisition of less than nothing");
        }
        if semaphore.acquirer.is_some_and(|last| !self.tree.is_before(last, thread.who())) {
            return Err(Stop::Refused("a semaphore that unordered threads acquire".to_owned()));
        }
        if semaphore.available() < count {
            return Ok(false);
        }
        semaphore.acquirer = Some(Self::event(thread));
        thread.time += 1;
        let mut wanted = count;
        while wanted > 0 {
            let Some((units, clock)) = semaphore.units.front_mut() else { break };
            join(&mut thread.clock, clock);
            let taken = wanted.min(*units);
            *units -= taken;
            wanted -= taken;
            if *units == 0 {
                semaphore.units.pop_front();
            }
        }
        Ok(true)
    }
}
