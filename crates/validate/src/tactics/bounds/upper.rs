//! Upper bounds of integers by sums of products of sizes.
//!
//! The `int`s of a program are sums of loop variables, minima and sizes. Intervals of these parts
//! are useless: `(y - buffer.min)·stride` is small because the minimum cancels, not because its
//! parts are small. [`Bounds::up`] lets terms cancel: from the inside outwards, it replaces
//! everything that is not a parameter by its own bound, and the normal form of polynomials does the
//! rest. The result is a sum with positive coefficients over parameters that are at least 0.
//! [`super::sizes`] turns it into a number.
//!
//! An *upper bound* of `p` is a polynomial `u` with coefficients at least 0 over symbols at least
//! 0, such that `p <= u`, and so `0 <= u` too, wherever the facts hold and the loops of the symbols
//! in `p` run. While the dividend of a quotient is bounded, the divisor may count as such a symbol.
//! Each bound has a [`Node`], from which [`super::proof`] makes the steps that show it.
//! Each loop variable is replaced by a minimum and a symbol, its offset: `v = min + o` with
//! `0 <= o <= extent - 1`, which holds in the loop's body.

use halidom_base::FxHashMap;

use super::parts::{Factor, Part};
use super::sizes::Sizes;
use super::terms::{cancels, divided, dividend_by_number, greatest, pruned, quotient};
use crate::obligation::natural::Natural;
use crate::ranges::Interval;
use crate::space::gcd;
use crate::space::{
    Atom, AtomId, Formula, FormulaId, Monomial, Poly, PolyId, Rename, Space, Symbol,
};

/// The most integers that one question may look at.
const MOST_STEPS: u32 = 600;
/// The most facts that may be added to one integer, one after another.
const MOST_FACTS: u32 = 2;

/// A loop: its symbol, its min and extent, and its offset.
pub(super) type Loop = (Symbol, PolyId, PolyId, Symbol);

/// A bound, and the number of its node.
#[derive(Clone, Copy)]
pub(super) struct Above {
    pub(super) bound: PolyId,
    pub(super) node: usize,
}

/// The reason why `of <= bound`.
pub(super) struct Node {
    pub(super) of: PolyId,
    pub(super) bound: PolyId,
    pub(super) why: Why,
}

pub(super) enum Why {
    /// `times·(bound - of)` is the sum of the parts, of `bound - of` for the inner nodes, and of
    /// products of natural symbols.
    Sum { times: i128, parts: Vec<Part>, inner: Vec<usize> },
    /// Whichever operand the atom is: the cases bound `of`, with `factor·(operand - atom)`
    /// subtracted.
    Each { atom: AtomId, factor: PolyId, cases: Vec<usize> },
    /// The quotient's dividend lies within `±(divisor·a + b)` by the nodes.
    Quotient { atom: AtomId, a: PolyId, b: PolyId, sides: [usize; 2] },
}

/// Bounds of `x` and `-x` by one integer.
#[derive(Clone, Copy)]
struct Size {
    bound: PolyId,
    up: usize,
    down: usize,
}

/// The data from which bounds follow.
pub(super) struct Bounds {
    /// Replaces loop variables by their minima and offsets.
    loops: Rename,
    /// Integers in terms of offsets.
    forms: FxHashMap<PolyId, PolyId>,
    /// The greatest value of each offset, in terms of the offsets of loops outside. Later symbols
    /// belong to loops further inside.
    spans: FxHashMap<Symbol, PolyId>,
    /// The intervals of parameters and shapes.
    params: FxHashMap<Symbol, Interval>,
    /// Integers that are at least 0, and the steps that show them.
    pub(super) facts: Vec<(PolyId, Natural)>,
    /// The bounds of integers, under the divisor that was kept.
    known: FxHashMap<(PolyId, u32, Option<AtomId>), Option<Vec<Above>>>,
    pub(super) nodes: Vec<Node>,
    /// The divisor whose multiples are kept as they are.
    kept: Option<AtomId>,
    /// For atoms that are at least 0 and no symbols, the node that shows it.
    pub(super) naturals: FxHashMap<AtomId, usize>,
    steps: u32,
}

