//! The time limit of a whole judgement.
//!
//! Solvers stop at [`SOFT`] of the limit, so that a report can tell what is open. Whatever else
//! takes longer, such as a compile by stock Halide, is cut off at the limit by the binary's own
//! thread ([`overdue`]).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use halidom_driver::stock::bridge;
use halidom_verdict::{Cause, Exit, Verdict};
use rustix::process::{Pid, Signal, kill_current_process_group, kill_process, setpgid};

use crate::output::{Ended, Output};

/// The part of the limit after which no solver is asked.
const SOFT: f64 = 0.9;

/// The judgement under a limit.
static STATE: Mutex<State> = Mutex::new(State::Idle);
static CHANGED: Condvar = Condvar::new();

/// The state of the judgement under a limit. The end of one belongs to the thread that changes it
/// from `Running`, and only that thread prints a verdict.
enum State {
    /// No judgement runs.
    Idle,
    /// A judgement runs.
    Running(Running),
    /// The limit has ended a judgement, and the process ends.
    CutOff,
}

struct Running {
    job: &'static str,
    begin: Instant,
    limit: Duration,
    json: bool,
    late: Late,
}

/// An action at the end by the limit, before the verdict is printed.
type Late = Box<dyn FnOnce(&Verdict, &mut Output<'_>) + Send>;

/// A judgement under a limit, which ends when this is dropped.
pub(crate) struct Watch {
    begin: Instant,
    limit: Duration,
}

impl Watch {
    /// Begins a job's judgement with this limit. If it ends there, `late` writes
    /// what else is owed.
    pub(crate) fn begin(job: &'static str, limit: Duration, json: bool, late: Late) -> Self {
        let begin = Instant::now();
        *state() = State::Running(Running { job, begin, limit, json, late });
        CHANGED.notify_all();
        Self { begin, limit }
    }

    /// The instant after which no solver is asked.
    pub(crate) fn until(&self) -> Instant {
        self.begin + self.limit.mul_f64(SOFT)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let state = state();
        // The thread that cut the judgement off ends the process.
        let is_cut_off = |state: &mut State| matches!(state, State::CutOff);
        let state = CHANGED.wait_while(state, is_cut_off);
        *state.unwrap_or_else(PoisonError::into_inner) = State::Idle;
        CHANGED.notify_all();
    }
}

fn state() -> MutexGuard<'static, State> {
    // The data is a plain value, which a panic cannot leave half written.
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes this process the leader of a process group, and kills the group as soon as the standard
/// input ends. A search for children could miss a solver that is started meanwhile.
pub(crate) fn end_with_input() {
    // The leader of a session cannot change its group, but leads it already.
    let _ = setpgid(None, None);
    thread::spawn(|| {
        // An input that cannot be read has ended, too.
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        let _ = kill_current_process_group(Signal::KILL);
    });
}

/// Set where a command ends by itself after a signal.
static OWN_SIGNALS: AtomicBool = AtomicBool::new(false);

/// Leaves signals to the command that runs, which ends by itself.
pub(crate) fn own_signals() {
    OWN_SIGNALS.store(true, Ordering::SeqCst);
}

/// Tests whether the command that runs ends by itself after a signal.
pub fn has_own_signals() -> bool {
    OWN_SIGNALS.load(Ordering::SeqCst)
}

/// Waits until a judgement has exceeded its limit. Returns the text for the standard output, and
/// the exit status. The binary runs this in a thread of its own, and ends the process.
pub fn overdue() -> (String, Exit) {
    let mut state = state();
    loop {
        let left = match &*state {
            State::Running(now) => now.limit.saturating_sub(now.begin.elapsed()),
            State::Idle | State::CutOff => {
                state = CHANGED.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
        };
        if !left.is_zero() {
            state = CHANGED.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        } else if let State::Running(now) = std::mem::replace(&mut *state, State::CutOff) {
            drop(state);
            return said(now);
        }
    }
}

/// Ends the processes that this one started, and those that they started: solvers, Halide, C
/// compilers. Does nothing on systems without `/proc`.
pub fn end_children() {
    let mut known = vec![std::process::id()];
    let mut children = Vec::new();
    let parents = parents();
    while let Some(parent) = known.pop() {
        let own = parents.iter().filter(|(_, of)| *of == parent).map(|(child, _)| *child);
        let own: Vec<u32> = own.collect();
        known.extend(&own);
        children.extend(own);
    }
    for child in children {
        let pid = i32::try_from(child).ok().and_then(Pid::from_raw);
        // The process may have ended meanwhile.
        let _ = pid.map(|pid| kill_process(pid, Signal::KILL));
    }
}

/// Every process with its parent.
fn parents() -> Vec<(u32, u32)> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let parent = |entry: std::fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        let status = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        // The name stands in parentheses and may contain any character.
        let mut rest = status.rsplit_once(')')?.1.split_whitespace();
        Some((id, rest.nth(1)?.parse().ok()?))
    };
    entries.flatten().filter_map(parent).collect()
}

/// The output of a command that exceeds its limit.
fn said(Running { job, limit, json, begin: _, late }: Running) -> (String, Exit) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut output = Output::new(&mut out, &mut err);
    output.json = json;
    let mut reason = format!("no verdict within {} s", limit.as_secs_f64());
    if bridge::is_running() {
        reason.push_str(", and Halide still works on the pipeline");
    }
    let verdict = Verdict::unknown(Cause::Time, reason);
    output.verdict(&verdict);
    late(&verdict, &mut output);
    let exit = output.conclude(job, &Ended::Judged(verdict));
    (String::from_utf8_lossy(&out).into_owned(), exit)
}
