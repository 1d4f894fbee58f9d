//! The product of two matrices beside OpenBLAS, on one core.

use crate::error::Error;
use crate::json::Json;
use crate::process::{self, capture, program, root, shown};
use crate::{setup, table};
use std::fs;

const PROGRAM: &str = "examples/table1/sgemm1024.hal";
const SCHEDULE: &str = "best";
const HARNESS: &str = "xtask/src/bench/blas.c";

const PROCESSES: usize = 5;
/// How much more time than OpenBLAS our product may take.
const LIMIT: f64 = 1.15;
/// How far results may be apart: they add a thousand products of numbers below a half in different orders.
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
    let problem =
        |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
    let answer = Json::parse(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
    let verdict =
        answer.get("verdict").and_then(Json::text).ok_or_else(|| problem("no verdict"))?;
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
    let (mut own, mut other, mut distance) = (Vec::new(), Vec::new(), 0.0_f64);
    for _ in 0..PROCESSES {
        let mut command = program(&timed);
        let output = capture(&mut command)?;
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let answer = Json::parse(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
        let number = |key: &str| answer.get(key).and_then(Json::number);
        let (Some(ours), Some(theirs), Some(apart)) =
            (number("halidom"), number("openblas"), number("distance"))
        else {
            return Err(problem("a measurement without its times"));
        };
        own.push(ours);
        other.push(theirs);
        distance = distance.max(apart);
    }
    let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |times: &[f64]| times.iter().copied().fold(0.0, f64::max);
    let range = |times: &[f64]| format!("{:.2}–{:.2}", least(times), most(times));
    let ratio = least(&own) / least(&other);
    let row = vec![range(&own), range(&other), format!("{ratio:.2}"), format!("{distance:.0e}")];
    println!(
        "\nmilliseconds on one thread, the least and greatest of the medians of {PROCESSES} processes\n{}",
        table::layout(&["sgemm1024", "OpenBLAS", "ratio", "difference"], &[row])
    );
    let mut failed = Vec::new();
    if verdict != "proved" {
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
