//! Builds several schedules at a time: compilers side by side, and several programs in each call of
//! the C compiler.

use std::collections::VecDeque;
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use halidom_base::{patience, stack};
use halidom_codegen::Toolchain;
use halidom_driver::source::Loaded;
use halidom_driver::stock::Language;
use halidom_ir::Schedule;

use super::form::{Abandoned, Built, Failure, Lowered, lower, together};
use super::halide;

/// The number of programs in one call of the C compiler.
const TOGETHER: usize = 4;
/// The number of compilers side by side.
const WORKERS: usize = 8;
/// The part of the time limit after which one program is given up before the C compiler sees it.
/// The regions of some schedules take very long to infer, and the others must not wait for these.
const SHARE: u32 = 4;

type Result<T> = std::result::Result<T, Failure>;

/// The schedules that wait for a worker, with their numbers.
type Queue = Arc<Mutex<VecDeque<(usize, Schedule)>>>;

/// Takes what is built, with its number.
type Outbox = Sender<(usize, Result<Arc<Built>>)>;

/// The number of schedules that are worth one call.
pub(super) fn size() -> usize {
    workers() * TOGETHER
}

fn workers() -> usize {
    thread::available_parallelism().map_or(1, usize::from).min(WORKERS)
}

/// Builds schedules of a pipeline within a time limit, in their order. Threads that have not ended
/// by then come second; what they were to build counts as slow to compile.
///
/// With a language for the winner's directives, stock Halide builds them.
pub(super) fn build(
    loaded: &Loaded,
    pipeline: usize,
    schedules: Vec<Schedule>,
    (toolchain, halide): (&Toolchain, Option<Language>),
    limit: Duration,
) -> (Vec<Result<Arc<Built>>>, Vec<Abandoned>) {
    let begin = Instant::now();
    let count = schedules.len();
    let queue: Queue = Arc::new(Mutex::new(schedules.into_iter().enumerate().collect()));
    let (outbox, results) = mpsc::channel();
    let mut threads = Vec::new();
    for _ in 0..workers().min(count) {
        let (loaded, compiler) = (loaded.clone(), toolchain.clone());
        let (queue, outbox) = (Arc::clone(&queue), outbox.clone());
        let work = move || {
            stack::whole(|| match halide {
                None => serve(&loaded, pipeline, &compiler, limit, (&queue, &outbox)),
                Some(language) => {
                    let with = (&compiler, language);
                    serve_halide(&loaded, pipeline, with, limit, (&queue, &outbox));
                }
            });
        };
        threads.extend(thread::Builder::new().spawn(work).ok());
    }
    drop(outbox);
    let mut built: Vec<Option<Result<Arc<Built>>>> = (0..count).map(|_| None).collect();
    let is_late = loop {
        match results.recv_timeout(limit.saturating_sub(begin.elapsed())) {
            Ok((number, result)) => built[number] = Some(result),
            Err(mpsc::RecvTimeoutError::Timeout) => break true,
            Err(mpsc::RecvTimeoutError::Disconnected) => break false,
        }
    };
    if let Ok(mut queue) = queue.lock() {
        queue.clear();
    }
    let missing = || Err(if is_late { Failure::SlowToCompile } else { Failure::Ended });
    let built = built.into_iter().map(|result| result.unwrap_or_else(missing)).collect();
    let late = threads.into_iter().filter(|thread| !thread.is_finished());
    (built, late.map(Abandoned).collect())
}

/// Builds schedules until none is left.
fn serve(
    loaded: &Loaded,
    pipeline: usize,
    toolchain: &Toolchain,
    limit: Duration,
    (queue, outbox): (&Queue, &Outbox),
) {
    let end = Instant::now() + limit;
    loop {
        let mut numbers = Vec::new();
        let mut lowered: Vec<Lowered> = Vec::new();
        while lowered.len() < TOGETHER {
            let next = queue.lock().ok().and_then(|mut queue| queue.pop_front());
            let Some((number, schedule)) = next else { break };
            let until = end.min(Instant::now() + limit / SHARE);
            let made = patience::within(until, || lower(loaded.clone(), pipeline, Some(schedule)));
            match made.unwrap_or(Err(Failure::SlowToCompile)) {
                Ok(one) => {
                    numbers.push(number);
                    lowered.push(one);
                }
                // A send fails only if the receiver has given up.
                Err(failure) => drop(outbox.send((number, Err(failure)))),
            }
        }
        if numbers.is_empty() {
            return;
        }
        let mut missing = numbers.clone();
        let all = patience::within(end, || {
            together(lowered, toolchain, &mut |number, built| {
                missing.retain(|other| *other != numbers[number]);
                let _ = outbox.send((numbers[number], built.map(Arc::new)));
            });
        });
        if all.is_none() {
            for number in missing {
                let _ = outbox.send((number, Err(Failure::SlowToCompile)));
            }
        }
    }
}

/// Builds schedules with stock Halide until none is left.
fn serve_halide(
    loaded: &Loaded,
    pipeline: usize,
    with: (&Toolchain, Language),
    limit: Duration,
    (queue, outbox): (&Queue, &Outbox),
) {
    let begin = Instant::now();
    loop {
        let taken: Vec<(usize, Schedule)> = match queue.lock() {
            Ok(mut queue) => {
                let count = queue.len().min(TOGETHER);
                queue.drain(..count).collect()
            }
            Err(_) => return,
        };
        if taken.is_empty() {
            return;
        }
        let (numbers, schedules): (Vec<usize>, Vec<Schedule>) = taken.into_iter().unzip();
        let left = limit.saturating_sub(begin.elapsed());
        let built = halide::build(loaded, pipeline, &schedules, with, left);
        for (number, built) in numbers.into_iter().zip(built) {
            let _ = outbox.send((number, built.map(Arc::new)));
        }
    }
}
