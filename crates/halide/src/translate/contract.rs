//! The conditions that a translated statement rests on beyond its own checks, as data.

use std::collections::BTreeSet;

use halidom_base::FxHashSet;
use halidom_ir::{Check, ExprId, Pool, Stmt, StmtId};

use super::ops::Widths;
use crate::Condition;

/// A condition as an entry check of the translated program. The compiled code does not evaluate it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The condition of the closed list that it is a part of.
    pub condition: Condition,
    /// The expression of the entry check.
    pub expr: ExprId,
}

/// The conditions that a verdict rests on beyond the statement's own checks, and the widths in
/// which the code computes.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// Conditions with an entry check.
    pub clauses: Vec<Clause>,
    /// Conditions without an entry check, on the way in which the code runs.
    pub others: BTreeSet<Condition>,
    /// The widths in which the code computes `int`s.
    pub widths: Widths,
    /// Extents of outputs that the pipeline fixes to 1.
    pub single: FxHashSet<ExprId>,
    /// True if the code generator refuses to allocate 2^31 bytes or more, as it does unless the
    /// target leaves assertions out.
    pub checks_memory: bool,
}

impl Contract {
    /// Adds an entry check for a part of a condition.
    pub fn add(
        &mut self,
        pool: &mut Pool,
        condition: Condition,
        (expr, check): (ExprId, Check),
    ) -> StmtId {
        self.clauses.push(Clause { condition, expr });
        pool.stmt(Stmt::Assert { condition: expr, check })
    }

    /// All conditions, each once.
    pub fn conditions(&self) -> BTreeSet<Condition> {
        let clauses = self.clauses.iter().map(|clause| clause.condition.clone());
        clauses.chain(self.others.iter().cloned()).collect()
    }
}
