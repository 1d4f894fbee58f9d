//! Assertions: entry checks, and obligations where work has begun.
//!
//! # Correctness
//! An assertion before all stores and loops is an entry check: inputs that fail it end the run with
//! an error before anything is done. An assertion after some work states nothing about the inputs
//! on which that work runs. If it fails, it ends a run for which the pipeline has a value. It
//! therefore becomes a fault wherever its condition is false, and the validator must show that the
//! fault does not happen. The code after it may rely on the condition, the code before it may not.
//! For an assertion that comes first in loops, or after work that no input changes, an entry check
//! may show it ([`super::late_checks`]).

use halidom_ir::{
    BinaryOp as Op, Check, Constant, Expr, ExprId, Pool, Stmt as IrStmt, StmtId, Type,
};

use super::caller::between;
use super::error::{Result, unsupported};
use super::stores::NOWHERE;
use super::walk::Walk;
use crate::text;
use crate::tree;

impl Walk<'_> {
    /// Translates an assertion. Returns a statement unless the condition is known to hold.
    pub(super) fn assertion(
        &mut self,
        pool: &mut Pool,
        condition: &tree::Expr,
        message: &tree::Expr,
    ) -> Result<Option<StmtId>> {
        // Such a target has no code for assertions.
        if self.source.settings.no_asserts || self.holds_for_callers(condition) {
            return Ok(None);
        }
        if let Some((buffer, bytes)) = self.aligned_host(condition)
            && !self.work_begun
            && self.depth == 0
        {
            let name = self.nodes.names.text(buffer);
            self.note(&format!(
                "checked of callers: the elements of `{name}` begin at a multiple of {bytes} bytes"
            ));
            return Ok(None);
        }
        let stated = condition;
        if self.depth > 0 {
            self.check_first(pool, condition, message);
        }
        let condition = self.scalar(pool, condition)?.id;
        if pool.ty(condition) != Type::BOOL {
            return unsupported("an assertion of something that is no truth value");
        }
        let known = pool.as_constant(condition).and_then(Constant::as_bool);
        if known == Some(true) {
            return Ok(None);
        }
        if self.work_begun || self.depth > 0 {
            let owed = self.owed(pool, condition)?;
            self.check_late(pool, stated, message, owed);
            return Ok(Some(owed));
        }
        if known == Some(false) {
            let message = text::print_expr(message, self.nodes.names);
            return unsupported(format!("an entry check that never holds ({message})"));
        }
        self.limited(pool, condition);
        let condition = between(pool, condition);
        let check = match self.input_region(pool, message) {
            Some(check) => check,
            None => {
                let message = text::print_expr(message, self.nodes.names);
                Check::Require { message }
            }
        };
        Ok(Some(pool.stmt(IrStmt::Assert { condition, check })))
    }

    /// Notes the minimum or maximum that an entry check on a float parameter makes idle.
    ///
    /// # Correctness
    /// After `p <= c`, the minimum of `p` and `c` is `p`, with the bits of `p` if `c` is not 0: `p`
    /// is no NaN, and where the two are equal they have the same bits. If `c` is 0 and the pipeline
    /// names it as an end of the range of `p`, [`Zeros`](crate::Condition::Zeros) says that `p` is
    /// not -0. Maxima are alike.
    fn limited(&mut self, pool: &Pool, condition: ExprId) {
        let Expr::Binary(Op::Le, a, b) = *pool.get(condition) else { return };
        for (op, param, number) in [(Op::Min, a, b), (Op::Max, b, a)] {
            let (Expr::Var(var), Some(value)) = (pool.get(param), pool.as_constant(number)) else {
                continue;
            };
            let value = value.as_f64().or(value.as_f32().map(f64::from));
            let Some(value) = value.filter(|value| !value.is_nan()) else { continue };
            let has_zero = || self.zero_limits().any(|(limited, _)| limited == *var);
            let is_param = self.source.params.iter().any(|(_, known, _)| known == var);
            if is_param && (value != 0.0 || (value.is_sign_positive() && has_zero())) {
                self.memo.widths.limit(op, param, number);
            }
        }
    }

    /// A statement that faults where a condition is false.
    pub(super) fn owed(&mut self, pool: &mut Pool, condition: ExprId) -> Result<StmtId> {
        let callers = self.source.inputs.iter().map(|(_, buffer)| *buffer);
        let Some(buffer) = callers.chain(self.outputs.iter().copied()).next() else {
            return unsupported("an obligation of a pipeline without buffers");
        };
        let nowhere = pool.int(NOWHERE);
        let value = pool.load(buffer, nowhere, None);
        let var = pool.declare_var("owed", pool.ty(value));
        let nothing = pool.stmt(IrStmt::Block(Vec::new()));
        let fault = pool.stmt(IrStmt::Let { var, value, body: nothing });
        let known = pool.as_constant(condition).and_then(Constant::as_bool);
        Ok(match known {
            Some(true) => nothing,
            Some(false) => fault,
            None => {
                pool.stmt(IrStmt::If { condition, then_branch: nothing, else_branch: Some(fault) })
            }
        })
    }
}
