//! That reduction domains are not negative, as entry checks: assumptions about callers.
//!
//! # Correctness
//! A pipeline has no value where a reduction domain's extent is negative (FS Definition 5.2), and Halide checks nothing of it at entry: what its code does there is neither right nor wrong. So the
//! verdict is about callers that keep to it, as it is about those on which the pipeline's values do not overflow, and lists it. It may be assumed of what the pipeline itself says only: the domains that
//! a directive makes of others are the compiler's, and that they are not negative is to be shown. What is no function of parameters and shapes, and a constant, is assumed nothing of.

use halidom_base::FxHashSet;
use halidom_ir::{BinaryOp, Check, Expr as IrExpr, ExprId, Pool, Stmt, StmtId, print};

use super::program::Walk;
use crate::tree::{self, Expr, Type};
use crate::{Condition, SIZE_LIMIT};

/// What the words of such an assumption end with.
const UNCHECKED: &str = "a negative extent has no meaning; Halide does not check";

impl Walk<'_> {
    /// The entry checks for what `checked` does not check.
    pub(super) fn domains(&mut self, pool: &mut Pool, checked: &[StmtId]) -> Vec<StmtId> {
        let mut known = FxHashSet::default();
        for stmt in checked {
            asserted(pool, *stmt, &mut known);
        }
        let mut checks = Vec::new();
        for domain in &self.source.domains {
            let operands = [Expr::Int(0, Type::INT32), domain.extent.clone()];
            let condition = Expr::Binary(tree::BinaryOp::Le, Box::new(operands));
            let Some(condition) = self.late_check(pool, &condition) else { continue };
            if let IrExpr::Binary(_, _, extent) = *pool.get(condition) {
                let limit = pool.int(SIZE_LIMIT);
                let fits = pool.binary(BinaryOp::Lt, extent, limit);
                if pool.as_constant(extent).is_none() && known.insert(fits) {
                    let check = Check::SizeLimit { what: print::expr(pool, extent) };
                    checks.push(self.contract.add(pool, Condition::SizeLimits, (fits, check)));
                }
            }
            if known.insert(condition) {
                let name = &pool.func(domain.func).name;
                let stage = domain.stage;
                let message = format!("reduction domain of stage {stage} of {name} ({UNCHECKED})");
                let check = Check::Require { message };
                checks.push(self.contract.add(pool, Condition::Domains, (condition, check)));
            }
        }
        checks
    }
}

/// Notes what the entry checks at the top of a statement say.
fn asserted(pool: &Pool, stmt: StmtId, known: &mut FxHashSet<ExprId>) {
    match pool.get_stmt(stmt) {
        Stmt::Block(parts) => parts.iter().for_each(|part| asserted(pool, *part, known)),
        Stmt::Let { body, .. } | Stmt::Allocate { body, .. } => asserted(pool, *body, known),
        Stmt::Assert { condition, .. } => conjuncts(pool, *condition, known),
        Stmt::If { .. }
        | Stmt::For { .. }
        | Stmt::Labeled { .. }
        | Stmt::Provide { .. }
        | Stmt::Store { .. } => {}
    }
}

fn conjuncts(pool: &Pool, condition: ExprId, known: &mut FxHashSet<ExprId>) {
    if let IrExpr::Binary(BinaryOp::And, a, b) = *pool.get(condition) {
        conjuncts(pool, a, known);
        conjuncts(pool, b, known);
    } else {
        known.insert(condition);
    }
}
