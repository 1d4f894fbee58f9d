//! Values in which named integers are the constants that the facts give them.
//!
//! A constraint such as `input.dim(0).set_min(0)` is an entry check. The program has the constant
//! in place of the name, but the specification has the name. With the constant in both, a clamp has
//! one normal form, and the solver need not compare each read with each other. A name that equals
//! another name stays: quotients in the facts have the names that the values have.

use super::forms::Form;
use super::parts::value_symbols;
use crate::obligation::door::{Desk, Step};
use crate::space::{Formula, FormulaId, PolyId, Rename, Space, Symbol, Value};

/// Replaces the named integers that an entry check or a fact equates with a constant.
pub(super) fn replaced(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (a, b): (Value, Value),
) -> Form {
    let mut symbols = value_symbols(desk.space, a);
    symbols.extend(value_symbols(desk.space, b));
    let (mut rename, mut steps) = (Rename::new(), Vec::new());
    let mut open: Vec<FormulaId> = desk.entry().iter().chain(facts).copied().collect();
    while let Some(fact) = open.pop() {
        if let Formula::And(parts) = desk.space.formula(fact) {
            open.extend(parts.iter().copied());
        } else if let Some((symbol, value)) = constant(desk.space, fact)
            && symbols.swap_remove(&symbol)
        {
            rename.insert(symbol, value);
            steps.push(Step::Named(symbol, value));
        }
    }
    if steps.is_empty() {
        return (Vec::new(), (a, b));
    }
    (vec![steps], (rename.value(desk.space, a), rename.value(desk.space, b)))
}

/// Proposes values of symbols that entry checks or facts state: constants, and other symbols.
pub(super) fn names(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    in_values: bool,
) -> Vec<(Symbol, PolyId)> {
    let own = stated(desk.space, facts);
    // Quotients in the facts have the names that the values have, so these stay if they can.
    if in_values && own.is_empty() {
        return Vec::new();
    }
    let entry = desk.entry().to_vec();
    let stated = [stated(desk.space, &entry), own].concat();
    let is_constant = |(_, value): &(Symbol, PolyId)| desk.space.as_constant(*value).is_some();
    let (mut found, names): (Vec<_>, Vec<_>) = stated.into_iter().partition(is_constant);
    for (symbol, value) in names {
        let Some(other) = desk.space.as_symbol(value) else { continue };
        let [is_known, other_known] =
            [symbol, other].map(|of| found.iter().any(|(known, _)| *known == of));
        match (is_known, other_known) {
            (true, true) => {}
            (true, false) => found.push((other, desk.space.symbol(symbol))),
            (false, _) => found.push((symbol, value)),
        }
    }
    found
}

/// Returns symbols with the constant or the symbol that a formula equates them with, where it says
/// nothing else.
fn stated(space: &Space, formulas: &[FormulaId]) -> Vec<(Symbol, PolyId)> {
    let parts: Vec<FormulaId> = formulas.iter().flat_map(|of| space.conjuncts(*of)).collect();
    parts
        .into_iter()
        .filter_map(|part| constant(space, part).or_else(|| name(space, part)))
        .collect()
}

/// Returns the symbols if a fact says that one equals the other.
fn name(space: &Space, fact: FormulaId) -> Option<(Symbol, PolyId)> {
    let Formula::Zero(zero) = *space.formula(fact) else { return None };
    let symbols: Vec<Symbol> = space.symbols_of(zero).into_iter().collect();
    let [symbol, other] = *symbols else { return None };
    let [this, value] = [symbol, other].map(|of| space.symbol(of));
    (space.equal(this, value) == fact).then_some((symbol, value))
}

/// Returns the name and the constant if a fact says that one equals the other.
pub(super) fn constant(space: &Space, fact: FormulaId) -> Option<(Symbol, PolyId)> {
    let Formula::Zero(zero) = *space.formula(fact) else { return None };
    let symbols = space.symbols_of(zero);
    let symbol = *symbols.first().filter(|_| symbols.len() == 1)?;
    let named = space.symbol(symbol);
    let (less, more) = (space.sub(zero, named), space.add(zero, named));
    let value =
        [space.scale(less, -1), more].into_iter().find(|value| space.as_constant(*value).is_some());
    Some((symbol, value?))
}
