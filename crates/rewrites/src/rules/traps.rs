//! Rules whose constants cannot be computed: where folding uses the machine's division, the least
//! integer of 64 bits is divided by -1; or a condition that C++ computes divides by 0.
//!
//! # Correctness
//!
//! A trap is reported with constants on which all parts of the predicate before the division
//! evaluate to true. Nothing is reported if a guard on types does not hold or a condition is not
//! understood; guards that give facts about operands are not evaluated. An earlier rule may match
//! the same expression, and then it rewrites these constants instead; rules of literals alone do
//! not.

use halidom_base::FxHashMap;

use super::circles::{domains, number_within, replaced};
use super::kinds::admits;
use super::pattern::{Op, Pattern};
use super::python::crash;
use super::read::{Guard, Rule};
use super::search::Random;
use super::value::{Domain, Number};
use crate::profile::Profile;

/// Constants on which a rule ends the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trap {
    /// The division, or the comparison that has it.
    pub division: String,
    /// The constants' names and values.
    pub constants: Vec<(String, i64)>,
    /// The values of all names, if it divides by 0; otherwise it divides the least integer by -1.
    by_zero: Option<Vec<(String, Domain, Number)>>,
}

impl Trap {
    /// Returns the values on which a condition that C++ computes divides by 0.
    pub(super) fn by_zero(division: &str, values: &[(String, Domain, Number)]) -> Self {
        let number = |value: &Number| i64::try_from(value.numerator).unwrap_or_default();
        let constants = values.iter().filter(|(name, ..)| name.starts_with('c'));
        let constants = constants.map(|(name, _, value)| (name.clone(), number(value))).collect();
        Self { division: division.to_owned(), constants, by_zero: Some(values.to_vec()) }
    }

    /// Returns C++, or Python for TVM, that builds the input, to be pasted into a compiler's test.
    pub fn snippet(&self, rule: &Rule) -> String {
        if let Some(values) = &self.by_zero {
            return crash(rule, values, &self.division);
        }
        let mut lines: Vec<String> = Vec::new();
        let mut wild = Vec::new();
        rule.lhs.visit(&mut |part| {
            if let Pattern::Wild(name) = part
                && !wild.contains(name)
            {
                wild.push(name.clone());
            }
        });
        for name in wild {
            lines.push(format!("Expr {name} = Variable::make(Int(64), \"{name}\");"));
        }
        for (name, value) in &self.constants {
            let value = if *value == i64::MIN { "INT64_MIN".to_owned() } else { value.to_string() };
            lines.push(format!("Expr {name} = make_const(Int(64), {value});"));
        }
        lines.push(format!("Expr after = simplify({}); // computes {}", rule.lhs, self.division));
        lines.join("\n")
    }

    /// Describes the trap for a reader.
    pub fn text(&self) -> String {
        let constants = self.constants.iter().map(|(name, value)| format!("{name}={value}"));
        let constants: Vec<String> = constants.collect();
        let how = if self.by_zero.is_some() { "by 0" } else { "the least int64 by -1" };
        format!("{}: {} divides {how}", constants.join(" "), self.division)
    }
}

/// The number of random values that are tried for the other constants.
const TRIES: usize = 200;

/// Looks for 64-bit constants on which a division in a rule traps.
pub fn trap(rule: &Rule, profile: &Profile) -> Option<Trap> {
    if !profile.folding_traps {
        return None;
    }
    let (result, operand) = domains(&rule.lhs);
    for guard in &rule.guards {
        match (admits(guard, result, operand), guard) {
            (Some(true), _) | (None, Guard::Passed(_) | Guard::Left(_) | Guard::Fact(_)) => {}
            (Some(false) | None, _) => return None,
        }
    }
    let mut before = Vec::new();
    let mut conditions = Vec::new();
    conjuncts(rule.predicate.as_ref(), &mut conditions);
    for condition in conditions {
        let mut divisions = Vec::new();
        condition.visit(&mut |part| divisions.push(part));
        if let Some(trap) = divisions.into_iter().find_map(|part| of(part, &before, rule)) {
            return Some(trap);
        }
        before.push(condition);
    }
    let mut divisions = Vec::new();
    rule.rhs.visit(&mut |part| {
        if let Pattern::Apply(Op::Fold, parts) = part {
            parts[0].visit(&mut |part| divisions.push(part));
        }
    });
    divisions.into_iter().find_map(|part| of(part, &before, rule))
}

fn conjuncts<'r>(predicate: Option<&'r Pattern>, found: &mut Vec<&'r Pattern>) {
    match predicate {
        Some(Pattern::Apply(Op::And, parts)) => {
            for part in parts {
                conjuncts(Some(part), found);
            }
        }
        Some(other) => found.push(other),
        None => {}
    }
}

/// Looks for a trap in a part that divides two constants, where these conditions hold.
fn of(part: &Pattern, conditions: &[&Pattern], rule: &Rule) -> Option<Trap> {
    let Pattern::Apply(Op::Div | Op::Mod, operands) = part else { return None };
    let mut names = Vec::new();
    rule.lhs.visit(&mut |part| {
        if let Pattern::Constant(name) = part
            && !names.contains(name)
        {
            names.push(name.clone());
        }
    });
    let mut random = Random(3);
    for _ in 0..TRIES {
        let mut constants = Vec::new();
        for name in &names {
            let is = |index: usize| operands[index] == Pattern::Constant(name.clone());
            let value = match (is(0), is(1)) {
                (true, false) => i64::MIN,
                (false, true) => -1,
                _ => i64::try_from(random.below(9)).unwrap_or(0) - 4,
            };
            constants.push((name.clone(), value));
        }
        let ways: FxHashMap<String, Pattern> =
            constants.iter().map(|(name, value)| (name.clone(), Pattern::Int(*value))).collect();
        let value = |pattern: &Pattern| number_within(&replaced(pattern, &ways), 1 << 63);
        let is_trap = value(&operands[0]) == Some(i64::MIN.into())
            && value(&operands[1]) == Some(-1)
            && conditions.iter().all(|condition| value(condition).is_some_and(|truth| truth != 0));
        if is_trap {
            return Some(Trap { division: part.to_string(), constants, by_zero: None });
        }
    }
    None
}
