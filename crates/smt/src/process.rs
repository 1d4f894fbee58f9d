//! A solver process that cannot block us.
//!
//! The crates that talk to solvers read with blocking calls and keep the process to themselves, so a solver that ignores
//! its own timeout would hang the compiler. Here a thread writes and a thread reads; the caller waits for whole answers
//! until a deadline, and a process that misses it is killed.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Program;

/// How long a process that closed its output is given to end.
const DYING: Duration = Duration::from_millis(200);

/// Why an exchange with a process failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It could not be started.
    NotStarted(String),
    /// It did not answer before the deadline.
    TimedOut,
    /// It ended, or closed its output.
    Died(String),
}

/// A running solver. Dropping it kills the process.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: Sender<String>,
    output: Receiver<String>,
    /// The lines of its standard error.
    complaints: Receiver<String>,
    exchanges: u64,
}

impl Process {
    pub(crate) fn start(program: &Program, arguments: &[String]) -> Result<Self, Failure> {
        let not_started = |error: std::io::Error| Failure::NotStarted(error.to_string());
        let mut child = Command::new(program.path())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(not_started)?;
        let (Some(mut stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(Failure::NotStarted("its pipes are missing".to_owned()));
        };
        let (input, texts) = channel::<String>();
        // The threads end when the process or the other end of their channel is gone.
        thread::spawn(move || {
            while let Ok(text) = texts.recv() {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let (output, complaints) = (read_lines(stdout), read_lines(stderr));
        Ok(Self { child, input, output, complaints, exchanges: 0 })
    }

    /// Sends commands and returns everything that the process prints in response. After a failure the process is of no
    /// further use.
    pub(crate) fn exchange(
        &mut self,
        commands: &str,
        deadline: Instant,
    ) -> Result<String, Failure> {
        self.exchanges += 1;
        // The process echoes a mark after it has dealt with the commands, so that no response, and no complaint, is
        // taken for that of another exchange.
        let mark = format!("halidom-mark-{}", self.exchanges);
        if self.input.send(format!("{commands}(echo \"{mark}\")\n")).is_err() {
            return Err(self.death());
        }
        let mut response = String::new();
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(remaining) {
                Ok(line) if line.trim_matches('"') == mark => return Ok(response),
                Ok(line) => {
                    response.push_str(&line);
                    response.push('\n');
                }
                Err(RecvTimeoutError::Timeout) => return Err(Failure::TimedOut),
                Err(RecvTimeoutError::Disconnected) => {
                    // What it said last is the best explanation of its end.
                    return Err(match response.trim() {
                        "" => self.death(),
                        last => Failure::Died(format!("it said: {last}")),
                    });
                }
            }
        }
    }

    fn death(&mut self) -> Failure {
        // Its standard error ends with it; a process that closed its output and lives on is not waited for.
        if let Ok(complaint) = self.complaints.recv_timeout(DYING) {
            return Failure::Died(complaint);
        }
        Failure::Died(match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => "it closed its output".to_owned(),
            Err(error) => error.to_string(),
        })
    }

    /// The operating system's number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended by itself, which is as good.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The lines of a pipe, as they come.
fn read_lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
