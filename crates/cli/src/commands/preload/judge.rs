//! The judge of the pipelines that a running program compiles.
//!
//! The library in the program (`preload.c` of the bridge) sends lines on standard input:
//!
//! ```text
//! begun NAME                   a copy of the program is to write NAME.hlpipe and NAME.dump
//! done NAME FUNCTION [custom]  it has written them, for this function; `custom` if lowering passes
//!                              of the program took part
//! failed NAME WORDS            it cannot, and why
//! skipped                      there was a compile that nobody looks at
//! end                          the program ends, and waits for the answer
//! ```
//!
//! NAME is a number for the compiles of the program itself. Those of its forked children have the
//! number of the process in front. The children may live longer than the program.
//!
//! The answer on standard output, `done STATUS`, follows the summary. A program that ends in
//! another way closes the pipe, and nobody waits. What comes after a summary leads to a further one
//! at the end, which repeats the first.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use halidom_base::FxHashSet;
use halidom_driver::stock::numbered_names;

use super::summary::{Item, Outcome, summary};
use crate::output::{Ended, Output};
use crate::watch;

/// The time after the program's end in which verdicts are awaited, in seconds.
const WAIT: u64 = 600;
/// The time after which somebody who waits is told so.
const PATIENCE: Duration = Duration::from_secs(3);
/// The pause between two looks at a process.
const LOOK: Duration = Duration::from_millis(20);
/// The time after which a copy of the program that writes files has ended: it ends itself before.
const WRITING: Duration = Duration::from_secs(130);

/// The state that the threads share.
#[derive(Debug, Default)]
struct State {
    items: Vec<Item>,
    queue: VecDeque<usize>,
    /// The number of compiles that nobody looks at.
    skipped: usize,
    /// The program waits for the answer.
    asks: bool,
    /// The program and its copies have ended: no further line comes.
    closed: bool,
    /// All work is done.
    over: bool,
    /// The number of lines and verdicts since the last summary.
    news: usize,
    /// The end of all judgements.
    deadline: Option<Instant>,
}

#[derive(Debug)]
struct Judge {
    folder: PathBuf,
    state: Mutex<State>,
    changed: Condvar,
}

pub(super) fn run(folder: &Path, keep: bool, output: &mut Output<'_>) -> Ended {
    let judge = Judge {
        folder: folder.to_owned(),
        state: Mutex::new(State::default()),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..workers() {
            scope.spawn(|| judge.work());
        }
        scope.spawn(|| judge.listen());
        judge.answer(output);
        judge.lock().over = true;
        judge.changed.notify_all();
    });
    if !keep {
        // What cannot be removed is left to the system.
        let _ = fs::remove_dir_all(folder);
    }
    Ended::Done
}

/// The number of judgements at the same time: the program needs processors too.
fn workers() -> usize {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    number("HALIDOM_PRELOAD_JOBS").map_or(processors.div_ceil(2), |jobs| jobs.max(1) as usize)
}

/// A number of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The contents by which two compiles count as one: the pipeline file and the dump. Numbers replace
/// the names that differ from compile to compile, unless `whole` is set: lowering passes of a
/// program may do anything with names.
fn key(folder: &Path, name: &str, whole: bool) -> io::Result<(Vec<u8>, String)> {
    let dump = fs::read_to_string(folder.join(format!("{name}.dump")))?;
    let dump = if whole { dump } else { numbered_names(&dump) };
    Ok((fs::read(folder.join(format!("{name}.hlpipe")))?, dump))
}

