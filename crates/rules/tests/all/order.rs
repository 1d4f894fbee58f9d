//! Rewriting ends: every rule leads to a smaller term in a Knuth–Bendix order.
//!
//! Every operator, variable and constant weighs 1. In a larger term, no variable occurs less often
//! than in the smaller one, and one of these holds:
//! * it weighs more;
//! * it weighs as much and has the greater operator at its root ([`Op::ALL`] lists the operators,
//!   least first);
//! * it weighs as much, has the same operator at its root, and has the larger operand at the last
//!   position where the operands differ.
//!
//! Such an order is well founded and closed under substitution (Knuth and Bendix 1970), with
//! operands compared in any fixed sequence. A part of a right side that is made of constants counts
//! as a constant, because it is computed when the rule is used. Constants are least: they come
//! below every other term of the same weight.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use halidom_rules::{Op, Pattern, Types, VarKind, table};

fn weight(pattern: &Pattern) -> usize {
    match pattern {
        _ if pattern.is_constant() => 1,
        Pattern::Var(_) | Pattern::Literal(_) => 1,
        Pattern::Apply(_, operands) => 1 + operands.iter().map(weight).sum::<usize>(),
    }
}

/// Counts the occurrences of each variable that may stand for more than a constant.
fn occurrences(pattern: &Pattern) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    pattern.for_each_var(&mut |var| {
        if var.kind != VarKind::Constant {
            *counts.entry(var.name).or_default() += 1;
        }
    });
    counts
}

fn greater(large: &Pattern, small: &Pattern) -> bool {
    let available = occurrences(large);
    let covered = occurrences(small)
        .iter()
        .all(|(name, count)| available.get(name).is_some_and(|available| available >= count));
    if !covered || weight(large) < weight(small) {
        return false;
    }
    if weight(large) > weight(small) {
        return true;
    }
    match (large, small) {
        (Pattern::Var(var), _) if small.is_constant() => var.kind == VarKind::NotConstant,
        (Pattern::Apply(f, large), Pattern::Apply(g, small)) if f == g => large
            .iter()
            .zip(small)
            .rev()
            .find(|(large, small)| large != small)
            .is_some_and(|(large, small)| greater(large, small)),
        (Pattern::Apply(f, _), Pattern::Apply(g, _)) => precedence(*f) > precedence(*g),
        (Pattern::Var(_) | Pattern::Literal(_) | Pattern::Apply(..), _) => false,
    }
}

fn precedence(op: Op) -> usize {
    Op::ALL.iter().position(|other| *other == op).unwrap()
}

#[test]
fn every_rule_leads_to_something_smaller() {
    for rule in table::RULES.iter() {
        assert!(greater(&rule.lhs, &rule.rhs), "{}: {} => {}", rule.name, rule.lhs, rule.rhs);
        assert!(matches!(rule.lhs, Pattern::Apply(..)), "{}: matches everything", rule.name);
    }
}

#[test]
fn rules_that_could_go_on_for_ever_are_found() {
    for (lhs, rhs) in [
        ("(+ x y)", "(+ y x)"),
        ("(+ n c)", "(+ c n)"),
        ("(+ x c)", "(+ c x)"),
        ("(- x y)", "(+ x (neg y))"),
        ("(* (+ x y) z)", "(+ (* x z) (* y z))"),
        ("(+ (+ x y) z)", "(+ x (+ y z))"),
        ("(< x y)", "(> y x)"),
        ("x", "(+ x 0)"),
        ("(/ (* x y) y)", "(/ (* y x) y)"),
    ] {
        let rule = &table::read(&[("", Types::INT, lhs, rhs, "")])[0];
        assert!(!greater(&rule.lhs, &rule.rhs), "{lhs} => {rhs}");
    }
}
