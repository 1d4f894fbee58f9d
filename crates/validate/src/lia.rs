//! Questions to the solver: does a set of formulas contradict itself?
//!
//! # Correctness
//! Limits of single integers answer some questions (`limits`). Every other question is asked in
//! linear integer arithmetic. Atoms and products of atoms become unknowns, with true facts about
//! them (`lemma`). The true values of the unknowns satisfy all of these, so `unsat` means that no
//! assignment of the symbols satisfies the formulas. A model proves nothing: it only suggests sizes
//! to try.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use halidom_base::{FxHashMap, FxHashSet};
use halidom_smt::{Answer, Reason, Solver, Sort, TermId as SmtTerm, Terms};

use crate::lemma::{Instance, Lemmas, Memo, Sample};
use crate::limits::Limits;
use crate::obligation::record::Method;
use crate::space::{Atom, Formula, FormulaId, Monomial, PolyId, Space, Symbol, TermId};

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The formulas contradict each other, which this method shows.
    Contradiction(Method),
    /// The formulas may hold, perhaps at these values.
    Possible(Vec<(Symbol, i128)>),
    /// The solver does not know, for this reason.
    Undecided(String),
}

impl Outcome {
    /// Tests whether the formulas contradict each other.
    pub(crate) fn is_contradiction(&self) -> bool {
        matches!(self, Self::Contradiction(_))
    }
}

/// The tries of the solver at a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tries {
    /// Once, with few steps.
    Short,
    /// Once, with more steps.
    Long,
    /// Once, and again if there is no answer.
    All,
}

/// The time for the first try of a question.
const FIRST_TRY: Duration = Duration::from_millis(250);
/// The steps of the solver for a guess, some 10 to 100 ms, and those for each formula of the
/// question. A contradiction that guesses find takes 5 ms, and seldom more than 40; to read a
/// formula takes up to 200 steps.
const GUESS: (u64, u64) = (40_000, 1000);
/// The steps of the solver for a guess where an obligation is open otherwise.
const PATIENT_GUESS: u64 = 1_000_000;
/// The time for a guess. Its steps limit it long before, so a slow or busy machine finds the same
/// proofs.
const GUESS_TIME: Duration = Duration::from_secs(1);
/// The time for the solver's older procedure. It finds some contradictions in a tenth of the time
/// of the newer one, which is asked about those that take it longer.
const OLDER_TRY: Duration = Duration::from_millis(1500);
/// The extra time after which a solver that exceeds its own limit is killed.
const GRACE: Duration = Duration::from_secs(2);

/// A solver for questions about one [`Space`].
pub(crate) struct Lia {
    solver: Solver,
    /// The instant after which no question is asked.
    until: Option<Instant>,
    /// The time for the second try.
    second_try: Option<Duration>,
    /// The limit of steps for a question that is no guess.
    steps: Option<u64>,
    budget: crate::obligation::settings::Budget,
    /// The number of obligations that stayed open.
    open: u64,
    /// The tries of a guess.
    guess: Tries,
    terms: Terms,
    monomials: FxHashMap<Monomial, SmtTerm>,
    truths: FxHashMap<TermId, SmtTerm>,
    polys: FxHashMap<PolyId, SmtTerm>,
    formulas: FxHashMap<FormulaId, SmtTerm>,
    /// All formulas sent to the solver for good, lemmas included.
    asserted: FxHashSet<FormulaId>,
    /// The limits of numbers that these give.
    limits: Limits,
    /// Proposes lemmas for a question.
    lemmas: Box<dyn Lemmas>,
    memo: Memo,
    answers: FxHashMap<Vec<FormulaId>, (Tries, Outcome)>,
    effort: BTreeMap<String, (u64, Duration)>,
}

impl Lia {
    /// Starts without questions.
    ///
    /// # Errors
    /// Returns an error if the solver cannot be opened.
    pub(crate) fn new(
        mut options: halidom_smt::Options,
        budget: crate::obligation::settings::Budget,
        lemmas: Box<dyn Lemmas>,
    ) -> Result<Self, halidom_smt::OpenError> {
        // A limit on steps must give the same answer on every machine, so there is only one try.
        let hard = options.steps.is_none() && options.soft_timeout > FIRST_TRY;
        let second_try = hard.then_some(options.soft_timeout);
        if hard {
            (options.soft_timeout, options.hard_timeout) = (FIRST_TRY, FIRST_TRY + GRACE);
        }
        let (until, steps) = (options.until, options.steps);
        Ok(Self {
            until,
            steps,
            solver: Solver::open(options)?,
            second_try,
            budget,
            open: 0,
            guess: Tries::Short,
            terms: Terms::new(),
            monomials: FxHashMap::default(),
            truths: FxHashMap::default(),
            polys: FxHashMap::default(),
            formulas: FxHashMap::default(),
            asserted: FxHashSet::default(),
            limits: Limits::default(),
            lemmas,
            memo: Memo::default(),
            answers: FxHashMap::default(),
            effort: BTreeMap::new(),
        })
    }

