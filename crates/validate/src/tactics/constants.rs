//! Values in which named integers are the constants that the facts give them.
//!
//! A constraint such as `input.dim(0).set_min(0)` is an entry check. The program has the constant
//! in place of the name, but the specification has the name. With the constant in both, a clamp has
//! one normal form, and the solver need not compare each read with each other.

use halidom_base::IndexSet;

use super::forms::Form;
use crate::obligation::door::{Desk, Step};
use crate::space::{Formula, FormulaId, Rename, Symbol, Value};

/// Replaces the named integers that an entry check or a fact gives a constant. Returns the values
/// as they are if there is no such name in them.
pub(super) fn replaced(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (Value, Value),
) -> Form {
    let mut symbols = desk.space.value_symbols(a);
    symbols.extend(desk.space.value_symbols(b));
    let (mut rename, mut steps) = (Rename::new(), Vec::new());
    let mut open: Vec<FormulaId> = desk.entry().iter().chain(facts).copied().collect();
    let mut seen: IndexSet<Symbol> = IndexSet::default();
    while let Some(fact) = open.pop() {
        if let Formula::And(parts) = desk.space.formula(fact) {
            open.extend(parts.iter().copied());
        } else if let Some((symbol, value)) = constant(desk, fact)
            && symbols.contains(&symbol)
            && seen.insert(symbol)
        {
            rename.insert(symbol, desk.space.constant(value));
            steps.push(Step::Constant(symbol, value));
        }
    }
    if steps.is_empty() {
        return (Vec::new(), (a, b));
    }
    let values = (rename.value(desk.space, a), rename.value(desk.space, b));
    (vec![steps], values)
}

/// Returns the name and the constant if a fact says that one equals the other.
fn constant(desk: &mut Desk<'_, '_>, fact: FormulaId) -> Option<(Symbol, i128)> {
    let Formula::Zero(difference) = *desk.space.formula(fact) else { return None };
    let symbols = desk.space.poly_symbols(difference);
    let symbol = *symbols.first().filter(|_| symbols.len() == 1)?;
    let named = desk.space.symbol(symbol);
    let (less, more) = (desk.space.sub(difference, named), desk.space.add(difference, named));
    let negated = desk.space.as_constant(less).map(|constant| -constant);
    Some((symbol, negated.or_else(|| desk.space.as_constant(more))?))
}
