//! Values of symbols at which formulas were seen to hold, so that a guess that fails there costs no
//! question.
//!
//! The solver takes long to find a model where values depend on many minima and quotients. One
//! model often refutes the next guesses too. Here the values of minima, quotients and products
//! follow from the symbols, and those of operators on machine integers from their operands, so
//! formulas that hold at a sample do not contradict each other. A model as it is would not do:
//! products and bits are opaque there, and may break the lemmas of other questions.

use std::collections::VecDeque;
use std::iter;
use std::rc::Rc;

use halidom_base::{FxHashMap, IndexMap, IndexSet};
use halidom_ir::{Constant, Scalar, eval};
use num_integer::Integer;

use crate::lemma::Sample;
use crate::space::{Atom, AtomId, Formula, FormulaId, Part, PolyId, Space, Symbol, Term, TermId};

/// The most samples that are kept. The oldest ones go first.
const MOST_SAMPLES: usize = 32;

/// Values above this are large for a size.
const LARGE: i128 = 1 << 12;
/// The values that are tried in place of large ones.
const SMALL: [i128; 5] = [16, 256, 4096, 1, 0];
/// The most values of a sample that are changed.
const MOST_REPAIRS: usize = 8;
/// The most samples near which a guess is examined, and the most values that are tried for each.
const MOST_NEAR: usize = 3;
const MOST_MOVES: usize = 16;

/// The latest samples.
#[derive(Default)]
pub(super) struct Samples {
    points: VecDeque<Point>,
    reach: Reach,
}

/// The symbols that terms depend on.
type Reach = FxHashMap<TermId, Rc<IndexSet<Symbol>>>;

impl Samples {
    /// Keeps the values of a model of these formulas, and returns values of the symbols alone under
    /// which these hold, if they are found.
    pub(super) fn keep(
        &mut self,
        space: &Space,
        sample: Sample,
        formulas: &[FormulaId],
    ) -> Vec<(Symbol, i128)> {
        let point = Point::of(space, sample, &mut self.reach);
        let point = repaired(space, point, formulas);
        let values = point.symbols.iter().map(|(symbol, value)| (*symbol, *value)).collect();
        self.push(point);
        values
    }

    fn push(&mut self, point: Point) {
        if self.points.len() == MOST_SAMPLES {
            self.points.pop_front();
        }
        self.points.push_back(point);
    }

    /// Tests whether all formulas hold at one of the samples, or near one, and with them what is
    /// assumed in every question.
    pub(super) fn admit(
        &mut self,
        space: &Space,
        assumed: &[FormulaId],
        formulas: &[FormulaId],
    ) -> bool {
        // A guess comes last, and is the most likely to fail.
        let Some((guess, facts)) = formulas.split_last() else { return false };
        let mut near = Vec::new();
        for (index, point) in self.points.iter_mut().enumerate().rev() {
            let guessed = point.truth(space, *guess);
            let is_of_use = guessed == Some(true) || near.len() < MOST_NEAR;
            if is_of_use
                && facts.iter().all(|fact| point.truth(space, *fact) == Some(true))
                && point.admits(space, assumed)
            {
                if guessed == Some(true) {
                    return true;
                }
                near.push(index);
            }
        }
        for index in near {
            let point = &mut self.points[index];
            let moves = point.towards(space, *guess);
            let found = moves.into_iter().find_map(|(symbol, value)| {
                let mut other = point.with(symbol, value);
                let mut all = iter::once(guess).chain(facts).chain(assumed);
                all.all(|formula| other.truth(space, *formula) == Some(true)).then_some(other)
            });
            if let Some(found) = found {
                self.push(found);
                return true;
            }
        }
        false
    }
}

