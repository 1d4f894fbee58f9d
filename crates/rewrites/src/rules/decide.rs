//! Decides the claim of a rule at given types.
//!
//! Random values come first, then equality of polynomials in every case, then the solver. A model
//! from the solver counts only if evaluation confirms it.

use std::time::Duration;

use halidom_base::FxHashMap;
use halidom_smt::{Answer, Options, Program, Reason, Solver, Terms, Value};

use super::encode::Encoder;
use super::meaning::{Obligation, between};
use super::polynomial::{Normalizer, equal_in_every_case};
use super::search::{Outcome, replay, search};
use super::signs::Signs;
use super::value::{Domain, Fun, Node, Number, ValueId, Values};

/// The decision about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The claim holds.
    Proved,
    /// The claim fails on these values of the variables.
    Wrong(Vec<Number>),
    /// It is not known whether the claim holds; the reason.
    Unknown(String),
    /// No values fulfil the claim's assumptions.
    Vacuous,
}

/// The number of random tries for a claim.
const TRIES: u32 = 400;

/// The solver's steps in a millisecond on a current machine.
const STEPS: u64 = 1000;

/// The factor by which a query may exceed its limit, for a machine that is slow or busy.
const PATIENCE: u32 = 10;

/// The limits of a query to the solver.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The milliseconds for a query.
    pub milliseconds: u64,
}

impl Limits {
    fn apply(self, solver: &mut Solver) {
        // The step limit decides; the time limit is for work that the solver does not count as
        // steps.
        let soft = Duration::from_millis(self.milliseconds) * PATIENCE;
        solver.set_timeouts(soft, soft * 2 + Duration::from_secs(2));
    }

    /// Returns options for a solver that gives up queries within the limits, after the same number
    /// of steps on every machine.
    pub fn options(self, program: Program) -> Options {
        let steps = Some(self.milliseconds * STEPS);
        Options { steps, cache: None, ..Options::new(program) }
    }
}

/// Decides a claim.
pub fn decide(obligation: &Obligation, solver: &mut Solver, limits: Limits) -> Decision {
    match decide_anyway(obligation, solver, limits) {
        (Decision::Proved, false) => proved_of_some(obligation, solver),
        (decision, _) => decision,
    }
}

/// Decides a claim that is worth as much if its conditions contradict each other. Then it is
/// `Proved` or `Vacuous`.
pub fn decide_or_vacuous(obligation: &Obligation, solver: &mut Solver, limits: Limits) -> Decision {
    decide_anyway(obligation, solver, limits).0
}

/// Decides a claim whose conditions may contradict each other, and tells whether it is known that a
/// shown claim says something.
fn decide_anyway(obligation: &Obligation, solver: &mut Solver, limits: Limits) -> (Decision, bool) {
    let never = |term: &ValueId| obligation.values.as_number(*term) == Some(0);
    if obligation.facts.iter().any(never) {
        return (Decision::Vacuous, true);
    }
    if obligation.lhs_defined.iter().any(never) {
        return (Decision::Proved, true);
    }
    let found = search(obligation, TRIES);
    if let Some(failure) = found.failure {
        return (wrong(obligation, failure), true);
    }
    limits.apply(solver);
    let mut goals = vec![];
    let mut obligation = obligation.clone();
    let truth = obligation.values.bool(true);
    for defined in &obligation.rhs_defined {
        if !obligation.lhs_defined.contains(defined) {
            goals.push((*defined, truth));
        }
    }
    goals.push((obligation.lhs, obligation.rhs));
    for case in cases(&obligation, &goals) {
        match case_holds(&obligation, &case, solver, limits) {
            Decision::Proved | Decision::Vacuous => {}
            other => return (other, true),
        }
    }
    (Decision::Proved, found.is_witnessed)
}

/// Returns a failure as wrong, unless it relies on a name that stands for two values that may be
/// the same: a wildcard in two lanes, or a count of lanes in two types.
fn wrong(obligation: &Obligation, failure: Vec<Number>) -> Decision {
    let vars = || obligation.values.vars().iter();
    let names: Vec<&str> = vars().filter_map(|(name, _)| name.split('@').next()).collect();
    let is_ambiguous = names.iter().enumerate().any(|(index, name)| names[..index].contains(name));
    let lanes = vars().filter(|(name, _)| name.starts_with("lane["));
    if is_ambiguous || lanes.count() > 1 {
        Decision::Unknown("a wildcard stands in lanes that were not told apart".to_owned())
    } else {
        Decision::Wrong(failure)
    }
}

