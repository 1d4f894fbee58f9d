//! Inline reductions: each becomes a func of its own with one update stage.

use halidom_base::FxHashSet;
use halidom_diag::Span;
use halidom_ir::{
    BinaryOp, Constant, Expr as IrExpr, ExprId, FuncDecl, FuncKind, ReductionVar, Scalar, Stage,
    Substitution, Type, VarId,
};

use crate::codes;
use crate::syntax::ast::{Domain, Expr, Name};

use super::arrays::func_name;
use super::literals::number;
use super::scope::Checker;

/// The operator of a reduction and its value on an empty domain.
fn reduction(name: &str, scalar: Scalar) -> Option<(BinaryOp, Constant)> {
    use halidom_ir::Overflow::Wraps;
    // Without values, the extremes are those that every value replaces.
    let (least, greatest) = if scalar == Scalar::F32 {
        (Constant::f32(f32::NEG_INFINITY), Constant::f32(f32::INFINITY))
    } else if scalar == Scalar::F64 {
        (Constant::f64(f64::NEG_INFINITY), Constant::f64(f64::INFINITY))
    } else {
        let (low, high) = scalar.range()?;
        (number(scalar, low)?, number(scalar, high)?)
    };
    match name {
        "sum" => Some((BinaryOp::Add(Wraps), Constant::zero(scalar))),
        "product" => Some((BinaryOp::Mul(Wraps), number(scalar, 1)?)),
        "minimum" => Some((BinaryOp::Min, greatest)),
        "maximum" => Some((BinaryOp::Max, least)),
        _ => None,
    }
}

impl<'a, 's> Checker<'a, 's> {
    /// `sum(r in a..b where p: value)`: a func of the pure and reduction variables that stand free in it.
    pub(super) fn reduction(
        &mut self,
        op: Name<'s>,
        domain: &'a Domain<'s>,
        value: &'a Expr<'s>,
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<ExprId> {
        if matches!(op.text, "argmin" | "argmax") {
            let message = format!("`{}` is not supported: its value is a tuple", op.text);
            return self.fail(codes::UNSUPPORTED, op.span, message);
        }
        let outside = self.scope.bindings.len();
        let checked = self.domain(domain);
        let body = self.infer(value, hint);
        self.scope.bindings.truncate(outside);
        let mut body = body?;
        if !checked.complete {
            return None;
        }
        let scalar = self.scalar_of(body);
        let Some((operator, initial)) =
            (scalar != Scalar::Bool).then(|| reduction(op.text, scalar)).flatten()
        else {
            let message = format!("`{}` is not defined for `{scalar}`", op.text);
            let hint = "reduce machine integers or floats";
            return self.fail_with_hint(codes::OPERAND, value.span, message, hint);
        };
        if self.reads_current(body) || checked.predicate.is_some_and(|id| self.reads_current(id)) {
            let message = format!(
                "a `{}` is a func of its own and cannot read the func that is being updated",
                op.text
            );
            let hint = "write the reduction as a `for` of this func";
            return self.fail_with_hint(codes::SELF_REFERENCE, span, message, hint);
        }

        let own: FxHashSet<VarId> = checked.vars.iter().map(|reduction| reduction.var).collect();
        let mut predicate = checked.predicate;
        let free = self.free_vars(&own, predicate.into_iter().chain([body]));
        let mut substitution = Substitution::new();
        let mut args = Vec::with_capacity(free.len());
        for var in &free {
            let arg = self.pool.declare_var(self.pool.var(*var).name.clone(), Type::INT);
            let id = self.pool.var_expr(arg);
            substitution.insert(*var, id);
            args.push(arg);
        }
        body = substitution.apply(&mut self.pool, body);
        predicate = predicate.map(|id| substitution.apply(&mut self.pool, id));

        self.scope.reductions += 1;
        let lhs: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let initial = self.pool.constant(initial);
        let pure =
            Stage { domain: Vec::new(), predicate: None, lhs: lhs.clone(), values: vec![initial] };
        let func = self.pool.declare_func(FuncDecl {
            name: format!("{}${}", op.text, self.scope.reductions),
            scalars: vec![scalar],
            args,
            kind: FuncKind::Defined { stages: vec![pure.clone()], synthetic: false },
        });
        let old = self.pool.func_ref(func, 0, lhs.clone());
        let value = self.pool.binary(operator, old, body);
        let domain: Vec<ReductionVar> = checked.vars;
        let update = Stage { domain, predicate, lhs, values: vec![value] };
        let kind = FuncKind::Defined { stages: vec![pure, update], synthetic: false };
        self.pool.define_func(func, kind);
        self.scope.funcs.push(func);
        self.scope.func_spans.insert(func, span);
        let coords: Vec<ExprId> = free.iter().map(|var| self.pool.var_expr(*var)).collect();
        Some(self.pool.func_ref(func, 0, coords))
    }

    /// Variables that the enclosing stage binds, in order of declaration.
    fn free_vars(&self, own: &FxHashSet<VarId>, roots: impl Iterator<Item = ExprId>) -> Vec<VarId> {
        let mut free = Vec::new();
        for root in roots {
            self.pool.for_each_subexpr(root, &mut |_, node| {
                if let IrExpr::Var(var) = node
                    && !own.contains(var)
                    && !self.scope.startup.contains(var)
                {
                    free.push(*var);
                }
            });
        }
        free.sort_unstable();
        free.dedup();
        free
    }

    /// Whether an expression refers to the func that is being defined.
    fn reads_current(&self, root: ExprId) -> bool {
        let Some(current) = self.scope.current else { return false };
        let name = func_name(current.name, current.element);
        let mut reads = false;
        self.pool.for_each_subexpr(root, &mut |_, node| {
            if let IrExpr::Ref { func, .. } = node {
                reads |= self.pool.func(*func).name == name;
            }
        });
        reads
    }
}
