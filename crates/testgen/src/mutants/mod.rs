//! Mutants of programs: each differs from the original in one place, as a defect of lowering would.
//!
//! [`MutantKind::FINAL`] lists changes of final programs. [`MutantKind::LOWERING`] lists changes of
//! structured ones, which are then lowered like any other program. A wrong bound or a misplaced
//! allocation in one place of a structured program affects every related place of the final one,
//! claims included. [`MutantKind::ANNOTATIONS`] lists changes of a final program's annotations,
//! which do not change its behaviour.

mod change;
mod edit;
mod sites;

use halidom_ir::{Check, Pool, Program, Stmt, StmtId};

use crate::Random;
pub(crate) use edit::{Path, for_each_subexpr, replace_subexpr, subexpr};
use sites::Site;
pub(crate) use sites::{neighbours, swappable};

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutantKind {
    /// The index of a load or store is one more or less.
    IndexOffByOne,
    /// A loop's min or extent is one more or less.
    LoopBoundChanged,
    /// The operands of an operator that does not commute, or the arms of a select, are exchanged.
    OperandsSwapped,
    /// A lane of a shuffle takes the next lane.
    LaneChanged,
    /// A constant is one more or less.
    ConstantChanged,
    /// The branch of an `if` is always taken.
    GuardDropped,
    /// A store is left out.
    StoreMissing,
    /// A loop whose iterations run in order, or in lockstep, becomes parallel.
    LoopMadeParallel,
    /// An allocation is one element shorter in a dimension.
    AllocationShrunk,
    /// The factor by which a buffer is folded is smaller everywhere.
    FoldChanged,
    /// The part that a sliding window computes in the first iteration, or in the others, is one
    /// more or less.
    WindowChanged,
    /// A load reads a neighbour, and its claim changes alike.
    LoadRedirected,
    /// A store writes a neighbour, and its claim changes alike.
    StoreRedirected,
    /// Two neighbouring statements are exchanged.
    StatementsSwapped,
    /// An atomic update becomes a read and a write.
    AtomicDropped,
    /// An entry check, or one of the conditions that it joins, is left out.
    EntryCheckWeakened,
    /// A computed bound or coordinate is one more or less wherever it is used.
    BoundWrong,
    /// A func's memory is taken further in or further out.
    StorageMoved,
    /// The condition or the number of iterations that ends a loop has another comparison, or a
    /// constant that is one more or less.
    TailWrong,
    /// Two nested loops are exchanged.
    LoopsSwapped,
    /// A stage of a func is left out, such as the initialisation.
    StageMissing,
    /// A stage writes a neighbour.
    WriteShifted,
    /// A coordinate of a store's prophecy is one more or less, or replaced by another coordinate.
    ProphecyWrong,
    /// A prophecy claims another stage.
    ProphecyStage,
    /// A store has no prophecy.
    ProphecyMissing,
    /// A coordinate of a load's claim is one more or less.
    AccessWrong,
    /// A load has no claim.
    AccessMissing,
    /// A func's needed region is one shorter in a dimension.
    NeededShrunk,
    /// A func's needed region is one longer in a dimension, or lies elsewhere.
    NeededGrown,
    /// A func is computed without a label.
    LabelMissing,
}

impl MutantKind {
    /// The changes of final programs.
    pub const FINAL: &[Self] = &[
        Self::IndexOffByOne,
        Self::LoopBoundChanged,
        Self::OperandsSwapped,
        Self::LaneChanged,
        Self::ConstantChanged,
        Self::GuardDropped,
        Self::StoreMissing,
        Self::LoopMadeParallel,
        Self::AllocationShrunk,
        Self::FoldChanged,
        Self::WindowChanged,
        Self::LoadRedirected,
        Self::StoreRedirected,
        Self::StatementsSwapped,
        Self::AtomicDropped,
        Self::EntryCheckWeakened,
    ];

    /// The changes of structured programs.
    pub const LOWERING: &[Self] = &[
        Self::BoundWrong,
        Self::LoopBoundChanged,
        Self::StorageMoved,
        Self::GuardDropped,
        Self::TailWrong,
        Self::FoldChanged,
        Self::WindowChanged,
        Self::LoopsSwapped,
        Self::StageMissing,
        Self::WriteShifted,
        Self::LoopMadeParallel,
        Self::AllocationShrunk,
        Self::StatementsSwapped,
    ];

