//! What a validation says.

use std::collections::BTreeMap;
use std::time::Duration;

use halidom_ir::{Array, Constant, Shape, StmtId};

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
        }
    }
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
    /// Whether the interpreter was seen to do so. Always true: nothing is refuted without a run.
    pub replayed: bool,
}

/// The outcome of a validation.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The program computes what the specification says, for all inputs and sizes that pass the entry checks.
    Proved,
    /// It does not.
    Refuted(Box<Counterexample>),
    /// It is not known, for this reason.
    Unknown(String),
}

/// Everything that is known after a validation.
#[derive(Clone, Debug)]
pub struct Report {
    /// The outcome.
    pub verdict: Verdict,
    /// Every obligation, made from program and specification alone.
    pub obligations: Vec<Obligation>,
    /// What was assumed: entry checks, in words, and what callers owe.
    pub assumptions: Vec<String>,
    /// Steps that rest on an assumption beyond the entry checks: that floats may be regrouped, where the pipeline says `fast_math`.
    pub trusted_steps: Vec<String>,
    /// For which sizes the verdict speaks.
    pub sizes: String,
    /// Things worth knowing that do not weaken the verdict.
    pub notes: Vec<String>,
    /// What lies below the verdict.
    pub below: Vec<&'static str>,
    /// Questions put to the solver.
    pub queries: u64,
    /// The same by purpose, with the time that was taken; questions asked before are not counted again.
    pub effort: BTreeMap<String, (u64, Duration)>,
    /// Time taken.
    pub time: Duration,
}

impl Report {
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