impl Judge {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines until the program and its copies have ended.
    fn listen(&self) {
        let mut known = FxHashSet::default();
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line);
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let (name, words) = rest.split_once(' ').unwrap_or((rest, ""));
            match word {
                "begun" => self.lock().items.push(Item::begun(name)),
                "done" => self.written(name, words.trim(), &mut known),
                "failed" => self.settle(name, Outcome::missing(words.trim())),
                "skipped" => self.lock().skipped += 1,
                "end" => self.lock().asks = true,
                _ => continue,
            }
            self.lock().news += 1;
            self.changed.notify_all();
        }
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Queues a pipeline whose files are there, unless it is one that was queued before.
    fn written(&self, name: &str, words: &str, known: &mut FxHashSet<(Vec<u8>, String)>) {
        let (function, rest) = words.split_once(' ').unwrap_or((words, ""));
        let whole = rest == "custom";
        let key = key(&self.folder, name, whole);
        let mut state = self.lock();
        let Some(at) = state.items.iter().position(|item| item.name == name) else { return };
        function.clone_into(&mut state.items[at].function);
        state.items[at].custom = whole;
        let is_new = match key {
            Ok(key) => known.insert(key),
            Err(error) => {
                state.items[at].outcome = Some(Outcome::missing(&error.to_string()));
                return;
            }
        };
        if is_new {
            state.items[at].outcome = None;
            state.items[at].is_written = true;
            state.queue.push_back(at);
            return;
        }
        state.items[at].outcome = Some(Outcome::again());
        for extension in ["hlpipe", "dump"] {
            // A file that stays does no harm.
            let _ = fs::remove_file(self.folder.join(format!("{name}.{extension}")));
        }
    }

    fn settle(&self, name: &str, outcome: Outcome) {
        let mut state = self.lock();
        if let Some(item) = state.items.iter_mut().find(|item| item.name == name) {
            item.outcome = Some(outcome);
        }
    }

    /// Answers the program, and reports what comes after its end.
    fn answer(&self, output: &mut Output<'_>) {
        loop {
            let mut state = self.lock();
            while !state.asks && !state.closed {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let (asks, closed) = (state.asks, state.closed);
            state.asks = false;
            let is_due = asks || state.news > 0;
            drop(state);
            if is_due {
                let worst = self.conclude(output);
                if asks {
                    output.line(&format!("done {worst}"));
                    // The program waits for this line.
                    let _ = io::stdout().flush();
                }
            }
            if closed && !asks {
                return;
            }
        }
    }

    /// Waits for the verdicts and prints the summary. Returns the exit status of the worst one.
    fn conclude(&self, output: &mut Output<'_>) -> u8 {
        let begin = Instant::now();
        let wait = Duration::from_secs(number("HALIDOM_PRELOAD_WAIT").unwrap_or(WAIT));
        let mut state = self.lock();
        state.deadline = Some(begin + wait);
        let mut quiet = report().is_some();
        loop {
            let is_late = begin.elapsed() >= wait;
            let closed = state.closed;
            for item in state.items.iter_mut().filter(|item| item.is_awaited()) {
                // The copies of a process that waits for the answer have ended.
                let is_over =
                    closed || is_late || item.is_of_program() || item.since.elapsed() >= WRITING;
                if is_over && !item.is_written {
                    item.outcome = Some(Outcome::stopped());
                }
            }
            let left = state.items.iter().filter(|item| item.is_awaited()).count();
            if left == 0 {
                break;
            }
            if !quiet && begin.elapsed() >= PATIENCE {
                quiet = true;
                output.progress(&format!(
                    "halidom: {left} of {} pipelines are still being judged",
                    state.items.len()
                ));
            }
            let waited = self.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.news = 0;
        state.deadline = None;
        let options = std::env::var("HALIDOM_PRELOAD_OPTIONS").unwrap_or_default();
        let said = summary(&state.items, state.skipped, (&self.folder, options.trim()));
        drop(state);
        tell(&said.text, output);
        let path = self.folder.join("summary.json");
        if let Err(error) = fs::write(&path, said.json.to_string()) {
            output.progress(&format!("halidom: `{}`: {error}", path.display()));
        }
        said.exit
    }

    /// Judges one pipeline after the other.
    fn work(&self) {
        loop {
            let mut state = self.lock();
            let at = loop {
                if let Some(at) = state.queue.pop_front() {
                    break at;
                }
                if state.over {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            let name = state.items[at].name.clone();
            drop(state);
            let outcome = self.judged(&name);
            let mut state = self.lock();
            state.items[at].outcome = Some(outcome);
            state.news += 1;
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Lets a process of its own judge a pipeline: a crash or a limit of one ends no other.
    fn judged(&self, name: &str) -> Outcome {
        let begin = Instant::now();
        if self.is_late() {
            return Outcome::late();
        }
        let file = |extension: &str| self.folder.join(format!("{name}.{extension}"));
        let path = file("json");
        let ended = self.ended(&file, &path);
        let status = match ended {
            Err(error) => return Outcome::missing(&error.to_string()),
            Ok(None) => return Outcome::late(),
            Ok(Some(status)) => status,
        };
        match fs::read_to_string(&path) {
            Err(error) => Outcome::missing(&error.to_string()),
            Ok(printed) => Outcome::of(&printed, status.code(), begin.elapsed()),
        }
    }

    /// Runs the judgement; nothing if its time is over before it ends.
    fn ended(
        &self,
        file: &dyn Fn(&str) -> PathBuf,
        verdict: &Path,
    ) -> io::Result<Option<ExitStatus>> {
        // This program, even if its file was replaced since.
        let mut command = Command::new("/proc/self/exe");
        command.arg("validate").arg("--halide").arg(file("hlpipe")).arg("--ir").arg(file("dump"));
        command.args(["--json", "--limit"]);
        command.arg(number("HALIDOM_PRELOAD_LIMIT").unwrap_or(60).to_string());
        for word in words("HALIDOM_PRELOAD_OPTIONS") {
            command.arg(word);
        }
        command.stdin(Stdio::null()).stdout(File::create(verdict)?).stderr(Stdio::null());
        let mut child = command.spawn()?;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Some(status));
            }
            if self.is_late() {
                stop(&mut child)?;
                return Ok(None);
            }
            thread::sleep(LOOK);
        }
    }

    fn is_late(&self) -> bool {
        self.lock().deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// The words of a variable, separated by blanks.
fn words(name: &str) -> Vec<OsString> {
    let text = std::env::var(name).unwrap_or_default();
    text.split_whitespace().map(OsString::from).collect()
}

/// Ends a judgement with its solvers, and with all others: no judgement has time left.
fn stop(child: &mut Child) -> io::Result<()> {
    watch::end_children();
    child.kill()?;
    child.wait().map(drop)
}

/// The file that takes the summary, if one is named.
fn report() -> Option<OsString> {
    std::env::var_os("HALIDOM_PRELOAD_SUMMARY").filter(|path| !path.is_empty())
}

/// Prints a summary: to a file if one is named, else on standard error, as the program's standard
/// output is its own.
fn tell(text: &str, output: &mut Output<'_>) {
    let Some(path) = report() else { return output.progress(text.trim_end()) };
    // A program may start others, which write to the same file.
    let file = File::options().append(true).create(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(text.as_bytes())) {
        output.progress(&format!("halidom: `{}`: {error}\n{}", path.display(), text.trim_end()));
    }
}