    /// Returns the solver that answered the questions.
    pub(crate) fn into_solver(self) -> Solver {
        self.solver
    }

    /// The number of questions that the solver was asked.
    pub(crate) fn questions(&self) -> u64 {
        self.solver.statistics().queries
    }

    /// The number of questions and the time that they took, by purpose.
    pub(crate) fn effort(&self) -> BTreeMap<String, (u64, Duration)> {
        self.effort.clone()
    }

    /// Tests whether no question is asked any more, because it is too late. What a tactic proposes
    /// is then in vain.
    pub(crate) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| until <= Instant::now())
    }

    /// Tests whether it is too late for questions and an obligation is open: nothing that is shown
    /// now changes the verdict.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.open > 0 && self.is_late()
    }

    /// Notes that an obligation stayed open.
    pub(crate) fn note_open(&mut self) {
        self.open += 1;
    }

    /// Gives guesses more steps, or few of them again. Returns false if nothing changes: guesses
    /// get no more steps where an obligation is open, as then they change no verdict.
    pub(crate) fn set_patient(&mut self, wanted: bool) -> bool {
        let wanted =
            if wanted && self.open == 0 && !self.is_late() { Tries::Long } else { Tries::Short };
        std::mem::replace(&mut self.guess, wanted) != wanted
    }

    /// Assumes formulas in all later questions. They are sent to the solver once.
    pub(crate) fn assume(&mut self, space: &Space, facts: &[FormulaId]) {
        let all = space.and(facts);
        let facts = space.conjuncts(all);
        // Formulas that were possible before may be impossible under more assumptions.
        self.answers.retain(|_, (_, answer)| answer.is_contradiction());
        let lemmas = self.lemmas.assumed(space, &mut self.memo, &facts);
        let lemmas = self.stated(space, lemmas);
        for formula in facts.into_iter().chain(lemmas) {
            if self.asserted.insert(formula) {
                self.limits.learn(space, formula);
                let term = self.formula(space, formula);
                self.solver.assert(&self.terms, term);
            }
        }
    }

    /// Asks whether the formulas can hold together with the assumptions.
    pub(crate) fn ask(&mut self, space: &Space, facts: &[FormulaId], label: &str) -> Outcome {
        self.asked(space, facts, (label, Tries::All))
    }

    /// Asks whether a guess holds, that the formulas contradict each other. No obligation depends
    /// on the answer, so a guess that is known to be wrong is not asked. A contradiction takes the
    /// solver much less time than a model, so a guess gets one try.
    pub(crate) fn guess(&mut self, space: &Space, facts: &[FormulaId], label: &str) -> bool {
        self.asked(space, facts, (label, self.guess)).is_contradiction()
    }

    /// Tests whether formulas hold at a sample that is known.
    pub(crate) fn is_sampled(&mut self, space: &Space, formulas: &[FormulaId]) -> bool {
        self.lemmas.refute(space, formulas)
    }

    fn asked(
        &mut self,
        space: &Space,
        given: &[FormulaId],
        (label, tries): (&str, Tries),
    ) -> Outcome {
        let new = |fact: &FormulaId| !self.asserted.contains(fact);
        let given: Vec<FormulaId> = given.iter().copied().filter(new).collect();
        let all = space.and(&given);
        if *space.formula(all) == Formula::False {
            return Outcome::Contradiction(Method::Identity);
        }
        let facts: Vec<FormulaId> = space.conjuncts(all).into_iter().filter(new).collect();
        let Some(mut facts) = self.limits.reduced(space, &facts) else {
            return Outcome::Contradiction(Method::Intervals);
        };
        facts.sort_unstable();
        if let Some((made, answer)) = self.answers.get(&facts)
            && (*made >= tries || !matches!(answer, Outcome::Undecided(_)))
        {
            return answer.clone();
        }
        if self.is_late() {
            return Outcome::Undecided(Reason::Late.to_string());
        }
        let reached = |limit: Option<u64>, count| limit.is_some_and(|limit| count >= limit);
        if reached(self.budget.questions, self.questions()) || reached(self.budget.open, self.open)
        {
            return Outcome::Undecided("no more questions may be asked".to_owned());
        }
        if tries < Tries::All && self.is_sampled(space, &given) {
            return Outcome::Possible(Vec::new());
        }
        let begin = Instant::now();
        let outcome = self.solve(space, &facts, (label, tries));
        let effort = self.effort.entry(label.to_owned()).or_default();
        *effort = (effort.0 + 1, effort.1 + begin.elapsed());
        self.answers.insert(facts, (tries, outcome.clone()));
        outcome
    }

    fn solve(
        &mut self,
        space: &Space,
        facts: &[FormulaId],
        (label, tries): (&str, Tries),
    ) -> Outcome {
        let (lemmas, atoms, truths) = self.lemmas.asked(space, &mut self.memo, facts);
        let lemmas = self.stated(space, lemmas);
        let mut assertions: Vec<SmtTerm> = Vec::new();
        for formula in facts.iter().chain(&lemmas) {
            if !self.asserted.contains(formula) {
                assertions.push(self.formula(space, *formula));
            }
        }
        match self.answer(&assertions, label, tries) {
            Answer::Unsat => Outcome::Contradiction(Method::Solver),
            Answer::Sat(model) => {
                let mut sample = Sample::default();
                for atom in atoms {
                    let value = self.monomials.get(&[atom][..]).and_then(|term| model.get(*term));
                    let value = value.and_then(halidom_smt::Value::as_int);
                    sample.atoms.extend(value.map(|value| (atom, value)));
                }
                for term in truths {
                    let value = self.truths.get(&term).and_then(|unknown| model.get(*unknown));
                    let value = value.and_then(halidom_smt::Value::as_bool);
                    sample.truths.extend(value.map(|holds| (term, holds)));
                }
                Outcome::Possible(self.lemmas.learn(space, sample, facts))
            }
            Answer::Unknown(reason) => Outcome::Undecided(reason.to_string()),
        }
    }

    /// States proposed instances of lemmas.
    fn stated(&mut self, space: &Space, instances: Vec<Instance>) -> Vec<FormulaId> {
        let mut formulas = Vec::new();
        for instance in instances {
            formulas.extend_from_slice(self.memo.state(space, instance));
        }
        formulas
    }

    /// Asks the running process first, with a short limit, because earlier questions can lead it
    /// astray. After a timeout, fresh processes are asked, one for each procedure of the solver.
    fn answer(&mut self, assertions: &[SmtTerm], label: &str, tries: Tries) -> Answer {
        let limit = match tries {
            Tries::Short => Some(GUESS.0 + GUESS.1 * assertions.len() as u64),
            Tries::Long => Some(PATIENT_GUESS),
            Tries::All => None,
        };
        let limit = [limit, self.steps].into_iter().flatten().min();
        self.solver.set_steps(limit);
        let Some(timeout) = self.second_try else {
            return self.solver.check_with(&self.terms, assertions, label);
        };
        if tries != Tries::All {
            let time = GUESS_TIME.min(timeout);
            self.solver.set_timeouts(time, time + GRACE);
            return self.solver.check_with(&self.terms, assertions, label);
        }
        self.solver.set_timeouts(FIRST_TRY, FIRST_TRY + GRACE);
        let first = self.solver.check_with(&self.terms, assertions, label);
        if first != Answer::Unknown(Reason::Timeout) {
            return first;
        }
        self.solver.push();
        for assertion in assertions {
            self.solver.assert(&self.terms, *assertion);
        }
        let older = OLDER_TRY.min(timeout);
        self.solver.set_timeouts(older, older + GRACE);
        let mut second = self.solver.check_older(&self.terms, label);
        if second == Answer::Unknown(Reason::Timeout) {
            self.solver.set_timeouts(timeout, timeout + GRACE);
            second = self.solver.check_fresh(&self.terms, label);
        }
        self.solver.pop();
        second
    }

    fn monomial(&mut self, space: &Space, monomial: &Monomial) -> SmtTerm {
        if let Some(term) = self.monomials.get(monomial) {
            return *term;
        }
        let hint = match **monomial {
            [atom] => match space.atom(atom) {
                Atom::Symbol(symbol) => space.symbol_name(*symbol),
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
