//! Funcs that are right only under an axiom but have one value for each coordinate: their unordered
//! stores may meet.
//!
//! Each program comes with a wrong variant that differs as little as possible: two iterations write
//! values that differ in the last bit.

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Axiom, Axioms, Floats, Kind, Report, Verdict, validate};

/// A sum.
const SUM: &str = "func out(): f32 { stage() = (x + y) + z; }";
/// A sum in memory, and its double.
const TWICE: &str = "
  func g(): f32 { stage() = (x + y) + z; }
  func out(): f32 { stage() = g() * 2.0f32; }";
/// Two sums in memory that are equal under an axiom. Only one of them is read.
const PAIR: &str = "
  func g(): (f32, f32) { stage() = ((x + y) + z, x + (z + y)); }
  func out(): f32 { stage() = g.0() * 2.0f32; }";
/// Data, and a sum that does not read it.
const DATA: &str = "
  func d(a): i32 { stage(a) = (i32(x) % 2i32 + i32(a)) % 2i32; }
  func out(): f32 { stage() = (x + y) + z; }";
/// A sum that is in memory twice, read at an index from data.
const INDEX: &str = "
  func d(a): i32 { stage(a) = (i32(x) % 2i32 + i32(a)) % 2i32; }
  func g(b): f32 { stage(b) = (x + y) + z; }
  func out(): f32 { stage() = g(int(d(0))) * 2.0f32; }";
/// A sum that differs from place to place.
const LINE: &str = "
  func g(a): f32 { stage(a) = (f32(a) + x) + (y + z); }
  func out(): f32 { stage() = g(0) + g(1); }";
/// Sums of neighbours on that line.
const WINDOW: &str = "
  func g(a): f32 { stage(a) = (f32(a) + x) + (y + z); }
  func h(b): f32 { stage(b) = g(b) + g(b + 1); }
  func out(): f32 { stage() = h(1) + h(2); }";

/// Two groupings of the sum, both different from the specification's.
const GROUPINGS: [(&str, &str); 2] = [("ONE", "(x + (y + z))"), ("OTHER", "(y + (x + z))")];
/// Replacements for `?`: the first makes a program right, the second wrong.
const REGROUPED: [&str; 2] = ["ONE", "OTHER"];
const AT_ITERATION: [&str; 2] = ["0", "p"];

