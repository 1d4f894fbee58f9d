//! Tactics that lie: a test that wrong proposals prove nothing wrong.

use std::time::Duration;

use halidom_ir::{BinaryOp, FuncId, Pool, Stage, parse};

use super::Search;
use super::bounds::lies::bend;
use super::parts::{Choice, choices, value_symbols};
use crate::floats::proof::{Join, Law, Theory};
use crate::floats::{ADD, Axioms, Floats, MUL};
use crate::lemma::{Instance, Lemmas};
use crate::obligation::door::{
    Assignment, Desk, Earlier, Factored, Proof, Proposer, Region, Rewriting, Setting, Split, Step,
    Tactics, Target, Witness,
};
use crate::obligation::natural::{Bounded, Natural, Wanted};
use crate::obligation::proof::Aim;
use crate::obligation::record::Reason;
use crate::obligation::settings::Task;
use crate::program::{Dimension, LabelId, Model, Place as Spot};
use crate::space::{Atom, FormulaId, Part, PolyId, Space, Symbol, TermId, Value};
use crate::{Options, Verdict, validate_with};

mod cases;
mod lemmas;
mod liar;
mod rewritten;

use cases::{all_right, all_wrong, pairs};
use lemmas::LyingLemmas;
use liar::Liar;

/// The length of a small program's text.
const SMALL: usize = 1500;

/// The laws of floats.
const LAWS: [Law; 16] = [
    Law::Difference,
    Law::TwoSigns,
    Law::NegatedFactor,
    Law::NegatedDividend,
    Law::NegatedDivisor,
    Law::NegativeZero,
    Law::Twice,
    Law::Inverse,
    Law::Moved(BinaryOp::Min),
    Law::Moved(BinaryOp::Max),
    Law::Bounded,
    Law::AddZero,
    Law::MulZero,
    Law::NegateSum,
    Law::Distributive,
    Law::Quotient,
];

impl Liar {
    /// Changes the values of some symbols.
    fn assignment(&mut self, desk: &mut Desk<'_, '_>, at: &mut Assignment, wanted: &[PolyId]) {
        let outer: Vec<Symbol> = desk.model.loops.values().map(|found| found.symbol).collect();
        let choice = self.below(7);
        let zero = desk.space.constant(0);
        match (choice, self.one_of(&outer)) {
            (0, Some(symbol)) => at.push((symbol, zero)),
            (1, Some(symbol)) => {
                // The loops around keep no value of their own.
                let fresh = desk.space.fresh_poly("lie");
                at.insert(0, (symbol, fresh));
                at.extend(outer.iter().map(|symbol| (*symbol, fresh)));
            }
            (2, _) => drop(at.pop()),
            (3, _) => at.clear(),
            (6, Some(symbol)) => {
                // Symbols of other places and other questions.
                let known = desk.space.all_symbols();
                let other = self.one_of(&known).map_or(zero, |known| desk.space.symbol(known));
                at.push((symbol, other));
            }
            _ => {
                let value = self.one_of(wanted).unwrap_or(zero);
                let index = self.below(at.len());
                if let Some((_, own)) = at.get_mut(index) {
                    *own = if choice == 4 { value } else { desk.space.offset(*own, 1) };
                }
            }
        }
    }

    /// Makes a step up that would make the values equal, or a step of no use.
    fn step(&mut self, desk: &mut Desk<'_, '_>, (a, b): (Value, Value)) -> Step {
        let alike = desk.space.values_alike(a, b);
        match (self.below(5), a, b) {
            (0, Value::Number(a), Value::Number(b)) => Step::SameValue(a, b),
            (1, Value::Number(a), Value::Number(b)) => Step::SameFloat(a, b, self.joins(&[a, b])),
            (2, Value::Number(a), _) => Step::Unfold(a),
            (4, Value::Number(a), Value::Number(b)) => {
                let operands = [desk.space.operands(a), desk.space.operands(b)].concat();
                let joins = [self.joins(&operands), self.joins(&operands)];
                Step::SameDecision(a, b, joins)
            }
            (3, _, _) if let Some(symbol) = value_symbols(desk.space, a).first() => {
                Step::Named(*symbol, desk.space.constant(0))
            }
            (_, Value::Bool(a), Value::Bool(b)) => Step::SameTruth(a, b),
            (_, _, _) => Step::Known(alike.unwrap_or(desk.space.truth(false)), true),
        }
    }

