//! The conditions of verdicts on stock Halide: they come from a closed list, and depend on
//! pipeline, target and contract.
//!
//! The tests need the project's Python with Halide; without it, they print a message and check
//! nothing.

use std::path::Path;

use halidom_driver::judge::Options;
use halidom_driver::stock::{self, Request, bridge};
use halidom_testgen::sampled;
use halidom_validate::{Report, Status, Verdict};

/// A sum of three floats; `{sum}` is written with or without `strict_float`.
const SUM: &str = "import halide as hl

def pipeline():
    x = hl.Var('x')
    a = hl.ImageParam(hl.Float(32), 1, 'a')
    out = hl.Func('out')
    out[x] = {sum}
    return out
";

const PLAIN: &str = "(a[x] + a[x + 1]) + a[x + 2]";
const STRICT: &str = "hl.strict_float((a[x] + a[x + 1]) + a[x + 2])";

fn has_halide() -> bool {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(".venv/bin/python").is_file()
}

/// Judges Halide's compilation of the sum, with its statement edited.
fn judged(sum: &str, target: Option<&str>, edit: impl Fn(&str) -> String) -> Report {
    report(&edited(sum, target, edit).1)
}

/// Asks for such a judgement of files in a folder.
fn edited(
    sum: &str,
    target: Option<&str>,
    edit: impl Fn(&str) -> String,
) -> (tempfile::TempDir, Request) {
    let folder = tempfile::tempdir().expect("there is a folder");
    let script = folder.path().join("sum.py");
    std::fs::write(&script, SUM.replace("{sum}", sum)).expect("it can be written");
    let target = target.map(str::to_owned);
    let job = bridge::Job { target, ..bridge::Job::of(bridge::Origin::Script(script)) };
    let place = folder.path().join("compiled");
    std::fs::create_dir(&place).expect("it can be made");
    let statement = job.compile(&place).expect("Halide compiles it").statement;
    let edited = folder.path().join("edited.stmt");
    std::fs::write(&edited, edit(&statement)).expect("it can be written");
    (folder, Request { statement: Some(edited), ..Request::of_job(job) })
}

/// Judges Halide's compilation of the sum, with all that the bridge knows of the arguments.
fn compiled(sum: &str) -> Report {
    let folder = tempfile::tempdir().expect("there is a folder");
    let script = folder.path().join("sum.py");
    std::fs::write(&script, SUM.replace("{sum}", sum)).expect("it can be written");
    report(&Request::of_job(bridge::Job::of(bridge::Origin::Script(script))))
}

fn report(request: &Request) -> Report {
    let stock = stock::read(request).expect("it is translated");
    let subject = &stock.subject;
    let options = Options::find().expect("there are solvers").of_stock();
    crate::common::judge(&subject.pool, &subject.algorithm, &subject.compiled, &options)
}

fn names(report: &Report) -> Vec<&str> {
    report.conditions.iter().map(|condition| &*condition.name).collect()
}

/// Replaces the first value that is stored to the output by another one of its three loads. The
/// new value is told whether the old one has strict operators.
fn replaced(statement: &str, value: impl Fn(bool, [&str; 3]) -> String) -> String {
    let at = statement.find("out[").expect("there is a store");
    let end = at + statement[at..].find('\n').unwrap_or(statement.len() - at);
    let line = &statement[at..end];
    let loads: Vec<&str> = line
        .match_indices("a[")
        .map(|(begin, _)| {
            let length = line[begin..].find(']').expect("it ends") + 1;
            &line[begin..begin + length]
        })
        .collect();
    let loads: [&str; 3] = loads.try_into().expect("three loads");
    let value = value(line.contains("strict_add"), loads);
    let (target, _) = line.split_once(" = ").expect("it is a store");
    format!("{}{target} = {value}{}", &statement[..at], &statement[end..])
}

fn regrouped(statement: &str) -> String {
    replaced(statement, |is_strict, [first, second, third]| {
        if is_strict {
            format!("(float32)strict_add({first}, (float32)strict_add({second}, {third}))")
        } else {
            format!("{first} + ({second} + {third})")
        }
    })
}

fn without_strict_operators(statement: &str) -> String {
    replaced(statement, |_, [first, second, third]| format!("({first} + {second}) + {third}"))
}

#[test]
fn a_strict_sum_that_is_regrouped_is_not_proved() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let whole = judged(STRICT, None, str::to_owned);
    assert_eq!(whole.verdict, Verdict::Proved);
    assert!(!names(&whole).contains(&"statement-only"));
    let other = judged(STRICT, None, regrouped);
    assert_ne!(other.verdict, Verdict::Proved);
    // LLVM may regroup a sum that is not strict any more.
    let (_folder, lost) = edited(STRICT, None, without_strict_operators);
    assert!(stock::read(&lost).is_err());
    // The target requires strict floats too.
    let target = Some("host-strict_float");
    assert_eq!(judged(PLAIN, target, str::to_owned).verdict, Verdict::Proved);
    assert_ne!(judged(PLAIN, target, regrouped).verdict, Verdict::Proved);
    // Without that, floats may be regrouped, and the verdict is on the statement alone.
    let loose = judged(PLAIN, None, regrouped);
    assert_eq!(loose.verdict, Verdict::Proved);
    assert!(names(&loose).contains(&"statement-only"));
}