/// A case of the claim, in which each divisor is known to be 0 or known not to be.
struct Case {
    values: Values,
    goals: Vec<(ValueId, ValueId)>,
    facts: Vec<ValueId>,
    not_zero: Vec<ValueId>,
}

/// The most divisors for which cases are distinguished.
const MAX_DIVISORS: usize = 3;

/// The most divisors of each case whose signs are distinguished.
const MAX_SIGNS: usize = 2;

/// The most disjunctions of each case that are taken apart.
const MAX_CHOICES: usize = 2;

/// Splits a claim into cases: each variable that divides integers is 0 or not. Then the equations
/// among the facts are used to replace terms.
fn cases(obligation: &Obligation, goals: &[(ValueId, ValueId)]) -> Vec<Case> {
    let mut facts = Vec::new();
    for fact in obligation.facts.iter().chain(&obligation.lhs_defined) {
        conjuncts(&obligation.values, *fact, &mut facts);
    }
    let mut divisors = Vec::new();
    let terms = goals.iter().flat_map(|(lhs, rhs)| [lhs, rhs]).chain(&facts);
    for term in terms {
        obligation.values.visit(*term, &mut |part| {
            if let Node::Apply(Fun::Div | Fun::Mod, operands) = obligation.values.node(part)
                && obligation.values.domain(part) == Domain::Whole
                && matches!(obligation.values.node(operands[1]), Node::Var(_))
                && !divisors.contains(&operands[1])
            {
                divisors.push(operands[1]);
            }
        });
    }
    divisors.truncate(MAX_DIVISORS);
    let first = Case {
        values: obligation.values.clone(),
        goals: goals.to_vec(),
        facts,
        not_zero: Vec::new(),
    };
    let mut cases = vec![first];
    for divisor in divisors {
        cases = cases.into_iter().flat_map(|case| case.divide(divisor)).collect();
    }
    for _ in 0..MAX_CHOICES {
        cases = cases.into_iter().flat_map(Case::choose).collect();
    }
    for _ in 0..MAX_SIGNS {
        cases = cases.into_iter().flat_map(Case::split).collect();
    }
    for case in &mut cases {
        case.settle();
        case.solve();
    }
    cases
}

fn conjuncts(values: &Values, fact: ValueId, found: &mut Vec<ValueId>) {
    match values.node(fact) {
        Node::Apply(Fun::And, parts) => {
            for part in parts {
                conjuncts(values, *part, found);
            }
        }
        Node::Apply(..) | Node::Var(_) | Node::Number(_) => found.push(fact),
    }
}

impl Case {
    fn replace(&mut self, var: ValueId, by: ValueId) {
        let values = &mut self.values;
        for (lhs, rhs) in &mut self.goals {
            *lhs = values.replace(*lhs, var, by);
            *rhs = values.replace(*rhs, var, by);
        }
        for fact in &mut self.facts {
            *fact = values.replace(*fact, var, by);
        }
    }

    fn divide(self, divisor: ValueId) -> [Self; 2] {
        let domain = self.values.domain(divisor);
        let mut at_zero = Self {
            values: self.values.clone(),
            goals: self.goals.clone(),
            facts: self.facts.clone(),
            not_zero: self.not_zero.clone(),
        };
        let zero = at_zero.values.number(0, domain);
        at_zero.replace(divisor, zero);
        let mut elsewhere = self;
        let zero = elsewhere.values.number(0, domain);
        let is_zero = elsewhere.values.apply(Fun::Eq, &[divisor, zero]);
        let fact = elsewhere.values.apply(Fun::Not, &[is_zero]);
        let never = elsewhere.values.bool(false);
        elsewhere.replace(is_zero, never);
        let facts = std::mem::take(&mut elsewhere.facts);
        for old in facts {
            conjuncts(&elsewhere.values, old, &mut elsewhere.facts);
        }
        elsewhere.facts.push(fact);
        elsewhere.not_zero.push(divisor);
        [at_zero, elsewhere]
    }

