//! The code of Table 1's programs beside stock Halide's: at the same schedule, and at our best one.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::path::Path;

/// A program and what it is run on.
struct Row {
    file: &'static str,
    pipeline: &'static str,
    arguments: &'static [&'static str],
}

const ROWS: [Row; 10] = [
    Row { file: "blur", pipeline: "blur", arguments: &["--size", "6400x4800"] },
    Row { file: "harris", pipeline: "harris", arguments: &["--size", "1536x2560"] },
    Row { file: "unsharp", pipeline: "unsharp", arguments: &["--size", "1536x2560x3"] },
    Row { file: "sc1", pipeline: "sc1", arguments: &["--size", "1536x2560"] },
    Row { file: "sc32", pipeline: "sc32", arguments: &["--size", "1536x2560"] },
    Row {
        file: "nl_means",
        pipeline: "nl_means",
        arguments: &[
            "--size",
            "1536x2560x3",
            "--set",
            "patch_size=7",
            "--set",
            "search_area=7",
            "--set",
            "sigma=0.12",
        ],
    },
    Row {
        file: "sgemm1024",
        pipeline: "sgemm1024",
        arguments: &[
            "--size",
            "1024x1024",
            "--input-size",
            "A=1024x1024",
            "--input-size",
            "B=1024x1024",
        ],
    },
    Row { file: "conv", pipeline: "conv", arguments: &["--size", "128x100x80x5"] },
    Row {
        file: "dsc",
        pipeline: "dsc",
        arguments: &[
            "--size",
            "16x112x112x4",
            "--input-size",
            // Two channels more than it uses: its tiles read whole vectors of them.
            "input=34x112x112x4",
            "--input-size",
            "depthwise=3x96x3x3",
            "--input-size",
            "pointwise=16x96",
            "--input-size",
            "bias=16",
        ],
    },
    Row {
        file: "sdot",
        pipeline: "sdot",
        arguments: &["--input-size", "a=4194304", "--input-size", "b=4194304"],
    },
];

/// The schedule of the same shape as that of Halide's application.
const SAME: &str = "application";
/// The fastest that we know.
const BEST: &str = "best";

const PROCESSES: usize = 5;
/// What Halide computes in less time than this is measured at one thread only, in milliseconds: two threads are bimodal there.
const SHORT: f64 = 8.0;

/// The greatest geometric mean of the ratios at the same schedule, by threads, and the greatest of one row.
const SAME_MEANS: [(usize, f64); 2] = [(1, 1.00), (2, 1.03)];
const SAME_WORST: f64 = 1.15;
/// Likewise for the best schedules beside Halide's application.
const BEST_MEAN: f64 = 0.70;
const BEST_WORST: f64 = 1.00;

/// The least median of a form over the processes.
struct Measured {
    schedule: String,
    maker: String,
    threads: usize,
    milliseconds: f64,
}

/// The ratios of one program.
struct Ratios {
    pipeline: &'static str,
    threads: usize,
    same: Option<f64>,
    best: Option<f64>,
}

pub(super) fn run() -> Result<(), Error> {
    setup::ensure()?;
    setup::ensure_halide()?;
    let halidom = process::halidom()?;
    let mut lines = Vec::new();
    let mut ratios = Vec::new();
    let mut failed = Vec::new();
    for row in &ROWS {
        println!("{} …", row.pipeline);
        let mut all: Vec<Measured> = Vec::new();
        let mut verdicts = Vec::new();
        for process in 0..PROCESSES {
            measure(&halidom, row, process == 0, &mut all, &mut verdicts, &mut failed)?;
        }
        for threads in [1, 2] {
            let find = |schedule: &str, maker: &str| {
                let found = all.iter().find(|one| {
                    one.schedule == schedule && one.maker == maker && one.threads == threads
                });
                found.map(|one| one.milliseconds)
            };
            let (same, halide) = (find(SAME, "halidom"), find(SAME, "halide"));
            let (best, halide_best) = (find(BEST, "halidom"), find(BEST, "halide"));
            if threads > 1 && halide.is_none_or(|time| time < SHORT) {
                continue;
            }
            let over = |own: Option<f64>, other: Option<f64>| Some(own? / other?);
            let number = |value: Option<f64>, digits: usize| {
                value.map_or("–".to_owned(), |value| format!("{value:.digits$}"))
            };
            lines.push(vec![
                row.pipeline.to_owned(),
                threads.to_string(),
                number(halide, 2),
                number(same, 2),
                number(over(same, halide), 2),
                number(best, 2),
                number(over(best, halide), 2),
                number(over(best, halide_best), 2),
                verdicts.join(", "),
            ]);
            ratios.push(Ratios {
                pipeline: row.pipeline,
                threads,
                same: over(same, halide),
                best: over(best, halide),
            });
        }
    }
    let headings = [
        "program",
        "threads",
        "Halide",
        "same",
        "ratio",
        "best",
        "ratio",
        "to Halide's best",
        "verdicts",
    ];
    println!(
        "\nmilliseconds, the least of the medians of {PROCESSES} processes\n{}",
        table::layout(&headings, &lines)
    );
    judge(&ratios, &mut failed);
    if failed.is_empty() { Ok(()) } else { Err(Error::Slow(failed)) }
}

