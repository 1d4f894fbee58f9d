//! A solver process that cannot block us.
//!
//! The crates that talk to solvers read with blocking calls and hide the process, so a solver that
//! ignores its own timeout would hang the compiler. Here one thread writes and one reads. The
//! caller waits for whole answers until a deadline, and kills a process that misses it.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::Program;

/// The time that a process has to end after it closed its output.
const DYING: Duration = Duration::from_millis(200);

/// The longest line that is read, in bytes.
const MAX_LINE: u64 = 4 << 20;

/// The longest response to one exchange, in bytes.
const MAX_RESPONSE: usize = 64 << 20;

/// The number of lines that are read ahead. A process that prints faster has to wait.
const MAX_AHEAD: usize = 64;

/// The reason why an exchange with a process failed.
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
    /// A random number, so that nobody knows the marks beforehand.
    nonce: u64,
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
        // Each thread ends when the process or the other end of its channel is gone.
        thread::spawn(move || {
            while let Ok(text) = texts.recv() {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    return;
                }
            }
        });
        let output = read_lines(stdout, |sender, line| sender.send(line).is_ok());
        // The first complaints are enough. Nothing waits until the others are read.
        let complaints = read_lines(stderr, |sender, line| {
            drop(sender.try_send(line));
            true
        });
        // The standard library's hash maps take their keys from the system's random numbers.
        let nonce = RandomState::new().build_hasher().finish();
        Ok(Self { child, input, output, complaints, exchanges: 0, nonce })
    }

    /// Sends commands and returns everything that the process prints in response. After a failure
    /// the process is of no further use.
    pub(crate) fn exchange(
        &mut self,
        commands: &str,
        deadline: Instant,
    ) -> Result<String, Failure> {
        self.exchanges += 1;
        // The process echoes a mark after it has handled the commands, so no response or complaint
        // is attributed to another exchange.
        let mark = format!("halidom-mark-{:016x}-{}", self.nonce, self.exchanges);
        if self.input.send(format!("{commands}(echo \"{mark}\")\n")).is_err() {
            return Err(self.death());
        }
        let mut response = String::new();
        loop {
            let remaining = deadline.saturating_duration_since(Instant::now());
            // Lines may arrive without end.
            if remaining.is_zero() {
                return Err(Failure::TimedOut);
            }
            match self.output.recv_timeout(remaining) {
                Ok(line) if line.trim_matches('"') == mark => return Ok(response),
                Ok(line) if response.len() + line.len() >= MAX_RESPONSE => {
                    return Err(Failure::Died(format!("it printed over {MAX_RESPONSE} bytes")));
                }
                Ok(line) => {
                    response.push_str(&line);
                    response.push('\n');
                }
                Err(RecvTimeoutError::Timeout) => return Err(Failure::TimedOut),
                Err(RecvTimeoutError::Disconnected) => {
                    // Its last output explains best why it ended.
                    return Err(match response.trim() {
                        "" => self.death(),
                        last => Failure::Died(format!("it said: {last}")),
                    });
                }
            }
        }
    }

    fn death(&mut self) -> Failure {
        // Standard error ends with the process. We do not wait for a process that closed its output
        // and lives on.
        if let Ok(complaint) = self.complaints.recv_timeout(DYING) {
            return Failure::Died(complaint);
        }
        Failure::Died(match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            Ok(None) => "it closed its output".to_owned(),
            Err(error) => error.to_string(),
        })
    }

    /// The process id of the operating system.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The process may have ended already; errors from `kill` and `wait` do not matter.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Reads the lines of a pipe as they arrive, and gives each to `pass`, until that returns false. A
/// line that is too long is the last one; a sentence takes its place.
fn read_lines(
    pipe: impl Read + Send + 'static,
    pass: impl Fn(&SyncSender<String>, String) -> bool + Send + 'static,
) -> Receiver<String> {
    let (sender, lines) = sync_channel(MAX_AHEAD);
    thread::spawn(move || {
        let mut pipe = BufReader::new(pipe);
        loop {
            let mut line = String::new();
            match pipe.by_ref().take(MAX_LINE).read_line(&mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if line.len() as u64 == MAX_LINE => {
                    pass(&sender, format!("a line of over {MAX_LINE} bytes"));
                    return;
                }
                Ok(_) => {}
            }
            let end = line.trim_end_matches(['\r', '\n']).len();
            line.truncate(end);
            if !pass(&sender, line) {
                return;
            }
        }
    });
    lines
}
