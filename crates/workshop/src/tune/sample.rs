//! Measures random legal schedules of a pipeline, and compares the model's estimates with the
//! times.
//!
//! The times are kept in a file, one line for each schedule, so that a run continues where the one
//! before ended. The estimates are made anew at every run, from the texts of the schedules.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_base::FxHashSet;
use halidom_cost::Features;
use halidom_driver::data::{self, Prepared, Request};
use halidom_driver::source::{self, Loaded};
use halidom_driver::{compile, execute};
use halidom_ir::{Directive, Schedule};
use halidom_lang::print_schedule;
use halidom_testgen::Random;
use serde_json::{Value, json};

use super::batch;
use super::error::TuneError;
use super::facts::Facts;
use super::form::Form;
use super::model::Model;
use super::moves::{Mover, changed};
use super::processor;
use super::search::loops;
use super::seeds::seeds;

/// The time limit for one compile, and for one run.
const LIMIT: (Duration, Duration) = (Duration::from_secs(12), Duration::from_secs(4));
/// The runs of a schedule: at most, and for how long.
const RUNS: (usize, Duration) = (15, Duration::from_millis(400));
/// The largest number of schedules that are drawn.
const MOST_TRIES: usize = 20_000;

/// The subject of a measurement.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// The pipeline's number in its module.
    pub pipeline: usize,
    /// The wanted number of schedules.
    pub count: usize,
    /// The number of threads.
    pub threads: usize,
    /// The seed of the schedules.
    pub seed: u64,
    /// The time limit.
    pub budget: Duration,
}

/// A schedule with its time and its estimate.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The schedule's text.
    pub text: String,
    /// The measured nanoseconds.
    pub measured: f64,
    /// The features.
    pub features: Features,
    /// The estimated nanoseconds.
    pub estimated: f64,
}

/// Measures schedules until there are enough of them in the file, and returns all of them.
///
/// # Errors
/// Returns the reason if the pipeline is refused, the data cannot be prepared, or the file cannot
/// be read or written.
pub fn sample(
    loaded: &Loaded,
    sampling: &Sampling,
    request: &Request,
    path: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<Sample>, TuneError> {
    let begin = Instant::now();
    let mut loaded = loaded.clone();
    let pipeline = sampling.pipeline;
    let references = compile::references(&mut loaded, pipeline).map_err(TuneError::Refused)?;
    let algorithm = loaded.module.pipelines[pipeline].algorithm.clone();
    let prepared = data::prepare(&loaded.module.pool, &algorithm, &references, request)?;
    let prepared = Arc::new(prepared);
    let (machine, _) = processor::machine(sampling.threads);
    let pool = &loaded.module.pool;
    let model = Model::new(pool, &algorithm, &prepared, machine.clone());
    let mut lines = read(path);
    let mut random = Random::new(sampling.seed.wrapping_add(lines.len() as u64));
    let facts = Facts::of(pool, &algorithm, &execute::host(&algorithm));
    let starts: Vec<Vec<Directive>> =
        seeds(&mut loaded.module.pool, &facts).into_iter().map(|seed| seed.directives).collect();
    let toolchain = execute::toolchain()?.within(LIMIT.0 / 4);
    let mut seen: FxHashSet<String> = lines.iter().map(|(text, _)| text.clone()).collect();
    let mut tries = 0;
    while lines.len() < sampling.count && begin.elapsed() < sampling.budget && tries < MOST_TRIES {
        let mut drawn: Vec<(Schedule, String)> = Vec::new();
        while drawn.len() < batch::size() && tries < MOST_TRIES {
            tries += 1;
            let Some(start) = random.choose(&starts).cloned() else { break };
            let known = loops(&loaded.module.pool, &algorithm, &start);
            let mut directives = start;
            for _ in 0..random.below(7) {
                let pool = &mut loaded.module.pool;
                let mut mover = Mover { pool, facts: &facts, loops: &known, random: &mut random };
                directives = changed(&mut mover, &directives);
            }
            let schedule = Schedule { name: "drawn".to_owned(), directives };
            let pool = &loaded.module.pool;
            let Ok(text) = print_schedule(pool, &algorithm, &schedule) else { continue };
            if model.features(pool, &schedule).is_ok() && seen.insert(text.clone()) {
                drawn.push((schedule, text));
            }
        }
        let schedules = drawn.iter().map(|(schedule, _)| schedule.clone()).collect();
        let (built, late) = batch::build(&loaded, pipeline, schedules, (&toolchain, None), LIMIT.0);
        let deadline = Instant::now() + LIMIT.0;
        for thread in late {
            thread.ends_by(deadline);
        }
        for ((_, text), built) in drawn.into_iter().zip(built) {
            let Ok(built) = built else { continue };
            let Some(time) = timed(move || Ok(built), &prepared, sampling.threads) else {
                continue;
            };
            progress(&format!("{} of {}: {:.3} ms", lines.len() + 1, sampling.count, time / 1e6));
            let line = json!({ "text": text, "nanoseconds": time }).to_string();
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            writeln!(file, "{line}")?;
            lines.push((text, time));
        }
    }
    estimated(&loaded, &lines, pipeline, request, &machine)
}

/// The shortest time of some runs, in nanoseconds. With one thread it is the processor's time,
/// which other work on the machine changes little.
pub(super) fn timed(
    make: impl FnOnce() -> Result<Arc<super::form::Built>, super::form::Failure> + Send + 'static,
    prepared: &Arc<Prepared>,
    threads: usize,
) -> Option<f64> {
    let mut form = match Form::start(make, prepared, LIMIT.0) {
        Ok(form) => form,
        Err((_, thread)) => {
            let deadline = Instant::now() + LIMIT.0;
            if let Some(thread) = thread {
                thread.ends_by(deadline);
            }
            return None;
        }
    };
    form.built.set_threads(threads);
    let begin = Instant::now();
    let mut least = Duration::MAX;
    for number in 0..RUNS.0 {
        match form.timed(1, LIMIT.1) {
            Ok(took) => least = least.min(if threads == 1 { took.processor } else { took.clock }),
            Err(failure) => {
                let deadline = Instant::now() + LIMIT.0;
                if let Some(thread) = form.end(&failure) {
                    thread.ends_by(deadline);
                }
                return None;
            }
        }
        // The first run fills caches and makes pages.
        let enough = if number > 0 { RUNS.1 } else { 2 * RUNS.1 };
        if begin.elapsed() > enough {
            break;
        }
    }
    Some(least.as_nanos() as f64)
}

fn read(path: &Path) -> Vec<(String, f64)> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| -> Option<(String, f64)> {
        let value: Value = serde_json::from_str(line).ok()?;
        Some((value.get("text")?.as_str()?.to_owned(), value.get("nanoseconds")?.as_f64()?))
    };
    text.lines().filter_map(line).collect()
}

