//! The symbolic evaluator of *End-to-End Translation Validation for the Halide Language* (TV),
//! Fig. 5, rule by rule: `--engine reference`.
//!
//! This evaluator is a second opinion next to `validate`, with which it shares no reasoning: it
//! computes symbolic heaps, whereas `validate` checks claims. It is literal and slow, and handles
//! affine programs only; a program that the rules cannot express gives [`Verdict::Unknown`]. It
//! knows nothing of labels and needed regions, or of schedules and lowering.
//!
//! # Where to start
//! Start with [`evaluate`]. `rules` has a function for each rule of TV Fig. 5 (and Fig. 3, its
//! counterpart without values) under the rule's name; `heap` is TV §4.5, `recurrence` §3.4,
//! `affine` the types 𝔸 and 𝔹 of Fig. 2, `template` the equality of values of §5.2, `layout` the
//! linearized arrays of §7.1. `docs/validator.md` has the table of all rules.
//!
//! # Differences from TV
//! * A prophecy is the claim of a store: the instance whose value it writes. Here it is a premise
//!   that the instance exists and writes there; TV's equations are total.
//! * Parallel iterations may write one location if they all write the value of one instance: `ir`'s
//!   semantics allows it, TV's U-PAR does not.
//! * All lanes of a store are evaluated before any is written (`ir`). So a vector, which otherwise
//!   is a parallel loop (TV §5.2), has no premise on reads.
//! * An arm of a `select` need only be defined where it is chosen (`ir`), if the condition is
//!   affine.
//! * Values that are read into `let` variables are symbolic values; TV would use an array of no
//!   dimensions.
//! * Entry checks are facts (TV §5.3: contextual axioms), as far as they are affine.
//!
//! # Correctness
//! The soundness argument is TV Theorem 4.4, for programs whose index arithmetic does not overflow
//! (TV §7.2 leaves that to another check; the report states it). Either sets are exact or there is
//! no verdict: every failure of isl, including an exceeded work limit, ends the evaluation.

mod affine;
mod evaluator;
mod heap;
mod lanes;
mod layout;
mod leaves;
mod polynomial;
mod recurrence;
mod rules;
mod template;

use std::time::{Duration, Instant};

use halidom_ir::{Algorithm, Pool, Program, StmtId};
use halidom_smt::{Asking, Statistics};

use evaluator::Evaluator;

/// The limits and tools of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solvers for values that are not the same expression. The second one is asked again about
    /// every constraint that the first one shows.
    pub asking: Asking,
    /// The time limit for the whole program. It is checked before each step, so a step may overrun
    /// it.
    pub time: Duration,
    /// The limit of isl's basic operations for one step.
    pub operations: u64,
}

impl Options {
    /// The defaults: ten seconds a program, one second a question, 100,000 operations of isl a
    /// step.
    pub fn new(solver: halidom_smt::Program) -> Self {
        let asking = Asking::new(solver, Duration::from_secs(1));
        Self { asking, time: Duration::from_secs(10), operations: 100_000 }
    }
}

/// The outcome. It is never a refutation: with another prophecy, a premise that fails might hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a derivation `Γ; h ⊢ C ⇒ c : Δh; R`, the constraints hold, and the final heap has
    /// the outputs' values.
    Proved,
    /// A premise does not hold or cannot be decided, for this reason.
    Unknown(String),
}

/// The kind of a premise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Premise {
    /// The linearized index addresses the coordinates, and the layout is injective (TV §7.1).
    Layout,
    /// S-ASSIGN: `Γ ⊢ 0 ≤ e_i < e'_i`.
    Bounds,
    /// S-ASSIGN: the prophecy names an instance, `Γ ⊢_A t : τ`.
    Prophecy,
    /// S-ASSIGN: `Γ ⊢ ⟦e⟧_h ≠ ∅`.
    Defined,
    /// S-ASSIGN: the constraint `⟦e⟧_h ⊂ {t}`.
    Constraint,
    /// S-PARLOOP: iterations do not interfere.
    Disjoint,
    /// The final heap holds the outputs' values on their windows.
    Output,
    /// The entry checks are satisfiable and imply what the algorithm demands.
    Entry,
    /// The program has a form that the rules cover.
    Form,
}

/// A premise that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The kind of the premise.
    pub premise: Premise,
    /// The statement, if it is about one.
    pub stmt: Option<StmtId>,
    /// The part of the program that the premise concerns.
    pub place: String,
}

/// The result of an evaluation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The outcome.
    pub verdict: Verdict,
    /// The premises that were shown; these are all premises if the program is proved.
    pub shown: Vec<Shown>,
    /// The premise that ended the evaluation.
    pub open: Option<Shown>,
    /// Statistics of the questions to the solver.
    pub asked: Statistics,
    /// The questions about which the second solver contradicted the first.
    pub disagreements: Vec<String>,
    /// The reason why questions could not be kept as files.
    pub not_kept: Option<String>,
    /// Time taken.
    pub time: Duration,
}

/// The known reason why there is no derivation.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    reason: String,
    /// The place of the gap; absent when the gap is created.
    place: Option<Shown>,
}

impl Gap {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), place: None }
    }

    /// Sets the place of the gap, unless a more precise one is known.
    pub(crate) fn about(
        mut self,
        premise: Premise,
        stmt: Option<StmtId>,
        place: impl FnOnce() -> String,
    ) -> Self {
        self.place.get_or_insert_with(|| Shown { premise, stmt, place: place() });
        self
    }
}

impl From<halidom_poly::Error> for Gap {
    fn from(error: halidom_poly::Error) -> Self {
        Self::new(error.to_string())
    }
}

/// Tests whether a derivation of TV's calculus shows that a final program computes the algorithm.
///
/// Uses the pool as working space: expressions and variables are added to it.
pub fn evaluate(
    pool: &mut Pool,
    algorithm: &Algorithm,
    program: &Program,
    options: &Options,
) -> Report {
    let begin = Instant::now();
    let mut report = Report {
        verdict: Verdict::Proved,
        shown: Vec::new(),
        open: None,
        asked: Statistics::default(),
        disagreements: Vec::new(),
        not_kept: None,
        time: Duration::ZERO,
    };
    let result =
        Evaluator::new(pool, algorithm, options, begin + options.time).and_then(|mut evaluator| {
            let result = evaluator.program(algorithm, program);
            let solver = &evaluator.solver;
            report.asked = solver.statistics();
            report.disagreements = solver.disagreements().to_vec();
            report.not_kept = solver.dump_failure().map(ToString::to_string);
            report.shown = evaluator.shown;
            result
        });
    if let Err(Gap { reason, place }) = result {
        report.open = Some(place.unwrap_or_else(|| Shown {
            premise: Premise::Form,
            stmt: None,
            place: "program".to_owned(),
        }));
        report.verdict = Verdict::Unknown(reason);
    }
    report.time = begin.elapsed();
    report
}
