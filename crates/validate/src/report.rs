//! The report of a validation.

use std::collections::BTreeMap;
use std::time::Duration;

use halidom_ir::{Array, Constant, ExprId, FuncId, Shape, StmtId, VarId};
use halidom_smt::Solver;
use halidom_verdict::{Claim, Condition, Ran, Reason};

use crate::floats::{Axioms, Floats};
use crate::obligation::record::{Kind, Method};

/// Returns the weakest equality of floats that closed an obligation, and all axioms.
pub fn weakest<'a>(obligations: impl IntoIterator<Item = &'a Obligation>) -> (Floats, Axioms) {
    obligations.into_iter().fold((Floats::Bits, Axioms::NONE), |(floats, axioms), obligation| {
        match obligation.status {
            Status::Closed(method) => (floats.max(method.floats()), axioms.with(method.axioms())),
            Status::Open(_) => (floats, axioms),
        }
    })
}

/// The status of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It is proved by this method.
    Closed(Method),
    /// It was not proved, for this reason.
    Open(Reason),
}

/// A fact to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The kind of fact.
    pub kind: Kind,
    /// The statement that it is about, if there is one.
    pub stmt: Option<StmtId>,
    /// The place: func, stage, loops.
    pub place: String,
    /// The status: closed or open.
    pub status: Status,
}

/// A concrete run on which program and specification differ, or on which the program fails though
/// every entry check holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// Parameters and shapes, by name.
    pub parameters: Vec<(String, Constant)>,
    /// The inputs, by name.
    pub inputs: Vec<(String, Array)>,
    /// The required windows, by output: (min, extent) for each dimension.
    pub windows: Vec<(String, Shape)>,
    /// The output in which they differ, if the program ran to its end.
    pub output: Option<String>,
    /// The coordinates in the output.
    pub coords: Vec<i64>,
    /// The specification's value.
    pub expected: String,
    /// The program's result.
    pub got: String,
    /// The place in the program that goes wrong, if one was found.
    pub site: Option<Site>,
    /// The object of the run. Nothing is refuted without a run.
    pub ran: Ran,
}

/// The place where a run goes wrong: the first store whose value differs from the specification's,
/// the statement that faults, or the last store to the output's wrong element.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// The fault of the statement.
    pub fault: String,
    /// The statement.
    pub stmt: StmtId,
    /// For a store, the func and the stage that it claims to write, and the claimed coordinates and
    /// point.
    pub instance: Option<Instance>,
    /// The loops around it, outermost first, with the values of their variables.
    pub loops: Vec<(String, i128)>,
    /// The specification's value there, if the site is a store of a wrong value.
    pub expected: Option<String>,
    /// The stored value.
    pub got: Option<String>,
}

/// An instance of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The func.
    pub func: FuncId,
    /// Its stage.
    pub stage: usize,
    /// The written point, if it is known.
    pub coords: Vec<i64>,
    /// The values of the reduction variables, if they are known.
    pub point: Vec<i64>,
}

/// The validator's result from the obligations and its runs: one part of a verdict. It has no fold,
/// no exit status and no text; see [`Report::answer`].
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program computes what the specification requires, for all inputs and sizes that pass the
    /// entry checks.
    Proved,
    /// It does not: this run shows it.
    Refuted(Box<Counterexample>),
    /// It is not known, for this reason.
    Unknown(Reason),
}

/// The results of the counterexample search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Runs that passed the entry checks and gave the algorithm's values, on windows that are not
    /// empty.
    pub passed: usize,
    /// Cases that have a value by the algorithm and were refused by an entry check.
    pub refused: usize,
}

/// Statistics of the questions to solvers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// The number of questions.
    pub queries: u64,
    /// The number of questions whose answer had been kept.
    pub cached: u64,
    /// The number of refutations that the second solver reached too.
    pub confirmed: u64,
    /// The number of refutations about which the second solver had no answer.
    pub unconfirmed: u64,
    /// The questions about which the second solver contradicted the first.
    pub disagreements: Vec<String>,
    /// The reason why questions could not be kept as files.
    pub not_kept: Option<String>,
}