/// Runs one process, and adds what it measured; the first one validates.
fn measure(
    halidom: &Path,
    row: &Row,
    first: bool,
    all: &mut Vec<Measured>,
    verdicts: &mut Vec<String>,
    failed: &mut Vec<String>,
) -> Result<(), Error> {
    let path = root().join(format!("examples/table1/{}.hal", row.file));
    let mut command = program(halidom);
    command.arg("bench").arg(path).args(["-p", row.pipeline, "--against", "halide"]);
    command.args(["--threads", "1,2", "--json", "--quiet"]).args(row.arguments);
    if !first {
        command.arg("--no-validate");
    }
    let output = capture(&mut command)?;
    let text = String::from_utf8_lossy(&output.stdout);
    let problem =
        |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
    let Ok(answer) = Json::parse(&text) else {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown(&command), status: output.status });
    };
    let Some(rows) = answer.get("rows").and_then(Json::array) else {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown(&command), status: output.status });
    };
    for left in answer.get("left_out").and_then(Json::array).unwrap_or_default() {
        if first {
            let word = |key| left.get(key).and_then(Json::text).unwrap_or("?");
            println!("  left out: {} by {}: {}", word("schedule"), word("maker"), word("reason"));
        }
    }
    for measured in rows {
        let text = |key: &str| measured.get(key).and_then(Json::text).map(str::to_owned);
        let number = |key: &str| measured.get(key).and_then(Json::number);
        let (Some(schedule), Some(maker), Some(threads), Some(milliseconds), Some(verdict)) = (
            text("schedule"),
            text("maker"),
            number("threads"),
            number("milliseconds"),
            text("verdict"),
        ) else {
            return Err(problem("a measurement without its name or time"));
        };
        let threads = threads as usize;
        if first && !matches!(measured.get("agrees"), Some(Json::Bool(true))) {
            failed.push(format!(
                "{} under {schedule} by {maker}: computes something else",
                row.pipeline
            ));
        }
        if first && maker == "halidom" && threads == 1 {
            if verdict != "proved" {
                failed.push(format!("{} under {schedule}: {verdict}", row.pipeline));
            }
            verdicts.push(verdict);
        }
        let known = all
            .iter_mut()
            .find(|one| one.schedule == schedule && one.maker == maker && one.threads == threads);
        match known {
            Some(known) => known.milliseconds = known.milliseconds.min(milliseconds),
            None => all.push(Measured { schedule, maker, threads, milliseconds }),
        }
    }
    Ok(())
}

/// Prints the geometric means, and adds what is above the limits.
fn judge(ratios: &[Ratios], failed: &mut Vec<String>) {
    for (threads, limit) in SAME_MEANS {
        let of = |pick: fn(&Ratios) -> Option<f64>| -> Vec<f64> {
            ratios.iter().filter(|row| row.threads == threads).filter_map(pick).collect()
        };
        let (same, best) = (mean(&of(|row| row.same)), mean(&of(|row| row.best)));
        println!(
            "{threads} threads: geometric mean {same:.2} at the same schedule, {best:.2} at the best"
        );
        if same > limit {
            failed.push(format!("{threads} threads, same schedule: {same:.2}, above {limit:.2}"));
        }
        if best > BEST_MEAN {
            failed
                .push(format!("{threads} threads, best schedule: {best:.2}, above {BEST_MEAN:.2}"));
        }
    }
    for row in ratios {
        for (what, ratio, limit) in [("same", row.same, SAME_WORST), ("best", row.best, BEST_WORST)]
        {
            if let Some(ratio) = ratio.filter(|ratio| *ratio > limit) {
                failed.push(format!(
                    "{}, {} threads, {what} schedule: {ratio:.2}, above {limit:.2}",
                    row.pipeline, row.threads
                ));
            }
        }
    }
}

fn mean(ratios: &[f64]) -> f64 {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (sum / ratios.len().max(1) as f64).exp()
}