impl Bounds {
    /// Creates bounds under facts (integers at least 0). The loops come outermost first.
    pub(super) fn new(
        space: &Space,
        loops: &[Loop],
        params: FxHashMap<Symbol, Interval>,
        facts: Vec<(PolyId, Natural)>,
    ) -> Self {
        let mut rename = Rename::new();
        let mut spans = FxHashMap::default();
        for (symbol, min, extent, offset) in loops {
            let (min, extent) = (rename.poly(space, *min), rename.poly(space, *extent));
            spans.insert(*offset, space.offset(extent, -1));
            rename.insert(*symbol, space.add(min, space.symbol(*offset)));
        }
        let (known, nodes) = (FxHashMap::default(), Vec::new());
        Self {
            loops: rename,
            forms: FxHashMap::default(),
            spans,
            params,
            facts,
            known,
            nodes,
            kept: None,
            naturals: FxHashMap::default(),
            steps: 0,
        }
    }

    /// Returns an integer in terms of offsets. One that mentions no loop variable stays as it is:
    /// the makers of normal forms could give it another form.
    pub(super) fn in_offsets(&mut self, space: &Space, poly: PolyId) -> PolyId {
        if let Some(known) = self.forms.get(&poly) {
            return *known;
        }
        let symbols = space.symbols_of(poly);
        let is_plain = symbols.iter().all(|symbol| self.loops.get(*symbol).is_none());
        let found = if is_plain { poly } else { self.loops.poly(space, poly) };
        self.forms.extend([(poly, found), (found, found)]);
        found
    }

    /// Returns the best upper bound of an integer in terms of offsets, with the number that it
    /// cannot exceed.
    pub(super) fn most(
        &mut self,
        space: &Space,
        sizes: &mut Sizes<'_>,
        poly: PolyId,
    ) -> Option<(i128, Above)> {
        self.steps = 0;
        let found = self.up(space, poly, 0).unwrap_or_default();
        least(space, sizes, found, |above| above.bound)
    }

    /// Returns the best upper bounds of a product and of its negation that bounds of its factors
    /// give, |x·y| = |x|·|y|, and whether the factors are at least 0.
    pub(super) fn product(
        &mut self,
        space: &Space,
        sizes: &mut Sizes<'_>,
        factors: [PolyId; 2],
    ) -> Option<(i128, [Above; 2], Option<[usize; 2]>)> {
        let mut lows = Vec::new();
        let mut size: Option<Vec<Size>> = None;
        for factor in factors {
            let factor = self.in_offsets(space, factor);
            let negated = space.scale(factor, -1);
            self.steps = 0;
            let (up, down) = (self.up(space, factor, 0)?, self.up(space, negated, 0)?);
            lows.extend(down.iter().find(|low| space.is_zero(low.bound)).map(|low| low.node));
            let part = self.sized(space, factor, &up, &down);
            size = Some(match size {
                None => part,
                Some(size) => self.sizes_product(space, &size, &part),
            });
        }
        let sides = size.unwrap_or_default();
        let (most, size) = least(space, sizes, sides, |size| size.bound)?;
        let above = |node| Above { bound: size.bound, node };
        let lows = if let [x, y] = *lows.as_slice() { Some([x, y]) } else { None };
        Some((most, [above(size.up), above(size.down)], lows))
    }

    /// Tests whether the last search for a bound ended early.
    pub(super) fn is_exhausted(&self) -> bool {
        self.steps > MOST_STEPS
    }

    /// Tests whether the atom is the divisor that is kept, or an offset, a lane or a parameter, and
    /// is at least 0.
    pub(super) fn is_natural(&self, space: &Space, atom: AtomId) -> bool {
        let Atom::Symbol(symbol) = *space.atom(atom) else { return self.kept == Some(atom) };
        self.spans.contains_key(&symbol)
            || space.lane_count(symbol).is_some()
            || self.params.get(&symbol).is_some_and(|range| range.0 >= 0)
    }

    /// Returns the least value of a parameter.
    pub(super) fn low_of(&self, symbol: Symbol) -> Option<i128> {
        self.params.get(&symbol).map(|range| range.0)
    }

    /// Tests whether an atom is at least 0, and keeps the node that shows it.
    fn becomes_natural(&mut self, space: &Space, atom: AtomId) -> bool {
        if self.is_natural(space, atom) || self.naturals.contains_key(&atom) {
            return true;
        }
        if let Atom::Symbol(_) = space.atom(atom) {
            return false;
        }
        let least = dividend_by_number(space, atom).unwrap_or_else(|| space.atom_poly(atom));
        let found = self.up(space, space.scale(least, -1), 0).unwrap_or_default();
        let at_most_0 = |above: &&Above| space.as_constant(above.bound).is_some_and(|end| end <= 0);
        let Some(above) = found.iter().find(at_most_0) else { return false };
        self.naturals.insert(atom, above.node);
        true
    }