/// Estimates the schedules of measured texts.
fn estimated(
    loaded: &Loaded,
    lines: &[(String, f64)],
    pipeline: usize,
    request: &Request,
    machine: &halidom_cost::Machine,
) -> Result<Vec<Sample>, TuneError> {
    let mut whole = loaded.text().to_owned();
    for (number, (text, _)) in lines.iter().enumerate() {
        let renamed = text.replacen("schedule drawn ", &format!("schedule drawn_{number} "), 1);
        whole.push('\n');
        whole.push_str(&renamed);
    }
    let mut again = source::parse("samples.hal", whole);
    if again.module.has_errors() {
        return Err(TuneError::Refused(again.module.diagnostics));
    }
    let references = compile::references(&mut again, pipeline).map_err(TuneError::Refused)?;
    let found = &again.module.pipelines[pipeline];
    let pool = &again.module.pool;
    let prepared = data::prepare(pool, &found.algorithm, &references, request)?;
    let model = Model::new(pool, &found.algorithm, &prepared, machine.clone());
    let mut samples = Vec::new();
    for (number, (text, measured)) in lines.iter().enumerate() {
        let Some(named) = found.schedule(&format!("drawn_{number}")) else { continue };
        if let Ok(features) = model.features(pool, &named.schedule) {
            let estimated = machine.estimate(&features).total;
            samples.push(Sample { text: text.clone(), measured: *measured, features, estimated });
        }
    }
    Ok(samples)
}

/// The agreement of estimates with times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Spearman's coefficient of all schedules.
    pub all: f64,
    /// The same of the fastest quarter.
    pub fastest: f64,
    /// The time of the fastest of the ten schedules with the lowest estimates, as a multiple of
    /// the fastest.
    pub top: f64,
}

/// Compares estimates with times.
pub fn agreement(pairs: &[(f64, f64)]) -> Agreement {
    let mut by_time = pairs.to_vec();
    by_time.sort_by(|one, other| one.0.total_cmp(&other.0));
    let quarter = &by_time[..by_time.len().div_ceil(4)];
    let mut by_estimate = pairs.to_vec();
    by_estimate.sort_by(|one, other| one.1.total_cmp(&other.1));
    let best = by_time.first().map_or(1.0, |pair| pair.0);
    let top = by_estimate.iter().take(10).map(|pair| pair.0).fold(f64::INFINITY, f64::min);
    Agreement { all: spearman(pairs), fastest: spearman(quarter), top: top / best }
}

/// The correlation of ranks.
fn spearman(pairs: &[(f64, f64)]) -> f64 {
    let times = ranks(&pairs.iter().map(|pair| pair.0).collect::<Vec<_>>());
    let estimates = ranks(&pairs.iter().map(|pair| pair.1).collect::<Vec<_>>());
    let mean = (pairs.len() as f64 - 1.0) / 2.0;
    let both = times.iter().zip(&estimates);
    let product: f64 = both.map(|(one, other)| (one - mean) * (other - mean)).sum();
    let square = |ranks: &[f64]| ranks.iter().map(|rank| (rank - mean).powi(2)).sum::<f64>();
    let squares = (square(&times) * square(&estimates)).sqrt();
    if squares > 0.0 { product / squares } else { 0.0 }
}

/// The rank of each number; equal numbers share the mean of their ranks.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let rank = |number: &f64| {
        let below = numbers.iter().filter(|other| *other < number).count() as f64;
        let equal = numbers.iter().filter(|other| other.total_cmp(number).is_eq()).count() as f64;
        below + (equal - 1.0) / 2.0
    };
    numbers.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::agreement;

    #[test]
    fn agreement_is_about_the_order_alone() {
        let pairs: Vec<(f64, f64)> =
            (0..40).map(|number| (f64::from(number + 1), f64::from(number).exp())).collect();
        let found = agreement(&pairs);
        assert!((found.all - 1.0).abs() < 1e-9 && (found.fastest - 1.0).abs() < 1e-9);
        assert!((found.top - 1.0).abs() < 1e-9);
        let turned: Vec<(f64, f64)> = pairs.iter().map(|(time, _)| (*time, -time)).collect();
        let found = agreement(&turned);
        assert!((found.all + 1.0).abs() < 1e-9);
        assert!((found.top - 31.0).abs() < 1e-9);
    }
}