    /// Takes apart a fact that is a disjunction with an equation of integers, which may be solved.
    fn choose(mut self) -> Vec<Self> {
        let is_equation = |term: &ValueId| match self.values.node(*term) {
            Node::Apply(Fun::Eq, sides) => self.values.domain(sides[0]) == Domain::Whole,
            _ => false,
        };
        let choice = |fact: &ValueId| match self.values.node(*fact) {
            Node::Apply(Fun::Or, parts) => parts.iter().any(is_equation),
            _ => false,
        };
        let Some(index) = self.facts.iter().position(choice) else { return vec![self] };
        let fact = self.facts.remove(index);
        let Node::Apply(_, parts) = self.values.node(fact).clone() else { return vec![self] };
        let with = |part: &ValueId| {
            let mut facts = self.facts.clone();
            conjuncts(&self.values, *part, &mut facts);
            Self {
                values: self.values.clone(),
                goals: self.goals.clone(),
                facts,
                not_zero: self.not_zero.clone(),
            }
        };
        parts.iter().map(with).collect()
    }

    /// Distinguishes the signs of a factor of a divisor, if a quotient is rounded by them.
    fn split(self) -> Vec<Self> {
        let signs = Signs::of(&self.values, &self.facts, &self.not_zero);
        let mut sides = self.goals.iter().flat_map(|(lhs, rhs)| [*lhs, *rhs]);
        let Some(factor) = sides.find_map(|side| signs.open_divisor(&self.values, side)) else {
            return vec![self];
        };
        let mut below = Self {
            values: self.values.clone(),
            goals: self.goals.clone(),
            facts: self.facts.clone(),
            not_zero: self.not_zero.clone(),
        };
        let mut above = self;
        let zero = below.values.number(0, Domain::Whole);
        let is_below = below.values.apply(Fun::Lt, &[factor, zero]);
        below.facts.push(is_below);
        let zero = above.values.number(0, Domain::Whole);
        let is_below = above.values.apply(Fun::Lt, &[factor, zero]);
        let is_above = above.values.apply(Fun::Not, &[is_below]);
        above.facts.push(is_above);
        vec![below, above]
    }

    /// Replaces comparisons with 0 that follow from the signs that facts state.
    fn settle(&mut self) {
        let signs = Signs::of(&self.values, &self.facts, &self.not_zero);
        let sides = self.goals.iter().flat_map(|(lhs, rhs)| [*lhs, *rhs]);
        let terms: Vec<ValueId> = sides.chain(self.facts.iter().copied()).collect();
        let mut known: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        for term in terms {
            for (part, truth) in signs.decided(&self.values, term) {
                known.insert(part, self.values.bool(truth));
            }
        }
        if known.is_empty() {
            return;
        }
        for (lhs, rhs) in &mut self.goals {
            *lhs = self.values.replace_all(*lhs, &known);
            *rhs = self.values.replace_all(*rhs, &known);
        }
        for fact in &mut self.facts {
            if !signs.is_source(*fact) {
                *fact = self.values.replace_all(*fact, &known);
            }
        }
    }

    /// Replaces terms that are known to be divisible by multiples, and solves equations for a
    /// variable. Then writes literals that are divided by a variable other than 0 as a multiple
    /// plus a remainder.
    fn solve(&mut self) {
        self.solve_facts();
        while let Some((a, b)) = self.next_division() {
            let whole = Domain::Whole;
            let quotient = self.values.var(&format!("quotient of {a:?}"), whole);
            let remainder = self.values.var(&format!("remainder of {a:?}"), whole);
            let zero = self.values.number(0, whole);
            let magnitude = {
                let is_negative = self.values.apply(Fun::Lt, &[b, zero]);
                let negated = self.values.apply(Fun::Sub, &[zero, b]);
                self.values.apply(Fun::Ite, &[is_negative, negated, b])
            };
            let product = self.values.apply(Fun::Mul, &[quotient, b]);
            let sum = self.values.apply(Fun::Add, &[product, remainder]);
            for (fun, value) in [(Fun::Mod, remainder), (Fun::Div, quotient)] {
                let division = self.values.apply(fun, &[a, b]);
                self.replace(division, value);
            }
            self.replace(a, sum);
            self.not_zero.retain(|term| *term != a);
            let below = self.values.apply(Fun::Lt, &[remainder, zero]);
            let at_least = self.values.apply(Fun::Not, &[below]);
            let at_most = self.values.apply(Fun::Lt, &[remainder, magnitude]);
            self.facts.extend([at_least, at_most]);
        }
    }