/// Name, funcs, statements, and the replacements that make them right and wrong.
const CASES: [(&str, &str, &str, [&str; 2]); 18] = [
    (
        "branches",
        SUM,
        "func out { parallel p in [0, 2] {
           if p < 1 { out.buffer[0 @ out() stage 0] = ONE; } else \
           { out.buffer[0 @ out() stage 0] = ?; }
         } }",
        REGROUPED,
    ),
    (
        "a selection",
        SUM,
        "func out { parallel p in [0, 2] { \
            out.buffer[0 @ out() stage 0] = select(p < 1, ONE, ?); } }",
        REGROUPED,
    ),
    (
        "a variable",
        SUM,
        "func out { parallel p in [0, 2] {
           let v: f32 = select(p < 1, ONE, ?);
           out.buffer[0 @ out() stage 0] = v;
         } }",
        REGROUPED,
    ),
    (
        "one after the other",
        SUM,
        "func out { parallel p in [0, 2] {
           out.buffer[0 @ out() stage 0] = ONE;
           out.buffer[0 @ out() stage 0] = ?;
         } }",
        REGROUPED,
    ),
    (
        "a serial loop inside",
        SUM,
        "func out { parallel p in [0, 2] { for q in [0, 2] {
           out.buffer[0 @ out() stage 0] = select(p == q, ONE, ?);
         } } }",
        REGROUPED,
    ),
    (
        "a serial loop around",
        SUM,
        "func out { for q in [0, 2] { parallel p in [0, 2] {
           out.buffer[0 @ out() stage 0] = select(p == q, ONE, ?);
         } } }",
        REGROUPED,
    ),
    (
        "lanes",
        SUM,
        "func out {
           out.buffer[ramp(0, 0, 4) @ out() stage 0] =
             select(ramp(0, 1, 4) < broadcast(2, 4), broadcast(ONE, 4), broadcast(?, 4));
         }",
        REGROUPED,
    ),
    (
        "lanes of a variable",
        SUM,
        "func out { parallel p in [0, 2] {
           let v: f32x4 = select(ramp(p, 1, 4) < broadcast(2, 4), broadcast(ONE, 4), broadcast(?, \
           4));
           out.buffer[ramp(0, 0, 4) @ out() stage 0] = v;
         } }",
        REGROUPED,
    ),
    (
        "before storage is flattened",
        SUM,
        "func out { vectorized p in [0, 2] { out() stage 0 = select(p < 1, ONE, ?); } }",
        REGROUPED,
    ),
    (
        "what is read",
        TWICE,
        "func out { parallel p in [0, 2] {
           allocate g.buffer: f32 for g;
           func g { g.buffer[0 @ g() stage 0] = select(p < 1, ONE, ?); }
           out.buffer[0 @ out() stage 0] = g.buffer[0 @ g()] * 2.0f32;
         } }",
        REGROUPED,
    ),
    (
        "two memories of what is read",
        TWICE,
        "func out { parallel p in [0, 2] {
           if p < 1 {
             allocate g.buffer: f32 for g;
             func g { g.buffer[0 @ g() stage 0] = ONE; }
             out.buffer[0 @ out() stage 0] = g.buffer[0 @ g()] * 2.0f32;
           } else {
             allocate g.again: f32 for g;
             func g { g.again[0 @ g() stage 0] = ?; }
             out.buffer[0 @ out() stage 0] = g.again[0 @ g()] * 2.0f32;
           }
         } }",
        REGROUPED,
    ),
    (
        "what is read before the loop",
        TWICE,
        "allocate g.buffer: f32 for g;
         func g { g.buffer[0 @ g() stage 0] = ONE; }
         func out {
           let v: f32 = g.buffer[0 @ g()];
           parallel p in [0, 2] {
             allocate g.again: f32 for g;
             func g { g.again[0 @ g() stage 0] = ?; }
             out.buffer[0 @ out() stage 0] = select(p < 1, v, g.again[0 @ g()]) * 2.0f32;
           }
         }",
        REGROUPED,
    ),
    (
        "a component",
        PAIR,
        "func out { parallel p in [0, 2] {
           allocate g.0.buffer: f32 for g.0;
           allocate g.1.buffer: f32 for g.1;
           func g {
             g.0.buffer[0 @ g() stage 0] = select(p < 1, ONE, ?);
             g.1.buffer[0 @ g() stage 0] = OTHER;
           }
           out.buffer[0 @ out() stage 0] = g.0.buffer[0 @ g()] * 2.0f32;
         } }",
        REGROUPED,
    ),
    (
        "the other component",
        PAIR,
        "allocate g.0.buffer: f32 for g.0;
         allocate g.1.buffer: f32 for g.1;
         func g {
           g.0.buffer[0 @ g() stage 0] = ONE;
           g.1.buffer[0 @ g() stage 0] = OTHER;
         }
         func out { parallel p in [0, 2] {
           out.buffer[0 @ out() stage 0] = select(p < 1, g.0.buffer[0 @ g()], g.?.buffer[0 @ g()]) \
           * 2.0f32;
         } }",
        ["0", "1"],
    ),
    (
        "a condition on data",
        DATA,
        "allocate d.buffer: i32 for d [0, 2, 1];
         func d [0, 2] \
         { for i in [0, 2] { d.buffer[i @ d(i) stage 0] = (i32(x) % 2i32 + i32(i)) % 2i32; } }
         func out { parallel p in [0, 2] {
           if d.buffer[? @ d(?)] < 1i32 {
             out.buffer[0 @ out() stage 0] = ONE;
           } else {
             out.buffer[0 @ out() stage 0] = OTHER;
           }
         } }",
        AT_ITERATION,
    ),
    (
        "an index that is data",
        INDEX,
        "allocate d.buffer: i32 for d [0, 2, 1];
         func d [0, 2] \
         { for i in [0, 2] { d.buffer[i @ d(i) stage 0] = (i32(x) % 2i32 + i32(i)) % 2i32; } }
         allocate g.buffer: f32 for g [0, 2, 1];
         func g [0, 2] \
         { for k in [0, 2] { g.buffer[k @ g(k) stage 0] = select(k < 1, ONE, OTHER); } }
         func out { parallel p in [0, 2] {
           out.buffer[0 @ out() stage 0] =
             g.buffer[int(d.buffer[? @ d(?)]) @ g(int(d.buffer[? @ d(?)]))] * 2.0f32;
         } }",
        AT_ITERATION,
    ),
    // Two groupings, but only one for each place.
    (
        "places",
        LINE,
        "allocate g.buffer: f32 for g [0, 4, 1];
         func g [0, 4] { parallel p in [0, 2] { for q in [0, 3] {
           if ? < 2 {
             g.buffer[p + q @ g(p + q) stage 0] = f32(p + q) + ONE;
           } else {
             g.buffer[p + q @ g(p + q) stage 0] = f32(p + q) + OTHER;
           }
         } } }
         func out { out.buffer[0 @ out() stage 0] = g.buffer[0 @ g(0)] + g.buffer[1 @ g(1)]; }",
        ["p + q", "q"],
    ),
    // Each window begins in a separate iteration, and its first value is computed in another way.
    (
        "windows that slide",
        WINDOW,
        "allocate h.buffer: f32 for h [0, 3, 1];
         func h [1, 2] { parallel p in [0, 2] {
           allocate g.buffer: f32 for g fold [0, 2, 1];
           for i in [p, 3 - p] {
             func g [i, 2] {
               if i == p { g.buffer[i % 2 @ g(i) stage 0] = f32(i) + ONE; }
               g.buffer[(i + 1) % 2 @ g(i + 1) stage 0] = f32(i + 1) + ?;
             }
             h.buffer[i @ h(i) stage 0] = g.buffer[i % 2 @ g(i)] + g.buffer[(i + 1) % 2 @ g(i + 1)];
           }
         } }
         func out { out.buffer[0 @ out() stage 0] = h.buffer[1 @ h(1)] + h.buffer[2 @ h(2)]; }",
        REGROUPED,
    ),
];

