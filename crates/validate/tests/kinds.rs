//! Each kind of obligation is necessary: a program that violates only this kind is rejected, and
//! would be proved without it.

mod common;

use std::collections::BTreeSet;

use common::{open, options};
use halidom_ir::{Algorithm, Constant, Expr, FuncDecl, FuncId, FuncKind, Pool, parse};
use halidom_validate::{Budget, Kind, Report, Status, Verdict, validate, validate_refined};

/// Entry checks on the shape of a one-dimensional buffer.
fn limits(buffer: &str) -> String {
    let big = 1_i64 << 31;
    format!(
        "assert 0 - {big} <= {buffer}.min.0 & {buffer}.min.0 <= {big}, size_limit \"min\";
         assert 0 <= {buffer}.extent.0 & {buffer}.extent.0 <= {big}, size_limit \"extent\";
         assert 1 <= {buffer}.stride.0 & {buffer}.extent.0 * {buffer}.stride.0 <= 140737488355328, \
         size_limit \"stride\";
         assert {buffer}.stride.0 <= 140737488355328, size_limit \"stride\";"
    )
}

fn window_limits() -> String {
    let big = 1_i64 << 31;
    format!(
        "assert 0 - {big} <= output.window.min.0 & output.window.min.0 <= {big}, \
            size_limit \"window\";
         assert 0 <= output.window.extent.0 & output.window.extent.0 <= {big}, \
         size_limit \"window\";"
    )
}

/// Two stages. The first is computed for each of the parallel tiles of the second.
fn tiles() -> String {
    let (input, output, window) = (limits("input"), limits("output"), window_limits());
    format!(
        "algorithm small {{
  input input(_0): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func twice(x): u8 {{ stage(x) = input(x) + input(x + 1); }}
  func output(x$1): u8 {{ stage(x$1) = twice(x$1) - twice(x$1 + 1); }}
  output output;
}}
program small {{
  output output in output.buffer [output.min.0, output.extent.0, output.stride.0] window \
  [output.window.min.0, output.window.extent.0];
  {input} {output} {window}
  assert output.window.extent.0 <= 0 | input.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 + 2 <= input.min.0 + input.extent.0, input_region input, 0, \
  [output.window.min.0, output.window.extent.0 + 2] within [input.min.0, input.extent.0];
  assert output.window.extent.0 <= 0 | output.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 + 1 <= output.min.0 + output.extent.0, output_region output, 0, \
  [output.window.min.0, output.window.extent.0 + 1] within [output.min.0, output.extent.0];
  if 0 < output.window.extent.0 {{
    func output [output.window.min.0, output.window.extent.0] {{
      stage output, 0, 0 {{
        parallel xo in [0, (output.window.extent.0 + 3) / 4] {{
          let start: int = xo * 4 + output.window.min.0;
          let length: int = min(output.window.extent.0 - xo * 4 + 1, 5);
          allocate twice.buffer: u8 for twice [start, length, 1];
          func twice [start, length] {{
            stage twice, 0, 0 {{
              for tx in [start, length] {{
                twice.buffer[tx - start @ twice(tx) stage 0] = input.buffer[(tx - input.min.0) * \
                input.stride.0 @ input(tx)] + input.buffer[(tx + 1 - input.min.0) * input.stride.0 \
                @ input(tx + 1)];
              }}
            }}
          }}
          for xi in [0, 4] {{
            let ox: int = xo * 4 + xi + output.window.min.0;
            if ox < output.window.min.0 + output.window.extent.0 {{
              output.buffer[(ox - output.min.0) * output.stride.0 @ output(ox) stage 0] = \
              twice.buffer[ox - start @ twice(ox)] - twice.buffer[ox + 1 - start @ twice(ox + 1)];
            }}
          }}
        }}
      }}
    }}
  }}
}}"
    )
}

