//! A compile's output grows proportionally to the pipeline: the number of expressions is linear in
//! the number of stages and levels. For times, see `benches/compile`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../benches/compile/families.rs"]
mod families;

use families::FAMILIES;
use halidom_driver::compile::compile;
use halidom_driver::source::{self, Choice};

/// The tolerated growth beyond a factor of two when the number of stages doubles.
const TOLERANCE: f64 = 1.3;

/// The number of expressions that a compile makes.
fn made(text: &str, schedule: &str) -> usize {
    let mut loaded = source::parse("member", text);
    assert!(loaded.module.diagnostics.is_empty(), "{:?}", loaded.module.diagnostics);
    let choice = Choice { pipeline: 0, schedule: loaded.schedule(0, Some(schedule)).unwrap() };
    compile(&mut loaded, &choice, &mut |_, _, _| {}).unwrap();
    loaded.module.pool.expr_count()
}

#[test]
fn compiles_are_linear_in_stages() {
    for family in FAMILIES {
        for schedule in family.schedules {
            let [.., small, large] = family.sizes else { panic!("{}", family.name) };
            let allowed = f64::from(*large) / f64::from(*small) * TOLERANCE;
            let [before, after] = [small, large].map(|size| made(&(family.text)(*size), schedule));
            assert!(
                after as f64 / before as f64 <= allowed,
                "{} {schedule}: {before} expressions for {small}, {after} for {large}",
                family.name
            );
        }
    }
}
