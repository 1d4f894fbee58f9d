//! Programs that are wrong, or race, at one value in four thousand million. A run is unlikely to
//! find this, and misleading hints do not make the programs right.

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Kind, Status, Verdict, validate};

/// Checks that the program is not proved, and that exactly these kinds of obligations are open.
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

/// Two branches. The second sees the write of the first, so both may run.
#[test]
fn a_condition_that_sees_its_own_instance() {
    only(include_str!("rare/decided_late.ir"), &[Kind::Order]);
}

/// A store of another func under a condition on the func that is being updated. The store may not
/// run.
#[test]
fn a_store_under_a_condition_on_another_func() {
    only(include_str!("rare/decided_store.ir"), &[Kind::Form]);
}

/// A place there that computes another func. Its promise may not be kept.
#[test]
fn a_promise_under_a_condition_on_another_func() {
    only(include_str!("rare/decided_label.ir"), &[Kind::Form]);
}

/// A label takes over values that another label wrote in another iteration, and then stores of that
/// other label run after it.
#[test]
fn a_promise_that_is_broken_under_another_label() {
    only(include_str!("rare/promised_twice.ir"), &[Kind::Retention]);
}

/// A value that one iteration reads, computed before the loop, is written again by another
/// iteration.
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
