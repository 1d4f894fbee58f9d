//! What a validation says.

use std::collections::BTreeMap;
use std::time::Duration;

use halidom_ir::{Array, Constant, ExprId, FuncId, Shape, StmtId, VarId};
use halidom_smt::Solver;
use halidom_verdict::{Claim, Condition};

use crate::floats::{Axioms, Floats};

/// The kinds of obligations. Each is necessary: for each there is a wrong program that only it rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The element number of an access is that of its claimed coordinates.
    Location,
    /// An access lies within its buffer.
    Bounds,
    /// A store's claim names an instance of the specification, at the location that the specification gives it.
    Claim,
    /// A stored value is that of the specification.
    Value,
    /// Every needed location is written by every stage.
    Coverage,
    /// A loaded value that matters was written before and is right.
    Definedness,
    /// Writes that conflict come in the specification's order, and none overwrites a value that is still needed.
    Order,
    /// What a label promised is not overwritten before it is relied on: by coordinates that share its element, or by updates that would run once more.
    Retention,
    /// Unordered iterations do not interfere.
    Race,
    /// The required windows of the outputs lie in what is computed.
    Output,
    /// Index arithmetic stays within 64 bits.
    Overflow,
    /// Entry checks are of the kinds that the language allows, and can hold.
    Assumption,
    /// The program is made of what the validator knows.
    Form,
    /// What a schedule made of the algorithm before it was lowered says the same.
    Refinement,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Location,
        Self::Bounds,
        Self::Claim,
        Self::Value,
        Self::Coverage,
        Self::Definedness,
        Self::Order,
        Self::Retention,
        Self::Race,
        Self::Output,
        Self::Overflow,
        Self::Assumption,
        Self::Form,
        Self::Refinement,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Bounds => "bounds",
            Self::Claim => "claim",
            Self::Value => "value",
            Self::Coverage => "coverage",
            Self::Definedness => "definedness",
            Self::Order => "order",
            Self::Retention => "retention",
            Self::Race => "race",
            Self::Output => "output",
            Self::Overflow => "overflow",
            Self::Assumption => "assumption",
            Self::Form => "form",
            Self::Refinement => "refinement",
        }
    }
}

/// How an obligation was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Both sides have one normal form.
    Identity,
    /// The solver found the negation contradictory in linear integer arithmetic.
    Solver,
    /// By intervals.
    Intervals,
    /// The interpreter was seen to do it.
    Run,
    /// There is nothing to show.
    Structure,
    /// The updates in question may come in any order.
    Commuting,
    /// By operations on integer sets, as the reference engine does.
    Sets,
    /// Floats are equal under these axioms.
    Axioms(Axioms),
    /// Floats are equal over the reals.
    Reals,
}

impl Method {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Solver => "solver",
            Self::Intervals => "intervals",
            Self::Run => "run",
            Self::Structure => "structure",
            Self::Commuting => "commuting",
            Self::Sets => "sets",
            Self::Axioms(_) => "axioms",
            Self::Reals => "reals",
        }
    }

    /// What equality of floats it speaks of.
    pub fn floats(self) -> Floats {
        match self {
            Self::Identity
            | Self::Solver
            | Self::Intervals
            | Self::Run
            | Self::Structure
            | Self::Commuting
            | Self::Sets => Floats::Bits,
            Self::Axioms(_) => Floats::Axioms,
            Self::Reals => Floats::Reals,
        }
    }

    /// The axioms that it needs.
    pub fn axioms(self) -> Axioms {
        match self {
            Self::Axioms(axioms) => axioms,
            Self::Identity
            | Self::Solver
            | Self::Intervals
            | Self::Run
            | Self::Structure
            | Self::Commuting
            | Self::Sets
            | Self::Reals => Axioms::NONE,
        }
    }
}

impl std::fmt::Display for Method {
    /// Its name, with the axioms.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Axioms(axioms) => write!(f, "{}: {axioms}", self.name()),
            Self::Identity
            | Self::Solver
            | Self::Intervals
            | Self::Run
            | Self::Structure
            | Self::Commuting
            | Self::Sets
            | Self::Reals => f.write_str(self.name()),
        }
    }
}

/// The weakest equality of floats that some obligations were closed by, and all axioms.
pub fn weakest<'a>(obligations: impl IntoIterator<Item = &'a Obligation>) -> (Floats, Axioms) {
    obligations.into_iter().fold((Floats::Bits, Axioms::NONE), |(floats, axioms), obligation| {
        match obligation.status {
            Status::Closed(method) => (floats.max(method.floats()), axioms.with(method.axioms())),
            Status::Open(_) => (floats, axioms),
        }
    })
}

/// Whether an obligation was closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// It holds.
    Closed(Method),
    /// It was not proved, for this reason.
    Open(String),
}

