//! What orders accesses: a tree of threads, clocks that semaphores and barriers carry, and what was last done to each byte.
//!
//! Threads are forked in groups that are joined as a whole, so that most of the order follows from the tree: two accesses are unordered at most if their threads are, or descend from, two members of one group that is
//! open. Only what semaphores and barriers add is kept in clocks.
//!
//! # Correctness
//! A run has one order of threads, but an answer holds for all: what is unordered is a fault whichever came first, a semaphore orders by the units that are taken (the oldest first, so that a unit which was there from the beginning orders nothing), and one that
//! unordered threads release or acquire is refused.
//!
//! Two unordered writes are no race if both write the same defined value to the byte and nothing else was written to it by anyone who is not ordered before both: tiles that overlap do that, and every order of them leaves the same bytes. Such a write does not disturb a reader who reads the value that was written before it in its own thread, or in one that is ordered before it.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A thread, for good: the number is not used again.
pub(crate) type Node = u32;

/// Which events of other threads come before a thread's next: by thread, up to a time.
pub(crate) type Clock = Rc<BTreeMap<Node, u32>>;

/// Joins a clock to another.
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
    /// The parent's time at the fork; the join is at the next.
    time: u32,
    depth: u32,
}

/// The tree of threads.
#[derive(Debug)]
pub(crate) struct Threads {
    nodes: Vec<Forked>,
}

/// Who orders an access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Who<'a> {
    pub(crate) node: Node,
    pub(crate) clock: &'a Clock,
}

/// An access of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) node: Node,
    pub(crate) time: u32,
    /// Whether it cannot be torn from another of its kind.
    pub(crate) atomic: bool,
    /// The lock that is held, 0 for none.
    pub(crate) lock: u32,
    /// Whether it stands for several members of the group that the thread forked at this time.
    pub(crate) group: bool,
    /// Of a read: whether the value came from a write that is ordered before it, so that one more write of it changes nothing.
    pub(crate) is_covered: bool,
}

/// Events that are kept of a byte before they are put together.
const MOST_EVENTS: usize = 12;
/// Events that are kept where they cannot be put together.
const MOST_UNLIKE: usize = 4096;

impl Threads {
    /// The tree with its root, thread 0.
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Forked { parent: 0, group: 0, time: 0, depth: 0 }] }
    }

    /// A new thread.
    pub(crate) fn fork(&mut self, parent: Node, group: u32, time: u32) -> Node {
        let depth = self.at(parent).depth + 1;
        self.nodes.push(Forked { parent, group, time, depth });
        (self.nodes.len() - 1) as Node
    }

    fn at(&self, node: Node) -> Forked {
        let root = Forked { parent: 0, group: 0, time: 0, depth: 0 };
        self.nodes.get(node as usize).copied().unwrap_or(root)
    }

    /// The nearest thread that both descend from or are, with the members below it that lead to each; none where that is the thread itself.
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

    /// Whether an event comes before what a thread does next.
    pub(crate) fn is_before(&self, event: Event, who: Who<'_>) -> bool {
        if event.node == who.node {
            return true;
        }
        let (_, below_event, below_who) = self.meet(event.node, who.node);
        let (below_event, below_who) = match (below_event, below_who) {
            // A group of this thread, which is still open.
            (None, Some(below)) if event.group && self.at(below).time == event.time => {
                return false;
            }
            // Who forked waits for its members.
            (None, _) | (_, None) => return true,
            (Some(event), Some(who)) => (event, who),
        };
        if self.at(below_event).group != self.at(below_who).group {
            return true;
        }
        // Not by the tree, then by a clock: of the thread itself, or of one that joined it since.
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

    /// Whether an event and one of this kind exclude each other, or come one after the other.
    fn is_fine(&self, event: Event, now: Event, who: Who<'_>) -> bool {
        (event.atomic && now.atomic)
            || (event.lock != 0 && event.lock == now.lock)
            || self.is_before(event, who)
    }

    /// Adds an event to those of a byte; says whether there are too many to tell apart.
    fn add(&self, events: &mut Vec<Event>, now: Event, is_structured: bool) -> bool {
        if events.iter().any(|event| {
            event.node == now.node && event.atomic == now.atomic && event.lock == now.lock
        }) {
            // The earlier of a thread stands for the later: what comes after the later only, in another thread, follows a fork or release that the clocks tell apart.
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
            // Semaphores and barriers may order some members of a group, so that it must not stand for them.
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

/// What was done to a byte since the root ran last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shadow {
    /// The root's run that it is of.
    epoch: u32,
    /// Who wrote the value that the byte has.
    writers: Vec<Event>,
    /// Who wrote the value before.
    older: Vec<Event>,
    readers: Vec<Event>,
    /// Whether the writers exclude each other rather than to write the same.
    is_mixed: bool,
}

/// What a check of an access says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ordered {
    Yes,
    Race,
    /// More threads than are told apart.
    TooMany,
}

impl Shadow {
    /// Forgets what was done before the root ran last.
    pub(crate) fn begin(&mut self, epoch: u32) {
        if self.epoch != epoch {
            *self = Self { epoch, ..Self::default() };
        }
    }

    /// Notes a read.
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

    /// Notes a write; a silent one writes the value that is there.
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
