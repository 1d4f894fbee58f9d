//! Kinds of cases in which the three ways may seem to differ, each with a wrong twin: a statement
//! that was edited, whose differences must be seen.

use std::time::Duration;

use halidom_driver::judge::{Options, judge_within};
use halidom_driver::stock::{self, Request, Stock, bridge};
use halidom_validate::Verdict;
use halidom_workshop::stock::{Agreement, Effort, agree};
use tempfile::TempDir;

use crate::has_halide;

/// Reads Halide's compilation of a script, with a part of its statement replaced. The folder holds
/// the script, which must be there when the code runs.
pub(crate) fn read(script: &str, edit: Option<(&str, &str)>) -> (Stock, TempDir) {
    let place = tempfile::tempdir().expect("there is a folder");
    let folder = place.path();
    let path = folder.join("pipeline.py");
    std::fs::write(&path, script).expect("it can be written");
    let job = bridge::Job::of(bridge::Origin::Script(path));
    let request = match edit {
        None => Request::of_job(job),
        Some((from, to)) => {
            let compiled = folder.join("compiled");
            std::fs::create_dir(&compiled).expect("it can be made");
            let statement = job.compile(&compiled).expect("Halide compiles it").statement;
            assert!(statement.contains(from), "{from} is not in\n{statement}");
            let edited = folder.join("edited.stmt");
            std::fs::write(&edited, statement.replace(from, to)).expect("it can be written");
            Request { statement: Some(edited), ..Request::of_job(job) }
        }
    };
    (stock::read(&request).expect("it is translated"), place)
}

pub(crate) fn agreement((stock, _place): &(Stock, TempDir)) -> Agreement {
    let effort = Effort { seed: 7, cases: 60, elements: 1 << 14, runs_code: true };
    agree(stock, &effort).expect("the machine takes it")
}

/// Checks that nothing differs for a script, and that something does after an edit. Returns the
/// comparison of the first.
fn twins(script: &str, wrong: (&str, &str)) -> Agreement {
    let right = agreement(&read(script, None));
    assert_eq!(right.differences, Vec::<String>::new());
    let wrong = agreement(&read(script, Some(wrong)));
    assert_ne!(wrong.differences, Vec::<String>::new());
    right
}

/// Sums of the pipeline do not overflow, but sums of the four lanes may.
#[test]
fn sums_that_are_grouped_anew_are_compared_as_the_conditions_say() {
    if !has_halide() {
        return;
    }
    let script = include_str!("../../../../tests/halide/pipelines/rfactor_sum.py");
    let found = twins(script, ("= total[0] + total_intm", "= total[0] - total_intm"));
    assert!(found.under_conditions.contains_key("a signed overflow"), "{found:?}");
    assert!(found.with_code >= 55, "{found:?}");
}

/// Halide makes one conversion of two.
#[test]
fn conversions_that_are_merged_are_compared_as_the_conditions_say() {
    if !has_halide() {
        return;
    }
    let script = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.Float(32), 1, 'a')
    out = hl.Func('out')
    out[x] = hl.u8(hl.i32(hl.clamp(a[x], -2147483648.0, 2147483520.0)))
    return out
";
    let found = twins(script, ("uint8(max(", "uint8(min("));
    let kind = "a conversion of a float out of range";
    assert!(found.under_conditions.contains_key(kind), "{found:?}");
    assert!(found.with_code > 0, "{found:?}");
}

/// A small difference of large floats depends on the order of the operators.
#[test]
fn floats_are_near_beside_the_greatest_on_the_way() {
    if !has_halide() {
        return;
    }
    let script = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a, b = (hl.ImageParam(hl.UInt(32), 1, name) for name in 'ab')
    out = hl.Func('out')
    out[x] = (hl.f32(a[x]) - hl.f32(b[x])) - 1.25
    return out
";
    let found = twins(script, ("1.250000f", "1.500000f"));
    assert!(found.with_code > 0, "{found:?}");
}

/// Halide leaves elements alone, whose values are then whatever was there.
#[test]
fn elements_that_are_not_written_are_seen_as_such() {
    if !has_halide() {
        return;
    }
    let script = include_str!("../../../../tests/halide/miscompiled/blend_twice.py");
    let found = twins(script, (" = 1\n", " = 2\n"));
    let reason = "some elements that are not written, of the compiled code";
    assert!(found.passed_over.contains_key(reason), "{found:?}");
    assert_eq!(found.with_interpreter, found.cases);
}

/// A schedule that depends on the output's extent makes a parameter of it, and not an input.
#[test]
fn the_shape_of_an_output_is_no_input() {
    if !has_halide() {
        return;
    }
    let script = include_str!("../../../../tests/halide/pipelines/specialize_fail.py");
    let found = twins(script, ("+ x8((uint8)1)", "+ x8((uint8)2)"));
    assert_eq!((found.with_interpreter, found.with_code), (found.cases, found.cases));
}

/// Values that a load leaves where it is not made go into memory, and from there nowhere.
#[test]
fn lanes_that_are_not_loaded_have_no_value() {
    if !has_halide() {
        return;
    }
    let script = "import halide as hl

def pipeline():
    x, block, lane = (hl.Var(name) for name in ('x', 'block', 'lane'))
    a = hl.ImageParam(hl.UInt(16), 1, 'a')
    f, out = hl.Func('f'), hl.Func('out')
    f[x] = a[x] + a[x + 1]
    out[x] = f[x] + hl.u16(1)
    f.compute_root().split(x, block, lane, 8, hl.TailStrategy.PredicateLoads)
    return out
";
    let found = twins(script, ("+ (uint16)1\n", "+ (uint16)2\n"));
    assert_eq!((found.with_interpreter, found.with_code), (found.cases, found.cases));
    let verdict = |edit| {
        let (stock, _place) = read(script, edit);
        let subject = &stock.subject;
        let options = Options::find().expect("there are solvers").of_stock();
        judge_within(&subject.pool, (&subject.algorithm, &subject.compiled), &options, &|own| {
            own.strictness = Duration::ZERO;
        })
        .verdict
    };
    let plain = verdict(None);
    assert!(!matches!(plain, Verdict::Refuted(_)), "{plain:?}");
    // One lane too few is loaded: what has no value is then left in the output.
    let wrong = verdict(Some((") + 1) <= ", ") + 1) < ")));
    assert!(matches!(wrong, Verdict::Refuted(_)), "{wrong:?}");
}
