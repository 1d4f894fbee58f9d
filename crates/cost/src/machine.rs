//! A machine as numbers: its caches, its vectors, and the time of each feature.

use serde::{Deserialize, Serialize};

use crate::features::{Accesses, Features, Root, Stage};

/// A machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub processor: String,
    /// The bytes of a vector.
    pub vector_bytes: f64,
    /// The number of vector registers.
    pub registers: f64,
    /// The bytes of each cache that one thread has for itself.
    pub caches: [f64; 3],
    /// The number of pages whose addresses the processor keeps for one thread.
    pub pages: f64,
    /// The number of threads.
    pub threads: usize,
    /// The times of the features.
    pub times: Times,
}

/// The time of one of each feature, in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// An instruction of vector code, for each class.
    pub vector: [f64; 9],
    /// An instruction of code without vectors, for each class.
    pub scalar: [f64; 9],
    /// Reads.
    pub load: Accesses,
    /// Writes.
    pub store: Accesses,
    /// A step of a recurrence.
    pub chain: f64,
    /// An iteration of an innermost loop.
    pub inner: f64,
    /// An iteration of another loop.
    pub outer: f64,
    /// A turn to a page whose address the processor does not keep.
    pub page: f64,
    /// A vector without a register.
    pub spill: f64,
    /// A byte that is read across each cache.
    pub read: [f64; 3],
    /// A byte that is written across each cache.
    pub write: [f64; 3],
    /// A byte that is written past the caches.
    pub stream: f64,
    /// The part of the shorter one of computing and moving that does not overlap with the other.
    pub apart: f64,
    /// The start of a parallel loop.
    pub fork: f64,
    /// An allocation.
    pub allocation: f64,
    /// A byte of fresh memory.
    pub fresh: f64,
}

impl Default for Times {
    /// The times of a usual machine with a clock of about 3 GHz.
    fn default() -> Self {
        Self {
            vector: [0.2, 1.2, 0.15, 0.2, 0.7, 8.0, 0.4, 8.0, 0.25],
            scalar: [0.12, 1.4, 0.09, 0.12, 0.4, 3.0, 0.25, 6.0, 0.1],
            load: Accesses { dense: 0.18, strided: 0.4, gathered: 0.3, scalar: 0.12 },
            store: Accesses { dense: 0.25, strided: 0.8, gathered: 0.6, scalar: 0.3 },
            chain: 1.2,
            inner: 0.25,
            outer: 4.0,
            page: 25.0,
            spill: 0.3,
            read: [0.008, 0.008, 0.02],
            write: [0.005, 0.012, 0.04],
            stream: 0.03,
            apart: 0.3,
            fork: 4000.0,
            allocation: 60.0,
            fresh: 0.15,
        }
    }
}

/// The estimated times of a run, in nanoseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The whole run.
    pub total: f64,
    /// The computing of each stage, on one thread.
    pub stages: Vec<f64>,
    /// The moving of memory for each root, on one thread.
    pub memory: Vec<f64>,
    /// The time of each root, with all threads.
    pub roots: Vec<f64>,
    /// Allocations.
    pub allocations: f64,
}

impl Machine {
    /// Returns the same machine with another number of threads. The last cache is shared.
    #[must_use]
    pub fn with_threads(&self, threads: usize) -> Self {
        let threads = threads.max(1);
        let mut changed = self.clone();
        changed.caches[2] *= self.threads as f64 / threads as f64;
        changed.threads = threads;
        changed
    }

    /// Returns the time of a schedule with these features.
    pub fn estimate(&self, features: &Features) -> Estimate {
        let times = &self.times;
        let stages: Vec<f64> = features.stages.iter().map(|stage| times.computing(stage)).collect();
        let mut made = Estimate { stages, ..Estimate::default() };
        for (number, root) in features.roots.iter().enumerate() {
            let own = features.stages.iter().zip(&made.stages);
            let own = own.filter(|(stage, _)| stage.root == number);
            let computing: f64 = own.map(|(_, time)| time).sum();
            let moving = times.moving(root);
            let both = computing.max(moving) + times.apart * computing.min(moving);
            made.memory.push(moving);
            // With one thread, a parallel loop is called like any other.
            let fork =
                if self.threads > 1 { times.fork } else { times.fork.min(10.0 * times.outer) };
            made.roots.push(both * root.share + root.forks * fork);
        }
        made.allocations = features.allocations * times.allocation + features.fresh * times.fresh;
        made.total = made.roots.iter().sum::<f64>() + made.allocations;
        made
    }
}

impl Times {
    /// All times but the part that does not overlap, in a fixed order.
    pub(crate) fn numbers(&self) -> Vec<f64> {
        let mut copy = self.clone();
        copy.each().into_iter().map(|time| *time).collect()
    }

    /// Sets all times, in the order of [`Self::numbers`].
    pub(crate) fn set(&mut self, numbers: &[f64]) {
        for (time, number) in self.each().into_iter().zip(numbers) {
            *time = *number;
        }
    }

    fn each(&mut self) -> Vec<&mut f64> {
        let mut all: Vec<&mut f64> = self.vector.iter_mut().chain(&mut self.scalar).collect();
        for accesses in [&mut self.load, &mut self.store] {
            let Accesses { dense, strided, gathered, scalar } = accesses;
            all.extend([dense, strided, gathered, scalar]);
        }
        all.extend([&mut self.chain, &mut self.inner, &mut self.outer, &mut self.page]);
        all.extend([&mut self.spill]);
        all.extend(self.read.iter_mut().chain(&mut self.write));
        all.extend([&mut self.stream, &mut self.fork, &mut self.allocation, &mut self.fresh]);
        all
    }

    /// The time that a stage computes on one thread.
    pub fn computing(&self, stage: &Stage) -> f64 {
        let sum = |counts: &[f64; 9], times: &[f64; 9]| {
            counts.iter().zip(times).map(|(count, time)| count * time).sum::<f64>()
        };
        let throughput = sum(&stage.vector, &self.vector)
            + sum(&stage.scalar, &self.scalar)
            + accesses(&stage.loads, &self.load)
            + accesses(&stage.stores, &self.store)
            + stage.inner * self.inner
            + stage.spills * self.spill;
        throughput.max(stage.chain * self.chain) + stage.outer * self.outer
    }

    /// The time that moving a root's memory takes on one thread.
    pub fn moving(&self, root: &Root) -> f64 {
        let levels = root.read.iter().zip(&root.written).zip(self.read.iter().zip(&self.write));
        let crossing: f64 = levels.map(|((read, written), (r, w))| read * r + written * w).sum();
        crossing + root.streamed * self.stream + root.pages * self.page
    }
}

fn accesses(counts: &Accesses, times: &Accesses) -> f64 {
    counts.dense * times.dense
        + counts.strided * times.strided
        + counts.gathered * times.gathered
        + counts.scalar * times.scalar
}
