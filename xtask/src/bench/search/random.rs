//! Tunes random pipelines: each needs a proved schedule soon, and no candidate may compute
//! something else than the algorithm says.

use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root};
use crate::setup;
use crate::table;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The seconds of a search, without its proofs.
const BUDGET: &str = "4.5";
/// The seconds for proofs after a search.
const PROOFS: &str = "2";
/// The limit for a search with its proofs, in seconds.
const LIMIT: f64 = 10.0;
/// The largest median ratio of the found schedules' times to those of the unscheduled forms.
const RATIO: f64 = 0.7;
/// The least time of an unscheduled form that a schedule may make much shorter, as a multiple of
/// the time for moving inputs and outputs once.
const ROOM: f64 = 3.0;
/// The sizes of outputs of one to three dimensions, the largest first. A pipeline may read a
/// coordinate in several dimensions of an input, which is then too large for the memory.
const SIZES: [[&str; 4]; 3] = [
    ["4194304", "262144", "16384", "256"],
    ["2048x1536", "768x512", "192x128", "48x32"],
    ["1024x768x3", "384x256x3", "96x64x3", "24x16x3"],
];

/// The result for one pipeline.
struct Row {
    seed: u64,
    size: String,
    outcome: String,
    /// The seconds of the search and the proof.
    seconds: f64,
    /// The found schedule's time, as a multiple of the unscheduled form's time.
    ratio: f64,
    /// The unscheduled form's time, as a multiple of the time for moving inputs and outputs once.
    limit: f64,
    candidates: f64,
}

impl Row {
    fn line(&self) -> String {
        let Self { seed, size, outcome, seconds, ratio, limit, candidates } = self;
        format!(
            "{{\"seed\":{seed},\"size\":\"{size}\",\"outcome\":\"{outcome}\",\
                \"seconds\":{seconds:.3},\"ratio\":{ratio:.4},\"limit\":{limit:.3},\
                \"candidates\":{candidates}}}"
        )
    }

    fn read(line: &str) -> Option<Self> {
        let json = Json::parse(line).ok()?;
        let text = |key| json.get(key).and_then(Json::text).map(str::to_owned);
        let number = |key| json.get(key).and_then(Json::number);
        Some(Self {
            seed: number("seed")? as u64,
            size: text("size")?,
            outcome: text("outcome")?,
            seconds: number("seconds")?,
            ratio: number("ratio")?,
            limit: number("limit")?,
            candidates: number("candidates")?,
        })
    }
}

/// `search --random [N] [--threads N]`.
pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let (count, threads) = match words {
        [] => ("200", "2"),
        ["--threads", threads] => ("200", *threads),
        [count] => (*count, "2"),
        [count, "--threads", threads] => (*count, *threads),
        _ => return Err(Error::Usage("expected `search --random [N] [--threads N]`".to_owned())),
    };
    let count: u64 = count
        .parse()
        .ok()
        .filter(|count| *count > 0)
        .ok_or_else(|| Error::Usage(format!("`{count}` is no number of pipelines")))?;
    setup::ensure()?;
    let halidom = process::halidom()?;
    let folder = root().join("target").join("search").join("random");
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |cause| Error::File { path, cause }
    };
    fs::create_dir_all(&folder).map_err(failed(&folder))?;
    let kept = folder.join(format!("found-{threads}.jsonl"));
    let known = fs::read_to_string(&kept).unwrap_or_default();
    let mut rows: Vec<Row> = known.lines().filter_map(Row::read).collect();
    rows.retain(|row| (1..=count).contains(&row.seed));
    for seed in 1..=count {
        if rows.iter().any(|row| row.seed == seed) {
            continue;
        }
        let row = tuned(seed, threads, &halidom, &folder)?;
        println!(
            "{seed}: {}, {:.1} s, {} candidates, {:.2} of the unscheduled time",
            row.outcome, row.seconds, row.candidates, row.ratio
        );
        let mut file = OpenOptions::new().create(true).append(true).open(&kept);
        file.as_mut()
            .map_err(|cause| Error::File {
                path: kept.clone(),
                cause: std::io::Error::from(cause.kind()),
            })
            .and_then(|file| writeln!(file, "{}", row.line()).map_err(failed(&kept)))?;
        rows.push(row);
    }
    report(&rows)
}

/// Tunes the pipeline of a seed at the largest size at which it runs.
fn tuned(seed: u64, threads: &str, halidom: &Path, folder: &Path) -> Result<Row, Error> {
    let file: PathBuf = folder.join(format!("random_{seed}.hal"));
    let mut make = program(halidom);
    make.args(["fuzz", "--print", "--programs", "1", "--schedules", "0"]);
    make.arg("--seed").arg(seed.to_string());
    let text = String::from_utf8_lossy(&process::capture(&mut make)?.stdout).into_owned();
    fs::write(&file, &text).map_err(|cause| Error::File { path: file.clone(), cause })?;
    let sizes = SIZES.get(dimensions(&text).wrapping_sub(1)).ok_or_else(|| Error::Output {
        command: process::shown(&make),
        problem: "an output without one to three dimensions".to_owned(),
    })?;
    let mut row = None;
    for size in sizes {
        let mut command = program(halidom);
        command.arg("tune").arg(&file).args(["-s", "default", "--size", size]);
        command.args(["--budget", BUDGET, "--proofs", PROOFS, "--threads", threads]);
        command.args(["--random", "1", "--json", "--quiet"]);
        let begin = Instant::now();
        let output = process::capture(&mut command)?;
        let seconds = begin.elapsed().as_secs_f64();
        let answer = Answer::of(&command, &output)?;
        let found = judged(&answer, (seed, size), seconds);
        let is_last = found.outcome != "not run";
        row = Some(found);
        if is_last {
            break;
        }
    }
    row.ok_or_else(|| Error::Usage("no size".to_owned()))
}

