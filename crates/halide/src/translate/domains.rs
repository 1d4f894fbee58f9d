//! Entry checks that reduction domains are not negative: assumptions about callers.
//!
//! # Correctness
//! A pipeline has no value where a reduction domain's extent is negative (FS Definition 5.2), and
//! Halide does not check it at entry: the behaviour of its code there is neither right nor wrong.
//! The verdict is therefore about callers that respect this condition, just as it is about callers
//! for which the pipeline's values do not overflow, and it lists the condition. The assumption
//! covers only the pipeline as written. Domains that a directive derives from others are the
//! compiler's, and the validator must show that they are not negative. Nothing is assumed about an
//! extent that is not a function of parameters and shapes, nor about a constant one.

use halidom_base::FxHashSet;
use halidom_ir::{BinaryOp, Check, Expr as IrExpr, ExprId, Pool, Scalar, Stmt, StmtId, print};

use super::walk::Walk;
use crate::tree::{self, Expr, Type};
use crate::{Condition, SIZE_LIMIT};

/// The suffix of the message of such an assumption.
const UNCHECKED: &str = "a negative extent has no meaning; Halide does not check";

impl Walk<'_> {
    /// The entry checks for domains that the checks in `checked` do not cover.
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
                // An extent that is computed from floats is a machine integer.
                let extent = pool.cast(Scalar::Int, extent);
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

/// Collects the conditions of the entry checks at the top of a statement.
fn asserted(pool: &Pool, stmt: StmtId, known: &mut FxHashSet<ExprId>) {
    let stmt = pool.get_stmt(stmt);
    if let Stmt::Assert { condition, .. } = stmt {
        conjuncts(pool, *condition, known);
    }
    if matches!(stmt, Stmt::Block(_) | Stmt::Let { .. } | Stmt::Allocate { .. }) {
        stmt.children().for_each(|child| asserted(pool, child, known));
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
