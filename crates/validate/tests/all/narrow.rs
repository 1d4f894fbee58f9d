//! Code with integers of 32 bits. Sums in indices may wrap, but integers that decide may not, and
//! neither may the arithmetic of entry checks.

use crate::common::{open, options};
use halidom_ir::{Check, Expr, ExprId, Pool, Stmt, StmtId, parse};
use halidom_validate::{About, Report, Verdict, validate};

/// The callers' contract: sizes are moderate, and the elements of a buffer lie within 2^31.
fn contract(buffer: &str) -> String {
    let (size, wide) = (1_i64 << 29, 1_i64 << 31);
    format!(
        "assert 0 - {size} <= {buffer}.min.0 & {buffer}.min.0 < {size}, size_limit \"min\";
         assert 0 <= {buffer}.extent.0 & {buffer}.extent.0 < {size}, size_limit \"extent\";
         assert {buffer}.min.0 + {buffer}.extent.0 < {size}, size_limit \"end\";
         assert 1 <= {buffer}.stride.0 & {buffer}.stride.0 < {wide}, size_limit \"stride\";"
    )
}

fn window() -> String {
    let size = 1_i64 << 29;
    format!(
        "assert 0 - {size} <= w & w < {size}, size_limit \"min\";
         assert 0 <= n & n < {size}, size_limit \"extent\";
         assert w + n < {size}, size_limit \"end\";"
    )
}

fn span(buffer: &str) -> String {
    format!("assert {buffer}.extent.0 * {buffer}.stride.0 <= 2147483647, size_limit \"span\";")
}

/// A program that copies its input and adds 1.
struct Copy {
    checks: String,
    guard: &'static str,
    /// A statement before the store.
    before: &'static str,
    index: &'static str,
}

impl Copy {
    fn right() -> Self {
        Self {
            checks: span("out"),
            guard: "x < w + n",
            before: "",
            index: "x * out.stride.0 - out.min.0 * out.stride.0",
        }
    }

    fn text(&self) -> String {
        let (input, output) = (contract("a") + &span("a"), contract("out") + &window());
        let Self { checks, guard, before, index } = self;
        format!(
            "algorithm copy {{
  input a(_0): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0];
  func out(c): u8 {{ stage(c) = a(c) + 1u8; }}
  output out;
}}
program copy {{
  output out in out.buffer [out.min.0, out.extent.0, out.stride.0] window [w, n];
  {input} {output} {checks}
  assert n <= 0 | a.min.0 <= w & w + n <= a.min.0 + a.extent.0, input_region a, 0, [w, n] within \
  [a.min.0, a.extent.0];
  assert n <= 0 | out.min.0 <= w & w + n <= out.min.0 + out.extent.0, output_region out, 0, [w, n] \
  within [out.min.0, out.extent.0];
  func out [w, n] {{
    stage out, 0, 0 {{
      for x in [w, n] {{
        if {guard} {{
          {before}
          out.buffer[{index} @ out(x) stage 0] = a.buffer[(x - a.min.0) * a.stride.0 @ a(x)] + 1u8;
        }}
      }}
    }}
  }}
}}"
        )
    }

    fn judge(&self, bits: u32, single: bool) -> Report {
        let text = self.text();
        let mut module = parse::module(&text).expect("the program is written correctly");
        let program = module.program.take().expect("there is a program");
        let mut options = options();
        options.int_bits = bits;
        if bits < 64 {
            limits(&module.pool, program.body, &mut |condition| {
                options.code.contract.insert(condition);
            });
        }
        if single {
            let window = program.outputs[0].window[0].1;
            let extent = module.pool.var_expr(window);
            assert!(matches!(module.pool.get(extent), Expr::Var(_)));
            options.code.single.insert(extent);
        }
        validate(&mut module.pool, &module.algorithm, &program, &options)
    }
}

/// Calls `visit` with the conditions of the callers' contract, which the code does not evaluate.
fn limits(pool: &Pool, stmt: StmtId, visit: &mut impl FnMut(ExprId)) {
    match pool.get_stmt(stmt) {
        Stmt::Block(parts) => parts.iter().for_each(|part| limits(pool, *part, visit)),
        Stmt::Assert { condition, check: Check::SizeLimit { .. } } => visit(*condition),
        Stmt::Assert { .. }
        | Stmt::Let { .. }
        | Stmt::If { .. }
        | Stmt::For { .. }
        | Stmt::Allocate { .. }
        | Stmt::Labeled { .. }
        | Stmt::Provide { .. }
        | Stmt::Store { .. } => {}
    }
}

