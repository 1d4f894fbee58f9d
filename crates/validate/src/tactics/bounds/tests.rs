//! Tests that bounds and proofs hold, with random integers, loops, facts and values.

use halidom_base::FxHashMap;

use super::lies::bend;
use super::sizes::{Limits, Sizes};
use super::upper::{Bounds, Loop};
use super::{Ends, end, sides};
use crate::obligation::natural::{Bounded, Grounds, Natural};
use crate::ranges::Interval;
use crate::space::concrete::{Assignment, Random};
use crate::space::{FormulaId, PolyId, Rename, Space, Symbol, Value};
use crate::tactics::parts::{Choice, choices};

/// A place under two loops, and what is known there.
struct World {
    space: Space,
    symbols: Vec<Symbol>,
    entry: Vec<FormulaId>,
    place: Vec<FormulaId>,
    loops: Vec<Loop>,
    bounds: Bounds,
    limits: Limits,
    samples: Vec<Assignment>,
}

impl World {
    fn new(random: &mut Random) -> Self {
        let space = Space::new();
        let (size, shape, min) = (space.fresh("size"), space.fresh("shape"), space.fresh("min"));
        let params = [(size, (0, 9)), (shape, (1, 7)), (min, (-8, 8))];
        // Two loops: the inner loop's bounds mention the outer loop's variable.
        let (outer, inner) = (space.fresh("outer"), space.fresh("inner"));
        let extent = random.poly(&space, &[size, shape], 1);
        let start = random.poly(&space, &[min], 1);
        let inner_extent = random.poly(&space, &[size, outer], 1);
        let inner_start = random.poly(&space, &[min, outer], 1);
        let loops = vec![
            (outer, start, extent, space.fresh("offset")),
            (inner, inner_start, inner_extent, space.fresh("offset")),
        ];
        // The facts bound a product, and relate a size to a minimum.
        let (s, t, m) = (space.symbol(size), space.symbol(shape), space.symbol(min));
        let area = space.mul(s, t);
        let limit = space.constant(20);
        let facts = [space.sub(limit, area), space.combine(&[(s, 1), (m, -1)])];
        let mut entry = facts.map(|fact| space.non_negative(fact)).to_vec();
        for (symbol, range) in params {
            let this = space.symbol(symbol);
            let ends = sides(&space, this, range).map(|end| space.non_negative(end));
            entry.push(space.and(ends));
        }
        let mut place = Vec::new();
        for (symbol, start, extent, _) in &loops {
            let this = space.symbol(*symbol);
            let range = space.within(this, *start, *extent);
            place.extend(space.conjuncts(range));
        }
        let known = facts.map(|fact| (fact, Natural::Fact(fact)));
        let params: FxHashMap<_, _> = params.into_iter().collect();
        let limits = Limits::new(&space, params.clone(), &known, Vec::new());
        let bounds = Bounds::new(&space, &loops, params, known.to_vec());
        let symbols = vec![size, shape, min, outer, inner];
        let samples = Vec::new();
        let mut world = Self { space, symbols, entry, place, loops, bounds, limits, samples };
        world.sample(random);
        world
    }

    /// Draws values of all symbols with which the facts hold.
    fn sample(&mut self, random: &mut Random) {
        for _ in 0..60 {
            let mut at = Assignment::default();
            at.insert(self.symbols[0], random.below(10));
            at.insert(self.symbols[1], 1 + random.below(7));
            at.insert(self.symbols[2], random.below(17) - 8);
            let mut runs = true;
            for (symbol, start, extent, offset) in &self.loops {
                let start = self.space.value_at(*start, &at);
                let extent = self.space.value_at(*extent, &at);
                runs &= extent > 0;
                let value = random.below(extent.max(1) as u64);
                at.insert(*symbol, start + value);
                at.insert(*offset, value);
            }
            if runs && self.entry.iter().all(|fact| self.space.truth_at(*fact, &at)) {
                self.samples.push(at);
            }
        }
    }

