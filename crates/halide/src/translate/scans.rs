//! Searches in the statements that follow one.

use halidom_base::FxHashSet;

use super::kernels::mentions;
use crate::NameId;
use crate::tree::{Construct, Stmt, StmtKind};

/// Tests whether an entry check may follow: an assertion outside of all loops.
pub(super) fn contains_assert(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| {
        let mut found = stmt.construct() == Construct::Assert;
        if stmt.construct() != Construct::For {
            stmt.for_each_block(&mut |block| found |= contains_assert(block));
        }
        found
    })
}

/// Tests whether a store that runs whenever the block does mentions a name, even through a let.
pub(super) fn is_stored(block: &[Stmt], name: NameId) -> bool {
    let names = FxHashSet::from_iter([name]);
    block.iter().enumerate().any(|(number, stmt)| {
        if let StmtKind::Let { name: other, value } = &stmt.kind {
            return mentions(value, &names) && is_stored(&block[number + 1..], *other);
        }
        if let StmtKind::Store { name: _, index, alignment: _, value, predicate: _ } = &stmt.kind {
            return mentions(index, &names) || mentions(value, &names);
        }
        if let StmtKind::ProducerConsumer { name: _, role: _, body } | StmtKind::Scope(body) =
            &stmt.kind
        {
            return is_stored(body, name);
        }
        false
    })
}

/// The uses of a vector in the statements after its name is bound.
pub(super) struct Uses {
    /// The name, and the names that depend on it.
    pub(super) names: FxHashSet<NameId>,
    /// True if memory that the vector reads may have been written.
    pub(super) written: bool,
}

impl Uses {
    /// Tests whether the vector may be used after memory that it reads is written. The answer errs
    /// on the side of yes.
    pub(super) fn are_late(&mut self, block: &[Stmt], overwrites: &dyn Fn(NameId) -> bool) -> bool {
        block.iter().any(|stmt| {
            if let StmtKind::Let { name, value } = &stmt.kind {
                let uses = mentions(value, &self.names);
                if uses {
                    self.names.insert(*name);
                }
                return uses && self.written;
            }
            if let StmtKind::Store { name, index, alignment: _, value, predicate } = &stmt.kind {
                let uses = [Some(index), Some(value), predicate.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|expr| mentions(expr, &self.names));
                let late = uses && self.written;
                self.written |= overwrites(*name);
                return late;
            }
            if let StmtKind::ProducerConsumer { name: _, role: _, body } | StmtKind::Scope(body) =
                &stmt.kind
            {
                return self.are_late(body, overwrites);
            }
            // Anything else may use the vector, and loops may do so again.
            let mut stores = |stored| self.written |= overwrites(stored);
            for_each_store(std::slice::from_ref(stmt), &mut stores);
            self.written
        })
    }
}

/// Tests whether a block stores to some memory.
pub(super) fn are_stored(block: &[Stmt], is_it: &dyn Fn(NameId) -> bool) -> bool {
    let mut found = false;
    for_each_store(block, &mut |name| found |= is_it(name));
    found
}

/// Calls `visit` with the name of every buffer that is stored to.
fn for_each_store(block: &[Stmt], visit: &mut impl FnMut(NameId)) {
    for stmt in block {
        if let StmtKind::Store { name, index: _, alignment: _, value: _, predicate: _ }
        | StmtKind::Provide { name, args: _, values: _, predicate: _ } = &stmt.kind
        {
            visit(*name);
        }
        stmt.for_each_block(&mut |block| for_each_store(block, visit));
    }
}