    /// Returns the last made atom of a divisor that is a sum of it and of products of symbols, if
    /// all of them are at least 0.
    fn leading(&mut self, space: &Space, divisor: PolyId) -> Option<AtomId> {
        let terms = space.poly(divisor).0.clone();
        let (single, others): (Vec<_>, Vec<_>) =
            terms.into_iter().partition(|(monomial, factor)| monomial.len() == 1 && *factor == 1);
        let mut atoms: Vec<AtomId> = single.iter().map(|(monomial, _)| monomial[0]).collect();
        atoms.sort_unstable();
        let last = atoms.pop()?;
        let are_symbols = atoms.iter().all(|atom| self.is_natural(space, *atom));
        let are_natural = others.iter().all(|(monomial, factor)| {
            *factor >= 0 && monomial.iter().all(|atom| self.is_natural(space, *atom))
        });
        (are_symbols && are_natural && self.becomes_natural(space, last)).then_some(last)
    }

    fn node(&mut self, of: PolyId, bound: PolyId, why: Why) -> usize {
        self.nodes.push(Node { of, bound, why });
        self.nodes.len() - 1
    }

    /// Makes a bound that is a sum of parts and the distances of inner nodes.
    fn sum(&mut self, of: PolyId, bound: PolyId, parts: Vec<Part>, inner: Vec<usize>) -> Above {
        Above { bound, node: self.node(of, bound, Why::Sum { times: 1, parts, inner }) }
    }

    /// Makes bounds of `of` from bounds of another integer: the parts are the distance.
    fn through(&mut self, of: PolyId, found: &[Above], parts: &[Part]) -> Vec<Above> {
        let through = |above: &Above| self.sum(of, above.bound, parts.to_vec(), vec![above.node]);
        found.iter().map(through).collect()
    }

    /// Returns upper bounds of an integer over parameters and offsets. `added` counts the facts
    /// that were added to the integer.
    fn up(&mut self, space: &Space, poly: PolyId, added: u32) -> Option<Vec<Above>> {
        if let Some(known) = self.known.get(&(poly, added, self.kept)) {
            return known.clone();
        }
        if self.steps > MOST_STEPS {
            return None;
        }
        self.steps += 1;
        let found = match space.as_constant(poly) {
            Some(value) => {
                Some(vec![self.sum(poly, space.constant(value.max(0)), Vec::new(), Vec::new())])
            }
            None => {
                let target = self.target(space, poly);
                let by_fact = self.by_fact(space, poly, added);
                let simple = target
                    .as_ref()
                    .is_none_or(|target| matches!(space.atom(target.atom), Atom::Symbol(_)));
                if by_fact.is_some() && !simple {
                    // An integer with many choices takes long to bound, and the result is seldom
                    // better than a fact's.
                    by_fact
                } else {
                    let found = match target {
                        Some(target) => self.expand(space, poly, &target, added),
                        None => self.parameters(space, poly, added),
                    };
                    let found: Vec<Above> = found.into_iter().chain(by_fact).flatten().collect();
                    (!found.is_empty()).then(|| pruned(space, found, |above| above.bound))
                }
            }
        };
        if self.steps <= MOST_STEPS {
            self.known.insert((poly, added, self.kept), found.clone());
        }
        found
    }

