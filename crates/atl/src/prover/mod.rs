//! Side conditions: comparisons of integers that follow from a context.
//!
//! Products, quotients and remainders are unknowns of a linear problem, and the set library decides
//! if it is empty. Their properties enter as further facts (the definition of a quotient, products
//! of two facts). A proof lists the facts that were used, and a certificate proves the goal again
//! from them. So certificates do not depend on this module.

mod hint;
mod linear;
mod poly;
mod refute;

use std::cell::RefCell;

use crate::context::{Context, Fact};
use crate::term::{Compare, Index, Pred};
pub use hint::Hint;
use linear::Unknowns;
use poly::Poly;
pub use refute::{compare, evaluate};

/// A goal of the prover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// A predicate holds.
    Holds(Pred),
    /// A predicate is false.
    Never(Pred),
    /// Two predicates are equal.
    Same(Pred, Pred),
    /// The context is contradictory.
    Absurd,
}

/// The facts that a proof used, in addition to the facts of the context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// The hints in order. A later one may need earlier ones.
    pub hints: Vec<Hint>,
}

/// The reason why a goal was not shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The comparison that remains open.
    pub open: String,
    /// Values for which the context holds but the comparison does not, if some were found.
    pub values: Option<String>,
}

/// The prover. It remembers answers.
#[derive(Debug)]
pub struct Prover {
    sets: halidom_poly::Context,
    memory: RefCell<halidom_base::FxHashMap<String, Result<Proof, Failure>>>,
}

impl Prover {
    /// Returns a prover.
    ///
    /// # Errors
    /// The set library's context cannot be made.
    pub fn new() -> Result<Self, halidom_poly::Error> {
        Ok(Self { sets: halidom_poly::Context::new(5_000_000)?, memory: RefCell::default() })
    }

    /// Shows a goal from a context.
    ///
    /// # Errors
    /// A [`Failure`] if no proof was found. This does not mean that the goal is false.
    pub fn prove(&self, context: &Context, goal: &Goal) -> Result<Proof, Failure> {
        let facts: Vec<&Fact> = context
            .facts
            .iter()
            .filter(|fact| !matches!(fact, Fact::Is(..) | Fact::Any(_)))
            .collect();
        // Names are not unique, but numbers are, and both are part of the key.
        let key = format!("{facts:?} |- {goal:?}");
        if let Some(answer) = self.memory.borrow().get(&key) {
            return answer.clone();
        }
        let answer = self.prove_anew(&facts, goal);
        self.memory.borrow_mut().insert(key, answer.clone());
        answer
    }

    /// True if a proof of the goal is found.
    pub fn holds(&self, context: &Context, goal: &Goal) -> bool {
        self.prove(context, goal).is_ok()
    }

    fn prove_anew(&self, facts: &[&Fact], goal: &Goal) -> Result<Proof, Failure> {
        let mut known = Vec::new();
        for fact in facts {
            match fact {
                Fact::Range(var, lo, hi) => {
                    let var = Index::Var(var.clone());
                    known.push((Compare::Le, lo.clone(), var.clone()));
                    known.push((Compare::Lt, var, hi.clone()));
                }
                Fact::Holds(pred) => known.extend(comparisons(pred)),
                Fact::Is(..) | Fact::Any(_) => {}
            }
        }
        match goal {
            Goal::Holds(pred) => self.all(&known, pred),
            Goal::Never(pred) => {
                known.extend(comparisons(pred));
                self.absurd(&known, &format!("not ({})", crate::print::pred(pred)))
            }
            Goal::Same(p, q) => {
                let mut proof = Proof::default();
                for (from, to) in [(p, q), (q, p)] {
                    let mut with = known.clone();
                    with.extend(comparisons(from));
                    if matches!(from, Pred::Known(false)) {
                        continue;
                    }
                    proof.hints.extend(self.all(&with, to)?.hints);
                }
                proof.hints.dedup();
                Ok(proof)
            }
            Goal::Absurd => self.absurd(&known, "what is known here is contradictory"),
        }
    }

    fn all(&self, known: &[(Compare, Index, Index)], pred: &Pred) -> Result<Proof, Failure> {
        let Some(goals) = pred.conjuncts() else {
            return self.absurd(known, &crate::print::pred(pred));
        };
        let mut proof = Proof::default();
        for (compare, a, b) in goals {
            let negations = match compare {
                Compare::Le => vec![(Compare::Lt, b.clone(), a.clone())],
                Compare::Lt => vec![(Compare::Le, b.clone(), a.clone())],
                Compare::Eq => {
                    vec![(Compare::Lt, a.clone(), b.clone()), (Compare::Lt, b.clone(), a.clone())]
                }
            };
            for negation in negations {
                let mut with = known.to_vec();
                with.push(negation);
                let open = crate::print::pred(&Pred::Compare(compare, a.clone(), b.clone()));
                for hint in self.absurd(&with, &open)?.hints {
                    if !proof.hints.contains(&hint) {
                        proof.hints.push(hint);
                    }
                }
            }
        }
        Ok(proof)
    }

    /// Shows that facts contradict each other.
    fn absurd(&self, known: &[(Compare, Index, Index)], open: &str) -> Result<Proof, Failure> {
        let mut unknowns = Unknowns::new(&self.sets);
        let mut facts = Vec::new();
        for (compare, a, b) in known {
            let (a, b) = (unknowns.poly(a), unknowns.poly(b));
            let difference = b.minus(&a);
            facts.push(match compare {
                Compare::Le => (difference, false),
                Compare::Lt => (difference.minus(&Poly::number(1)), false),
                Compare::Eq => (difference, true),
            });
        }
        // Most goals that do not follow fail for small numbers. Then there is no need to search for
        // a proof.
        if let Some(values) = refute::example(known, 1_500) {
            return Err(Failure { open: open.to_owned(), values: Some(values) });
        }
        match unknowns.contradiction(&facts) {
            Some(hints) => Ok(Proof { hints }),
            None => Err(Failure { open: open.to_owned(), values: refute::example(known, 20_000) }),
        }
    }
}

/// The comparisons of a predicate. For a predicate that is always false, an absurd comparison.
fn comparisons(pred: &Pred) -> Vec<(Compare, Index, Index)> {
    match (pred, pred.conjuncts()) {
        (_, Some(all)) => {
            all.into_iter().map(|(compare, a, b)| (compare, a.clone(), b.clone())).collect()
        }
        (Pred::Known(false), None) => vec![(Compare::Lt, Index::Num(0), Index::Num(0))],
        (Pred::And(both), None) => {
            let mut all = comparisons(&both.0);
            all.extend(comparisons(&both.1));
            all
        }
        (Pred::Known(true) | Pred::Compare(..) | Pred::Var(_), None) => Vec::new(),
    }
}
