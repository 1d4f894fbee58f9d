//! Tuples: all components of an instance are computed from the values before it, in any order of
//! the stores.

use crate::common::{open, options};
use halidom_ir::{parse, print};
use halidom_validate::{Kind, Report, Status, Verdict, validate};

/// `pair(x) = (pair(x).0 - 1, abs(pair(x).0))`, three times.
const TUPLE: &str = include_str!("tuple.ir");

const READ: &str = "pair.0.buffer[pair.s1.x - out.window.min.0 @ pair(pair.s1.x)]";
const FIRST: &str = "pair.0.buffer[pair.s1.x - out.window.min.0 @ pair(pair.s1.x) stage 1 \
    point(pair.s1.r)] = pair.0$1;";
const SECOND: &str = "pair.1.buffer[pair.s1.x - out.window.min.0 @ pair(pair.s1.x) stage 1 \
    point(pair.s1.r)] = pair.1;";

fn judge(text: &str, runs: bool) -> Report {
    let mut module = parse::module(text).expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let mut options = options();
    if !runs {
        options.search.trials = 0;
    }
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

fn edited(edits: &[(&str, &str)]) -> String {
    let mut text = TUPLE.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "nothing to edit: {old}");
        text = text.replacen(old, new, 1);
    }
    text
}

fn kinds(report: &Report) -> Vec<Kind> {
    let open = report.obligations.iter().filter(|o| matches!(o.status, Status::Open(_)));
    let mut kinds: Vec<Kind> = open.map(|obligation| obligation.kind).collect();
    kinds.dedup();
    kinds
}

#[test]
fn the_text_round_trips() {
    let module = parse::module(TUPLE).unwrap();
    let printed = print::module(&module.pool, &module.algorithm, &module.program.unwrap());
    assert_eq!(printed, TUPLE);
}

#[test]
fn both_orders_of_the_stores_are_proved() {
    for text in [TUPLE.to_owned(), edited(&[(FIRST, ""), (SECOND, &format!("{SECOND} {FIRST}"))])] {
        let report = judge(&text, true);
        assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    }
}

#[test]
fn a_component_computed_after_the_other_was_written_is_refuted() {
    let late = format!("let pair.1: i32 = abs({READ}); {SECOND}");
    let text = edited(&[(&format!("let pair.1: i32 = abs({READ});"), ""), (SECOND, &late)]);
    assert_eq!(kinds(&judge(&text, false)), [Kind::Order]);
    assert!(matches!(judge(&text, true).verdict, Verdict::Refuted(_)));
}

#[test]
fn each_component_is_owed() {
    let twice = SECOND.replace("= pair.1;", "= pair.0$1;");
    assert_eq!(kinds(&judge(&edited(&[(SECOND, &twice)]), false)), [Kind::Value]);
    let missing = judge(&edited(&[(SECOND, "")]), false);
    assert!(kinds(&missing).contains(&Kind::Coverage), "{}", open(&missing));
    // With exchanged initial values of the components, the program has another specification.
    let exchanged = edited(&[("(neg(i32(x)) - 1i32, 0i32)", "(0i32, neg(i32(x)) - 1i32)")]);
    assert!(matches!(judge(&exchanged, true).verdict, Verdict::Refuted(_)));
}

/// Sums in both components, by iterations that run at one time.
const SUMS: &str = "algorithm sums {
  func pair(): (i32, i32) {
    stage() = (0i32, 0i32);
    for r in [0, 8] stage() = (pair.0() + i32(r), pair.1() + i32(2 * r));
  }
  output pair;
}
program sums {
  output pair in pair.0.buffer, pair.1.buffer window;
  func pair {
    pair.0.buffer[0 @ pair() stage 0] = 0i32;
    pair.1.buffer[0 @ pair() stage 0] = 0i32;
    parallel k in [0, 8] {
      atomic pair.0.buffer[0 @ pair() stage 1 point(k)] = pair.0.buffer[0 @ pair()] + i32(k);
      atomic pair.1.buffer[0 @ pair() stage 1 point(k)] = pair.1.buffer[0 @ pair()] + i32(2 * k);
    }
  }
}
";

#[test]
fn components_that_commute_on_their_own_are_updated_in_any_order() {
    let report = judge(SUMS, false);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

#[test]
fn components_that_depend_on_each_other_are_not() {
    let of_other = "pair.0.buffer[0 @ pair()] + i32(2 * k)";
    let mixed = SUMS
        .replace("pair.1() + i32(2 * r)", "pair.0() + i32(2 * r)")
        .replace("pair.1.buffer[0 @ pair()] + i32(2 * k)", of_other);
    let doubled = SUMS.replace("pair.1() + i32(2 * r)", "pair.1() * 2i32 + i32(r)").replace(
        "pair.1.buffer[0 @ pair()] + i32(2 * k)",
        "pair.1.buffer[0 @ pair()] * 2i32 + i32(k)",
    );
    let torn = SUMS.replace("atomic pair.1", "pair.1");
    let peeks = SUMS.replace(
        "pair.1.buffer[0 @ pair()] + i32(2 * k)",
        "pair.1.buffer[0 @ pair()] + i32(2 * k) + (pair.0.buffer[0 @ pair()] & 0i32)",
    );
    for wrong in [mixed, doubled, torn, peeks] {
        assert_ne!(wrong, SUMS);
        let report = judge(&wrong, false);
        assert_ne!(report.verdict, Verdict::Proved, "{wrong}");
        let kinds = kinds(&report);
        let is_meant = kinds.contains(&Kind::Order) || kinds.contains(&Kind::Race);
        assert!(is_meant || kinds.contains(&Kind::Form), "{kinds:?}");
    }
}
