//! Proposals for goals with quotients by a number that is known only at run time.

use halidom_base::IndexSet;

use super::lemmas::Reached;
use super::parts::divided_by;
use super::settle::known;
use crate::lemma::{Instance, LARGE, Memo};
use crate::obligation::door::{Desk, Proof, Step};
use crate::space::{Atom, AtomId, Formula, FormulaId, PolyId, Rename, Symbol};

/// The most quotients by one divisor that are compared. Fewer can only prove less.
const MOST_QUOTIENTS: usize = 12;

/// Proposes a proof by the values of divisors in the parts of a goal.
pub(super) fn divided(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    goal: FormulaId,
) -> Option<Proof> {
    let parts = desk.space.conjuncts(goal);
    let divisors: Vec<_> = parts.iter().map(|part| divisor(desk, *part)).collect();
    divisors.iter().flatten().next()?;
    let proofs = parts.into_iter().zip(divisors).map(|(part, divisor)| match divisor {
        Some(divisor) => Some(by_divisor(desk, facts, part, divisor)),
        None => desk.follows(facts, part, "divisor").then_some(Proof::Asked("divisor")),
    });
    Some(Proof::Each(proofs.collect::<Option<_>>()?))
}

/// The divisor is one of the numbers below [`LARGE`], or at least that.
fn by_divisor(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    goal: FormulaId,
    divisor: Symbol,
) -> Proof {
    let asked = || Box::new(Proof::Asked("divisor"));
    let value = desk.space.symbol(divisor);
    let small = (0..LARGE).map(|number| {
        let number = desk.space.constant(number);
        let proof = Proof::Throughout(vec![Step::Named(divisor, number)], asked());
        (desk.space.equal(value, number), proof)
    });
    let mut cases: Vec<_> = small.collect();
    let large = desk.space.at_most(desk.space.constant(LARGE), value);
    let assumed = [facts, &[large]].concat();
    let formulas = [desk.entry(), facts, &[goal]].concat();
    let mut known = conditions_decided(desk, &assumed, &formulas);
    // The lemmas need this condition, so nothing takes its place in the facts.
    known.retain(|(condition, _)| ![*condition, desk.space.not(*condition)].contains(&large));
    let formulas = replaced(desk, &known).formulas(desk.space, &formulas);
    let mut reached = Reached::default();
    for formula in formulas.iter().chain([&large]) {
        reached.formula(desk.space, *formula);
    }
    let quotients = reached.atoms.iter().filter(|atom| match desk.space.atom(**atom) {
        Atom::Div(_, by) => *by == value,
        Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => false,
    });
    let quotients: Vec<_> = quotients.take(MOST_QUOTIENTS).copied().collect();
    let pairs = quotients.iter().flat_map(|less| {
        let others = quotients.iter().filter(move |more| *more != less);
        others.map(move |more| Instance::Distance(*less, *more))
    });
    let with = Proof::With(pairs.collect(), asked());
    cases.push((large, Proof::Throughout(steps(known), Box::new(with))));
    Proof::Cases(cases)
}

/// The substitution that replaces conditions by their truth values.
fn replaced(desk: &Desk<'_, '_>, known: &[(FormulaId, bool)]) -> Rename {
    let mut rename = Rename::new();
    for (condition, holds) in known {
        rename.override_formula(*condition, desk.space.truth(*holds));
    }
    rename
}

fn steps(known: Vec<(FormulaId, bool)>) -> Vec<Step> {
    known.into_iter().map(|(condition, holds)| Step::Known(condition, holds)).collect()
}

