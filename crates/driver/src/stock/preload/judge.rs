//! The queue of pipelines, the processes that judge them, and the end of it all.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use halidom_base::FxHashSet;
use halidom_halide::dump::numbered;

use super::answer::Answer;
use super::summary::{Item, Summary};
use crate::files::{self, FileError};
use crate::process::{self, Ended};

/// The time after which somebody who waits is told so.
const PATIENCE: Duration = Duration::from_secs(3);
/// The time after which a copy of the program that writes files has ended: it ends itself before.
const WRITING: Duration = Duration::from_secs(130);

/// The setting of a judge.
#[derive(Clone, Debug)]
pub struct Options {
    /// The program whose command `validate` judges a pipeline.
    pub program: PathBuf,
    /// The folder with the pipelines' files.
    pub folder: PathBuf,
    /// The number of judgements at the same time.
    pub jobs: usize,
    /// The time limit of one judgement, in seconds.
    pub limit: u64,
    /// Further options of the judgements, separated by blanks.
    pub options: String,
    /// The time after the program's end in which verdicts are awaited.
    pub wait: Duration,
}

/// News that a judge gives while it works.
#[derive(Debug)]
pub enum News<'n> {
    /// The program has ended a while ago, and some verdicts are not there yet.
    Waiting {
        /// The number of verdicts to come.
        left: usize,
        /// The number of all pipelines.
        total: usize,
    },
    /// All verdicts are there.
    Summary(&'n Summary),
    /// The summary cannot be written into the folder.
    NotKept(FileError),
    /// The program waits for this summary's exit status.
    Asked(&'n Summary),
}

/// A pipeline that a program compiled.
#[derive(Debug)]
struct Announced {
    /// The name of its files.
    name: String,
    /// The name of the compiled function, once it is known.
    function: String,
    /// The time at which the files were announced.
    since: Instant,
    /// The files are there.
    is_written: bool,
    /// Lowering passes of the program have changed the statement.
    custom: bool,
    /// The answer, once there is one.
    answer: Option<Answer>,
}

impl Announced {
    /// A pipeline whose files are being written.
    fn begun(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            function: String::new(),
            since: Instant::now(),
            is_written: false,
            custom: false,
            answer: None,
        }
    }

    /// Tests whether the answer is still to come.
    fn is_awaited(&self) -> bool {
        self.answer.is_none()
    }

    /// Tests whether the program itself compiled it, and not a forked child.
    fn is_of_program(&self) -> bool {
        !self.name.contains('-')
    }

    /// The pipeline with its answer, if there is one.
    fn answered(&self) -> Option<Item> {
        let Self { name, function, custom, answer, .. } = self;
        let (name, function) = (name.clone(), function.clone());
        Some(Item { name, function, custom: *custom, answer: answer.clone()? })
    }
}

/// The state that the threads share.
#[derive(Debug, Default)]
struct State {
    items: Vec<Announced>,
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
struct Judge<'o> {
    options: &'o Options,
    state: Mutex<State>,
    changed: Condvar,
}

/// Judges the pipelines that lines announce, until the lines end and all verdicts are told. Writes
/// the verdicts and their summary into the folder.
pub fn judge(options: &Options, lines: impl BufRead + Send, tell: &mut dyn FnMut(News<'_>)) {
    let judge = Judge { options, state: Mutex::new(State::default()), changed: Condvar::new() };
    thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| judge.work());
        }
        scope.spawn(|| judge.listen(lines));
        judge.answer(tell);
        judge.lock().over = true;
        judge.changed.notify_all();
    });
}

/// The contents by which two compiles count as one: the pipeline file and the dump. Numbers replace
/// the names that differ from compile to compile, unless `whole` is set: lowering passes of a
/// program may do anything with names.
fn key(folder: &Path, name: &str, whole: bool) -> io::Result<(Vec<u8>, String)> {
    let dump = fs::read_to_string(folder.join(format!("{name}.dump")))?;
    let dump = if whole { dump } else { numbered(&dump) };
    Ok((fs::read(folder.join(format!("{name}.hlpipe")))?, dump))
}