    /// Makes steps up that would join floats, and first the first two.
    fn joins(&mut self, floats: &[TermId]) -> Vec<Join> {
        let mut found = Vec::new();
        for _ in 0..self.below(4) {
            let drawn = [(); 3].map(|()| self.one_of(floats));
            let [Some(x), Some(y), Some(z)] = drawn else { break };
            let law = LAWS[self.below(LAWS.len())];
            let op = [ADD, MUL, BinaryOp::Min, BinaryOp::Max][self.below(4)];
            found.push(match self.below(4) {
                0 => Join::Law(law, [x, y, z]),
                1 => Join::Applied(x, vec![y, z]),
                2 => Join::Regrouped(op, x, y),
                _ => Join::Number(x, y),
            });
        }
        if let [a, b, ..] = *floats {
            let op = [ADD, MUL, BinaryOp::Min][self.below(3)];
            found.push(match self.below(3) {
                0 => Join::Number(a, b),
                1 => Join::Applied(a, floats[2..].iter().rev().take(2).copied().collect()),
                _ => Join::Regrouped(op, a, b),
            });
        }
        found
    }

    /// Changes a proof about floats: a step goes, or becomes another one.
    fn bend_joins(&mut self, theory: &mut Theory, joins: &mut Vec<Join>) {
        let index = self.below(joins.len());
        let other = joins.get(self.below(joins.len())).cloned();
        match (self.below(5), joins.get_mut(index)) {
            (0, Some(_)) => drop(joins.remove(index)),
            (1, _) => *theory = Theory::Axioms(Axioms::NONE),
            (2, _) => *theory = Theory::Reals,
            (_, Some(Join::Law(law, floats))) => {
                *law = LAWS[self.below(LAWS.len())];
                floats.rotate_left(self.below(3));
            }
            (3, Some(Join::Applied(_, operands))) => drop(operands.pop()),
            (_, Some(Join::Applied(_, operands))) => operands.reverse(),
            (3, Some(Join::Regrouped(op, ..))) => *op = if *op == ADD { MUL } else { ADD },
            (_, Some(step)) => step.clone_from(&other.unwrap_or_else(|| step.clone())),
            (_, None) => {}
        }
    }

    fn equality(&mut self, desk: &mut Desk<'_, '_>, values: (Value, Value)) -> Proof {
        let space = &desk.space;
        let choices = choices(space, values.0).into_iter().chain(choices(space, values.1));
        let choices: Vec<_> = choices.collect();
        let floats = match values {
            (Value::Number(a), Value::Number(b)) => {
                let own = [space.operands(a), space.operands(b)].concat();
                let inner = own.iter().flat_map(|term| space.operands(*term)).collect();
                [vec![a, b], own, inner].concat()
            }
            _ => Vec::new(),
        };
        let last = match self.below(4) {
            0 => Proof::Floats(Theory::Reals, self.joins(&floats)),
            1 => Proof::Floats(Theory::Axioms(Axioms::all()), self.joins(&floats)),
            2 if let Some(term) = desk.space.terms_of(values.0).first() => Proof::Every(*term),
            _ => Proof::Asked("lie"),
        };
        match self.below(4) {
            0 => last,
            1 => Proof::After(vec![self.step(desk, values)], Box::new(last)),
            2 => {
                // One case is enough if there is no other.
                let case = desk.space.values_alike(values.0, values.1);
                let case = case.unwrap_or_else(|| desk.space.truth(false));
                Proof::Cases(vec![(case, last)])
            }
            _ => {
                let steps = choices.into_iter().map(|choice| match choice {
                    Choice::Least(atom) => Step::Least(atom, self.below(2)),
                    Choice::Condition(condition) => Step::Known(condition, self.below(2) == 0),
                });
                Proof::After(steps.collect(), Box::new(last))
            }
        }
    }