/// Proposes a proof by the values of quotients by numbers that are known only at run time: a
/// dividend `n·v + r` with a small `r` has the quotient `v`. Such quotients number the coordinates
/// of fused dimensions.
pub(super) fn by_quotients(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    goal: FormulaId,
) -> Option<Proof> {
    let mut reached = Reached::default();
    reached.formula(desk.space, goal);
    let mut open: Vec<AtomId> = reached.atoms.iter().rev().copied().collect();
    open.retain(|atom| {
        matches!(desk.space.atom(*atom), Atom::Div(_, by) if desk.space.as_constant(*by).is_none())
    });
    let mut values = Vec::new();
    if open.is_empty() || open.len() > MOST_QUOTIENTS {
        return None;
    }
    let mut factors: IndexSet<PolyId> = IndexSet::default();
    for atom in &open {
        let Atom::Div(_, divisor) = *desk.space.atom(*atom) else { continue };
        factors.insert(divisor);
        let monomials = &desk.space.poly(divisor).0;
        let atoms: Vec<AtomId> = monomials.iter().flat_map(|(atoms, _)| atoms.to_vec()).collect();
        for atom in atoms {
            factors.insert(desk.space.atom_poly(atom));
        }
    }
    let mut scaled = Scaled { factors, bounds: IndexSet::default() };
    let known = conditions_decided(desk, facts, &[goal]);
    let mut rename = replaced(desk, &known);
    loop {
        let before = open.len();
        open.retain(|atom| {
            let Atom::Div(dividend, divisor) = *desk.space.atom(*atom) else { return false };
            let dividend = rename.poly(desk.space, dividend);
            let divisor = rename.poly(desk.space, divisor);
            let (value, rest) = divided_by(desk.space, dividend, divisor);
            let spare = desk.space.sub(divisor, rest);
            let spare = desk.space.offset(spare, -1);
            scaled.towards(desk, rest, MOST_FACTORS);
            scaled.towards(desk, spare, MOST_FACTORS);
            let is_rest = desk.space.within(rest, desk.space.constant(0), divisor);
            let facts = scaled.with(desk, facts);
            let found = desk.follows(&facts, is_rest, "quotient");
            if found {
                rename.override_atom(*atom, value);
                values.push((*atom, value));
            }
            !found
        });
        if open.len() == before || open.is_empty() {
            break;
        }
    }
    if values.is_empty() {
        return None;
    }
    let mut reached = Reached::default();
    reached.formula(desk.space, rename.formula(desk.space, goal));
    for formula in reached.formulas {
        if let Formula::NonNegative(poly) = *desk.space.formula(formula) {
            scaled.towards(desk, poly, MOST_FACTORS);
        }
    }
    let mut steps = steps(known);
    steps.extend(values.into_iter().map(|(quotient, value)| Step::Quotient(quotient, value)));
    let then = Proof::After(steps, Box::new(Proof::Asked("goal without quotients")));
    let bounds = scaled.bounds.into_iter();
    let bounds = bounds.map(|(factor, bound)| Instance::Scaled(factor, bound)).collect();
    Some(Proof::With(bounds, Box::new(then)))
}

/// The most factors of a product that are divided off one after the other.
const MOST_FACTORS: usize = 3;
/// The most products.
const MOST_BOUNDS: usize = 64;

/// Products of a factor with numbers that may be at least 0.
struct Scaled {
    factors: IndexSet<PolyId>,
    bounds: IndexSet<(PolyId, PolyId)>,
}

impl Scaled {
    /// Adds the products that may show that a number is at least 0: of `n·q + r` with `0 <= r`,
    /// and of `n·(q - 1) + (n + r)`.
    fn towards(&mut self, desk: &mut Desk<'_, '_>, number: PolyId, depth: usize) {
        for factor in self.factors.clone() {
            let (quotient, _) = divided_by(desk.space, number, factor);
            if desk.space.is_zero(quotient) || self.bounds.len() >= MOST_BOUNDS {
                continue;
            }
            for by in [0, -1] {
                let bound = desk.space.offset(quotient, by);
                if self.bounds.insert((factor, bound)) && depth > 1 {
                    self.towards(desk, bound, depth - 1);
                }
            }
        }
    }

    /// Adds the lemmas about the products to facts.
    fn with(&self, desk: &mut Desk<'_, '_>, facts: &[FormulaId]) -> Vec<FormulaId> {
        let (mut all, mut memo) = (facts.to_vec(), Memo::default());
        for (factor, bound) in &self.bounds {
            all.extend(memo.state(desk.space, Instance::Scaled(*factor, *bound)));
        }
        all
    }
}

/// Returns a symbol that is a divisor in a formula.
fn divisor(desk: &Desk<'_, '_>, formula: FormulaId) -> Option<Symbol> {
    let mut reached = Reached::default();
    reached.formula(desk.space, formula);
    reached.atoms.iter().find_map(|atom| match desk.space.atom(*atom) {
        Atom::Div(_, divisor) => desk.space.as_symbol(*divisor),
        Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => None,
    })
}

/// Returns the truth values of the conditions of selections in formulas where the facts decide
/// them.
fn conditions_decided(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    formulas: &[FormulaId],
) -> Vec<(FormulaId, bool)> {
    let mut reached = Reached::default();
    for formula in formulas {
        reached.formula(desk.space, *formula);
    }
    let selections = reached.atoms.iter().filter_map(|atom| match desk.space.atom(*atom) {
        Atom::Select(condition, ..) => Some(*condition),
        Atom::Symbol(_) | Atom::Min(_) | Atom::Div(..) | Atom::Value(_) => None,
    });
    let conditions: IndexSet<FormulaId> = selections.collect();
    let mut decided = Vec::new();
    for condition in conditions {
        decided.extend(known(desk, facts, condition, "divisor").map(|holds| (condition, holds)));
    }
    decided
}