/// Moves values of a sample until the formulas hold there: large values become smaller, and others
/// change by as much as a formula needs. Products are opaque to the solver, so the sizes in its
/// models may have products beyond all limits, and strides that do not fit extents.
fn repaired(space: &Space, mut point: Point, formulas: &[FormulaId]) -> Point {
    for _ in 0..MOST_REPAIRS {
        let failed = point.failed(space, formulas);
        let Some(first) = failed.first() else { break };
        let mut large = space.symbols_of(*first);
        large.retain(|symbol| point.symbols.get(symbol).is_some_and(|at| *at > LARGE));
        let moved = point.towards(space, *first);
        let moved = moved.into_iter().map(|(symbol, value)| point.with(symbol, value));
        let smaller = large.into_iter().flat_map(|symbol| SMALL.map(|value| (symbol, value)));
        let smaller = smaller.map(|(symbol, value)| point.moved(symbol, value));
        // What held still holds.
        let better = smaller.chain(moved).find_map(|mut other| {
            let mut left = 0;
            for formula in formulas {
                if other.truth(space, *formula) != Some(true) {
                    left += 1;
                    if !failed.contains(formula) {
                        return None;
                    }
                }
            }
            (left < failed.len()).then_some(other)
        });
        match better {
            Some(better) => point = better,
            None => break,
        }
    }
    point
}

/// A value that the solver chose for a term, with the symbols that the term depends on.
type Datum<T> = (T, Rc<IndexSet<Symbol>>);

/// A sample, and what follows from it. Symbols that its question did not mention are 0. `None`
/// stands for a value that depends on data that the question did not mention, as these may be
/// equal to others, for a value that is too large, and for one that divides by a number below 1.
#[derive(Clone, Default)]
struct Point {
    symbols: IndexMap<Symbol, i128>,
    data: FxHashMap<AtomId, Datum<i128>>,
    holds: FxHashMap<TermId, Datum<bool>>,
    integers: FxHashMap<PolyId, Option<i128>>,
    truths: FxHashMap<FormulaId, Option<bool>>,
    machine: FxHashMap<TermId, Option<Constant>>,
    /// The number of facts among those that are assumed in every question which were examined, and
    /// whether all of them hold. Others are added at the end.
    assumed: (usize, bool),
}

impl Point {
    fn of(space: &Space, sample: Sample, reach: &mut Reach) -> Self {
        let mut point = Self::default();
        let mut reached = |term: TermId| {
            let found =
                reach.entry(term).or_insert_with(|| Rc::new(space.symbols_of(Part::Term(term))));
            Rc::clone(found)
        };
        for (atom, value) in sample.atoms {
            match space.atom(atom) {
                Atom::Symbol(symbol) => drop(point.symbols.insert(*symbol, value)),
                Atom::Value(term) => {
                    point.data.insert(atom, (value, reached(*term)));
                }
                // These follow from their parts.
                Atom::Min(_) | Atom::Div(..) | Atom::Select(..) => {}
            }
        }
        for (term, holds) in sample.truths {
            point.holds.insert(term, (holds, reached(term)));
        }
        point
    }

    /// Gives a symbol another value.
    fn with(&self, symbol: Symbol, value: i128) -> Self {
        self.changed(&[(symbol, value)])
    }

    /// Gives a symbol another value, and moves values near to it by the same distance, as these may
    /// depend on each other.
    fn moved(&self, symbol: Symbol, value: i128) -> Self {
        let from = self.at(symbol);
        let near = self.symbols.iter().filter(|(_, at)| at.abs_diff(from) <= LARGE as u128);
        let changes: Vec<_> =
            near.map(|(symbol, at)| (*symbol, at.saturating_add(value - from))).collect();
        self.changed(&changes)
    }

    /// Gives symbols other values. Data that depend on these have no value any longer.
    fn changed(&self, changes: &[(Symbol, i128)]) -> Self {
        let mut symbols = self.symbols.clone();
        symbols.extend(changes.iter().copied());
        let stays =
            |reach: &IndexSet<Symbol>| changes.iter().all(|(symbol, _)| !reach.contains(symbol));
        let (mut data, mut holds) = (self.data.clone(), self.holds.clone());
        data.retain(|_, (_, reach)| stays(reach));
        holds.retain(|_, (_, reach)| stays(reach));
        Self { symbols, data, holds, ..Self::default() }
    }

    /// Tests whether all facts hold that are assumed in every question.
    fn admits(&mut self, space: &Space, assumed: &[FormulaId]) -> bool {
        let (examined, hold) = self.assumed;
        let hold = (hold || examined == 0)
            && assumed[examined..].iter().all(|fact| self.truth(space, *fact) == Some(true));
        self.assumed = (assumed.len(), hold);
        hold
    }

    fn at(&self, symbol: Symbol) -> i128 {
        self.symbols.get(&symbol).copied().unwrap_or(0)
    }