    /// Changes a proof somewhere.
    fn bend(&mut self, desk: &mut Desk<'_, '_>, proof: &mut Proof, aim: Aim) {
        match proof {
            Proof::After(steps, then) | Proof::Throughout(steps, then) => {
                let index = self.below(steps.len() + 1);
                match steps.get_mut(index) {
                    Some(Step::Least(_, operand)) => *operand = 1 - (*operand).min(1),
                    Some(Step::Known(_, holds)) => *holds = !*holds,
                    Some(Step::Named(_, value) | Step::Quotient(_, value)) => {
                        *value = desk.space.offset(*value, self.below(3) as i128 - 1);
                    }
                    Some(
                        step @ (Step::SameTruth(..)
                        | Step::SameValue(..)
                        | Step::SameFloat(..)
                        | Step::SameDecision(..)
                        | Step::Unfold(_)),
                    ) => match aim {
                        Aim::Equal(a, b) => *step = self.step(desk, (a, b)),
                        Aim::Holds(goal) => *step = Step::Known(goal, true),
                    },
                    None => self.bend(desk, then, aim),
                }
            }
            Proof::Cases(cases) => {
                let index = self.below(cases.len());
                match (self.below(3), cases.get_mut(index)) {
                    (0, _) => drop(cases.remove(index)),
                    (1, Some((holds, _))) => *holds = desk.space.truth(self.below(2) == 0),
                    (_, Some((_, case))) => self.bend(desk, case, aim),
                    (_, None) => {}
                }
            }
            Proof::Each(parts) => match (self.below(2), parts.last_mut()) {
                (0, _) => drop(parts.pop()),
                (_, Some(part)) => self.bend(desk, part, aim),
                (_, None) => {}
            },
            Proof::With(instances, then) => {
                // Bounds and the quotients that rest on them move together.
                let by = self.below(3) as i128 - 1;
                for instance in instances {
                    if let Instance::Scaled(_, bound) = instance {
                        *bound = desk.space.offset(*bound, by);
                    } else if let (Instance::Distance(a, b), 1) = (instance, by) {
                        std::mem::swap(a, b);
                    }
                }
                if let Proof::After(steps, _) = &mut **then {
                    for step in steps {
                        if let Step::Quotient(_, value) = step {
                            *value = desk.space.offset(*value, by);
                        }
                    }
                }
                if by == 0 {
                    self.bend(desk, then, aim);
                }
            }
            Proof::Stronger(goal, _) if self.below(2) == 0 => *goal = desk.space.truth(true),
            Proof::Stronger(_, then) => self.bend(desk, then, aim),
            Proof::Floats(theory, joins) if self.below(2) == 0 => {
                self.bend_joins(theory, joins);
            }
            Proof::Asked(_) | Proof::Floats(..) | Proof::Every(_) => {
                *proof = match aim {
                    Aim::Equal(a, b) => self.equality(desk, (a, b)),
                    Aim::Holds(goal) => self.proof(desk, goal),
                };
            }
        }
    }

    /// Makes up a proof of a formula.
    fn proof(&mut self, desk: &mut Desk<'_, '_>, goal: FormulaId) -> Proof {
        let asked = || Box::new(Proof::Asked("lie"));
        let always = desk.space.truth(true);
        let symbol = desk.space.symbols_of(goal).first().copied();
        match (self.below(10), symbol) {
            (0, _) => Proof::Cases(Vec::new()),
            (1, _) => Proof::Cases(vec![(goal, Proof::Asked("lie")); 1 + self.below(2)]),
            (2, _) => Proof::Each(Vec::new()),
            (3, _) => Proof::Stronger(always, asked()),
            (4, _) => Proof::After(vec![Step::Known(goal, true)], asked()),
            (7.., _) => {
                let space = desk.space;
                let quotients = space.all_parts(goal).into_iter().filter_map(|part| match part {
                    Part::Atom(atom) => matches!(space.atom(atom), Atom::Div(..)).then_some(atom),
                    Part::Poly(_) | Part::Formula(_) | Part::Term(_) => None,
                });
                let value = |atom| {
                    let value = match (space.atom(atom), self.below(3)) {
                        (Atom::Div(dividend, _), 2) => *dividend,
                        (_, number) => space.constant(number as i128),
                    };
                    Step::Quotient(atom, value)
                };
                Proof::After(quotients.map(value).collect(), asked())
            }
            (5, Some(symbol)) => {
                let number = desk.space.constant(self.below(3) as i128);
                Proof::Throughout(vec![Step::Named(symbol, number)], asked())
            }
            (_, _) => Proof::Throughout(vec![Step::Known(goal, true)], asked()),
        }
    }

