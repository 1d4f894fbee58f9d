//! The order of accesses: a tree of threads, clocks that semaphores and barriers carry, and the
//! last accesses to each byte.
//!
//! Threads are forked in groups, and each group is joined as a whole, so most of the order follows
//! from the tree. Two accesses can be unordered only if their threads are, or descend from, two
//! members of one open group. Clocks hold only what semaphores and barriers add.
//!
//! # Correctness
//! A run executes its threads in one order, but its answer holds for all orders. Two unordered
//! accesses are a fault whichever came first. A semaphore orders by the units that are taken, the
//! oldest first, so a unit that was there from the beginning orders nothing. A semaphore that
//! unordered threads release or acquire is refused.
//!
//! Two unordered writes are no race if both write the same defined value to the byte, and nobody
//! who is not ordered before both wrote anything else to it. Overlapping tiles do this, and every
//! order of them leaves the same bytes. Such a write does not disturb a reader of a value that was
//! written before in the reader's own thread, or in a thread that is ordered before it.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A thread. Its number is never used again.
pub(crate) type Node = u32;

/// The events of other threads that come before a thread's next event: for each thread, up to a
/// time.
pub(crate) type Clock = Rc<BTreeMap<Node, u32>>;

/// Joins another clock into a clock.
pub(crate) fn join(clock: &mut Clock, other: &Clock) {
    if Rc::ptr_eq(clock, other) || other.is_empty() {
        return;
    }
    if clock.is_empty() {
        *clock = Rc::clone(other);
        return;
    }
    let clock = Rc::make_mut(clock);
    for (node, time) in other.iter() {
        let known = clock.entry(*node).or_insert(0);
        *known = (*known).max(*time);
    }
}

/// Adds events of a thread to a clock.
pub(crate) fn tick(clock: &mut Clock, node: Node, time: u32) {
    Rc::make_mut(clock).insert(node, time);
}

#[derive(Clone, Copy, Debug)]
struct Forked {
    parent: Node,
    /// The group, numbered over the whole run.
    group: u32,
    /// The parent's time at the fork; the join is at the next time.
    time: u32,
    depth: u32,
}

/// The tree of threads.
#[derive(Debug)]
pub(crate) struct Threads {
    nodes: Vec<Forked>,
}

/// The thread that makes an access, with its clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who<'a> {
    pub(crate) node: Node,
    pub(crate) clock: &'a Clock,
}

/// A past access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) node: Node,
    pub(crate) time: u32,
    /// True if it cannot be torn apart by another atomic access.
    pub(crate) atomic: bool,
    /// The lock that is held, or 0.
    pub(crate) lock: u32,
    /// True if it stands for several members of the group that the thread forked at this time.
    pub(crate) group: bool,
    /// For a read: true if a write that is ordered before it wrote the value, so that another write
    /// of this value changes nothing.
    pub(crate) is_covered: bool,
}

/// The number of events that are kept for a byte before they are combined.
const MOST_EVENTS: usize = 12;
/// The number of events that are kept where they cannot be combined.
const MOST_UNLIKE: usize = 4096;

