//! `halidom preload` on Halide's C++ tests.

use super::{Site, make_folder, site};
use crate::error::Error;
use crate::process::{self, capture, program};
use crate::{json::Json, table};
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Tests of `test/correctness` whose output is the same in every run. They call externs of the
/// process, run in parallel, use tuples and updates, trace, add lowering passes, compile ahead of
/// time, and make errors.
const TESTS: &[&str] = &[
    "argmax",
    "bounds",
    "callable",
    "callable_errors",
    "chunk",
    "compute_at_split_rvar",
    "convolution",
    "custom_lowering_pass",
    "dilate3x3",
    "extern_consumer",
    "fibonacci",
    "func_lifetime",
    "histogram",
    "inline_reduction",
    "lambda",
    "logical",
    "memoize",
    "multiple_outputs",
    "parallel_alloc",
    "parallel_nested",
    "param",
    "pipeline_set_jit_externs_func",
    "set_custom_trace",
    "stmt_to_html",
    "tuple_reduction",
    "widening_reduction",
];

pub(super) fn run() -> Result<(), Error> {
    let Some(site) = site("preload")? else { return Ok(()) };
    let halidom = process::halidom()?;
    let output = capture(program(&halidom).args(["preload", "--halide"]).arg(&site.package))?;
    if !output.status.success() {
        let problem = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Output { command: "halidom preload".to_owned(), problem });
    }
    let library = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    let mut rows = Vec::new();
    let mut wrong = Vec::new();
    for test in TESTS {
        let program = compiled(&site, test)?;
        let folder = site.folder.join(test);
        let alone = capture(&mut started(&program, &folder)?)?;
        let mut command = started(&program, &folder)?;
        let report = folder.join("report");
        command.env("LD_PRELOAD", &library).env("HALIDOM_PRELOAD_REPORT", &report);
        command.env("HALIDOM_PRELOAD_SUMMARY", folder.join("summary.txt"));
        command.env("HALIDOM_PRELOAD_LIMIT", "20");
        let watched = capture(&mut command)?;
        let difference = difference(&alone, &watched);
        let counts = counts(&report);
        if counts[..3].iter().all(|count| *count == 0) {
            wrong.push(format!("{test}: no pipeline is judged: {}", report.display()));
        }
        if difference.is_none() && counts[1] > 0 {
            wrong.push(format!("{test}: a pipeline is refuted: {}", report.display()));
        }
        wrong.extend(difference.map(|difference| format!("{test}: {difference} differs")));
        let same = if difference.is_none() { "same" } else { "DIFFERS" };
        let mut row = vec![(*test).to_owned(), same.to_owned(), status(&watched)];
        row.extend(counts.map(|count| count.to_string()));
        rows.push(row);
    }
    let headings =
        ["test", "output", "status", "proved", "refuted", "unknown", "not judged", "again"];
    print!("{}", table::layout(&headings, &rows));
    println!("{} tests", rows.len());
    if wrong.is_empty() { Ok(()) } else { Err(Error::Answers(wrong)) }
}

/// The part of two runs in which they differ.
fn difference(alone: &Output, watched: &Output) -> Option<&'static str> {
    [
        ("the exit status", alone.status == watched.status),
        ("standard output", alone.stdout == watched.stdout),
        ("standard error", alone.stderr == watched.stderr),
    ]
    .into_iter()
    .find_map(|(part, same)| (!same).then_some(part))
}

fn status(output: &Output) -> String {
    output.status.code().map_or_else(|| output.status.to_string(), |code| code.to_string())
}

/// The numbers of verdicts in a report, in the order of the table.
fn counts(report: &Path) -> [usize; 5] {
    let text = fs::read_to_string(report.join("summary.json")).unwrap_or_default();
    let json = Json::parse(&text).unwrap_or(Json::Null);
    let Some(Json::Array(pipelines)) = json.get("pipelines") else { return [0; 5] };
    let words = ["proved", "refuted", "unknown", "not judged", "compiled again"];
    words.map(|word| {
        let is = |pipeline: &&Json| pipeline.get("verdict").and_then(Json::text) == Some(word);
        pipelines.iter().filter(is).count()
    })
}

/// A test's program in a new folder.
fn started(program: &Path, folder: &Path) -> Result<Command, Error> {
    if folder.is_dir() {
        let path = folder.to_owned();
        fs::remove_dir_all(folder).map_err(|cause| Error::File { path, cause })?;
    }
    make_folder(folder)?;
    let mut command = process::program(program);
    command.current_dir(folder);
    Ok(command)
}

/// Compiles a test, unless that was done before.
fn compiled(site: &Site, test: &str) -> Result<PathBuf, Error> {
    let folder = site.folder.join("programs");
    let made = folder.join(test);
    if made.is_file() {
        return Ok(made);
    }
    let headers = site.folder.join("include");
    make_folder(&folder)?;
    make_folder(&headers)?;
    let header = headers.join("Halide.h.gch");
    let compiler = || {
        let mut command = program(env::var_os("CXX").unwrap_or_else(|| "g++".into()));
        command.args(["-std=c++17", "-O0", "-w", "-fno-rtti"]);
        command.arg("-I").arg(&headers).arg("-I").arg(site.package.join("include"));
        command
    };
    if !header.is_file() {
        // The compiler takes the text where it cannot use the precompiled header.
        let text = headers.join("Halide.h");
        if !text.exists() {
            let linked = symlink(site.package.join("include/Halide.h"), &text);
            linked.map_err(|cause| Error::File { path: text, cause })?;
        }
        let mut command = compiler();
        command.args(["-x", "c++-header"]).arg(site.package.join("include/Halide.h"));
        process::run(command.arg("-o").arg(&header))?;
    }
    let libraries = site.package.join("lib64");
    let mut command = compiler();
    command.arg(site.halide.join("test/correctness").join(format!("{test}.cpp")));
    for included in ["test/common", "tools"] {
        command.arg("-I").arg(site.halide.join(included));
    }
    command.arg("-L").arg(&libraries).arg(format!("-Wl,-rpath,{}", libraries.display()));
    command.args(["-rdynamic", "-lHalide", "-ldl", "-lpthread", "-o"]).arg(&made);
    process::run(&mut command)?;
    Ok(made)
}
