//! Checks of schedules in the background: each edit makes the one before stale.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use halidom_base::stack;
use halidom_driver::source;

use crate::document::refusals;
use crate::events::{Analysed, Event};

/// A text whose schedules are to be checked.
pub(crate) struct Job {
    pub(crate) uri: String,
    pub(crate) version: i32,
    pub(crate) text: String,
    /// The version of the text that is the newest.
    pub(crate) newest: Arc<AtomicI32>,
}

/// Starts the thread that checks schedules; it ends with its jobs.
pub(crate) fn start(jobs: Receiver<Job>, events: Sender<Event>) {
    thread::spawn(move || stack::whole(|| work(&jobs, &events)));
}

fn work(jobs: &Receiver<Job>, events: &Sender<Event>) {
    while let Ok(job) = jobs.recv() {
        let Job { uri, version, text, newest } = job;
        let is_stale = || newest.load(Ordering::Relaxed) != version;
        if is_stale() {
            continue;
        }
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let mut loaded = source::parse("text", text);
            refusals(&mut loaded, &is_stale)
        }));
        let refusals = match checked {
            Ok(None) => continue,
            Ok(Some(refusals)) => Some(refusals),
            Err(_) => None,
        };
        if events.send(Event::Analysed(Analysed { uri, version, refusals })).is_err() {
            return;
        }
    }
}