    /// Proposes symbols, each with a value under which a formula may hold. It does if a sum in it
    /// goes on to change with the symbol as at the sample.
    fn towards(&mut self, space: &Space, formula: FormulaId) -> Vec<(Symbol, i128)> {
        let mut sums = Vec::new();
        signs(space, formula, true, &mut sums);
        let mut found = Vec::new();
        for (sum, sign) in sums {
            let Some(value) = self.integer(space, sum) else { continue };
            let target = match sign {
                Sign::Negative => value.min(-1),
                Sign::NonNegative => value.max(0),
                Sign::Zero => 0,
            };
            for symbol in space.symbols_of(sum) {
                if target == value || found.len() == MOST_MOVES {
                    break;
                }
                let at = self.at(symbol);
                let mut moves = [1, -1].into_iter().filter_map(|step| {
                    let next = self.with(symbol, at.checked_add(step)?).integer(space, sum)?;
                    let (change, needed) = (next.checked_sub(value)?, target.checked_sub(value)?);
                    let steps = (change.signum() == needed.signum())
                        .then(|| Integer::div_ceil(&needed, &change))?;
                    at.checked_add(steps.checked_mul(step)?)
                });
                found.extend(moves.next().map(|value| (symbol, value)));
            }
        }
        found
    }

    /// Returns the formulas that do not hold.
    fn failed(&mut self, space: &Space, formulas: &[FormulaId]) -> Vec<FormulaId> {
        let fails = |formula: &FormulaId| self.truth(space, *formula) != Some(true);
        formulas.iter().copied().filter(fails).collect()
    }

    fn truth(&mut self, space: &Space, formula: FormulaId) -> Option<bool> {
        if let Some(known) = self.truths.get(&formula) {
            return *known;
        }
        let found = match space.formula(formula) {
            Formula::True => Some(true),
            Formula::False => Some(false),
            Formula::NonNegative(poly) => self.integer(space, *poly).map(|value| value >= 0),
            Formula::Zero(poly) => self.integer(space, *poly).map(|value| value == 0),
            Formula::Holds(term) => self.machine(space, *term).and_then(Constant::as_bool),
            Formula::Not(inner) => self.truth(space, *inner).map(|holds| !holds),
            Formula::And(parts) => self.parts(space, parts, false),
            Formula::Or(parts) => self.parts(space, parts, true),
        };
        self.truths.insert(formula, found);
        found
    }

    /// Evaluates a conjunction or disjunction, which one part with the value `decides` decides.
    fn parts(&mut self, space: &Space, parts: &[FormulaId], decides: bool) -> Option<bool> {
        let mut all = Some(!decides);
        for part in parts {
            match self.truth(space, *part) {
                Some(holds) if holds == decides => return Some(decides),
                Some(_) => {}
                None => all = None,
            }
        }
        all
    }

    fn integer(&mut self, space: &Space, poly: PolyId) -> Option<i128> {
        if let Some(known) = self.integers.get(&poly) {
            return *known;
        }
        let found = self.sum(space, poly);
        self.integers.insert(poly, found);
        found
    }

    fn sum(&mut self, space: &Space, poly: PolyId) -> Option<i128> {
        let mut sum = 0_i128;
        for (monomial, coefficient) in &space.poly(poly).0 {
            let mut product = *coefficient;
            for atom in monomial {
                product = product.checked_mul(self.atom(space, *atom)?)?;
            }
            sum = sum.checked_add(product)?;
        }
        Some(sum)
    }

    fn atom(&mut self, space: &Space, atom: AtomId) -> Option<i128> {
        match space.atom(atom) {
            Atom::Symbol(symbol) => Some(self.at(*symbol)),
            Atom::Min(operands) => {
                let mut least = i128::MAX;
                for operand in operands {
                    least = least.min(self.integer(space, *operand)?);
                }
                Some(least)
            }
            Atom::Div(dividend, divisor) => {
                let divisor = self.integer(space, *divisor).filter(|divisor| *divisor > 0)?;
                Some(self.integer(space, *dividend)?.div_euclid(divisor))
            }
            Atom::Select(condition, a, b) => {
                let chosen = if self.truth(space, *condition)? { a } else { b };
                self.integer(space, *chosen)
            }
            Atom::Value(term) if space.scalar(*term).is_float() => self.datum(atom),
            Atom::Value(term) => self.machine(space, *term).and_then(Constant::as_integer),
        }
    }

