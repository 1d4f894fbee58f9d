//! Mutants of programs: each differs from the original in one place, as a defect of lowering would.
//!
//! [`MutantKind::FINAL`] are changes of final programs, [`MutantKind::LOWERING`] of structured ones, which are then lowered as any other: what a wrong bound or a misplaced
//! allocation brings about in one place of a structured program it brings about everywhere in the final one, claims included. [`MutantKind::ANNOTATIONS`] change what a
//! final program says of itself and nothing of what it does.

mod change;
mod edit;
mod sites;

use halidom_ir::{Check, Pool, Program, Stmt, StmtId};

use crate::Random;
pub(crate) use edit::{Path, for_each_subexpr, replace_subexpr, subexpr};
use sites::Site;
pub(crate) use sites::{neighbours, swappable};

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MutantKind {
    /// The index of a load or store, one more or less.
    IndexOffByOne,
    /// A loop's min or extent, one more or less.
    LoopBoundChanged,
    /// The operands of an operator that does not commute, or the arms of a select, exchanged.
    OperandsSwapped,
    /// A constant, one more or less.
    ConstantChanged,
    /// The branch of an `if`, always taken.
    GuardDropped,
    /// A store, left out.
    StoreMissing,
    /// A loop whose iterations come in order, or together, made parallel.
    LoopMadeParallel,
    /// An allocation, one element shorter in a dimension.
    AllocationShrunk,
    /// The factor by which a buffer is folded, lesser everywhere.
    FoldChanged,
    /// What a sliding window computes in the first iteration, or in the others, one more or less.
    WindowChanged,
    /// A load of a neighbour, with its claim changed alike.
    LoadRedirected,
    /// A store to a neighbour, with its claim changed alike.
    StoreRedirected,
    /// Two neighbouring statements, in the other order.
    StatementsSwapped,
    /// An atomic update, made a read and a write.
    AtomicDropped,
    /// An entry check, left out, or one of the conditions that it joins.
    EntryCheckWeakened,
    /// A bound or coordinate that is computed, one more or less wherever it is used.
    BoundWrong,
    /// A func's memory, taken further in or further out.
    StorageMoved,
    /// The condition or the number of iterations that ends a loop: another comparison, a constant one more or less.
    TailWrong,
    /// Two loops, one within the other, in the other order.
    LoopsSwapped,
    /// A stage of a func, left out: the initialisation, say.
    StageMissing,
    /// A stage that writes a neighbour.
    WriteShifted,
    /// A coordinate of a store's prophecy, one more or less, or another coordinate in its place.
    ProphecyWrong,
    /// A prophecy of another stage.
    ProphecyStage,
    /// A store without prophecy.
    ProphecyMissing,
    /// A coordinate of a load's claim, one more or less.
    AccessWrong,
    /// A load without claim.
    AccessMissing,
    /// A func's needed region, one shorter in a dimension.
    NeededShrunk,
    /// A func's needed region, one longer in a dimension, or elsewhere.
    NeededGrown,
    /// A func computed without a label.
    LabelMissing,
}

impl MutantKind {
    /// Those of final programs.
    pub const FINAL: &[Self] = &[
        Self::IndexOffByOne,
        Self::LoopBoundChanged,
        Self::OperandsSwapped,
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

    /// Those of structured programs.
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

    /// Those of final programs' annotations.
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

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::IndexOffByOne => "index off by one",
            Self::LoopBoundChanged => "loop bound changed",
            Self::OperandsSwapped => "operands swapped",
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

/// A program with one defect. Whether it is wrong is another question: some changes are equivalent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    /// The kind of defect.
    pub kind: MutantKind,
    /// The program.
    pub program: Program,
    /// Where and what, for people.
    pub description: String,
    /// The statement of the original that was changed.
    pub changed: StmtId,
    site: Site,
}

impl Mutant {
    /// The original with a check before the changed statement, which ends the run where the changed expression would have another value, or the dropped guard does not
    /// hold. `None` where the change is another one, or of a vector.
    pub fn probe(&self, pool: &mut Pool, original: &Program) -> Option<Program> {
        let condition = self.site.unchanged(pool)?;
        let check = Check::SizeLimit { what: "the change".to_owned() };
        let check = pool.stmt(Stmt::Assert { condition, check });
        let checked = Stmt::Block(vec![check, self.changed]);
        let body = self.site.replace(pool, original.body, &checked)?;
        Some(Program { body, ..original.clone() })
    }
}

/// Up to `count` different mutants of a program, `kinds` in turns as far as the program has places for them. The same seed makes the same mutants.
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
    // Where few are made, they are not always of the first kinds.
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
