//! Judgements side by side, whose results come in order.

use std::collections::VecDeque;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::{self, Scope, ScopedJoinHandle};

/// The most judgements at a time: each may take gigabytes.
const MOST_AT_ONCE: usize = 4;

/// The most judgements that wait for their turn or whose results wait, for each that runs: a long
/// one must not stop those behind it.
const WAITING: usize = 8;

/// The number of further judgements that may begin.
#[derive(Debug)]
pub struct Turns {
    at_once: usize,
    count: Mutex<usize>,
    changed: Condvar,
}

/// A judgement that runs. Its end lets another one begin, even if it panics.
struct Turn<'a>(&'a Turns);

impl Turns {
    /// As many judgements at a time as there are processors, and at most four.
    pub fn new() -> Self {
        Self::of(thread::available_parallelism().map_or(1, NonZero::get).min(MOST_AT_ONCE))
    }

    fn of(at_once: usize) -> Self {
        Self { at_once, count: Mutex::new(at_once), changed: Condvar::new() }
    }

    /// Waits until a judgement may begin.
    fn turn(&self) -> Turn<'_> {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        let is_none = |count: &mut usize| *count == 0;
        let count = self.changed.wait_while(count, is_none);
        *count.unwrap_or_else(PoisonError::into_inner) -= 1;
        Turn(self)
    }
}

impl Default for Turns {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        *self.0.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.changed.notify_one();
    }
}

/// The judgements that run, wait, or have ended, in the order in which they were begun.
#[derive(Debug)]
pub struct Queue<'scope, 'env, T> {
    scope: &'scope Scope<'scope, 'env>,
    turns: &'env Turns,
    running: VecDeque<ScopedJoinHandle<'scope, T>>,
}

impl<'scope, 'env, T: Send + 'scope> Queue<'scope, 'env, T> {
    /// An empty queue.
    pub fn new(scope: &'scope Scope<'scope, 'env>, turns: &'env Turns) -> Self {
        Self { scope, turns, running: VecDeque::new() }
    }

    /// Waits for the first result if the queue is full, and removes it.
    pub fn first_if_full(&mut self) -> Option<T> {
        let is_full = self.running.len() >= WAITING * self.turns.at_once;
        let first = if is_full { self.running.pop_front() } else { None };
        first.map(result)
    }

    /// Adds a judgement, which begins when its turn comes.
    pub fn push(&mut self, judge: impl FnOnce() -> T + Send + 'scope) {
        let turns = self.turns;
        self.running.push_back(self.scope.spawn(move || {
            let turn = turns.turn();
            let result = judge();
            drop(turn);
            result
        }));
    }

    /// Waits for the results that are left, one after the other.
    pub fn rest(self) -> impl Iterator<Item = T> {
        self.running.into_iter().map(result)
    }
}

/// Waits for a judgement, and panics if it did.
fn result<T>(judging: ScopedJoinHandle<'_, T>) -> T {
    judging.join().unwrap_or_else(|panic| resume_unwind(panic))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use super::{Queue, Turns, WAITING};

    #[test]
    fn results_come_in_order_and_few_run_at_once() {
        let (turns, running, most) = (Turns::of(2), AtomicUsize::new(0), AtomicUsize::new(0));
        let (running, most) = (&running, &most);
        let results: Vec<usize> = thread::scope(|scope| {
            let mut queue = Queue::new(scope, &turns);
            let mut results = Vec::new();
            for number in 0..100 {
                results.extend(queue.first_if_full());
                assert!(queue.running.len() < 2 * WAITING);
                queue.push(move || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    thread::yield_now();
                    running.fetch_sub(1, Ordering::SeqCst);
                    number
                });
            }
            results.extend(queue.rest());
            results
        });
        assert!(results.into_iter().eq(0..100));
        assert!((1..=2).contains(&most.load(Ordering::SeqCst)));
    }

    #[test]
    fn a_panic_gives_its_turn_back_and_is_passed_on() {
        let turns = Turns::of(1);
        let caught = std::panic::catch_unwind(|| {
            thread::scope(|scope| {
                let mut queue = Queue::new(scope, &turns);
                queue.push(|| panic!("a defect"));
                queue.push(|| ());
                queue.rest().count()
            })
        });
        assert!(caught.is_err());
        assert_eq!(*turns.count.lock().expect("the panic was in no lock"), 1);
    }
}
