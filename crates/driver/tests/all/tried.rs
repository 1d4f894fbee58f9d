//! Runs of the compiled code of proved statements.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Replay, Request, Stock, Tried, bridge};
use halidom_halide::Condition;
use halidom_validate::{Report, Verdict};
use halidom_verdict::{Cause, Ran};

use crate::common::judge;

const SCRIPT: &str = "import halide as hl

def pipeline():
    x, xi = hl.Var('x'), hl.Var('xi')
    a = hl.ImageParam({type}, 1, 'a')
    out = hl.Func('out')
    out[x] = {value}
    out.split(x, x, xi, 8, hl.TailStrategy.GuardWithIf)
    return out
";

fn has_halide() -> bool {
    bridge::find().is_ok() && bridge::is_installed()
}

/// Halide's compile of a value, for a target, with a change of the lossless statement.
fn stock_of(
    folder: &Path,
    [ty, value]: [&str; 2],
    target: Option<&str>,
    [from, to]: [&str; 2],
) -> Stock {
    let path = folder.join("pipeline.py");
    let text = SCRIPT.replace("{type}", ty).replace("{value}", value);
    std::fs::write(&path, text).expect("it is written");
    let mut job = bridge::Job::of(bridge::Origin::Script(path));
    job.target = target.map(str::to_owned);
    let mut request = Request::of_job(job);
    let stock = stock::read(&request).expect("it is translated");
    if from.is_empty() {
        return stock;
    }
    let right = stock.lossless().expect("Halide compiled it");
    assert!(right.contains(from), "{right}");
    let wrong = folder.join("wrong.dump");
    std::fs::write(&wrong, right.replace(from, to)).expect("it is written");
    request.statement = Some(wrong);
    stock::read(&request).expect("it is translated")
}

fn judged(stock: &Stock) -> Report {
    let options = Options::find().expect("there are solvers").of_stock();
    let subject = &stock.subject;
    judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
}

const BYTES: &str = "hl.UInt(8)";
const UNCHANGED: [&str; 2] = ["", ""];

#[test]
fn a_proof_stands_if_the_code_agrees() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    // Without assertions, the inputs keep to what the callers promise.
    for target in [None, Some("host-no_asserts")] {
        let value = [BYTES, "a[x] + a[x + 40]"];
        let stock = stock_of(folder.path(), value, target, UNCHANGED);
        let mut report = judged(&stock);
        assert_eq!(report.verdict, Verdict::Proved);
        let tried = stock::try_out(&stock, &mut report).expect("it is proved");
        let is_right = matches!(tried, Tried::Agreed { runs, refused: 0 } if runs >= 4);
        assert!(is_right, "{target:?}: {tried:?}");
        assert_eq!(report.verdict, Verdict::Proved);
    }
}

/// Halide takes an output that an update reads in vectors for aligned, and the verdict states it.
#[test]
fn an_output_that_is_read_in_vectors_has_to_be_aligned() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let places = ["x*2", "x*2 + 1", "15 - x", "x*3"];
    let updates = places.map(|place| (place, "vectorize(r, 8)", true));
    let others =
        [("x", "unroll(r, 2)", false), ("hl.clamp(a[x], 0, 15)", "vectorize(r, 8)", false)];
    for (place, schedule, is_aligned) in updates.into_iter().chain(others) {
        let path = folder.path().join("pipeline.py");
        let text = "import halide as hl\ndef pipeline():\n    x, r = hl.Var('x'), \
                    hl.RDom([(0, 8)], 'r').x\n    \
                    a = hl.ImageParam(hl.Int(32), 1, 'a')\n    \
                    out = hl.Func('out')\n    out[x] = x\n    \
                    out[r + 32] = out[{place}]\n    out.update().{schedule}\n    \
                    out.output_buffer().dim(0).set_bounds(0, 40)\n    return out\n";
        let text =
            text.replace("{place}", &place.replace('x', "r")).replace("{schedule}", schedule);
        std::fs::write(&path, text).expect("it is written");
        let request = Request::of_job(bridge::Job::of(bridge::Origin::Script(path)));
        let stock = stock::read(&request).expect("it is translated");
        let mut report = judged(&stock);
        assert_eq!(report.verdict, Verdict::Proved, "{place}");
        let conditions = stock.subject.compiled.contract.conditions();
        assert_eq!(conditions.contains(&Condition::AlignedOutputs), is_aligned, "{place}");
        let tried = stock::try_out(&stock, &mut report).expect("it is proved");
        assert!(matches!(tried, Tried::Agreed { .. }), "{place}: {tried:?}");
    }
}

