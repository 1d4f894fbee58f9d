//! The regions in a program's entry checks.

use halidom_interp::{Bindings, StartupError, evaluate_expr};
use halidom_ir::{Check, Expr, ExprId, FuncId, Interval, Pool, Program, Stmt, StmtId, VarId};

/// A region check: the coordinates of an input or output that are needed.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// The input or output.
    pub func: FuncId,
    /// The dimension.
    pub dim: usize,
    /// The needed coordinates.
    pub needed: Interval,
    /// The given coordinates.
    pub given: Interval,
}

/// The region checks of a program.
#[derive(Clone, Debug, Default)]
pub struct Regions {
    /// Checks of inputs.
    pub inputs: Vec<Region>,
    /// Checks of outputs.
    pub outputs: Vec<Region>,
}

impl Regions {
    /// Collects the checks among the statements at the top of a program.
    pub fn of(pool: &Pool, program: &Program) -> Self {
        let mut regions = Self::default();
        regions.collect(pool, program.body);
        regions
    }

    fn collect(&mut self, pool: &Pool, stmt: StmtId) {
        let stmt = pool.get_stmt(stmt);
        if let Stmt::Assert { check, .. } = stmt {
            if let Check::InputRegion { input: func, dim, needed, given } = *check {
                self.inputs.push(Region { func, dim, needed, given });
            }
            if let Check::OutputRegion { output: func, dim, needed, given } = *check {
                self.outputs.push(Region { func, dim, needed, given });
            }
        }
        if matches!(stmt, Stmt::Block(_) | Stmt::Let { .. }) {
            stmt.children().for_each(|child| self.collect(pool, child));
        }
    }
}

/// The least coordinate and the number of coordinates of an interval. The number is at least 0;
/// both fit into 64 bits.
pub(super) fn evaluate(
    pool: &Pool,
    interval: Interval,
    bindings: &Bindings,
) -> Result<(i64, i64), StartupError> {
    let number = |expr: ExprId| {
        let value = evaluate_expr(pool, expr, bindings)?.as_integer().unwrap_or_default();
        Ok::<_, StartupError>(value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64)
    };
    Ok((number(interval.min)?, number(interval.extent)?.max(0)))
}

/// The variables that occur in expressions.
pub(super) fn variables(pool: &Pool, exprs: &[ExprId]) -> Vec<VarId> {
    let mut found = Vec::new();
    for expr in exprs {
        pool.for_each_subexpr(*expr, &mut |_, expr| {
            if let Expr::Var(var) = expr
                && !found.contains(var)
            {
                found.push(*var);
            }
        });
    }
    found
}