fn judge(funcs: &str, body: &str, weakest: Floats) -> Report {
    let text = format!(
        "algorithm small {{ param x: f32; param y: f32; param z: f32; {funcs} output out; }}
         program small {{ output out in out.buffer window; {body} }}"
    );
    let mut module = parse::module(&text).expect("the text is well formed");
    let program = module.program.expect("it has a program");
    let mut options = options();
    options.floats = Some(weakest);
    options.search.trials = 0;
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

/// The statements with `?` replaced by this choice.
fn with(body: &str, choice: &str) -> String {
    let text = body.replace('?', choice);
    GROUPINGS.iter().fold(text, |text, (name, grouping)| text.replace(name, grouping))
}

fn open_kinds(report: &Report) -> BTreeSet<Kind> {
    report.open().map(|obligation| obligation.kind).collect()
}

#[test]
fn what_meets_is_the_same_bits() {
    let associative = Axioms::from_iter([Axiom::AddAssociative]);
    for (name, funcs, body, [right, wrong]) in CASES {
        let report = judge(funcs, &with(body, right), Floats::Axioms);
        assert_eq!(report.verdict, Verdict::Proved, "{name}: {}", open(&report));
        assert_eq!(report.floats(), (Floats::Axioms, associative), "{name}");
        let report = judge(funcs, &with(body, wrong), Floats::Axioms);
        assert!(matches!(report.verdict, Verdict::Unknown(_)), "{name}: {:?}", report.verdict);
        assert_eq!(open_kinds(&report), BTreeSet::from([Kind::Race]), "{name}: {}", open(&report));
    }
}

/// Right values that depend on a loop's variable, with bits that differ from iteration to
/// iteration.
#[test]
fn what_cancels_over_the_reals_leaves_its_bits() {
    for value in ["(ONE + f32(p)) - f32(p)", "ONE + f32(p) * 0.0f32"] {
        let body = format!(
            "func out {{ parallel p in [0, 2] {{ out.buffer[0 @ out() stage 0] = {value}; }} }}"
        );
        let report = judge(SUM, &with(&body, ""), Floats::Reals);
        assert_eq!(open_kinds(&report), BTreeSet::from([Kind::Race]), "{}", open(&report));
        let serial = body.replace("parallel p", "for p");
        let report = judge(SUM, &with(&serial, ""), Floats::Reals);
        assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    }
}

/// A decision by inexact values is refused in any case, and a func with updates has no single
/// value.
#[test]
fn what_is_not_uniform() {
    let reads = "allocate g.buffer: f32 for g;
      func g { g.buffer[0 @ g() stage 0] = ONE; }
      func out { parallel p in [0, 2] { out.buffer[0 @ out() stage 0] = ?; } }";
    for value in [
        "select(g.buffer[0 @ g()] < f32(p), g.buffer[0 @ g()], g.buffer[0 @ g()] * 1.0f32) * \
            2.0f32",
        "g.buffer[0 @ g()] * 2.0f32 + f32(i32(g.buffer[0 @ g()]) * 0i32)",
    ] {
        let report = judge(TWICE, &with(reads, value), Floats::Reals);
        assert!(open(&report).contains("may not decide anything"), "{}", open(&report));
    }
    let sum = "
      func g(): f32 { stage() = 0.0f32; for r in [0, 3] stage() = g() + f32(r) * x; }
      func out(): f32 { stage() = g() * 2.0f32; }";
    let body = "func out { parallel p in [0, 2] {
        allocate g.buffer: f32 for g;
        func g {
          g.buffer[0 @ g() stage 0] = 0.0f32;
          parallel k in [0, 3] \
          { atomic g.buffer[0 @ g() stage 1 point(k)] = g.buffer[0 @ g()] + f32(k) * x; }
        }
        out.buffer[0 @ out() stage 0] = g.buffer[0 @ g()] * 2.0f32;
      } }";
    let report = judge(sum, body, Floats::Axioms);
    assert_eq!(open_kinds(&report), BTreeSet::from([Kind::Race]), "{}", open(&report));
    // Here all terms come in the specification's order.
    let serial = body.replace("parallel k", "for k").replace("atomic ", "");
    let report = judge(sum, &serial, Floats::Axioms);
    assert_eq!(report.floats().0, Floats::Bits);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

/// A lane that does not belong to the store would be one name for two values.
#[test]
fn what_is_not_well_typed_is_not_proved() {
    for (index, lanes) in [("0", 4), ("ramp(0, 0, 8)", 4)] {
        let ramp = format!("f32(ramp(0, 1, {lanes}))");
        let body = format!(
            "func out {{ parallel p in [0, 2] {{
               out.buffer[{index} @ out() stage 0] = (broadcast(ONE, {lanes}) + {ramp}) - {ramp};
             }} }}"
        );
        let report = judge(SUM, &with(&body, ""), Floats::Reals);
        assert!(open_kinds(&report).contains(&Kind::Form), "{}", open(&report));
        assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    }
}