    fn datum(&self, atom: AtomId) -> Option<i128> {
        self.data.get(&atom).map(|(value, _)| *value)
    }

    /// Evaluates a machine value other than a float.
    fn machine(&mut self, space: &Space, term: TermId) -> Option<Constant> {
        if let Some(known) = self.machine.get(&term) {
            return *known;
        }
        let found = self.computed(space, term);
        self.machine.insert(term, found);
        found
    }

    fn computed(&mut self, space: &Space, term: TermId) -> Option<Constant> {
        let is_exact = |operand: TermId| !space.scalar(operand).is_float();
        match space.term(term) {
            Term::Constant(constant) => Some(*constant),
            Term::Ring(scalar, poly) => Constant::wrapped(*scalar, self.integer(space, *poly)?),
            Term::Truth(formula) => self.truth(space, *formula).map(Constant::bool),
            Term::Select(condition, a, b) => {
                let chosen = if self.truth(space, *condition)? { a } else { b };
                self.machine(space, *chosen)
            }
            Term::Unary(op, a) if is_exact(*a) => eval::unary(*op, self.machine(space, *a)?).ok(),
            Term::Binary(op, a, b) if is_exact(*a) => {
                eval::binary(*op, self.machine(space, *a)?, self.machine(space, *b)?).ok()
            }
            Term::Cast(to, a) if is_exact(*a) => eval::cast(*to, self.machine(space, *a)?).ok(),
            Term::Call(call, a) if is_exact(*a) => {
                eval::intrinsic(*call, self.machine(space, *a)?).ok()
            }
            // Floats are data, as nothing is known of their bits.
            Term::Parameter(..)
            | Term::Read { .. }
            | Term::Apply { .. }
            | Term::Unary(..)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::FromInt(..)
            | Term::Call(..) => {
                let scalar = space.scalar(term);
                if scalar == Scalar::Bool {
                    return self.holds.get(&term).map(|(holds, _)| Constant::bool(*holds));
                }
                let atom = space.as_atom(space.integer_of(term))?;
                Constant::wrapped(scalar, self.datum(atom)?)
            }
        }
    }
}

/// The sign that a sum must have.
#[derive(Clone, Copy)]
enum Sign {
    NonNegative,
    Negative,
    Zero,
}

