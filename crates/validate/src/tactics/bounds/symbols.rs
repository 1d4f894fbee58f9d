//! The intervals that entry checks give parameters and shapes.

use halidom_base::FxHashMap;

use crate::ranges::Interval;
use crate::space::{Atom, Formula, FormulaId, PolyId, Space, Symbol};

/// Returns the intervals of symbols that the entry checks give.
pub(super) fn symbol_ranges(space: &Space, entry: &[FormulaId]) -> FxHashMap<Symbol, Interval> {
    let mut ranges: FxHashMap<Symbol, Interval> = FxHashMap::default();
    for condition in entry {
        for part in space.conjuncts(*condition) {
            let (poly, equal) = match *space.formula(part) {
                Formula::NonNegative(poly) => (poly, false),
                Formula::Zero(poly) => (poly, true),
                Formula::True
                | Formula::False
                | Formula::Holds(_)
                | Formula::Not(_)
                | Formula::And(_)
                | Formula::Or(_) => continue,
            };
            let Some((symbol, positive, constant)) = unit(space, poly) else { continue };
            let range = ranges.entry(symbol).or_insert((i128::MIN, i128::MAX));
            // `s + c >= 0` is `s >= -c`; `c - s >= 0` is `s <= c`.
            let bound = if positive { constant.saturating_neg() } else { constant };
            if positive || equal {
                range.0 = range.0.max(bound);
            }
            if !positive || equal {
                range.1 = range.1.min(bound);
            }
        }
    }
    ranges
}

/// Splits a polynomial of the form `±symbol + constant`.
fn unit(space: &Space, poly: PolyId) -> Option<(Symbol, bool, i128)> {
    let (mut found, mut constant) = (None, 0);
    for (monomial, coefficient) in &space.poly(poly).0 {
        match (&**monomial, *coefficient) {
            ([], value) => constant = value,
            ([atom], 1 | -1) if found.is_none() => match space.atom(*atom) {
                Atom::Symbol(symbol) => found = Some((*symbol, *coefficient > 0)),
                Atom::Min(_) | Atom::Div(..) | Atom::Select(..) | Atom::Value(_) => {
                    return None;
                }
            },
            _ => return None,
        }
    }
    found.map(|(symbol, positive)| (symbol, positive, constant))
}
