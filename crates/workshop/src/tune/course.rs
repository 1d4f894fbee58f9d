//! The course of a search: how fast the best schedule was after how long.

use std::time::Duration;

/// A schedule that took the lead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    /// The time since the search began, without the validator's.
    pub after: Duration,
    /// The schedule's time. Times of one search are compared by races, so that a busy machine
    /// changes none of their ratios.
    pub time: Duration,
    /// The number of candidates that were tried before.
    pub tried: usize,
}

/// Returns the time after which the best schedule took at most `factor` times as long as the last
/// one, for the rest of the search. Without any schedule there is no such time.
pub fn within(course: &[Lead], factor: f64) -> Option<Duration> {
    let last = course.last()?;
    let limit = last.time.mul_f64(factor.max(1.0));
    let far = course.iter().rposition(|lead| lead.time > limit);
    let first = far.map_or(0, |far| far + 1);
    course.get(first).map(|lead| lead.after)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Lead, within};

    #[test]
    fn a_search_that_falls_back_counts_from_its_return() {
        let lead = |seconds, milliseconds| Lead {
            after: Duration::from_secs(seconds),
            time: Duration::from_millis(milliseconds),
            tried: 0,
        };
        let course = [lead(1, 90), lead(2, 14), lead(5, 40), lead(9, 12), lead(20, 10)];
        assert_eq!(within(&course, 1.5), Some(Duration::from_secs(9)));
        assert_eq!(within(&course, 1.0), Some(Duration::from_secs(20)));
        assert_eq!(within(&course, 5.0), Some(Duration::from_secs(2)));
        assert_eq!(within(&[], 1.5), None);
    }
}
