//! The bounds phase (FS §8.5): demands on the compute bounds of a func.

use halidom_ir::{Action, Constant, Directive, ExprId, Type};

use super::{Scheduler, list};
use crate::checks::is_startup;
use crate::error::{Result, ScheduleError};
use crate::nest::{BoundDirective, BoundKind};

impl Scheduler<'_> {
    /// Applies `bound`, `bound_extent`, `align_bounds`.
    pub(super) fn bounds(&mut self, directive: &Directive) -> Result<()> {
        self.refuse_inlined(directive)?;
        let (var, kind) = if let Action::Bound { var, min, extent } = &directive.action {
            for expr in min.iter().chain([extent]) {
                self.startup_int(*expr, directive)?;
            }
            (var, BoundKind::Fixed { min: *min, extent: *extent })
        } else if let Action::AlignBounds { var, modulus, remainder } = &directive.action {
            self.startup_int(*remainder, directive)?;
            let value = self.pool.as_constant(*modulus).and_then(Constant::as_integer);
            if value.is_none_or(|value| value <= 0) {
                return Err(ScheduleError::new(
                    "HAL0615",
                    directive.origin,
                    "bounds can only be aligned to a positive number",
                    "give a number, such as 8",
                ));
            }
            (var, BoundKind::Aligned { modulus: *modulus, remainder: *remainder })
        } else {
            return Ok(());
        };
        let decl = self.pool.func(directive.func);
        let names: Vec<_> = decl.args.iter().map(|arg| self.pool.var(*arg).name.clone()).collect();
        let Some(dim) = names.iter().position(|name| name == var) else {
            return Err(ScheduleError::new(
                "HAL0615",
                directive.origin,
                format!("`{}` has no dimension `{var}`", decl.name),
                format!("its dimensions are {}", list(&names)),
            ));
        };
        if let Some(plan) = self.lowered.plan_mut(directive.func) {
            plan.bounds.push(BoundDirective { dim, kind });
        }
        Ok(())
    }

    fn startup_int(&self, expr: ExprId, directive: &Directive) -> Result<()> {
        if self.pool.ty(expr) == Type::INT && is_startup(self.pool, expr, &self.startup) {
            return Ok(());
        }
        Err(ScheduleError::new(
            "HAL0508",
            directive.origin,
            "bounds can only be fixed to startup expressions",
            "use an `int` over parameters and the shapes of inputs only",
        ))
    }
}