    /// Changes a proof of a formula, or makes one up.
    fn shown(
        &mut self,
        desk: &mut Desk<'_, '_>,
        mut found: Option<Proof>,
        goal: FormulaId,
    ) -> Option<Proof> {
        if self.lies() {
            match &mut found {
                Some(proof) if self.below(2) == 0 => self.bend(desk, proof, Aim::Holds(goal)),
                Some(_) | None => found = Some(self.proof(desk, goal)),
            }
        }
        found
    }
}

/// Proposes intervals that are too narrow, with proofs that are bent to show them.
struct LyingIntervals {
    right: Box<dyn Proposer>,
    liar: Liar,
}

impl Proposer for LyingIntervals {
    fn bounded(&mut self, desk: &mut Desk<'_, '_>, wanted: Wanted, place: &Spot) -> Bounded {
        let mut found = self.right.bounded(desk, wanted, place);
        if !self.liar.lies() {
            return found;
        }
        // The ends that would close the obligation, or the next ones, and steps towards them.
        let (low, high) = wanted.enough;
        let space = desk.space;
        (found.low, found.high) = match (self.liar.below(3), found.low, found.high) {
            (0, Some(low), Some(high)) => (Some(low + 1), Some(high - 1)),
            (1, Some(_), Some(_)) => (Some(0), Some(0)),
            _ => (Some(low.max(-high)), Some(high)),
        };
        for (end, sign) in [(found.low, -1), (found.high, 1)] {
            let end = space.constant(end.unwrap_or(0));
            let goal = space.combine(&[(end, sign), (wanted.poly, -sign)]);
            let mut below = |limit: usize| self.liar.below(limit);
            for _ in 0..4 {
                bend(space, &mut found.steps, goal, &mut below);
            }
            let last = match self.liar.below(4) {
                0 => Natural::Fact(goal),
                1 => Natural::Asked(vec![goal], place.facts.clone(), Vec::new()),
                2 => Natural::Sum(goal, 1, vec![(1, vec![goal])]),
                _ => Natural::Split(goal, space.truth(true), Box::default()),
            };
            found.steps.push(last);
        }
        found
    }
}

impl Tactics for Liar {
    fn intervals(&self, setting: Setting) -> Box<dyn Proposer> {
        let liar = Self::new(self.random);
        Box::new(LyingIntervals { right: self.right.intervals(setting), liar })
    }

    fn lemmas(&self) -> Box<dyn Lemmas> {
        Box::new(LyingLemmas { right: self.right.lemmas(), liar: Self::new(self.random) })
    }

    fn rewritings(
        &mut self,
        pool: &Pool,
        from: (FuncId, &Stage),
        to: (FuncId, &Stage),
    ) -> Vec<Rewriting> {
        let mut found = self.right.rewritings(pool, from, to);
        for way in &mut found {
            if !self.lies() {
                continue;
            }
            match (self.below(6), &mut way.factored) {
                (0, _) => drop(way.splits.pop()),
                (1, _) => way.splits.push(Split { position: 0, size: self.below(9) as i128 - 1 }),
                (2, Some(factored)) => factored.kept.reverse(),
                (3, Some(factored)) => {
                    let index = self.below(factored.kept.len());
                    factored.kept[index] = self.below(from.1.domain.len() + 1);
                }
                (4, Some(factored)) => {
                    let index = self.below(factored.dims.len());
                    factored.dims[index] = self.below(factored.dims.len() + 1);
                }
                (5, Some(factored)) => factored.part = to.0,
                (_, factored) => {
                    let kept = (0..self.below(from.1.domain.len() + 1)).collect::<Vec<_>>();
                    *factored = Some(Factored { part: to.0, dims: kept.clone(), kept });
                }
            }
            for split in &mut way.splits {
                match self.below(4) {
                    0 => split.size += self.below(3) as i128 - 1,
                    1 => split.position = self.below(from.1.domain.len() + 1),
                    _ => {}
                }
            }
        }
        found
    }

