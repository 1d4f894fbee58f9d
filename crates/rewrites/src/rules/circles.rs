//! Rules that rewrite in a circle, where one undoes another, and an order in which rules lead
//! downwards.
//!
//! # Correctness
//!
//! A circle is reported with an expression on which it happens. The first rule fires on the
//! expression before any other rule of its function; the second fires on the result; and the second
//! result is the expression itself. No rule changes the operands. Nothing is reported where it is
//! not known whether a rule fires. If all rules lead downwards in one order, no number of steps
//! forms a circle (Knuth and Bendix, *Simple word problems in universal algebras*, 1970).

use halidom_base::{FxHashMap, IndexMap};

use super::kinds::admits;
use super::pattern::{Op, Pattern};
use super::read::{Guard, Rule};
use super::search::Random;
use super::value::Domain;

/// Two rules that undo each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// The number of the first rule.
    pub first: usize,
    /// The number of the second rule; the same if a rule undoes itself.
    pub second: usize,
    /// An expression that the two rules rewrite to itself.
    pub before: String,
    /// The expression between the two rewrites.
    pub between: String,
}

/// The number of random choices of constants that are tried for a pair of rules.
const TRIES: usize = 400;

/// Returns all pairs of rules that are seen to rewrite in a circle. The rules are in the order in
/// which they are tried.
pub fn circles(rules: &[&Rule]) -> Vec<Circle> {
    let mut by_root: IndexMap<Op, Vec<usize>> = IndexMap::default();
    for (index, rule) in rules.iter().enumerate() {
        if let Pattern::Apply(op, _) = &rule.lhs {
            by_root.entry(*op).or_default().push(index);
        }
    }
    let mut found: Vec<Circle> = Vec::new();
    for (first, rule) in rules.iter().enumerate() {
        let Pattern::Apply(root, _) = &rule.rhs else { continue };
        for second in by_root.get(root).into_iter().flatten() {
            let other = rules[*second];
            // Terms of the same form may be equal for some constants, which `circle` looks for.
            let mut ways = FxHashMap::default();
            if !fits(&other.lhs, &rule.rhs, &mut ways)
                || !may_be(&replaced(&other.rhs, &ways), &rule.lhs)
            {
                continue;
            }
            let is_known = |known: &Circle| (known.first, known.second) == (*second, first);
            if !found.iter().any(is_known) {
                found.extend(circle(rules, &by_root, first, *second));
            }
        }
    }
    found
}

