//! A bound of a product from a bounded product of two shapes.
//!
//! An entry check may bound a product of two shapes, `e·s <= L` with `e, s >= 0` (elements of a
//! buffer, for example). If `|a| <= k·e + c` and `|b| <= l·s + d` follow from the facts of the
//! place, then `|a·b| <= k·l·e·s + k·d·e + c·l·s + c·d`, which is a number.

use std::rc::Rc;

use super::limit::Limit;
use super::{Ends, Intervals, WIDTH, asked, sides};
use crate::obligation::door::Desk;
use crate::obligation::natural::{Natural, Wanted};
use crate::obligation::overflow::SMALL;
use crate::ranges::Interval;
use crate::space::{FormulaId, PolyId};

/// Factors and offsets by which operands may exceed the shapes of a limit: (k, c) for the first,
/// (l, d) for the second. The last one is for rows of whole blocks, where a limit may be about the
/// number of blocks.
const SLACK: [((i128, i128), (i128, i128)); 4] =
    [((1, 1), (1, 1)), ((4, 64), (4, 64)), ((1, 1), (1024, 8192)), ((64, 64), (1, 1))];
/// A limit whose shapes may be greater is useless.
const MOST_SHAPE: i128 = 1 << 58;

impl Intervals {
    /// Returns the bounded products among the entry checks, `L - e·s >= 0`, that hold in a scope.
    fn limits_of(&mut self, desk: &mut Desk<'_, '_>, scope: usize) -> Rc<[Rc<Limit>]> {
        if let Some(known) = &self.scopes[scope].products {
            return Rc::clone(known);
        }
        let symbols = self.symbols.clone().unwrap_or_default();
        let guards = self.scopes[scope].guards.clone();
        let mut found = Vec::new();
        for (poly, shown) in self.scopes[scope].limits.facts().to_vec() {
            let (most, product) = match &*desk.space.poly(poly).0 {
                [(product, -1)] => (0, product),
                [(constant, most), (product, -1)] if constant.is_empty() => (*most, product),
                _ => continue,
            };
            let [first, second] = **product else { continue };
            let shapes = [first, second].map(|atom| desk.space.atom_poly(atom));
            let ends = shapes.map(|shape| {
                let known = desk.space.as_symbol(shape).and_then(|shape| symbols.get(&shape));
                match known {
                    // An end that is not known is no number to compute with.
                    Some(range) if range.0 < 0 || range.1 >= 1 << 64 => Ends::default(),
                    Some(range) => stated(desk, shape, *range),
                    None => asked_shape(desk, shape, &guards),
                }
            });
            let [a, b] = [&ends[0], &ends[1]].map(Ends::interval);
            if a.0 < 0 || b.0 < 0 || a.1 >= 1 << 64 || b.1 >= 1 << 64 {
                continue;
            }
            let mut steps = vec![shown];
            for (shape, ends) in shapes.into_iter().zip(&ends) {
                let [above, _] = sides(desk.space, shape, ends.interval());
                steps.extend(ends.steps());
                steps.push(Natural::Sum(shape, 1, vec![(1, vec![above])]));
            }
            let [first, second] = shapes;
            let (greatest, facts) = ([a.1, b.1], Vec::new());
            let limit = Limit { first, second, most, greatest, facts, steps };
            found.extend([Rc::new(limit.swapped()), Rc::new(limit)]);
        }
        let found: Rc<[Rc<Limit>]> = found.into();
        self.scopes[scope].products = Some(Rc::clone(&found));
        found
    }

    fn add(&mut self, limit: Limit) {
        let swapped = Rc::new(limit.swapped());
        self.limits.extend([Rc::new(limit), swapped]);
    }

