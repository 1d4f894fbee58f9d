//! Questions to the solver: is a set of formulas contradictory?
//!
//! # Correctness
//! Every question is asked in linear integer arithmetic. Atoms become unknowns with constraints that the atom's meaning implies (a minimum is at most each
//! operand and equal to one, a quotient is the floor, a machine integer lies in its type's range); products of atoms become unknowns. The unknowns' true values
//! satisfy all of it, so `unsat` means that no assignment of the symbols satisfies the formulas. A model means nothing: it only suggests sizes to try.

use std::time::Duration;

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_smt::{Answer, Program, Solver, Sort, TermId as SmtTerm, Terms};

use crate::space::{Atom, AtomId, Formula, FormulaId, Monomial, PolyId, Space, Symbol, TermId};

/// What the solver said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The formulas contradict each other.
    Contradiction,
    /// They may hold, perhaps at these values.
    Possible(Vec<(Symbol, i128)>),
    /// The solver does not know.
    Undecided(String),
}

/// A solver for questions about one [`Space`].
pub(crate) struct Lia {
    solver: Solver,
    terms: Terms,
    monomials: FxHashMap<Monomial, SmtTerm>,
    truths: FxHashMap<TermId, SmtTerm>,
    polys: FxHashMap<PolyId, SmtTerm>,
    formulas: FxHashMap<FormulaId, SmtTerm>,
    answers: FxHashMap<Vec<FormulaId>, Outcome>,
}

/// What a question mentions, by and by.
#[derive(Default)]
struct Reached {
    polys: IndexSet<PolyId>,
    formulas: IndexSet<FormulaId>,
    atoms: IndexSet<AtomId>,
    monomials: IndexSet<Monomial>,
    values: IndexSet<TermId>,
    truths: IndexSet<TermId>,
}

impl Lia {
    /// A solver that gives up a question after `timeout`, and keeps its questions in `folder` if one is given.
    pub(crate) fn new(
        program: Program,
        timeout: Duration,
        folder: Option<std::path::PathBuf>,
    ) -> Result<Self, halidom_smt::OpenError> {
        let mut options = halidom_smt::Options::new(program);
        options.soft_timeout = timeout;
        options.hard_timeout = timeout + Duration::from_secs(2);
        options.dump = folder;
        Ok(Self {
            solver: Solver::open(options)?,
            terms: Terms::new(),
            monomials: FxHashMap::default(),
            truths: FxHashMap::default(),
            polys: FxHashMap::default(),
            formulas: FxHashMap::default(),
            answers: FxHashMap::default(),
        })
    }

    /// How many questions were put to the solver.
    pub(crate) fn questions(&self) -> u64 {
        self.solver.statistics().queries
    }

    /// Asks whether the formulas can hold together.
    pub(crate) fn ask(&mut self, space: &mut Space, facts: &[FormulaId], label: &str) -> Outcome {
        let all = space.and(facts);
        let mut facts = space.conjuncts(all);
        if *space.formula(all) == Formula::False {
            return Outcome::Contradiction;
        }
        facts.sort_unstable();
        if let Some(answer) = self.answers.get(&facts) {
            return answer.clone();
        }
        let outcome = self.solve(space, &facts, label);
        self.answers.insert(facts, outcome.clone());
        outcome
    }

    fn solve(&mut self, space: &mut Space, facts: &[FormulaId], label: &str) -> Outcome {
        let mut reached = Reached::default();
        for fact in facts {
            self.reach_formula(space, *fact, &mut reached);
        }
        let lemmas = self.lemmas(space, &mut reached);
        let mut assertions: Vec<SmtTerm> = Vec::new();
        for formula in facts.iter().chain(&lemmas) {
            assertions.push(self.formula(space, *formula));
        }
        match self.solver.check_with(&self.terms, &assertions, label) {
            Answer::Unsat => Outcome::Contradiction,
            Answer::Sat(model) => {
                let mut values = Vec::new();
                for atom in &reached.atoms {
                    if let Atom::Symbol(symbol) = space.atom(*atom) {
                        let key: Monomial = Box::new([*atom]);
                        let value = self.monomials.get(&key).and_then(|term| model.get(*term));
                        values.extend(
                            value
                                .and_then(halidom_smt::Value::as_int)
                                .map(|value| (*symbol, value)),
                        );
                    }
                }
                Outcome::Possible(values)
            }
            Answer::Unknown(reason) => Outcome::Undecided(reason.to_string()),
        }
    }

    fn reach_formula(&self, space: &Space, formula: FormulaId, reached: &mut Reached) {
        if !reached.formulas.insert(formula) {
            return;
        }
        match space.formula(formula) {
            Formula::True | Formula::False => {}
            Formula::NonNegative(poly) | Formula::Zero(poly) => {
                self.reach_poly(space, *poly, reached);
            }
            Formula::Holds(term) => drop(reached.truths.insert(*term)),
            Formula::Not(inner) => self.reach_formula(space, *inner, reached),
            Formula::And(parts) | Formula::Or(parts) => {
                parts.iter().for_each(|part| self.reach_formula(space, *part, reached));
            }
        }
    }