    /// Looks for a literal that is divided by a variable other than 0.
    fn next_division(&self) -> Option<(ValueId, ValueId)> {
        let mut found = None;
        for term in self.goals.iter().flat_map(|(lhs, rhs)| [lhs, rhs]) {
            self.values.visit(*term, &mut |part| {
                if let Node::Apply(Fun::Mod, operands) = self.values.node(part)
                    && let [a, b] = operands.as_slice()
                    && let Node::Var(index) = self.values.node(*a)
                    && self.values.vars()[*index as usize].0.starts_with('c')
                    && a != b
                    && self.not_zero.contains(b)
                {
                    found = Some((*a, *b));
                }
            });
        }
        found
    }

    fn solve_facts(&mut self) {
        // Divisible terms become multiples first, so that their remainders by the factors are seen
        // too.
        let mut next = 0;
        while next < self.facts.len() {
            if let Node::Apply(Fun::Eq, sides) = self.values.node(self.facts[next]).clone() {
                self.solve_divisible(sides[0], sides[1]);
            }
            next += 1;
        }
        let mut next = 0;
        while next < self.facts.len() {
            let fact = self.facts[next];
            next += 1;
            let Node::Apply(Fun::Eq, sides) = self.values.node(fact).clone() else { continue };
            let [lhs, rhs] = sides.as_slice() else { continue };
            if self.values.domain(*lhs) == Domain::Bool {
                continue;
            }
            if self.solve_divisible(*lhs, *rhs) || self.solve_remainder(*lhs, *rhs) {
                continue;
            }
            for (side, other) in [(*lhs, *rhs), (*rhs, *lhs)] {
                if let Some((var, by)) = self.isolate(side, other) {
                    self.replace(var, by);
                    break;
                }
            }
        }
    }

    /// Uses `a % b == 0` with `b` other than 0: `a` is a multiple.
    fn solve_divisible(&mut self, lhs: ValueId, rhs: ValueId) -> bool {
        let Node::Apply(Fun::Mod, operands) = self.values.node(lhs).clone() else { return false };
        let (a, b) = (operands[0], operands[1]);
        let domain = self.values.domain(a);
        let zero = self.values.number(0, domain);
        let is_zero = self.values.apply(Fun::Eq, &[b, zero]);
        let is_not_zero = self.values.apply(Fun::Not, &[is_zero]);
        let is_literal = matches!(self.values.as_number(b), Some(value) if value != 0);
        let is_known =
            is_literal || self.not_zero.contains(&b) || self.facts.contains(&is_not_zero);
        let is_var = matches!(self.values.node(a), Node::Var(_));
        if self.values.as_number(rhs) != Some(0)
            || !is_known
            || !is_var
            || a == b
            || !(domain == Domain::Whole || domain.wraps())
        {
            return false;
        }
        let factor = self.values.var(&format!("factor of {a:?}"), domain);
        let multiple = self.values.apply(Fun::Mul, &[factor, b]);
        if domain.wraps() {
            // The quotient is the factor even if both wrap: the least number is -1 times itself.
            let quotient = self.values.apply(Fun::Div, &[a, b]);
            self.replace(quotient, factor);
        }
        if self.not_zero.contains(&a) {
            self.not_zero.push(factor);
            let zero = self.values.number(0, Domain::Whole);
            let is_zero = self.values.apply(Fun::Eq, &[factor, zero]);
            let fact = self.values.apply(Fun::Not, &[is_zero]);
            self.facts.push(fact);
        }
        self.replace(a, multiple);
        true
    }