impl Judge<'_> {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines until the program and its copies have ended.
    fn listen(&self, lines: impl BufRead) {
        let mut known = FxHashSet::default();
        for line in lines.split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line);
            let (word, rest) = line.split_once(' ').unwrap_or((&line, ""));
            let (name, words) = rest.split_once(' ').unwrap_or((rest, ""));
            match word {
                "begun" => self.lock().items.push(Announced::begun(name)),
                "done" => self.written(name, words.trim(), &mut known),
                "failed" => self.settle(name, Answer::missing(words.trim())),
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
        let key = key(&self.options.folder, name, whole);
        let mut state = self.lock();
        let Some(at) = state.items.iter().position(|item| item.name == name) else { return };
        function.clone_into(&mut state.items[at].function);
        state.items[at].custom = whole;
        let is_new = match key {
            Ok(key) => known.insert(key),
            Err(error) => {
                state.items[at].answer = Some(Answer::missing(&error.to_string()));
                return;
            }
        };
        if is_new {
            state.items[at].answer = None;
            state.items[at].is_written = true;
            state.queue.push_back(at);
            return;
        }
        state.items[at].answer = Some(Answer::again());
        for extension in ["hlpipe", "dump"] {
            // A file that stays does no harm.
            let _ = fs::remove_file(self.options.folder.join(format!("{name}.{extension}")));
        }
    }

    fn settle(&self, name: &str, answer: Answer) {
        let mut state = self.lock();
        if let Some(item) = state.items.iter_mut().find(|item| item.name == name) {
            item.answer = Some(answer);
        }
    }

    /// Answers the program, and reports what comes after its end.
    fn answer(&self, tell: &mut dyn FnMut(News<'_>)) {
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
                let summary = self.conclude(tell);
                if asks {
                    tell(News::Asked(&summary));
                }
            }
            if closed && !asks {
                return;
            }
        }
    }

    /// Waits for the verdicts, and tells and writes the summary.
    fn conclude(&self, tell: &mut dyn FnMut(News<'_>)) -> Summary {
        let begin = Instant::now();
        let wait = self.options.wait;
        let mut state = self.lock();
        state.deadline = Some(begin + wait);
        let mut is_told = false;
        loop {
            let is_late = begin.elapsed() >= wait;
            let closed = state.closed;
            for item in state.items.iter_mut().filter(|item| item.is_awaited()) {
                // The copies of a process that waits for the answer have ended.
                let is_over =
                    closed || is_late || item.is_of_program() || item.since.elapsed() >= WRITING;
                if is_over && !item.is_written {
                    item.answer = Some(Answer::stopped());
                }
            }
            let left = state.items.iter().filter(|item| item.is_awaited()).count();
            if left == 0 {
                break;
            }
            if !is_told && begin.elapsed() >= PATIENCE {
                is_told = true;
                tell(News::Waiting { left, total: state.items.len() });
            }
            let waited = self.changed.wait_timeout(state, PATIENCE);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.news = 0;
        state.deadline = None;
        let Options { options, folder, .. } = self.options;
        let summary = Summary {
            items: state.items.iter().filter_map(Announced::answered).collect(),
            unseen: state.skipped,
            options: options.trim().to_owned(),
            folder: folder.clone(),
        };
        drop(state);
        tell(News::Summary(&summary));
        let text = summary.json().to_string();
        if let Err(error) = files::write_bytes(&folder.join("summary.json"), text.as_bytes()) {
            tell(News::NotKept(error));
        }
        summary
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
            let answer = self.judged(&name);
            let mut state = self.lock();
            state.items[at].answer = Some(answer);
            state.news += 1;
            drop(state);
            self.changed.notify_all();
        }
    }

    /// Lets a process of its own judge a pipeline: a crash or a limit of one ends no other.
    fn judged(&self, name: &str) -> Answer {
        let begin = Instant::now();
        if self.is_late() {
            return Answer::late();
        }
        let file = |extension: &str| self.options.folder.join(format!("{name}.{extension}"));
        let mut command = Command::new(&self.options.program);
        command.arg("validate").arg("--halide").arg(file("hlpipe")).arg("--ir").arg(file("dump"));
        command.args(["--json", "--end-with-input", "--limit"]);
        command.arg(self.options.limit.to_string());
        command.args(self.options.options.split_whitespace());
        let ended = match process::run(&mut command, &|| self.is_late()) {
            Err(error) => return Answer::missing(&error),
            Ok(Ended { exit: None, .. }) if self.is_late() => return Answer::late(),
            Ok(ended) => ended,
        };
        match files::write_bytes(&file("json"), ended.printed.as_bytes()) {
            Err(error) => Answer::missing(&error.to_string()),
            Ok(()) => Answer::of(&ended, begin.elapsed()),
        }
    }

    fn is_late(&self) -> bool {
        self.lock().deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
