//! Malformed definitions and promises without an obligation are never proved. The tests use no
//! runs, so the obligations alone must ensure this.

use std::fmt::Write as _;

use crate::common::{open, options};
use halidom_ir::parse;
use halidom_validate::{Report, Verdict, validate};

/// Entry checks on one-dimensional buffers and windows.
fn limits(buffers: &[&str], windows: &[&str]) -> String {
    let big = 1_i64 << 31;
    let range = |name: String, low: i64, high: i64| {
        format!("assert {low} <= {name} & {name} <= {high}, size_limit \"{name}\";")
    };
    let mut text = String::new();
    for name in buffers {
        text += &range(format!("{name}.min.0"), -big, big);
        text += &range(format!("{name}.extent.0"), 0, big);
        let _ = writeln!(
            text,
            "assert 1 <= {name}.stride.0 & {name}.stride.0 <= 140737488355328 & {name}.extent.0 * \
                {name}.stride.0 <= 140737488355328, size_limit \"{name}\";"
        );
    }
    for name in windows {
        text += &range(format!("{name}.min.0"), -big, big);
        text += &range(format!("{name}.extent.0"), 0, big);
    }
    text
}

/// Validates a program with input `a` and this work, for an algorithm with these funcs and outputs.
fn judged(funcs: &str, outputs: &[&str], work: &str) -> Report {
    let named: Vec<String> = (0..outputs.len()).map(|number| format!("w{number}")).collect();
    let windows: Vec<&str> = named.iter().map(String::as_str).collect();
    let mut buffers = vec!["a".to_owned()];
    let mut declared = String::new();
    let mut inside = String::new();
    for (output, window) in outputs.iter().zip(&windows) {
        let buffer = format!("{window}.{output}");
        let _ = writeln!(
            declared,
            "output {output} in {buffer} [{buffer}.min.0, {buffer}.extent.0, {buffer}.stride.0] \
                window [{window}.min.0, {window}.extent.0];"
        );
        let _ = writeln!(
            inside,
            "assert {buffer}.min.0 <= {window}.min.0 & {window}.min.0 + {window}.extent.0 <= \
                {buffer}.min.0 + {buffer}.extent.0, layout {output};
             assert a.min.0 <= {window}.min.0 & {window}.min.0 + {window}.extent.0 <= a.min.0 + \
             a.extent.0, layout a;"
        );
        buffers.push(buffer);
    }
    let buffers: Vec<&str> = buffers.iter().map(String::as_str).collect();
    let limits = limits(&buffers, &windows);
    let puts = outputs.join(", ");
    let text = format!(
        "algorithm p {{
  input a(_0): u8 in a.buffer [a.min.0, a.extent.0, a.stride.0];
  {funcs}
  output {puts};
}}
program p {{
  {declared} {limits} {inside}
  {work}
}}"
    );
    let mut module = parse::module(&text).expect("the text is well formed");
    // Without runs, only the obligations can decide.
    let mut options = options();
    options.search.trials = 0;
    let program = module.program.expect("the text has a program");
    validate(&mut module.pool, &module.algorithm, &program, &options)
}

const COPY: &str = "func b(x$1): u8 { stage(x$1) = a(x$1); }";

#[test]
fn the_right_one_is_proved() {
    let report = judged(
        COPY,
        &["b"],
        "func b [w0.min.0, w0.extent.0] { stage b, 0, 0 {
           for x in [w0.min.0, w0.extent.0] {
             w0.b[(x - w0.b.min.0) * w0.b.stride.0 @ b(x) stage 0] = a.buffer[(x - a.min.0) * \
             a.stride.0 @ a(x)];
           } } }",
    );
    assert_eq!(report.verdict, Verdict::Proved, "{}", open(&report));
}

#[test]
fn a_label_of_an_input_promises_nothing() {
    let report = judged(
        COPY,
        &["b"],
        "allocate spare: u8 for a [w0.min.0, w0.extent.0, 1];
         func a [w0.min.0, w0.extent.0] { }
         func b [w0.min.0, w0.extent.0] { stage b, 0, 0 {
           for x in [w0.min.0, w0.extent.0] {
             w0.b[(x - w0.b.min.0) * w0.b.stride.0 @ b(x) stage 0] = spare[x - w0.min.0 @ a(x)];
           } } }",
    );
    assert!(matches!(report.verdict, Verdict::Unknown(_)), "{:?}", report.verdict);
    assert!(open(&report).contains("promises an input"), "{}", open(&report));
}

#[test]
fn a_func_is_put_out_once() {
    let report = judged(
        COPY,
        &["b", "b"],
        "func b [w0.min.0, w0.extent.0] { stage b, 0, 0 {
           for x in [w0.min.0, w0.extent.0] {
             w1.b[(x - w1.b.min.0) * w1.b.stride.0 @ b(x) stage 0] = a.buffer[(x - a.min.0) * \
             a.stride.0 @ a(x)];
           } } }",
    );
    assert_refused(&report, "a func is an output once");
}

#[test]
fn pure_stages_are_everywhere_and_once() {
    let funcs = "func f(x): u8 { for r in [0, 4] stage(x) = u8(r); } \
        func b(x$1): u8 { stage(x$1) = f(x$1); }";
    assert_refused(&judged(funcs, &["b"], ""), "the pure stage has no domain");
    let funcs = "func b(x): u8 { if 0 < x stage(x) = a(x); }";
    assert_refused(&judged(funcs, &["b"], ""), "an output has a value everywhere");
}

#[test]
fn definitions_come_before_uses() {
    let funcs = "func f(x): u8 { stage(x) = f(x); } func b(x$1): u8 { stage(x$1) = f(x$1); }";
    assert_refused(&judged(funcs, &["b"], ""), "defined before it");
}

fn assert_refused(report: &Report, rule: &str) {
    assert!(
        matches!(&report.verdict, Verdict::Unknown(reason) if reason.words.contains(rule)),
        "{:?}",
        report.verdict
    );
}
