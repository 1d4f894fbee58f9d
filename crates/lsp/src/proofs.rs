//! Proofs in the background. Each is a process of its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{self, JoinHandle};

use halidom_driver::process;

use crate::events::{Event, Finished};
use crate::verdicts::{Judged, Named};

/// The number of proofs that run at the same time; others wait.
const AT_ONCE: usize = 2;
/// The time limit of a proof in seconds: none is meant to take so long.
const LIMIT: &str = "3600";

/// A proof that waits or runs.
pub(crate) struct Task {
    pub(crate) number: u64,
    pub(crate) uri: String,
    pub(crate) named: Named,
    text: String,
    is_over: Arc<AtomicBool>,
    /// The thread that waits for the process, once it runs.
    runs: Option<JoinHandle<()>>,
}

/// The proofs of all texts.
pub(crate) struct Proofs {
    program: PathBuf,
    tasks: Vec<Task>,
    /// The threads of cancelled proofs, which end their processes.
    ending: Vec<JoinHandle<()>>,
    next: u64,
    events: Sender<Event>,
}

impl Proofs {
    pub(crate) fn new(program: PathBuf, events: Sender<Event>) -> Self {
        Self { program, tasks: Vec::new(), ending: Vec::new(), next: 0, events }
    }

    /// Begins a proof. Returns its number.
    pub(crate) fn begin(&mut self, uri: &str, named: Named, text: &str) -> u64 {
        self.next += 1;
        self.tasks.push(Task {
            number: self.next,
            uri: uri.to_owned(),
            named,
            text: text.to_owned(),
            is_over: Arc::default(),
            runs: None,
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
        let mut cancelled: Vec<Task> = cancelled;
        self.ending.retain(|thread| !thread.is_finished());
        for task in &mut cancelled {
            task.is_over.store(true, Ordering::Relaxed);
            self.ending.extend(task.runs.take());
        }
        self.start_waiting();
        cancelled
    }

    fn start_waiting(&mut self) {
        let running = self.tasks.iter().filter(|task| task.runs.is_some()).count();
        let waiting = self.tasks.iter_mut().filter(|task| task.runs.is_none());
        for task in waiting.take(AT_ONCE.saturating_sub(running)) {
            let (number, is_over) = (task.number, Arc::clone(&task.is_over));
            let (named, text) = (task.named.clone(), std::mem::take(&mut task.text));
            let (program, events) = (self.program.clone(), self.events.clone());
            task.runs = Some(thread::spawn(move || {
                let judged =
                    judge(&program, &named, &text, &is_over).unwrap_or_else(Judged::failed);
                // The server may have ended.
                let _ = events.send(Event::Finished(Finished { number, judged }));
            }));
        }
    }
}

impl Drop for Proofs {
    /// Ends all proofs, and waits until their processes are gone.
    fn drop(&mut self) {
        self.cancel(&|_| true);
        for thread in self.ending.drain(..) {
            // A thread that panicked has nothing left to end.
            let _ = thread.join();
        }
    }
}

/// Runs the proof of a schedule and reads its verdict.
fn judge(
    program: &Path,
    named: &Named,
    text: &str,
    is_over: &AtomicBool,
) -> Result<Judged, String> {
    // The folder of the text and of the process's own temporary files.
    let folder = tempfile::Builder::new().prefix("halidom-proof-").tempdir();
    let folder = folder.map_err(|error| format!("a folder cannot be made: {error}"))?;
    let file = folder.path().join("text.hal");
    std::fs::write(&file, text).map_err(|error| format!("the text cannot be written: {error}"))?;
    let (pipeline, schedule) = named;
    let mut command = Command::new(program);
    command
        .args(["validate", "--json", "--limit", LIMIT, "--end-with-input"])
        .args(["-p", pipeline, "-s", schedule, "--"])
        .arg(file)
        .env("TMPDIR", folder.path());
    let ended = process::run(&mut command, &|| is_over.load(Ordering::Relaxed))?;
    Ok(Judged::read(&ended, named))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::sync::mpsc::{Receiver, channel};
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};

    use halidom_verdict::Word;

    use super::{Event, Finished, Judged, Proofs};

    /// A program that answers as the name of the schedule demands. The statement of a proof names
    /// the folder for temporary files.
    const STUB: &str = r#"#!/bin/sh
while [ "$1" != -s ]; do shift; done
touch "$TMPDIR/left"
answer() {
    printf '{"schema":"halidom-verdict-1","job":"validate","exit":%s,"verdict":"%s",' "$2" "$1"
    printf '"statement":"%s","pipeline":"p","schedule":"%s",' "$3" "$4"
    printf '"modes":{"floats":"bits","axioms":[]},"shown":1,"conditions":[],'
    printf '"evidence":[{}],"diagnostics":[]}\n'
}
case "$2" in
right) answer proved 0 "$TMPDIR" right ;;
refuted) answer refuted 1 "refuted: expected 1, got 2" refuted; exit 1 ;;
silent) ;;
wrong) answer proved 0 "$TMPDIR" wrong; exit 1 ;;
other) answer proved 0 "$TMPDIR" right ;;
killed) answer proved 0 "$TMPDIR" killed; kill -KILL $$ ;;
orphan) sleep 1000 > /dev/null & answer proved 0 "$!" orphan ;;
input) cat > /dev/null; answer proved 0 "$TMPDIR" input ;;
esac
"#;

    /// A program cannot be started while another process that is being started has it open for
    /// writing, so these tests run one by one.
    static ONE_BY_ONE: Mutex<()> = Mutex::new(());

    fn proofs(folder: &Path) -> (Proofs, Receiver<Event>) {
        let program = folder.join("stub");
        fs::write(&program, STUB).expect("the program is written");
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&program, mode).expect("it can run");
        let (events, received) = channel();
        (Proofs::new(program, events), received)
    }

    fn judged(proofs: &mut Proofs, received: &Receiver<Event>, schedule: &str) -> Judged {
        let number = proofs.begin("file:///a.hal", ("p".to_owned(), schedule.to_owned()), "");
        let event = received.recv_timeout(Duration::from_mins(1)).expect("it ends");
        let Event::Finished(Finished { number: ended, judged }) = event else { panic!("no end") };
        assert_eq!(ended, number);
        assert!(proofs.ended(number).is_some());
        judged
    }

    #[test]
    fn answers_are_held_against_the_process() {
        let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder");
        let (mut proofs, received) = proofs(folder.path());
        let right = judged(&mut proofs, &received, "right");
        assert_eq!(
            (right.word, right.title.as_str()),
            (Some(Word::Proved), "proved: 1 obligation")
        );
        let place = Path::new(&right.sentence);
        assert!(place.is_absolute() && !place.exists(), "its temporary files are gone");
        let refuted = judged(&mut proofs, &received, "refuted");
        assert_eq!(refuted.word, Some(Word::Refuted));
        assert_eq!(refuted.sentence, "refuted: expected 1, got 2");
        for schedule in ["silent", "wrong", "other", "killed"] {
            let found = judged(&mut proofs, &received, schedule);
            assert_eq!(found.word, None, "{schedule}: {found:?}");
        }
        proofs.program = folder.path().join("absent");
        assert_eq!(judged(&mut proofs, &received, "right").word, None);
    }

    #[test]
    fn what_is_left_of_a_proof_ends_with_it() {
        let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder");
        let (mut proofs, received) = proofs(folder.path());
        let orphan = judged(&mut proofs, &received, "orphan");
        assert_eq!(orphan.word, Some(Word::Proved));
        let stat = format!("/proc/{}/stat", orphan.sentence);
        let is_alive = || fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
        let begin = Instant::now();
        while is_alive() {
            assert!(begin.elapsed() < Duration::from_mins(1), "{}", orphan.sentence);
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_cancelled_proof_gives_no_verdict() {
        let _alone = ONE_BY_ONE.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder");
        let (mut proofs, received) = proofs(folder.path());
        // It waits for the end of its input, which is held open.
        let number = proofs.begin("file:///a.hal", ("p".to_owned(), "input".to_owned()), "");
        assert!(received.recv_timeout(Duration::from_millis(300)).is_err());
        assert_eq!(proofs.cancel(&|_| true).len(), 1);
        let event = received.recv_timeout(Duration::from_mins(1)).expect("it ends");
        let Event::Finished(Finished { judged, .. }) = event else { panic!("no end") };
        assert_eq!(judged.word, None);
        assert!(proofs.ended(number).is_none(), "its task is gone");
    }
}
