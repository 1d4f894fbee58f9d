//! Runs of Coq's programs, without the user's settings and with a time limit.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::error::CheckError;

/// The arguments of `coqc` for every file: no `coqrc`, and no compilation to machine code, which
/// would call another compiler.
pub(super) const COQC: &[&str] =
    &["-q", "-w", "-deprecated-native-compiler-option", "-native-compiler", "no"];

/// The load path of modules, from the folder that Coq runs in.
pub(super) const LOAD_PATH: [&str; 12] = [
    "-Q",
    "library",
    "Halidom",
    "-Q",
    "statement",
    "HalidomStatement",
    "-Q",
    "proof",
    "HalidomProof",
    "-Q",
    "check",
    "HalidomCheck",
];

/// Coq's programs.
#[derive(Clone, Debug)]
pub(super) struct Coq {
    pub(super) coqc: PathBuf,
    pub(super) coqchk: PathBuf,
    pub(super) version: String,
}

impl Coq {
    pub(super) fn find() -> Result<Self, CheckError> {
        let coqc = program("coqc").ok_or(CheckError::NoCoq("coqc"))?;
        let coqchk = program("coqchk").ok_or(CheckError::NoCoq("coqchk"))?;
        let version = coq_version().ok_or(CheckError::NoCoq("coqc"))?;
        Ok(Self { coqc, coqchk, version })
    }
}

/// The absolute path of a program on the search path.
pub(super) fn program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
        .and_then(|path| std::path::absolute(path).ok())
}

/// The version of `coqc`, if it can be started.
pub fn coq_version() -> Option<String> {
    let output = Command::new(program("coqc")?).arg("--print-version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    output.status.success().then(|| text.split_whitespace().next().unwrap_or("?").to_owned())
}

/// The end of a run.
pub(super) enum Ended {
    /// The run succeeded.
    Well {
        /// The standard output.
        printed: String,
        /// The standard error, where `coqchk` prints its summary.
        reported: String,
    },
    /// The run failed.
    Badly {
        message: String,
        /// The line that the error message names.
        line: Option<usize>,
    },
    /// The run exceeded the time limit.
    Late(String),
}

/// A run that has not started.
pub(super) struct Run {
    command: Command,
    folder: PathBuf,
    limit: Duration,
}

impl Run {
    /// Prepares a program to run in a folder, with only the environment variables that it needs.
    pub(super) fn new(program: &Path, folder: &Path, limit: Duration) -> Self {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", folder)
            .env("TMPDIR", folder)
            .env("LC_ALL", "C.UTF-8")
            .current_dir(folder)
            .stdin(Stdio::null());
        Self { command, folder: folder.to_owned(), limit }
    }

    pub(super) fn arguments(&mut self, arguments: &[&str]) -> &mut Self {
        self.command.args(arguments);
        self
    }

    pub(super) fn path(&mut self, path: &Path) -> &mut Self {
        self.command.arg(path);
        self
    }

    pub(super) fn words(&mut self, words: impl IntoIterator<Item = OsString>) -> &mut Self {
        self.command.args(words);
        self
    }

    pub(super) fn run(mut self) -> io::Result<(Ended, f64)> {
        let start = Instant::now();
        let (out, err) = (self.folder.join("printed"), self.folder.join("complained"));
        let mut child =
            self.command.stdout(File::create(&out)?).stderr(File::create(&err)?).spawn()?;
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if start.elapsed() > self.limit {
                child.kill()?;
                child.wait()?;
                break None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let seconds = start.elapsed().as_secs_f64();
        let printed = String::from_utf8_lossy(&fs::read(&out)?).into_owned();
        let reported = String::from_utf8_lossy(&fs::read(&err)?).into_owned();
        let ended = match status {
            None => {
                Ended::Late(format!("Coq did not come to an end in {} s", self.limit.as_secs()))
            }
            Some(status) if status.success() => Ended::Well { printed, reported },
            Some(_) => Ended::Badly { line: line(&reported), message: reported.trim().to_owned() },
        };
        Ok((ended, seconds))
    }
}

/// The line that Coq's message names.
fn line(message: &str) -> Option<usize> {
    message.split("line ").nth(1)?.split(',').next()?.trim().parse().ok()
}
