//! Mutants of programs: each differs from the original in one place, as a defect of lowering would.
//!
//! [`MutantKind::FINAL`] lists changes of final programs. [`MutantKind::LOWERING`] lists changes of
//! structured ones, which are then lowered like any other program. A wrong bound or a misplaced
//! allocation in one place of a structured program affects every related place of the final one,
//! claims included. [`MutantKind::ANNOTATIONS`] lists changes of a final program's annotations,
//! which do not change its behaviour.

mod change;
mod edit;
mod kind;
mod parts;
mod sites;

use halidom_ir::{Check, Pool, Program, Stmt, StmtId};

use crate::Random;
pub(crate) use edit::{Path, for_each_subexpr, replace_subexpr, subexpr};
pub use kind::MutantKind;
use sites::Site;
pub(crate) use sites::{neighbours, swappable};

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