    /// Uses `a % b == r` with `b` other than 0: `a` is a multiple of `b` plus `r`, and `r` lies
    /// below `b`.
    fn solve_remainder(&mut self, lhs: ValueId, rhs: ValueId) -> bool {
        let Node::Apply(Fun::Mod, operands) = self.values.node(lhs).clone() else { return false };
        let (a, b) = (operands[0], operands[1]);
        if self.values.domain(a) != Domain::Whole || !self.is_not_zero(b) {
            return false;
        }
        let factor = self.values.var(&format!("factor of {a:?}"), Domain::Whole);
        let product = self.values.apply(Fun::Mul, &[factor, b]);
        let sum = self.values.apply(Fun::Add, &[product, rhs]);
        let Some((var, by)) = self.isolate(a, sum) else { return false };
        if self.values.mentions(by, var) {
            return false;
        }
        let zero = self.values.number(0, Domain::Whole);
        let below = self.values.apply(Fun::Lt, &[rhs, zero]);
        let at_least = self.values.apply(Fun::Not, &[below]);
        let is_negative = self.values.apply(Fun::Lt, &[b, zero]);
        let negated = self.values.apply(Fun::Sub, &[zero, b]);
        let magnitude = self.values.apply(Fun::Ite, &[is_negative, negated, b]);
        let at_most = self.values.apply(Fun::Lt, &[rhs, magnitude]);
        self.facts.extend([at_least, at_most]);
        self.replace(var, by);
        true
    }

    /// True if a term is known to be other than 0.
    fn is_not_zero(&mut self, term: ValueId) -> bool {
        if let Some(value) = self.values.as_number(term) {
            return value != 0;
        }
        if self.not_zero.contains(&term) {
            return true;
        }
        if let Node::Apply(Fun::Mul, parts) = self.values.node(term).clone() {
            return parts.into_iter().all(|part| self.is_not_zero(part));
        }
        let zero = self.values.number(0, self.values.domain(term));
        let is_zero = self.values.apply(Fun::Eq, &[term, zero]);
        let is_not_zero = self.values.apply(Fun::Not, &[is_zero]);
        self.facts.contains(&is_not_zero)
    }

    /// True if a term is a variable other than 0 or its negation, so that it is not 0 either.
    fn is_opposite(&self, term: ValueId) -> bool {
        let is_zero = |term: ValueId| self.values.as_number(term) == Some(0);
        match self.values.node(term) {
            Node::Var(_) => self.not_zero.contains(&term),
            Node::Apply(Fun::Add | Fun::Sub, parts) if is_zero(parts[0]) => {
                self.is_opposite(parts[1])
            }
            Node::Apply(Fun::Add | Fun::Sub, parts) if is_zero(parts[1]) => {
                self.is_opposite(parts[0])
            }
            Node::Number(_) | Node::Apply(..) => false,
        }
    }

    /// Looks for a variable in a sum, and solves the equation of the sum and `other` for it.
    fn isolate(&mut self, side: ValueId, other: ValueId) -> Option<(ValueId, ValueId)> {
        match self.values.node(side).clone() {
            Node::Var(_) => {
                let is_free = !self.not_zero.contains(&side) || self.is_opposite(other);
                (is_free && !self.values.mentions(other, side)).then_some((side, other))
            }
            Node::Number(_) => None,
            Node::Apply(fun, operands) => {
                let [a, b] = *operands.as_slice() else { return None };
                let (from_a, from_b) = match fun {
                    Fun::Add => ((Fun::Sub, other, b), (Fun::Sub, other, a)),
                    Fun::Sub => ((Fun::Add, other, b), (Fun::Sub, a, other)),
                    _ => return None,
                };
                for (part, rest, (fun, lhs, rhs)) in [(a, b, from_a), (b, a, from_b)] {
                    if matches!(self.values.node(part), Node::Var(_))
                        && self.values.mentions(rest, part)
                    {
                        continue;
                    }
                    let value = self.values.apply(fun, &[lhs, rhs]);
                    if let Some(found) = self.isolate(part, value) {
                        return Some(found);
                    }
                }
                None
            }
        }
    }
}

fn case_holds(
    obligation: &Obligation,
    case: &Case,
    solver: &mut Solver,
    limits: Limits,
) -> Decision {
    let never = |term: &ValueId| case.values.as_number(*term) == Some(0);
    if case.facts.iter().any(never) {
        return Decision::Vacuous;
    }
    let mut normalizer = Normalizer::new(&case.values);
    normalizer.not_zero.clone_from(&case.not_zero);
    for (lhs, rhs) in &case.goals {
        if lhs == rhs || equal_in_every_case(&normalizer, *lhs, *rhs) {
            continue;
        }
        let decision = ask(obligation, case, &normalizer, (*lhs, *rhs), solver, limits);
        if decision != Decision::Proved {
            return decision;
        }
    }
    Decision::Proved
}