    fn regions(&mut self, space: &Space, model: &Model) -> Vec<Vec<Region>> {
        let mut proposed = self.right.regions(space, model);
        let inner: Vec<Symbol> = model.loops.values().map(|found| found.symbol).collect();
        for regions in &mut proposed {
            if !self.lies() {
                continue;
            }
            let choice = self.below(5);
            let inner = self.one_of(&inner);
            for (min, extent) in regions.iter_mut().flatten() {
                match (choice, inner) {
                    (0, _) => *extent = space.offset(*extent, -1),
                    (1, _) => *extent = space.constant(0),
                    (2, Some(symbol)) => *min = space.symbol(symbol),
                    (3, Some(symbol)) => {
                        // One element, at the place of an access.
                        (*min, *extent) = (space.symbol(symbol), space.constant(1));
                    }
                    _ => *min = space.fresh_poly("lie"),
                }
            }
            if choice == 4 {
                regions.pop();
            }
        }
        proposed
    }

    fn names(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        in_values: bool,
    ) -> Vec<(Symbol, PolyId)> {
        let mut found = self.right.names(desk, facts, in_values);
        if self.lies() {
            let by = self.below(3) as i128 - 1;
            for (_, value) in &mut found {
                *value = desk.space.offset(*value, by);
            }
            // Loops have the value of another one, or of none.
            let loops: Vec<Symbol> = desk.model.loops.values().map(|found| found.symbol).collect();
            let mut value = desk.space.constant(by);
            for symbol in loops {
                found.push((symbol, value));
                value = desk.space.symbol(symbol);
            }
            let first = self.below(found.len());
            found.rotate_left(first);
        }
        found
    }

    fn nesting(&mut self, space: &Space, dims: &[Dimension]) -> Vec<usize> {
        let mut order = self.right.nesting(space, dims);
        if self.lies() {
            // Another order; a dimension less, or one twice, or one that does not exist.
            let (choice, dim) = (self.below(5), self.below(dims.len() + 1));
            match (choice, order.first_mut()) {
                (0, _) => order.reverse(),
                (1, _) => order.clear(),
                (2, _) => drop(order.pop()),
                (3, _) => order.push(dim),
                (_, Some(first)) => *first = dim,
                (_, None) => {}
            }
        }
        order
    }

    fn witnesses(
        &mut self,
        desk: &mut Desk<'_, '_>,
        target: &Target<'_>,
        round: usize,
    ) -> Option<Vec<Witness>> {
        let mut found = self.right.witnesses(desk, target, round)?;
        for witness in &mut found {
            if self.lies() {
                self.assignment(desk, &mut witness.at, target.values);
                witness.writer = self.below(target.writers.len() + 1);
            }
        }
        Some(found)
    }

    fn origins(
        &mut self,
        desk: &mut Desk<'_, '_>,
        stage: (FuncId, usize),
        coords: &[PolyId],
        there: Option<&[PolyId]>,
    ) -> Vec<Vec<PolyId>> {
        let mut found = self.right.origins(desk, stage, coords, there);
        if self.lies() {
            let by = self.below(3) as i128 - 1;
            for value in found.iter_mut().flatten() {
                *value = desk.space.offset(*value, by);
            }
            // A point with a coordinate too few, and the point that reads.
            found.extend(found.first().map(|point| point.iter().skip(1).copied().collect()));
            found.extend(there.map(<[PolyId]>::to_vec));
        }
        found
    }

    fn covered(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        ways: &[FormulaId],
        target: &[PolyId],
    ) -> Option<Proof> {
        let found = self.right.covered(desk, facts, ways, target);
        let written = desk.space.or(ways);
        self.shown(desk, found, written)
    }

    fn earlier(&mut self, desk: &mut Desk<'_, '_>, label: LabelId) -> Vec<Earlier> {
        let mut found = self.right.earlier(desk, label);
        if self.lies() {
            let labels: Vec<LabelId> = desk.model.labels.iter().map(|(id, _)| id).collect();
            // The instance itself, an instance of another label, and an earlier one outside of the
            // lifetime.
            found.push(Earlier { from: label, at: Vec::new() });
            found.extend(labels.into_iter().map(|from| Earlier { from, at: Vec::new() }));
            for earlier in &mut found {
                self.assignment(desk, &mut earlier.at, &[]);
            }
        }
        found
    }

    fn equality(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        values: (Value, Value),
        weakest: Floats,
    ) -> Option<Proof> {
        let found = self.right.equality(desk, facts, values, weakest);
        if !self.lies() {
            return found;
        }
        Some(match found {
            Some(mut proof) => {
                self.bend(desk, &mut proof, Aim::Equal(values.0, values.1));
                proof
            }
            None => self.equality(desk, values),
        })
    }

