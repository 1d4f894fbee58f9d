//! Checks of schedules in the background: each edit makes the one before stale.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Weak;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use halidom_base::stack;
use halidom_driver::source;

use crate::document::{is_gone, refusals};
use crate::events::{Analysed, Event};

/// A text whose schedules are to be checked.
pub(crate) struct Job {
    pub(crate) uri: String,
    pub(crate) text: String,
    /// The life of the text's document.
    pub(crate) life: Weak<()>,
}

/// Starts the thread that checks schedules; it ends with its jobs.
pub(crate) fn start(jobs: Receiver<Job>, events: Sender<Event>) {
    thread::spawn(move || stack::whole(|| work(&jobs, &events)));
}

fn work(jobs: &Receiver<Job>, events: &Sender<Event>) {
    while let Ok(job) = jobs.recv() {
        let Job { uri, text, life } = job;
        let is_stale = || is_gone(&life);
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
        if events.send(Event::Analysed(Analysed { uri, life, refusals })).is_err() {
            return;
        }
    }
}
