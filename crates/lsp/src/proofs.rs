//! Proofs in the background. Each is a process, in a group with its solvers, so that cancelling it
//! ends them all.

use std::io::Read as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::events::{Event, Finished};
use crate::verdicts::{Judged, Named};

/// The number of proofs that run at the same time; others wait.
const AT_ONCE: usize = 2;

/// A proof that waits or runs.
pub(crate) struct Task {
    pub(crate) number: u64,
    pub(crate) uri: String,
    pub(crate) named: Named,
    text: String,
    /// The process, while it runs; taken by whoever ends it.
    group: Arc<Mutex<Group>>,
    is_running: bool,
}

/// The process group of a proof.
#[derive(Debug, Default)]
struct Group {
    pid: Option<Pid>,
    is_cancelled: bool,
}

impl Group {
    fn kill(&mut self) {
        self.is_cancelled = true;
        if let Some(pid) = self.pid.take() {
            // The process may have ended meanwhile; its number is free only after the wait below.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// The proofs of all texts.
pub(crate) struct Proofs {
    program: PathBuf,
    /// The folder for texts, and for the temporary files of the processes.
    folder: Option<tempfile::TempDir>,
    tasks: Vec<Task>,
    next: u64,
    events: Sender<Event>,
}

impl Proofs {
    pub(crate) fn new(program: PathBuf, events: Sender<Event>) -> Self {
        let folder = tempfile::Builder::new().prefix("halidom-lsp-").tempdir().ok();
        Self { program, folder, tasks: Vec::new(), next: 0, events }
    }

    /// Begins a proof. Returns its number.
    pub(crate) fn begin(&mut self, uri: &str, named: Named, text: &str) -> u64 {
        self.next += 1;
        self.tasks.push(Task {
            number: self.next,
            uri: uri.to_owned(),
            named,
            text: text.to_owned(),
            group: Arc::default(),
            is_running: false,
        });
        self.start_waiting();
        self.next
    }

    /// Takes the task of a proof that ended, and starts the next one.
    pub(crate) fn ended(&mut self, number: u64) -> Option<Task> {
        let at = self.tasks.iter().position(|task| task.number == number)?;
        let task = self.tasks.remove(at);
        self.start_waiting();
        Some(task)
    }

    /// Ends the proofs that `is_meant` selects, with their processes; returns their tasks.
    pub(crate) fn cancel(&mut self, is_meant: &dyn Fn(&Task) -> bool) -> Vec<Task> {
        let (cancelled, kept) = std::mem::take(&mut self.tasks).into_iter().partition(is_meant);
        self.tasks = kept;
        let cancelled: Vec<Task> = cancelled;
        for task in &cancelled {
            lock(&task.group).kill();
        }
        self.start_waiting();
        cancelled
    }

    fn start_waiting(&mut self) {
        let running = self.tasks.iter().filter(|task| task.is_running).count();
        let waiting = self.tasks.iter_mut().filter(|task| !task.is_running);
        for task in waiting.take(AT_ONCE.saturating_sub(running)) {
            task.is_running = true;
            let (number, group) = (task.number, Arc::clone(&task.group));
            let (named, text) = (task.named.clone(), std::mem::take(&mut task.text));
            let folder = self.folder.as_ref().map(|folder| folder.path().to_owned());
            let (program, events) = (self.program.clone(), self.events.clone());
            thread::spawn(move || {
                let judged = match folder {
                    Some(folder) => judge(&program, &folder, number, (&named, &text), &group),
                    None => Err("no folder for temporary files can be made".to_owned()),
                };
                let judged = judged.unwrap_or_else(|reason| Judged {
                    word: "failed".to_owned(),
                    sentence: reason,
                });
                // The server may have ended.
                let _ = events.send(Event::Finished(Finished { number, judged }));
            });
        }
    }
}

impl Drop for Proofs {
    fn drop(&mut self) {
        self.cancel(&|_| true);
    }
}

fn lock(group: &Mutex<Group>) -> std::sync::MutexGuard<'_, Group> {
    // The data is plain, and a panic cannot leave it half written.
    group.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs the proof of a schedule and reads its verdict.
fn judge(
    program: &Path,
    folder: &Path,
    number: u64,
    ((pipeline, schedule), text): (&Named, &str),
    group: &Mutex<Group>,
) -> Result<Judged, String> {
    let file = folder.join(format!("{number}.hal"));
    std::fs::write(&file, text).map_err(|error| format!("the text cannot be written: {error}"))?;
    let printed = {
        let mut child = {
            let mut group = lock(group);
            if group.is_cancelled {
                return Err("cancelled".to_owned());
            }
            let child = start(program, folder, &file, pipeline, schedule)
                .map_err(|error| format!("`{}` cannot be started: {error}", program.display()))?;
            group.pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
            child
        };
        let mut printed = String::new();
        let read = child.stdout.take().map(|mut out| out.read_to_string(&mut printed));
        // From here on, the number may belong to another process.
        lock(group).pid = None;
        let _ = child.wait();
        read.transpose().map_err(|error| format!("its output cannot be read: {error}"))?;
        printed
    };
    // The folder is removed at the end in any case.
    let _ = std::fs::remove_file(&file);
    verdict(&printed).ok_or_else(|| "there is no verdict: see `halidom validate`".to_owned())
}

fn start(
    program: &Path,
    folder: &Path,
    file: &Path,
    pipeline: &str,
    schedule: &str,
) -> std::io::Result<Child> {
    Command::new(program)
        .args(["validate", "--json", "-p", pipeline, "-s", schedule, "--"])
        .arg(file)
        .env("TMPDIR", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Reads what `validate --json` printed.
fn verdict(printed: &str) -> Option<Judged> {
    let object: Value = serde_json::from_str(printed.trim()).ok()?;
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(word) = object.get("verdict").and_then(text) {
        let details = match word.as_str() {
            "proved" => object.get("shown").and_then(Value::as_u64).map(|shown| match shown {
                1 => "1 obligation".to_owned(),
                _ => format!("{shown} obligations"),
            }),
            "refuted" => object.get("statement").and_then(text),
            _ => object.get("reason").and_then(text),
        };
        let sentence = match details {
            Some(details) => format!("{word}: {details}"),
            None => word.clone(),
        };
        return Some(Judged { word, sentence });
    }
    let message = object.get("diagnostics")?.get(0)?.get("message").and_then(text)?;
    Some(Judged { word: "failed".to_owned(), sentence: message })
}
