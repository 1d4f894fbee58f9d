//! A bound of a product from a bounded product of two shapes.
//!
//! # Correctness
//! An entry check may bound a product of two shapes, `e·s <= L` with `e, s >= 0` (elements of a
//! buffer, for example). If `|a| <= k·e + c` and `|b| <= l·s + d` follow from the facts of the
//! place, then `|a·b| <= k·l·e·s + k·d·e + c·l·s + c·d`. This is a number, and also a fact for
//! later products.

use halidom_base::FxHashMap;

use super::ranges::{Limit, Ranges, SMALL, WIDTH};
use crate::bound::Interval;
use crate::obligation::Checker;
use crate::program::Place;
use crate::space::{Formula, FormulaId, PolyId, Symbol};

/// Factors and offsets by which operands may exceed the shapes of a limit: (k, c) for the first,
/// (l, d) for the second.
const SLACK: [((i128, i128), (i128, i128)); 3] =
    [((1, 1), (1, 1)), ((4, 64), (4, 64)), ((1, 1), (1024, 8192))];

impl Checker<'_> {
    /// Collects the bounded products among the entry checks: `L - e·s >= 0`.
    pub(super) fn limits(&mut self, ranges: &FxHashMap<Symbol, Interval>) -> Vec<Limit> {
        let mut limits = Vec::new();
        for condition in self.entry.clone() {
            for part in self.space.conjuncts(condition) {
                let Formula::NonNegative(poly) = *self.space.formula(part) else { continue };
                let terms = self.space.poly(poly).clone();
                let (limit, product) = match &*terms.0 {
                    [(product, -1)] => (0, product),
                    [(constant, limit), (product, -1)] if constant.is_empty() => (*limit, product),
                    _ => continue,
                };
                let [first, second] = **product else { continue };
                let (first, second) = (self.space.atom_poly(first), self.space.atom_poly(second));
                let range = |poly| ranges.get(&self.space.as_symbol(poly)?).copied();
                let (Some(a), Some(b)) = (range(first), range(second)) else { continue };
                if a.0 >= 0 && b.0 >= 0 && a.1 < 1 << 64 && b.1 < 1 << 64 {
                    limits.push(Limit {
                        first,
                        second,
                        most: limit,
                        greatest: (a.1, b.1),
                        scope: 0,
                    });
                }
            }
        }
        limits
    }

    /// Applies the product rule.
    pub(super) fn limited(
        &mut self,
        left: PolyId,
        right: PolyId,
        place: &Place,
        ranges: &mut Ranges<'_>,
    ) -> Option<Interval> {
        let mut facts = place.facts.clone();
        // Use products that were found under facts which hold here too.
        let found = ranges.products.iter().filter(|(under, _)| place.facts.starts_with(under));
        facts.extend(found.map(|(_, fact)| *fact));
        let mut tries: Vec<(Limit, usize)> = Vec::new();
        // The limit that succeeded last is likely to succeed again.
        tries.extend(ranges.last);
        for slack in 0..SLACK.len() {
            for limit in &ranges.limits {
                tries.extend([(*limit, slack), (limit.swapped(), slack)]);
            }
        }
        // A limit with this very shape, such as a buffer's own stride, is the most likely to
        // succeed.
        tries.sort_by_key(|(limit, _)| limit.second != right);
        for (limit, slack) in tries {
            let scope = ranges.scopes.get(limit.scope);
            if scope.is_none_or(|scope| !place.facts.starts_with(scope)) {
                continue;
            }
            let ((k, c), (l, d)) = SLACK[slack];
            let bound = (k * l).checked_mul(limit.most)?
                + (k * d).checked_mul(limit.greatest.0)?
                + (c * l).checked_mul(limit.greatest.1)?
                + c * d;
            if bound > WIDTH.1 / 16
                || !self.magnitude((&facts, place), ranges, right, limit.second, (l, d))
                || !self.magnitude((&facts, place), ranges, left, limit.first, (k, c))
            {
                continue;
            }
            // |a·b| <= k·l·e·s + k·d·e + c·l·s + c·d, as a fact about products.
            let area = self.space.mul(limit.first, limit.second);
            let most =
                self.space.combine(&[(area, k * l), (limit.first, k * d), (limit.second, c * l)]);
            let most = self.space.offset(most, c * d);
            let product = self.space.mul(left, right);
            let least = self.space.scale(most, -1);
            let within = [self.space.at_most(least, product), self.space.at_most(product, most)];
            let within = self.space.and(&within);
            ranges.products.push((place.facts.clone(), within));
            ranges.last = Some((limit, slack));
            return Some((-bound, bound));
        }
        None
    }

    /// Tests whether a product lies within ±[`SMALL`] by the facts of the place. For example, a
    /// multiple of a divisor does if a quotient by this divisor bounds the other factor.
    pub(super) fn is_small(&mut self, product: PolyId, place: &Place) -> bool {
        let (least, most) = (self.space.constant(-SMALL), self.space.constant(SMALL));
        let both = [self.space.at_most(least, product), self.space.at_most(product, most)];
        let goal = self.space.and(&both);
        self.follows(&place.facts, goal, "product")
    }

    /// Tests whether `|value| <= factor·shape + offset` follows, where the shape is at least 0, the
    /// factor at least 1 and the offset not negative.
    fn magnitude(
        &mut self,
        (facts, place): (&[FormulaId], &Place),
        ranges: &mut Ranges<'_>,
        value: PolyId,
        shape: PolyId,
        (factor, offset): (i128, i128),
    ) -> bool {
        if value == shape {
            return true;
        }
        let most = self.space.scale(shape, factor);
        let most = self.space.offset(most, offset);
        let least = self.space.scale(most, -1);
        let scope = self.scope(place, ranges);
        let over = [self.space.sub(value, most), self.space.sub(least, value)];
        if over.iter().all(|over| self.symbolic(*over, scope, ranges).1 <= 0) {
            return true;
        }
        let both = [self.space.at_most(least, value), self.space.at_most(value, most)];
        let goal = self.space.and(&both);
        // A question about sizes alone is asked under the facts about sizes alone, once for all
        // places.
        let sizes = self.sizes_alone(goal, scope, ranges);
        self.follows(sizes.as_deref().unwrap_or(facts), goal, "magnitude")
    }
}
