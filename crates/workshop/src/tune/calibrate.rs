//! Calibrates the model's times by small programs that our own code generator makes.

use std::sync::Arc;
use std::time::Duration;

use halidom_codegen::Toolchain;
use halidom_cost::{Machine, Measured, fit};
use halidom_driver::data::{self, Request};
use halidom_driver::source;
use halidom_driver::{compile, execute};

use super::error::TuneError;
use super::form::compile as build;
use super::model::Model;
use super::processor;
use super::sample::timed;

/// The time limit for one compile.
const LIMIT: Duration = Duration::from_secs(15);

/// The programs: each has one pipeline and some schedules, and is measured at a size that fits the
/// second cache and at one that fits none.
const KERNELS: &str = include_str!("kernels.hal");

/// The sizes of the two-dimensional outputs.
const SIZES: [[i64; 2]; 2] = [[1024, 64], [4096, 2048]];

/// The result of a calibration.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The machine with its times.
    pub machine: Machine,
    /// For each kernel, its name, the measured and the fitted nanoseconds.
    pub rows: Vec<(String, f64, f64)>,
}

/// Measures the kernels and fits the times to them.
///
/// # Errors
/// Returns the reason if a kernel cannot be prepared or the C compiler is missing.
pub fn calibrate(progress: &mut dyn FnMut(&str)) -> Result<Calibration, TuneError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let toolchain = execute::toolchain()?.within(LIMIT);
    let mut names = Vec::new();
    let mut measured = Vec::new();
    let pipelines = source::parse("kernels.hal", KERNELS).module.pipelines.len();
    for pipeline in 0..pipelines {
        for size in SIZES {
            for threads in [1, threads] {
                if threads > 1 && size == SIZES[0] {
                    continue;
                }
                kernel(pipeline, size, threads, &toolchain, &mut |name, one| {
                    progress(&format!("{name}: {:.1} µs", one.time / 1e3));
                    names.push(name);
                    measured.push(one);
                })?;
            }
        }
    }
    let machine = fit(&processor::uncalibrated(threads), &measured);
    let estimate = |one: &Measured| machine.with_threads(one.threads).estimate(&one.features).total;
    let rows = names.into_iter().zip(&measured);
    let rows = rows.map(|(name, one)| (name, one.time, estimate(one))).collect();
    Ok(Calibration { machine, rows })
}

/// Measures all schedules of one kernel.
fn kernel(
    pipeline: usize,
    size: [i64; 2],
    threads: usize,
    toolchain: &Toolchain,
    found: &mut dyn FnMut(String, Measured),
) -> Result<(), TuneError> {
    let mut loaded = source::parse("kernels.hal", KERNELS);
    let references = compile::references(&mut loaded, pipeline).map_err(TuneError::Refused)?;
    let algorithm = loaded.module.pipelines[pipeline].algorithm.clone();
    let request = Request { random: Some(1), size: Some(size.to_vec()), ..Request::default() };
    let pool = &loaded.module.pool;
    let prepared = Arc::new(data::prepare(pool, &algorithm, &references, &request)?);
    let machine = processor::uncalibrated(threads);
    let model = Model::new(pool, &algorithm, &prepared, machine);
    for number in 0..loaded.module.pipelines[pipeline].schedules.len() {
        let schedule = loaded.module.pipelines[pipeline].schedules[number].schedule.clone();
        let Ok(features) = model.features(&loaded.module.pool, &schedule) else { continue };
        let name =
            format!("{} {} {}x{} {threads}", algorithm.name, schedule.name, size[0], size[1]);
        let (copy, compiler) = (loaded.clone(), toolchain.clone());
        let make = move || build(copy, pipeline, Some(schedule), &compiler).map(Arc::new);
        if let Some(time) = timed(make, &prepared, threads) {
            found(name, Measured { features, time, threads, group: 0 });
        }
    }
    Ok(())
}

/// Stores the times of a calibration in the user's cache folder, and returns the file.
///
/// # Errors
/// The file cannot be written.
pub fn keep(calibration: &Calibration) -> std::io::Result<std::path::PathBuf> {
    processor::store(&calibration.machine)
}

#[cfg(test)]
mod tests {
    use halidom_driver::source;

    #[test]
    fn kernels_are_well_formed() {
        let loaded = source::parse("kernels.hal", super::KERNELS);
        assert!(!loaded.module.has_errors(), "{:?}", loaded.module.diagnostics);
        assert!(loaded.module.pipelines.iter().all(|found| !found.schedules.is_empty()));
    }
}
