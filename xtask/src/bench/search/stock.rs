//! Compares the schedules that the tuner finds for stock Halide with those of Adams2019: stock
//! Halide compiles both.

use super::course::Course;
use super::effort::{Effort, Found};
use super::programs::Program;
use super::race::{self, Board, OWN, ROUNDS, Rival};
use super::rivals::{arguments, exported};
use crate::answer::Answer;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root, shown};
use crate::table;
use std::fs;
use std::path::{Path, PathBuf};

/// The rival.
const RIVAL: &str = "Adams2019";
/// The largest geometric mean of the ratios.
const LIMIT: f64 = 0.85;

/// `search --halide [--budget SECONDS] [--threads N] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let (effort, programs) = Effort::read(words)?;
    let (found, mut short) = effort.each("halide", &programs, compare);
    short.extend(print(&found));
    if short.is_empty() { Ok(()) } else { Err(Error::Slow(short)) }
}

/// Times the tuner's schedule and the rival's in turn, and returns a line of JSON.
fn compare(one: &Program, effort: &Effort<'_>) -> Result<String, Error> {
    let file = root().join(format!("examples/{}.hal", one.file));
    let script = exported(one, &file, effort)?;
    let (tuned, course) = tuned(one, &file, effort)?;
    let mut contestants = Vec::new();
    let mut failed = Vec::new();
    for (name, script) in [(OWN, &tuned), (RIVAL, &script)] {
        match Rival::start(name, script, one, effort) {
            Some(contestant) => contestants.push(contestant),
            None => failed.push(name),
        }
    }
    let mut board = Board::default();
    for _ in 0..ROUNDS {
        for contestant in &mut contestants {
            if let Some(times) = contestant.time() {
                board.add(contestant.name, times);
            }
        }
    }
    contestants.into_iter().for_each(Rival::end);
    Ok(board.line(one.name, &failed, &course))
}

/// Searches from the algorithm alone. Returns the script with the schedule that was found, and the
/// course of the search.
fn tuned(one: &Program, file: &Path, effort: &Effort<'_>) -> Result<(PathBuf, Course), Error> {
    let name = format!("{}-halide-{}-{}.py", one.name, effort.threads, effort.budget);
    let script = effort.folder.join(name);
    if script.is_file() {
        return Ok((script, Course::default()));
    }
    let mut command = program(&effort.halidom);
    command.arg("tune").arg(file).args(["-p", one.pipeline, "-s", "default", "--seed", "1"]);
    command.args(["--language", "python", "--json", "--quiet", "--allow-bounds"]);
    command.args(["--budget", effort.budget, "--threads", effort.threads]);
    command.args(arguments(one));
    let output = process::capture(&mut command)?;
    let answer = Answer::read(&String::from_utf8_lossy(&output.stdout));
    let found = answer.ok().and_then(|answer| {
        let text = answer.json.get("script").and_then(Json::text).map(str::to_owned);
        text.filter(|_| output.status.success()).map(|text| (text, Course::of(&answer.json)))
    });
    let Some((text, course)) = found else {
        println!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown(&command), status: output.status });
    };
    fs::write(&script, text).map_err(|cause| Error::File { path: script.clone(), cause })?;
    Ok((script, course))
}

/// Prints the least times and the ratios. Returns what misses the limit.
fn print(found: &[Found]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    let mut short = Vec::new();
    for (name, row) in found {
        let (own, rival) = (race::of(row, OWN), race::of(row, RIVAL));
        let ratio = own.zip(rival).and_then(|(own, rival)| race::ratio(own, rival));
        ratios.extend(ratio.map(|ratio| ratio.median));
        if ratio.is_none() {
            short.push(format!("{name}: not compared"));
        }
        let (own, rival) = (race::time(own), race::time(rival));
        rows.push(vec![name.clone(), own, rival, race::shown(ratio)]);
    }
    println!("{}", table::layout(&["program", "tuned ms", "Adams2019 ms", "ratio"], &rows));
    println!("ms: the least; ratio: of the medians of each round, its median and its range");
    if let Some(mean) = race::mean(RIVAL, &ratios).filter(|mean| *mean > LIMIT) {
        short.push(format!("to {RIVAL}: {mean:.2}, {LIMIT} at most"));
    }
    short
}
