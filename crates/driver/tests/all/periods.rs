//! The regions of inputs that are repeated or mirrored: small inside the whole and at its ends,
//! and never too small.

use halidom_driver::halo;
use halidom_driver::judge::Options;
use halidom_driver::source::Choice;
use halidom_interp::{Bindings, evaluate_expr};
use halidom_ir::{Constant, Pool};
use halidom_validate::Verdict;

use crate::common::load;

/// The coordinate that is read for a coordinate of an array of some length.
type Read = fn(i64, i64) -> i64;

/// The boundary conditions, and the coordinate that each reads for a coordinate from the first one
/// of the whole on, by walking to it.
const BOUNDARIES: [(&str, Read); 3] = [
    ("repeat_image", |at, length| walk(at, |at| at + length, |at| at - length, length)),
    ("mirror_image", |at, length| walk(at, |at| -1 - at, |at| 2 * length - 1 - at, length)),
    ("mirror_interior", |at, length| walk(at, |at| -at, |at| 2 * length - 2 - at, length)),
];

/// Folds a coordinate at the ends of the whole until it lies within.
fn walk(mut at: i64, before: impl Fn(i64) -> i64, behind: impl Fn(i64) -> i64, length: i64) -> i64 {
    if length == 1 {
        return 0;
    }
    while !(0..length).contains(&at) {
        at = if at < 0 { before(at) } else { behind(at) };
    }
    at
}

fn program(boundary: &str) -> String {
    format!(
        "pipeline p(a: buffer<u8, 1>) -> c: buffer<u8, 1> {{
            func at = {boundary}(a);
            func c(x) = at(x - 2) + at(x + 1);
        }}"
    )
}

#[test]
fn regions_hold_every_read_and_little_more() {
    for (boundary, reads) in BOUNDARIES {
        let loaded = load(boundary, &program(boundary));
        let choice = Choice { pipeline: 0, schedule: None };
        let found = halo::find(&loaded, &choice).expect("it has bounds");
        let reach = &found.regions[0].dims[0];
        assert_eq!(reach.inside.as_deref(), Some("[x0 - 2, x1 + 1]"), "{boundary}");
        let (pool, windows) = (&found.subject.pool, &found.subject.windows);
        let whole = windows[0].whole[0];
        let window = found.subject.compiled.program.outputs[0].window[0];
        let first = -1;
        let mut at_ends = 0;
        for length in 1..9 {
            for (low, extent) in (-9..12).flat_map(|low| (1..6).map(move |extent| (low, extent))) {
                let mut bindings = Bindings::new();
                let values =
                    [(whole.0, first), (whole.1, length), (window.0, low), (window.1, extent)];
                for (var, value) in values {
                    let value = Constant::int(i128::from(value));
                    bindings.set_var(pool, var, value).expect("it is an integer");
                }
                let value = |expr| {
                    let value = evaluate_expr(pool, expr, &bindings).expect("it has a value");
                    i64::try_from(value.as_integer().expect("it is an integer")).expect("it fits")
                };
                let region = (value(reach.low), value(reach.low) + value(reach.extent) - 1);
                let taps = (low..low + extent).flat_map(|x| [x - 2, x + 1]);
                let read: Vec<i64> = taps.map(|x| first + reads(x - first, length)).collect();
                let hull = (*read.iter().min().unwrap(), *read.iter().max().unwrap());
                let case = format!("{boundary}: {low}, {extent} of {first}, {length}");
                assert!(region.0 <= hull.0 && hull.1 <= region.1, "{case}: {region:?} {hull:?}");
                let last = first + length - 1;
                assert!(first <= region.0 && region.1 <= last, "{case}: {region:?}");
                let is_inside = first <= low - 2 && low + extent <= last;
                // A mirror is continuous at the ends; a repeated image needs both ends there.
                let is_short = extent + 3 <= length / 2 && first <= low && low + extent <= last + 1;
                if is_inside || (is_short && boundary != "repeat_image") {
                    // Each tap alone gives an interval, so the hull of both is tight.
                    assert_eq!(region, hull, "{case}");
                    at_ends += usize::from(!is_inside);
                }
            }
        }
        assert!(at_ends > 0 || boundary == "repeat_image");
    }
}

#[test]
fn smaller_regions_are_not_proved() {
    let options = Options::find().expect("a solver is installed");
    for (boundary, _) in BOUNDARIES {
        let loaded = load(boundary, &program(boundary));
        let choice = Choice { pipeline: 0, schedule: None };
        let found = halo::find(&loaded, &choice).expect("it has bounds");
        assert_eq!(found.prove(&options).verdict, Verdict::Proved, "{boundary}");
        for low in [true, false] {
            let smaller = halo::find_with(&loaded, &choice, &mut |pool: &mut Pool, _, interval| {
                let one = pool.int(1);
                interval.extent = pool.sub(interval.extent, one);
                if low {
                    interval.min = pool.add(interval.min, one);
                }
            });
            let verdict = smaller.expect("it has bounds").prove(&options).verdict;
            assert_ne!(verdict, Verdict::Proved, "{boundary}, low: {low}");
        }
    }
}