    fn reach_poly(&self, space: &Space, poly: PolyId, reached: &mut Reached) {
        if !reached.polys.insert(poly) {
            return;
        }
        for (monomial, _) in &space.poly(poly).0 {
            if !reached.monomials.insert(monomial.clone()) {
                continue;
            }
            for atom in monomial {
                if !reached.atoms.insert(*atom) {
                    continue;
                }
                match space.atom(*atom) {
                    Atom::Symbol(_) => {}
                    Atom::Min(operands) => {
                        operands.iter().for_each(|o| self.reach_poly(space, *o, reached));
                    }
                    Atom::Div(a, b) => {
                        self.reach_poly(space, *a, reached);
                        self.reach_poly(space, *b, reached);
                    }
                    Atom::Select(condition, a, b) => {
                        self.reach_formula(space, *condition, reached);
                        self.reach_poly(space, *a, reached);
                        self.reach_poly(space, *b, reached);
                    }
                    Atom::Value(term) => drop(reached.values.insert(*term)),
                }
            }
        }
    }

    /// True facts about everything reached; each is a theorem, whatever the symbols are.
    fn lemmas(&mut self, space: &mut Space, reached: &mut Reached) -> Vec<FormulaId> {
        let mut lemmas = Vec::new();
        let mut pairs = FxHashSet::default();
        let mut done = 0;
        loop {
            let (atoms, truths) = (reached.atoms.len(), reached.truths.len());
            let congruences = congruence(space, &reached.values, &reached.truths, &mut pairs);
            for lemma in &congruences {
                self.reach_formula(space, *lemma, reached);
            }
            lemmas.extend(congruences);
            // Lemmas mention only what was reached before, but for the products in the lemmas on division.
            while let Some(atom) = reached.atoms.get_index(done).copied() {
                done += 1;
                for lemma in atom_lemmas(space, atom) {
                    self.reach_formula(space, lemma, reached);
                    lemmas.push(lemma);
                }
            }
            if (atoms, truths) == (reached.atoms.len(), reached.truths.len()) {
                break;
            }
        }
        let products: Vec<Monomial> =
            reached.monomials.iter().filter(|monomial| monomial.len() == 2).cloned().collect();
        for monomial in products {
            lemmas.extend(product_lemmas(space, &monomial));
        }
        lemmas
    }

    fn monomial(&mut self, space: &Space, monomial: &Monomial) -> SmtTerm {
        if let Some(term) = self.monomials.get(monomial) {
            return *term;
        }
        let hint = match **monomial {
            [atom] => match space.atom(atom) {
                Atom::Symbol(symbol) => space.symbol_name(*symbol).to_owned(),
                Atom::Min(_) => "min".to_owned(),
                Atom::Div(..) => "quotient".to_owned(),
                Atom::Select(..) => "choice".to_owned(),
                Atom::Value(_) => "value".to_owned(),
            },
            _ => "product".to_owned(),
        };
        let term = self.terms.fresh(&hint, Sort::Int);
        self.monomials.insert(monomial.clone(), term);
        term
    }

    fn poly(&mut self, space: &Space, poly: PolyId) -> SmtTerm {
        if let Some(term) = self.polys.get(&poly) {
            return *term;
        }
        let mut summands = Vec::new();
        for (monomial, coefficient) in &space.poly(poly).0 {
            let factor = self.terms.int(*coefficient);
            summands.push(if monomial.is_empty() {
                factor
            } else {
                let unknown = self.monomial(space, monomial);
                if *coefficient == 1 { unknown } else { self.terms.product(&[factor, unknown]) }
            });
        }
        let term = match *summands.as_slice() {
            [] => self.terms.int(0),
            [only] => only,
            _ => self.terms.sum(&summands),
        };
        self.polys.insert(poly, term);
        term
    }

    fn formula(&mut self, space: &Space, formula: FormulaId) -> SmtTerm {
        if let Some(term) = self.formulas.get(&formula) {
            return *term;
        }
        let term = match space.formula(formula) {
            Formula::True => self.terms.bool(true),
            Formula::False => self.terms.bool(false),
            Formula::NonNegative(poly) => {
                let (poly, zero) = (self.poly(space, *poly), self.terms.int(0));
                self.terms.ge(poly, zero)
            }
            Formula::Zero(poly) => {
                let (poly, zero) = (self.poly(space, *poly), self.terms.int(0));
                self.terms.equal(poly, zero)
            }
            Formula::Holds(term) => match self.truths.get(term) {
                Some(known) => *known,
                None => {
                    let unknown = self.terms.fresh("truth", Sort::Bool);
                    self.truths.insert(*term, unknown);
                    unknown
                }
            },
            Formula::Not(inner) => {
                let inner = self.formula(space, *inner);
                self.terms.not(inner)
            }
            Formula::And(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.formula(space, *part)).collect();
                self.terms.and(&parts)
            }
            Formula::Or(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.formula(space, *part)).collect();
                self.terms.or(&parts)
            }
        };
        self.formulas.insert(formula, term);
        term
    }
}

