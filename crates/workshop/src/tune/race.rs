//! Races: a candidate against the best schedule so far.

use std::sync::Arc;
use std::time::{Duration, Instant};

use halidom_ir::Directive;

use super::form::{Attempt, Built, Failure, Form};

/// A candidate that is slower than the best one by this factor is not kept for further changes.
pub(super) const NEAR: f64 = 1.1;
/// A candidate that is faster by this factor, and wins most rounds, becomes the best.
const FASTER: f64 = 0.985;
/// The least and the largest number of rounds in a race, and its time limit.
pub(super) const ROUNDS: (usize, usize, Duration) = (5, 21, Duration::from_millis(1500));
/// Shorter runs are repeated to reach this time. Threads that sleep take a while to wake up: they
/// do so once before several runs of a form.
const SHORTEST: Duration = Duration::from_millis(2);

/// The number of runs of a form in a row, if one takes about so long.
pub(super) fn repeats(pace: Duration) -> u32 {
    let repeats = SHORTEST.as_nanos() / pace.as_nanos().max(1);
    u32::try_from(repeats).unwrap_or(1).clamp(1, 50)
}

/// The best form, with its arrays in place.
pub(super) struct Best {
    pub(super) form: Form,
    pub(super) score: f64,
    /// The last measured time of a run.
    pub(super) pace: Duration,
}

/// The result of a race.
pub(super) struct Race {
    /// The median ratio of the candidate's time to the best one's time in the same round, or the
    /// ratio of their least times if that is greater.
    pub(super) ratio: f64,
    pub(super) wins: usize,
    pub(super) rounds: usize,
    /// The median times of both.
    pub(super) best: Duration,
    pub(super) pace: Duration,
}

impl Race {
    /// Tests whether the candidate is faster, and not by chance.
    pub(super) fn is_faster(&self) -> bool {
        self.ratio < FASTER && 3 * self.wins >= 2 * self.rounds
    }
}

/// Races a candidate with the best one. If it is faster, both race again in other memory, and the
/// less favourable race counts: the places of arrays may make a difference, and so may luck. A
/// search would add up many such differences.
pub(super) fn raced(
    best: &mut Best,
    form: &mut Form,
    limit: Duration,
    place: &dyn Fn(Arc<Built>) -> Attempt<Form>,
) -> Result<Race, Failure> {
    let first = race(best, form, limit)?;
    if !first.is_faster() {
        return Ok(first);
    }
    for old in [&mut best.form, &mut *form] {
        if let Ok(placed) = place(Arc::clone(&old.built)) {
            *old = placed;
        }
    }
    let again = race(best, form, limit)?;
    Ok(if again.ratio > first.ratio { again } else { first })
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
fn race(best: &mut Best, form: &mut Form, limit: Duration) -> Result<Race, Failure> {
    let (least, most, budget) = ROUNDS;
    let repeats = repeats(best.pace);
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

/// Other work on the machine makes some runs slow. It may do so more often for one of the two, and
/// a search that believes the median alone takes one lucky candidate after another. Least times are
/// those without other work.
fn ratio(times: &[(Duration, Duration)]) -> f64 {
    let least = |of: fn(&(Duration, Duration)) -> Duration| {
        times.iter().map(of).min().unwrap_or_default().as_secs_f64()
    };
    let of_least = least(|(_, other)| *other) / least(|(own, _)| *own).max(1e-9);
    let mut ratios: Vec<f64> = times
        .iter()
        .map(|(own, other)| other.as_secs_f64() / own.as_secs_f64().max(1e-9))
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2].max(of_least)
}

pub(super) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::ratio;

    #[test]
    fn a_candidate_that_was_lucky_is_not_faster() {
        let times = |pairs: &[(u64, u64)]| -> f64 {
            let pair = |(own, other): &(u64, u64)| {
                (Duration::from_millis(*own), Duration::from_millis(*other))
            };
            ratio(&pairs.iter().map(pair).collect::<Vec<_>>())
        };
        let is = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(is(times(&[(10, 5), (10, 5), (12, 6)]), 0.5));
        // Other work met the best one in two of three rounds.
        assert!(is(times(&[(20, 10), (10, 10), (20, 10)]), 1.0));
        assert!(is(times(&[(10, 20), (10, 20), (10, 9)]), 2.0));
    }
}
