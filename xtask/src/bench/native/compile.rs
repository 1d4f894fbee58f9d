//! Measures the time from a program's text to running code: `halidom run` on a small picture, in a
//! new process each time, without cached answers.

use super::programs::Program;
use super::{BEST, SAME};
use crate::error::Error;
use crate::process::{capture, program, root, shown};
use crate::table;
use std::path::Path;
use std::time::Instant;

/// A program with time limits, and a small size for it.
struct Row {
    name: &'static str,
    arguments: &'static [&'static str],
    /// The time limits in seconds, without and with validation.
    limits: (f64, f64),
}

const ROWS: [Row; 2] = [
    Row { name: "blur", arguments: &["--size", "64x64"], limits: (0.25, 2.0) },
    Row {
        name: "nl_means",
        arguments: &[
            "--size",
            "128x16x3",
            "--set",
            "patch_size=7",
            "--set",
            "search_area=7",
            "--set",
            "sigma=0.12",
        ],
        limits: (1.0, 12.0),
    },
];

/// The number of runs without and with validation; the medians count.
const TIMES: (usize, usize) = (7, 3);

/// Times the programs that have limits, prints a table, and adds the times above the limits to
/// `failed`.
pub(super) fn measure(
    halidom: &Path,
    programs: &[&Program],
    failed: &mut Vec<String>,
) -> Result<(), Error> {
    let mut lines = Vec::new();
    let asked = |row: &&Row| programs.iter().any(|program| program.name == row.name);
    for row in ROWS.iter().filter(asked) {
        for schedule in [SAME, BEST] {
            let mut line = vec![row.name.to_owned(), schedule.to_owned()];
            for (what, validates, times, limit) in [
                ("without validation", false, TIMES.0, row.limits.0),
                ("with validation", true, TIMES.1, row.limits.1),
            ] {
                let seconds = median(halidom, row, schedule, validates, times)?;
                line.extend([format!("{seconds:.3}"), format!("{limit}")]);
                if seconds > limit {
                    failed.push(format!(
                        "{} under {schedule}, from its text to running code {what}: {seconds:.3} \
                            s, above {limit}",
                        row.name
                    ));
                }
            }
            lines.push(line);
        }
    }
    if !lines.is_empty() {
        let headings = ["program", "schedule", "compiled", "limit", "validated", "limit"];
        println!(
            "seconds from the program's text to the end of its first runs, the medians of {} and \
                {} processes, without and with validation\n{}",
            TIMES.0,
            TIMES.1,
            table::layout(&headings, &lines)
        );
    }
    Ok(())
}

/// The median time of some processes, in seconds.
fn median(
    halidom: &Path,
    row: &Row,
    schedule: &str,
    validates: bool,
    times: usize,
) -> Result<f64, Error> {
    let mut all = Vec::new();
    for _ in 0..times {
        let mut command = program(halidom);
        command.arg("run").arg(root().join(format!("examples/table1/{}.hal", row.name)));
        command.args(["-s", schedule, "--random", "1", "--quiet", "--strict"]).args(row.arguments);
        if !validates {
            command.arg("--no-validate");
        }
        let begin = Instant::now();
        let output = capture(&mut command)?;
        all.push(begin.elapsed().as_secs_f64());
        if !output.status.success() {
            print!("{}", String::from_utf8_lossy(&output.stderr));
            return Err(Error::Failed { command: shown(&command), status: output.status });
        }
    }
    all.sort_by(f64::total_cmp);
    Ok(all.get(all.len() / 2).copied().unwrap_or(f64::INFINITY))
}
