//! Each rule is proved for each type that it claims, and false rules are refused.

use crate::common::{Prover, Verdict};
use halidom_ir::Scalar;
use halidom_rules::{Types, table};

/// Proves each rule for its types that are in `types`, and panics with a list of the failures.
fn check(types: Types) {
    let mut prover = Prover::new();
    let mut failures = Vec::new();
    let mut proved = 0;
    for rule in table::RULES.iter() {
        for main in rule.types.iter().filter(|main| types.contains(*main)) {
            match prover.prove(rule, main) {
                Verdict::Proved => proved += 1,
                verdict @ (Verdict::Refuted | Verdict::Unknown(_)) => {
                    failures.push(format!("{} for {main}: {verdict:?}", rule.name))
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(proved > 0, "no rule is for these types");
}

#[test]
fn rules_hold_for_mathematical_integers() {
    check(Types::INT);
}

#[test]
fn rules_hold_for_signed_integers() {
    check(Types::SIGNED);
}

#[test]
fn rules_hold_for_unsigned_integers() {
    check(Types::UNSIGNED);
}

#[test]
fn rules_hold_for_conditions_and_floats() {
    check(Types::FLOAT.or(Types::BOOL));
}

#[test]
fn every_rule_is_for_some_type_and_has_a_name_of_its_own() {
    let mut names: Vec<&str> = table::RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
    assert!(table::RULES.iter().all(|rule| rule.types.iter().next().is_some()));
}

/// Rules that are false for some of the types that they claim. Each comes with one type for which
/// it must be refuted.
const FALSE: &[(table::Line, Scalar)] = &[
    // Constants, conditions and operands that are slightly wrong.
    (("", Types::INT, "(+ (+ x c0) c1)", "(+ x (- c0 c1))", ""), Scalar::Int),
    (("", Types::INT, "(- (+ x y) (+ z x))", "(- z y)", ""), Scalar::Int),
    (("", Types::INT, "(/ (* x c0) c1)", "(* x (/ c0 c1))", "(!= c1 0)"), Scalar::Int),
    (("", Types::INT, "(/ (/ x c0) c1)", "(/ x (* c0 c1))", "(!= c0 0), (> c1 0)"), Scalar::Int),
    (("", Types::INT, "(% (% x c0) c1)", "(% x c1)", "(> c1 0), (>= c0 c1)"), Scalar::Int),
    (("", Types::INT, "(+ (* (/ x c) c) (% x c))", "(+ x 1)", "(!= c 0)"), Scalar::Int),
    (("", Types::INT, "(/ x x)", "1", ""), Scalar::Int),
    (("", Types::INT, "(< (* x c0) c1)", "(< x (/ c1 c0))", "(> c0 0)"), Scalar::Int),
    (("", Types::INT, "(< (* x c) (* y c))", "(< x y)", "(>= c 0)"), Scalar::Int),
    (("", Types::INT, "(min x (max x y))", "y", ""), Scalar::Int),
    (("", Types::INT, "(! (< x y))", "(< y x)", ""), Scalar::Int),
    (("", Types::INT, "(& (< x c0) (< x c1))", "(< x (max c0 c1))", ""), Scalar::Int),
    (("", Types::INT, "(- (broadcast x) (ramp y z))", "(ramp (- x y) z)", ""), Scalar::Int),
    (("", Types::INT, "(ramp x 1)", "(broadcast x)", ""), Scalar::Int),
    (
        ("", Types::INT, "(min (ramp x z) (ramp y w))", "(ramp (min x y) (min z w))", ""),
        Scalar::Int,
    ),
    (
        ("", Types::INT, "(max (min x c1) (min (+ x c2) c3))", "(min (+ x c2) c3)", "(>= c2 0)"),
        Scalar::Int,
    ),
    // Laws of mathematical integers may fail for integers that wrap.
    (("", Types::ANY, "(< x (+ x c))", "true", "(> c 0)"), Scalar::I16),
    (("", Types::ANY, "(< (+ x c0) c1)", "(< x (- c1 c0))", ""), Scalar::U64),
    (("", Types::ANY, "(/ (* x c) c)", "x", "(!= c 0)"), Scalar::U8),
    (("", Types::ANY, "(min (+ x z) (+ y z))", "(+ (min x y) z)", ""), Scalar::I8),
    (("", Types::ANY, "(/ (/ x c0) c1)", "(/ x (* c0 c1))", "(> c0 0), (> c1 0)"), Scalar::U16),
    // Signed and unsigned integers differ.
    (("", Types::ANY, "(<= 0 x)", "true", ""), Scalar::I32),
    (("", Types::ANY, "(/ (neg x) c)", "(neg (/ x c))", ""), Scalar::I8),
    // Laws of integers may fail for floats: zeros have signs, NaN is not equal to itself, sums are
    // rounded.
    (("", Types::ANY, "(+ x 0)", "x", ""), Scalar::F32),
    (("", Types::ANY, "(- x -0.0)", "x", ""), Scalar::F64),
    (("", Types::ANY, "(* x 0)", "0", ""), Scalar::F32),
    (("", Types::ANY, "(- x x)", "0", ""), Scalar::F64),
    (("", Types::ANY, "(== x x)", "true", ""), Scalar::F32),
    (("", Types::ANY, "(! (< x y))", "(<= y x)", ""), Scalar::F32),
    (("", Types::ANY, "(min x y)", "(min y x)", ""), Scalar::F32),
    (("", Types::ANY, "(- (+ x y) y)", "x", ""), Scalar::F32),
    (("", Types::ANY, "(- 0 x)", "(neg x)", ""), Scalar::F32),
    (("", Types::ANY, "(select (< x y) y x)", "(max x y)", ""), Scalar::F32),
    // The sides are equal where both are defined, but the right side is undefined in places where
    // the left is defined.
    (("", Types::BOOL, "(select p q false)", "(& p q)", ""), Scalar::Bool),
    (("", Types::BOOL, "(select p true q)", "(| p q)", ""), Scalar::Bool),
    (("", Types::ANY, "(select p x 0)", "(* x (select p 1 0))", ""), Scalar::I8),
];

#[test]
fn false_rules_are_refused() {
    let mut prover = Prover::new();
    for (line, main) in FALSE {
        let rule = &table::read(&[*line])[0];
        let verdict = prover.prove(rule, *main);
        assert_eq!(verdict, Verdict::Refuted, "{} => {} for {main}", rule.lhs, rule.rhs);
    }
}

#[test]
fn conditions_that_contradict_each_other_prove_nothing() {
    let line = ("", Types::INT, "(+ x c)", "x", "(> c 0), (< c 0)");
    let verdict = Prover::new().prove(&table::read(&[line])[0], Scalar::Int);
    assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
}
