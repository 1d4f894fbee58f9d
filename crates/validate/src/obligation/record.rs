//! Obligations as data: their claim, subject and method, or the reason why they are open.
//!
//! No text decides anything here. [`crate::prose`] turns the data into words.

use halidom_ir::{ExprId, StmtId, VarId};

use crate::floats::{Axioms, Floats};
use crate::program::MemoryId;
use crate::space::{FormulaId, PolyId, Symbol};

/// The kinds of obligations. Each is necessary: for each there is a wrong program that only it
/// rejects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The element number of an access belongs to its claimed coordinates.
    Location,
    /// An access lies within its buffer.
    Bounds,
    /// A store's claim names an instance of the specification, at the location that the
    /// specification gives it.
    Claim,
    /// A stored value equals the specification's.
    Value,
    /// Every instance that writes a needed location is run, unless an earlier label promised the
    /// location.
    Coverage,
    /// A loaded value that matters was written before and is right.
    Definedness,
    /// Writes that conflict come in the specification's order, and none overwrites a value that is
    /// still needed.
    Order,
    /// A promised value is not overwritten before it is relied on, neither by coordinates that
    /// share its element nor by updates that run again.
    Retention,
    /// Unordered iterations do not interfere.
    Race,
    /// The required windows of the outputs are computed.
    Output,
    /// Integers fit the bits that the compiled code computes them with.
    Overflow,
    /// Entry checks can hold, and they cover what the pipeline demands of its caller.
    Assumption,
    /// The program is well formed and has only constructs that the validator can describe.
    Form,
    /// A schedule's rewriting of the algorithm, before it was lowered, keeps its meaning.
    Refinement,
}

/// The method that closed an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Method {
    /// Both sides have one normal form, or the normal forms of facts contradict each other.
    Identity,
    /// The solver found the negation contradictory in linear integer arithmetic. This also stands
    /// for goals that are shown together, some of them by normal forms or intervals.
    Solver,
    /// Intervals contain the values, or exclude what the facts say.
    Intervals,
    /// The conditions were evaluated at sizes, such as those of a run, and they hold there.
    Run,
    /// The structure of the program shows it.
    Structure,
    /// The updates in question may come in any order.
    Commuting,
    /// Operations on integer sets, as in the reference engine.
    Sets,
    /// Floats are equal under these axioms.
    Axioms(Axioms),
    /// Floats are equal over the reals.
    Reals,
}

impl Method {
    /// The equality of floats that the method shows.
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

/// The subject of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Names of the program and the algorithm.
    Words(String),
    /// An expression of the program.
    Expr(ExprId),
    /// The entry check with this number.
    EntryCheck(usize),
    /// An access, with words before and after it.
    Access(&'static str, Spot, &'static str),
}

/// The memory, coordinates and loops of an access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) memory: MemoryId,
    pub(crate) coords: Vec<PolyId>,
    pub(crate) loops: Vec<Symbol>,
}

/// The reason why an obligation is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// A reason that mentions no terms.
    Words(String),
    /// A reason, and more about it.
    And(Box<Reason>, String),
    /// The solver has a model in which the formula fails.
    NotShown(FormulaId),
    /// The solver has no answer on the formula, for this reason.
    NoAnswer(String, FormulaId),
    /// The solver cannot tell whether assumptions can hold. Sizes that pass the entry checks can
    /// close the obligation.
    Undecided,
    /// An `int` is not shown to fit 64 bits.
    NotFit(ExprId),
    /// An `int` may need more bits than this.
    MayOverflow(Wide, u32, Option<PolyId>, Option<Vec<(Symbol, i128)>>),
}

/// An integer that may need too many bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wide {
    /// An expression.
    Expr(ExprId),
    /// The end of the loop over a variable.
    End(VarId),
}

impl<T: Into<String>> From<T> for Subject {
    fn from(words: T) -> Self {
        Self::Words(words.into())
    }
}

impl<T: Into<String>> From<T> for Reason {
    fn from(words: T) -> Self {
        Self::Words(words.into())
    }
}

/// The status of an obligation: the method that shows it, or the reason why it is not shown.
pub(crate) type Status = Result<Method, Reason>;

/// A fact that is owed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Obligation {
    pub(crate) kind: Kind,
    /// The statement that it is about, if there is one.
    pub(crate) stmt: Option<StmtId>,
    pub(crate) subject: Subject,
    pub(crate) status: Status,
}
