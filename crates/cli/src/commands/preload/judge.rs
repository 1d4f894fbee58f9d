//! The judge of the pipelines that a running program compiles.
//!
//! The library in the program (`preload.c` of the bridge) sends lines on standard input:
//!
//! ```text
//! begun NAME           a copy of the program begins to write NAME.hlpipe and NAME.dump
//! done NAME [custom]   it has written them; `custom` if lowering passes of the program took part
//! failed NAME WORDS    it cannot, and why
//! end COUNT            the program ends, after COUNT compiles, and waits for the answer
//! ```
//!
//! The answer on standard output, `done STATUS`, follows the summary. A program that ends in
//! another way closes the pipe, and nobody waits.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use halidom_base::FxHashSet;
use serde_json::Value;

use super::summary::{Item, Outcome, summary};
use crate::output::{Ended, Output};
use crate::watch;

/// The time after the program's end in which verdicts are awaited, in seconds.
const WAIT: u64 = 600;
/// The time after which somebody who waits is told so.
const PATIENCE: Duration = Duration::from_secs(3);
/// The pause between two looks at a process.
const LOOK: Duration = Duration::from_millis(20);
/// The beginning of a statement in a dump. The lines before it tell the target and the arguments.
const STATEMENT: &[u8] = b"\n(statement";

/// The state that the threads share.
#[derive(Debug, Default)]
struct State {
    items: Vec<Item>,
    queue: VecDeque<usize>,
    /// The number of judgements that run.
    running: usize,
    /// No further item comes.
    closed: bool,
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
        judge.serve(output);
        judge.lock().closed = true;
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

/// The bytes that decide whether two pipelines are one: the pipeline file, the target and the
/// arguments. The names within the statement differ from compile to compile.
fn key(folder: &Path, name: &str, whole: bool) -> io::Result<Vec<u8>> {
    let mut key = fs::read(folder.join(format!("{name}.hlpipe")))?;
    let dump = fs::read(folder.join(format!("{name}.dump")))?;
    let head = dump.windows(STATEMENT.len()).position(|part| part == STATEMENT);
    key.extend(if whole { &dump[..] } else { &dump[..head.unwrap_or(dump.len())] });
    Ok(key)
}

impl Judge {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines until the program and its copies have ended.
    fn serve(&self, output: &mut Output<'_>) {
        let mut known = FxHashSet::default();
        let (mut reported, mut compiles) = (0, None);
        for line in io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line);
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let (name, words) = rest.split_once(' ').unwrap_or((rest, ""));
            match word {
                "begun" => self.lock().items.push(Item::begun(name)),
                "done" => self.written(name, words.trim() == "custom", &mut known),
                "failed" => self.settle(name, Outcome::missing(words.trim())),
                "end" => {
                    compiles = name.parse().ok();
                    let worst = self.conclude(&mut reported, compiles, output);
                    output.line(&format!("done {worst}"));
                    // The program waits for this line.
                    let _ = io::stdout().flush();
                }
                _ => {}
            }
        }
        if self.lock().items.len() > reported {
            self.conclude(&mut reported, compiles, output);
        }
    }

    /// Queues a pipeline whose files are there, unless it is one that was queued before.
    fn written(&self, name: &str, whole: bool, known: &mut FxHashSet<Vec<u8>>) {
        let key = match key(&self.folder, name, whole) {
            Ok(key) => key,
            Err(error) => return self.settle(name, Outcome::missing(&error.to_string())),
        };
        if !known.insert(key) {
            for extension in ["hlpipe", "dump"] {
                // A file that stays does no harm.
                let _ = fs::remove_file(self.folder.join(format!("{name}.{extension}")));
            }
            return self.settle(name, Outcome::again());
        }
        let mut state = self.lock();
        if let Some(at) = state.items.iter().position(|item| item.name == name) {
            state.items[at].custom = whole;
            state.queue.push_back(at);
        }
        drop(state);
        self.changed.notify_all();
    }

    fn settle(&self, name: &str, outcome: Outcome) {
        let mut state = self.lock();
        if let Some(item) = state.items.iter_mut().find(|item| item.name == name) {
            item.outcome = Some(outcome);
        }
    }

    /// Waits for the verdicts and prints the summary of the items that were not reported yet.
    /// Returns the exit status of the worst one.
    fn conclude(
        &self,
        reported: &mut usize,
        compiles: Option<usize>,
        output: &mut Output<'_>,
    ) -> u8 {
        let wait = Duration::from_secs(number("HALIDOM_PRELOAD_WAIT").unwrap_or(WAIT));
        let mut state = self.lock();
        state.deadline = Some(Instant::now() + wait);
        let mut quiet = report().is_some();
        while !state.queue.is_empty() || state.running > 0 {
            let waited = self.changed.wait_timeout(state, PATIENCE);
            let (next, timer) = waited.unwrap_or_else(PoisonError::into_inner);
            state = next;
            if timer.timed_out() && !quiet {
                quiet = true;
                let left = state.queue.len() + state.running;
                output.progress(&format!(
                    "halidom: {left} of {} pipelines are still being judged",
                    state.items.len()
                ));
            }
        }
        for item in &mut state.items {
            let stopped =
                || Outcome::missing("Halide crashes while it writes the pipeline, or is too slow");
            item.outcome.get_or_insert_with(stopped);
        }
        let items = &state.items[*reported..];
        *reported = state.items.len();
        let unseen = compiles.unwrap_or(0).saturating_sub(state.items.len());
        let said = summary(items, unseen, &self.folder);
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
                if state.closed {
                    return;
                }
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            };
            state.running += 1;
            let name = state.items[at].name.clone();
            drop(state);
            let outcome = self.judged(&name);
            let mut state = self.lock();
            state.items[at].outcome = Some(outcome);
            state.running -= 1;
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
        let ended = self.ended(&file, &path).unwrap_or_else(|error| Err(error.to_string()));
        let text = fs::read_to_string(&path).unwrap_or_default();
        match ended {
            Err(words) => Outcome::missing(&words),
            Ok(false) => Outcome::late(),
            Ok(true) => match serde_json::from_str::<Value>(&text) {
                Ok(verdict) => Outcome::of(&verdict, begin.elapsed()),
                Err(error) => Outcome::missing(&format!("`halidom validate` fails: {error}")),
            },
        }
    }

    /// Runs the judgement; whether it ended by itself.
    fn ended(
        &self,
        file: &dyn Fn(&str) -> PathBuf,
        verdict: &Path,
    ) -> io::Result<Result<bool, String>> {
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
        while child.try_wait()?.is_none() {
            if self.is_late() {
                stop(&mut child)?;
                return Ok(Ok(false));
            }
            thread::sleep(LOOK);
        }
        Ok(Ok(true))
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