    /// Remembers a bounded product that is shown at a place, such as the elements of memory.
    pub(super) fn learn(
        &mut self,
        desk: &mut Desk<'_, '_>,
        [first, second]: [PolyId; 2],
        (most, mut steps): (i128, Vec<Natural>),
        (facts, scope): (&[FormulaId], usize),
    ) {
        let mut greatest = [0; 2];
        for (greatest, shape) in greatest.iter_mut().zip([first, second]) {
            let mut found = self.of_limit(desk, shape, (facts, scope));
            found = found.and(self.symbolic(desk, shape, scope));
            if found.interval().0 < 0 || found.interval().1 > MOST_SHAPE {
                let wanted = Wanted { poly: shape, factors: None, enough: (0, SMALL) };
                found = found.and(asked(desk, wanted, facts));
            }
            let (low, high) = found.interval();
            if low < 0 || high > MOST_SHAPE {
                return;
            }
            let shape = self.scopes[scope].bounds.in_offsets(desk.space, shape);
            let [above, _] = sides(desk.space, shape, (low, high));
            steps.extend(found.steps());
            steps.push(Natural::Sum(shape, 1, vec![(1, vec![above])]));
            *greatest = high;
        }
        self.add(Limit { first, second, most, greatest, facts: facts.to_vec(), steps });
    }

    /// Returns the interval of a shape that is a bounded product itself, such as a stride.
    fn of_limit(
        &mut self,
        desk: &mut Desk<'_, '_>,
        shape: PolyId,
        (facts, scope): (&[FormulaId], usize),
    ) -> Ends {
        let bounds = &mut self.scopes[scope].bounds;
        let whole = bounds.in_offsets(desk.space, shape);
        for limit in self.limits.iter().filter(|limit| facts.starts_with(&limit.facts)) {
            let factors = [limit.first, limit.second];
            let factors = factors.map(|factor| bounds.in_offsets(desk.space, factor));
            if desk.space.mul(factors[0], factors[1]) == whole {
                let mut low = limit.steps.clone();
                low.push(Natural::Sum(whole, 1, vec![(1, factors.to_vec())]));
                let high = Some((limit.most, limit.steps.clone()));
                return Ends { low: Some((0, low)), high };
            }
        }
        Ends::default()
    }

    /// Applies the product rule.
    pub(super) fn by_limits(
        &mut self,
        desk: &mut Desk<'_, '_>,
        [left, right]: [PolyId; 2],
        at: (&[FormulaId], usize),
    ) -> Ends {
        let stated = self.limits_of(desk, at.1);
        // The limit that succeeded last is likely to succeed again.
        let mut tries: Vec<(Rc<Limit>, usize)> = Vec::new();
        let last = self.last.clone().filter(|(.., scope)| *scope == at.1);
        tries.extend(last.map(|(limit, slack, _)| (limit, slack)));
        for slack in 0..SLACK.len() {
            let all = stated.iter().chain(&self.limits);
            tries.extend(all.map(|limit| (Rc::clone(limit), slack)));
        }
        tries.retain(|(limit, _)| at.0.starts_with(&limit.facts));
        // A limit with this very shape, such as a buffer's own stride, is the most likely to
        // succeed.
        tries.sort_by_key(|(limit, _)| limit.second != right);
        for (limit, slack) in tries {
            let ((k, c), (l, d)) = SLACK[slack];
            let bound = || {
                (k * l)
                    .checked_mul(limit.most)?
                    .checked_add((k * d).checked_mul(limit.greatest[0])?)?
                    .checked_add((c * l).checked_mul(limit.greatest[1])?)?
                    .checked_add(c * d)
            };
            let Some(bound) = bound().filter(|bound| *bound <= WIDTH.1 / 16) else { continue };
            let Some(right) = self.magnitude(desk, at, (right, limit.second, (l, d))) else {
                continue;
            };
            if let Some(left) = self.magnitude(desk, at, (left, limit.first, (k, c))) {
                let shapes = [limit.first, limit.second];
                let bounds = &mut self.scopes[at.1].bounds;
                let shapes = shapes.map(|shape| bounds.in_offsets(desk.space, shape));
                let ends = limited(desk, (left, right), (&limit, shapes), (slack, bound));
                self.last = Some((limit, slack, at.1));
                return ends;
            }
        }
        Ends::default()
    }