fn ask(
    obligation: &Obligation,
    case: &Case,
    normalizer: &Normalizer<'_>,
    goal: (ValueId, ValueId),
    solver: &mut Solver,
    limits: Limits,
) -> Decision {
    let has_whole = obligation.values.vars().iter().any(|(_, domain)| *domain == Domain::Whole);
    if has_whole {
        let mut linear = normalizer.clone();
        linear.orders = None;
        let mut encoder = Encoder::new(&case.values, Some(linear));
        if let Ok(Answer::Unsat) = query(&mut encoder, &case.facts, goal, solver) {
            return Decision::Proved;
        }
    }
    // The first query is about the claim as it stands, so that a model assigns its variables; the
    // second adds what 32 bits imply.
    let mut reason = String::new();
    for is_bounded in [false, true] {
        if is_bounded && (obligation.is_wide || obligation.narrow_facts.is_empty() && !has_whole) {
            break;
        }
        let mut whole = obligation.clone();
        let mut facts = [whole.facts.clone(), whole.lhs_defined.clone()].concat();
        if is_bounded {
            facts.extend(whole.narrow_facts.clone());
            facts.extend(no_overflow(&mut whole));
        }
        let main = (whole.lhs, whole.rhs);
        let mut encoder = Encoder::new(&whole.values, None);
        match query_all(&mut encoder, &facts, main, &whole.rhs_defined, solver) {
            Ok(Answer::Unsat) => return Decision::Proved,
            Ok(Answer::Sat(model)) => {
                let mut assignment: Vec<Number> =
                    whole.values.vars().iter().map(|_| Number::whole(0)).collect();
                for (var, term) in encoder.vars() {
                    if let (Node::Var(index), Some(value)) =
                        (whole.values.node(var), model.get(term))
                    {
                        assignment[*index as usize] = number(value, whole.values.domain(var));
                    }
                }
                match replay(obligation, &assignment) {
                    Outcome::Differ(..) | Outcome::Undefined(_) => {
                        return wrong(obligation, assignment);
                    }
                    Outcome::Holds | Outcome::Outside => {
                        "a model of the solver is none of the rule".clone_into(&mut reason);
                    }
                }
            }
            Ok(Answer::Unknown(Reason::Timeout)) => {
                reason = format!("no answer within {} ms", limits.milliseconds);
            }
            Ok(Answer::Unknown(why)) => reason = why.to_string(),
            Err(()) => "numbers too large".clone_into(&mut reason),
        }
    }
    Decision::Unknown(reason)
}

/// Returns facts that state that nothing in the left side overflows. Variables with a `#` in their
/// names are numbers of the compiler, which may have more bits.
fn no_overflow(obligation: &mut Obligation) -> Vec<ValueId> {
    let mut parts = Vec::new();
    obligation.values.visit(obligation.lhs, &mut |part| parts.push(part));
    let vars = obligation.values.vars().to_vec();
    for (name, domain) in vars {
        if name.contains('#') {
            continue;
        }
        parts.push(obligation.values.var(&name, domain));
    }
    parts.sort();
    parts.dedup();
    let mut facts = Vec::new();
    for part in parts {
        if obligation.values.domain(part) == Domain::Whole
            && let Some((least, greatest)) = Domain::Whole.range()
        {
            facts.extend(between(&mut obligation.values, part, least, greatest));
        }
    }
    facts
}

fn query(
    encoder: &mut Encoder<'_>,
    facts: &[ValueId],
    goal: (ValueId, ValueId),
    solver: &mut Solver,
) -> Result<Answer, ()> {
    query_all(encoder, facts, goal, &[], solver)
}

