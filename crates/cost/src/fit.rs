//! Fits the times of features to measurements.

use crate::features::Features;
use crate::machine::Machine;

/// A run that was measured: its features and its time in nanoseconds.
pub struct Measured {
    /// The features.
    pub features: Features,
    /// The time.
    pub time: f64,
    /// The number of threads.
    pub threads: usize,
    /// Measurements of one group have one unknown factor in common, so that only their order and
    /// their ratios count; 0 stands for none.
    pub group: usize,
}

/// The pull towards the times at the start: the square of a logarithm weighs this much.
const PULL: f64 = 0.03;

/// Returns the machine with times that agree with measurements as far as possible. Each time stays
/// within a factor of thirty. The result follows from the arguments alone.
pub fn fit(machine: &Machine, measured: &[Measured]) -> Machine {
    let start = machine.times.numbers();
    let mut logs = vec![0.0_f64; start.len()];
    let mut best = error(machine, &start, &logs, measured);
    let mut step = 0.7;
    while step > 0.02 {
        let mut has_improved = false;
        for number in 0..logs.len() {
            for direction in [step, -step] {
                let old = logs[number];
                logs[number] = (old + direction).clamp(-3.4, 3.4);
                let error = error(machine, &start, &logs, measured);
                if error < best {
                    best = error;
                    has_improved = true;
                    break;
                }
                logs[number] = old;
            }
        }
        if !has_improved {
            step /= 2.0;
        }
    }
    let mut fitted = machine.clone();
    fitted.times.set(&scaled(&start, &logs));
    fitted
}

fn scaled(start: &[f64], logs: &[f64]) -> Vec<f64> {
    start.iter().zip(logs).map(|(start, log)| start * log.exp()).collect()
}

fn error(machine: &Machine, start: &[f64], logs: &[f64], measured: &[Measured]) -> f64 {
    let mut tried = machine.clone();
    tried.times.set(&scaled(start, logs));
    let groups = measured.iter().map(|one| one.group).max().unwrap_or(0);
    let mut errors: Vec<Vec<f64>> = vec![Vec::new(); groups + 1];
    for one in measured {
        tried.threads = one.threads;
        let estimate = tried.estimate(&one.features).total;
        errors[one.group].push((estimate.max(1.0) / one.time.max(1.0)).ln());
    }
    let mut sum = 0.0;
    for (group, errors) in errors.iter().enumerate() {
        let count = errors.len().max(1) as f64;
        let mean = errors.iter().sum::<f64>() / count;
        // The common factor of a group weighs little.
        let offset = if group == 0 { 0.0 } else { mean * 0.8 };
        let squares = errors.iter().map(|error| {
            let error = (error - offset).abs();
            // Large errors weigh less than their square.
            if error < 0.5 { error * error } else { error - 0.25 }
        });
        sum += squares.sum::<f64>() / if group == 0 { 1.0 } else { count / 10.0 };
    }
    sum + PULL * logs.iter().map(|log| log * log).sum::<f64>()
}
