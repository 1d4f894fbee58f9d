//! What a translated statement rests on beyond its own checks, as data.

use std::collections::BTreeSet;

use halidom_base::FxHashSet;
use halidom_ir::{Check, ExprId, Pool, Stmt, StmtId};

use super::ops::Widths;
use crate::Condition;

/// A condition as an entry check of the translated program. The code does not evaluate it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// Which condition of the closed list it is a part of.
    pub condition: Condition,
    /// What the entry check says.
    pub expr: ExprId,
}

/// What a verdict rests on beyond the checks that the statement makes, and how wide the code computes.
#[derive(Clone, Debug, Default)]
pub struct Contract {
    /// Conditions that are entry checks.
    pub clauses: Vec<Clause>,
    /// Conditions that are none: on how the code runs.
    pub others: BTreeSet<Condition>,
    /// How wide the code computes `int`s.
    pub widths: Widths,
    /// Extents of outputs that the pipeline fixes to 1.
    pub single: FxHashSet<ExprId>,
    /// Whether the code generator refuses to take memory of 2^31 bytes and more: it does unless the target leaves assertions out.
    pub checks_memory: bool,
}

impl Contract {
    /// An entry check for a part of a condition.
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
