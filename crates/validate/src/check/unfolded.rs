//! Values with known selections and definitions put in.
//!
//! # Correctness
//! Under the facts at hand, a selection is one of its arms if the facts imply or exclude its
//! condition. The final value of a func with one stage is the value that this stage gives there,
//! whether the func is in memory or not. So the results have the same meaning as the originals
//! wherever the facts hold. This is done where values are not seen to be equal without it.

use halidom_base::{FxHashSet, IndexSet};

use super::Checker;
use crate::space::{Atom, FormulaId, PolyId, Rename, Term, TermId, Value, Version};

/// The most rounds. The next round handles funcs that the definitions of the last one read.
const MOST_ROUNDS: usize = 8;

/// The conditions of selections, and the final values of funcs, in a value.
#[derive(Default)]
struct Found {
    seen: FxHashSet<TermId>,
    polys: FxHashSet<PolyId>,
    conditions: IndexSet<FormulaId>,
    reads: IndexSet<TermId>,
}

impl Checker<'_> {
    /// Decides selections and unfolds funcs in both values. Returns `None` if nothing changes.
    pub(super) fn unfolded(
        &mut self,
        facts: &[FormulaId],
        (stored, specified): (Value, Value),
    ) -> Option<(Value, Value)> {
        let (Value::Number(mut stored), Value::Number(mut specified)) = (stored, specified) else {
            return None;
        };
        let mut changed = false;
        for _ in 0..MOST_ROUNDS {
            let mut found = Found::default();
            for side in [stored, specified] {
                self.find(side, &mut found);
            }
            let mut rename = Rename::new();
            for condition in found.conditions {
                if self.follows(facts, condition, "choice") {
                    rename.override_formula(condition, self.space.truth(true));
                } else {
                    let negated = self.space.not(condition);
                    if self.follows(facts, negated, "choice") {
                        rename.override_formula(condition, self.space.truth(false));
                    }
                }
            }
            for read in found.reads {
                if let Some(meaning) = self.definition(read) {
                    rename.means(read, meaning);
                }
            }
            let sides = (rename.term(self.space, stored), rename.term(self.space, specified));
            if sides == (stored, specified) {
                break;
            }
            (stored, specified) = sides;
            changed = true;
        }
        changed.then_some((Value::Number(stored), Value::Number(specified)))
    }

    /// Returns the value that the only stage of a func gives at the point that is read.
    fn definition(&mut self, read: TermId) -> Option<TermId> {
        let Term::Read { func, component, coords, .. } = self.space.term(read).clone() else {
            return None;
        };
        let only = self.specification.only_value(self.space, (func, component), coords.to_vec());
        match only {
            Ok(Value::Number(value)) => Some(value),
            Ok(Value::Int(_) | Value::Bool(_)) | Err(_) => None,
        }
    }

    fn find(&self, term: TermId, found: &mut Found) {
        if !found.seen.insert(term) {
            return;
        }
        match self.space.term(term) {
            Term::Constant(_) | Term::Truth(_) | Term::Parameter(..) => {}
            Term::Ring(_, poly) | Term::FromInt(_, poly) => self.find_in(*poly, found),
            Term::Read { version, .. } => {
                if *version == Version::Final {
                    found.reads.insert(term);
                }
            }
            Term::Unary(_, operand) | Term::Cast(_, operand) | Term::Call(_, operand) => {
                self.find(*operand, found);
            }
            Term::Binary(_, a, b) => {
                self.find(*a, found);
                self.find(*b, found);
            }
            Term::Select(condition, a, b) => {
                found.conditions.insert(*condition);
                self.find(*a, found);
                self.find(*b, found);
            }
        }
    }

    fn find_in(&self, poly: PolyId, found: &mut Found) {
        if !found.polys.insert(poly) {
            return;
        }
        for atom in self.space.poly_atoms(poly) {
            match self.space.atom(atom) {
                Atom::Symbol(_) => {}
                Atom::Min(operands) => {
                    operands.iter().for_each(|operand| self.find_in(*operand, found));
                }
                Atom::Div(a, b) => {
                    self.find_in(*a, found);
                    self.find_in(*b, found);
                }
                Atom::Select(condition, a, b) => {
                    found.conditions.insert(*condition);
                    self.find_in(*a, found);
                    self.find_in(*b, found);
                }
                Atom::Value(term) => self.find(*term, found),
            }
        }
    }
}
