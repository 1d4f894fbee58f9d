//! Intervals of operators, and the intervals that entry checks give parameters and shapes.

use halidom_base::FxHashMap;
use halidom_ir::BinaryOp;

use crate::bound::Interval;
use crate::obligation::Checker;
use crate::space::{Atom, Formula, PolyId, Symbol};

impl Checker<'_> {
    /// Returns the intervals of symbols that the entry checks give.
    pub(super) fn symbol_ranges(&mut self) -> FxHashMap<Symbol, Interval> {
        let mut ranges: FxHashMap<Symbol, Interval> = FxHashMap::default();
        for condition in self.entry.clone() {
            for part in self.space.conjuncts(condition) {
                let (poly, equal) = match *self.space.formula(part) {
                    Formula::NonNegative(poly) => (poly, false),
                    Formula::Zero(poly) => (poly, true),
                    Formula::True
                    | Formula::False
                    | Formula::Holds(_)
                    | Formula::Not(_)
                    | Formula::And(_)
                    | Formula::Or(_) => continue,
                };
                let Some((symbol, positive, constant)) = self.unit(poly) else { continue };
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
    fn unit(&self, poly: PolyId) -> Option<(Symbol, bool, i128)> {
        let (mut found, mut constant) = (None, 0);
        for (monomial, coefficient) in &self.space.poly(poly).0 {
            match (&**monomial, *coefficient) {
                ([], value) => constant = value,
                ([atom], 1 | -1) if found.is_none() => match self.space.atom(*atom) {
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
}

pub(super) fn product(a: Interval, b: Interval) -> Interval {
    let corners = [
        a.0.saturating_mul(b.0),
        a.0.saturating_mul(b.1),
        a.1.saturating_mul(b.0),
        a.1.saturating_mul(b.1),
    ];
    (corners.into_iter().min().unwrap_or(i128::MIN), corners.into_iter().max().unwrap_or(i128::MAX))
}

pub(super) fn binary_range(op: BinaryOp, a: Interval, b: Interval) -> Interval {
    match op {
        BinaryOp::Add(_) => (a.0.saturating_add(b.0), a.1.saturating_add(b.1)),
        BinaryOp::Sub(_) => (a.0.saturating_sub(b.1), a.1.saturating_sub(b.0)),
        BinaryOp::Mul(_) => product(a, b),
        BinaryOp::Min => (a.0.min(b.0), a.1.min(b.1)),
        BinaryOp::Max => (a.0.max(b.0), a.1.max(b.1)),
        BinaryOp::Div if b.0 > 0 => {
            let corners = [
                a.0.div_euclid(b.0),
                a.0.div_euclid(b.1),
                a.1.div_euclid(b.0),
                a.1.div_euclid(b.1),
            ];
            let (low, high) = (corners.iter().min(), corners.iter().max());
            (low.copied().unwrap_or(i128::MIN), high.copied().unwrap_or(i128::MAX))
        }
        // |x / y| <= |x|, even where rounding takes the quotient of a negative x away from zero.
        BinaryOp::Div => {
            let most = a.0.saturating_abs().max(a.1.saturating_abs());
            (most.saturating_neg(), most)
        }
        BinaryOp::Mod => {
            let most = b.0.saturating_abs().max(b.1.saturating_abs());
            (0, most.saturating_sub(1).max(0))
        }
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => (i128::MIN, i128::MAX),
    }
}
