//! Values in which named integers are what the facts say that they equal.
//!
//! A constraint such as `input.dim(0).set_min(0)` is an entry check. The program has the constant
//! in place of the name, but the specification has the name. With the constant in both, a clamp has
//! one normal form, and the solver need not compare each read with each other. The same goes for
//! `a.dim(0).set_min(b.dim(0).min())`.

use halidom_base::IndexSet;

use super::forms::Form;
use crate::obligation::door::{Desk, Step};
use crate::space::{Atom, Formula, FormulaId, PolyId, Rename, Space, Symbol, Value};

/// Replaces each named integer that an entry check or a fact equates with a sum of others. Each
/// equation is solved for one name, after the solutions of those before it are put in.
pub(super) fn replaced(
    desk: &mut Desk<'_, '_>,
    facts: &[FormulaId],
    (mut a, mut b): (Value, Value),
) -> Form {
    let mut wanted = desk.space.value_symbols(a);
    wanted.extend(desk.space.value_symbols(b));
    let mut open: Vec<FormulaId> = desk.entry().iter().chain(facts).copied().collect();
    let (mut rounds, mut solutions) = (Vec::new(), Vec::<Rename>::new());
    while let Some(fact) = open.pop() {
        let zero = match desk.space.formula(fact) {
            Formula::And(parts) => {
                open.extend(parts.iter().copied());
                continue;
            }
            Formula::Zero(zero) => *zero,
            Formula::True
            | Formula::False
            | Formula::NonNegative(_)
            | Formula::Holds(_)
            | Formula::Not(_)
            | Formula::Or(_) => continue,
        };
        let zero = solutions.iter_mut().fold(zero, |zero, earlier| earlier.poly(desk.space, zero));
        let Some((symbol, value)) = solved(desk.space, zero, &wanted) else { continue };
        let mut solution = Rename::symbols([(symbol, value)]);
        (a, b) = (solution.value(desk.space, a), solution.value(desk.space, b));
        wanted.extend(desk.space.poly_symbols(value));
        rounds.push(vec![Step::Named(symbol, value)]);
        solutions.push(solution);
    }
    (rounds, (a, b))
}

/// Solves an equation for one of the wanted names: returns it with the sum of others that equals it
/// where `zero` is 0.
fn solved(space: &mut Space, zero: PolyId, wanted: &IndexSet<Symbol>) -> Option<(Symbol, PolyId)> {
    let symbols = space.poly_symbols(zero);
    symbols.into_iter().filter(|symbol| wanted.contains(symbol)).find_map(|symbol| {
        let named = space.symbol(symbol);
        let (less, more) = (space.sub(zero, named), space.add(zero, named));
        [space.scale(less, -1), more].into_iter().map(|value| (symbol, value)).find(|(_, value)| {
            let mut atoms = space.poly_atoms(*value).into_iter();
            atoms.all(|atom| matches!(space.atom(atom), Atom::Symbol(other) if *other != symbol))
        })
    })
}
