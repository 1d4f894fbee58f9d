//! Compares what the tuner finds with the schedules of Halide's autoschedulers and with those that
//! people wrote.

use super::course::{self, Course, NEAR, SOON};
use super::effort::{Effort, Found};
use super::programs::Program;
use super::race::{self, Board, Named, ROUNDS, Rival, SECONDS};
use crate::answer::Answer;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root, shown};
use crate::table;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The autoschedulers for processors.
const SCHEDULERS: [&str; 3] = ["Mullapudi2016", "Adams2019", "Li2018"];
/// The makers of code, as `halidom bench` names them.
const OURS: &str = "halidom";
const HALIDE: &str = "halide";
/// The largest geometric mean of the ratios to the fastest rivals, the largest single ratio, and
/// the largest geometric mean of the ratios to `best`.
const LIMITS: (f64, f64, f64) = (0.75, 1.1, 1.1);

/// `search [--budget SECONDS] [--threads N] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let (effort, programs) = Effort::read(words)?;
    let (found, mut short) = effort.each("found", &programs, compare);
    short.extend(print(&found));
    draw(&found, &effort)?;
    if short.is_empty() { Ok(()) } else { Err(Error::Slow(short)) }
}

/// Tunes a program, times everybody in turn, and returns a line of JSON.
fn compare(one: &Program, effort: &Effort<'_>) -> Result<String, Error> {
    let file = root().join(format!("examples/{}.hal", one.file));
    let script = exported(one, &file, effort)?;
    let (tuned, course) = tuned(one, &file, effort)?;
    let mut rivals = Vec::new();
    let mut failed = Vec::new();
    for name in SCHEDULERS {
        match Rival::start(name, &script, one, effort) {
            Some(rival) => rivals.push(rival),
            None => failed.push(name),
        }
    }
    let mut board = Board::default();
    for _ in 0..ROUNDS {
        for rival in &mut rivals {
            if let Some(times) = rival.time() {
                board.add(rival.name, times);
            }
        }
        for (name, times) in ours(one, &tuned, effort)? {
            board.add(&name, times);
        }
    }
    rivals.into_iter().for_each(Rival::end);
    Ok(board.line(one.name, &failed, &course))
}

/// Writes an algorithm as a script for stock Halide.
pub(super) fn exported(one: &Program, file: &Path, effort: &Effort<'_>) -> Result<PathBuf, Error> {
    let script = effort.folder.join(format!("{}.py", one.name));
    let mut export = program(&effort.halidom);
    export.arg("export").arg(file).args(["-p", one.pipeline, "-s", "default", "-o"]).arg(&script);
    process::capture(&mut export)?;
    Ok(script)
}

/// Searches from the algorithm alone. Returns a file with the program and what was found, and the
/// course of the search.
fn tuned(one: &Program, file: &Path, effort: &Effort<'_>) -> Result<(PathBuf, Course), Error> {
    let name = format!("{}-{}-{}", one.name, effort.threads, effort.budget);
    tuned_at(one, file, (&name, &arguments(one)), effort)
}

/// Searches with the given arguments. The result is kept in files of the given name.
pub(super) fn tuned_at<S: AsRef<OsStr>>(
    one: &Program,
    file: &Path,
    (name, arguments): (&str, &[S]),
    effort: &Effort<'_>,
) -> Result<(PathBuf, Course), Error> {
    let whole = effort.folder.join(format!("{name}.hal"));
    let answered = effort.folder.join(format!("{name}.json"));
    let known = fs::read_to_string(&answered).ok().and_then(|text| Answer::read(&text).ok());
    if let Some(answer) = known.filter(|_| whole.is_file()) {
        return Ok((whole, Course::of(&answer.json)));
    }
    let found = effort.folder.join(format!("{name}.found"));
    let mut command = program(&effort.halidom);
    command.arg("tune").arg(file).args(["-p", one.pipeline, "-s", "default", "--seed", "1"]);
    // The rivals' schedules demand outputs of at least one block, too.
    command.args(["--budget", effort.budget, "--threads", effort.threads, "--allow-bounds"]);
    command.args(arguments).args(["--json", "--quiet"]).arg("-o").arg(&found);
    let output = process::capture(&mut command)?;
    if !output.status.success() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown(&command), status: output.status });
    }
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |cause| Error::File { path, cause }
    };
    let mut text = fs::read_to_string(file).map_err(failed(file))?;
    text.push('\n');
    let found = fs::read_to_string(&found).map_err(failed(&found))?;
    // If nothing is faster than the unscheduled form, that is what was found.
    text.push_str(&found.replacen("schedule default for", "schedule tuned for", 1));
    fs::write(&whole, text).map_err(failed(&whole))?;
    let answer = String::from_utf8_lossy(&output.stdout);
    fs::write(&answered, answer.as_bytes()).map_err(failed(&answered))?;
    let problem = |problem| Error::Output { command: shown(&command), problem };
    let answer = Answer::read(&answer).map_err(problem)?;
    Ok((whole, Course::of(&answer.json)))
}

pub(super) fn arguments(one: &Program) -> Vec<&'static str> {
    let inputs = one.inputs.iter().flat_map(|size| ["--input-size", *size]);
    one.arguments.iter().copied().chain(inputs).collect()
}