    fn work<T>(&mut self, with: impl FnOnce(&mut Bounds, &Space, &mut Sizes<'_>) -> T) -> T {
        let mut at_most = |_: &Space, _: Symbol, _: Symbol| false;
        let mut sizes = Sizes { limits: &mut self.limits, at_most: &mut at_most };
        with(&mut self.bounds, &self.space, &mut sizes)
    }

    /// The upper end of an integer, with its proof.
    fn most(&mut self, poly: PolyId) -> Option<(i128, Vec<Natural>)> {
        self.work(|bounds, space, sizes| {
            let poly = bounds.in_offsets(space, poly);
            let (most, above) = bounds.most(space, sizes, poly)?;
            let shown = end(bounds, space, sizes, (most, above));
            assert!(shown.is_some() || most == i128::MAX, "no proof of {most}");
            shown
        })
    }

    /// The upper end of a product, with its proof.
    fn product(&mut self, factors: [PolyId; 2]) -> Option<(i128, Vec<Natural>)> {
        self.work(|bounds, space, sizes| {
            let (most, [up, _], _) = bounds.product(space, sizes, factors)?;
            let shown = end(bounds, space, sizes, (most, up));
            assert!(shown.is_some() || most == i128::MAX, "no proof of {most}");
            shown
        })
    }

    /// The upper end of an integer in two cases, with its proof.
    fn split(&mut self, poly: PolyId) -> Option<(i128, Vec<Natural>)> {
        let poly = self.bounds.in_offsets(&self.space, poly);
        let choices = choices(&self.space, Value::Int(poly)).into_iter().rev();
        let mut conditions = choices.filter_map(|choice| match choice {
            Choice::Condition(condition) => Some(condition),
            Choice::Least(_) => None,
        });
        let condition = conditions.next()?;
        let mut found = Vec::new();
        for holds in [true, false] {
            let mut rename = Rename::new();
            rename.override_formula(condition, self.space.truth(holds));
            let case = rename.poly(&self.space, poly);
            found.push((case, self.most(case)?));
        }
        let most = found.iter().map(|(_, (most, _))| *most).max()?;
        let cases = found.into_iter().map(|(case, (own, mut steps))| {
            let [from, to] = [own, most].map(|end| sides(&self.space, case, (0, end))[1]);
            steps.push(Natural::Sum(to, 1, vec![(1, vec![from])]));
            steps
        });
        let cases: [Vec<Natural>; 2] = cases.collect::<Vec<_>>().try_into().ok()?;
        let goal = sides(&self.space, poly, (0, most))[1];
        Some((most, vec![Natural::Split(goal, condition, Box::new(cases))]))
    }

    /// Checks a proof. The solver's answers are those of the samples.
    fn judge(&mut self, poly: PolyId, found: &Bounded) -> (Interval, Vec<PolyId>) {
        let mut offsets = Rename::new();
        for (symbol, start, _, offset) in &self.loops {
            let start = offsets.poly(&self.space, *start);
            let variable = self.space.symbol(*offset);
            offsets.insert(*symbol, self.space.add(start, variable));
        }
        let samples = &self.samples;
        let mut follows = |space: &Space, facts: &[FormulaId], goal: FormulaId| {
            samples.iter().all(|at| {
                !facts.iter().all(|fact| space.truth_at(*fact, at)) || space.truth_at(goal, at)
            })
        };
        let (entry, offsets) = (&self.entry, &offsets);
        let mut grounds = Grounds { entry, offsets, follows: &mut follows };
        let shown = grounds.shown(&self.space, &found.steps, &self.place);
        let interval = grounds.interval(&self.space, poly, found, &self.place);
        (interval, shown.into_iter().flatten().collect())
    }

    fn assert_natural(&self, shown: &[PolyId]) {
        for at in &self.samples {
            for poly in shown {
                let value = self.space.value_at(*poly, at);
                assert!(value >= 0, "{value} is shown to be at least 0");
            }
        }
    }
}

#[test]
fn proofs_show_what_holds_and_wrong_ones_show_nothing() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let (mut narrow, mut proofs, mut caught, mut split) = (0, 0, 0, 0);
    for _ in 0..2000 {
        let mut world = World::new(&mut random);
        let symbols = world.symbols.clone();
        let poly = random.poly(&world.space, &symbols, 3);
        let other = random.poly(&world.space, &symbols[..4], 2);
        let product = world.space.mul(poly, other);
        let cases = world.split(poly);
        split += usize::from(cases.is_some());
        let found =
            [(poly, world.most(poly)), (product, world.product([poly, other])), (poly, cases)];
        for (of, found) in found {
            let Some((most, steps)) = found else { continue };
            narrow += usize::from(most < 1 << 60);
            let mut found = Bounded { low: None, high: Some(most), steps };
            let (interval, shown) = world.judge(of, &found);
            assert_eq!(interval, (i128::MIN, most), "not accepted: {:?}", found.steps);
            world.assert_natural(&shown);
            for at in &world.samples {
                assert!(world.space.value_at(of, at) <= most);
            }
            proofs += 1;
            for _ in 0..4 {
                let mut bent = found.clone();
                let of = world.bounds.in_offsets(&world.space, of);
                let goal = sides(&world.space, of, (0, most))[1];
                let mut below = |limit: usize| random.below(limit.max(1) as u64) as usize;
                bend(&world.space, &mut bent.steps, goal, &mut below);
                let (_, shown) = world.judge(of, &bent);
                caught += usize::from(shown.is_empty());
                if !world.space.overflowed() {
                    world.assert_natural(&shown);
                }
            }
            // No proof shows a lower end than it does.
            found.high = Some(most - 1);
            let (interval, _) = world.judge(of, &found);
            let reached = world.samples.iter().any(|at| world.space.value_at(of, at) == most);
            assert!(!reached || interval.1 > most - 1);
        }
    }
    assert!(narrow > 1500, "only {narrow} integers have bounds");
    assert!(proofs > 3000 && split > 100, "{proofs} proofs, {split} with cases");
    assert!(caught > 3000, "only {caught} wrong proofs are rejected");
}

