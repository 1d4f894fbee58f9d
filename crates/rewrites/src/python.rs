//! A program in Python that asks an installed TVM about examples of rules.
//!
//! [`crate::questions`] writes the same program for Halide.

use crate::questions::Question;
use crate::rules::{Domain, Op, Pattern, declaration, expression, literal};

/// Returns the program. It prints a line for each verified rule where TVM changes the value, and
/// for each wrong rule where it does not. The last line and the exit status are as in
/// [`crate::questions::program`].
pub fn program(questions: &[Question<'_>]) -> String {
    let mut text = PROLOGUE.to_owned();
    for question in questions {
        text.extend(call(question));
    }
    text.push_str(EPILOGUE);
    text
}

/// Returns the lines that ask a question; `None` for rules over vectors and floats.
fn call(question: &Question<'_>) -> Option<String> {
    let is_vector = |part: &Pattern| matches!(part, Pattern::Apply(Op::Broadcast | Op::Ramp, _));
    let is_real = question.values.iter().any(|(_, domain, _)| *domain == Domain::Real);
    if is_real || question.rule.lhs.any(is_vector) || question.expected.denominator != 1 {
        return None;
    }
    let mut lines = Vec::new();
    let mut given = Vec::new();
    for (name, domain, value) in question.values {
        lines.push(declaration(name, *domain, *value)?);
        if !name.starts_with('c') {
            given.push(format!("{name}: {}", literal(*domain, *value)));
        }
    }
    let before = expression(&question.rule.lhs, question.values);
    let is_wrong = if question.is_wrong { "True" } else { "False" };
    let (place, given, expected) = (&question.place, given.join(", "), question.expected);
    lines.push(format!("ask(\"{place}\", {is_wrong}, lambda: {before}, {{{given}}}, {expected})"));
    Some(format!("{}\n", lines.join("; ")))
}

const PROLOGUE: &str = r#"# Asks an installed TVM what it makes of examples of its rewrite rules.
import json
import sys

from tvm import tirx

try:
    from tvm.sym import Analyzer
except ImportError:
    from tvm.arith import Analyzer

asked, changed, refused = [0, 0], [0, 0], 0


def ask(place, is_wrong, build, given, expected):
    global refused
    try:
        before = build()
        after = Analyzer().rewrite_simplify(before)
        bound = after
        for name, value in given.items():
            bound = tirx.Let(name, value, bound)
        result = Analyzer().rewrite_simplify(bound)
        value = int(result)
    except Exception:  # TVM refuses some expressions, and leaves others open.
        refused += 1
        return
    differs = value != expected
    asked[is_wrong] += 1
    changed[is_wrong] += differs
    if differs != is_wrong:
        what = "verified, and changes its value"
        if is_wrong:
            what = "called wrong, and keeps its value"
        print(f"{place}: {what}: {before} is {expected}, simplified {after}, which is {value}")
    elif is_wrong:
        what = "wrong in TVM too"
        print(f"{place}: {what}: {before} is {expected}, simplified {after}, which is {value}")


"#;

const EPILOGUE: &str = r#"
verified, wrong = zip(asked, changed)
print(json.dumps({"verified": verified, "wrong": wrong, "refused": refused}))
sys.exit(changed[0] > 0)
"#;
