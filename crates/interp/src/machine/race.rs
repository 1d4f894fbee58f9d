//! The race detector. It records the accesses of unordered iterations of parallel loops to each
//! location.
//!
//! # Correctness
//! Each execution of a parallel loop is an *instance*. The path of an access is the list of
//! (instance, iteration) of the parallel loops around it. Two accesses are unordered exactly if
//! some instance is in both paths with different iterations, because an instance determines
//! everything above it in its path. So for each location and each instance it is enough to know
//! which iterations wrote which value, and which iterations read without having written before.
//! Entries of instances that have ended are in no later path and never matter again.
//!
//! An iteration's own write covers its read only if it comes before. A write by an inner parallel
//! iteration that is unordered with the reader is met at the inner instance first, and is a
//! conflict there. If there is no such write, each recorded write of the iteration is ordered
//! before the read.

use halidom_base::FxHashSet;

use super::fault::Conflict;
use crate::code::Value;

/// One step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) instance: u64,
    pub(super) iteration: i128,
}

/// The recorded accesses to one location.
#[derive(Default)]
pub(super) struct Shadow {
    writes: Entries<Writes>,
    reads: Entries<Reads>,
    /// Atomic updates.
    updates: Entries<Reads>,
}

/// One entry for each instance. Most locations meet only one instance, which needs no allocation.
struct Entries<T> {
    first: Option<(u64, T)>,
    rest: Vec<(u64, T)>,
}

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self { first: None, rest: Vec::new() }
    }
}

impl<T> Entries<T> {
    fn get(&mut self, instance: u64) -> Option<&mut T> {
        let mut entries = self.first.iter_mut().chain(&mut self.rest);
        entries.find(|(other, _)| *other == instance).map(|(_, entry)| entry)
    }

    /// Adds the entry of a new instance and forgets instances that have ended. One path is active
    /// at a time, so an instance that is not in it has ended.
    fn add(&mut self, instance: u64, entry: T, path: &[Step]) {
        if self.first.is_none() {
            self.first = Some((instance, entry));
            return;
        }
        // Cleaning up is rare, so that its cost is amortized.
        if self.rest.len() >= 8 {
            self.rest.retain(|(other, _)| path.iter().any(|step| step.instance == *other));
        }
        self.rest.push((instance, entry));
    }
}

/// The writes of an instance's iterations so far.
enum Writes {
    One {
        iteration: i128,
        /// The written value. `None` if the iteration wrote different values.
        value: Option<Value>,
    },
    /// Several iterations, all with one value.
    Several { iterations: Box<FxHashSet<i128>>, value: Value },
}

/// The iterations of an instance that read without having written before, or that updated
/// atomically: one, or several.
enum Reads {
    One(i128),
    Several,
}

impl Reads {
    fn by_others(&self, iteration: i128) -> bool {
        match self {
            Self::One(reader) => *reader != iteration,
            Self::Several => true,
        }
    }
}

impl Writes {
    fn by(&self, iteration: i128) -> bool {
        match self {
            Self::One { iteration: writer, .. } => *writer == iteration,
            Self::Several { iterations, .. } => iterations.contains(&iteration),
        }
    }

    fn by_others(&self, iteration: i128) -> bool {
        match self {
            Self::One { iteration: writer, .. } => *writer != iteration,
            Self::Several { .. } => true,
        }
    }
}

