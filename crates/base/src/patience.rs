//! Work that ends early when its time is over.
//!
//! The compiler cannot be stopped from outside, and a search over schedules meets some that take
//! very long to compile. Code whose time may grow fast calls [`look`] at each step; [`within`]
//! unwinds the stack from there when the time is over.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Instant;

/// The number of steps between two looks at the clock.
const STEPS: u32 = 1 << 12;

thread_local! {
    /// The steps that are left before the next look at the clock.
    static LEFT: Cell<u32> = const { Cell::new(STEPS) };
    static UNTIL: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// The payload with which the stack is unwound.
struct Over;

/// Runs a piece of work on this thread. Returns `None` if it looked at the clock after its time was
/// over; what it had changed is then incomplete, and must not be used. A piece within another one
/// has no more time than the other one.
pub fn within<R>(until: Instant, work: impl FnOnce() -> R) -> Option<R> {
    let around = UNTIL.get();
    UNTIL.set(Some(around.map_or(until, |around| around.min(until))));
    let result = catch_unwind(AssertUnwindSafe(work));
    UNTIL.set(around);
    match result {
        Ok(result) => Some(result),
        Err(payload) if payload.is::<Over>() => None,
        Err(payload) => resume_unwind(payload),
    }
}

/// Ends the work around, if it has a time limit that is over.
#[inline]
pub fn look() {
    let left = LEFT.get();
    if left == 0 {
        look_at_clock();
    } else {
        LEFT.set(left - 1);
    }
}

#[cold]
fn look_at_clock() {
    LEFT.set(STEPS);
    if UNTIL.get().is_some_and(|until| until <= Instant::now()) {
        resume_unwind(Box::new(Over));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{look, within};

    fn forever() -> ! {
        loop {
            look();
        }
    }

    #[test]
    fn endless_work_ends_with_its_time() {
        let soon = || Instant::now() + Duration::from_millis(20);
        assert_eq!(within(soon(), || forever()), None);
        // The limit is gone afterwards, and an inner limit does not end the outer work.
        let far = Instant::now() + Duration::from_hours(1);
        assert_eq!(within(far, || within(soon(), || forever()).is_none()), Some(true));
        (0..1 << 14).for_each(|_| look());
        assert_eq!(within(far, || 7), Some(7));
    }

    #[test]
    fn an_inner_piece_has_no_more_time_than_the_outer_one() {
        let far = Instant::now() + Duration::from_hours(1);
        let soon = Instant::now() + Duration::from_millis(20);
        assert_eq!(within(soon, || within(far, || forever()).is_none()), Some(true));
    }

    #[test]
    #[should_panic(expected = "a defect")]
    fn other_panics_go_on() {
        let far = Instant::now() + Duration::from_hours(1);
        let _ = within(far, || panic!("a defect"));
    }
}