    fn unchanged(
        &mut self,
        desk: &mut Desk<'_, '_>,
        values: (Value, Value),
    ) -> Option<(FormulaId, Proof)> {
        let mut found = self.right.unchanged(desk, values);
        if self.lies() {
            // A proof of another condition, or a proof that shows nothing.
            let always = desk.space.truth(true);
            match &mut found {
                Some((same, _)) if self.below(3) > 0 => *same = always,
                Some((_, proof)) => self.bend(desk, proof, Aim::Equal(values.0, values.1)),
                None => found = Some((always, self.equality(desk, values))),
            }
        }
        found
    }

    fn missing_law(&self, space: &Space, values: (Value, Value)) -> Option<String> {
        self.right.missing_law(space, values)
    }

    fn sizes(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        roomy: &[PolyId],
    ) -> Result<Vec<Vec<(Symbol, i128)>>, Reason> {
        let mut found = self.right.sizes(desk, facts, roomy);
        if self.lies() {
            let by = i128::from(self.below(3) == 0) * 1000 - 1;
            let values = found.iter_mut().flatten().flatten();
            values.for_each(|(_, value)| *value += by);
        }
        found
    }

    fn divided(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        goal: FormulaId,
    ) -> Option<Proof> {
        let found = self.right.divided(desk, facts, goal);
        self.shown(desk, found, goal)
    }
}

/// Validates a program. Returns the verdict and the number of lies.
fn judge(text: &str, floats: Floats, seed: Option<u64>) -> (Verdict, usize) {
    let mut module = parse::module(text).expect("the text is well formed");
    let program = module.program.expect("the text has a program");
    let solver = halidom_smt::Program::find(halidom_smt::Family::Z3, None);
    let mut options = Options::new(solver.expect("a solver is installed"));
    options.search.trials = 0;
    options.strictness = Duration::ZERO;
    options.floats = Some(floats);
    let task = Task { algorithm: &module.algorithm, steps: &[], program: &program };
    let Some(seed) = seed else {
        let report = validate_with(&mut module.pool, task, &options, &mut Search::default());
        return (report.verdict, 0);
    };
    let mut liar = Liar::new(seed);
    let report = validate_with(&mut module.pool, task, &options, &mut liar);
    (report.verdict, liar.lies)
}

#[test]
fn wrong_proposals_prove_nothing_wrong() {
    let is_sweep = std::env::var_os("HALIDOM_SWEEP").is_some();
    let mut mutants = 0;
    for (name, floats, text) in all_wrong() {
        // The small ones take little time.
        let seeds = if text.len() < SMALL { 30 } else { 8 };
        let seeds = if is_sweep { seeds } else { seeds / 3 };
        for seed in 1..=seeds {
            let (verdict, lies) = judge(&text, floats_of(floats), Some(seed));
            assert!(matches!(verdict, Verdict::Unknown(_)), "{name}, seed {seed}: {verdict:?}");
            mutants += usize::from(lies > 0);
        }
    }
    assert!(mutants >= 100, "{mutants}");
}

/// Only the check of a value of a quotient refuses this program, and few lies get that far.
#[test]
fn no_wrong_quotient_covers_what_is_not_written() {
    let text = pairs("m / 2 * 2");
    for seed in 1..=64 {
        let (verdict, _) = judge(&text, Floats::Bits, Some(seed));
        assert!(matches!(verdict, Verdict::Unknown(_)), "seed {seed}: {verdict:?}");
    }
}

/// The proposals decide: without them, right programs are not proved.
#[test]
fn right_programs_need_right_proposals() {
    let mut unknown = 0;
    for (name, floats, text) in all_right() {
        let (verdict, _) = judge(&text, floats_of(floats), None);
        assert_eq!(verdict, Verdict::Proved, "{name}");
        for seed in 1..=4 {
            let (verdict, _) = judge(&text, floats_of(floats), Some(seed));
            unknown += usize::from(verdict != Verdict::Proved);
        }
    }
    assert!(unknown >= 10, "{unknown}");
}

fn floats_of(name: &str) -> Floats {
    match name {
        "bits" => Floats::Bits,
        "axioms" => Floats::Axioms,
        _ => Floats::Reals,
    }
}