/// The median and the least milliseconds of our code and of stock Halide's for the schedule of its
/// application.
fn ours(one: &Program, file: &Path, effort: &Effort<'_>) -> Result<Vec<Named>, Error> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut found = Vec::new();
    for (schedule, maker) in [("tuned", OURS), ("best", OURS), ("application", HALIDE)] {
        let given = ["(", " "].map(|next| format!("schedule {schedule}{next}"));
        if given.iter().any(|given| text.contains(given)) {
            found.extend(times(one, file, (&[schedule], maker), &arguments(one), effort)?);
        }
    }
    Ok(found)
}

/// The median and the least milliseconds of a maker's code for some schedules, which run in turn.
pub(super) fn times<S: AsRef<OsStr>>(
    one: &Program,
    file: &Path,
    (schedules, maker): (&[&str], &str),
    arguments: &[S],
    effort: &Effort<'_>,
) -> Result<Vec<Named>, Error> {
    let mut command = program(&effort.halidom);
    command.arg("bench").arg(file).args(["-p", one.pipeline, "--json", "--no-validate"]);
    command.args(schedules.iter().flat_map(|schedule| ["-s", *schedule]));
    command.args(["--threads", effort.threads, "--budget", SECONDS, "--rounds", "100"]);
    command.args(arguments);
    if maker != OURS {
        command.args(["--against", maker]);
    }
    let output = process::capture(&mut command)?;
    let problem = |problem| Error::Output { command: shown(&command), problem };
    let answer = Answer::read(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
    let rows = answer.json.get("rows").and_then(Json::array).unwrap_or_default();
    let named = |row: &Json| {
        let text = |key| row.get(key).and_then(Json::text);
        let number = |key| row.get(key).and_then(Json::number);
        let name = text("schedule").filter(|_| text("maker") == Some(maker))?;
        Some((name.to_owned(), (number("milliseconds")?, number("least")?)))
    };
    Ok(rows.iter().filter_map(named).collect())
}

/// Draws the courses of the searches.
fn draw(found: &[Found], effort: &Effort<'_>) -> Result<(), Error> {
    let courses = found.iter().map(|(name, row)| (name.as_str(), Course::of_row(row)));
    let courses: Vec<_> = courses.collect();
    let path = effort.folder.join(format!("course-{}-{}.svg", effort.threads, effort.budget));
    let budget = effort.budget.parse().unwrap_or(SOON);
    fs::write(&path, course::svg(&courses, budget))
        .map_err(|cause| Error::File { path: path.clone(), cause })?;
    println!("{}", path.display());
    Ok(())
}

/// Prints the least times and the ratios of all programs. Returns those that miss a limit.
fn print(found: &[Found]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut short = Vec::new();
    let (mut of_rivals, mut of_best) = (Vec::new(), Vec::new());
    for (name, row) in found {
        let Some(own) = race::of(row, "tuned") else { continue };
        let best = race::of(row, "best");
        let least = |rival: &Json| race::least(rival).unwrap_or(f64::INFINITY);
        let rivals = SCHEDULERS.iter().chain(&["application"]);
        let fastest = rivals
            .filter_map(|rival| Some((*rival, race::of(row, rival)?)))
            .min_by(|one, other| least(one.1).total_cmp(&least(other.1)));
        let to_rival = fastest.and_then(|(_, rival)| race::ratio(own, rival));
        let to_best = best.and_then(|best| race::ratio(own, best));
        of_rivals.extend(to_rival.map(|ratio| ratio.median));
        of_best.extend(to_best.map(|ratio| ratio.median));
        match to_rival {
            None => short.push(format!("{name}: no rival")),
            Some(ratio) if ratio.median > LIMITS.1 => short.push(format!(
                "{name}: {:.2} of the fastest rival's time, {} at most",
                ratio.median, LIMITS.1
            )),
            Some(_) => {}
        }
        let soon = Course::of_row(row).ratio_at(SOON);
        if soon.is_some_and(|soon| soon > NEAR) {
            short.push(format!(
                "{name}: after {SOON} s of the search {:.2} of the last time, {NEAR} at most",
                soon.unwrap_or_default()
            ));
        }
        let failed = row.get("failed").and_then(Json::array).unwrap_or_default();
        let failed: Vec<&str> = failed.iter().filter_map(Json::text).collect();
        rows.push(vec![
            name.clone(),
            race::time(Some(own)),
            fastest.map_or("–", |(rival, _)| rival).to_owned(),
            race::time(fastest.map(|(_, rival)| rival)),
            race::shown(to_rival),
            race::time(best),
            race::shown(to_best),
            soon.map_or_else(|| "–".to_owned(), |soon| format!("{soon:.2}")),
            failed.join(", "),
        ]);
    }
    let headings = [
        "program",
        "tuned ms",
        "fastest rival",
        "ms",
        "ratio",
        "best ms",
        "ratio",
        "after 5 s",
        "failed",
    ];
    println!("{}", table::layout(&headings, &rows));
    println!("ms: the least; ratio: of the medians of each round, its median and its range");
    println!("after 5 s: the best time after {SOON} s of the search, over that of its end");
    let means = [("the fastest rival", &of_rivals, LIMITS.0), ("our `best`", &of_best, LIMITS.2)];
    for (what, ratios, limit) in means {
        if let Some(mean) = race::mean(what, ratios).filter(|mean| *mean > limit) {
            short.push(format!("to {what}: {mean:.2}, {limit} at most"));
        }
    }
    short
}