/// A reduction with a filter.
fn sums() -> String {
    let (input, output, window) = (limits("input"), limits("output"), window_limits());
    format!(
        "algorithm sums {{
  input input(_0): i32 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  func output(y): i32 {{
    stage(y) = 0i32;
    for x in [input.min.0, input.extent.0] if 0i32 < input(x) stage(y) = output(y) + input(x);
  }}
  output output;
}}
program sums {{
  output output in output.buffer [output.min.0, output.extent.0, output.stride.0] window \
  [output.window.min.0, output.window.extent.0];
  {input} {output} {window}
  assert output.window.extent.0 <= 0 | output.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 <= output.min.0 + output.extent.0, output_region output, 0, \
  [output.window.min.0, output.window.extent.0] within [output.min.0, output.extent.0];
  if 0 < output.window.extent.0 {{
    func output [output.window.min.0, output.window.extent.0] {{
      stage output, 0, 0 {{
        for y0 in [output.window.min.0, output.window.extent.0] {{
          output.buffer[(y0 - output.min.0) * output.stride.0 @ output(y0) stage 0] = 0i32;
        }}
      }}
      stage output, 1, 0 {{
        for y1 in [output.window.min.0, output.window.extent.0] {{
          for x1 in [input.min.0, input.extent.0] {{
            if 0i32 < input.buffer[(x1 - input.min.0) * input.stride.0 @ input(x1)] {{
              output.buffer[(y1 - output.min.0) * output.stride.0 @ output(y1) stage 1 point(x1)] \
              = output.buffer[(y1 - output.min.0) * output.stride.0 @ output(y1)] + \
              input.buffer[(x1 - input.min.0) * input.stride.0 @ input(x1)];
            }}
          }}
        }}
      }}
    }}
  }}
}}"
    )
}

/// Entry checks and the caller's buffers of the programs with a sliding window.
fn line(algorithm: &str, work: &str) -> String {
    let (input, output, window) = (limits("input"), limits("output"), window_limits());
    format!(
        "algorithm line {{
  input input(_0): u8 in input.buffer [input.min.0, input.extent.0, input.stride.0];
  {algorithm}
  func output(x$1): u8 {{ stage(x$1) = twice(x$1) - twice(x$1 + 1); }}
  output output;
}}
program line {{
  output output in output.buffer [output.min.0, output.extent.0, output.stride.0] window \
  [output.window.min.0, output.window.extent.0];
  {input} {output} {window}
  assert output.window.extent.0 <= 0 | input.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 + 2 <= input.min.0 + input.extent.0, input_region input, 0, \
  [output.window.min.0, output.window.extent.0 + 2] within [input.min.0, input.extent.0];
  assert output.window.extent.0 <= 0 | output.min.0 <= output.window.min.0 & output.window.min.0 + \
  output.window.extent.0 <= output.min.0 + output.extent.0, output_region output, 0, \
  [output.window.min.0, output.window.extent.0] within [output.min.0, output.extent.0];
  if 0 < output.window.extent.0 {{
    {work}
  }}
}}"
    )
}

/// A window of two that slides over a loop, in a buffer for two.
fn folded() -> String {
    line(
        "func twice(x): u8 { stage(x) = input(x) + input(x + 1); }",
        "allocate twice.buffer: u8 for twice fold [0, 2, 1];
    func output [output.window.min.0, output.window.extent.0] {
      stage output, 0, 0 {
        for ox in [output.window.min.0, output.window.extent.0] {
          let start: int = select(ox == output.window.min.0, ox, ox + 1);
          let length: int = select(ox == output.window.min.0, 2, 1);
          func twice [ox, 2] {
            stage twice, 0, 0 {
              for tx in [start, length] {
                twice.buffer[tx % 2 @ twice(tx) stage 0] = input.buffer[(tx - input.min.0) * \
                input.stride.0 @ input(tx)] + input.buffer[(tx + 1 - input.min.0) * input.stride.0 \
                @ input(tx + 1)];
              }
            }
          }
          output.buffer[(ox - output.min.0) * output.stride.0 @ output(ox) stage 0] = \
          twice.buffer[ox % 2 @ twice(ox)] - twice.buffer[(ox + 1) % 2 @ twice(ox + 1)];
        }
      }
    }",
    )
}