/// A run that breaks a promise of the pipeline's author reads beyond a func, and refutes nothing.
#[test]
fn a_broken_promise_refutes_nothing() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let places = [
        ("hl.unsafe_promise_clamped(a[x], 0, 9)", false),
        ("hl.unsafe_promise_clamped(a[x] % 10, 0, 9)", true),
    ];
    for (place, is_kept) in places {
        let path = folder.path().join("pipeline.py");
        let text = "import halide as hl\ndef pipeline():\n    x = hl.Var('x')\n    \
                    a = hl.ImageParam(hl.Int(32), 1, 'a')\n    \
                    f, out = hl.Func('f'), hl.Func('out')\n    f[x] = x*3\n    \
                    f.compute_root()\n    out[x] = f[{place}]\n    return out\n";
        std::fs::write(&path, text.replace("{place}", place)).expect("it is written");
        let request = Request::of_job(bridge::Job::of(bridge::Origin::Script(path)));
        let stock = stock::read(&request).expect("it is translated");
        let mut report = judged(&stock);
        let was_refuted = matches!(report.verdict, Verdict::Refuted(_));
        assert_eq!(was_refuted, !is_kept, "{place}: {:?}", report.verdict);
        stock::bear_out(&stock, &mut report, None).expect("it is run");
        let is_right = match &report.verdict {
            Verdict::Proved => is_kept,
            Verdict::Unknown(reason) => !is_kept && reason.to_string().contains("a promise"),
            Verdict::Refuted(_) => false,
        };
        assert!(is_right, "{place}: {:?}", report.verdict);
    }
}

/// The report on a right statement stands for a proof that the code generator does not deserve: the
/// code is that of another statement.
#[test]
fn wrong_code_of_a_proved_statement_is_refuted_unless_rounding_explains_it() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ([BYTES, "a[x] + 1"], ["(u8 1)", "(u8 2)"], true),
        // A float that has rounded may differ for other reasons.
        (
            ["hl.Float(32)", "a[x] * hl.f32(0.1)"],
            ["(f32 0x3FB99999A0000000)", "(f32 0x3FF0000000000000)"],
            false,
        ),
    ];
    for (value, change, is_refuted) in cases {
        let right = stock_of(folder.path(), value, None, UNCHANGED);
        let mut report = judged(&right);
        assert_eq!(report.verdict, Verdict::Proved, "{value:?}");
        let wrong = stock_of(folder.path(), value, None, change);
        let tried = stock::try_out(&wrong, &mut report).expect("it is proved");
        assert!(matches!(tried, Tried::Differs(Replay::Wrong { .. })), "{value:?}: {tried:?}");
        match &report.verdict {
            Verdict::Refuted(found) => {
                assert!(is_refuted && found.ran == Ran::CompiledCode, "{value:?}: {found:?}");
            }
            Verdict::Unknown(reason) => {
                assert!(!is_refuted && reason.cause == Cause::Unconfirmed, "{reason:?}");
            }
            Verdict::Proved => panic!("{value:?}"),
        }
    }
}

#[test]
fn code_for_another_machine_is_not_run() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let value = [BYTES, "a[x] + 1"];
    let stock = stock_of(folder.path(), value, Some("arm-64-linux"), UNCHANGED);
    let mut report = judged(&stock);
    assert_eq!(report.verdict, Verdict::Proved);
    let tried = stock::try_out(&stock, &mut report);
    assert!(matches!(&tried, Some(Tried::NotRun(why)) if why.contains("arm-64")), "{tried:?}");
    assert_eq!(report.verdict, Verdict::Proved);
}

#[test]
fn the_sign_of_a_zero_that_a_pipeline_writes_refutes_nothing() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let one = ["(f32 0x3FF0000000000000)", "(f32 0x4000000000000000)"];
    let cases = [
        ("a[x] / hl.max(a[x], hl.f32(-0.0))", UNCHANGED, false),
        ("hl.select(a[x] > 3, hl.f32(-0.0), hl.f32(1.0))", UNCHANGED, false),
        ("hl.atan2(hl.f32(-0.0), hl.f32(-1.0)) + a[x]", UNCHANGED, false),
        // No value shows the sign.
        ("hl.max(a[x], hl.f32(-0.0)) + hl.f32(1.0)", one, true),
    ];
    for (value, change, is_refuted) in cases {
        let strict = Some("host-strict_float");
        let stock = stock_of(folder.path(), ["hl.Float(32)", value], strict, change);
        let mut report = judged(&stock);
        assert!(matches!(report.verdict, Verdict::Refuted(_)), "{value}: {:?}", report.verdict);
        stock::bear_out(&stock, &mut report, None).expect("no file is written");
        match &report.verdict {
            Verdict::Refuted(_) => assert!(is_refuted, "{value}"),
            Verdict::Unknown(reason) => {
                assert!(!is_refuted && reason.cause == Cause::Unconfirmed, "{value}: {reason:?}");
            }
            Verdict::Proved => panic!("{value}"),
        }
    }
}
