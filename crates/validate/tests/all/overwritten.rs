//! Iterations that fill more memory than they promise, as a vector does that is longer than the
//! part that is needed: the next iteration overwrites the rest. The tests use no runs, so the
//! obligations decide.

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Kind, Report, Status, Verdict, validate};

/// An iteration needs two elements of `f`, and stores four. The last two come from elements of `g`
/// that nothing has written.
const PAIRS: &str = r#"algorithm pairs {
  input a(_0): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0];
  func g(x): u8 { stage(x) = a(x) + 1u8; }
  func f(x$1): u8 { stage(x$1) = g(x$1) * 2u8; }
  func b(x$2): u8 { stage(x$2) = f(x$2); }
  output b;
}
program pairs {
  output b in b.buffer [b.min.0, b.extent.0, b.stride.0] window [w.min.0, w.extent.0];
  assert 0 - 2147483648 <= a.min.0 & a.min.0 <= 0, size_limit "a";
  assert 8 <= a.min.0 + a.extent.0 & a.extent.0 <= 2147483648, size_limit "a";
  assert 1 <= a.stride.0 & a.stride.0 <= 140737488355328, size_limit "a";
  assert a.extent.0 * a.stride.0 <= 140737488355328, size_limit "a";
  assert 0 - 2147483648 <= b.min.0 & b.min.0 <= 2147483648, size_limit "b";
  assert 0 <= b.extent.0 & b.extent.0 <= 2147483648, size_limit "b";
  assert 1 <= b.stride.0 & b.stride.0 <= 140737488355328, size_limit "b";
  assert b.extent.0 * b.stride.0 <= 140737488355328, size_limit "b";
  assert 0 <= w.min.0 & w.min.0 <= 2147483648, size_limit "w";
  assert 0 <= w.extent.0 & w.extent.0 <= 2147483648, size_limit "w";
  assert w.min.0 + w.extent.0 <= 8, size_limit "w";
  assert b.min.0 <= w.min.0 & w.min.0 + w.extent.0 <= b.min.0 + b.extent.0, layout b;
  allocate f.buffer: u8 for f [0, 10, 1];
  func b [w.min.0, w.extent.0] {
    for t in [0, 4] {
      allocate g.buffer: u8 for g [t * 2, 4, 1];
      func g [t * 2, 2] {
        for i in [0, 2] {
          g.buffer[i @ g(t * 2 + i) stage 0]
            = a.buffer[(t * 2 + i - a.min.0) * a.stride.0 @ a(t * 2 + i)] + 1u8;
        }
      }
      func f [t * 2, 2] {
        for j in [0, 4] {
          f.buffer[t * 2 + j @ f(t * 2 + j) stage 0] = g.buffer[j @ g(t * 2 + j)] * 2u8;
        }
      }
      for k in [0, 2] {
        if w.min.0 <= t * 2 + k & t * 2 + k < w.min.0 + w.extent.0 {
          b.buffer[(t * 2 + k - b.min.0) * b.stride.0 @ b(t * 2 + k) stage 0]
            = f.buffer[t * 2 + k @ f(t * 2 + k)];
        }
      }
    }
  }
}
"#;

/// Validates the program after edits, each of a text that occurs.
fn judged(edits: &[(&str, &str)]) -> Report {
    let mut text = PAIRS.to_owned();
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

/// The kinds of a report's open obligations.
fn kinds(report: &Report) -> BTreeSet<Kind> {
    let open = report.obligations.iter();
    let open = open.filter(|obligation| matches!(obligation.status, Status::Open(_)));
    open.map(|obligation| obligation.kind).collect()
}

#[test]
fn what_the_next_iteration_overwrites_may_be_anything() {
    let report = judged(&[]);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

#[test]
fn what_comes_after_a_promise_may_not_be_anything() {
    // From the end, an iteration overwrites what the one before it has promised.
    let report = judged(&[("for t in [0, 4] {", "for s in [0, 4] { let t: int = 3 - s;")]);
    assert_eq!(kinds(&report), BTreeSet::from([Kind::Order]), "{}", open(&report));
    // In no order, it may do so.
    let report = judged(&[("for t in", "parallel t in")]);
    assert!(kinds(&report).contains(&Kind::Order), "{}", open(&report));
    // The rest lies before the promise, which the iteration before has made.
    let report = judged(&[
        ("f [0, 10, 1]", "f [-2, 10, 1]"),
        ("g [t * 2, 4, 1]", "g [t * 2 - 2, 4, 1]"),
        ("g.buffer[i @", "g.buffer[i + 2 @"),
        ("f.buffer[t * 2 + j @ f(t * 2 + j)", "f.buffer[t * 2 + j @ f(t * 2 + j - 2)"),
        ("g.buffer[j @ g(t * 2 + j)]", "g.buffer[j @ g(t * 2 + j - 2)]"),
        ("= f.buffer[t * 2 + k @", "= f.buffer[t * 2 + k + 2 @"),
    ]);
    assert_eq!(kinds(&report), BTreeSet::from([Kind::Order]), "{}", open(&report));
}

#[test]
fn what_an_iteration_keeps_may_not_be_overwritten() {
    // Each iteration keeps the first of its two elements from the one before it, and writes the
    // second.
    let sliding = [
        ("f [0, 10, 1]", "f [0, 12, 1]"),
        ("for t in [0, 4]", "for t in [-1, 8]"),
        ("g [t * 2, 4, 1]", "g [t - 1, 4, 1]"),
        ("func g [t * 2, 2]", "func g [t + 1, 1]"),
        ("for i in [0, 2]", "for i in [0, 1]"),
        ("g.buffer[i @ g(t * 2 + i)", "g.buffer[2 @ g(t + 1)"),
        (
            "(t * 2 + i - a.min.0) * a.stride.0 @ a(t * 2 + i)",
            "(t + 1 - a.min.0) * a.stride.0 @ a(t + 1)",
        ),
        ("func f [t * 2, 2]", "func f [max(t, 0), t + 2 - max(t, 0)]"),
        ("for j in [0, 4]", "for j in [FIRST, COUNT]"),
        ("f.buffer[t * 2 + j @ f(t * 2 + j)", "f.buffer[t - 1 + j @ f(t - 1 + j)"),
        ("g.buffer[j @ g(t * 2 + j)]", "g.buffer[j @ g(t - 1 + j)]"),
        ("for k in [0, 2]", "for k in [1, 1]"),
        ("t * 2 + k", "t + k"),
    ];
    let with = |first: &'static str, count: &'static str| {
        let mut edits = sliding.to_vec();
        edits.extend([("FIRST", first), ("COUNT", count)]);
        judged(&edits)
    };
    let right = with("2", "1");
    assert_eq!(right.verdict, Verdict::Proved, "{}", open(&right));
    // Here it overwrites what it keeps.
    let wrong = with("1", "2");
    assert!(kinds(&wrong).contains(&Kind::Definedness), "{}", open(&wrong));
    // Here it keeps nothing, and overwrites what the iteration before it has promised.
    let mut edits = sliding.to_vec();
    edits.push(("[max(t, 0), t + 2 - max(t, 0)]", "[t + 1, 1]"));
    edits.extend([("FIRST", "1"), ("COUNT", "2")]);
    let clobbers = judged(&edits);
    assert!(kinds(&clobbers).contains(&Kind::Order), "{}", open(&clobbers));
    // Here it writes something after both. The next iteration overwrites that, and the one after
    // it keeps the element.
    let beyond = with("2", "2");
    assert_eq!(beyond.verdict, Verdict::Proved, "{}", open(&beyond));
}