/// Asks for values that fulfil the facts and on which the sides differ or a condition in `defined`
/// fails.
fn query_all(
    encoder: &mut Encoder<'_>,
    facts: &[ValueId],
    (lhs, rhs): (ValueId, ValueId),
    defined: &[ValueId],
    solver: &mut Solver,
) -> Result<Answer, ()> {
    let mut assertions = Vec::new();
    for fact in facts {
        assertions.push(encoder.term(*fact).map_err(|_| ())?);
    }
    encoder.note_goal(lhs, rhs).map_err(|_| ())?;
    let (lhs, rhs) = (encoder.term(lhs).map_err(|_| ())?, encoder.term(rhs).map_err(|_| ())?);
    let is_equal = encoder.terms.equal(lhs, rhs);
    let mut holds = vec![is_equal];
    for defined in defined {
        holds.push(encoder.term(*defined).map_err(|_| ())?);
    }
    encoder.add_lemmas().map_err(|_| ())?;
    let holds = encoder.terms.and(&holds);
    assertions.push(encoder.terms.not(holds));
    assertions.append(&mut encoder.axioms);
    solver.clear();
    for assertion in assertions {
        solver.assert(&encoder.terms, assertion);
    }
    Ok(check(solver, &encoder.terms, "rule"))
}

/// The steps within which most queries are answered.
const QUICK: u64 = 50_000;

/// Asks with a small step limit. If that fails, asks again in a form that lets the solver choose
/// its strategy.
fn check(solver: &mut Solver, terms: &Terms, label: &str) -> Answer {
    match solver.check_scoped(terms, label, QUICK) {
        Answer::Unknown(_) => solver.check_fresh(terms, label),
        answer => answer,
    }
}

/// Returns what a shown claim is worth: nothing if its assumptions contradict each other.
fn proved_of_some(obligation: &Obligation, solver: &mut Solver) -> Decision {
    let unknown = |reason: &str| {
        Decision::Unknown(format!("whether the conditions can hold is not known: {reason}"))
    };
    let mut encoder = Encoder::new(&obligation.values, None);
    solver.clear();
    for fact in obligation.facts.iter().chain(&obligation.lhs_defined) {
        let Ok(fact) = encoder.term(*fact) else { return unknown("one has no term") };
        solver.assert(&encoder.terms, fact);
    }
    match check(solver, &encoder.terms, "assumptions") {
        Answer::Sat(_) => Decision::Proved,
        Answer::Unsat => Decision::Vacuous,
        Answer::Unknown(reason) => unknown(&reason.to_string()),
    }
}

fn number(value: Value, domain: Domain) -> Number {
    match value {
        Value::Bool(value) => Number::whole(i128::from(value)),
        Value::Int(value) => Number::whole(value),
        Value::Real { numerator, denominator } => Number { numerator, denominator },
        Value::BitVec { bits, .. } | Value::Float { bits, .. } => {
            Number::whole(domain.wrap(bits as i128))
        }
    }
}

/// The answer to the question whether values fulfil some facts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fulfilment {
    /// These values of the variables fulfil them.
    By(Vec<Number>),
    /// No values fulfil them.
    None,
    /// It is not known; the reason.
    Unknown(String),
}

/// Looks for values that fulfil facts.
pub fn fulfil(
    values: &Values,
    facts: &[ValueId],
    solver: &mut Solver,
    limits: Limits,
) -> Fulfilment {
    limits.apply(solver);
    let mut encoder = Encoder::new(values, None);
    solver.clear();
    for fact in facts {
        match encoder.term(*fact) {
            Ok(term) => solver.assert(&encoder.terms, term),
            Err(_) => return Fulfilment::Unknown("numbers too large".to_owned()),
        }
    }
    match check(solver, &encoder.terms, "path") {
        Answer::Unsat => Fulfilment::None,
        Answer::Sat(model) => {
            let mut assignment: Vec<Number> =
                values.vars().iter().map(|_| Number::whole(0)).collect();
            for (var, term) in encoder.vars() {
                if let (Node::Var(index), Some(value)) = (values.node(var), model.get(term)) {
                    assignment[*index as usize] = number(value, values.domain(var));
                }
            }
            Fulfilment::By(assignment)
        }
        Answer::Unknown(Reason::Timeout) => {
            Fulfilment::Unknown(format!("no answer within {} ms", limits.milliseconds))
        }
        Answer::Unknown(why) => Fulfilment::Unknown(why.to_string()),
    }
}