impl Shadow {
    /// Records a read at the end of `path`.
    pub(super) fn read(&mut self, path: &[Step]) -> Result<(), Conflict> {
        for step in path {
            self.beside_updates(*step)?;
            if let Some(writes) = self.writes.get(step.instance) {
                if writes.by(step.iteration) {
                    continue;
                }
                if writes.by_others(step.iteration) {
                    return Err(Conflict::ReadOfOthersWrite);
                }
            }
            match self.reads.get(step.instance) {
                None => self.reads.add(step.instance, Reads::One(step.iteration), path),
                Some(reads) => {
                    if matches!(reads, Reads::One(iteration) if *iteration != step.iteration) {
                        *reads = Reads::Several;
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks that an access other than an update is not unordered with an update.
    fn beside_updates(&mut self, step: Step) -> Result<(), Conflict> {
        match self.updates.get(step.instance) {
            Some(updates) if updates.by_others(step.iteration) => Err(Conflict::BesideUpdate),
            Some(_) | None => Ok(()),
        }
    }

    /// Records an atomic update at the end of `path`. It may be unordered with other updates, but
    /// not with other accesses.
    pub(super) fn update(&mut self, path: &[Step]) -> Result<(), Conflict> {
        for step in path {
            let written = self.writes.get(step.instance);
            let read = self.reads.get(step.instance);
            if written.is_some_and(|writes| writes.by_others(step.iteration))
                || read.is_some_and(|reads| reads.by_others(step.iteration))
            {
                return Err(Conflict::BesideUpdate);
            }
            match self.updates.get(step.instance) {
                None => self.updates.add(step.instance, Reads::One(step.iteration), path),
                Some(updates) => {
                    if updates.by_others(step.iteration) {
                        *updates = Reads::Several;
                    }
                }
            }
        }
        Ok(())
    }

    /// Records a write at the end of `path`. Returns true if an unordered iteration wrote the same
    /// value.
    pub(super) fn write(&mut self, path: &[Step], value: Value) -> Result<bool, Conflict> {
        let mut shared = false;
        for step in path {
            self.beside_updates(*step)?;
            match self.reads.get(step.instance) {
                Some(Reads::Several) => return Err(Conflict::ReadOfOthersWrite),
                Some(Reads::One(iteration)) if *iteration != step.iteration => {
                    return Err(Conflict::ReadOfOthersWrite);
                }
                Some(Reads::One(_)) | None => {}
            }
            let Some(writes) = self.writes.get(step.instance) else {
                let first = Writes::One { iteration: step.iteration, value: Some(value) };
                self.writes.add(step.instance, first, path);
                continue;
            };
            match writes {
                Writes::One { iteration, value: earlier } if *iteration == step.iteration => {
                    if *earlier != Some(value) {
                        *earlier = None;
                    }
                }
                Writes::One { iteration, value: Some(earlier) } if *earlier == value => {
                    let iterations = Box::new([*iteration, step.iteration].into_iter().collect());
                    *writes = Writes::Several { iterations, value };
                    shared = true;
                }
                Writes::Several { iterations, value: earlier } if *earlier == value => {
                    iterations.insert(step.iteration);
                    shared = true;
                }
                Writes::One { .. } | Writes::Several { .. } => {
                    return Err(Conflict::DifferentValues);
                }
            }
        }
        Ok(shared)
    }
}

#[cfg(test)]
mod tests {
    use halidom_ir::Constant;

    use super::{Conflict, Shadow, Step};

    enum Event {
        Read,
        Write(i128),
        Update,
    }

    /// Runs events on one location. Each path is a list of (instance, iteration).
    fn check(events: &[(&[(u64, i128)], Event)], expected: Result<bool, Conflict>) {
        let mut shadow = Shadow::default();
        let mut shared = false;
        for (path, event) in events {
            let path: Vec<Step> = path
                .iter()
                .map(|(instance, iteration)| Step { instance: *instance, iteration: *iteration })
                .collect();
            let result = match event {
                Event::Read => shadow.read(&path).map(|()| false),
                Event::Write(value) => shadow.write(&path, Some(Constant::int(*value))),
                Event::Update => shadow.update(&path).map(|()| false),
            };
            match result {
                Ok(now) => shared |= now,
                Err(conflict) => {
                    assert_eq!(Err(conflict), expected);
                    return;
                }
            }
        }
        assert_eq!(Ok(shared), expected);
    }

    #[test]
    fn unordered_accesses_conflict_and_ordered_ones_do_not() {
        use Conflict::{DifferentValues, ReadOfOthersWrite};
        use Event::{Read, Write};
        check(&[(&[(1, 0)], Write(5)), (&[(1, 1)], Write(5))], Ok(true));
        check(&[(&[(1, 0)], Write(5)), (&[(1, 1)], Write(6))], Err(DifferentValues));
        check(&[(&[(1, 0)], Write(5)), (&[(2, 1)], Write(6))], Ok(false));
        check(&[(&[(1, 0)], Write(5)), (&[(1, 1)], Read)], Err(ReadOfOthersWrite));
        check(&[(&[(1, 1)], Read), (&[(1, 0)], Write(5))], Err(ReadOfOthersWrite));
        check(&[(&[(1, 0)], Write(5)), (&[(1, 0)], Read), (&[(1, 1)], Write(5))], Ok(true));
        check(&[(&[(1, 0)], Read), (&[(1, 1)], Read)], Ok(false));
        // An iteration that wrote two values does not have one value.
        check(
            &[(&[(1, 0)], Write(0)), (&[(1, 0)], Write(5)), (&[(1, 1)], Write(5))],
            Err(DifferentValues),
        );
        // A third iteration differs from two that agree.
        check(
            &[(&[(1, 0)], Write(5)), (&[(1, 1)], Write(5)), (&[(1, 2)], Write(4))],
            Err(DifferentValues),
        );
    }

    #[test]
    fn updates_may_meet_but_nothing_else_beside_them() {
        use Conflict::BesideUpdate;
        use Event::{Read, Update, Write};
        check(&[(&[(1, 0)], Update), (&[(1, 1)], Update), (&[(1, 0)], Update)], Ok(false));
        check(&[(&[(1, 0)], Update), (&[(1, 0)], Read), (&[(1, 0)], Write(1))], Ok(false));
        check(&[(&[(1, 0)], Update), (&[(1, 1)], Read)], Err(BesideUpdate));
        check(&[(&[(1, 0)], Read), (&[(1, 1)], Update)], Err(BesideUpdate));
        check(&[(&[(1, 0)], Update), (&[(1, 1)], Write(5))], Err(BesideUpdate));
        check(&[(&[(1, 0)], Write(5)), (&[(1, 1)], Update)], Err(BesideUpdate));
        check(&[(&[(1, 0)], Update), (&[(1, 1)], Update), (&[(1, 1)], Read)], Err(BesideUpdate));
        // The second loop comes after the first.
        check(&[(&[(1, 0)], Update), (&[(2, 1)], Read)], Ok(false));
    }

    #[test]
    fn nested_loops_order_what_their_joins_order() {
        use Conflict::{DifferentValues, ReadOfOthersWrite};
        use Event::{Read, Write};
        // The same outer iteration reads the inner loop's write after the inner loop.
        check(&[(&[(1, 0), (2, 3)], Write(5)), (&[(1, 0)], Read)], Ok(false));
        check(&[(&[(1, 0), (2, 3)], Write(5)), (&[(1, 1)], Read)], Err(ReadOfOthersWrite));
        check(
            &[(&[(1, 0), (2, 3)], Write(5)), (&[(1, 1), (3, 3)], Write(6))],
            Err(DifferentValues),
        );
        // The write precedes the inner loop: every inner iteration may read it, but no sibling may
        // overwrite it.
        check(
            &[(&[(1, 0)], Write(5)), (&[(1, 0), (2, 0)], Read), (&[(1, 0), (2, 1)], Read)],
            Ok(false),
        );
        check(
            &[(&[(1, 0)], Write(5)), (&[(1, 0), (2, 0)], Read), (&[(1, 0), (2, 1)], Write(5))],
            Err(ReadOfOthersWrite),
        );
        check(&[(&[(1, 0), (2, 0)], Write(5)), (&[(1, 0), (2, 1)], Read)], Err(ReadOfOthersWrite));
    }
}
