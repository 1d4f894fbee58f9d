//! Funcs that have no value where no update writes one: a program is proved if it reads written
//! locations alone. The tests use no runs, so the obligations decide.

use std::collections::BTreeSet;

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Kind, Report, Status, Verdict, validate};

/// A sum of `a(0)` to `a(x)`, whose pure stage gives no values.
const SUMS: &str = r#"algorithm sums {
  input a(_0): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0];
  func f(x): u8 {
    if false stage(x) = 0u8;
    stage(0) = a(0);
    for r in [1, 15] stage(r) = f(r - 1) + a(r);
  }
  func b(x$1): u8 { stage(x$1) = f(x$1); }
  output b;
}
program sums {
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
  allocate f.buffer: u8 for f [0, 18, 1];
  func b [w.min.0, w.extent.0] {
    func f [0, 16] {
      f.buffer[0 @ f(0) stage 1] = a.buffer[(0 - a.min.0) * a.stride.0 @ a(0)];
      for i in [1, 15] {
        f.buffer[i @ f(i) stage 2 point(i)]
          = f.buffer[i - 1 @ f(i - 1)] + a.buffer[(i - a.min.0) * a.stride.0 @ a(i)];
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
    let mut text = SUMS.to_owned();
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

/// Checks that the edited program is not proved, and that exactly these kinds are open.
fn only(edits: &[(&str, &str)], kinds: &[Kind]) {
    let report = judged(edits);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    let found = report.obligations.iter();
    let found = found.filter(|found| matches!(found.status, Status::Open(_)));
    let found: BTreeSet<Kind> = found.map(|found| found.kind).collect();
    assert_eq!(found, kinds.iter().copied().collect(), "{}", open(&report));
}

const FIRST: &str = "f.buffer[0 @ f(0) stage 1] = a.buffer[(0 - a.min.0) * a.stride.0 @ a(0)];";

#[test]
fn reads_of_written_locations_are_proved() {
    let report = judged(&[]);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    // More memory, and a promise of more than is written.
    let report = judged(&[("func f [0, 16]", "func f [0, 18]")]);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

#[test]
fn a_read_of_what_no_update_writes_is_not_proved() {
    let wider = ("func f [0, 16]", "func f [0, 18]");
    let reads = ("f.buffer[o @ f(o)]", "f.buffer[o + 1 @ f(o + 1)]");
    only(&[("= f(x$1)", "= f(x$1 + 1)"), reads, wider], &[Kind::Definedness]);
    // The two values are alike, but no run needs to give them.
    let same = "f.buffer[17 @ f(17)]";
    let zero = format!("{same} - {same} + f.buffer[o @ f(o)]");
    only(&[("f.buffer[o @ f(o)]", &zero), wider], &[Kind::Definedness]);
}

#[test]
fn an_update_that_reads_what_none_before_it_writes_is_not_proved() {
    let second = FIRST.replace("[0 @ f(0)", "[1 @ f(1)").replace("(0 -", "(1 -");
    let second = second.replace("@ a(0)", "@ a(1)");
    only(&[("stage(0) = a(0)", "stage(1) = a(1)"), (FIRST, &second)], &[Kind::Definedness]);
}

/// Each of these updates reads what another of them wrote, and they may come in any order: no order
/// of the program is checked, so the one that comes first reads nothing.
#[test]
fn updates_that_commute_need_an_earlier_stage() {
    let plain = [
        (
            "stage(0) = a(0);\n    for r in [1, 15] stage(r) = f(r - 1) + a(r)",
            "for r in [1, 15] stage(3) = select(r == 1, a(0), f(3) & a(0))",
        ),
        (FIRST, ""),
        (
            "f.buffer[i @ f(i) stage 2 point(i)]
          = f.buffer[i - 1 @ f(i - 1)] + a.buffer[(i - a.min.0) * a.stride.0 @ a(i)]",
            "f.buffer[3 @ f(3) stage 1 point(i)] \
                = select(i == 1, a.buffer[(0 - a.min.0) * a.stride.0 @ a(0)], \
                f.buffer[3 @ f(3)] & a.buffer[(0 - a.min.0) * a.stride.0 @ a(0)])",
        ),
        ("= f(x$1)", "= f(3)"),
        ("f.buffer[o @ f(o)]", "f.buffer[3 @ f(3)]"),
    ];
    only(&plain, &[Kind::Definedness]);
}

#[test]
fn stores_that_are_missing_or_late_are_not_proved() {
    only(&[(FIRST, "")], &[Kind::Coverage]);
    let late = SUMS.find(FIRST).and_then(|from| {
        let rest = &SUMS[from + FIRST.len()..];
        Some(rest[..rest.find("    }\n    for o")?].to_owned())
    });
    let updates = late.expect("the loop follows");
    let both = format!("{FIRST}{updates}");
    only(&[(&both, &format!("{updates}{FIRST}\n"))], &[Kind::Order]);
}

#[test]
fn no_store_belongs_to_the_stage_that_gives_no_values() {
    let zero = format!("{FIRST}\n      f.buffer[17 @ f(17) stage 0] = 0u8;");
    let wider = ("func f [0, 16]", "func f [0, 18]");
    only(&[(FIRST, &zero), wider], &[Kind::Claim]);
}

/// A pure stage that gives values where its condition holds.
#[test]
fn a_value_under_a_condition_is_there_if_the_condition_holds() {
    let halves = [
        ("if false stage(x) = 0u8", "if x < 12 stage(x) = a(x)"),
        ("stage(0) = a(0);\n    for r in [1, 15] stage(r) = f(r - 1) + a(r);", ""),
        (
            FIRST,
            "for i in [0, 12] { \
                f.buffer[i @ f(i) stage 0] = a.buffer[(i - a.min.0) * a.stride.0 @ a(i)]; }",
        ),
        (
            "      for i in [1, 15] {
        f.buffer[i @ f(i) stage 2 point(i)]
          = f.buffer[i - 1 @ f(i - 1)] + a.buffer[(i - a.min.0) * a.stride.0 @ a(i)];
      }
",
            "",
        ),
    ];
    let narrow = ("w.min.0 + w.extent.0 <= 16", "w.min.0 + w.extent.0 <= 12");
    let report = judged(&[&halves[..], &[narrow]].concat());
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    only(&halves, &[Kind::Definedness]);
}
