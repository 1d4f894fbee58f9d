//! Compares ATL's programs with stock Halide's code for the same schedule, and with their naive
//! forms.

use crate::answer::{Answer, Verdict};
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PROGRAMS: &str = "crates/driver/benches/atl/speed.atl";
const SCRIPT: &str = "crates/driver/benches/atl/speed.py";

const DERIVATIONS: [&str; 6] =
    ["two_stage", "tiled", "im2col", "conv_naive", "gathered", "scatter_naive"];
/// The programs that the script compiles with Halide.
const HALIDES: [&str; 4] =
    ["halide_two_stage", "halide_two_stage_scalar", "halide_tiled", "halide_tiled_scalar"];

const PROCESSES: usize = 5;
/// The greatest permitted ratio of our time to the time of Halide's code.
const LIMIT: f64 = 1.05;
/// The greatest permitted difference of results, relative to the largest element. Halide's compiler
/// may add in another order.
const TOLERANCE: f64 = 1e-6;

/// The measurements of one form with one number of threads, over all processes.
struct Measured {
    program: String,
    form: String,
    threads: String,
    least: f64,
    greatest: f64,
    /// The distance of the results from ours; `None` for our own form.
    distance: Option<f64>,
}

pub(super) fn run() -> Result<(), Error> {
    setup::ensure()?;
    let without_halide = setup::ensure_halide().err();
    let halidom = process::halidom()?;
    let folder = root().join("target/bench-atl");
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    for name in DERIVATIONS {
        if !build(&halidom, Path::new(PROGRAMS), name, &folder)?.is_proved() {
            return Err(Error::Derivations(vec![name.to_owned()]));
        }
        link(&folder, name)?;
    }
    let python = root().join(".venv/bin/python");
    for name in HALIDES {
        // The library may be left over from an earlier run, and the script would find it.
        let path = folder.join(name).with_extension("so");
        if path.exists() {
            fs::remove_file(&path).map_err(|cause| Error::File { path, cause })?;
        }
    }
    if without_halide.is_none() {
        process::run(program(&python).args([SCRIPT, "compile"]).arg(&folder))?;
        for name in HALIDES {
            link(&folder, name)?;
        }
    }
    let mut all: Vec<Measured> = Vec::new();
    for process in 1..=PROCESSES {
        println!("process {process} of {PROCESSES} …");
        let mut command = program(&python);
        command.args([SCRIPT, "time"]).arg(&folder);
        time(&mut command, &mut all)?;
    }
    let slow = report(&all);
    if let Some(error) = without_halide {
        println!("Halide's rows are left out: it cannot be installed in .venv ({error})");
    }
    if slow.is_empty() { Ok(()) } else { Err(Error::Slow(slow)) }
}

/// Builds a derivation as a library, and returns its verdict.
pub(super) fn build(
    halidom: &Path,
    programs: &Path,
    name: &str,
    folder: &Path,
) -> Result<Verdict, Error> {
    let mut command = program(halidom);
    command.arg("build").arg(programs).args(["-d", name, "--emit", "static-library", "--json"]);
    let output = capture(command.arg("-o").arg(folder))?;
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let verdict = Answer::judged(&command, &output)?.verdict;
    println!("{name}: {verdict}");
    Ok(verdict)
}

/// Links `FOLDER/NAME.so` from `FOLDER/NAME.a`.
pub(super) fn link(folder: &Path, name: &str) -> Result<(), Error> {
    let file = |extension: &str| -> PathBuf { folder.join(name).with_extension(extension) };
    let mut command = program("cc");
    command.args(["-shared", "-o"]).arg(file("so")).arg("-Wl,--whole-archive").arg(file("a"));
    command.args(["-Wl,--no-whole-archive", "-lpthread", "-ldl", "-lm"]);
    let output = capture(&mut command)?;
    if output.status.success() {
        return Ok(());
    }
    print!("{}", String::from_utf8_lossy(&output.stderr));
    Err(Error::Failed { command: shown(&command), status: output.status })
}

/// Runs all forms in one process and adds its measurements.
fn time(command: &mut Command, all: &mut Vec<Measured>) -> Result<(), Error> {
    for row in rows(command)? {
        let text = |key: &str| row.get(key).and_then(Json::text).map(str::to_owned);
        let number = |key: &str| row.get(key).and_then(Json::number);
        let (Some(program), Some(form), Some(threads), Some(time)) =
            (text("program"), text("form"), number("threads"), number("milliseconds"))
        else {
            return Err(problem(command, "a measurement without its name or time"));
        };
        let threads = threads.to_string();
        let distance = number("distance");
        let known = all.iter_mut().find(|known| known.form == form && known.threads == threads);
        match known {
            Some(known) => {
                known.least = known.least.min(time);
                known.greatest = known.greatest.max(time);
                known.distance = distance.map(|far| far.max(known.distance.unwrap_or(0.0)));
            }
            None => {
                all.push(Measured { program, form, threads, least: time, greatest: time, distance })
            }
        }
    }
    Ok(())
}

/// Runs a program that prints measurements, and returns them.
pub(super) fn rows(command: &mut Command) -> Result<Vec<Json>, Error> {
    let output = capture(command)?;
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown(command), status: output.status });
    }
    let answer = Json::parse(&String::from_utf8_lossy(&output.stdout))
        .map_err(|found| problem(command, found))?;
    let rows = answer.array().ok_or_else(|| problem(command, "no measurements"))?;
    Ok(rows.to_vec())
}

/// Makes the error about what a program printed.
pub(super) fn problem(command: &Command, problem: &str) -> Error {
    Error::Output { command: shown(command), problem: problem.to_owned() }
}

/// Prints the table; returns the forms that are too slow or compute something else.
fn report(all: &[Measured]) -> Vec<String> {
    let mut rows = Vec::new();
    let mut failed = Vec::new();
    for other in all {
        let Some(distance) = other.distance else { continue };
        let ours = all.iter().find(|own| own.form == other.program && own.threads == other.threads);
        let Some(ours) = ours else { continue };
        let ratio = ours.least / other.least;
        let row = format!("{} beside {}, {} threads", ours.form, other.form, other.threads);
        if other.form.starts_with("halide_") && ratio > LIMIT {
            failed.push(format!("{row}: {ratio:.2} of its time"));
        }
        if distance.is_nan() || distance > TOLERANCE {
            failed.push(format!("{row}: the results differ"));
        }
        let range = |measured: &Measured| format!("{:.3}–{:.3}", measured.least, measured.greatest);
        rows.push(vec![
            ours.form.clone(),
            other.form.clone(),
            other.threads.clone(),
            range(ours),
            range(other),
            format!("{ratio:.2}"),
            format!("{distance:.0e}"),
        ]);
    }
    let headings = ["program", "beside", "threads", "ms", "its ms", "ratio", "difference"];
    println!("\n{}", table::layout(&headings, &rows));
    failed
}
