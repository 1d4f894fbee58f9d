//! Reduction domains.

use halidom_diag::{Diagnostic, Span};
use halidom_ir::{ExprId, ReductionVar, Scalar, Type};

use crate::codes;
use crate::syntax::ast::{Domain, Name, Range};

use super::scope::{Checker, Value};

/// A domain whose variables are in scope.
#[derive(Debug)]
pub(super) struct CheckedDomain {
    pub(super) vars: Vec<ReductionVar>,
    pub(super) predicate: Option<ExprId>,
    /// True if every part was correct.
    pub(super) complete: bool,
}

impl<'a, 's> Checker<'a, 's> {
    /// Checks a domain and puts its variables in scope; the caller removes them again.
    pub(super) fn domain(&mut self, domain: &'a Domain<'s>) -> CheckedDomain {
        let before = self.diagnostics.len();
        // All variables come first, so that a bound that mentions one of them gets the right error.
        let mut vars = Vec::with_capacity(domain.vars.len());
        for (position, (name, _)) in domain.vars.iter().enumerate() {
            let var = self.pool.declare_var(name.text, Type::INT);
            let earlier = domain.vars[..position].iter().find(|(other, _)| other.text == name.text);
            match earlier {
                Some((other, _)) => self.duplicate_reduction(*name, other.span),
                None => {
                    let id = self.pool.var_expr(var);
                    self.bind(*name, Value::Expr(id));
                }
            }
            vars.push(var);
        }
        let mut checked = Vec::with_capacity(vars.len());
        for (var, (_, range)) in vars.into_iter().zip(&domain.vars) {
            if let Some((min, extent)) = self.range(range) {
                self.refuse_negative(range, extent);
                checked.push(ReductionVar { var, min, extent });
            }
        }
        let predicate =
            domain.predicate.as_ref().and_then(|predicate| self.check(predicate, Scalar::Bool));
        let complete = self.diagnostics.len() == before
            && checked.len() == domain.vars.len()
            && predicate.is_some() == domain.predicate.is_some();
        CheckedDomain { vars: checked, predicate, complete }
    }

    fn duplicate_reduction(&mut self, name: Name<'s>, first: Span) {
        let message = format!("the reduction variable `{}` is declared twice", name.text);
        let diagnostic = Diagnostic::error(codes::DUPLICATE_REDUCTION, name.span, message)
            .with_label(first, "declared here");
        self.report(diagnostic);
    }

    /// Refuses a domain that ends before it begins, which is an error in every run of the pipeline
    /// (FS Fig. 6, RDom-Err).
    fn refuse_negative(&mut self, range: &Range<'s>, extent: ExprId) {
        if let Some(extent) = self.integer(extent).filter(|extent| *extent < 0) {
            let span = range.min.span.to(range.end.span);
            let hint = "write the least value first; `a..a` has no values";
            let remedy = self.swapped(hint, range, span);
            let message = format!("this domain has a negative extent: {extent}");
            self.fail_with_hint::<()>(codes::DOMAIN_NEGATIVE, span, message, remedy);
        }
    }

    /// Returns the least value and the number of values of `min..end`.
    pub(super) fn range(&mut self, range: &'a Range<'s>) -> Option<(ExprId, ExprId)> {
        let min = self.bound(&range.min);
        let end = self.bound(&range.end);
        let (min, end) = (min?, end?);
        let constants = (self.integer(min), self.integer(end));
        let extent = match constants {
            (Some(0), _) => end,
            (Some(min), Some(end)) => self.pool.int(end - min),
            _ => self.pool.sub(end, min),
        };
        Some((min, extent))
    }

    fn integer(&self, id: ExprId) -> Option<i128> {
        self.pool.as_constant(id).and_then(halidom_ir::Constant::as_integer)
    }

    /// Checks a bound: a startup expression (FS Definition 4.4).
    fn bound(&mut self, expr: &'a crate::syntax::ast::Expr<'s>) -> Option<ExprId> {
        let id = self.check(expr, Scalar::Int)?;
        if self.is_startup(id) {
            return Some(id);
        }
        self.fail_with_hint(
            codes::DOMAIN_STARTUP,
            expr.span,
            "the bound of a reduction variable depends on more than parameters and shapes",
            "take a bound that parameters and shapes give, and restrict the domain with `where`",
        )
    }
}