/// The same with an update, in a buffer for all values.
fn updated() -> String {
    line(
        "func twice(x): u8 { stage(x) = input(x); stage(x) = twice(x) + input(x + 1); }",
        "allocate twice.buffer: u8 for twice [output.window.min.0, output.window.extent.0 + 1, 1];
    func output [output.window.min.0, output.window.extent.0] {
      stage output, 0, 0 {
        for ox in [output.window.min.0, output.window.extent.0] {
          let start: int = select(ox == output.window.min.0, ox, ox + 1);
          let length: int = select(ox == output.window.min.0, 2, 1);
          func twice [ox, 2] {
            stage twice, 0, 0 {
              for t0 in [start, length] {
                twice.buffer[t0 - output.window.min.0 @ twice(t0) stage 0] = input.buffer[(t0 - \
                input.min.0) * input.stride.0 @ input(t0)];
              }
            }
            stage twice, 1, 0 {
              for t1 in [start, length] {
                twice.buffer[t1 - output.window.min.0 @ twice(t1) stage 1] = twice.buffer[t1 - \
                output.window.min.0 @ twice(t1)] + input.buffer[(t1 + 1 - input.min.0) * \
                input.stride.0 @ input(t1 + 1)];
              }
            }
          }
          output.buffer[(ox - output.min.0) * output.stride.0 @ output(ox) stage 0] = \
          twice.buffer[ox - output.window.min.0 @ twice(ox)] - twice.buffer[ox + 1 - \
          output.window.min.0 @ twice(ox + 1)];
        }
      }
    }",
    )
}

fn judge(text: &str, disable: &[Kind]) -> Report {
    judge_within(text, disable, Budget::default())
}

