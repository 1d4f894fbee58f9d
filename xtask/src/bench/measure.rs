//! Runs of `halidom validate`, with their time and memory.

use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::process::{children, program, root, shown};
use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit, after which a run is killed.
const LIMIT: Duration = Duration::from_mins(5);
/// The number of clock ticks per second, the same on every machine with Linux. The system counts a
/// process's time in these ticks.
const TICKS: u64 = 100;

pub(super) struct Measured {
    /// The report; `None` if the run was killed.
    pub(super) answer: Option<Answer>,
    pub(super) time: Duration,
    /// The CPU time of the process and its children, as far as it was observed.
    pub(super) cpu: Duration,
    /// The sum of the peak memory of the process and of its children, as far as it was observed.
    pub(super) peak_kib: u64,
}

/// Validates a pipeline of a file under a schedule.
pub(super) fn validate(
    halidom: &Path,
    file: &Path,
    pipeline: &str,
    schedule: &str,
) -> Result<Measured, Error> {
    let mut command = program(halidom);
    command.arg("validate").arg(file).args([
        "--pipeline",
        pipeline,
        "--schedule",
        schedule,
        "--json",
    ]);
    let (text, mut measured) = measure(&mut command)?;
    if let Some(text) = text {
        let problem = |problem: String| Error::Output { command: shown(&command), problem };
        let answer = Answer::read(&text).map_err(problem)?;
        if matches!(answer.verdict, Verdict::Nothing | Verdict::NotJudged) {
            return Err(problem(format!("no verdict ({})", answer.verdict)));
        }
        measured.answer = Some(answer);
    }
    Ok(measured)
}

/// The observed memory and time of a process.
struct Seen {
    process: u32,
    peak_kib: u64,
    ticks: u64,
}

/// Runs a command and samples the memory and time of it and its children. Returns its output,
/// unless it was killed.
fn measure(command: &mut Command) -> Result<(Option<String>, Measured), Error> {
    let folder = root().join("target");
    let path = folder.join("bench.json");
    let failed = |cause| Error::File { path: path.clone(), cause };
    fs::create_dir_all(&folder).map_err(failed)?;
    let begin = Instant::now();
    command.stdout(Stdio::from(File::create(&path).map_err(failed)?)).stderr(Stdio::null());
    let mut child =
        command.spawn().map_err(|cause| Error::Start { program: shown(command), cause })?;
    let mut seen: Vec<Seen> = Vec::new();
    let ended = loop {
        for process in [child.id()].into_iter().chain(children(child.id())) {
            let (Some(peak_kib), Some(ticks)) = (peak_kib(process), ticks(process)) else {
                continue;
            };
            match seen.iter_mut().find(|known| known.process == process) {
                Some(known) => {
                    known.peak_kib = known.peak_kib.max(peak_kib);
                    known.ticks = known.ticks.max(ticks);
                }
                None => seen.push(Seen { process, peak_kib, ticks }),
            }
        }
        let status =
            child.try_wait().map_err(|cause| Error::Start { program: shown(command), cause })?;
        if status.is_some() {
            break true;
        }
        if begin.elapsed() > LIMIT {
            // The process may have ended in the meantime.
            let _ = child.kill();
            let _ = child.wait();
            break false;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let time = begin.elapsed();
    let output = if ended { Some(fs::read_to_string(&path).map_err(failed)?) } else { None };
    let ticks: u64 = seen.iter().map(|known| known.ticks).sum();
    let cpu = Duration::from_millis(ticks * 1000 / TICKS);
    let peak_kib = seen.iter().map(|known| known.peak_kib).sum();
    Ok((output, Measured { answer: None, time, cpu, peak_kib }))
}

fn peak_kib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// The CPU time of a process, in user and system mode.
fn ticks(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The program's name, in parentheses, may contain blanks.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}