/// Looks for an expression that the first rule and then the second rewrite back to itself.
fn circle(
    rules: &[&Rule],
    by_root: &IndexMap<Op, Vec<usize>>,
    first: usize,
    second: usize,
) -> Option<Circle> {
    let mut random = Random(5);
    let mut names = Vec::new();
    rules[first].lhs.visit(&mut |part| {
        if let Pattern::Constant(name) = part
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
    for _ in 0..if names.is_empty() { 1 } else { TRIES } {
        let constants = names.iter().map(|name| {
            let number = i64::try_from(random.below(17)).unwrap_or(0) - 8;
            (name.clone(), Pattern::Int(number))
        });
        let before = replaced(&rules[first].lhs, &constants.collect());
        let step = |term: &Pattern, wanted: usize| {
            let (fired, result) = rewritten(rules, by_root, term)?;
            (fired == wanted).then_some(result)
        };
        let Some(between) = step(&before, first) else { continue };
        if step(&between, second).is_some_and(|after| after == before) {
            let [before, between] = [before, between].map(|term| term.to_string());
            return Some(Circle { first, second, before, between });
        }
    }
    None
}

/// Returns the rule that fires on an expression, and its result. Returns `None` if no rule fires,
/// if it is not known which one fires, or if a rule may rewrite an operand first.
fn rewritten(
    rules: &[&Rule],
    by_root: &IndexMap<Op, Vec<usize>>,
    term: &Pattern,
) -> Option<(usize, Pattern)> {
    let Pattern::Apply(op, operands) = term else { return None };
    for operand in operands {
        if !is_settled(rules, by_root, operand) {
            return None;
        }
    }
    for index in by_root.get(op).into_iter().flatten() {
        match fires(rules[*index], term) {
            Fires::No => {}
            Fires::Unknown => return None,
            Fires::Yes(result) => return Some((*index, result)),
        }
    }
    None
}

/// True if every rule is known not to fire on a term or a part of it.
fn is_settled(rules: &[&Rule], by_root: &IndexMap<Op, Vec<usize>>, term: &Pattern) -> bool {
    let Pattern::Apply(op, operands) = term else { return true };
    operands.iter().all(|operand| is_settled(rules, by_root, operand))
        && by_root
            .get(op)
            .into_iter()
            .flatten()
            .all(|index| matches!(fires(rules[*index], term), Fires::No))
}

enum Fires {
    No,
    Unknown,
    Yes(Pattern),
}

/// Tests whether a rule fires on an expression of variables and numbers, and computes the result.
fn fires(rule: &Rule, term: &Pattern) -> Fires {
    let (result, operand) = domains(term);
    let mut ways = FxHashMap::default();
    if !matches(&rule.lhs, term, &mut ways) {
        return Fires::No;
    }
    // A `Passed` guard excludes earlier rules, which the caller has tried. Any other condition that
    // the types do not decide may fail.
    for guard in &rule.guards {
        match (admits(guard, result, operand), guard) {
            (Some(false), _) => return Fires::No,
            (Some(true), _) | (None, Guard::Passed(_) | Guard::Left(_)) => {}
            (None, _) => return Fires::Unknown,
        }
    }
    if let Some(predicate) = &rule.predicate {
        match number(&replaced(predicate, &ways)) {
            Some(0) => return Fires::No,
            Some(_) => {}
            None => return Fires::Unknown,
        }
    }
    match folded(&replaced(&rule.rhs, &ways)) {
        Some(result) => Fires::Yes(result),
        None => Fires::Unknown,
    }
}

/// Returns the types of an expression of `int32` or of truth values, and of its operands.
pub(super) fn domains(term: &Pattern) -> (Domain, Domain) {
    match term {
        Pattern::Apply(Op::And | Op::Or | Op::Not, _) => (Domain::Bool, Domain::Bool),
        Pattern::Apply(Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne, _) => {
            (Domain::Bool, Domain::Whole)
        }
        _ => (Domain::Whole, Domain::Whole),
    }
}

/// Tests whether a pattern matches an expression of variables and numbers.
fn matches(pattern: &Pattern, term: &Pattern, ways: &mut FxHashMap<String, Pattern>) -> bool {
    let mut bind = |name: &String| match ways.get(name) {
        Some(known) => known == term,
        None => {
            ways.insert(name.clone(), term.clone());
            true
        }
    };
    match (pattern, term) {
        (Pattern::Wild(name), _) => bind(name),
        (Pattern::Constant(name), Pattern::Int(_) | Pattern::Bool(_)) => bind(name),
        (Pattern::Apply(op, parts), Pattern::Apply(other, terms)) => {
            op == other
                && parts.len() == terms.len()
                && parts.iter().zip(terms).all(|(part, term)| matches(part, term, ways))
        }
        (pattern, term) => pattern == term,
    }
}

/// Tests whether a pattern matches another rule's expression for some constants.
fn fits(pattern: &Pattern, term: &Pattern, ways: &mut FxHashMap<String, Pattern>) -> bool {
    match (pattern, term) {
        (Pattern::Wild(name), _) => match ways.get(name) {
            Some(known) => may_be(known, term),
            None => {
                ways.insert(name.clone(), term.clone());
                true
            }
        },
        (Pattern::Constant(name), term) if is_literal(term) => {
            ways.entry(name.clone()).or_insert_with(|| term.clone());
            true
        }
        (Pattern::Apply(op, parts), Pattern::Apply(other, terms)) => {
            op == other
                && parts.len() == terms.len()
                && parts.iter().zip(terms).all(|(part, term)| fits(part, term, ways))
        }
        (pattern, term) => pattern == term || is_literal(pattern) && is_literal(term),
    }
}

fn is_literal(term: &Pattern) -> bool {
    matches!(
        term,
        Pattern::Constant(_) | Pattern::Int(_) | Pattern::Bool(_) | Pattern::Apply(Op::Fold, _)
    )
}

/// True if two expressions are equal for some constants.
fn may_be(a: &Pattern, b: &Pattern) -> bool {
    match (a, b) {
        _ if is_literal(a) && is_literal(b) => true,
        (Pattern::Apply(op, parts), Pattern::Apply(other, others)) => {
            op == other
                && parts.len() == others.len()
                && parts.iter().zip(others).all(|(a, b)| may_be(a, b))
        }
        _ => a == b,
    }
}

/// Substitutes terms for the names in a pattern.
pub(super) fn replaced(pattern: &Pattern, ways: &FxHashMap<String, Pattern>) -> Pattern {
    match pattern {
        Pattern::Wild(name) | Pattern::Constant(name) => {
            ways.get(name).cloned().unwrap_or_else(|| pattern.clone())
        }
        Pattern::Apply(op, parts) => {
            Pattern::Apply(*op, parts.iter().map(|part| replaced(part, ways)).collect())
        }
        other => other.clone(),
    }
}

/// Computes the folds in an expression; `None` if a fold cannot be computed or a part is not an
/// expression.
fn folded(term: &Pattern) -> Option<Pattern> {
    Some(match term {
        Pattern::Apply(Op::Fold, parts) => Pattern::Int(i64::try_from(number(&parts[0])?).ok()?),
        Pattern::Apply(op, parts) => {
            Pattern::Apply(*op, parts.iter().map(folded).collect::<Option<_>>()?)
        }
        Pattern::Lanes(_) | Pattern::Host(_) | Pattern::Constant(_) => return None,
        other => other.clone(),
    })
}

/// Returns the value of an expression of numbers so small that nothing overflows.
fn number(term: &Pattern) -> Option<i128> {
    number_within(term, 1 << 31)
}

/// Returns the value of an expression of signed integers; `None` unless every value in it lies
/// between a bound and its negative.
pub(super) fn number_within(term: &Pattern, bound: i128) -> Option<i128> {
    let number = |term: &Pattern| number_within(term, bound);
    let (op, parts) = match term {
        Pattern::Int(value) => return Some((*value).into()),
        Pattern::Bool(value) => return Some((*value).into()),
        Pattern::Apply(op, parts) => (op, parts),
        Pattern::Wild(_)
        | Pattern::Constant(_)
        | Pattern::Lanes(_)
        | Pattern::Host(_)
        | Pattern::Unread(_)
        | Pattern::TypeMin
        | Pattern::TypeMax
        | Pattern::Undefined => return None,
    };
    match op {
        Op::Overflows => return number(&parts[0]).map(|_| 0),
        Op::IsInt => return Some(1),
        Op::IsFloat | Op::IsUint => return Some(0),
        _ => {}
    }
    let numbers: Option<Vec<i128>> = parts.iter().map(number).collect();
    let value = match (op, numbers?.as_slice()) {
        (Op::Add, [a, b]) => a.checked_add(*b)?,
        (Op::Sub, [a, b]) => a.checked_sub(*b)?,
        (Op::Mul, [a, b]) => a.checked_mul(*b)?,
        (Op::Div, [a, b]) => a.checked_div_euclid(*b)?,
        (Op::Mod, [a, b]) => a.checked_rem_euclid(*b)?,
        (Op::Min, [a, b]) => *a.min(b),
        (Op::Max, [a, b]) => *a.max(b),
        (Op::Lt, [a, b]) => i128::from(a < b),
        (Op::Le, [a, b]) => i128::from(a <= b),
        (Op::Gt, [a, b]) => i128::from(a > b),
        (Op::Ge, [a, b]) => i128::from(a >= b),
        (Op::Eq, [a, b]) => i128::from(a == b),
        (Op::Ne, [a, b]) => i128::from(a != b),
        (Op::And, [a, b]) => i128::from(*a != 0 && *b != 0),
        (Op::Or, [a, b]) => i128::from(*a != 0 || *b != 0),
        (Op::Not, [a]) => i128::from(*a == 0),
        (Op::Neg, [a]) => -a,
        (Op::Abs, [a]) => a.abs(),
        (Op::Fold, [a]) => *a,
        _ => return None,
    };
    (-bound..bound).contains(&value).then_some(value)
}

/// Tests whether a rule leads downwards in the Knuth-Bendix order in which every operator, name and
/// literal weighs 1 and operators are ordered as they are declared.
pub fn leads_down(rule: &Rule) -> bool {
    is_greater(&rule.lhs, &rule.rhs)
}

fn weight(term: &Pattern) -> usize {
    match term {
        Pattern::Apply(Op::Fold, _) => 1,
        Pattern::Apply(_, parts) => 1 + parts.iter().map(weight).sum::<usize>(),
        _ => 1,
    }
}

fn occurrences(term: &Pattern) -> FxHashMap<String, usize> {
    let mut counts = FxHashMap::default();
    term.visit(&mut |part| {
        if let Pattern::Wild(name) = part {
            *counts.entry(name.clone()).or_default() += 1;
        }
    });
    counts
}

fn is_greater(a: &Pattern, b: &Pattern) -> bool {
    let (of_a, of_b) = (occurrences(a), occurrences(b));
    if of_b.iter().any(|(name, count)| of_a.get(name).is_none_or(|known| known < count)) {
        return false;
    }
    match (weight(a).cmp(&weight(b)), a, b) {
        (std::cmp::Ordering::Greater, ..) => true,
        (std::cmp::Ordering::Equal, Pattern::Apply(op, parts), Pattern::Apply(other, others)) => {
            if op != other {
                return op > other;
            }
            let first = parts.iter().zip(others).find(|(a, b)| !may_be(a, b));
            first.is_some_and(|(a, b)| is_greater(a, b))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::rules;
    use halidom_cpp as cpp;

    fn read(lines: &str) -> Vec<Rule> {
        let text = format!(
            "Expr Simplify::visit(const Add *op, ExprInfo *info) {{\n\
             auto rewrite = IRMatcher::rewriter(IRMatcher::add(a, b), op->type);\n\
             if ({lines}) return rewrite.result;\nreturn op;\n}}\n"
        );
        let file = cpp::parse(&text).unwrap();
        rules(&file).into_iter().map(|found| found.rule.unwrap()).collect()
    }

    fn found(lines: &str) -> Vec<Circle> {
        let rules = read(lines);
        circles(&rules.iter().collect::<Vec<_>>())
    }

    #[test]
    fn two_rules_that_undo_one_another_are_found() {
        let lines = "rewrite((x + y) - z, x + (y - z)) ||\nrewrite(x + (y - z), (x + y) - z)";
        let circles = found(lines);
        assert_eq!(circles.len(), 1, "{circles:?}");
        assert_eq!(circles[0].before, "((x + y) - z)");
        assert_eq!(circles[0].between, "(x + (y - z))");
    }

    #[test]
    fn a_rule_that_swaps_undoes_itself() {
        assert_eq!(found("rewrite(x + y, y + x)").len(), 1);
    }

    #[test]
    fn constants_close_a_circle_only_where_predicates_let_them() {
        let to = "rewrite((x + c0) < c1, x < fold(c1 - c0))";
        assert_eq!(found(&format!("{to} ||\nrewrite(x < c0, (x + 1) < fold(c0 + 1))")).len(), 1);
        assert!(
            found(&format!("{to} ||\nrewrite(x < c0, (x + 1) < fold(c0 + 1), c0 > 100)"))
                .is_empty()
        );
    }

    #[test]
    fn an_earlier_rule_breaks_a_circle() {
        let lines = "rewrite(x - z, max(x, z)) ||\n\
                     rewrite((x + y) - z, x + (y - z)) ||\nrewrite(x + (y - z), (x + y) - z)";
        assert!(found(lines).is_empty());
    }

    #[test]
    fn smaller_results_lead_down() {
        let rules = read(
            "rewrite((x + y) - y, x) || rewrite(x * (y + z), x * y + x * z) || rewrite(x - y, x + \
                y)",
        );
        let down: Vec<bool> = rules.iter().map(leads_down).collect();
        assert_eq!(down, [true, false, true]);
    }
}
