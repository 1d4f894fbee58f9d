//! Processes of `halidom bench` for one program, and their measurements.

use super::programs::Program;
use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::json::Json;
use crate::process::{capture, program, root, shown};
use std::path::Path;

/// The number of processes that measure a program; fewer if a call takes long, more if all calls
/// are short. For short calls, the pages that a process gets matter more than the code that it
/// runs.
const PROCESSES: usize = 5;
const LONG_PROCESSES: usize = 3;
const SHORT_PROCESSES: usize = 15;
/// The bounds in milliseconds: a longer time than `LONG` is long, a shorter one than `SHORT` is
/// short.
const LONG: f64 = 200.0;
const SHORT: f64 = 2.0;
/// The number of rounds in each process for one number of threads, and their time limit in seconds;
/// at least five rounds are run.
const ROUNDS: &str = "30";
const BUDGET: &str = "6";

/// The times of a form.
pub(super) struct Form {
    pub(super) schedule: String,
    pub(super) maker: String,
    pub(super) threads: usize,
    /// The median of each process in milliseconds, in the order of processes.
    medians: Vec<f64>,
    /// The smallest number of rounds in any process.
    pub(super) rounds: usize,
}

impl Form {
    pub(super) fn least(&self) -> f64 {
        self.medians.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(super) fn greatest(&self) -> f64 {
        self.medians.iter().copied().fold(0.0, f64::max)
    }

    /// The ratio of this form's time to another form's. With one thread it is the median of the
    /// processes' ratios. The forms of a process run in turn on the same memory, so the pages that
    /// the process got, on which memory-bound programs depend the most, slow down all of its forms.
    /// With more threads it is the ratio of the least times: short calls then have two speeds, and
    /// within one process not all forms run at the same one.
    pub(super) fn over(&self, other: &Self) -> f64 {
        if self.threads > 1 || self.medians.len() != other.medians.len() {
            return self.least() / other.least();
        }
        let pairs = self.medians.iter().zip(&other.medians);
        let mut ratios: Vec<f64> = pairs.map(|(own, other)| own / other).collect();
        ratios.sort_by(f64::total_cmp);
        let middle = ratios.len() / 2;
        if ratios.len() % 2 == 1 {
            ratios[middle]
        } else {
            f64::midpoint(ratios[middle - 1], ratios[middle])
        }
    }
}

/// All measurements of a program.
#[derive(Default)]
pub(super) struct Measured {
    pub(super) forms: Vec<Form>,
    pub(super) processes: usize,
    /// Bytes of the inputs and outputs.
    pub(super) bytes: f64,
    /// The verdict on each of our schedules.
    pub(super) verdicts: Vec<String>,
    /// The parts that were not measured, with the reason.
    pub(super) left_out: Vec<String>,
    /// The failures.
    pub(super) wrong: Vec<String>,
}

impl Measured {
    pub(super) fn find(&self, schedule: &str, maker: &str, threads: usize) -> Option<&Form> {
        self.forms.iter().find(|form| {
            form.schedule == schedule && form.maker == maker && form.threads == threads
        })
    }

    /// Adds the measurements of one process.
    fn add(&mut self, new: Form) {
        let known = self.forms.iter_mut().find(|form| {
            form.schedule == new.schedule && form.maker == new.maker && form.threads == new.threads
        });
        match known {
            Some(known) => {
                known.medians.extend(new.medians);
                known.rounds = known.rounds.min(new.rounds);
            }
            None => self.forms.push(new),
        }
    }

    /// The number of processes that should measure the program, according to the times so far.
    fn wanted(&self) -> usize {
        if self.forms.iter().any(|form| form.least() > LONG) {
            LONG_PROCESSES
        } else if self.processes > 0 && self.forms.iter().all(|form| form.least() < SHORT) {
            SHORT_PROCESSES
        } else {
            PROCESSES
        }
    }
}

/// Times a program's schedules and Halide's code for them, in several processes.
pub(super) fn measure(halidom: &Path, of: &Program) -> Result<Measured, Error> {
    let mut all = Measured::default();
    while all.processes < all.wanted() {
        process(halidom, of, &mut all)?;
        all.processes += 1;
    }
    Ok(all)
}

/// Runs one process and adds its measurements; the first process validates.
fn process(halidom: &Path, of: &Program, all: &mut Measured) -> Result<(), Error> {
    let first = all.processes == 0;
    let path = root().join(format!("examples/table1/{}.hal", of.name));
    let mut command = program(halidom);
    command.arg("bench").arg(path).args(["-p", of.name, "--against", "halide"]);
    command.args(["--threads", "1,2", "--rounds", ROUNDS, "--budget", BUDGET]);
    command.args(["--json", "--quiet"]).args(of.arguments);
    if !first {
        command.arg("--no-validate");
    }
    let output = capture(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let failed = || {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        Error::Failed { command: shown(&command), status: output.status }
    };
    let answer = Answer::read(&text).map_err(|_| failed())?.json;
    let rows = answer.get("rows").and_then(Json::array).ok_or_else(failed)?;
    let problem =
        |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
    let bytes = answer.get("bytes").and_then(Json::number);
    all.bytes = bytes.ok_or_else(|| problem("no bytes of inputs and outputs"))?;
    for left in answer.get("left_out").and_then(Json::array).unwrap_or_default() {
        if first {
            let word = |key| left.get(key).and_then(Json::text).unwrap_or("?");
            let words = [word("schedule"), " by ", word("maker"), ": ", word("reason")];
            all.left_out.push(words.concat());
        }
    }
    for row in rows {
        let text = |key: &str| row.get(key).and_then(Json::text).map(str::to_owned);
        let number = |key: &str| row.get(key).and_then(Json::number);
        let (Some(schedule), Some(maker), Some(threads), Some(time), Some(rounds)) = (
            text("schedule"),
            text("maker"),
            number("threads"),
            number("milliseconds"),
            number("rounds"),
        ) else {
            return Err(problem("a measurement without its name or time"));
        };
        if !matches!(row.get("agrees"), Some(Json::Bool(true))) {
            all.wrong
                .push(format!("{} under {schedule} by {maker}: computes something else", of.name));
        }
        let threads = threads as usize;
        if first && maker == "halidom" && threads == 1 {
            let verdict = Verdict::word(row.get("verdict")).map_err(|words| problem(&words))?;
            if !verdict.is_proved() {
                all.wrong.push(format!("{} under {schedule}: {verdict}", of.name));
            }
            all.verdicts.push(verdict.to_string());
        }
        let rounds = rounds as usize;
        all.add(Form { schedule, maker, threads, medians: vec![time], rounds });
    }
    Ok(())
}