/// Something to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// What kind of fact.
    pub kind: Kind,
    /// The statement, if it is about one.
    pub stmt: Option<StmtId>,
    /// Where: func, stage, loops.
    pub place: String,
    /// Whether it holds.
    pub status: Status,
}

/// A concrete run on which program and specification differ, or on which the program fails though every entry check holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// Parameters and shapes, by name.
    pub parameters: Vec<(String, Constant)>,
    /// The inputs, by name.
    pub inputs: Vec<(String, Array)>,
    /// The required windows, by output: (min, extent) a dimension.
    pub windows: Vec<(String, Shape)>,
    /// The output in which they differ, if the program ran to its end.
    pub output: Option<String>,
    /// Where, in the output.
    pub coords: Vec<i64>,
    /// What the specification says.
    pub expected: String,
    /// What the program does.
    pub got: String,
    /// The place in the program that goes wrong, if one was found.
    pub site: Option<Site>,
    /// Whether the interpreter was seen to do so. Always true: nothing is refuted without a run.
    pub replayed: bool,
}

/// Where a run goes wrong: the first store that writes another value than the specification gives it, the statement that faults, or the last store to the output's
/// element that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// What is wrong with it.
    pub fault: String,
    /// The statement.
    pub stmt: StmtId,
    /// The func and the stage that it claims to write, and the claimed coordinates and point, where it is a store.
    pub instance: Option<Instance>,
    /// The loops around it, outermost first, with the values of their variables.
    pub loops: Vec<(String, i128)>,
    /// What the specification gives there, if it is a store of a wrong value.
    pub expected: Option<String>,
    /// What is stored.
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

/// What the validator made of the obligations and of its runs: one part of a verdict. It has no fold, no exit status and no words of its own; see [`Report::answer`].
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program computes what the specification says, for all inputs and sizes that pass the entry checks.
    Proved,
    /// It does not.
    Refuted(Box<Counterexample>),
    /// It is not known, for this reason.
    Unknown(String),
}

/// What the search for a counterexample saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Runs {
    /// Runs that passed the entry checks and gave what the algorithm says, on windows that are not empty.
    pub passed: usize,
    /// Cases that the algorithm has a value for and an entry check refused.
    pub refused: usize,
}

/// What was asked of solvers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Questions.
    pub queries: u64,
    /// Those of them whose answer had been kept.
    pub cached: u64,
    /// Refutations that the second solver reached too.
    pub confirmed: u64,
    /// Refutations about which the second solver had no answer.
    pub unconfirmed: u64,
    /// The questions about which the second solver contradicted the first.
    pub disagreements: Vec<String>,
    /// Why questions could not be kept as files.
    pub not_kept: Option<String>,
}

impl Asked {
    /// The sum over some solvers.
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

/// An entry check that is stronger than it need be: it refuses sizes and inputs for which the algorithm has a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooStrict {
    /// What it is for, in words, and its condition.
    pub check: String,
    /// The condition of the assert.
    pub condition: Option<ExprId>,
    /// Parameters, windows and shapes that it refuses, by name.
    pub sizes: Vec<(String, String)>,
}

/// Everything that is known after a validation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The outcome of the validator; [`Report::answer`] makes the verdict of it that a job gives.
    pub verdict: Verdict,
    /// What a proof of it claims.
    pub claim: Claim,
    /// What a proof of it rests on beyond the entry checks.
    pub conditions: Vec<Condition>,
    /// Every obligation, made from program and specification alone.
    pub obligations: Vec<Obligation>,
    /// What was assumed: entry checks, in words, and what callers owe.
    pub assumptions: Vec<String>,
    /// Steps that rest on an assumption beyond the entry checks: axioms of floats and what they were used for, and what is right over the reals.
    pub trusted_steps: Vec<String>,
    /// For which sizes the verdict speaks.
    pub sizes: String,
    /// Things worth knowing that do not weaken the verdict.
    pub notes: Vec<String>,
    /// What lies below the verdict.
    pub below: Vec<&'static str>,
    /// Stores that never run.
    pub dead: Vec<StmtId>,
    /// Parameters, shapes and windows at which an open obligation may fail, as the solver suggests them.
    pub suggestions: Vec<Vec<(VarId, i64)>>,
    /// What the search for a counterexample saw.
    pub runs: Runs,
    /// Entry checks that refuse what the algorithm has a value for.
    pub too_strict: Vec<TooStrict>,
    /// What was asked of solvers.
    pub solver: Asked,
    /// Questions by purpose, with the time that was taken; questions asked before are not counted again.
    pub effort: BTreeMap<String, (u64, Duration)>,
    /// Time taken.
    pub time: Duration,
}

impl Report {
    /// The weakest equality of floats that the verdict rests on, and the axioms.
    pub fn floats(&self) -> (Floats, Axioms) {
        weakest(&self.obligations)
    }

    /// How many obligations of each kind there are, and how many are closed.
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
}
