//! Values that are equal because of the place where they are computed.
//!
//! In the steady part of a loop a clamp has no effect, and under the condition of a boundary the
//! clamp behind it has none either. The program leaves the clamp out, but the specification has it.
//! The solver cannot handle products and sums of many such values as they stand. Without the minima
//! they have one normal form.
//!
//! # Correctness
//! A minimum is replaced by one of its operands only if the facts are proved to make that operand
//! the least, and a condition by its truth value only if the facts decide it. So both values keep
//! their meaning under the facts. A condition that the facts leave open is a case split: both cases
//! must give equal values.

use super::Checker;
use crate::report::{Method, Status};
use crate::space::{Atom, Choice, Formula, FormulaId, Rename, Value};

/// The most choices that occur in only one of the two values. Values with more are not tried.
const MOST_CHOICES: usize = 96;
/// The depth of nested case splits on open conditions.
const MOST_SPLITS: u32 = 3;

impl Checker<'_> {
    /// Closes an obligation on two values that are equal once their choices are made.
    pub(super) fn or_settled(
        &mut self,
        status: Status,
        facts: &[FormulaId],
        stored: Value,
        specified: Value,
    ) -> Status {
        let Status::Open(reason) = status else { return status };
        if self.settled(facts, stored, specified, MOST_SPLITS) {
            Status::Closed(Method::Solver)
        } else {
            Status::Open(reason)
        }
    }

    fn settled(&mut self, facts: &[FormulaId], a: Value, b: Value, splits: u32) -> bool {
        let (of_a, of_b) = (self.space.choices(a), self.space.choices(b));
        let differ = of_a.symmetric_difference(&of_b).count();
        if differ == 0 || differ > MOST_CHOICES {
            return false;
        }
        let mut rename = Rename::new();
        for choice in of_a.symmetric_difference(&of_b) {
            self.make(*choice, facts, &mut rename);
        }
        let (a, b) = (rename.value(self.space, a), rename.value(self.space, b));
        let Some(alike) = self.space.values_alike(a, b) else { return false };
        if self.follows(facts, alike, "settled value") {
            return true;
        }
        if splits == 0 {
            return false;
        }
        let open = self.space.choices(a).into_iter().chain(self.space.choices(b));
        let conditions = open.filter_map(|choice| match choice {
            Choice::Condition(condition) => Some(condition),
            Choice::Least(_) => None,
        });
        let Some(condition) = conditions.into_iter().find(|it| !self.space.depends_on_data(*it))
        else {
            return false;
        };
        [true, false].into_iter().all(|holds| {
            let truth = self.space.truth(holds);
            let fact = if holds { condition } else { self.space.not(condition) };
            let mut case = Rename::new();
            case.override_formula(condition, truth);
            let (a, b) = (case.value(self.space, a), case.value(self.space, b));
            let facts = [facts, &[fact]].concat();
            a == b || self.settled(&facts, a, b, splits - 1)
        })
    }

    /// Makes a choice if the facts decide it.
    fn make(&mut self, choice: Choice, facts: &[FormulaId], rename: &mut Rename) {
        match choice {
            Choice::Least(atom) => {
                let Atom::Min(operands) = self.space.atom(atom).clone() else { return };
                let operands = rename.polys(self.space, &operands);
                for operand in &operands {
                    let others: Vec<FormulaId> =
                        operands.iter().map(|other| self.space.at_most(*operand, *other)).collect();
                    let least = self.space.and(&others);
                    if self.follows(facts, least, "choice") {
                        return rename.override_atom(atom, *operand);
                    }
                }
            }
            Choice::Condition(condition) => {
                let settled = rename.formula(self.space, condition);
                if matches!(self.space.formula(settled), Formula::True | Formula::False) {
                    return;
                }
                let negated = self.space.not(settled);
                for (known, holds) in [(settled, true), (negated, false)] {
                    if self.follows(facts, known, "choice") {
                        let truth = self.space.truth(holds);
                        return rename.override_formula(condition, truth);
                    }
                }
            }
        }
    }
}
