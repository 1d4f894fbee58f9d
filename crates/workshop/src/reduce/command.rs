//! A user's command as the judge of a reduction.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The placeholder for the file in a command.
const PLACE: &str = "{}";
/// The shell's statuses for a command that is no program, and for one that is not found.
const CANNOT_RUN: [i32; 2] = [126, 127];
/// The polling interval for a running command.
const LOOK: Duration = Duration::from_millis(2);

/// The reason why a command cannot judge.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The command does not fail on the original text.
    #[error("the command does not fail on the text as it is")]
    DoesNotFail,
    /// The shell cannot run the command.
    #[error("the shell cannot run the command: it ends with {0}")]
    CannotRun(i32),
    /// The command takes too long.
    #[error("the command does not end within {0} s")]
    TooSlow(f64),
    /// The command could not be started, or its file could not be written.
    #[error("cannot {what}")]
    Io {
        /// The operation that failed.
        what: &'static str,
        /// The reason.
        source: std::io::Error,
    },
}

/// Runs a command on texts and remembers how it failed at first.
#[derive(Debug)]
pub struct Judge {
    command: String,
    path: PathBuf,
    limit: Duration,
    /// The exit status on the original text; `None` if a signal ended the command.
    failure: Option<i32>,
    // The folder is removed together with the judge.
    _directory: tempfile::TempDir,
}

impl Judge {
    /// Creates a judge for a text. The shell runs `command` with `{}` replaced by the path of a
    /// file with the text. Without a `{}`, the path is appended.
    pub fn new(command: &str, text: &str, limit: Duration) -> Result<Self, CommandError> {
        let io = |what| move |source| CommandError::Io { what, source };
        let directory = tempfile::tempdir().map_err(io("make a folder for the file"))?;
        let path = directory.path().join("reduced.hal");
        let mut judge = Self {
            command: command_line(command, &path),
            path,
            limit,
            failure: None,
            _directory: directory,
        };
        match judge.run(text)? {
            Ended::Well => Err(CommandError::DoesNotFail),
            Ended::Badly(Some(status)) if CANNOT_RUN.contains(&status) => {
                Err(CommandError::CannotRun(status))
            }
            Ended::Badly(status) => {
                judge.failure = status;
                Ok(judge)
            }
            Ended::Killed => Err(CommandError::TooSlow(limit.as_secs_f64())),
        }
    }

    /// Tests whether the command fails on a text with the same status as at first.
    pub fn fails_alike(&self, text: &str) -> bool {
        matches!(self.run(text), Ok(Ended::Badly(status)) if status == self.failure)
    }

    fn run(&self, text: &str) -> Result<Ended, CommandError> {
        let io = |what| move |source| CommandError::Io { what, source };
        std::fs::write(&self.path, text).map_err(io("write the file"))?;
        let mut child = Command::new("sh")
            .args(["-c", &self.command])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(io("start the command"))?;
        wait(&mut child, self.limit).map_err(io("wait for the command"))
    }
}

enum Ended {
    Well,
    Badly(Option<i32>),
    Killed,
}

fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Ended> {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { Ended::Well } else { Ended::Badly(status.code()) });
        }
        if begin.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::Killed);
        }
        std::thread::sleep(LOOK);
    }
}

fn command_line(command: &str, path: &Path) -> String {
    // The file is in a temporary folder. Inside a quoted word, no character of its path has a
    // meaning to the shell.
    let quoted = format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    if command.contains(PLACE) {
        command.replace(PLACE, &quoted)
    } else {
        format!("{command} {quoted}")
    }
}

#[cfg(test)]
mod tests {
    use super::{CommandError, Judge};
    use std::time::Duration;

    const LIMIT: Duration = Duration::from_secs(20);

    #[test]
    fn a_command_fails_alike_with_the_same_status() {
        let judge = Judge::new("grep -q one {} && exit 3; exit 4", "one two", LIMIT).unwrap();
        assert!(judge.fails_alike("one"));
        assert!(!judge.fails_alike("two"));
    }

    #[test]
    fn a_command_without_a_place_gets_the_file_last() {
        let judge = Judge::new("! grep -q one", "one two", LIMIT).unwrap();
        assert!(judge.fails_alike("one") && !judge.fails_alike("two"));
    }

    #[test]
    fn a_command_that_cannot_be_run_cannot_judge() {
        for (command, status) in [("nosuchcmd {}", 127), ("/ {}", 126)] {
            let refused = Judge::new(command, "", LIMIT);
            let is_it = matches!(refused, Err(CommandError::CannotRun(found)) if found == status);
            assert!(is_it, "{command}");
        }
    }

    #[test]
    fn a_command_that_does_not_fail_cannot_judge() {
        let refused = Judge::new("true", "", LIMIT);
        assert!(matches!(refused, Err(CommandError::DoesNotFail)), "{refused:?}");
        let refused = Judge::new("exec sleep 5 #", "", Duration::from_millis(20));
        assert!(matches!(refused, Err(CommandError::TooSlow(_))), "{refused:?}");
    }
}