#[test]
fn what_cancels_does_not_count() {
    let space = Space::new();
    let (width, min, stride) = (space.fresh("width"), space.fresh("min"), space.fresh("stride"));
    let wide = 1 << 31;
    let params: FxHashMap<_, _> =
        [(width, (0, wide)), (min, (-wide, wide)), (stride, (0, 1 << 47))].into_iter().collect();
    let (w, m, s) = (space.symbol(width), space.symbol(min), space.symbol(stride));
    let x = space.fresh("x");
    let loops = [(x, m, w, space.fresh("offset"))];
    let area = space.mul(w, s);
    let most = space.constant(1 << 47);
    let fact = space.sub(most, area);
    let facts = [(fact, Natural::Fact(fact))];
    let mut limits = Limits::new(&space, params.clone(), &facts, Vec::new());
    let mut bounds = Bounds::new(&space, &loops, params, facts.to_vec());
    let mut at_most = |_: &Space, _: Symbol, _: Symbol| false;
    let mut sizes = Sizes { limits: &mut limits, at_most: &mut at_most };
    let variable = space.symbol(x);
    let mut interval = |space: &Space, poly| {
        let poly = bounds.in_offsets(space, poly);
        let negated = space.scale(poly, -1);
        let [high, low] = [poly, negated].map(|poly| {
            let found = bounds.most(space, &mut sizes, poly)?;
            end(&bounds, space, &mut sizes, found)
        });
        Ends { low: low.map(|(end, steps)| (-end, steps)), high }.interval()
    };
    let row = space.sub(variable, m);
    let index = space.mul(row, s);
    assert_eq!(interval(&space, index), (0, 1 << 47));
    // With a sum instead of the difference, nothing cancels.
    let row = space.add(variable, m);
    let index = space.mul(row, s);
    let (low, high) = interval(&space, index);
    assert!(low < -(1 << 62) && high > 1 << 62);
}

/// A loop over all blocks of a window, `row` of them in each line, whose variable becomes a line:
/// the line is small, although the number of blocks has a bound that is much greater.
#[test]
fn quotients_by_sums_are_bounded_by_the_other_factor() {
    let space = Space::new();
    let wide = 1 << 29;
    let symbols = ["width", "height", "min"].map(|name| space.fresh(name));
    let ranges = [(0, wide), (0, wide), (-wide, wide)];
    let params: FxHashMap<_, _> = symbols.into_iter().zip(ranges).collect();
    let [w, h, m] = symbols.map(|symbol| space.symbol(symbol));
    let most = space.constant((1 << 31) - 1);
    let fact = space.sub(most, space.mul(w, h));
    let facts = [(fact, Natural::Fact(fact))];
    let mut entry = vec![space.non_negative(fact)];
    for (symbol, range) in symbols.into_iter().zip(ranges) {
        let ends = sides(&space, space.symbol(symbol), range);
        entry.extend(ends.map(|end| space.non_negative(end)));
    }
    let mut limits = Limits::new(&space, params.clone(), &facts, Vec::new());
    let mut bounds = Bounds::new(&space, &[], params, facts.to_vec());
    let mut at_most = |_: &Space, _: Symbol, _: Symbol| false;
    let mut sizes = Sizes { limits: &mut limits, at_most: &mut at_most };
    let blocks =
        |more: i128, number: i128| space.div(space.offset(w, more), space.constant(number));
    // The normal form of `(w + 11)/8` is `(w + 3)/8 + 1`, and that of `(w + 7)/8` one quotient.
    let rows = [
        blocks(11, 8),
        blocks(7, 8),
        blocks(40, 4),
        space.add(blocks(7, 8), w),
        space.offset(w, 3),
    ];
    for row in rows {
        let all = space.mul(row, space.offset(h, 4));
        let least = space.offset(space.min(all, space.constant(3817)), -3817);
        let last = space.choose(space.less(space.constant(-4), m), space.offset(all, -1), least);
        let line = space.add(space.div(last, row), m);
        for poly in [line, space.scale(line, -1)] {
            let found = bounds.most(&space, &mut sizes, poly).expect("it has a bound");
            let (most, steps) =
                end(&bounds, &space, &mut sizes, found).expect("the bound has a proof");
            assert!(most < (1 << 30) + 10_000, "{most} by {:?}", space.poly(row));
            let found = Bounded { low: None, high: Some(most), steps };
            let (offsets, mut follows) =
                (Rename::new(), |_: &Space, _: &[FormulaId], _: FormulaId| false);
            let mut grounds = Grounds { entry: &entry, offsets: &offsets, follows: &mut follows };
            let shown = grounds.interval(&space, poly, &found, &[]);
            assert_eq!(shown, (i128::MIN, most), "not accepted: {:?}", found.steps);
        }
    }
}
