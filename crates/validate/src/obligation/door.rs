//! The one door between obligations and tactics.
//!
//! # Correctness
//! A tactic sees a [`Desk`]: it may make terms and ask questions, but it can neither assume a
//! formula nor close an obligation. What it returns is a proposal, which is data. The obligation
//! states the conditions of a proposal itself and asks the solver for each. So a wrong proposal can
//! only leave something open. Answers are kept, so what a tactic has shown is not asked again.

use halidom_ir::{FuncId, Pool, Stage};

use super::record::Reason;
use crate::floats::Floats;
use crate::floats::proof::{Join, Theory};
use crate::lemma::{Instance, Lemmas};
use crate::lia::{Lia, Outcome};
use crate::obligation::natural::{Bounded, Wanted};
use crate::program::{Dimension, LabelId, Model, Place, Store};
use crate::space::{AtomId, FormulaId, PolyId, Space, Symbol, TermId, Value};
use crate::specification::Specification;

/// Values for symbols.
pub(crate) type Assignment = Vec<(Symbol, PolyId)>;
/// Minima and extents.
pub(crate) type Region = Vec<(PolyId, PolyId)>;

/// The terms and questions that a tactic may use.
pub(crate) struct Desk<'d, 's> {
    pub(crate) space: &'d Space,
    pub(crate) model: &'d Model,
    pub(super) specification: &'d mut Specification<'s>,
    pub(super) lia: &'d mut Lia,
    pub(super) entry: &'d [FormulaId],
}

impl Desk<'_, '_> {
    /// The conditions of the entry checks.
    pub(crate) fn entry(&self) -> &[FormulaId] {
        self.entry
    }

    /// Tests whether `facts`, with the entry checks, imply `goal`.
    pub(crate) fn follows(&mut self, facts: &[FormulaId], goal: FormulaId, label: &str) -> bool {
        self.contradict(&[self.entry, facts, &[self.space.not(goal)]].concat(), label)
    }

    /// Tests whether formulas contradict each other.
    pub(crate) fn contradict(&mut self, formulas: &[FormulaId], label: &str) -> bool {
        self.lia.guess(self.space, formulas, label)
    }

    /// Tests whether formulas hold at a sample that is known.
    pub(crate) fn is_sampled(&mut self, formulas: &[FormulaId]) -> bool {
        self.lia.is_sampled(self.space, formulas)
    }

    /// Returns the minima and extents of a stage's variables.
    pub(crate) fn domain(&mut self, stage: (FuncId, usize)) -> Option<Region> {
        Some(self.specification.shape(stage.0, stage.1).ok()?.domain)
    }

    /// Returns the location that a stage writes at a point.
    pub(crate) fn location(
        &mut self,
        stage: (FuncId, usize),
        coords: &[PolyId],
        point: &[PolyId],
    ) -> Option<Vec<PolyId>> {
        Some(self.specification.instance(stage, coords, point).ok()?.location)
    }

    /// Asks whether formulas can hold together.
    pub(crate) fn ask(&mut self, formulas: &[FormulaId], label: &str) -> Outcome {
        self.lia.ask(self.space, formulas, label)
    }

    /// Returns the value that the only stage of a func gives at the point that a term reads.
    pub(crate) fn definition(&mut self, read: TermId) -> Option<TermId> {
        self.specification.definition(read)
    }
}

/// The writers of a stage under a label, and the instance that one of them must run.
pub(crate) struct Target<'t> {
    pub(crate) label: LabelId,
    pub(crate) writers: &'t [&'t Store],
    /// The location, then the point.
    pub(crate) values: &'t [PolyId],
}

/// A guess at the instance of a store: the number of the writer, and values for its loops inside
/// the label and for its lane.
#[derive(Clone, Debug)]
pub(crate) struct Witness {
    pub(crate) writer: usize,
    pub(crate) at: Assignment,
}

/// A guess at an earlier instance of a label: the label, and values for its loops inside the
/// lifetime of its buffer.
#[derive(Clone, Debug)]
pub(crate) struct Earlier {
    pub(crate) from: LabelId,
    pub(crate) at: Assignment,
}

/// A replacement of a part of two values by something that equals it under the facts.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// A named integer has this value.
    Named(Symbol, PolyId),
    /// A minimum is its operand with this number.
    Least(AtomId, usize),
    /// A formula has this truth value.
    Known(FormulaId, bool),
    /// A quotient has this value.
    Quotient(AtomId, PolyId),
    /// The first formula holds exactly if the second one does.
    SameTruth(FormulaId, FormulaId),
    /// The first term equals the second.
    SameValue(TermId, TermId),
    /// Two floats are equal by laws that hold bit for bit.
    SameFloat(TermId, TermId, Vec<Join>),
    /// Two comparisons, or two conversions to an integer, have operands that are equal up to the
    /// sign of zero, which they do not see.
    SameDecision(TermId, TermId, [Vec<Join>; 2]),
    /// A read is the value that its func's only stage gives.
    Unfold(TermId),
}

