//! Mutants of final programs: each differs from the original in one place, as a defect of lowering would.

mod edit;
mod sites;

use halidom_ir::{Pool, Program};

use crate::Random;
use sites::Site;

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
    /// A coordinate of a store's prophecy, one more or less.
    ProphecyWrong,
    /// A store, left out.
    StoreMissing,
    /// A serial loop, made parallel.
    LoopMadeParallel,
    /// An allocation, one element shorter in a dimension.
    AllocationShrunk,
    /// A func's needed region, one shorter in a dimension.
    NeededShrunk,
    /// The factor by which a buffer is folded, lesser everywhere.
    FoldChanged,
    /// What a sliding window computes in the first iteration, or in the others, one more or less.
    WindowChanged,
    /// A load of a neighbour, with its claim changed alike.
    LoadRedirected,
    /// Two neighbouring statements, in the other order.
    StatementsSwapped,
    /// An atomic update, made a read and a write.
    AtomicDropped,
    /// An entry check, left out, or one of the conditions that it joins.
    EntryCheckWeakened,
}

impl MutantKind {
    /// Every kind.
    pub const ALL: [Self; 16] = [
        Self::IndexOffByOne,
        Self::LoopBoundChanged,
        Self::OperandsSwapped,
        Self::ConstantChanged,
        Self::GuardDropped,
        Self::ProphecyWrong,
        Self::StoreMissing,
        Self::LoopMadeParallel,
        Self::AllocationShrunk,
        Self::NeededShrunk,
        Self::FoldChanged,
        Self::WindowChanged,
        Self::LoadRedirected,
        Self::StatementsSwapped,
        Self::AtomicDropped,
        Self::EntryCheckWeakened,
    ];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::IndexOffByOne => "index off by one",
            Self::LoopBoundChanged => "loop bound changed",
            Self::OperandsSwapped => "operands swapped",
            Self::ConstantChanged => "constant changed",
            Self::GuardDropped => "guard dropped",
            Self::ProphecyWrong => "prophecy wrong",
            Self::StoreMissing => "store missing",
            Self::LoopMadeParallel => "loop made parallel",
            Self::AllocationShrunk => "allocation shrunk",
            Self::NeededShrunk => "needed region shrunk",
            Self::FoldChanged => "fold changed",
            Self::WindowChanged => "window changed",
            Self::LoadRedirected => "load redirected",
            Self::StatementsSwapped => "statements swapped",
            Self::AtomicDropped => "atomic dropped",
            Self::EntryCheckWeakened => "entry check weakened",
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
}

/// Up to `count` different mutants of a final program (flat storage), the kinds in turns as far as the program has places for them. The same seed makes the
/// same mutants.
pub fn mutants(pool: &mut Pool, program: &Program, seed: u64, count: usize) -> Vec<Mutant> {
    let mut random = Random::new(seed);
    let mut by_kind: Vec<Vec<Site>> = MutantKind::ALL
        .into_iter()
        .map(|kind| {
            let mut sites = sites::collect(pool, program, kind);
            random.shuffle(&mut sites);
            sites
        })
        .collect();
    let mut made = Vec::new();
    while made.len() < count && by_kind.iter().any(|sites| !sites.is_empty()) {
        for (kind, sites) in MutantKind::ALL.into_iter().zip(&mut by_kind) {
            if made.len() == count {
                break;
            }
            if let Some(site) = sites.pop()
                && let Some((body, description)) = site.apply(pool, program.body)
            {
                let program = Program { body, ..program.clone() };
                made.push(Mutant { kind, program, description });
            }
        }
    }
    made
}
