//! Threads, and what they wait for.

use std::collections::VecDeque;

use crate::code::{Label, Reg};
use crate::order::{Clock, Event, Node, Who};
use crate::outcome::{FaultKind, Running, fault};
use crate::value::{Lane, Value};

/// A thread that has not ended.
pub(super) struct Thread {
    pub(super) node: Node,
    pub(super) clock: Clock,
    pub(super) time: u32,
    pub(super) registers: Vec<Value>,
    pub(super) pc: Label,
    pub(super) group: Option<usize>,
    /// The lock that it holds, or 0.
    pub(super) lock: u32,
    /// For a kernel's thread: its own numbers, and its block's.
    pub(super) identity: [[i32; 3]; 2],
    pub(super) block: u64,
    pub(super) wait: Wait,
}

/// The event for which a thread waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    Nothing,
    Group,
    Semaphore { address: u64, count: i64 },
    Barrier,
}

impl Thread {
    pub(super) fn new(node: Node, clock: Clock, registers: Vec<Value>, pc: Label) -> Self {
        Self {
            node,
            clock,
            time: 1,
            registers,
            pc,
            group: None,
            lock: 0,
            identity: [[0; 3]; 2],
            block: 0,
            wait: Wait::Nothing,
        }
    }

    pub(super) fn value(&self, register: Reg) -> &Value {
        const NONE: &Value = &Value::One(Lane::poison(crate::value::Poison::Undefined));
        self.registers.get(register as usize).unwrap_or(NONE)
    }

    pub(super) fn set(&mut self, register: Reg, value: Value) {
        if let Some(place) = self.registers.get_mut(register as usize) {
            *place = value;
        }
    }

    pub(super) fn int32(&self, register: Reg, what: &str) -> Running<i32> {
        Ok(decided(self.value(register).first(), what)? as u32 as i32)
    }

    pub(super) fn who(&self) -> Who<'_> {
        Who { node: self.node, clock: &self.clock }
    }
}

/// Returns the bits of a lane, which must not be poison.
pub(super) fn decided(lane: Lane, what: &str) -> Running<u64> {
    match lane.poison {
        None => Ok(lane.bits),
        Some(poison) => {
            fault(FaultKind::Poison, format!("{what} is decided by {}", poison.words()))
        }
    }
}

/// The threads of a fork.
#[derive(Clone, Debug)]
pub(super) enum Members {
    /// Iterations, from the first one on.
    Loop {
        var: Reg,
        first: i32,
        count: u64,
        body: Label,
    },
    Tasks(Vec<Label>),
    /// The extents of threads and of blocks.
    Kernel {
        extents: [[u64; 3]; 2],
        body: Label,
    },
}

impl Members {
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Loop { var: _, first: _, count, body: _ } => *count,
            Self::Tasks(tasks) => tasks.len() as u64,
            Self::Kernel { extents, body: _ } => extents.iter().flatten().product(),
        }
    }
}

/// Threads that are forked and joined together.
pub(super) struct Group {
    pub(super) parent: usize,
    pub(super) parent_node: Node,
    pub(super) members: Members,
    pub(super) started: u64,
    pub(super) live: u64,
    pub(super) number: u32,
    /// The parent's time at the fork.
    pub(super) time: u32,
    pub(super) clock: Clock,
    /// The events that the members' clocks add.
    pub(super) joined: Clock,
    /// The parent's registers that the members take over.
    pub(super) registers: Vec<Value>,
    /// The threads that wait at a barrier, by block.
    pub(super) arrived: std::collections::BTreeMap<u64, Vec<usize>>,
}

/// A semaphore.
pub(super) struct Semaphore {
    /// The units, the oldest first, each with the events that come before it.
    pub(super) units: VecDeque<(i64, Clock)>,
    pub(super) releaser: Option<Event>,
    pub(super) acquirer: Option<Event>,
}

impl Semaphore {
    pub(super) fn new(count: i64) -> Self {
        let units = VecDeque::from([(count, Clock::default())]);
        Self { units, releaser: None, acquirer: None }
    }

    pub(super) fn available(&self) -> i64 {
        self.units.iter().map(|(count, _)| *count).sum()
    }
}

/// The control flow after an instruction.
pub(super) enum Flow {
    Next,
    Goto(Label),
    Fork { members: Members, end: Label, mark: Reg },
    Wait { address: u64, count: i64 },
    Barrier,
    End,
}
