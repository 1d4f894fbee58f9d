//! Evaluates programs with one input.

use halidom_ir::parse;
use halidom_ir::verify::{self, Phase};
use halidom_reference::{Options, Premise, Report, Verdict, evaluate};
use halidom_smt::{Family, Program};

/// One input, a func that is `a + 1`, and an output whose stages the test supplies.
const HEAD: &str = "algorithm rule {
  input a(_0): i32 in a.buffer [a.min, a.extent, a.stride];
  func f(u): i32 { stage(u) = a(u) + 1i32; }
  func out(v): i32 { OUT }
  output out;
}
program rule {
  output out in out.buffer [o.min, o.extent, o.stride] window [w.min, w.extent];
  assert 0 <= a.extent & 0 <= o.extent & 0 <= w.extent, size_limit \"a.extent\";
  assert 1 <= a.stride, layout a;
  assert 1 <= o.stride, layout out;
  assert a.min <= w.min & w.min + w.extent + 3 <= a.min + a.extent, input_region a, 0, [w.min, \
  w.extent + 3] within [a.min, a.extent];
  assert o.min <= w.min & w.min + w.extent <= o.min + o.extent, output_region out, 0, [w.min, \
  w.extent] within [o.min, o.extent];
";

/// `out` is `f`.
pub(super) const COPY: &str = "stage(v) = f(v);";
/// `out` is a sum of three elements.
pub(super) const SUM: &str = "stage(v) = 0i32; for d in [0, 3] stage(v) = out(v) + a(v + d);";

/// Options with the installed solver.
pub(super) fn options() -> Options {
    Options::new(Program::find(Family::Z3, None).expect("a solver is installed"))
}

pub(super) fn judged_within(out: &str, body: &str, options: &Options) -> Report {
    let text = format!("{}{body}\n}}\n", HEAD.replace("OUT", out));
    let mut module = parse::module(&text).expect("the text is a module");
    let program = module.program.take().expect("there is a program");
    verify::program(&module.pool, &program, Phase::Final).expect("the program is well formed");
    evaluate(&mut module.pool, &module.algorithm, &program, options)
}

fn judged(out: &str, body: &str) -> Report {
    judged_within(out, body, &options())
}

pub(super) fn proved(out: &str, body: &str) {
    let report = judged(out, body);
    assert_eq!(report.verdict, Verdict::Proved, "{:?} in {body}", report.open);
}

/// Checks that the evaluation ends at this premise, for this reason.
pub(super) fn open(out: &str, body: &str, premise: Premise, reason: &str) {
    let report = judged(out, body);
    let found = match &report.verdict {
        Verdict::Unknown(found) => found.as_str(),
        Verdict::Proved => "proved",
    };
    let at = report.open.as_ref().map(|open| open.premise);
    assert!(at == Some(premise) && found.contains(reason), "{at:?}: {found} in {body}");
}

/// A store to `out` at `y` of the value of `f`.
pub(super) const FRESH: &str = "out.buffer[(y - o.min) * o.stride @ out(y) stage 0] = a.buffer[(y \
    - a.min) * a.stride @ a(y)] + 1i32;";
