//! Compares the code of Table 1's programs with stock Halide's: under the same schedule, and under
//! our best one.

mod compile;
mod limits;
mod measure;
mod plot;
mod programs;

use crate::error::Error;
use crate::process::{self, root};
use crate::{setup, table};
use limits::Limits;
use measure::{Form, Measured};
use programs::{PROGRAMS, Program};
use std::fs;
use std::path::PathBuf;

/// The schedule of the same shape as the one in Halide's application.
const SAME: &str = "application";
/// The fastest known schedule.
const BEST: &str = "best";

const THREADS: [usize; 2] = [1, 2];
/// Programs for which Halide takes less than this many milliseconds are judged at one thread only:
/// with two threads their times are bimodal.
const SHORT: f64 = 8.0;

/// The limits at the same schedule: the geometric mean of the ratios for each number of threads,
/// and the ratio of one row.
const SAME_MEANS: [(usize, f64); 2] = [(1, 1.00), (2, 1.03)];
const SAME_WORST: f64 = 1.15;
/// The same limits for the best schedules, compared with Halide's application.
const BEST_MEAN: f64 = 0.70;
const BEST_WORST: f64 = 1.00;

/// The file for the plot when all programs are measured.
const PLOT: &str = "docs/native.svg";

/// The ratios of one program with one number of threads: our time over Halide's.
struct Ratios {
    program: &'static str,
    threads: usize,
    same: Option<f64>,
    best: Option<f64>,
    /// True if the ratios count against the limits.
    judged: bool,
}

/// The columns with their widths.
const COLUMNS: [(&str, usize); 12] = [
    ("program", 9),
    ("threads", 7),
    ("Halide", 17),
    ("same", 17),
    ("ratio", 5),
    ("× limit", 7),
    ("best", 17),
    ("ratio", 5),
    ("× limit", 7),
    ("to Halide's best", 16),
    ("limited by", 10),
    ("runs", 6),
];

/// The requested programs and plot.
struct Asked {
    programs: Vec<&'static Program>,
    plot: Option<PathBuf>,
}