    /// Shows `|value| <= factor·shape + offset`, in terms of offsets: by normal forms, or by the
    /// solver.
    fn magnitude(
        &mut self,
        desk: &mut Desk<'_, '_>,
        (facts, scope): (&[FormulaId], usize),
        (value, shape, (factor, offset)): (PolyId, PolyId, (i128, i128)),
    ) -> Option<Magnitude> {
        let bounds = &mut self.scopes[scope].bounds;
        let most = desk.space.scale(shape, factor);
        let most = desk.space.offset(most, offset);
        let ends = [desk.space.sub(most, value), desk.space.add(most, value)];
        let distances = ends.map(|end| bounds.in_offsets(desk.space, end));
        let form = bounds.in_offsets(desk.space, value);
        if value == shape {
            // It is at most a multiple of itself, because it is at least 0.
            let [below, above] = distances;
            let steps = vec![
                Natural::Sum(below, 1, vec![(factor - 1, vec![form])]),
                Natural::Sum(above, 1, vec![(factor + 1, vec![form])]),
            ];
            return Some(Magnitude { form, distances, steps });
        }
        let by_form = |this: &mut Self, desk: &mut Desk<'_, '_>| {
            let mut steps = Vec::new();
            for distance in distances {
                let low = this.low(desk, distance, scope);
                let (low, shown) = low.filter(|(low, _)| *low >= 0)?;
                let above = desk.space.offset(distance, -low);
                steps.extend(shown);
                steps.push(Natural::Sum(distance, 1, vec![(1, vec![above])]));
            }
            Some(steps)
        };
        if let Some(steps) = by_form(self, desk) {
            return Some(Magnitude { form, distances, steps });
        }
        let goals = ends.map(|end| desk.space.non_negative(end));
        let goal = desk.space.and(goals);
        // A question about sizes alone is asked under the facts about sizes alone, once for all
        // places.
        let alone = self.sizes_alone(desk, goal, scope);
        let facts = alone.as_deref().unwrap_or(facts);
        let asked = || vec![Natural::Asked(ends.to_vec(), facts.to_vec(), Vec::new())];
        desk.follows(facts, goal, "magnitude").then(|| Magnitude {
            form,
            distances,
            steps: asked(),
        })
    }
}

/// The ends of a symbol that the entry checks state.
fn stated(desk: &Desk<'_, '_>, shape: PolyId, range: Interval) -> Ends {
    let [above, below] = sides(desk.space, shape, range);
    let end = |end, fact| Some((end, vec![Natural::Fact(fact)]));
    Ends { low: end(range.0, above), high: end(range.1, below) }
}

/// The ends of another shape, such as the number of blocks in a row, by the solver.
fn asked_shape(desk: &mut Desk<'_, '_>, shape: PolyId, guards: &[FormulaId]) -> Ends {
    asked(desk, Wanted { poly: shape, factors: None, enough: (0, SMALL) }, guards)
}

/// A value within a multiple of a shape, in terms of offsets.
struct Magnitude {
    form: PolyId,
    /// The distances of the value and of its negation from the end.
    distances: [PolyId; 2],
    steps: Vec<Natural>,
}

/// `2·(A·B ∓ a·b) = (A - a)·(B ± b) + (A + a)·(B ∓ b)`, and `A·B` is at most the bound.
fn limited(
    desk: &mut Desk<'_, '_>,
    (left, right): (Magnitude, Magnitude),
    (limit, shapes): (&Limit, [PolyId; 2]),
    (slack, bound): (usize, i128),
) -> Ends {
    let ((k, c), (l, d)) = SLACK[slack];
    let space = desk.space;
    let most = space.constant(limit.most);
    let area = space.mul(shapes[0], shapes[1]);
    let area = space.sub(most, area);
    let steps = [limit.steps.clone(), left.steps, right.steps].concat();
    let mut parts = vec![(2 * k * l, vec![area])];
    for (shape, high, times) in
        [(shapes[0], limit.greatest[0], k * d), (shapes[1], limit.greatest[1], c * l)]
    {
        parts.push((2 * times, vec![space.sub(space.constant(high), shape)]));
    }
    let [below, above] = sides(space, space.mul(left.form, right.form), (-bound, bound));
    let ([left, minus_left], [right, minus_right]) = (left.distances, right.distances);
    let shown = |goal, first, second| {
        let mut parts = parts.clone();
        parts.extend([(1, vec![left, first]), (1, vec![minus_left, second])]);
        let mut steps = steps.clone();
        steps.push(Natural::Sum(goal, 2, parts));
        steps
    };
    let high = Some((bound, shown(above, minus_right, right)));
    let low = Some((-bound, shown(below, right, minus_right)));
    Ends { low, high }
}
