//! The state of a run: its beginning and its end.

use halidom_base::FxHashMap;

use super::thread::{Group, Semaphore, Thread};
use crate::case::{BufferCase, Case};
use crate::compile::Statement;
use crate::float::{Arithmetic, Notes};
use crate::memory::{BUFFERS, Memory};
use crate::order::{Clock, Node, Threads};
use crate::outcome::{FaultKind, Limits, Outcome, Running, Stop, after, fault};
use crate::value::{Lane, Ty, Value};

/// A caller's buffer.
pub(super) struct Buffer {
    pub(super) case: BufferCase,
    /// The pointer `host`, 0 for null.
    pub(super) host: u64,
    /// Its memory on the device.
    pub(super) device: Option<u64>,
}

/// An array of locks.
pub(super) struct Locks {
    pub(super) extent: i128,
}

pub(super) struct Machine<'a> {
    pub(super) statement: &'a Statement,
    pub(super) limits: Limits,
    pub(super) memory: Memory,
    pub(super) tree: Threads,
    pub(super) threads: Vec<Option<Thread>>,
    pub(super) groups: Vec<Option<Group>>,
    /// The groups with members still to start, the newest last.
    pub(super) open: Vec<usize>,
    /// The threads that can run, the next one last.
    pub(super) ready: Vec<usize>,
    /// The slots of threads that ended, and their registers.
    pub(super) unused: Vec<usize>,
    pub(super) retired: Vec<Vec<Value>>,
    pub(super) parameters: Vec<Value>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) semaphores: FxHashMap<u64, Semaphore>,
    pub(super) locks: Vec<Locks>,
    /// The numbers of locks that were ever held, from 1 on.
    pub(super) held: FxHashMap<(u64, i128), u32>,
    /// The shared memory of a kernel's blocks.
    pub(super) shared: FxHashMap<(usize, u64), u64>,
    /// The address to which a pointer to shared memory is set by `free`.
    pub(super) freed: u64,
    pub(super) arithmetic: Arithmetic,
    pub(super) steps: u64,
    /// The number of times that the first thread ran alone.
    pub(super) epoch: u32,
    pub(super) groups_made: u32,
    /// The position of the current statement.
    pub(super) at: usize,
}

impl<'a> Machine<'a> {
    pub(super) fn new(statement: &'a Statement, limits: &Limits) -> Self {
        Self {
            statement,
            limits: *limits,
            memory: Memory::default(),
            tree: Threads::new(),
            threads: Vec::new(),
            groups: Vec::new(),
            open: Vec::new(),
            ready: Vec::new(),
            unused: Vec::new(),
            retired: Vec::new(),
            parameters: Vec::new(),
            buffers: Vec::new(),
            semaphores: FxHashMap::default(),
            locks: Vec::new(),
            held: FxHashMap::default(),
            shared: FxHashMap::default(),
            freed: 0,
            arithmetic: Arithmetic { beyond: limits.beyond, notes: Notes::default() },
            steps: 0,
            epoch: 1,
            groups_made: 0,
            at: 0,
        }
    }

    pub(super) fn set_up(&mut self, case: &Case) -> Running<()> {
        for buffer in &case.buffers {
            let host = match &buffer.host {
                Some(host) => {
                    let pointer = self.memory.given(
                        buffer.name.clone(),
                        host.bytes.clone(),
                        host.misalignment,
                    );
                    pointer + host.offset as u64
                }
                None => 0,
            };
            self.buffers.push(Buffer { case: buffer.clone(), host, device: None });
        }
        self.freed = self.memory.allocate("shared memory".to_owned(), 0, 0);
        self.memory.free(self.freed, "shared memory")?;
        for (name, ty) in &self.statement.free {
            let value = if *ty == Ty::HANDLE {
                let buffer = name
                    .strip_suffix(".buffer")
                    .and_then(|name| case.buffers.iter().position(|buffer| buffer.name == name));
                buffer.map(|number| BUFFERS | number as u64)
            } else {
                let parameter = case.parameters.iter().find(|(listed, _)| listed == name);
                parameter.map(|(_, bits)| bits & ty.kind.mask())
            };
            let Some(bits) = value else {
                return Err(Stop::Refused(format!("`{name}`, to which the case gives no value")));
            };
            self.parameters.push(Value::One(Lane::of(bits)));
        }
        let registers = vec![Value::default(); self.statement.registers];
        self.threads.push(Some(Thread::new(0, Clock::default(), registers, 0)));
        self.ready.push(0);
        Ok(())
    }

    /// Returns the final state of the caller's buffers.
    pub(super) fn finish(&mut self) -> Running<Outcome> {
        let mut buffers = Vec::new();
        for buffer in &self.buffers {
            if let (true, Some(device)) = (buffer.case.device_dirty, buffer.device) {
                // The caller copies the data that is newer on the device.
                self.memory.copy(device, buffer.host, buffer.case.places());
            }
            let left = self.memory.bytes(buffer.host);
            if let Some((place, poison)) = left.and_then(|left| left.missing) {
                let (name, reason) = (&buffer.case.name, poison.words());
                return fault(
                    FaultKind::Poison,
                    format!("byte {place} of `{name}` has no value: {reason}"),
                );
            }
            let bytes = left.map(|left| left.bytes.to_vec());
            buffers.push(after(&buffer.case, bytes));
        }
        Ok(Outcome::Done { buffers, notes: self.arithmetic.notes })
    }

    /// Returns the thread that owns a kernel's shared memory.
    pub(super) fn owner_of_group(&self, group: usize) -> Node {
        self.groups.get(group).and_then(Option::as_ref).map_or(0, |group| group.parent_node)
    }
}