fn assert_proved(copy: &Copy) {
    let report = copy.judge(32, false);
    assert!(report.verdict == Verdict::Proved, "{:?}\n{}", report.verdict, open(&report));
}

/// Checks that the program is not proved with 32 bits, for the given reason.
fn assert_open(copy: &Copy, reason: &str) {
    let report = copy.judge(32, false);
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    let open = open(&report);
    assert!(open.contains(reason), "{open}");
}

#[test]
fn an_index_may_wrap_in_the_middle() {
    assert_proved(&Copy::right());
}

#[test]
fn an_index_that_does_not_fit_in_the_end_is_open() {
    assert_open(
        &Copy { checks: String::new(), ..Copy::right() },
        "may overflow in 32 bits: `out.buffer` may have elements 2^31 from its first",
    );
}

#[test]
fn a_quotient_within_an_index_may_not_wrap() {
    let index = "(x * 65536 - out.min.0 * 65536) / 65536 * out.stride.0";
    let copy = Copy { index, ..Copy::right() };
    assert_open(&copy, "may overflow in 32 bits: `x * 65536");
    assert_eq!(copy.judge(64, false).verdict, Verdict::Proved);
    assert_proved(&Copy { index: "(x * 2 - out.min.0 * 2) / 2 * out.stride.0", ..Copy::right() });
}

#[test]
fn an_element_that_nothing_uses_is_read_all_the_same() {
    let before = "let v: u8 = a.buffer[(x * 65536 - a.min.0 * 65536) / 65536 * a.stride.0 @ a(x)];";
    let copy = Copy { before, ..Copy::right() };
    assert_open(&copy, "may overflow in 32 bits: `x * 65536");
    assert_eq!(copy.judge(64, false).verdict, Verdict::Proved);
    let before = "let v: u8 = a.buffer[(x * 2 - a.min.0 * 2) / 2 * a.stride.0 @ a(x)];";
    assert_proved(&Copy { before, ..Copy::right() });
    // A number that nothing uses decides nothing.
    let before = "let v: int = (x * 65536 - a.min.0 * 65536) / 65536;";
    assert_proved(&Copy { before, ..Copy::right() });
}

#[test]
fn what_decides_may_not_overflow() {
    let guard = "x * 65536 < (w + n) * 65536";
    let copy = Copy { guard, ..Copy::right() };
    assert_open(&copy, "may overflow in 32 bits: `x * 65536`, e.g. ");
    assert_eq!(copy.judge(64, false).verdict, Verdict::Proved);
    assert_proved(&Copy { guard: "x * 2 < (w + n) * 2", ..Copy::right() });
}

#[test]
fn an_entry_check_may_not_overflow() {
    let check = |condition: &str| Copy {
        checks: format!("{} assert {condition}, require \"sizes\";", span("out")),
        ..Copy::right()
    };
    let wrong = check("n * 65536 <= a.extent.0 * 65536");
    assert_open(&wrong, "may overflow in 32 bits: `n * 65536`");
    assert_eq!(wrong.judge(64, false).verdict, Verdict::Proved);
    assert_proved(&check("n * 2 <= a.extent.0 * 2"));
    // The first check is exact if the second holds, in any order.
    let later =
        "n * 65536 <= a.extent.0 * 65536, require \"sizes\"; assert n <= 1000 & a.extent.0 <= 1000";
    assert_proved(&check(later));
}

#[test]
fn a_condition_that_leaves_no_room_is_too_strict() {
    let copy = Copy {
        checks: format!("{} assert n <= 1, size_limit \"extent\";", span("out")),
        ..Copy::right()
    };
    assert_open(&copy, "the conditions leave only outputs with an extent of 1 or 0");
    // An extent that the pipeline itself fixes to 1 may be 1.
    assert_eq!(copy.judge(32, true).verdict, Verdict::Proved);
}

#[test]
fn what_calls_itself_a_size_limit_is_listed_with_its_condition() {
    let copy = Copy {
        checks: format!("{} assert 5 <= n, size_limit \"extent\";", span("out")),
        ..Copy::right()
    };
    let report = copy.judge(64, false);
    let mut found = report.assumptions.iter();
    let found = found.find(|found| found.words.ends_with("5 <= n")).expect("it is listed");
    assert_eq!(found.words, "a limit of extent: 5 <= n");
    // No condition of the verdict names it.
    assert!(matches!(found.about, About::Check { is_named: false, .. }));
}
