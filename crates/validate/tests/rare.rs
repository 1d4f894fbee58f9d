//! Programs that are wrong, or race, at one value in four thousand million: no run is likely to tell, and hints that mislead do not make them right.

mod common;

use std::collections::BTreeSet;

use common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Kind, Status, Verdict, validate};

/// The program is not proved: obligations of these kinds are open, and of no other.
fn only(text: &str, open_kinds: &[Kind]) {
    let mut module = parse::module(text).expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let mut options = options();
    options.search.trials = 0;
    let report = validate(&mut module.pool, &module.algorithm, &program, &options);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    let is_open = |status: &Status| matches!(status, Status::Open(_));
    let kinds = report.obligations.iter().filter(|o| is_open(&o.status)).map(|o| o.kind);
    let expected: BTreeSet<Kind> = open_kinds.iter().copied().collect();
    assert_eq!(kinds.collect::<BTreeSet<_>>(), expected, "{}", open(&report));
}

/// Two branches, of which the second sees what the first did: both may run.
#[test]
fn a_condition_that_sees_its_own_instance() {
    only(include_str!("rare/decided_late.ir"), &[Kind::Order]);
}

/// A store of another func under a condition on the func that is being updated: it may not run.
#[test]
fn a_store_under_a_condition_on_another_func() {
    only(include_str!("rare/decided_store.ir"), &[Kind::Form]);
}

/// A place that computes another func there: what it promises may not be.
#[test]
fn a_promise_under_a_condition_on_another_func() {
    only(include_str!("rare/decided_label.ir"), &[Kind::Form]);
}

/// A label that takes over what another iteration left, and that label's stores after it.
#[test]
fn a_promise_that_is_broken_under_another_label() {
    only(include_str!("rare/promised_twice.ir"), &[Kind::Retention]);
}

/// What one iteration reads, computed before the loop, another one writes once more.
#[test]
fn a_read_of_what_is_written_beside_it() {
    only(include_str!("rare/race_outer.ir"), &[Kind::Race]);
    only(include_str!("rare/race_kept.ir"), &[Kind::Race]);
}

/// An index that is undefined in an iteration whose store is not needed.
#[test]
fn an_index_that_is_not_computed() {
    only(include_str!("rare/undefined_index.ir"), &[Kind::Definedness]);
}

/// An index that is read before the update, where the final value is known to be small.
#[test]
fn an_index_that_is_not_final() {
    only(include_str!("rare/own_index.ir"), &[Kind::Bounds, Kind::Definedness, Kind::Retention]);
}