#[test]
fn what_a_statement_does_not_check_is_assumed_for_a_target_without_assertions_only() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let without = |statement: &str| {
        // Without a check of the types nothing is translated.
        let stays = |line: &&str| {
            let fields = [".type ==", ".dimensions ==", ".device_dirty,"];
            !line.trim_start().starts_with("assert") || fields.iter().any(|own| line.contains(own))
        };
        let lines = statement.lines().filter(stays);
        lines.flat_map(|line| [line, "\n"]).collect::<String>()
    };
    let stripped = judged(PLAIN, None, without);
    assert_ne!(stripped.verdict, Verdict::Proved);
    assert!(!names(&stripped).contains(&"compiled-without-asserts"));
    let target = judged(PLAIN, Some("host-no_asserts"), str::to_owned);
    assert_eq!(target.verdict, Verdict::Proved);
    assert!(names(&target).contains(&"compiled-without-asserts"));
}

#[test]
fn a_condition_of_the_statement_that_overflows_is_open() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let guarded = |factor: &'static str| {
        move |statement: &str| {
            let at = statement.find("out[").expect("there is a store");
            let begin = statement[..at].rfind('\n').map_or(0, |line| line + 1);
            let end = at + statement[at..].find('\n').expect("the line ends") + 1;
            let (indent, line) = (&statement[begin..at], &statement[at..end]);
            let name = loop_name(statement);
            let condition = format!("({name}*{factor}) < (out.extent.0*{factor})");
            format!(
                "{}{indent}if ({condition}) {{\n{indent} {line}{indent}}}\n{}",
                &statement[..begin],
                &statement[end..]
            )
        }
    };
    let report = judged(PLAIN, None, guarded("65536"));
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    let is_overflow = |status: &Status| match status {
        Status::Open(reason) => reason.words.contains("may overflow in 32 bits"),
        Status::Closed(_) => false,
    };
    assert!(report.open().all(|obligation| is_overflow(&obligation.status)));
    assert!(report.open().next().is_some());
    assert_eq!(judged(PLAIN, None, guarded("2")).verdict, Verdict::Proved);
}

/// A parameter within its range is itself, up to the sign of 0 at an end.
#[test]
fn parameters_within_their_ranges_are_not_changed() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let name = "zero-parameters-not-negative";
    let limited = |range: &str| {
        format!("(p := hl.Param(hl.Float(32), 'p'), p.set_range({range}), a[x] + p)[2]")
    };
    for (range, has_zero) in [("1.0, 4.0", false), ("0.0, 4.0", true), ("-3.0, 0.0", true)] {
        let report = compiled(&limited(range));
        assert_eq!(report.verdict, Verdict::Proved, "{range}");
        assert_eq!(names(&report).contains(&name), has_zero, "{range}");
    }
    // Another limit than the range's changes the value.
    let narrowed = |statement: &str| {
        let other = statement.replacen(", 4.000000f)", ", 3.000000f)", 1);
        assert_ne!(other, statement);
        other
    };
    let report = judged(&limited("1.0, 4.0"), None, narrowed);
    assert!(!matches!(report.verdict, Verdict::Proved), "{:?}", report.verdict);
}

/// The name of the only loop.
fn loop_name(statement: &str) -> &str {
    let at = statement.find("for (").expect("there is a loop") + "for (".len();
    let end = statement[at..].find(',').expect("it has bounds");
    &statement[at..at + end]
}

/// The conditions on values that leave their type come from what the pipeline computes.
#[test]
fn arithmetic_that_wraps_is_named_where_the_pipeline_has_it() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let kinds = ["value-arithmetic-wraps", "conversions-wrap", "conversions-fit"];
    let cases = [
        ("a[x] + a[x + 1]", [false, false, false]),
        ("hl.f32(hl.i32(a[x]) + 1)", [true, false, true]),
        ("hl.f32(hl.i64(a[x]))", [false, false, true]),
        ("hl.f32(hl.u64(a[x]))", [false, false, true]),
        ("hl.f32(hl.u32(a[x]))", [false, true, false]),
        ("hl.f32(hl.i16(a[x]))", [false, true, false]),
        ("hl.f32(hl.u8(hl.i32(a[x])))", [false, false, true]),
        ("hl.f32(hl.u8(a[x]))", [false, true, false]),
        ("hl.f32(hl.u8(hl.i64(a[x])))", [false, false, true]),
        ("hl.f32(hl.u8(hl.i64(a[x]))) + hl.f32(hl.u8(a[x]))", [false, false, true]),
        // Steps of a translation, whose operands fit.
        ("hl.f32(hl.cast(hl.Float(16), a[x]))", [false, false, false]),
        ("hl.f32(hl.u8(x) + hl.u8(1)) + a[x]", [true, false, false]),
        ("hl.f32(x + 1) + a[x]", [true, false, false]),
        // The extent of a domain.
        (
            "hl.sum(a[x + hl.RDom([(0, hl.clamp(hl.i32(hl.Param(hl.Float(32), 's')), 1, 9))])])",
            [false, false, true],
        ),
    ];
    for (value, wanted) in sampled(cases, 5) {
        let report = judged(value, None, str::to_owned);
        let names = names(&report);
        assert_eq!(kinds.map(|kind| names.contains(&kind)), wanted, "{value}: {names:?}");
        assert!(names.contains(&"index-arithmetic-wraps"));
    }
}

/// Of a pipeline with strict operators, Halide contracts the others.
#[test]
fn plain_operators_near_strict_ones_may_be_contracted() {
    if !has_halide() {
        eprintln!("skipped: there is no Python with Halide");
        return;
    }
    let is_contracted = |sum: &str, target: Option<&str>| {
        let report = judged(sum, target, str::to_owned);
        assert_eq!(report.verdict, Verdict::Proved, "{sum}");
        report.below.iter().any(|what| what.contains("rounding a product and the sum"))
    };
    let mixed = "hl.strict_float(a[x] + a[x + 1]) + a[x + 2] * 3";
    assert!(is_contracted(mixed, None));
    assert!(is_contracted(PLAIN, None));
    assert!(!is_contracted(STRICT, None));
    assert!(!is_contracted(mixed, Some("host-strict_float")));
}