/// A proof that a formula holds, or that two values are equal.
#[derive(Clone, Debug)]
pub(crate) enum Proof {
    /// The solver shows it, in a question with this name.
    Asked(&'static str),
    /// Floats are equal by steps in a theory.
    Floats(Theory, Vec<Join>),
    /// Values are equal for each value that a machine integer may have.
    Every(TermId),
    /// It holds after replacements.
    After(Vec<Step>, Box<Proof>),
    /// It holds after replacements in the facts too.
    Throughout(Vec<Step>, Box<Proof>),
    /// It holds by instances of lemmas.
    With(Vec<Instance>, Box<Proof>),
    /// It holds in each of these cases, and one of them is always true.
    Cases(Vec<(FormulaId, Proof)>),
    /// Each part of a conjunction holds.
    Each(Vec<Proof>),
    /// A formula that implies it holds: some parts of a disjunction.
    Stronger(FormulaId, Box<Proof>),
}

/// A reduction variable, by its number in the domain, that is split into blocks of a size.
#[derive(Clone, Debug)]
pub(crate) struct Split {
    pub(crate) position: usize,
    pub(crate) size: i128,
}

/// An update that is factored into a new func and an update that merges it.
#[derive(Clone, Debug)]
pub(crate) struct Factored {
    pub(crate) part: FuncId,
    /// For each variable of the merging update, the number of the variable that it keeps.
    pub(crate) kept: Vec<usize>,
    /// For each further dimension of the new func, the number of the merging update's variable.
    pub(crate) dims: Vec<usize>,
}

/// A rewriting of a stage: splits, one after the other, and then perhaps a factored update.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewriting {
    pub(crate) splits: Vec<Split>,
    pub(crate) factored: Option<Factored>,
}

/// The data for a search for intervals.
pub(crate) struct Setting {
    /// The pipeline's parameters, shapes and windows.
    pub(crate) parameters: Vec<Symbol>,
    /// The offset of each loop's variable from the loop's minimum.
    pub(crate) offsets: Vec<Symbol>,
    /// The bits of the compiled code's `int`s.
    pub(crate) bits: u32,
}

/// A search for intervals. Nothing here is trusted.
pub(crate) trait Proposer {
    /// Proposes an interval of an integer at a place.
    fn bounded(&mut self, desk: &mut Desk<'_, '_>, wanted: Wanted, place: &Place) -> Bounded;
}

/// Search. Nothing here is trusted.
pub(crate) trait Tactics {
    /// Returns what proposes lemmas for the questions of one solver.
    fn lemmas(&self) -> Box<dyn Lemmas>;

    /// Proposes rewritings that may lead from one stage of a func to another one.
    fn rewritings(
        &mut self,
        pool: &Pool,
        from: (FuncId, &Stage),
        to: (FuncId, &Stage),
    ) -> Vec<Rewriting>;

    /// Returns what proposes intervals under the present entry checks.
    fn intervals(&self, setting: Setting) -> Box<dyn Proposer>;

    /// Proposes regions for the stages of each label.
    fn regions(&mut self, space: &Space, model: &Model) -> Vec<Vec<Region>>;

    /// Proposes values of symbols that entry checks or facts state, for element numbers or for
    /// values. The pairs before each one are put into its value.
    fn names(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        in_values: bool,
    ) -> Vec<(Symbol, PolyId)>;

    /// Proposes an order of dimensions, by their numbers, in which each one's stride steps over
    /// those before.
    fn nesting(&mut self, space: &Space, dims: &[Dimension]) -> Vec<usize>;

    /// Proposes instances that may write a target. There are some rounds; the last is followed by
    /// `None`.
    fn witnesses(
        &mut self,
        desk: &mut Desk<'_, '_>,
        target: &Target<'_>,
        round: usize,
    ) -> Option<Vec<Witness>>;

    /// Proposes points of a stage at which it may write a location. `there` is the point of the
    /// instance that reads, if that one belongs to the same stage.
    fn origins(
        &mut self,
        desk: &mut Desk<'_, '_>,
        stage: (FuncId, usize),
        coords: &[PolyId],
        there: Option<&[PolyId]>,
    ) -> Vec<Vec<PolyId>>;

    /// Proposes a proof that one of the ways to write a target exists.
    fn covered(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        ways: &[FormulaId],
        target: &[PolyId],
    ) -> Option<Proof>;

    /// Proposes instances of labels from which an instance of a label takes values over.
    fn earlier(&mut self, desk: &mut Desk<'_, '_>, label: LabelId) -> Vec<Earlier>;

    /// Proposes a proof that two values are equal under facts, by an equality of floats that is
    /// none weaker than `weakest`.
    fn equality(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        values: (Value, Value),
        weakest: Floats,
    ) -> Option<Proof>;

    /// Proposes a condition under which two values are equal, and a proof that they are.
    fn unchanged(
        &mut self,
        desk: &mut Desk<'_, '_>,
        values: (Value, Value),
    ) -> Option<(FormulaId, Proof)>;

    /// Tells which law of floats is missing for two values to be equal, for reports.
    fn missing_law(&self, space: &Space, values: (Value, Value)) -> Option<String>;

    /// Proposes sizes at which facts hold, and these extents are above 1.
    ///
    /// # Errors
    /// Returns the reason if there are no such sizes.
    fn sizes(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        roomy: &[PolyId],
    ) -> Result<Vec<Vec<(Symbol, i128)>>, Reason>;

    /// Proposes a proof of a goal by the values of a divisor in it.
    fn divided(
        &mut self,
        desk: &mut Desk<'_, '_>,
        facts: &[FormulaId],
        goal: FormulaId,
    ) -> Option<Proof>;
}