impl Asked {
    /// Sums the statistics of some solvers.
    pub(crate) fn of<'a>(solvers: impl IntoIterator<Item = &'a Solver>) -> Self {
        let mut asked = Self::default();
        for solver in solvers {
            let statistics = solver.statistics();
            asked.queries += statistics.queries;
            asked.cached += statistics.cached;
            asked.confirmed += statistics.confirmed;
            asked.unconfirmed += statistics.unconfirmed;
            asked.disagreements.extend_from_slice(solver.disagreements());
            asked.not_kept = asked.not_kept.or(solver.dump_failure().map(ToString::to_string));
        }
        asked
    }
}

/// An entry check that is stronger than necessary: it refuses sizes and inputs for which the
/// algorithm has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooStrict {
    /// The purpose of the check, in words, and its condition.
    pub check: String,
    /// The condition of the assert.
    pub condition: Option<ExprId>,
    /// Parameters, windows and shapes that it refuses, by name.
    pub sizes: Vec<(String, String)>,
}

/// A premise of a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The premise in words: what an entry check is about and its condition, or a duty of callers.
    pub words: String,
    /// The subject of the premise.
    pub about: About,
}

/// The subject of an assumption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// The sizes and inputs that an entry check of the program admits.
    Check {
        /// The purpose of the check in words, as the check itself states it: a hint.
        what: String,
        /// The condition.
        condition: ExprId,
        /// The check is a limit of sizes that a condition of the verdict names.
        is_named: bool,
    },
    /// The sizes and inputs that a call may have, in words alone.
    Sizes,
    /// A duty of callers.
    Duty,
}

impl Assumption {
    /// Makes an assumption about callers.
    pub fn duty(words: &str) -> Self {
        Self { words: words.to_owned(), about: About::Duty }
    }
}

/// The result of a validation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The validator's outcome. [`Report::answer`] turns it into the verdict that a job gives.
    pub verdict: Verdict,
    /// The claim of a proof.
    pub claim: Claim,
    /// The conditions of a proof beyond the entry checks.
    pub conditions: Vec<Condition>,
    /// Every obligation, made from program and specification alone.
    pub obligations: Vec<Obligation>,
    /// The assumptions: entry checks and the callers' duties.
    pub assumptions: Vec<Assumption>,
    /// Steps that rest on an assumption beyond the entry checks: axioms of floats with their uses,
    /// and values that are right over the reals.
    pub trusted_steps: Vec<String>,
    /// The sizes that the verdict covers.
    pub sizes: String,
    /// Notes that do not weaken the verdict.
    pub notes: Vec<String>,
    /// The components below the verdict, which it trusts.
    pub below: Vec<&'static str>,
    /// Stores that never run.
    pub dead: Vec<StmtId>,
    /// Parameters, shapes and windows at which an open obligation may fail, as the solver suggests
    /// them.
    pub suggestions: Vec<Vec<(VarId, i64)>>,
    /// The results of the counterexample search.
    pub runs: Runs,
    /// Entry checks that refuse sizes for which the algorithm has values.
    pub too_strict: Vec<TooStrict>,
    /// Statistics of the questions to solvers.
    pub solver: Asked,
    /// The number of questions and their time, by purpose. Repeated questions are not counted
    /// again.
    pub effort: BTreeMap<String, (u64, Duration)>,
    /// The time of the validation.
    pub time: Duration,
}

impl Report {
    /// The weakest equality of floats that the verdict rests on, and the axioms.
    pub fn floats(&self) -> (Floats, Axioms) {
        weakest(&self.obligations)
    }

    /// Returns the total and the closed number of obligations of each kind.
    pub fn counts(&self) -> BTreeMap<Kind, (usize, usize)> {
        let mut counts = BTreeMap::new();
        for obligation in &self.obligations {
            let (total, closed) = counts.entry(obligation.kind).or_insert((0, 0));
            *total += 1;
            *closed += usize::from(matches!(obligation.status, Status::Closed(_)));
        }
        counts
    }

    /// The obligations that were not closed.
    pub fn open(&self) -> impl Iterator<Item = &Obligation> {
        self.obligations.iter().filter(|obligation| matches!(obligation.status, Status::Open(_)))
    }

    /// Tests whether obligations were stated and all were closed. If a run refutes the program
    /// anyway, one of the two is wrong.
    pub fn is_closed(&self) -> bool {
        !self.obligations.is_empty() && self.open().next().is_none()
    }
}
