//! Parts of terms, and quotients of integers.

use halidom_base::IndexSet;

use crate::space::{Atom, AtomId, FormulaId, Monomial, Part, PolyId, Space, Symbol, Term, Value};

/// A term that has one of several values.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Choice {
    /// A minimum, which is one of its operands.
    Least(AtomId),
    /// The condition of a selection.
    Condition(FormulaId),
}

/// The choices in a value, inner ones first.
pub(super) fn choices(space: &Space, value: Value) -> IndexSet<Choice> {
    let choice = |part| {
        if let Part::Atom(atom) = part
            && let Atom::Min(_) = space.atom(atom)
        {
            Some(Choice::Least(atom))
        } else if let Part::Atom(atom) = part
            && let Atom::Select(condition, ..) = space.atom(atom)
        {
            Some(Choice::Condition(*condition))
        } else if let Part::Term(term) = part
            && let Term::Select(condition, ..) = space.term(term)
        {
            Some(Choice::Condition(*condition))
        } else {
            None
        }
    };
    space.all_parts(value).into_iter().filter_map(choice).collect()
}

/// The symbols in a value.
pub(super) fn value_symbols(space: &Space, value: Value) -> IndexSet<Symbol> {
    match value {
        Value::Int(poly) => space.symbols_of(poly),
        Value::Bool(formula) => space.symbols_of(formula),
        Value::Number(term) => space.symbols_of(space.number(term)),
    }
}

/// Tests whether a formula contains a machine value.
pub(super) fn depends_on_data(space: &Space, formula: FormulaId) -> bool {
    !space.terms_of(Value::Bool(formula)).is_empty()
}

/// The atoms of a polynomial's monomials, without the atoms inside these.
pub(super) fn poly_atoms(space: &Space, poly: PolyId) -> IndexSet<AtomId> {
    space.poly(poly).0.iter().flat_map(|(monomial, _)| monomial.iter().copied()).collect()
}

/// Returns the operands of a minimum, or the arms of a selection.
pub(super) fn alternatives(space: &Space, atom: AtomId) -> Vec<PolyId> {
    match space.atom(atom) {
        Atom::Min(operands) => operands.to_vec(),
        Atom::Select(_, a, b) => vec![*a, *b],
        Atom::Symbol(_) | Atom::Div(..) | Atom::Value(_) => Vec::new(),
    }
}

/// `dividend = quotient * divisor + rest` as a polynomial identity, by long division on the
/// divisor's greatest monomial.
pub(super) fn divided_by(space: &Space, dividend: PolyId, divisor: PolyId) -> (PolyId, PolyId) {
    let zero = space.constant(0);
    let Some((lead, factor)) =
        space.poly(divisor).0.iter().max_by_key(|(m, _)| (m.len(), m.clone())).cloned()
    else {
        return (zero, dividend);
    };
    let (mut quotient, mut rest) = (zero, dividend);
    for _ in 0..64 {
        let step = space.poly(rest).0.iter().find_map(|(monomial, coefficient)| {
            let cofactor = divide_monomial(monomial, &lead)?;
            (coefficient % factor == 0).then(|| (cofactor, coefficient / factor))
        });
        let Some(step) = step else { break };
        let step = space.collect(vec![step]);
        quotient = space.add(quotient, step);
        rest = space.sub(rest, space.mul(step, divisor));
    }
    (quotient, rest)
}

/// Returns `monomial / by` if `by` divides it.
fn divide_monomial(monomial: &[AtomId], by: &[AtomId]) -> Option<Monomial> {
    let mut rest = monomial.to_vec();
    for atom in by {
        let position = rest.iter().position(|other| other == atom)?;
        rest.remove(position);
    }
    Some(rest.into())
}
