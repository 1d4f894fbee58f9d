//! Compares what the tuner finds with the schedules of Halide's autoschedulers and with those that
//! people wrote.

use super::programs::{Program, chosen};
use crate::answer::Answer;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root, shown};
use crate::table;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The autoschedulers for processors.
const SCHEDULERS: [&str; 3] = ["Mullapudi2016", "Adams2019", "Li2018"];
/// The seconds of a search.
const BUDGET: &str = "60";
/// The number of rounds, and the seconds of each contestant in a round.
const ROUNDS: usize = 5;
const SECONDS: &str = "2";

/// A schedule's name with its median and least milliseconds.
type Named = (String, (f64, f64));

/// The effort of a comparison.
struct Effort<'w> {
    budget: &'w str,
    threads: &'w str,
    halidom: PathBuf,
    folder: PathBuf,
}

/// `search [--budget SECONDS] [--threads N] [PROGRAM…]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let (mut budget, mut threads, mut names) = (BUDGET, "2", words);
    loop {
        names = match names {
            ["--budget", given, rest @ ..] => {
                budget = given;
                rest
            }
            ["--threads", given, rest @ ..] => {
                threads = given;
                rest
            }
            _ => break,
        };
    }
    let programs = chosen(names)?;
    let folder = root().join("target").join("search");
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let effort = Effort { budget, threads, halidom: process::halidom()?, folder };
    let kept = effort.folder.join(format!("found-{threads}-{budget}.jsonl"));
    let known = fs::read_to_string(&kept).unwrap_or_default();
    let mut found: Vec<(String, Json)> = Vec::new();
    for line in known.lines() {
        let row = Json::parse(line).ok();
        let name = row.as_ref().and_then(|row| row.get("program")?.text().map(str::to_owned));
        found.extend(name.zip(row));
    }
    let mut without = Vec::new();
    for one in &programs {
        if found.iter().any(|(name, _)| name == one.name) {
            continue;
        }
        println!("{} …", one.name);
        // The others are measured even if one cannot be.
        let line = match compare(one, &effort) {
            Ok(line) => line,
            Err(error) => {
                println!("{error}");
                without.push(format!("{}: no time", one.name));
                continue;
            }
        };
        let mut file = OpenOptions::new().create(true).append(true).open(&kept);
        let written =
            file.as_mut().map_err(|_| ()).and_then(|file| writeln!(file, "{line}").map_err(|_| ()));
        if written.is_err() {
            println!("{}: cannot be written", kept.display());
        }
        found.extend(Json::parse(&line).ok().map(|row| (one.name.to_owned(), row)));
    }
    found.retain(|(name, _)| programs.iter().any(|one| one.name == name));
    print(&found);
    if without.is_empty() { Ok(()) } else { Err(Error::Slow(without)) }
}

