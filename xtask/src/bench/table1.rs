//! The programs of Table 1 (translation validation for Halide), beside the paper's figures.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, program, root, shown};
use crate::{setup, table};
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// A program, its pipeline, and the paper's seconds and verdict.
struct Row {
    file: &'static str,
    pipeline: &'static str,
    published: &'static str,
}

const ROWS: [Row; 11] = [
    Row { file: "blur", pipeline: "blur", published: "<1 proved" },
    Row { file: "cmm1024", pipeline: "cmm", published: "2.6 proved" },
    Row { file: "sgemm", pipeline: "sgemm", published: "204 proved" },
    Row { file: "sc", pipeline: "sc1", published: "12.5 proved" },
    Row { file: "sc", pipeline: "sc32", published: "293 proved" },
    Row { file: "dsc", pipeline: "dsc", published: "103 proved" },
    Row { file: "conv", pipeline: "conv", published: "132 proved" },
    Row { file: "sdot", pipeline: "sdot", published: "<1 proved" },
    Row { file: "harris", pipeline: "harris", published: "44.8 proved" },
    Row { file: "unsharp", pipeline: "unsharp", published: "6.1 proved" },
    Row { file: "nl_means", pipeline: "nl_means", published: ">900 unknown" },
];

/// A program that takes longer is ended, and its row says so.
const LIMIT: Duration = Duration::from_mins(5);

pub(super) fn run() -> Result<(), Error> {
    setup::ensure()?;
    let halidom = process::halidom()?;
    let mut rows = Vec::new();
    let mut refuted: Vec<String> = Vec::new();
    for row in &ROWS {
        println!("{} …", row.pipeline);
        let mut command = program(&halidom);
        command
            .arg("validate")
            .arg(root().join(format!("examples/table1/{}.hal", row.file)))
            .args(["--pipeline", row.pipeline, "--schedule", "application", "--json"]);
        let measured = measure(&mut command)?;
        let seconds = format!("{:.1}", measured.time.as_secs_f64());
        let memory = format!("{}", measured.peak_kib / 1024);
        let Some(text) = measured.output else {
            rows.push(cells(row, &["-", "-", &seconds, &memory, "out of time"]));
            continue;
        };
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let answer = Json::parse(&text).map_err(problem)?;
        let verdict =
            answer.get("verdict").and_then(Json::text).ok_or_else(|| problem("no verdict"))?;
        let total = answer.get("obligations").and_then(|counts| counts.get("total"));
        let number = |json: Option<&Json>| {
            json.and_then(Json::number).map_or("-".to_owned(), |number| format!("{number:.0}"))
        };
        if verdict == "refuted" {
            refuted.push(row.pipeline.to_owned());
        }
        let (total, queries) = (number(total), number(answer.get("queries")));
        rows.push(cells(row, &[&total, &queries, &seconds, &memory, verdict]));
    }
    let headings =
        ["program", "obligations", "asked", "seconds", "MiB", "verdict", "published", "verdict"];
    println!("{}", table::layout(&headings, &rows));
    if refuted.is_empty() {
        return Ok(());
    }
    Err(Error::Refuted(refuted))
}

fn cells(row: &Row, measured: &[&str]) -> Vec<String> {
    let mut cells = vec![row.pipeline.to_owned()];
    cells.extend(measured.iter().map(|&cell| cell.to_owned()));
    cells.extend(row.published.split(' ').map(str::to_owned));
    cells
}

struct Measured {
    /// What it printed; `None` if it was ended.
    output: Option<String>,
    time: Duration,
    /// The sum of the peaks of the process and of its children, as far as they were seen.
    peak_kib: u64,
}

/// Runs a command, and looks now and then at the memory that it and its children take.
fn measure(command: &mut Command) -> Result<Measured, Error> {
    let path = root().join("target").join("bench.json");
    let failed = |cause| Error::File { path: path.clone(), cause };
    let begin = Instant::now();
    command.stdout(Stdio::from(File::create(&path).map_err(failed)?)).stderr(Stdio::null());
    let mut child =
        command.spawn().map_err(|cause| Error::Start { program: shown(command), cause })?;
    let mut peaks: Vec<(u32, u64)> = Vec::new();
    let ended = loop {
        for process in [child.id()].into_iter().chain(children(child.id())) {
            let Some(peak) = peak_kib(process) else { continue };
            match peaks.iter_mut().find(|(known, _)| *known == process) {
                Some((_, most)) => *most = peak.max(*most),
                None => peaks.push((process, peak)),
            }
        }
        let status =
            child.try_wait().map_err(|cause| Error::Start { program: shown(command), cause })?;
        if status.is_some() {
            break true;
        }
        if begin.elapsed() > LIMIT {
            // It may end by itself in between.
            let _ = child.kill();
            let _ = child.wait();
            break false;
        }
        thread::sleep(Duration::from_millis(10));
    };
    let time = begin.elapsed();
    let output = if ended { Some(fs::read_to_string(&path).map_err(failed)?) } else { None };
    Ok(Measured { output, time, peak_kib: peaks.iter().map(|(_, peak)| peak).sum() })
}

fn children(process: u32) -> Vec<u32> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{process}/children"));
    list.unwrap_or_default().split(' ').filter_map(|id| id.trim().parse().ok()).collect()
}

fn peak_kib(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
