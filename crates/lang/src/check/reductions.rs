//! Inline reductions: each becomes a separate func with one update stage.

use halidom_base::FxHashSet;
use halidom_diag::Span;
use halidom_ir::{
    BinaryOp, Constant, Expr as IrExpr, ExprId, FuncDecl, FuncKind, Scalar, Stage, Substitution,
    Type, VarId,
};

use crate::codes;
use crate::syntax::ast::{Domain, Expr, Name};

use super::arrays::func_name;
use super::literals::number;
use super::scope::Checker;

/// Returns the operator of a reduction and its value on an empty domain.
fn reduction(name: &str, scalar: Scalar) -> Option<(BinaryOp, Constant)> {
    use halidom_ir::Overflow::Wraps;
    // Without values, the extremes are the ones that every value replaces.
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
        // The comparison by which a value replaces the best one before it: the first of several
        // equal values stays.
        "argmin" => Some((BinaryOp::Lt, greatest)),
        "argmax" => Some((BinaryOp::Gt, least)),
        _ => None,
    }
}

impl<'a, 's> Checker<'a, 's> {
    /// Checks `sum(r in a..b where p: value)`: makes a func of the free pure and reduction
    /// variables in it. The values of `argmin` and `argmax` are the coordinates, then the value
    /// there.
    pub(super) fn reduction(
        &mut self,
        op: Name<'s>,
        domain: &'a Domain<'s>,
        value: &'a Expr<'s>,
        span: Span,
        hint: Option<Scalar>,
    ) -> Option<Vec<ExprId>> {
        let finds_place = matches!(op.text, "argmin" | "argmax");
        // The type expected of a place is not expected of the value there.
        let hint = if finds_place { None } else { hint };
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
        let mut first = Vec::new();
        if finds_place {
            for variable in &checked.vars {
                first.push(self.pool.cast(Scalar::I32, variable.min));
            }
        }
        first.push(self.pool.constant(initial));
        let scalars: Vec<Scalar> = first.iter().map(|value| self.scalar_of(*value)).collect();
        let pure = Stage { domain: Vec::new(), predicate: None, lhs: lhs.clone(), values: first };
        let func = self.pool.declare_func(FuncDecl {
            name: format!("{}${}", op.text, self.scope.reductions),
            scalars: scalars.clone(),
            args,
            kind: FuncKind::Defined { stages: vec![pure.clone()], synthetic: false },
        });
        let best = self.pool.func_ref(func, scalars.len() - 1, lhs.clone());
        let mut values = Vec::with_capacity(scalars.len());
        if finds_place {
            let better = self.pool.binary(operator, body, best);
            for (component, variable) in checked.vars.iter().enumerate() {
                let here = self.pool.var_expr(variable.var);
                let here = self.pool.cast(Scalar::I32, here);
                let before = self.pool.func_ref(func, component, lhs.clone());
                values.push(self.pool.select(better, here, before));
            }
            values.push(self.pool.select(better, body, best));
        } else {
            values.push(self.pool.binary(operator, best, body));
        }
        let update = Stage { domain: checked.vars, predicate, lhs, values };
        let kind = FuncKind::Defined { stages: vec![pure, update], synthetic: false };
        self.pool.define_func(func, kind);
        self.scope.funcs.push(func);
        self.scope.func_spans.insert(func, span);
        let coords: Vec<ExprId> = free.iter().map(|var| self.pool.var_expr(*var)).collect();
        let components = 0..scalars.len();
        Some(components.map(|n| self.pool.func_ref(func, n, coords.clone())).collect())
    }

    /// Returns the variables that the enclosing stage binds, in order of declaration.
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

    /// True if an expression refers to the func that is being defined.
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
