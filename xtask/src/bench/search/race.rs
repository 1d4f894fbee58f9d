//! Contestants that are timed in turn.

use super::course::Course;
use super::effort::Effort;
use super::programs::Program;
use crate::json::Json;
use crate::process::{program, root};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The number of rounds, and the seconds of each contestant in a round.
pub(super) const ROUNDS: usize = 5;
pub(super) const SECONDS: &str = "2";
/// The scheduler that leaves a script's own schedule as it is.
pub(super) const OWN: &str = "own";

/// A schedule's name with its median and least milliseconds.
pub(super) type Named = (String, (f64, f64));

/// Stock Halide's code under one schedule, which waits to be run.
pub(super) struct Rival {
    pub(super) name: &'static str,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Rival {
    /// Schedules and compiles a script; `None` if that fails.
    pub(super) fn start(
        name: &'static str,
        script: &Path,
        one: &Program,
        effort: &Effort<'_>,
    ) -> Option<Self> {
        let errors = effort.folder.join(format!("{}-{name}.log", one.name));
        let mut command = program(root().join(".venv/bin/python"));
        command.arg(root().join("xtask/src/bench/search/rivals.py")).arg(script);
        let pairs = || one.arguments.chunks(2);
        let size = pairs().find(|pair| pair[0] == "--size")?[1];
        command.args([size, effort.threads, name, SECONDS, effort.budget]);
        for pair in pairs().filter(|pair| pair[0] == "--set") {
            command.args(["--set", pair[1]]);
        }
        let sizes = pairs().filter(|pair| pair[0] == "--input-size").map(|pair| pair[1]);
        for size in sizes.chain(one.inputs.iter().copied()) {
            command.args(["--input", size]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(fs::File::create(&errors).ok()?);
        let mut child = command.spawn().ok()?;
        let orders = child.stdin.take()?;
        let mut answers = BufReader::new(child.stdout.take()?);
        let mut line = String::new();
        let read = answers.read_line(&mut line).ok()?;
        if read == 0 {
            let _ = child.wait();
            println!("  {name} failed: {}", errors.display());
            return None;
        }
        let answer = Json::parse(&line).ok()?;
        let [seconds, tried] = answer.array()? else { return None };
        println!("  {name}: {:.0} schedules in {:.1} s", tried.number()?, seconds.number()?);
        Some(Self { name, child, orders, answers })
    }

    /// The median and the least of the milliseconds of some runs.
    pub(super) fn time(&mut self) -> Option<(f64, f64)> {
        writeln!(self.orders).ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        let times = Json::parse(&line).ok()?;
        let mut times: Vec<f64> = times.array()?.iter().filter_map(Json::number).collect();
        times.sort_by(f64::total_cmp);
        Some((*times.get(times.len() / 2)?, *times.first()?))
    }

    pub(super) fn end(self) {
        let Self { mut child, orders, .. } = self;
        drop(orders);
        let _ = child.wait();
    }
}

/// The times of all contestants.
#[derive(Default)]
pub(super) struct Board {
    all: Vec<Times>,
}

/// A contestant's medians and least times, one of each round.
struct Times {
    name: String,
    medians: Vec<f64>,
    least: Vec<f64>,
}

impl Board {
    pub(super) fn add(&mut self, name: &str, (median, least): (f64, f64)) {
        let known = self.all.iter().position(|of| of.name == name).unwrap_or_else(|| {
            let times = Times { name: name.to_owned(), medians: Vec::new(), least: Vec::new() };
            self.all.push(times);
            self.all.len() - 1
        });
        self.all[known].medians.push(median);
        self.all[known].least.push(least);
    }

    /// A line of JSON with the times, the names of contestants that failed, and the course of the
    /// search.
    pub(super) fn line(&self, program: &str, failed: &[&str], course: &Course) -> String {
        let list = |numbers: &[f64]| {
            let all: Vec<String> = numbers.iter().map(|number| format!("{number:.4}")).collect();
            all.join(",")
        };
        let times = self.all.iter().map(|of| {
            let (medians, least) = (list(&of.medians), list(&of.least));
            format!("{{\"name\":\"{}\",\"medians\":[{medians}],\"least\":[{least}]}}", of.name)
        });
        let times: Vec<String> = times.collect();
        let failed: Vec<String> = failed.iter().map(|name| format!("\"{name}\"")).collect();
        format!(
            "{{\"program\":\"{program}\",\"failed\":[{}],\"course\":{},\"times\":[{}]}}",
            failed.join(","),
            course.line(),
            times.join(",")
        )
    }
}

/// A contestant's times in a row.
pub(super) fn of<'r>(row: &'r Json, name: &str) -> Option<&'r Json> {
    let times = row.get("times").and_then(Json::array).unwrap_or_default();
    times.iter().find(|of| of.get("name").and_then(Json::text) == Some(name))
}