fn judge_within(text: &str, disable: &[Kind], budget: Budget) -> Report {
    let parsed = parse::module(text);
    let place = parsed.as_ref().err().map(|error| error.position(text));
    assert!(place.is_none(), "{place:?}: {text}");
    let mut module = parsed.expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let mut options = options();
    options.disable = disable.to_vec();
    options.budget = budget;
    // The interpreter would find most of these. This test is about the obligations.
    options.search.trials = 0;
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

fn open_kinds(report: &Report) -> BTreeSet<Kind> {
    report
        .obligations
        .iter()
        .filter(|o| matches!(o.status, Status::Open(_)))
        .map(|o| o.kind)
        .collect()
}

/// Checks that the base with each `(old, new)` replaced violates only `kind`.
fn only(kind: Kind, base: &str, edits: &[(&str, &str)]) {
    let mut text = base.to_owned();
    for (old, new) in edits {
        assert!(text.contains(old), "nothing to edit: {old}");
        text = text.replacen(old, new, 1);
    }
    let report = judge(&text, &[]);
    assert_eq!(open_kinds(&report), BTreeSet::from([kind]), "{}", open(&report));
    assert!(matches!(report.verdict, Verdict::Unknown(_)));
    assert_eq!(judge(&text, &[kind]).verdict, Verdict::Proved);
}

#[test]
fn the_bases_are_proved() {
    for base in [tiles(), sums(), folded(), updated()] {
        let report = judge(&base, &[]);
        assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
        let rare = [Kind::Race, Kind::Retention, Kind::Refinement];
        assert!(
            Kind::ALL.iter().all(|kind| report.counts().contains_key(kind) || rare.contains(kind))
        );
    }
}

#[test]
fn what_is_not_asked_stays_open() {
    let all = judge(&tiles(), &[]);
    assert_eq!((&all.verdict, all.solver.queries > 12), (&Verdict::Proved, true));
    let budget = Budget { questions: Some(10), ..Budget::default() };
    let some = judge_within(&tiles(), &[], budget);
    assert!(matches!(some.verdict, Verdict::Unknown(_)), "{:?}", some.verdict);
    // Without the solver's sizes, nothing shows that the entry checks can hold, which is one more
    // obligation.
    assert_eq!((some.solver.queries, some.obligations.len()), (10, all.obligations.len() + 1));
    // As soon as one obligation is open, the verdict is known.
    let wrong = tiles().replacen("xo * 4 + xi", "xo * 4 + xi + xi", 1);
    let budget = Budget { open: Some(1), ..Budget::default() };
    let [whole, part] = [Budget::default(), budget].map(|budget| judge_within(&wrong, &[], budget));
    assert!(matches!(part.verdict, Verdict::Unknown(_)), "{:?}", part.verdict);
    assert!(
        part.solver.queries < whole.solver.queries,
        "{} and {}",
        part.solver.queries,
        whole.solver.queries
    );
}

#[test]
fn location() {
    only(
        Kind::Location,
        &tiles(),
        &[("twice.buffer[tx - start @", "twice.buffer[start + length - 1 - tx @")],
    );
}

#[test]
fn bounds() {
    only(
        Kind::Bounds,
        &tiles(),
        &[("for twice [start, length, 1]", "for twice [start, length - 1, 1]")],
    );
}

#[test]
fn claim() {
    let guard = "if 0i32 < input.buffer[(x1 - input.min.0) * input.stride.0 @ input(x1)]";
    only(Kind::Claim, &sums(), &[(guard, "if 0 < output.window.extent.0")]);
}

#[test]
fn value() {
    only(Kind::Value, &tiles(), &[("twice(ox)] - twice.buffer", "twice(ox)] + twice.buffer")]);
}

#[test]
fn coverage() {
    only(
        Kind::Coverage,
        &tiles(),
        &[("for tx in [start, length]", "for tx in [start, length - 1]")],
    );
}

#[test]
fn definedness() {
    only(
        Kind::Definedness,
        &tiles(),
        &[("func twice [start, length]", "func twice [start, length - 1]")],
    );
}

#[test]
fn order() {
    let (first, rest) = ("stage output, 0, 0 {", "stage output, 1, 0 {");
    let text = sums();
    let (start, middle) = (text.find(first).unwrap(), text.find(rest).unwrap());
    let end = text.rfind("}\n    }\n  }\n}").unwrap();
    let swapped =
        format!("{}{}{}{}", &text[..start], &text[middle..end], &text[start..middle], &text[end..]);
    only(Kind::Order, &swapped, &[]);
}

/// Lent memory must be large enough, and lent to one iteration at a time.
#[test]
fn lent_memory() {
    let allocate = "allocate twice.buffer: u8 for twice [start, length, 1];";
    let within = "allocate twice.buffer: u8 for twice [start, length, 1] in twice.memory;";
    let lender = |room: u32| format!("allocate twice.memory: u8 for twice [0, {room}, 1];");
    let lent = tiles().replacen(allocate, &(lender(5) + within), 1);
    let report = judge(&lent, &[]);
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
    only(Kind::Bounds, &tiles(), &[(allocate, &(lender(4) + within))]);
    let around = "parallel xo in";
    only(Kind::Form, &tiles(), &[(allocate, within), (around, &(lender(5) + around))]);
}

/// One element for two values that are needed at the same time.
#[test]
fn retention() {
    only(
        Kind::Retention,
        &folded(),
        &[
            ("fold [0, 2, 1]", "fold [0, 1, 1]"),
            ("tx % 2", "tx % 1"),
            ("ox % 2", "ox % 1"),
            ("(ox + 1) % 2", "(ox + 1) % 1"),
        ],
    );
}

/// Values from the iteration before are initialised again, but not updated.
#[test]
fn retention_of_updates() {
    only(Kind::Retention, &updated(), &[("t0 in [start, length]", "t0 in [ox, 2]")]);
}

/// In a parallel loop, an iteration cannot rely on the one before.
#[test]
fn windows_do_not_slide_over_parallel_loops() {
    for base in [folded(), updated()] {
        let text = base.replacen("for ox in", "parallel ox in", 1);
        let open = open_kinds(&judge(&text, &[]));
        assert!(open.contains(&Kind::Coverage), "{open:?}");
    }
}

/// A first iteration that computes one value too few.
#[test]
fn coverage_of_a_sliding_window() {
    for base in [folded(), updated()] {
        let edit =
            ("select(ox == output.window.min.0, 2, 1)", "select(ox == output.window.min.0, 1, 1)");
        only(Kind::Coverage, &base, &[edit]);
    }
}

#[test]
fn race() {
    let store = "for xi in [0, 4] {";
    let stray = "output.buffer[(output.window.min.0 + output.window.extent.0 - output.min.0) * \
        output.stride.0 @ output(output.window.min.0 + output.window.extent.0) stage 0] = \
        twice.buffer[0 @ twice(start)]; for xi in [0, 4] {";
    only(Kind::Race, &tiles(), &[(store, stray)]);
}

#[test]
fn output() {
    let label = "func output [output.window.min.0, output.window.extent.0]";
    only(
        Kind::Output,
        &tiles(),
        &[(label, "func output [output.window.min.0, output.window.extent.0 - 1]")],
    );
}

#[test]
fn overflow() {
    only(Kind::Overflow, &tiles(), &[("& output.min.0 <= 2147483648", "& 0 <= 0")]);
}

#[test]
fn assumption() {
    only(
        Kind::Assumption,
        &tiles(),
        &[(
            "if 0 < output.window",
            "assert output.window.extent.0 <= 0 - 1, size_limit \"never\"; if 0 < output.window",
        )],
    );
}

/// Products are opaque unknowns to the solver, so its model alone shows nothing.
#[test]
fn assumption_on_a_product() {
    only(
        Kind::Assumption,
        &tiles(),
        &[(
            "if 0 < output.window",
            "assert input.stride.0 == 3 & input.extent.0 * input.stride.0 == 31, \
                size_limit \"never\"; if 0 < output.window",
        )],
    );
}

#[test]
fn form() {
    only(
        Kind::Form,
        &tiles(),
        &[(
            "for xi in [0, 4] {",
            "assert 0 <= input.extent.0, size_limit \"late\"; for xi in [0, 4] {",
        )],
    );
}

/// A copy of a func in which reads of `from` become reads of `to`, and the constant 1 becomes
/// `constant`.
fn copy(pool: &mut Pool, func: FuncId, from: FuncId, to: FuncId, constant: i128) -> FuncId {
    let mut decl = pool.func(func).clone();
    let mut stages = decl.stages().to_vec();
    let mut memo = halidom_base::FxHashMap::default();
    for stage in &mut stages {
        for value in &mut stage.values {
            *value = pool.rewrite_bottom_up(*value, &mut memo, &mut |pool, id, expr| {
                if let Expr::Ref { func, component, args } = expr
                    && *func == from
                {
                    let (component, args) = (*component, args.clone());
                    pool.func_ref(to, component, args)
                } else if *expr == Expr::Const(Constant::int(1)) {
                    pool.int(constant)
                } else {
                    id
                }
            });
        }
    }
    decl.kind = FuncKind::Defined { stages, synthetic: false };
    pool.declare_func(FuncDecl { ..decl })
}

#[test]
fn refinement() {
    let mut module = parse::module(&tiles()).expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let lowered = module.algorithm.clone();
    let pool = &mut module.pool;
    let mut judge = |constant: i128, disable: &[Kind]| {
        let [twice, output] = *lowered.funcs.as_slice() else { unreachable!("two funcs") };
        let own = copy(pool, twice, twice, twice, constant);
        let user = copy(pool, output, twice, own, 1);
        let algorithm =
            Algorithm { funcs: vec![own, user], outputs: vec![user], ..lowered.clone() };
        let mut options = options();
        options.disable = disable.to_vec();
        options.search.trials = 0;
        validate_refined(pool, &algorithm, std::slice::from_ref(&lowered), &program, &options)
    };
    let right = judge(1, &[]);
    assert_eq!(right.verdict, Verdict::Proved, "{}", open(&right));
    let wrong = judge(2, &[]);
    assert_eq!(open_kinds(&wrong), BTreeSet::from([Kind::Refinement]), "{}", open(&wrong));
    assert_eq!(judge(2, &[Kind::Refinement]).verdict, Verdict::Proved);
}

/// Without this test, a kind of obligation could lack a test unnoticed.
#[test]
fn every_kind_has_its_test() {
    let tests = include_str!("kinds.rs");
    for kind in Kind::ALL {
        assert!(tests.contains(&format!("#[test]\nfn {}() {{", kind.name())), "{}", kind.name());
    }
}
