//! The machine's speed limits, measured at the time of the benchmark, and the least memory traffic
//! of a pipeline.

use std::thread;
use std::time::Instant;

use halidom_interp::machine;
use halidom_ir::{Algorithm, Pool, Program};

use halidom_driver::data::Prepared;

/// The number of bytes that each thread copies at a time: more than caches hold.
const BLOCK: usize = 64 << 20;
/// The number of repetitions; the best one counts.
const TIMES: usize = 5;

/// The machine's limits with a number of threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// The number of threads.
    pub threads: usize,
    /// The speed of copying memory, counting bytes read and bytes written.
    pub bytes_per_second: f64,
}

/// Measures the speed of copying memory with the given number of threads.
pub(crate) fn measure(threads: usize) -> Limits {
    let mut blocks: Vec<(Vec<u8>, Vec<u8>)> =
        (0..threads.max(1)).map(|_| (vec![1; BLOCK], vec![2; BLOCK])).collect();
    let mut best = f64::INFINITY;
    for _ in 0..TIMES {
        let begin = Instant::now();
        thread::scope(|scope| {
            for (from, to) in &mut blocks {
                scope.spawn(|| to.copy_from_slice(from));
            }
        });
        best = best.min(begin.elapsed().as_secs_f64());
    }
    Limits { threads, bytes_per_second: (2 * BLOCK * threads.max(1)) as f64 / best }
}

/// The number of bytes that every program for a pipeline moves at least: the needed inputs once,
/// and the outputs.
pub fn traffic(
    pool: &Pool,
    algorithm: &Algorithm,
    reference: &Program,
    prepared: &Prepared,
) -> u64 {
    let inputs = algorithm.inputs.iter().filter_map(|input| prepared.bindings.input(*input));
    let read: u64 = inputs.map(|array| array.data.len() as u64).sum();
    let regions = machine::output_regions(pool, reference, &prepared.bindings, &prepared.windows);
    let mut written = 0;
    for (output, shape) in reference.outputs.iter().zip(regions.unwrap_or_default()) {
        let points: u64 =
            shape.iter().map(|(_, extent)| u64::try_from(*extent).unwrap_or(0)).product();
        for buffer in &output.buffers {
            written += points * pool.buffer(*buffer).scalar.bytes().unwrap_or(0) as u64;
        }
    }
    read + written
}
