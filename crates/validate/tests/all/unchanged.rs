//! Updates that leave their location as it is need not run. The tests use no runs, so the
//! obligations decide.

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Kind, Report, Status, Verdict, validate};

/// Two updates that change part of their locations, in loops over that part.
const TRIMMED: &str = r#"algorithm trimmed {
  input a(_0): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0];
  func f(x): u8 {
    stage(x) = a(x);
    stage(x) = select(3 <= x & x < 9, f(x) & a(0), f(x));
    for r in [0, 16] stage(r) = f(r) + select(r < 12, a(r), 0u8);
  }
  func b(x$1): u8 { stage(x$1) = f(x$1); }
  output b;
}
program trimmed {
  output b in b.buffer [b.min.0, b.extent.0, b.stride.0] window [w.min.0, w.extent.0];
  assert 0 - 2147483648 <= a.min.0 & a.min.0 <= 0, size_limit "a";
  assert 16 <= a.min.0 + a.extent.0 & a.extent.0 <= 2147483648, size_limit "a";
  assert 1 <= a.stride.0 & a.stride.0 <= 140737488355328, size_limit "a";
  assert a.extent.0 * a.stride.0 <= 140737488355328, size_limit "a";
  assert 0 - 2147483648 <= b.min.0 & b.min.0 <= 2147483648, size_limit "b";
  assert 0 <= b.extent.0 & b.extent.0 <= 2147483648, size_limit "b";
  assert 1 <= b.stride.0 & b.stride.0 <= 140737488355328, size_limit "b";
  assert b.extent.0 * b.stride.0 <= 140737488355328, size_limit "b";
  assert 0 <= w.min.0 & w.min.0 <= 2147483648, size_limit "w";
  assert 0 <= w.extent.0 & w.extent.0 <= 2147483648, size_limit "w";
  assert w.min.0 + w.extent.0 <= 16, size_limit "w";
  assert b.min.0 <= w.min.0 & w.min.0 + w.extent.0 <= b.min.0 + b.extent.0, layout b;
  allocate f.buffer: u8 for f [0, 16, 1];
  func b [w.min.0, w.extent.0] {
    func f [0, 16] {
      for i in [0, 16] {
        f.buffer[i @ f(i) stage 0] = a.buffer[(i - a.min.0) * a.stride.0 @ a(i)];
      }
      for j in [3, 6] {
        f.buffer[j @ f(j) stage 1]
          = f.buffer[j @ f(j)] & a.buffer[(0 - a.min.0) * a.stride.0 @ a(0)];
      }
      for k in [0, 12] {
        f.buffer[k @ f(k) stage 2 point(k)]
          = f.buffer[k @ f(k)] + a.buffer[(k - a.min.0) * a.stride.0 @ a(k)];
      }
    }
    for o in [w.min.0, w.extent.0] {
      b.buffer[(o - b.min.0) * b.stride.0 @ b(o) stage 0] = f.buffer[o @ f(o)];
    }
  }
}
"#;

/// Validates the program after edits, each of a text that occurs.
fn judged(edits: &[(&str, &str)]) -> Report {
    let mut text = TRIMMED.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    let mut module = parse::module(&text).expect("the text is well formed");
    let mut options = options();
    options.search.trials = 0;
    let program = module.program.expect("the text has a program");
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

fn proved(edits: &[(&str, &str)]) {
    let report = judged(edits);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

/// Checks that the edited program is not proved, and that only coverage is open.
fn uncovered(edits: &[(&str, &str)]) {
    let report = judged(edits);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    let found = report.obligations.iter();
    let found = found.filter(|found| matches!(found.status, Status::Open(_)));
    let found: BTreeSet<Kind> = found.map(|found| found.kind).collect();
    assert_eq!(found, BTreeSet::from([Kind::Coverage]), "{}", open(&report));
}

#[test]
fn updates_that_change_nothing_need_not_run() {
    proved(&[]);
    // A factor of one, in a product that is not linear.
    proved(&[
        ("f(r) + select(r < 12, a(r), 0u8)", "f(r) * select(r < 12, a(r), 1u8)"),
        (
            "f.buffer[k @ f(k)] + a.buffer[(k - a.min.0) * a.stride.0 @ a(k)]",
            "f.buffer[k @ f(k)] * a.buffer[(k - a.min.0) * a.stride.0 @ a(k)]",
        ),
    ]);
    // The condition may depend on data, even on what the update reads.
    proved(&[
        ("f(r) + select(r < 12, a(r), 0u8)", "select(r < 12 | f(r) < 9u8, f(r) + a(r), f(r))"),
        ("for k in [0, 12]", "for k in [0, 16]"),
        (
            "f.buffer[k @ f(k)] + a.buffer[(k - a.min.0) * a.stride.0 @ a(k)]",
            "select(k < 12 | f.buffer[k @ f(k)] < 9u8, f.buffer[k @ f(k)] + \
             a.buffer[(k - a.min.0) * a.stride.0 @ a(k)], f.buffer[k @ f(k)])",
        ),
    ]);
}

#[test]
fn updates_that_change_something_are_owed() {
    uncovered(&[("for j in [3, 6]", "for j in [4, 5]")]);
    uncovered(&[("for k in [0, 12]", "for k in [0, 11]")]);
    // The last location, which a limit that is too small by one leaves out.
    uncovered(&[("r < 12", "r < 13")]);
    // The other value is not the one that is there.
    uncovered(&[("f(x) & a(0), f(x))", "f(x) & a(0), f(x) & 254u8)")]);
    uncovered(&[("a(r), 0u8)", "a(r), 1u8)")]);
    // It is the initial value, but the first update has changed it.
    uncovered(&[("f(r) + select(r < 12, a(r), 0u8)", "select(r < 12, f(r) + a(r), a(r))")]);
    // It is the value of another location.
    uncovered(&[("f(x) & a(0), f(x))", "f(x) & a(0), f(0))")]);
    // Stages that give a location its first value are owed, whatever the value is.
    uncovered(&[("for i in [0, 16]", "for i in [0, 15]")]);
}

#[test]
fn a_sum_of_floats_that_adds_zero_is_owed() {
    let program = TRIMMED.replace("u8", "f32").replace("0f32", "0.0f32");
    let edits = [(TRIMMED, program.as_str()), (" & a(0)", " + a(0)")];
    let stored = ("f.buffer[j @ f(j)] &", "f.buffer[j @ f(j)] +");
    // It changes -0.0.
    uncovered(&[edits[0], edits[1], stored]);
    let kept = ("f(r) + select(r < 12, a(r), 0.0f32)", "select(r < 12, f(r) + a(r), f(r))");
    proved(&[edits[0], edits[1], stored, kept]);
}

/// Without a first value, the location holds nothing that could be left as it is.
#[test]
fn updates_of_partial_funcs_are_owed() {
    let report = judged(&[
        ("stage(x) = a(x);", "if x < 12 stage(x) = a(x);"),
        ("for i in [0, 16]", "for i in [0, 12]"),
    ]);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
}