    /// Chooses the part of an integer to replace first: the last made atom that is not a symbol, or
    /// else the innermost offset. An atom is made after those that it contains, so that what
    /// replaces it may cancel them.
    fn target(&self, space: &Space, poly: PolyId) -> Option<Target> {
        type Rank = (Option<AtomId>, Option<Symbol>);
        let mut best: Option<(Rank, Target)> = None;
        for (monomial, coefficient) in &space.poly(poly).0 {
            for (position, atom) in monomial.iter().enumerate() {
                let rank = match space.atom(*atom) {
                    _ if self.kept == Some(*atom) => continue,
                    Atom::Symbol(symbol) if self.params.contains_key(symbol) => continue,
                    Atom::Symbol(symbol) => (None, Some(*symbol)),
                    Atom::Min(_) | Atom::Div(..) | Atom::Select(..) | Atom::Value(_) => {
                        (Some(*atom), None)
                    }
                };
                if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                    let mut rest = monomial.to_vec();
                    rest.remove(position);
                    let target =
                        Target { atom: *atom, coefficient: *coefficient, rest: rest.into() };
                    best = Some((rank, target));
                }
            }
        }
        best.map(|(_, target)| target)
    }

    /// Bounds `poly`, which contains the term `coefficient·atom·rest`, by replacing the atom.
    fn expand(
        &mut self,
        space: &Space,
        poly: PolyId,
        target: &Target,
        added: u32,
    ) -> Option<Vec<Above>> {
        let Target { atom, coefficient, rest } = target;
        let factor = space.collect(vec![(rest.clone(), 1)]);
        let this = space.atom_poly(*atom);
        let term = space.mul(this, factor);
        let others = space.combine(&[(poly, 1), (term, -coefficient)]);
        if !rest.iter().all(|atom| self.is_natural(space, *atom)) {
            // The signs of the factors are unknown: |a·b| = |a|·|b|.
            let mut size = self.size(space, *atom)?;
            for atom in rest {
                let factor = self.size(space, *atom)?;
                size = self.sizes_product(space, &size, &factor);
            }
            let others = self.up(space, others, added)?;
            return Some(self.with_sizes(space, poly, (&others, &size), *coefficient));
        }
        // From here on the rest is at least 0, so a bound of the atom gives a bound of the term.
        let positive = *coefficient > 0;
        let with = |space: &Space, value: PolyId, times: i128| {
            space.combine(&[(others, 1), (space.mul(value, factor), times)])
        };
        match space.atom(*atom).clone() {
            // `min(a, b)` is at most `a` and at most `b`; `-min(a, b)` is `-a` or `-b`.
            Atom::Min(operands) if positive => {
                let mut found = Vec::new();
                for operand in operands {
                    let part = with(space, operand, *coefficient);
                    let above = self.up(space, part, added).unwrap_or_default();
                    let leaf = Factor::Leaf(space.sub(operand, this), Natural::Operands(*atom));
                    let parts = [(*coefficient, vec![leaf, Factor::Terms(factor)])];
                    found.extend(self.through(poly, &above, &parts));
                }
                (!found.is_empty()).then(|| pruned(space, found, |above| above.bound))
            }
            Atom::Min(operands) => self.each(space, (poly, target), &operands, added),
            Atom::Select(_, a, b) => self.each(space, (poly, target), &[a, b], added),
            Atom::Value(term) => {
                let (low, high) = space.value_range(term)?;
                let end = space.constant(if positive { high } else { low });
                self.by_end(space, (poly, target), end, Natural::Range(*atom), added)
            }
            Atom::Symbol(symbol) => {
                // An offset or lane is at least 0 and at most its span.
                let (end, step) = match (positive, space.lane_count(symbol)) {
                    (true, Some(lanes)) => {
                        (space.constant(i128::from(lanes) - 1), Some(Natural::Range(*atom)))
                    }
                    (false, Some(_)) => (space.constant(0), Some(Natural::Range(*atom))),
                    (true, None) => (*self.spans.get(&symbol)?, None),
                    (false, None) => (space.constant(0), None),
                };
                let step = step.unwrap_or_else(|| {
                    let sign = if positive { 1 } else { -1 };
                    Natural::Fact(space.combine(&[(end, sign), (this, -sign)]))
                });
                self.by_end(space, (poly, target), end, step, added)
            }
            Atom::Div(dividend, divisor) => match space.as_constant(divisor) {
                Some(divisor) if divisor > 0 => {
                    // Scaled by `times`, the coefficient is a multiple of the divisor. The bound is
                    // divided by `times` afterwards, with its coefficients rounded up.
                    let times = divisor / gcd(divisor, *coefficient);
                    if times > 1 {
                        let found = self.up(space, space.scale(poly, times), added)?;
                        let share = |above: &Above| {
                            let bound = quotient(space, above.bound, times);
                            let inner = vec![above.node];
                            let why = Why::Sum { times, parts: Vec::new(), inner };
                            Above { bound, node: self.node(poly, bound, why) }
                        };
                        return Some(found.iter().map(share).collect());
                    }
                    // `k·n·(x / n)` lies between `k·(x - n + 1)` and `k·x` for k > 0.
                    let least = space.offset(dividend, 1 - divisor);
                    let end = if positive { dividend } else { least };
                    let part = with(space, end, coefficient / divisor);
                    let found = self.up(space, part, added)?;
                    let sign = if positive { 1 } else { -1 };
                    let distance = space.combine(&[(end, sign), (this, -sign * divisor)]);
                    let leaf = Factor::Leaf(distance, Natural::Rest(*atom));
                    let times = coefficient.saturating_abs() / divisor;
                    let parts = [(times, vec![leaf, Factor::Terms(factor)])];
                    Some(self.through(poly, &found, &parts))
                }
                Some(_) | None => {
                    let size = self.size(space, *atom)?;
                    let above = self.up(space, factor, added)?;
                    let others = self.up(space, others, added)?;
                    let mut sizes = Vec::new();
                    for size in size {
                        for above in &above {
                            // A·U ∓ a·f = A·(U - f) + f·(A ∓ a)
                            let bound = space.mul(size.bound, above.bound);
                            let mut side = |sign: i128, side: usize| {
                                let of = space.scale(term, sign);
                                let parts = vec![
                                    (1, vec![Factor::Terms(size.bound), Factor::Over(above.node)]),
                                    (1, vec![Factor::Terms(factor), Factor::Over(side)]),
                                ];
                                self.sum(of, bound, parts, Vec::new()).node
                            };
                            let (up, down) = (side(1, size.up), side(-1, size.down));
                            sizes.push(Size { bound, up, down });
                        }
                    }
                    let sizes = pruned(space, sizes, |size| size.bound);
                    Some(self.with_sizes(space, poly, (&others, &sizes), *coefficient))
                }
            },
        }
    }

    /// Replaces the target by an end of its interval, where the step shows the distance.
    fn by_end(
        &mut self,
        space: &Space,
        (poly, target): (PolyId, &Target),
        end: PolyId,
        step: Natural,
        added: u32,
    ) -> Option<Vec<Above>> {
        let this = space.atom_poly(target.atom);
        let factor = space.collect(vec![(target.rest.clone(), 1)]);
        let distance = space.sub(end, this);
        let part = space.combine(&[(poly, 1), (space.mul(distance, factor), target.coefficient)]);
        let found = self.up(space, part, added)?;
        let leaf = space.scale(distance, target.coefficient.signum());
        let factors = vec![Factor::Leaf(leaf, step), Factor::Terms(factor)];
        Some(self.through(poly, &found, &[(target.coefficient.saturating_abs(), factors)]))
    }

    /// Bounds an integer by each of the values that the target may have.
    fn each(
        &mut self,
        space: &Space,
        (poly, target): (PolyId, &Target),
        operands: &[PolyId],
        added: u32,
    ) -> Option<Vec<Above>> {
        let this = space.atom_poly(target.atom);
        let factor = space.collect(vec![(target.rest.clone(), target.coefficient)]);
        let mut found = vec![(space.constant(0), Vec::new())];
        for operand in operands {
            let part = space.add(poly, space.mul(space.sub(*operand, this), factor));
            let bounds = self.up(space, part, added)?;
            found = join(space, &found, &bounds);
        }
        let factor = space.scale(factor, -1);
        let wrap = |(bound, cases)| {
            let why = Why::Each { atom: target.atom, factor, cases };
            Above { bound, node: self.node(poly, bound, why) }
        };
        Some(found.into_iter().map(wrap).collect())
    }

    /// Bounds `others + coefficient·x` by bounds of `others` and sizes of `x`.
    fn with_sizes(
        &mut self,
        space: &Space,
        poly: PolyId,
        (others, sizes): (&[Above], &[Size]),
        coefficient: i128,
    ) -> Vec<Above> {
        let times = coefficient.saturating_abs();
        let mut found = Vec::new();
        for above in others {
            for size in sizes {
                let bound = space.combine(&[(above.bound, 1), (size.bound, times)]);
                let side = if coefficient > 0 { size.up } else { size.down };
                let parts = vec![(times, vec![Factor::Over(side)])];
                found.push(self.sum(poly, bound, parts, vec![above.node]));
            }
        }
        pruned(space, found, |above| above.bound)
    }

    /// Returns bounds of the absolute value of an atom.
    fn size(&mut self, space: &Space, atom: AtomId) -> Option<Vec<Size>> {
        let (dividend, divisor) = match *space.atom(atom) {
            Atom::Div(dividend, divisor) => (dividend, divisor),
            Atom::Symbol(_) | Atom::Min(_) | Atom::Select(..) | Atom::Value(_) => {
                return self.both_sides(space, space.atom_poly(atom));
            }
        };
        let leading = self.leading(space, divisor);
        // Bounds of the dividend are of use if they have the divisor as a factor. Other bounds have
        // what replaces it.
        if let Some(leading) = leading.filter(|leading| !self.is_natural(space, *leading)) {
            let outer = self.kept.replace(leading);
            let sizes = self.both_sides(space, dividend).unwrap_or_default();
            self.kept = outer;
            let has_it =
                |poly| space.poly(poly).0.iter().any(|(monomial, _)| monomial.contains(&leading));
            let mut found = Vec::new();
            for size in sizes {
                let parts = divided(space, size.bound, divisor, leading);
                let parts = parts.filter(|(a, b)| !has_it(*a) && !has_it(*b));
                found.extend(parts.map(|parts| self.quotient(space, atom, &size, parts)));
            }
            if !found.is_empty() {
                return Some(found);
            }
        }
        let symbol = leading.filter(|leading| self.is_natural(space, *leading));
        let sizes = self.both_sides(space, dividend)?;
        let quotient = |size: &Size| {
            let parts = symbol.and_then(|leading| divided(space, size.bound, divisor, leading));
            let parts = parts.unwrap_or((space.constant(0), size.bound));
            self.quotient(space, atom, size, parts)
        };
        Some(sizes.iter().map(quotient).collect())
    }

    /// Returns bounds of the absolute value of an integer.
    fn both_sides(&mut self, space: &Space, poly: PolyId) -> Option<Vec<Size>> {
        let (up, down) = (self.up(space, poly, 0)?, self.up(space, space.scale(poly, -1), 0)?);
        Some(self.sized(space, poly, &up, &down))
    }

    /// Bounds a quotient by a size of its dividend, `y·a + b` for the divisor `y`: if
    /// `|x| <= y·a + b` with `y, a, b >= 0`, then `|x / y| <= a + b + 1`, and `|x / y| <= |x|`.
    fn quotient(
        &mut self,
        space: &Space,
        atom: AtomId,
        size: &Size,
        (a, b): (PolyId, PolyId),
    ) -> Size {
        let sum = space.add(a, b);
        let bound = if space.is_zero(a) { sum } else { space.offset(sum, 1) };
        let sides = [size.up, size.down];
        let this = space.atom_poly(atom);
        let up = self.node(this, bound, Why::Quotient { atom, a, b, sides });
        let minus = space.scale(this, -1);
        let down = self.node(minus, bound, Why::Quotient { atom, a, b, sides });
        Size { bound, up, down }
    }

    /// Joins bounds of an integer and of its negation.
    fn sized(&mut self, space: &Space, of: PolyId, up: &[Above], down: &[Above]) -> Vec<Size> {
        let minus = space.scale(of, -1);
        let mut found = Vec::new();
        for x in up {
            for y in down {
                let bound = greatest(space, x.bound, y.bound);
                let up = self.sum(of, bound, Vec::new(), vec![x.node]).node;
                let down = self.sum(minus, bound, Vec::new(), vec![y.node]).node;
                found.push(Size { bound, up, down });
            }
        }
        pruned(space, found, |size| size.bound)
    }

    /// The product of bounds is a bound of the product of sizes:
    /// `2·(A·B ∓ a·b) = (A - a)·(B ± b) + (A + a)·(B ∓ b)`.
    fn sizes_product(&mut self, space: &Space, x: &[Size], y: &[Size]) -> Vec<Size> {
        let mut found = Vec::with_capacity(x.len() * y.len());
        for x in x {
            for y in y {
                let bound = space.mul(x.bound, y.bound);
                let of = space.mul(self.nodes[x.up].of, self.nodes[y.up].of);
                let minus = space.scale(of, -1);
                let mut side = |of, first: usize, second: usize| {
                    let product = |a, b| (1, vec![Factor::Over(a), Factor::Over(b)]);
                    let parts = vec![product(x.up, first), product(x.down, second)];
                    self.node(of, bound, Why::Sum { times: 2, parts, inner: Vec::new() })
                };
                let (up, down) = (side(of, y.down, y.up), side(minus, y.up, y.down));
                found.push(Size { bound, up, down });
            }
        }
        pruned(space, found, |size| size.bound)
    }

    /// Bounds an integer by a fact that cancels all products in it: `p <= p + k·f` for `f >= 0` and
    /// `k > 0`.
    fn by_fact(&mut self, space: &Space, poly: PolyId, added: u32) -> Option<Vec<Above>> {
        if added >= MOST_FACTS {
            return None;
        }
        let product = |term: &&(Monomial, i128)| term.0.len() > 1;
        let (monomial, coefficient) = space.poly(poly).0.iter().find(product)?.clone();
        for index in 0..self.facts.len() {
            let fact = self.facts[index].0;
            let opposite = space.poly(fact).0.iter().find(|(other, _)| *other == monomial);
            let Some((_, other)) = opposite else { continue };
            let times = -(coefficient / other);
            if times <= 0 || coefficient % other != 0 {
                continue;
            }
            let with = space.combine(&[(poly, 1), (fact, times)]);
            if space.poly(with).0.iter().find(product).is_none() {
                return self.with_fact(space, poly, (index, times), added);
            }
        }
        None
    }

    /// Bounds `p` by bounds of `p + k·f` for a fact `f >= 0`.
    fn with_fact(
        &mut self,
        space: &Space,
        poly: PolyId,
        (index, times): (usize, i128),
        added: u32,
    ) -> Option<Vec<Above>> {
        let (fact, step) = self.facts[index].clone();
        let found = self.up(space, space.combine(&[(poly, 1), (fact, times)]), added + 1)?;
        Some(self.through(poly, &found, &[(times, vec![Factor::Leaf(fact, step)])]))
    }

    /// Bounds an integer over parameters alone.
    fn parameters(&mut self, space: &Space, poly: PolyId, added: u32) -> Option<Vec<Above>> {
        let terms = space.poly(poly).clone();
        let mut found = Vec::new();
        // Sum the bounds of the terms. A term with only symbols at least 0 stays, or is dropped if
        // it is subtracted.
        let (mut sum, mut parts) = (Vec::new(), Vec::new());
        let mut signed = false;
        for (monomial, coefficient) in &terms.0 {
            let (rest, own): (Vec<AtomId>, Vec<AtomId>) =
                monomial.iter().partition(|atom| self.is_natural(space, **atom));
            if own.is_empty() {
                if *coefficient > 0 {
                    sum.push((Monomial::from(rest), *coefficient));
                }
                continue;
            }
            signed = true;
            let (number, part) = self.of_unknown_sign(space, *coefficient, &own, &rest)?;
            parts.push(part);
            if number > 0 {
                sum.push((Monomial::from(rest), number));
            }
        }
        found.push(self.sum(poly, space.collect(sum), parts, Vec::new()));
        // `p <= p + k·f` for a fact `f >= 0`. This bound is better where it cancels a product or a
        // symbol of unknown sign.
        if added < MOST_FACTS && (signed || terms.0.iter().any(|(monomial, _)| monomial.len() > 1))
        {
            let worst = self.worst(space, &terms);
            for index in 0..self.facts.len() {
                if let Some(times) = cancels(space, &worst, self.facts[index].0) {
                    let with = self.with_fact(space, poly, (index, times), added);
                    found.extend(with.unwrap_or_default());
                }
            }
        }
        Some(pruned(space, found, |above| above.bound))
    }

    /// Bounds `coefficient·own`, a product of parameters of unknown sign, by a number. Returns it
    /// with the distance, times the rest.
    fn of_unknown_sign(
        &mut self,
        space: &Space,
        coefficient: i128,
        own: &[AtomId],
        rest: &[AtomId],
    ) -> Option<(i128, Part)> {
        let mut ends = Vec::new();
        for atom in own {
            let Atom::Symbol(symbol) = *space.atom(*atom) else { return None };
            ends.push(*self.params.get(&symbol)?);
        }
        let times = coefficient.saturating_abs();
        let rest = Factor::Terms(space.collect(vec![(rest.into(), 1)]));
        let fits = |number: &i128| *number <= 1 << 100;
        if let ([atom], [(low, high)], true) = (own, ends.as_slice(), is_one(space, &rest)) {
            let this = space.atom_poly(*atom);
            let (end, sign) = if coefficient > 0 { (*high, 1) } else { (*low, -1) };
            let number = coefficient.checked_mul(end).filter(fits)?;
            let distance = space.combine(&[(space.constant(end), sign), (this, -sign)]);
            let leaf = Factor::Leaf(distance, Natural::Fact(distance));
            return Some((number, (times, vec![leaf, rest])));
        }
        let mut number = 1_i128;
        let mut size: Option<Vec<Size>> = None;
        for (atom, (low, high)) in own.iter().zip(ends) {
            let magnitude = low.saturating_abs().max(high.saturating_abs());
            number = number.checked_mul(magnitude).filter(fits)?;
            let (this, bound) = (space.atom_poly(*atom), space.constant(magnitude));
            let mut side = |sign: i128, end: i128| {
                let (of, end) = (space.scale(this, sign), space.constant(end));
                let distance = space.combine(&[(end, sign), (this, -sign)]);
                let leaf = Factor::Leaf(distance, Natural::Fact(distance));
                self.sum(of, bound, vec![(1, vec![leaf])], Vec::new()).node
            };
            let part = vec![Size { bound, up: side(1, high), down: side(-1, low) }];
            size = Some(match size {
                None => part,
                Some(size) => self.sizes_product(space, &size, &part),
            });
        }
        let size = *size?.first()?;
        let side = if coefficient > 0 { size.up } else { size.down };
        let number = number.checked_mul(times).filter(fits)?;
        Some((number, (times, vec![Factor::Over(side), rest])))
    }

    /// Returns the terms that are a product, or have an unknown sign.
    fn worst<'t>(&self, space: &Space, terms: &'t Poly) -> Vec<&'t (Monomial, i128)> {
        let is_worst = |(monomial, coefficient): &&(Monomial, i128)| {
            let natural = monomial.iter().all(|atom| self.is_natural(space, *atom));
            !natural || (monomial.len() > 1 && *coefficient > 0)
        };
        terms.0.iter().filter(is_worst).collect()
    }
}