    /// The changes of final programs' annotations.
    pub const ANNOTATIONS: &[Self] = &[
        Self::ProphecyWrong,
        Self::ProphecyStage,
        Self::ProphecyMissing,
        Self::AccessWrong,
        Self::AccessMissing,
        Self::NeededShrunk,
        Self::NeededGrown,
        Self::LabelMissing,
    ];

    /// Returns the name for tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::IndexOffByOne => "index off by one",
            Self::LoopBoundChanged => "loop bound changed",
            Self::OperandsSwapped => "operands swapped",
            Self::LaneChanged => "lane of a shuffle changed",
            Self::ConstantChanged => "constant changed",
            Self::GuardDropped => "guard dropped",
            Self::StoreMissing => "store missing",
            Self::LoopMadeParallel => "loop made parallel",
            Self::AllocationShrunk => "allocation shrunk",
            Self::FoldChanged => "fold changed",
            Self::WindowChanged => "window changed",
            Self::LoadRedirected => "load redirected",
            Self::StoreRedirected => "store redirected",
            Self::StatementsSwapped => "statements swapped",
            Self::AtomicDropped => "atomic dropped",
            Self::EntryCheckWeakened => "entry check weakened",
            Self::BoundWrong => "bound wrong",
            Self::StorageMoved => "storage moved",
            Self::TailWrong => "tail wrong",
            Self::LoopsSwapped => "loops swapped",
            Self::StageMissing => "stage missing",
            Self::WriteShifted => "write shifted",
            Self::ProphecyWrong => "prophecy wrong",
            Self::ProphecyStage => "prophecy of another stage",
            Self::ProphecyMissing => "prophecy missing",
            Self::AccessWrong => "access wrong",
            Self::AccessMissing => "access missing",
            Self::NeededShrunk => "needed region shrunk",
            Self::NeededGrown => "needed region grown",
            Self::LabelMissing => "label missing",
        }
    }
}

/// A program with one defect. It need not be wrong: some changes are equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The kind of defect.
    pub kind: MutantKind,
    /// The program.
    pub program: Program,
    /// A description of the place and the change, for people.
    pub description: String,
    /// The statement of the original that was changed.
    pub changed: StmtId,
    site: Site,
}

impl Mutant {
    /// Returns the original with a check before the changed statement. The check ends the run if
    /// the changed expression would have another value, or if the dropped guard does not hold.
    /// Returns `None` for other changes, and for changes of vectors.
    pub fn probe(&self, pool: &mut Pool, original: &Program) -> Option<Program> {
        let condition = self.site.unchanged(pool)?;
        let check = Check::SizeLimit { what: "the change".to_owned() };
        let check = pool.stmt(Stmt::Assert { condition, check });
        let checked = Stmt::Block(vec![check, self.changed]);
        let body = self.site.replace(pool, original.body, &checked)?;
        Some(Program { body, ..original.clone() })
    }
}

/// Returns up to `count` different mutants of a program. The `kinds` take turns as far as the
/// program has places for them. The same seed makes the same mutants.
pub fn mutants(
    pool: &mut Pool,
    program: &Program,
    kinds: &[MutantKind],
    seed: u64,
    count: usize,
) -> Vec<Mutant> {
    let mut random = Random::new(seed);
    let mut by_kind: Vec<Vec<Site>> = kinds
        .iter()
        .map(|kind| {
            let mut sites = sites::collect(pool, program, *kind);
            random.shuffle(&mut sites);
            sites
        })
        .collect();
    // If few mutants are made, they are not always of the first kinds.
    let mut turns: Vec<usize> = (0..kinds.len()).collect();
    random.shuffle(&mut turns);
    let mut made = Vec::new();
    while made.len() < count && by_kind.iter().any(|sites| !sites.is_empty()) {
        for turn in &turns {
            if made.len() == count {
                break;
            }
            let (kind, sites) = (kinds[*turn], &mut by_kind[*turn]);
            if let Some(site) = sites.pop()
                && let Some((body, description)) = site.apply(pool, program.body)
            {
                let program = Program { body, ..program.clone() };
                let changed = site.stmt();
                made.push(Mutant { kind, program, description, changed, site });
            }
        }
    }
    made
}