/// A contestant's least time.
pub(super) fn least(of: &Json) -> Option<f64> {
    let all = of.get("least")?.array()?.iter().filter_map(Json::number);
    Some(all.fold(f64::INFINITY, f64::min))
}

/// The least time as text.
pub(super) fn time(of: Option<&Json>) -> String {
    of.and_then(least).map_or_else(|| "–".to_owned(), |least| format!("{least:.3}"))
}

/// Prints the geometric mean of ratios.
pub(super) fn mean(what: &str, ratios: &[f64]) -> Option<f64> {
    if ratios.is_empty() {
        return None;
    }
    let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    let mean = (logs / ratios.len() as f64).exp();
    println!("to {what}: {mean:.2}, the geometric mean of {} programs", ratios.len());
    Some(mean)
}

/// The ratio of two contestants' times.
#[derive(Clone, Copy)]
pub(super) struct Ratio {
    /// The median over the rounds of the ratio of medians.
    pub(super) median: f64,
    /// The least and the greatest.
    pub(super) from: f64,
    pub(super) to: f64,
}

pub(super) fn ratio(own: &Json, other: &Json) -> Option<Ratio> {
    let list = |of: &Json, key: &str| -> Option<Vec<f64>> {
        Some(of.get(key)?.array()?.iter().filter_map(Json::number).collect())
    };
    let (one, two) = (list(own, "medians")?, list(other, "medians")?);
    let mut ratios: Vec<f64> = one.iter().zip(&two).map(|(one, two)| one / two).collect();
    ratios.sort_by(f64::total_cmp);
    Some(Ratio {
        median: *ratios.get(ratios.len() / 2)?,
        from: *ratios.first()?,
        to: *ratios.last()?,
    })
}

/// A ratio as text.
pub(super) fn shown(ratio: Option<Ratio>) -> String {
    ratio.map_or_else(
        || "–".to_owned(),
        |ratio| format!("{:.2} ({:.2}–{:.2})", ratio.median, ratio.from, ratio.to),
    )
}

#[cfg(test)]
mod tests {
    use super::{Board, Course, least, of, ratio};
    use crate::json::Json;

    #[test]
    fn times_of_rounds_are_compared_round_by_round() {
        let mut board = Board::default();
        for round in [(2.0, 1.5), (9.0, 1.0), (3.0, 2.0)] {
            board.add("own", round);
        }
        for round in [(4.0, 4.0), (9.0, 9.0), (1.0, 1.0)] {
            board.add("rival", round);
        }
        let row = Json::parse(&board.line("blur", &["Li2018"], &Course::default())).unwrap();
        let (own, rival) = (of(&row, "own").unwrap(), of(&row, "rival").unwrap());
        assert_eq!(least(own), Some(1.0));
        let ratio = ratio(own, rival).unwrap();
        assert_eq!((ratio.from, ratio.median, ratio.to), (0.5, 1.0, 3.0));
        assert!(of(&row, "Li2018").is_none());
        let failed = row.get("failed").and_then(Json::array).unwrap();
        assert_eq!(failed.first().and_then(Json::text), Some("Li2018"));
    }
}
