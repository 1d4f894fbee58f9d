//! Compares the product of two matrices with OpenBLAS, on one core.

use crate::answer::Answer;
use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::env;
use std::fs;
use std::path::Path;

const PROGRAM: &str = "examples/table1/sgemm1024.hal";
const SCHEDULE: &str = "best";
const HARNESS: &str = "xtask/src/bench/blas.c";

const PROCESSES: usize = 5;
/// The greatest permitted ratio of our time to OpenBLAS's.
const LIMIT: f64 = 1.15;
/// The greatest permitted difference of results: they add a thousand products of numbers below a
/// half in different orders.
const TOLERANCE: f64 = 1e-3;

pub(super) fn run() -> Result<(), Error> {
    setup::ensure()?;
    setup::ensure_openblas()?;
    let halidom = process::halidom()?;
    let folder = root().join("target/bench-blas");
    fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
    let mut command = program(&halidom);
    command.args(["build", PROGRAM, "-s", SCHEDULE, "--json", "--quiet", "-o"]).arg(&folder);
    let output = capture(&mut command)?;
    let verdict = Answer::judged(&command, &output)?.verdict;
    println!("sgemm1024 under {SCHEDULE}: {verdict}");
    let timed = folder.join("blas");
    let mut command = program("cc");
    command.args(["-O2", "-o"]).arg(&timed).arg(root().join(HARNESS)).arg("-I").arg(&folder);
    command.arg(folder.join("sgemm1024.a")).args(["-lopenblas", "-lpthread", "-lm"]);
    let output = capture(&mut command)?;
    if !output.status.success() {
        print!("{}", String::from_utf8_lossy(&output.stderr));
        return Err(Error::Failed { command: shown(&command), status: output.status });
    }
    let mut all: Vec<Kernels> = Vec::new();
    let mut distance = 0.0_f64;
    for _ in 0..PROCESSES {
        for asked in asked_kernels() {
            distance = distance.max(time(&timed, asked, &mut all)?);
        }
    }
    let rows: Vec<Vec<String>> = all.iter().map(Kernels::row).collect();
    // OpenBLAS does not recognize every processor, so its fastest kernels count.
    let fastest = all.iter().min_by(|a, b| least(&a.other).total_cmp(&least(&b.other)));
    let ratio = fastest.map_or(f64::NAN, Kernels::ratio);
    println!(
        "\nmilliseconds on one thread, the least and greatest of the medians of {PROCESSES} \
            processes; the results differ by {distance:.0e}\n{}\
         beside OpenBLAS's fastest kernels: {ratio:.2}, the limit is {LIMIT:.2}",
        table::layout(&["OpenBLAS's kernels", "OpenBLAS", "sgemm1024", "ratio"], &rows)
    );
    let mut failed = Vec::new();
    if !verdict.is_proved() {
        failed.push(format!("sgemm1024 under {SCHEDULE}: {verdict}"));
    }
    if ratio.is_nan() || ratio > LIMIT {
        failed.push(format!("sgemm1024 beside OpenBLAS: {ratio:.2}, above {LIMIT:.2}"));
    }
    if distance.is_nan() || distance > TOLERANCE {
        failed.push("sgemm1024 and OpenBLAS: the results differ".to_owned());
    }
    if failed.is_empty() { Ok(()) } else { Err(Error::Slow(failed)) }
}

/// The medians of the processes with one set of OpenBLAS's kernels.
struct Kernels {
    name: String,
    own: Vec<f64>,
    other: Vec<f64>,
}

impl Kernels {
    fn ratio(&self) -> f64 {
        least(&self.own) / least(&self.other)
    }

    fn row(&self) -> Vec<String> {
        let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
        let range = |times: &[f64]| format!("{:.2}–{:.2}", least(times), most(times));
        let ratio = format!("{:.2}", self.ratio());
        vec![self.name.clone(), range(&self.other), range(&self.own), ratio]
    }
}

fn least(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The kernels to measure: those that OpenBLAS chooses and, as it does not recognize every
/// processor with AVX-512, also its kernels for AVX-512.
fn asked_kernels() -> Vec<Option<&'static str>> {
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let has = |flag: &str| processor.split_whitespace().any(|word| word == flag);
    let wide = ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512cd"].into_iter().all(has);
    if wide { vec![None, Some("SkylakeX")] } else { vec![None] }
}

/// Runs a process, adds its times, and returns the distance of the results.
fn time(timed: &Path, asked: Option<&str>, all: &mut Vec<Kernels>) -> Result<f64, Error> {
    let mut command = program(timed);
    // The user's environment could slow OpenBLAS down.
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("OPENBLAS_") {
            command.env_remove(name);
        }
    }
    if let Some(kernels) = asked {
        command.env("OPENBLAS_CORETYPE", kernels);
    }
    let output = capture(&mut command)?;
    let problem =
        |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
    let answer = Json::parse(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
    let number = |key: &str| answer.get(key).and_then(Json::number);
    let (Some(own), Some(other), Some(apart), Some(name)) = (
        number("halidom"),
        number("openblas"),
        number("distance"),
        answer.get("kernels").and_then(Json::text),
    ) else {
        return Err(problem("a measurement without its times"));
    };
    match all.iter_mut().find(|kernels| kernels.name == name) {
        Some(kernels) => {
            kernels.own.push(own);
            kernels.other.push(other);
        }
        None => all.push(Kernels { name: name.to_owned(), own: vec![own], other: vec![other] }),
    }
    Ok(apart)
}
