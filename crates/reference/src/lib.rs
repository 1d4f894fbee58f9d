//! The symbolic evaluator of *End-to-End Translation Validation for the Halide Language* (TV), Fig. 5, rule by rule: `--engine reference`.
//!
//! A second opinion beside `validate`, which it shares no reasoning with: it computes symbolic heaps, where `validate` checks claims. It is literal and slow, and knows affine programs only;
//! what the rules cannot say is [`Verdict::Unknown`]. It knows nothing of labels and needed regions, of schedules and lowering.
//!
//! # Where to start
//! [`evaluate`]. `rules` has a function for each rule of TV Fig. 5 (and Fig. 3, its shadow without values) under the rule's name; `heap` is TV §4.5, `recurrence` §3.4, `affine` the types 𝔸
//! and 𝔹 of Fig. 2, `template` the equality of values of §5.2, `layout` the linearized arrays of §7.1. `docs/validator.md` has the table of all rules.
//!
//! # Where it departs from TV
//! * A prophecy is the claim of a store: the instance whose value it writes. That the instance exists and writes there is a premise here, where TV's equations are total.
//! * Parallel iterations may write one location if both write the value of one instance: `ir`'s semantics says so, TV's U-PAR does not.
//! * All lanes of a store are evaluated before any is written (`ir`), so that a vector, a parallel loop otherwise (TV §5.2), has no premise on reads.
//! * An arm of a `select` need be defined only where it is chosen (`ir`), if the condition is affine.
//! * Values that are read into `let` variables are symbolic values, where TV would have an array of no dimensions.
//! * Entry checks are facts (TV §5.3: contextual axioms), as far as they are affine.
//!
//! # Correctness
//! TV Theorem 4.4, for programs whose index arithmetic does not overflow (TV §7.2 leaves that to another check; the report says so). Sets are exact or there is no verdict: every
//! failure of isl, its work limit included, ends the evaluation.

mod affine;
mod evaluator;
mod heap;
mod layout;
mod leaves;
mod polynomial;
mod recurrence;
mod rules;
mod template;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use halidom_ir::{Algorithm, Pool, Program, StmtId};
use halidom_smt::{Cache, Statistics};

use evaluator::Evaluator;

/// How much an evaluation may take.
#[derive(Clone, Debug)]
pub struct Options {
    /// The solver for values that are not one expression.
    pub solver: halidom_smt::Program,
    /// Time for one question to it.
    pub timeout: Duration,
    /// A folder in which every question is kept.
    pub emit_smt: Option<PathBuf>,
    /// A second solver, which is asked again whatever shows a constraint.
    pub confirm: Option<halidom_smt::Program>,
    /// Answers to begin with, and to be kept.
    pub cache: Option<Cache>,
    /// Time for the whole program; asked for before each step, so that a step may go on for a while after it.
    pub time: Duration,
    /// Basic operations of isl for one step.
    pub operations: u64,
}

impl Options {
    /// Ten seconds a program, one a question, 100,000 operations of isl a step.
    pub fn new(solver: halidom_smt::Program) -> Self {
        let (timeout, time) = (Duration::from_secs(1), Duration::from_secs(10));
        let (emit_smt, confirm, cache) = (None, None, None);
        Self { solver, timeout, emit_smt, confirm, cache, time, operations: 100_000 }
    }
}

/// The outcome. There is no refutation: a premise that does not hold may be one that another prophecy would make hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a derivation `Γ; h ⊢ C ⇒ c : Δh; R`, the constraints hold, and the heap that is left has the outputs' values.
    Proved,
    /// A premise does not hold or cannot be decided, for this reason.
    Unknown(String),
}

/// What a premise is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Premise {
    /// The linearized index is that of the coordinates, and the layout is injective (TV §7.1).
    Layout,
    /// S-ASSIGN: `Γ ⊢ 0 ≤ e_i < e'_i`.
    Bounds,
    /// S-ASSIGN: the prophecy is one, `Γ ⊢_A t : τ`.
    Prophecy,
    /// S-ASSIGN: `Γ ⊢ ⟦e⟧_h ≠ ∅`.
    Defined,
    /// S-ASSIGN: the constraint `⟦e⟧_h ⊂ {t}`.
    Constraint,
    /// S-PARLOOP: iterations do not interfere.
    Disjoint,
    /// The last heap holds the outputs' values on their windows.
    Output,
    /// Entry checks: they can hold, and say what the algorithm demands.
    Entry,
    /// The program is of the kind that the rules speak of.
    Form,
}

/// A premise that was shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What it is about.
    pub premise: Premise,
    /// The statement, if it is about one.
    pub stmt: Option<StmtId>,
    /// What is shown of what.
    pub place: String,
}

/// Everything that is known after an evaluation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The outcome.
    pub verdict: Verdict,
    /// What was shown; everything, if the program is proved.
    pub shown: Vec<Shown>,
    /// The premise that ended the evaluation.
    pub open: Option<Shown>,
    /// What was asked of the solver.
    pub asked: Statistics,
    /// The questions about which the second solver contradicted the first.
    pub disagreements: Vec<String>,
    /// Why questions could not be kept as files.
    pub not_kept: Option<String>,
    /// Time taken.
    pub time: Duration,
}

/// Why there is no derivation, as far as is known.
#[derive(Clone, Debug)]
pub(crate) struct Gap {
    reason: String,
    /// What it is about; nothing yet where it is made.
    place: Option<Shown>,
}

impl Gap {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), place: None }
    }

    /// Says what it is about, if that is not known more closely.
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

/// Whether a derivation of TV's calculus shows that a final program computes what an algorithm says.
///
/// Works on the pool as on scratch paper: expressions and variables are added.
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
