//! Races: a candidate against the best schedule so far.

use std::time::{Duration, Instant};

use halidom_ir::Directive;

use super::form::{Failure, Form};

/// A candidate that is slower than the best one by this factor is not kept for further changes.
pub(super) const NEAR: f64 = 1.1;
/// The least and the largest number of rounds in a race, and its time limit.
pub(super) const ROUNDS: (usize, usize, Duration) = (5, 21, Duration::from_millis(1500));
/// Shorter runs are repeated to reach this time.
const SHORTEST: Duration = Duration::from_micros(400);

/// The best form, with its arrays in place.
pub(super) struct Best {
    pub(super) form: Form,
    pub(super) score: f64,
    /// The last measured time of a run.
    pub(super) pace: Duration,
}

/// The result of a race.
pub(super) struct Race {
    /// The median ratio of the candidate's time to the best one's time in the same round.
    pub(super) ratio: f64,
    pub(super) wins: usize,
    pub(super) rounds: usize,
    /// The median times of both.
    pub(super) best: Duration,
    pub(super) pace: Duration,
}

/// The number of slower schedules that are kept.
const KEPT: usize = 32;

/// The fastest of the schedules that were slower than the best one, each with its time in seconds.
#[derive(Default)]
pub(super) struct Slower(Vec<(f64, Vec<Directive>)>);

impl Slower {
    pub(super) fn keep(&mut self, score: f64, directives: &[Directive]) {
        let position = self.0.partition_point(|(known, _)| *known <= score);
        self.0.insert(position, (score, directives.to_vec()));
        self.0.truncate(KEPT);
    }

    /// Returns the schedules, the fastest first.
    pub(super) fn fastest(self) -> impl Iterator<Item = Vec<Directive>> {
        self.0.into_iter().map(|(_, directives)| directives)
    }
}

/// Runs a candidate and the best one in turn until it is clear which is faster.
pub(super) fn race(best: &mut Best, form: &mut Form, limit: Duration) -> Result<Race, Failure> {
    let (least, most, budget) = ROUNDS;
    let repeats = SHORTEST.as_nanos() / best.pace.as_nanos().max(1);
    let repeats = u32::try_from(repeats).unwrap_or(1).clamp(1, 50);
    let begin = Instant::now();
    let mut times: Vec<(Duration, Duration)> = Vec::new();
    while times.len() < most && (times.len() < least || begin.elapsed() < budget) {
        let pair = if times.len().is_multiple_of(2) {
            let own = best.form.run(repeats, limit * repeats)?;
            (own, form.run(repeats, limit * repeats)?)
        } else {
            let other = form.run(repeats, limit * repeats)?;
            (best.form.run(repeats, limit * repeats)?, other)
        };
        times.push(pair);
        if times.len() >= least {
            let ratio = ratio(&times);
            if !(0.85..NEAR + 0.05).contains(&ratio) {
                break;
            }
        }
    }
    Ok(Race {
        ratio: ratio(&times),
        wins: times.iter().filter(|(own, other)| other < own).count(),
        rounds: times.len(),
        best: median(times.iter().map(|(own, _)| *own).collect()),
        pace: median(times.iter().map(|(_, other)| *other).collect()),
    })
}

fn ratio(times: &[(Duration, Duration)]) -> f64 {
    let mut ratios: Vec<f64> = times
        .iter()
        .map(|(own, other)| other.as_secs_f64() / own.as_secs_f64().max(1e-9))
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}