/// A term of a polynomial: `coefficient·atom·rest`.
struct Target {
    atom: AtomId,
    coefficient: i128,
    rest: Monomial,
}

fn is_one(space: &Space, factor: &Factor) -> bool {
    matches!(factor, Factor::Terms(poly) if space.as_constant(*poly) == Some(1))
}

/// Returns the bound with the least number.
fn least<T>(
    space: &Space,
    sizes: &mut Sizes<'_>,
    bounds: Vec<T>,
    bound: impl Fn(&T) -> PolyId,
) -> Option<(i128, T)> {
    let mut best: Option<(i128, T)> = None;
    for item in bounds {
        let most = sizes.most(space, bound(&item));
        if best.as_ref().is_none_or(|(least, _)| most < *least) {
            best = Some((most, item));
        }
    }
    best
}

/// Collects the integers that are at least 0 by a formula, where all `known` formulas hold.
/// Alternatives that these exclude are left out.
pub(super) fn facts(
    space: &Space,
    formula: FormulaId,
    known: &[FormulaId],
) -> Vec<(PolyId, Natural)> {
    let direct = |poly| (poly, Natural::Fact(poly));
    match space.formula(formula).clone() {
        Formula::NonNegative(poly) => vec![direct(poly)],
        Formula::Zero(poly) => vec![direct(poly), direct(space.scale(poly, -1))],
        Formula::And(parts) => parts.iter().flat_map(|part| facts(space, *part, known)).collect(),
        Formula::Or(parts) => {
            let mut left = parts.iter().filter(|part| !known.contains(&space.not(**part)));
            let (Some(only), None) = (left.next(), left.next()) else { return Vec::new() };
            let asked = |(poly, _)| (poly, Natural::Asked(vec![poly], known.to_vec(), Vec::new()));
            facts(space, *only, known).into_iter().map(asked).collect()
        }
        Formula::True | Formula::False | Formula::Holds(_) | Formula::Not(_) => Vec::new(),
    }
}

/// Joins bounds of all integers before with bounds of one more.
fn join(
    space: &Space,
    before: &[(PolyId, Vec<usize>)],
    bounds: &[Above],
) -> Vec<(PolyId, Vec<usize>)> {
    let mut found = Vec::with_capacity(before.len() * bounds.len());
    for (x, nodes) in before {
        for y in bounds {
            let mut nodes = nodes.clone();
            nodes.push(y.node);
            found.push((greatest(space, *x, y.bound), nodes));
        }
    }
    pruned(space, found, |(bound, _)| *bound)
}
