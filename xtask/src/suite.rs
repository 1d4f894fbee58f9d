//! Runs the test programs of the workspace, three at once for each two cores.
//!
//! `cargo test` runs one after the other. Most have one or two long tests, which leave the other
//! cores idle.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::error::Error;
use crate::json::Json;
use crate::process::{IS_BUILT, capture, cargo, program, root, run, shown};

/// The test programs that take longest, in order, each with the folder of its package. They start
/// first, so that none of them runs alone at the end. A wrong order costs time only.
const LONGEST: &[(&str, &str)] = &[
    ("driver", "all"),
    ("cli", "all"),
    ("atl", "tampering"),
    ("atl", "all"),
    ("driver", "mutants"),
    ("xtask", "runtime"),
    ("workshop", "stock_fuzz"),
    ("validate", "all"),
    ("mutators", "source_mutants"),
    ("filetests", "cases"),
    ("workshop", "agree"),
    ("codegen", "halidom_codegen"),
    ("workshop", "tuning"),
    ("validate", "halidom_validate"),
    ("mutators", "programs"),
    ("schedule", "theorems"),
    ("workshop", "corpus"),
];

/// The number of the longest that start before the tests of other languages and those in
/// documentation.
const OTHERS: usize = 4;

/// The test programs that wait most of their time, such as for solvers that do not answer. One at a
/// time, they run at the same time as the others, as if there were one core more.
const WAITING: &[(&str, &str)] = &[("validate", "faults")];

/// A command that runs tests, at the same time as others.
struct Job {
    /// The words by which reports name it.
    name: String,
    command: Command,
}

/// A test program.
#[derive(Debug)]
struct Suite {
    /// The name of its target.
    name: String,
    executable: PathBuf,
    /// The folder of its package, where it runs.
    folder: PathBuf,
}

impl Suite {
    /// Describes it by its package and its target.
    fn shown(&self) -> String {
        let folder = self.folder.strip_prefix(root()).unwrap_or(&self.folder);
        format!("{} of {}", self.name, folder.display())
    }

    /// Returns its place in a list that names it.
    fn place_in(&self, list: &[(&str, &str)]) -> Option<usize> {
        list.iter().position(|(folder, name)| *name == self.name && self.folder.ends_with(folder))
    }

    /// Makes the job that runs it with one thread.
    fn job(&self) -> Job {
        let mut command = program(&self.executable);
        command.arg("--test-threads=1").current_dir(&self.folder);
        command.env("CARGO_MANIFEST_DIR", &self.folder);
        command.env(IS_BUILT, "1");
        Job { name: self.shown(), command }
    }
}

/// The variable of the environment under which tests examine all their cases instead of a share.
const SWEEP: &str = "HALIDOM_SWEEP";

/// The cases that tests of corpora examine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The share that keeps a run of all tests short.
    Share,
    /// All.
    Sweep,
}

/// Builds and runs all tests of the workspace, those in documentation, and `others`. Runs all of
/// them even if some fail.
pub(crate) fn run_all(extent: Extent, others: Vec<(&str, Command)>) -> Result<(), Error> {
    let suites = built()?;
    // Test programs wait for processes that they start, a third of their time.
    let workers = 3 * thread::available_parallelism().map_or(1, NonZeroUsize::get) / 2;
    println!("{} test programs, {workers} at a time", suites.len());
    let documentation = cargo(&["test", "--release", "--workspace", "--doc"]);
    let others = others.into_iter().chain([("the documentation", documentation)]);
    let (waiting, busy): (Vec<Suite>, Vec<Suite>) =
        suites.into_iter().partition(|suite| suite.place_in(WAITING).is_some());
    let mut jobs: VecDeque<Job> = busy.iter().map(Suite::job).collect();
    // Those of the Python package take minutes too.
    let place = OTHERS.min(jobs.len());
    for (name, command) in others {
        jobs.insert(place, Job { name: name.to_owned(), command });
    }
    let [jobs, waiting] = [jobs, waiting.iter().map(Suite::job).collect()].map(Mutex::new);
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        let queues = std::iter::repeat_n(&jobs, workers).chain([&waiting]);
        for queue in queues {
            let failed = &failed;
            scope.spawn(move || {
                loop {
                    // The lock is held while a job is taken, not while it runs.
                    let next = locked(queue).pop_front();
                    let Some(mut job) = next else { break };
                    match extent {
                        Extent::Share => job.command.env_remove(SWEEP),
                        Extent::Sweep => job.command.env(SWEEP, "1"),
                    };
                    if let Err(error) = run_one(&mut job) {
                        locked(failed).push((job.name, error));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap_or_else(PoisonError::into_inner);
    for (name, error) in &failed {
        println!("failed: {name}: {error}");
    }
    failed.into_iter().next().map_or(Ok(()), |(_, error)| Err(error))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a job, and prints its output when it ends.
fn run_one(job: &mut Job) -> Result<(), Error> {
    let start = Instant::now();
    let output = capture(&mut job.command)?;
    let seconds = start.elapsed().as_secs_f64();
    // One call prints all, so that the outputs of two jobs do not mix.
    println!(
        "\n     Ran {} in {seconds:.1} s\n{}{}",
        job.name,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    finished(&shown(&job.command), output.status)
}

fn finished(command: &str, status: ExitStatus) -> Result<(), Error> {
    if status.success() {
        Ok(())
    } else {
        Err(Error::Failed { command: command.to_owned(), status })
    }
}

/// Builds the test programs and lists them, the longest first.
fn built() -> Result<Vec<Suite>, Error> {
    const BUILD: &[&str] = &["test", "--release", "--workspace", "--no-run"];
    let build = || {
        let mut command = cargo(BUILD);
        // Cargo's other commands, without it, take what is built so.
        command.env("RUSTC_WRAPPER", root().join("xtask/rustc-for-tests.sh"));
        command
    };
    // The first call shows the progress, the second one lists what is built.
    run(&mut build())?;
    let mut command = build();
    command.arg("--message-format=json");
    let output = capture(&mut command)?;
    finished(&shown(&command), output.status)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut suites = Vec::new();
    for line in text.lines().filter(|line| line.starts_with('{')) {
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let message = Json::parse(line).map_err(problem)?;
        suites.extend(suite(&message));
    }
    if suites.is_empty() {
        let problem = "it names no test program".to_owned();
        return Err(Error::Output { command: shown(&command), problem });
    }
    suites.sort_by_key(|suite| suite.place_in(LONGEST).unwrap_or(LONGEST.len()));
    Ok(suites)
}

/// Reads cargo's message about an artifact. `None` if the artifact is not a test program.
fn suite(message: &Json) -> Option<Suite> {
    if message.get("profile")?.get("test")? != &Json::Bool(true) {
        return None;
    }
    let manifest = Path::new(message.get("manifest_path")?.text()?);
    Some(Suite {
        name: message.get("target")?.get("name")?.text()?.to_owned(),
        executable: message.get("executable")?.text()?.into(),
        folder: manifest.parent()?.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::suite;
    use crate::json::Json;

    #[test]
    fn only_test_programs_are_run() {
        let message = |test: bool, executable: &str| {
            let text = format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/a/b/Cargo.toml",
                "target":{{"name":"it"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            );
            suite(&Json::parse(&text).expect("it is JSON"))
        };
        let found = message(true, r#""/t/it-1""#).expect("it is a test program");
        assert_eq!((found.name.as_str(), found.folder.to_str()), ("it", Some("/a/b")));
        assert!(message(false, r#""/t/halidom""#).is_none());
        assert!(message(true, "null").is_none());
    }
}