/// The number of dimensions of the first output.
fn dimensions(text: &str) -> usize {
    let outputs = text.split("->").nth(1).unwrap_or_default();
    let ty = outputs.split('<').nth(1).and_then(|rest| rest.split('>').next()).unwrap_or_default();
    ty.split(',').nth(1).and_then(|number| number.trim().parse().ok()).unwrap_or(0)
}

fn judged(answer: &Answer, (seed, size): (u64, &str), seconds: f64) -> Row {
    let rows = answer.get("rows").and_then(Json::array).unwrap_or_default();
    let of = |name: Option<&str>, key| {
        let row = rows.iter().find(|row| row.get("schedule").and_then(Json::text) == name)?;
        row.get(key).and_then(Json::number)
    };
    let time = |name| of(name, "milliseconds");
    let (first, last) = (time(Some("default")), time(answer.get("schedule").and_then(Json::text)));
    let limit = of(Some("default"), "ratio_to_limit").unwrap_or(1.0);
    let ratio = first.zip(last).map_or(1.0, |(first, last)| last / first.max(1e-9));
    let tried = answer.get("candidates").and_then(|all| all.get("tried"));
    let outcome = match answer.verdict {
        Verdict::Proved => "proved",
        Verdict::Refuted => "REFUTED",
        Verdict::Unknown => "unknown",
        Verdict::Nothing | Verdict::NotJudged => "not run",
    };
    Row {
        seed,
        size: size.to_owned(),
        outcome: outcome.to_owned(),
        seconds,
        ratio,
        limit,
        candidates: tried.and_then(Json::number).unwrap_or(0.0),
    }
}

fn report(rows: &[Row]) -> Result<(), Error> {
    let proved: Vec<&Row> = rows.iter().filter(|row| row.outcome == "proved").collect();
    let median_of = |rows: &[&Row], of: fn(&Row) -> f64| {
        let mut all: Vec<f64> = rows.iter().map(|row| of(row)).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let median = |of| median_of(&proved, of);
    // Of the others, the unscheduled form is about as fast as memory.
    let slow: Vec<&Row> = proved.iter().copied().filter(|row| row.limit >= ROOM).collect();
    let longest = proved.iter().map(|row| row.seconds).fold(0.0, f64::max);
    let late = proved.iter().filter(|row| row.seconds > LIMIT).count();
    let ratio = median(|row| row.ratio);
    let headings = [
        "pipelines",
        "proved",
        "over 10 s",
        "median s",
        "longest s",
        "candidates",
        "median ratio",
        "of those with room",
    ];
    let cells = vec![
        rows.len().to_string(),
        proved.len().to_string(),
        late.to_string(),
        format!("{:.1}", median(|row| row.seconds)),
        format!("{longest:.1}"),
        format!("{:.0}", median(|row| row.candidates)),
        format!("{ratio:.2}"),
        format!("{:.2} of {}", median_of(&slow, |row| row.ratio), slow.len()),
    ];
    println!("{}", table::layout(&headings, &[cells]));
    let mut short: Vec<String> = rows
        .iter()
        .filter(|row| row.outcome != "proved" || row.seconds > LIMIT)
        .map(|row| {
            format!("random_{} at {}: {}, {:.1} s", row.seed, row.size, row.outcome, row.seconds)
        })
        .collect();
    // Without a proof there is no ratio.
    if ratio.is_nan() || ratio > RATIO {
        short.push(format!("the median ratio is {ratio:.2}, and may be {RATIO}"));
    }
    if short.is_empty() { Ok(()) } else { Err(Error::Slow(short)) }
}

#[cfg(test)]
mod tests {
    use super::{Row, dimensions};

    #[test]
    fn the_first_output_has_so_many_dimensions() {
        let text = "pipeline p(a: buffer<u8, 3>) -> b: buffer<f32, 2>, c: buffer<u8, 1> {";
        assert_eq!(dimensions(text), 2);
    }

    #[test]
    fn kept_rows_are_read_again() {
        let row = Row {
            seed: 3,
            size: "48x32".to_owned(),
            outcome: "proved".to_owned(),
            seconds: 1.5,
            ratio: 0.25,
            limit: 4.0,
            candidates: 9.0,
        };
        let line = row.line();
        assert_eq!(Row::read(&line).map(|again| again.line()), Some(line));
        assert!(Row::read("{\"seed\":3}").is_none());
    }
}