pub(super) fn run(words: &[&str]) -> Result<(), Error> {
    let asked = asked(words)?;
    setup::ensure()?;
    setup::ensure_halide()?;
    let halidom = process::halidom()?;
    let mut limits = Limits::new()?;
    for threads in THREADS {
        limits.measure(threads)?;
    }
    println!(
        "{}\n\
         milliseconds: the least and the greatest of the medians of several processes\n\
         ratio: with one thread the median of the ratios in the processes, with two the ratio of \
         the least medians\n\
         × limit: beside copying the inputs and outputs, or the sums and products that the \
         algorithm states, whichever takes longer\n\
         runs: processes × rounds in each\n\n{}",
        limits.shown(),
        line(&COLUMNS.map(|(heading, _)| heading.to_owned()))
    );
    let (mut ratios, mut failed) = (Vec::new(), Vec::new());
    for program in &asked.programs {
        for threads in THREADS {
            limits.measure(threads)?;
        }
        match measure::measure(&halidom, program) {
            Ok(measured) => {
                present(program, &measured, &limits, &mut ratios);
                failed.extend(measured.wrong);
            }
            // The figures of the other programs are still useful.
            Err(error) => {
                println!("{}: {error}", program.name);
                failed.push(format!("{}: not measured", program.name));
            }
        }
    }
    println!("\n{}", limits.shown());
    judge(&ratios, asked.programs.len() == PROGRAMS.len(), &mut failed);
    if let Some(path) = &asked.plot {
        let beside = path.with_extension("svg.new");
        fs::write(&beside, plot::svg(&ratios))
            .and_then(|()| fs::rename(&beside, path))
            .map_err(|cause| Error::File { path: path.clone(), cause })?;
        println!("the plot is {}", path.display());
    }
    if let Err(error) = compile::measure(&halidom, &asked.programs, &mut failed) {
        println!("{error}");
        failed.push("from a program's text to running code: not measured".to_owned());
    }
    if asked.programs.iter().any(|program| program.name == "sgemm1024") {
        match super::blas::run() {
            Ok(()) => {}
            Err(Error::Slow(rows)) => failed.extend(rows),
            Err(error) => {
                println!("{error}");
                failed.push("sgemm1024 beside OpenBLAS: not measured".to_owned());
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Slow(failed)) }
}

/// Reads names of programs and `--svg FILE`; selects all programs if none is named.
fn asked(words: &[&str]) -> Result<Asked, Error> {
    let (mut programs, mut plot) = (Vec::new(), None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "--svg" {
            let path = words.next().ok_or_else(|| Error::Usage("--svg needs a file".to_owned()))?;
            plot = Some(root().join(path));
            continue;
        }
        let program = PROGRAMS.iter().find(|program| program.name == *word).ok_or_else(|| {
            let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
            Error::Usage(format!("`{word}` is not timed; these are: {}", names.join(", ")))
        })?;
        programs.push(program);
    }
    if programs.is_empty() {
        programs.extend(&PROGRAMS);
        plot = plot.or_else(|| Some(root().join(PLOT)));
    }
    Ok(Asked { programs, plot })
}

/// Aligns cells with their headings: the name to the left, all others to the right.
fn line(cells: &[String]) -> String {
    let filled = cells.iter().zip(COLUMNS).enumerate().map(|(number, (cell, (_, width)))| {
        if number == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    filled.collect::<Vec<_>>().join("  ")
}

/// Prints a program's rows and adds its ratios.
fn present(
    program: &'static Program,
    measured: &Measured,
    limits: &Limits,
    ratios: &mut Vec<Ratios>,
) {
    for threads in THREADS {
        let [same, best] = [SAME, BEST].map(|name| measured.find(name, "halidom", threads));
        let [halide, halide_best] = [SAME, BEST].map(|name| measured.find(name, "halide", threads));
        let over = |own: Option<&Form>, other: Option<&Form>| Some(own?.over(other?));
        let least = limits.least(program, measured.bytes, threads);
        let distance = |form: Option<&Form>| Some(form?.least() / least?.0);
        let number =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
        let range = |form: Option<&Form>| {
            form.map_or("–".to_owned(), |form| {
                format!("{:.2}–{:.2}", form.least(), form.greatest())
            })
        };
        let rounds = measured.forms.iter().filter(|form| form.threads == threads);
        let rounds = rounds.map(|form| form.rounds).min().unwrap_or(0);
        println!(
            "{}",
            line(&[
                program.name.to_owned(),
                threads.to_string(),
                range(halide),
                range(same),
                number(over(same, halide)),
                number(distance(same)),
                range(best),
                number(over(best, halide)),
                number(distance(best)),
                number(over(best, halide_best)),
                least.map_or("–", |(_, bound)| bound.name()).to_owned(),
                format!("{}×{rounds}", measured.processes),
            ])
        );
        ratios.push(Ratios {
            program: program.name,
            threads,
            same: over(same, halide),
            best: over(best, halide),
            judged: threads == 1 || halide.is_some_and(|form| form.least() >= SHORT),
        });
    }
    for left_out in &measured.left_out {
        println!("  left out: {left_out}");
    }
    if measured.wrong.is_empty() {
        println!("  {}", measured.verdicts.join(", "));
    }
    for wrong in &measured.wrong {
        println!("  WRONG: {wrong}");
    }
}

/// Prints the geometric means and adds the violated limits to `failed`. The limits on means apply
/// only to all programs together.
fn judge(ratios: &[Ratios], all: bool, failed: &mut Vec<String>) {
    let mut rows = Vec::new();
    for (threads, limit) in SAME_MEANS {
        let of = |pick: fn(&Ratios) -> Option<f64>| -> Vec<f64> {
            let judged = ratios.iter().filter(|row| row.threads == threads && row.judged);
            judged.filter_map(pick).collect()
        };
        for (what, ratios, limit) in
            [("same", of(|row| row.same), limit), ("best", of(|row| row.best), BEST_MEAN)]
        {
            let Some(mean) = mean(&ratios) else { continue };
            rows.push(vec![
                what.to_owned(),
                threads.to_string(),
                ratios.len().to_string(),
                format!("{mean:.2}"),
                format!("{limit:.2}"),
            ]);
            if all && mean > limit {
                failed.push(format!(
                    "{threads} threads, {what} schedule: {mean:.2} on average, above {limit:.2}"
                ));
            }
        }
    }
    println!(
        "geometric means; with two threads of what takes Halide {SHORT} ms and more\n{}",
        table::layout(&["schedule", "threads", "programs", "ratio", "limit"], &rows)
    );
    for row in ratios.iter().filter(|row| row.judged) {
        for (what, ratio, limit) in [("same", row.same, SAME_WORST), ("best", row.best, BEST_WORST)]
        {
            if ratio.is_none() {
                failed.push(format!(
                    "{}, {} threads, {what} schedule: nothing to compare with",
                    row.program, row.threads
                ));
            }
            if let Some(ratio) = ratio.filter(|ratio| *ratio > limit) {
                failed.push(format!(
                    "{}, {} threads, {what} schedule: {ratio:.2}, above {limit:.2}",
                    row.program, row.threads
                ));
            }
        }
    }
}

/// The geometric mean.
fn mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}
