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
//! linearized arrays of §7.1; `program` applies the rules to a whole program. `docs/validator.md`
//! has the table of all rules.
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
mod options;
mod polynomial;
mod premise;
mod program;
mod recurrence;
mod rules;
mod template;

use std::time::{Duration, Instant};

use halidom_ir::{Algorithm, Pool, Program};
use halidom_smt::Statistics;

use evaluator::Evaluator;
pub use options::Options;
use premise::Gap;
pub use premise::{Premise, Shown};

/// The outcome. It is never a refutation: with another prophecy, a premise that fails might hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is a derivation `Γ; h ⊢ C ⇒ c : Δh; R`, the constraints hold, and the final heap has
    /// the outputs' values.
    Proved,
    /// A premise does not hold or cannot be decided, for this reason.
    Unknown(String),
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
