//! Proofs and measurements in the background, each a process of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use halidom_driver::process;
use serde_json::{Value, json};

use crate::answers;

/// The number of jobs that run at the same time.
const AT_ONCE: usize = 2;
/// The number of ended jobs whose answers are kept.
const KEPT: usize = 4;
/// The time after which a job ends if no page asks for it.
const FORGOTTEN: Duration = Duration::from_mins(1);
/// The longest time for which a question after a job waits.
const WAITED: Duration = Duration::from_secs(2);

/// The kind of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Task {
    Prove,
    Time,
    Explain,
}

/// A job for the given text.
pub(crate) struct Order {
    pub(crate) task: Task,
    /// The name of the file, without folders.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The pipeline and the schedule; `None` for a program in text form.
    pub(crate) choice: Option<(String, String)>,
    /// The weakest permitted equality of floats, for a proof; empty for the pipeline's own.
    pub(crate) floats: String,
    /// The size of the output, for a measurement or an estimate.
    pub(crate) size: String,
}

struct Job {
    number: u64,
    begin: Instant,
    /// When a page last asked for it.
    asked: Instant,
    is_cancelled: bool,
    answer: Option<Value>,
}

#[derive(Default)]
struct Inner {
    jobs: Mutex<Vec<Job>>,
    changed: Condvar,
}

/// All jobs of a session.
pub(crate) struct Jobs {
    program: PathBuf,
    /// The folder for texts, and for the temporary files of the processes.
    folder: tempfile::TempDir,
    next: Mutex<u64>,
    inner: Arc<Inner>,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Vec<Job>> {
        // The data is plain, and a panic cannot leave it half written.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tests whether a job is cancelled or forgotten.
    fn is_over(&self, number: u64) -> bool {
        let jobs = self.lock();
        let job = jobs.iter().find(|job| job.number == number);
        job.is_none_or(|job| job.is_cancelled || job.asked.elapsed() > FORGOTTEN)
    }
}

impl Jobs {
    pub(crate) fn new(program: PathBuf) -> std::io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("halidom-studio-").tempdir()?;
        Ok(Self { program, folder, next: Mutex::new(1), inner: Arc::default() })
    }

    /// Begins a job. Returns its number, or a sentence with the reason why it does not begin.
    pub(crate) fn begin(&self, order: Order) -> Result<u64, String> {
        let mut jobs = self.inner.lock();
        if jobs.iter().filter(|job| job.answer.is_none()).count() >= AT_ONCE {
            return Err(format!("{AT_ONCE} jobs are running: wait for one, or cancel it"));
        }
        while jobs.len() >= AT_ONCE + KEPT {
            let Some(oldest) = jobs.iter().position(|job| job.answer.is_some()) else { break };
            jobs.remove(oldest);
        }
        let number = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let number = *next;
            *next += 1;
            number
        };
        let now = Instant::now();
        jobs.push(Job { number, begin: now, asked: now, is_cancelled: false, answer: None });
        let (inner, program) = (Arc::clone(&self.inner), self.program.clone());
        let folder = self.folder.path().join(number.to_string());
        thread::spawn(move || {
            let answer = answer(&program, &folder, &order, &|| inner.is_over(number));
            // The folder of all jobs is removed at the end in any case.
            let _ = std::fs::remove_dir_all(&folder);
            if let Some(job) = inner.lock().iter_mut().find(|job| job.number == number) {
                job.answer = Some(if job.is_cancelled { answers::cancelled() } else { answer });
            }
            inner.changed.notify_all();
        });
        Ok(number)
    }

    /// Waits a while for the end of a job, and tells of its state.
    pub(crate) fn wait(&self, number: u64) -> Value {
        let until = Instant::now() + WAITED;
        let mut jobs = self.inner.lock();
        loop {
            let Some(job) = jobs.iter_mut().find(|job| job.number == number) else {
                return json!({"state": "unknown"});
            };
            job.asked = Instant::now();
            if let Some(answer) = &job.answer {
                return json!({"state": "ended", "answer": answer});
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return json!({"state": "running", "seconds": job.begin.elapsed().as_secs_f64()});
            }
            let waited = self.inner.changed.wait_timeout(jobs, left);
            jobs = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn cancel(&self, number: u64) {
        if let Some(job) = self.inner.lock().iter_mut().find(|job| job.number == number) {
            job.is_cancelled = true;
        }
    }

    /// Ends all jobs, and waits until their processes are gone.
    pub(crate) fn end(&self) {
        let mut jobs = self.inner.lock();
        jobs.iter_mut().for_each(|job| job.is_cancelled = true);
        while jobs.iter().any(|job| job.answer.is_none()) {
            jobs = self.inner.changed.wait(jobs).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Runs the process of a job and reads its answer.
fn answer(program: &Path, folder: &Path, order: &Order, is_over: &dyn Fn() -> bool) -> Value {
    let file = folder.join(&order.name);
    let written = std::fs::create_dir(folder).and_then(|()| std::fs::write(&file, &order.text));
    if let Err(error) = written {
        return answers::failed(format!("the text cannot be handed on: {error}"));
    }
    let mut command = Command::new(program);
    command.args(arguments(order)).arg("--").arg(&file).env("TMPDIR", folder);
    match process::run(&mut command, is_over) {
        Err(sentence) => answers::failed(sentence),
        Ok(_) if is_over() => answers::cancelled(),
        Ok(ended) => match order.task {
            Task::Prove => answers::proof(&ended, folder, order.choice.as_ref()),
            Task::Time => answers::times(&ended, folder, &order.size),
            Task::Explain => answers::explained(&ended, folder),
        },
    }
}

fn arguments(order: &Order) -> Vec<OsString> {
    let mut words: Vec<&str> = match order.task {
        Task::Prove => vec!["validate", "--json", "--end-with-input"],
        Task::Time => {
            vec!["bench", "--json", "--no-validate", "--rounds", "30", "--budget", "3"]
        }
        Task::Explain => vec!["tune", "--explain", "--json"],
    };
    // `=` keeps a name from being read as an option.
    let named = order.choice.iter().flat_map(|(pipeline, schedule)| {
        [format!("--pipeline={pipeline}"), format!("--schedule={schedule}")]
    });
    let named: Vec<String> = named.collect();
    words.extend(named.iter().map(String::as_str));
    if order.task == Task::Prove && !order.floats.is_empty() {
        words.extend(["--floats", &order.floats]);
    }
    if order.task != Task::Prove && !order.size.is_empty() {
        words.extend(["--size", &order.size]);
    }
    words.into_iter().map(OsString::from).collect()
}