/// An autoscheduler's code, which waits to be run.
struct Rival {
    name: &'static str,
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Rival {
    /// Schedules and compiles a script; `None` if that fails.
    fn start(name: &'static str, script: &Path, one: &Program, threads: &str) -> Option<Self> {
        let mut command = program(root().join(".venv/bin/python"));
        command.arg(root().join("xtask/src/bench/search/rivals.py")).arg(script);
        let pairs = || one.arguments.chunks(2);
        let size = pairs().find(|pair| pair[0] == "--size")?[1];
        command.args([size, threads, name, SECONDS]);
        for pair in pairs().filter(|pair| pair[0] == "--set") {
            command.args(["--set", pair[1]]);
        }
        let sizes = pairs().filter(|pair| pair[0] == "--input-size").map(|pair| pair[1]);
        for size in sizes.chain(one.inputs.iter().copied()) {
            command.args(["--input", size]);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().ok()?;
        let orders = child.stdin.take()?;
        let mut answers = BufReader::new(child.stdout.take()?);
        let mut line = String::new();
        let read = answers.read_line(&mut line).ok()?;
        if read == 0 {
            let _ = child.wait();
            return None;
        }
        println!("  {name} scheduled it in {:.1} s", line.trim().parse::<f64>().ok()?);
        Some(Self { name, child, orders, answers })
    }

    /// The median and the least of the milliseconds of some runs.
    fn time(&mut self) -> Option<(f64, f64)> {
        writeln!(self.orders).ok()?;
        let mut line = String::new();
        self.answers.read_line(&mut line).ok()?;
        let times = Json::parse(&line).ok()?;
        let mut times: Vec<f64> = times.array()?.iter().filter_map(Json::number).collect();
        times.sort_by(f64::total_cmp);
        Some((*times.get(times.len() / 2)?, *times.first()?))
    }

    fn end(self) {
        let Self { mut child, orders, .. } = self;
        drop(orders);
        let _ = child.wait();
    }
}

/// A contestant's medians and least times, one of each round.
struct Times {
    name: String,
    medians: Vec<f64>,
    least: Vec<f64>,
}

/// Tunes a program, times everybody in turn, and returns a line of JSON.
fn compare(one: &Program, effort: &Effort<'_>) -> Result<String, Error> {
    let file = root().join(format!("examples/{}.hal", one.file));
    let script = effort.folder.join(format!("{}.py", one.name));
    let mut export = program(&effort.halidom);
    export.arg("export").arg(&file).args(["-p", one.pipeline, "-s", "default", "-o"]).arg(&script);
    process::capture(&mut export)?;
    let tuned = tuned(one, &file, effort)?;
    let mut rivals = Vec::new();
    let mut failed = Vec::new();
    for name in SCHEDULERS {
        match Rival::start(name, &script, one, effort.threads) {
            Some(rival) => rivals.push(rival),
            None => failed.push(name),
        }
    }
    let mut all: Vec<Times> = Vec::new();
    for _ in 0..ROUNDS {
        for rival in &mut rivals {
            if let Some(times) = rival.time() {
                add(&mut all, rival.name, times);
            }
        }
        for (name, times) in ours(one, &tuned, effort)? {
            add(&mut all, &name, times);
        }
    }
    rivals.into_iter().for_each(Rival::end);
    let list = |numbers: &[f64]| {
        let all: Vec<String> = numbers.iter().map(|number| format!("{number:.4}")).collect();
        all.join(",")
    };
    let times = all.iter().map(|of| {
        let (medians, least) = (list(&of.medians), list(&of.least));
        format!("{{\"name\":\"{}\",\"medians\":[{medians}],\"least\":[{least}]}}", of.name)
    });
    let times: Vec<String> = times.collect();
    let failed: Vec<String> = failed.iter().map(|name| format!("\"{name}\"")).collect();
    Ok(format!(
        "{{\"program\":\"{}\",\"failed\":[{}],\"times\":[{}]}}",
        one.name,
        failed.join(","),
        times.join(",")
    ))
}

fn add(all: &mut Vec<Times>, name: &str, (median, least): (f64, f64)) {
    let known = all.iter().position(|of| of.name == name).unwrap_or_else(|| {
        all.push(Times { name: name.to_owned(), medians: Vec::new(), least: Vec::new() });
        all.len() - 1
    });
    all[known].medians.push(median);
    all[known].least.push(least);
}

/// Searches from the algorithm alone, and returns a file with the program and what was found.
fn tuned(one: &Program, file: &Path, effort: &Effort<'_>) -> Result<PathBuf, Error> {
    let name = format!("{}-{}-{}", one.name, effort.threads, effort.budget);
    let whole = effort.folder.join(format!("{name}.hal"));
    if whole.is_file() {
        return Ok(whole);
    }
    let found = effort.folder.join(format!("{name}.found"));
    let mut command = program(&effort.halidom);
    command.arg("tune").arg(file).args(["-p", one.pipeline, "-s", "default", "--seed", "1"]);
    command.args(["--budget", effort.budget, "--threads", effort.threads]);
    command.args(arguments(one)).arg("-o").arg(&found);
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
    text.push_str(&fs::read_to_string(&found).map_err(failed(&found))?);
    fs::write(&whole, text).map_err(failed(&whole))?;
    Ok(whole)
}

fn arguments(one: &Program) -> Vec<&'static str> {
    let inputs = one.inputs.iter().flat_map(|size| ["--input-size", *size]);
    one.arguments.iter().copied().chain(inputs).collect()
}

/// The median and the least milliseconds of our code and of stock Halide's for the schedule of its
/// application.
fn ours(one: &Program, file: &Path, effort: &Effort<'_>) -> Result<Vec<Named>, Error> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let mut found = Vec::new();
    for (schedule, against) in [("tuned", false), ("best", false), ("application", true)] {
        let given = ["(", " "].map(|next| format!("schedule {schedule}{next}"));
        if !given.iter().any(|given| text.contains(given)) {
            continue;
        }
        let mut command = program(&effort.halidom);
        command.arg("bench").arg(file).args(["-p", one.pipeline, "-s", schedule, "--json"]);
        command.args(["--threads", effort.threads, "--budget", SECONDS, "--rounds", "100"]);
        command.arg("--no-validate").args(arguments(one));
        if against {
            command.args(["--against", "halide"]);
        }
        let output = process::capture(&mut command)?;
        let problem = |problem| Error::Output { command: shown(&command), problem };
        let answer = Answer::read(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
        let rows = answer.json.get("rows").and_then(Json::array).unwrap_or_default();
        for row in rows {
            let maker = row.get("maker").and_then(Json::text).unwrap_or_default();
            let number = |key| row.get(key).and_then(Json::number);
            if let (true, Some(median), Some(least)) =
                ((maker == "halide") == against, number("milliseconds"), number("least"))
            {
                found.push((schedule.to_owned(), (median, least)));
            }
        }
    }
    Ok(found)
}

/// The least times and the ratios of all programs.
fn print(found: &[(String, Json)]) {
    let mut rows = Vec::new();
    let (mut of_rivals, mut of_best) = (Vec::new(), Vec::new());
    for (name, row) in found {
        let times = row.get("times").and_then(Json::array).unwrap_or_default();
        let least = |of: &Json| -> Option<f64> {
            let all = of.get("least")?.array()?.iter().filter_map(Json::number);
            Some(all.fold(f64::INFINITY, f64::min))
        };
        let of = |wanted: &str| {
            let is_it = |of: &&Json| of.get("name").and_then(Json::text) == Some(wanted);
            times.iter().find(is_it)
        };
        let Some(own) = of("tuned") else { continue };
        let rivals = SCHEDULERS.iter().chain(&["application"]);
        let fastest = rivals.filter_map(|rival| Some((*rival, of(rival)?))).min_by(|one, other| {
            least(one.1)
                .unwrap_or(f64::INFINITY)
                .total_cmp(&least(other.1).unwrap_or(f64::INFINITY))
        });
        let shown = |ratio: Option<Ratio>| {
            ratio.map_or_else(
                || "–".to_owned(),
                |ratio| format!("{:.2} ({:.2}–{:.2})", ratio.median, ratio.from, ratio.to),
            )
        };
        let to_rival = fastest.and_then(|(_, rival)| ratio(own, rival));
        let to_best = of("best").and_then(|best| ratio(own, best));
        of_rivals.extend(to_rival.map(|ratio| ratio.median));
        of_best.extend(to_best.map(|ratio| ratio.median));
        let time = |of: Option<&Json>| {
            of.and_then(least).map_or_else(|| "–".to_owned(), |least| format!("{least:.3}"))
        };
        let failed = row.get("failed").and_then(Json::array).unwrap_or_default();
        let failed: Vec<&str> = failed.iter().filter_map(Json::text).collect();
        rows.push(vec![
            name.clone(),
            time(Some(own)),
            fastest.map_or("–", |(rival, _)| rival).to_owned(),
            time(fastest.map(|(_, rival)| rival)),
            shown(to_rival),
            time(of("best")),
            shown(to_best),
            failed.join(", "),
        ]);
    }
    let headings =
        ["program", "tuned ms", "fastest rival", "ms", "ratio", "best ms", "ratio", "failed"];
    println!("{}", table::layout(&headings, &rows));
    println!("ms: the least; ratio: of the medians of each round, its median and its range");
    for (what, ratios) in [("the fastest rival", &of_rivals), ("`best`", &of_best)] {
        if !ratios.is_empty() {
            let logs: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
            let mean = (logs / ratios.len() as f64).exp();
            println!("to {what}: {mean:.2}, the geometric mean of {} programs", ratios.len());
        }
    }
}

/// The ratio of two contestants' times.
#[derive(Clone, Copy)]
struct Ratio {
    /// The median over the rounds of the ratio of medians.
    median: f64,
    /// The least and the greatest.
    from: f64,
    to: f64,
}

fn ratio(own: &Json, other: &Json) -> Option<Ratio> {
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
