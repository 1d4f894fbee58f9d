//! Entry checks that the floats of parameters by which data become coordinates are small.
//!
//! # Correctness
//! A table that is read at `i32(clamp(a(x), 0, 1) * scale)` needs an element for each coordinate
//! that data may give: the compiled code converts `scale` to an integer, and nothing checks that it
//! fits. The verdict is therefore about callers whose floats are small
//! ([`Condition::ScaleLimits`]). The checks come from the pipeline's definitions alone, and only
//! where a float that depends on data becomes an integer in a coordinate.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BinaryOp, Check, Constant, Expr, ExprId, Pool, Scalar, StmtId, VarId};

use super::walk::Walk;
use crate::{Condition, SCALE_LIMIT};

impl Walk<'_> {
    /// The entry checks for floats by which data become coordinates.
    pub(super) fn scales(&mut self, pool: &mut Pool) -> Vec<StmtId> {
        let params = self.source.params.iter().map(|(_, var, _)| *var).collect();
        let mut scales = Scales { params, met: FxHashSet::default(), found: IndexSet::default() };
        for coordinate in self.coordinates(pool) {
            let mut converted = Vec::new();
            pool.for_each_subexpr(coordinate, &mut |_, node| {
                if let Expr::Cast(to, operand) = node
                    && !to.is_float()
                    && pool.ty(*operand).scalar.is_float()
                {
                    converted.push(*operand);
                }
            });
            for operand in converted {
                if reads(pool, operand) {
                    scales.collect(pool, operand);
                }
            }
        }
        let mut checks = Vec::new();
        for scale in scales.found {
            let (low, high) = (number(pool, scale, -SCALE_LIMIT), number(pool, scale, SCALE_LIMIT));
            let above = pool.binary(BinaryOp::Le, low, scale);
            let below = pool.binary(BinaryOp::Le, scale, high);
            let condition = pool.binary(BinaryOp::And, above, below);
            let check = Check::SizeLimit { what: halidom_ir::print::expr(pool, scale) };
            checks.push(self.contract.add(pool, Condition::ScaleLimits, (condition, check)));
        }
        checks
    }
}

/// The floats of parameters alone that were found so far.
struct Scales {
    params: FxHashSet<VarId>,
    met: FxHashSet<ExprId>,
    found: IndexSet<ExprId>,
}

impl Scales {
    /// Tests whether an expression has a value that parameters alone determine.
    fn is_of_parameters(&self, pool: &Pool, expr: ExprId) -> bool {
        let (mut has_parameter, mut is_alone) = (false, true);
        pool.for_each_subexpr(expr, &mut |_, node| {
            let is_parameter = matches!(node, Expr::Var(var) if self.params.contains(var));
            has_parameter |= is_parameter;
            is_alone &= is_parameter
                || !matches!(node, Expr::Var(_) | Expr::Ref { .. } | Expr::Load { .. });
        });
        has_parameter && is_alone
    }

    /// Collects the greatest parts of a float that are floats of parameters alone.
    fn collect(&mut self, pool: &mut Pool, expr: ExprId) {
        if !self.met.insert(expr) || !pool.ty(expr).scalar.is_float() {
            return;
        }
        if self.is_of_parameters(pool, expr) {
            self.found.insert(expr);
            return;
        }
        let node: Expr = pool.get(expr).clone();
        if let Expr::Binary(BinaryOp::Div, dividend, divisor) = node
            && self.is_of_parameters(pool, divisor)
        {
            let one = number(pool, divisor, 1);
            let reciprocal = pool.binary(BinaryOp::Div, one, divisor);
            self.found.insert(reciprocal);
            self.collect(pool, dividend);
        } else if !matches!(node, Expr::Ref { .. }) {
            let mut operands = Vec::new();
            node.for_each_operand(|operand| operands.push(operand));
            for operand in operands {
                self.collect(pool, operand);
            }
        }
    }
}

/// Tests whether an expression reads a func or an input.
fn reads(pool: &Pool, expr: ExprId) -> bool {
    let mut reads = false;
    pool.for_each_subexpr(expr, &mut |_, node| reads |= matches!(node, Expr::Ref { .. }));
    reads
}

/// A number in the type of a float.
fn number(pool: &mut Pool, of: ExprId, value: i32) -> ExprId {
    let value = f64::from(value);
    let narrow = pool.ty(of).scalar == Scalar::F32;
    pool.constant(if narrow { Constant::f32(value as f32) } else { Constant::f64(value) })
}