/// What an atom's meaning implies.
fn atom_lemmas(space: &mut Space, atom: AtomId) -> Vec<FormulaId> {
    let this = space.atom_poly(atom);
    match space.atom(atom).clone() {
        Atom::Symbol(_) => Vec::new(),
        Atom::Min(operands) => {
            let bounds: Vec<_> = operands.iter().map(|o| space.at_most(this, *o)).collect();
            let cases: Vec<_> = operands.iter().map(|o| space.equal(this, *o)).collect();
            vec![space.and(&bounds), space.or(&cases)]
        }
        Atom::Select(condition, a, b) => {
            let (is_a, is_b) = (space.equal(this, a), space.equal(this, b));
            let negated = space.not(condition);
            vec![space.implies(condition, is_a), space.implies(negated, is_b)]
        }
        Atom::Value(term) => match space.value_range(term) {
            Some((low, high)) => {
                let (low, high) = (space.constant(low), space.constant(high));
                vec![space.at_most(low, this), space.at_most(this, high)]
            }
            None => Vec::new(),
        },
        Atom::Div(dividend, divisor) => division_lemmas(space, this, dividend, divisor),
    }
}

/// `0 <= x - d·n < n` for `n > 0`; and where `x = n·a + b` as polynomials, `0 <= b < n` implies `d = a`.
fn division_lemmas(
    space: &mut Space,
    this: PolyId,
    dividend: PolyId,
    divisor: PolyId,
) -> Vec<FormulaId> {
    let zero = space.constant(0);
    let positive = space.less(zero, divisor);
    let product = space.mul(this, divisor);
    let rest = space.sub(dividend, product);
    let in_range = space.within(rest, zero, divisor);
    let mut lemmas = vec![space.implies(positive, in_range)];
    if space.as_constant(divisor).is_none() {
        let (quotient, rest) = space.divide(dividend, divisor);
        let small = space.within(rest, zero, divisor);
        let known = space.and(&[positive, small]);
        let is_quotient = space.equal(this, quotient);
        lemmas.push(space.implies(known, is_quotient));
        let (above, natural) = (space.at_most(zero, dividend), space.at_most(zero, this));
        let both = space.and(&[positive, above]);
        lemmas.push(space.implies(both, natural));
    }
    lemmas
}

/// A product of two numbers at least 0 is at least 0; of two at least 1, at least each.
fn product_lemmas(space: &mut Space, monomial: &Monomial) -> Vec<FormulaId> {
    let [a, b] = **monomial else { return Vec::new() };
    let (a, b) = (space.atom_poly(a), space.atom_poly(b));
    let product = space.mul(a, b);
    let (zero, one) = (space.constant(0), space.constant(1));
    let (a_natural, b_natural) = (space.at_most(zero, a), space.at_most(zero, b));
    let natural = space.and(&[a_natural, b_natural]);
    let (a_positive, b_positive) = (space.at_most(one, a), space.at_most(one, b));
    let positive = space.and(&[a_positive, b_positive]);
    let (above, at_least_a, at_least_b) =
        (space.at_most(zero, product), space.at_most(a, product), space.at_most(b, product));
    let both = space.and(&[at_least_a, at_least_b]);
    vec![space.implies(natural, above), space.implies(positive, both)]
}

/// Equal operands have equal values: for every pair of machine values that look alike and was not met before.
fn congruence(
    space: &mut Space,
    values: &IndexSet<TermId>,
    truths: &IndexSet<TermId>,
    met: &mut FxHashSet<(TermId, TermId, bool)>,
) -> Vec<FormulaId> {
    /// Terms beyond this many are left out: fewer lemmas can only prove less.
    const LIMIT: usize = 32;
    let mut lemmas = Vec::new();
    for (terms, truth) in [(values, false), (truths, true)] {
        for (position, a) in terms.iter().enumerate().take(LIMIT) {
            for b in terms.iter().take(position) {
                if !met.insert((*a, *b, truth)) {
                    continue;
                }
                let Some(alike) = space.alike(*a, *b) else { continue };
                let same = if truth {
                    let (x, y) = (space.holds(*a), space.holds(*b));
                    space.same_truth(x, y)
                } else {
                    let (x, y) = (space.number(*a), space.number(*b));
                    space.equal(x, y)
                };
                lemmas.push(space.implies(alike, same));
            }
        }
    }
    lemmas
}