impl Threads {
    /// Returns the tree with its root, thread 0.
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Forked { parent: 0, group: 0, time: 0, depth: 0 }] }
    }

    /// Adds a thread.
    pub(crate) fn fork(&mut self, parent: Node, group: u32, time: u32) -> Node {
        let depth = self.at(parent).depth + 1;
        self.nodes.push(Forked { parent, group, time, depth });
        (self.nodes.len() - 1) as Node
    }

    fn at(&self, node: Node) -> Forked {
        let root = Forked { parent: 0, group: 0, time: 0, depth: 0 };
        self.nodes.get(node as usize).copied().unwrap_or(root)
    }

    /// Returns the nearest common ancestor of two threads, and the members below it that lead to
    /// each of them. A member is `None` if its thread is the ancestor itself.
    fn meet(&self, a: Node, b: Node) -> (Node, Option<Node>, Option<Node>) {
        let (mut x, mut y) = (a, b);
        let (mut below_x, mut below_y) = (None, None);
        while x != y {
            if self.at(x).depth >= self.at(y).depth {
                below_x = Some(x);
                x = self.at(x).parent;
            } else {
                below_y = Some(y);
                y = self.at(y).parent;
            }
        }
        (x, below_x, below_y)
    }

    /// Tests whether an event comes before the next event of a thread.
    pub(crate) fn is_before(&self, event: Event, who: Who<'_>) -> bool {
        if event.node == who.node {
            return true;
        }
        let (_, below_event, below_who) = self.meet(event.node, who.node);
        let (below_event, below_who) = match (below_event, below_who) {
            // The group is this thread's, and is still open.
            (None, Some(below)) if event.group && self.at(below).time == event.time => {
                return false;
            }
            // A thread that forks waits for the members.
            (None, _) | (_, None) => return true,
            (Some(event), Some(who)) => (event, who),
        };
        if self.at(below_event).group != self.at(below_who).group {
            return true;
        }
        // The tree does not order them. A clock does if it knows the event's thread, or an ancestor
        // that has joined it since.
        let known = |node, time| who.clock.get(&node).is_some_and(|known| *known >= time);
        let mut node = event.node;
        let mut time = event.time + u32::from(event.group);
        loop {
            if known(node, time) {
                return true;
            }
            if node == below_event {
                return false;
            }
            let forked = self.at(node);
            (node, time) = (forked.parent, forked.time + 1);
        }
    }

    /// Tests whether an event and a new one exclude each other, or come one after the other.
    fn is_fine(&self, event: Event, now: Event, who: Who<'_>) -> bool {
        (event.atomic && now.atomic)
            || (event.lock != 0 && event.lock == now.lock)
            || self.is_before(event, who)
    }

    /// Adds an event to a byte's events. Returns false if there are too many to tell apart.
    fn add(&self, events: &mut Vec<Event>, now: Event, is_structured: bool) -> bool {
        if events.iter().any(|event| {
            event.node == now.node && event.atomic == now.atomic && event.lock == now.lock
        }) {
            // A thread's later event stands for its earlier one: an access that comes after the
            // later one also comes after the earlier one.
            if let Some(known) = events.iter_mut().find(|event| {
                event.node == now.node && event.atomic == now.atomic && event.lock == now.lock
            }) {
                known.time = known.time.max(now.time);
                known.is_covered &= now.is_covered;
            }
            return true;
        }
        if events.len() < MOST_EVENTS {
            events.push(now);
            return true;
        }
        if !is_structured {
            // Semaphores and barriers may order some members of a group, so one event must not
            // stand for all.
            events.push(now);
            return events.len() < MOST_UNLIKE;
        }
        let Some(first) = events.first().copied() else { return true };
        let (mut meeting, mut time) = (first.node, first.time);
        let is_covered = now.is_covered && events.iter().all(|event| event.is_covered);
        if events.iter().any(|event| event.atomic != now.atomic || event.lock != now.lock) {
            events.push(now);
            return events.len() < MOST_UNLIKE;
        }
        for event in events.iter().skip(1).chain([&now]) {
            let (node, below, other) = self.meet(meeting, event.node);
            meeting = node;
            if let Some(below) = below.or(other) {
                time = self.at(below).time;
            }
        }
        *events = vec![Event { node: meeting, time, group: true, is_covered, ..now }];
        true
    }
}

/// The accesses to a byte since the root ran last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    /// The root's run to which they belong.
    epoch: u32,
    /// The writers of the byte's value.
    writers: Vec<Event>,
    /// The writers of the value before it.
    older: Vec<Event>,
    readers: Vec<Event>,
    /// True if the writers exclude each other, but do not write the same value.
    is_mixed: bool,
}

/// The result of checking an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    Yes,
    Race,
    /// There are more threads than can be told apart.
    TooMany,
}

impl Shadow {
    /// Forgets the accesses from before the root ran last.
    pub(crate) fn begin(&mut self, epoch: u32) {
        if self.epoch != epoch {
            *self = Self { epoch, ..Self::default() };
        }
    }

    /// Records a read.
    pub(crate) fn read(
        &mut self,
        threads: &Threads,
        now: Event,
        who: Who<'_>,
        is_structured: bool,
    ) -> Ordered {
        let fine = |event: &Event| threads.is_fine(*event, now, who);
        let is_race = if self.is_mixed {
            !self.writers.iter().all(fine)
        } else {
            !self.writers.is_empty() && !self.writers.iter().any(fine)
        };
        if is_race {
            return Ordered::Race;
        }
        self.readers.retain(|event| {
            event.atomic != now.atomic || event.lock != now.lock || !threads.is_before(*event, who)
        });
        let is_covered = self.writers.iter().any(|event| threads.is_before(*event, who));
        let now = Event { is_covered, ..now };
        if threads.add(&mut self.readers, now, is_structured) {
            Ordered::Yes
        } else {
            Ordered::TooMany
        }
    }

    /// Records a write. A silent write writes the value that is already there.
    pub(crate) fn write(
        &mut self,
        threads: &Threads,
        now: Event,
        who: Who<'_>,
        (is_silent, is_structured): (bool, bool),
    ) -> Ordered {
        let fine = |event: &Event| threads.is_fine(*event, now, who);
        let before = |event: &Event| threads.is_before(*event, who);
        let mut undisturbed = self.readers.iter().filter(|event| !event.is_covered);
        if is_silent && !self.is_mixed && self.older.iter().all(fine) && undisturbed.all(fine) {
            return if threads.add(&mut self.writers, now, is_structured) {
                Ordered::Yes
            } else {
                Ordered::TooMany
            };
        }
        if !self.writers.iter().chain(&self.older).chain(&self.readers).all(fine) {
            return Ordered::Race;
        }
        self.readers.retain(|event| !before(event));
        let (ordered, excused): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.writers).into_iter().partition(before);
        self.older = ordered;
        self.is_mixed = !excused.is_empty();
        self.writers = excused;
        if threads.add(&mut self.writers, now, is_structured) {
            Ordered::Yes
        } else {
            Ordered::TooMany
        }
    }
}
