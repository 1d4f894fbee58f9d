//! The machine's limits, measured at the time of the run.

use super::programs::Program;
use crate::error::Error;
use crate::json::Json;
use crate::process::{capture, is_installed, program, root, shown};
use std::fs;
use std::path::PathBuf;

const SOURCE: &str = "xtask/src/bench/native/limits.c";

/// The best measurements with one number of threads.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    threads: usize,
    /// Bytes copied per second, counting both reads and writes.
    bytes: f64,
    /// Sums and products of `f32` per second.
    flops: f64,
}

/// The resource that limits a program.
#[derive(Clone, Copy)]
pub(super) enum Bound {
    /// Moving its inputs and outputs.
    Copying,
    /// Its sums and products.
    Arithmetic,
}

impl Bound {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Copying => "copying",
            Self::Arithmetic => "arithmetic",
        }
    }
}

/// Measures the limits with one C program.
pub(super) struct Limits {
    program: PathBuf,
    known: Vec<Limit>,
}

impl Limits {
    /// Compiles the program.
    pub(super) fn new() -> Result<Self, Error> {
        let folder = root().join("target/bench-native");
        fs::create_dir_all(&folder).map_err(|cause| Error::File { path: folder.clone(), cause })?;
        let path = folder.join("limits");
        let mut command = program(if is_installed("clang-19") { "clang-19" } else { "cc" });
        command.args(["-O3", "-march=native", "-ffp-contract=fast", "-o"]).arg(&path);
        command.arg(root().join(SOURCE)).arg("-lpthread");
        let output = capture(&mut command)?;
        if !output.status.success() {
            print!("{}", String::from_utf8_lossy(&output.stderr));
            return Err(Error::Failed { command: shown(&command), status: output.status });
        }
        Ok(Self { program: path, known: Vec::new() })
    }

    /// Measures with this number of threads. The best measurement so far counts, as other work on
    /// the machine only lowers it.
    pub(super) fn measure(&mut self, threads: usize) -> Result<(), Error> {
        let mut command = program(&self.program);
        let output = capture(command.arg(threads.to_string()))?;
        let problem =
            |problem: &str| Error::Output { command: shown(&command), problem: problem.to_owned() };
        let answer = Json::parse(&String::from_utf8_lossy(&output.stdout)).map_err(problem)?;
        let number = |key: &str| answer.get(key).and_then(Json::number);
        let (Some(bytes), Some(flops)) = (number("bytes"), number("flops")) else {
            return Err(problem("a limit is missing"));
        };
        match self.known.iter_mut().find(|limit| limit.threads == threads) {
            Some(limit) => {
                limit.bytes = limit.bytes.max(bytes);
                limit.flops = limit.flops.max(flops);
            }
            None => self.known.push(Limit { threads, bytes, flops }),
        }
        Ok(())
    }

    /// A lower bound in milliseconds for every program with these inputs and outputs, and its
    /// reason.
    pub(super) fn least(
        &self,
        program: &Program,
        bytes: f64,
        threads: usize,
    ) -> Option<(f64, Bound)> {
        let limit = self.known.iter().find(|limit| limit.threads == threads)?;
        let (copying, arithmetic) = (bytes / limit.bytes, program.flops / limit.flops);
        Some(if arithmetic > copying {
            (1e3 * arithmetic, Bound::Arithmetic)
        } else {
            (1e3 * copying, Bound::Copying)
        })
    }

    /// Prints a line for each number of threads.
    pub(super) fn shown(&self) -> String {
        let lines = self.known.iter().map(|limit| {
            let words = if limit.threads == 1 { "thread" } else { "threads" };
            format!(
                "{} {words}: memory is copied at {:.1} GB/s, sums and products of f32 run at {:.0} \
                    GF/s\n",
                limit.threads,
                limit.bytes / 1e9,
                limit.flops / 1e9
            )
        });
        lines.collect()
    }
}