/// Lists the sums that decide whether a formula has a truth value, with their signs there.
fn signs(space: &Space, formula: FormulaId, holds: bool, found: &mut Vec<(PolyId, Sign)>) {
    match space.formula(formula) {
        Formula::NonNegative(sum) => {
            found.push((*sum, if holds { Sign::NonNegative } else { Sign::Negative }));
        }
        Formula::Zero(sum) if holds => found.push((*sum, Sign::Zero)),
        Formula::Zero(sum) => found.extend([(*sum, Sign::Negative), (*sum, Sign::NonNegative)]),
        Formula::Not(inner) => signs(space, *inner, !holds, found),
        Formula::And(parts) | Formula::Or(parts) => {
            parts.iter().for_each(|part| signs(space, *part, holds, found));
        }
        Formula::True | Formula::False | Formula::Holds(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::{AtomId, PolyId, Sample, Samples, Symbol};
    use crate::space::Space;
    use halidom_ir::{BinaryOp, Scalar};

    fn of<const N: usize>(space: &Space, values: [(Symbol, i128); N]) -> Sample {
        let values = values.map(|(symbol, value)| (space.symbol(symbol), value));
        Sample { atoms: of_integers(space, values), ..Sample::default() }
    }

    /// The values of integers that are atoms.
    fn of_integers<const N: usize>(
        space: &Space,
        values: [(PolyId, i128); N],
    ) -> Vec<(AtomId, i128)> {
        values.map(|(atom, value)| (space.as_atom(atom).unwrap(), value)).into()
    }

    #[test]
    fn admits_what_holds_at_a_sample_and_nothing_that_it_does_not_decide() {
        let space = Space::new();
        let [x, y] = ["x", "y"].map(|name| space.fresh(name));
        let [of_x, of_y] = [x, y].map(|symbol| space.symbol(symbol));
        let (two, seven) = (space.constant(2), space.constant(7));
        let product = space.mul(space.min(space.div(of_x, two), seven), of_x);
        let limit = space.constant(36);
        // min(x / 2, 7)·x = 36 at x = 9.
        let holds = space.equal(product, limit);
        let other = space.less(of_x, seven);
        let above = space.less(seven, of_y);
        let mut samples = Samples::default();
        assert!(!samples.admit(&space, &[], &[holds]));
        samples.keep(&space, of(&space, [(x, 9)]), &[]);
        assert!(samples.admit(&space, &[], &[holds]));
        assert!(!samples.admit(&space, &[], &[holds, other]));
        // It holds near the sample, at another `y`.
        assert!(samples.admit(&space, &[], &[holds, above]));
        samples.keep(&space, of(&space, [(x, 3), (y, 8)]), &[]);
        assert!(samples.admit(&space, &[], &[other, above]));
        assert!(!samples.admit(&space, &[], &[holds, other]));
    }

    #[test]
    fn sizes_are_made_smaller_until_their_products_are_within_limits() {
        let space = Space::new();
        let [width, height, end] = ["width", "height", "end"].map(|name| space.fresh(name));
        let [w, h, e] = [width, height, end].map(|symbol| space.symbol(symbol));
        let limit = space.constant(1 << 31);
        let most = space.at_most(space.mul(w, h), limit);
        let ends = space.equal(e, space.offset(h, 3));
        let both = [most, ends];
        let mut samples = Samples::default();
        let large = 1 << 30;
        let model = of(&space, [(width, large + 5), (height, large), (end, large + 3)]);
        let values = samples.keep(&space, model, &both);
        assert_eq!(values, [(width, 16), (height, 16 - 5), (end, 16 - 2)]);
        assert!(samples.admit(&space, &[], &both));
    }

    #[test]
    fn what_holds_near_a_sample_is_admitted_and_data_do_not_move_with_symbols() {
        let space = Space::new();
        let [x, y] = ["x", "y"].map(|name| space.fresh(name));
        let [of_x, of_y] = [x, y].map(|symbol| space.symbol(symbol));
        let (ten, seven) = (space.constant(10), space.constant(7));
        let facts = [space.at_most(of_x, ten), space.at_most(of_y, of_x)];
        let mut samples = Samples::default();
        samples.keep(&space, of(&space, [(x, 3), (y, 2)]), &facts);
        let beyond = space.less(ten, of_x);
        assert!(samples.admit(&space, &[], &[facts[0], facts[1], space.less(seven, of_x)]));
        assert!(!samples.admit(&space, &[], &[facts[0], facts[1], beyond]));
        // The integer that equals `x` modulo 2^32 is not 3 elsewhere.
        let wrapped = space.integer_of(space.ring(Scalar::U32, of_x));
        let equal = space.equal(wrapped, of_x);
        let mut model = of(&space, [(x, 3), (y, 2)]);
        model.atoms.extend(of_integers(&space, [(wrapped, 3)]));
        let mut samples = Samples::default();
        samples.keep(&space, model, &[facts[0], facts[1], equal]);
        assert!(samples.admit(&space, &[], &[equal]));
        assert!(!samples.admit(&space, &[], &[facts[0], space.not(equal)]));
    }

    #[test]
    fn operators_on_integers_have_the_values_that_their_operands_give() {
        let space = Space::new();
        let x = space.fresh("x");
        let of_x = space.symbol(x);
        let [own, one] = [of_x, space.constant(1)].map(|poly| space.ring(Scalar::U8, poly));
        let odd = space.binary_term(BinaryOp::Or, own, one).unwrap();
        let odd = space.integer_of(odd);
        // Without a lemma on bits, a model may say anything of them.
        let mut model = of(&space, [(x, 6)]);
        model.atoms.extend(of_integers(&space, [(odd, 1)]));
        let mut samples = Samples::default();
        samples.keep(&space, model, &[]);
        let even = space.equal(of_x, space.constant(6));
        assert!(!samples.admit(&space, &[], &[even, space.equal(odd, space.constant(1))]));
        assert!(samples.admit(&space, &[], &[even, space.equal(odd, space.constant(7))]));
    }
}
