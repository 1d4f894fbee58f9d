//! `rfactor`: splits an update over a domain into an update of a new func, separate for each value
//! of some of its variables, and an update that merges the results.

use halidom_encode::law::{self, Law, Operator, Verdict};
use halidom_ir::{
    Action, BinaryOp, Constant, Directive, Expr, ExprId, FuncDecl, FuncId, FuncKind, Pool,
    ReductionVar, Scalar, Stage, Substitution, Type, VarId,
};

use super::{Change, Transformer, refusal, without};
use crate::error::Result;

const CODE: &str = "HAL0624";

/// The operator `⊕` of an update `f(l) = f(l) ⊕ e`.
struct Merge {
    /// The reads of `f(l)`, and the component that each reads.
    state: Vec<(ExprId, usize)>,
    /// `e`: the expressions that stand for the components of the other operand.
    operand: Vec<(ExprId, usize)>,
    /// `x ⊕ identity = x`.
    identity: Vec<Constant>,
}

impl Transformer<'_> {
    /// Applies `f.update(k).rfactor(r, u, partial)`.
    pub(super) fn factor(
        &mut self,
        directive: &Directive,
        vars: &[(String, String)],
        partial: FuncId,
    ) -> Result<()> {
        self.split_domain(directive, vars)?;
        let func = self.now(directive.func);
        let decl = self.pool.func(func).clone();
        let name = format!("{}.update({})", decl.name, directive.stage);
        let mut stages = decl.stages().to_vec();
        let Some(stage) = stages.get(directive.stage).filter(|_| directive.stage > 0).cloned()
        else {
            let message = format!("`{}` is no reduction", decl.name);
            let hint = "name an update with a domain: `f.update(1).rfactor(…)`";
            return refusal(CODE, directive, message, hint);
        };
        let kept = self.kept(directive, &name, &stage, vars)?;
        let suffix = stage.domain.len() - kept.len();
        let outermost = kept.iter().all(|(position, _)| *position >= suffix);
        let merge = self.merge(directive, &name, func, &stage, outermost)?;

        // The part for each value of the kept variables: pure variables replace the func's
        // arguments and the kept variables.
        let own = self.pool.func(partial).clone();
        let args: Vec<ExprId> = own.args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let (coords, extra) = args.split_at(decl.args.len());
        let mut moved = Substitution::new();
        for (arg, coord) in decl.args.iter().zip(coords) {
            moved.insert(*arg, *coord);
        }
        for ((position, _), extra) in kept.iter().zip(extra) {
            moved.insert(stage.domain[*position].var, *extra);
        }
        let mut lhs: Vec<ExprId> =
            stage.lhs.iter().map(|coord| moved.apply(self.pool, *coord)).collect();
        lhs.extend(extra);
        let kind = FuncKind::Defined { stages: Vec::new(), synthetic: false };
        let part = self.pool.declare_func(FuncDecl { kind, ..own });
        let state: Vec<_> = merge
            .state
            .iter()
            .map(|(id, component)| {
                let Expr::Ref { args, .. } = self.pool.get(*id).clone() else { return (*id, *id) };
                let mut args: Vec<ExprId> = args.to_vec();
                args.extend(
                    kept.iter()
                        .map(|(position, _)| self.pool.var_expr(stage.domain[*position].var)),
                );
                (*id, self.pool.func_ref(part, *component, args))
            })
            .collect();
        let values: Vec<ExprId> = stage
            .values
            .iter()
            .map(|value| {
                let value = replace(self.pool, *value, &state);
                moved.apply(self.pool, value)
            })
            .collect();
        let predicate = stage.predicate.map(|predicate| moved.apply(self.pool, predicate));
        let gone: Vec<usize> = kept.iter().map(|(position, _)| *position).collect();
        let domain = without(&stage.domain, &gone);
        let initial = merge.identity.iter().map(|value| self.pool.constant(*value)).collect();
        let first = Stage { domain: Vec::new(), predicate: None, lhs: args, values: initial };
        let update = Stage { domain, predicate, lhs, values };
        let kind = FuncKind::Defined { stages: vec![first, update], synthetic: false };
        self.pool.define_func(part, kind);

        // The merging update, for every point.
        let lhs: Vec<ExprId> = decl.args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let mut at = lhs.clone();
        at.extend(kept.iter().map(|(position, _)| self.pool.var_expr(stage.domain[*position].var)));
        let mut put = Vec::new();
        for (id, component) in &merge.state {
            put.push((*id, self.pool.func_ref(func, *component, lhs.clone())));
        }
        for (id, component) in &merge.operand {
            put.push((*id, self.pool.func_ref(part, *component, at.clone())));
        }
        let values = stage.values.iter().map(|value| replace(self.pool, *value, &put)).collect();
        let mut positions = gone;
        positions.sort_unstable();
        let domain = positions.iter().map(|position| stage.domain[*position]).collect();
        stages[directive.stage] = Stage { domain, predicate: None, lhs, values };
        let mut change = Change { added: Some((part, func)), ..Change::default() };
        change.stages.insert(func, stages);
        self.ids.insert(partial, part);
        self.step(&change);
        Ok(())
    }

    /// Returns the positions in the domain of the variables that are kept, and their new names.
    fn kept(
        &self,
        directive: &Directive,
        name: &str,
        stage: &Stage,
        vars: &[(String, String)],
    ) -> Result<Vec<(usize, String)>> {
        let names: Vec<String> =
            stage.domain.iter().map(|variable| self.pool.var(variable.var).name.clone()).collect();
        let mut kept: Vec<(usize, String)> = Vec::new();
        for (var, new) in vars {
            let position = names.iter().position(|name| name == var);
            let Some(position) = position.filter(|new| kept.iter().all(|(old, _)| old != new))
            else {
                let listed: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
                let message = format!("`{name}` has no reduction variable `{var}` to keep");
                let hint = match listed.as_slice() {
                    [] => "only an update over a domain can be factored".to_owned(),
                    _ => format!("its reduction variables are {}", listed.join(", ")),
                };
                return refusal(CODE, directive, message, hint);
            };
            kept.push((position, new.clone()));
        }
        Ok(kept)
    }

    /// Returns the update's operator, proved to be associative and to have an identity, and to
    /// commute if terms change their order.
    fn merge(
        &mut self,
        directive: &Directive,
        name: &str,
        func: FuncId,
        stage: &Stage,
        outermost: bool,
    ) -> Result<Merge> {
        let hint = "the update must be `f(…) = f(…) ⊕ e` with an associative operator that has an \
            identity, such as `+` or `min` of integers";
        let refuse = |reason: String| {
            refusal::<Merge>(
                CODE,
                directive,
                format!("`{name}` cannot be factored: {reason}"),
                hint,
            )
        };
        let state = match law::state(self.pool, func, stage) {
            Ok(state) if !state.is_empty() => state,
            Ok(_) => return refuse("it does not read the value that it replaces".to_owned()),
            Err(error) => return refuse(error.to_string()),
        };
        let candidates = law::operands(self.pool, &stage.values, &state);
        if candidates.is_empty() {
            return refuse("it does not join its old value with one other operand".to_owned());
        }
        let varying: Vec<VarId> = stage.domain.iter().map(|variable| variable.var).collect();
        let mut reason = String::new();
        for operand in candidates {
            let operator = Operator {
                pool: self.pool,
                values: &stage.values,
                state: &state,
                operand: &operand,
                varying: &varying,
            };
            match self.oracle.monoid(&operator, self.current.fast_math, outermost) {
                Ok(identity) => return Ok(Merge { state, operand, identity }),
                Err(why) if reason.is_empty() => reason = why,
                Err(_) => {}
            }
        }
        refuse(reason)
    }

    /// Applies the splits that make the named variables to the domain itself, and removes them from
    /// the schedule.
    fn split_domain(&mut self, directive: &Directive, vars: &[(String, String)]) -> Result<()> {
        loop {
            let func = self.now(directive.func);
            let stages = self.pool.func(func).stages();
            let Some(stage) = stages.get(directive.stage) else { return Ok(()) };
            let names: Vec<String> = stage
                .domain
                .iter()
                .map(|variable| self.pool.var(variable.var).name.clone())
                .collect();
            let missing = vars.iter().any(|(var, _)| !names.contains(var));
            let found = self.directives.iter().position(|earlier| {
                earlier.func == directive.func
                    && earlier.stage == directive.stage
                    && matches!(&earlier.action, Action::Split { var, .. } if names.contains(var))
            });
            let Some(position) = found.filter(|_| missing) else { return Ok(()) };
            let earlier = self.directives.remove(position);
            let Action::Split { var, outer, inner, factor, .. } = &earlier.action else {
                return Ok(());
            };
            self.split_variable(&earlier, [var, outer, inner], *factor)?;
        }
    }

    /// Splits one reduction variable into two, with the same points in the same order.
    fn split_variable(
        &mut self,
        directive: &Directive,
        [var, outer, inner]: [&String; 3],
        factor: ExprId,
    ) -> Result<()> {
        let func = self.now(directive.func);
        let mut stages = self.pool.func(func).stages().to_vec();
        let stage = stages[directive.stage].clone();
        let constant = self.pool.as_constant(factor).and_then(Constant::as_integer);
        let Some(size) = constant.filter(|size| *size > 0) else {
            let message = format!("`{var}` is split by a factor that is no positive constant");
            return refusal(CODE, directive, message, "split it by a number such as 8");
        };
        let names = |variable: &ReductionVar| self.pool.var(variable.var).name.clone();
        let Some(position) = stage.domain.iter().position(|variable| names(variable) == *var)
        else {
            return Ok(());
        };
        let old = stage.domain[position];
        let pool = &mut *self.pool;
        let zero = pool.int(0);
        let [outer, inner] = [outer, inner].map(|name| pool.declare_var(name.clone(), Type::INT));
        let (start, offset) = (pool.var_expr(outer), pool.var_expr(inner));
        let start = pool.mul(start, factor);
        let offset = pool.add(start, offset);
        let value = pool.add(old.min, offset);
        let length = pool.as_constant(old.extent).and_then(Constant::as_integer);
        let count = match length {
            Some(length) => pool.int((length + size - 1).div_euclid(size)),
            None => {
                let rounding = pool.int(size - 1);
                let padded = pool.add(old.extent, rounding);
                pool.binary(BinaryOp::Div, padded, factor)
            }
        };
        let mut moved = Substitution::new();
        moved.insert(old.var, value);
        let predicate = stage.predicate.map(|predicate| moved.apply(pool, predicate));
        let divides = length.is_some_and(|length| length.rem_euclid(size) == 0);
        let predicate = if divides {
            predicate
        } else {
            let guard = pool.binary(BinaryOp::Lt, offset, old.extent);
            Some(match predicate {
                Some(predicate) => pool.binary(BinaryOp::And, guard, predicate),
                None => guard,
            })
        };
        let mut domain = stage.domain.clone();
        let parts = [
            ReductionVar { var: inner, min: zero, extent: factor },
            ReductionVar { var: outer, min: zero, extent: count },
        ];
        domain.splice(position..=position, parts);
        let mut change = Change::default();
        stages[directive.stage] = Stage {
            domain,
            predicate,
            lhs: stage.lhs.iter().map(|id| moved.apply(pool, *id)).collect(),
            values: stage.values.iter().map(|id| moved.apply(pool, *id)).collect(),
        };
        change.stages.insert(func, stages);
        self.step(&change);
        Ok(())
    }
}

/// Returns an expression with some of its subexpressions replaced, outermost first.
fn replace(pool: &mut Pool, id: ExprId, put: &[(ExprId, ExprId)]) -> ExprId {
    if let Some((_, new)) = put.iter().find(|(old, _)| *old == id) {
        return *new;
    }
    let expr = pool.get(id).clone();
    let mapped = expr.map_operands(|operand| replace(pool, operand, put));
    if mapped == expr { id } else { pool.expr(mapped) }
}

impl crate::reduction::Oracle {
    /// Returns the identity of an operator that is associative, and commutative unless terms keep
    /// their order; or the reason why the operator lacks an identity or one of these laws.
    fn monoid(
        &mut self,
        operator: &Operator<'_>,
        fast_math: bool,
        in_order: bool,
    ) -> std::result::Result<Vec<Constant>, String> {
        let regrouped = fast_math && law::regroupable(operator).is_some();
        let mut laws = Vec::new();
        if !regrouped {
            laws.push((Law::Associative, "its operator is not associative"));
            if !in_order {
                laws.push((Law::Commutative, "its operator is not commutative"));
            }
        }
        for (law, what) in laws {
            match self.decide(operator, &law)? {
                Verdict::Holds => {}
                Verdict::Fails(failure) => return Err(format!("{what}: {failure}")),
                Verdict::Unknown(reason) => {
                    return Err(format!(
                        "it is not known whether its operator has the laws: {reason}"
                    ));
                }
            }
        }
        let scalars: Vec<Scalar> =
            operator.values.iter().map(|value| operator.pool.ty(*value).scalar).collect();
        let mut tuples: Vec<Vec<Constant>> = vec![Vec::new()];
        for scalar in scalars {
            let choices = identities(scalar);
            tuples = tuples
                .iter()
                .flat_map(|tuple| {
                    choices.iter().map(|choice| [tuple.as_slice(), &[*choice]].concat())
                })
                .collect();
        }
        let mut reason = String::new();
        for tuple in tuples {
            match self.decide(operator, &Law::Identity(tuple.clone()))? {
                Verdict::Holds => return Ok(tuple),
                Verdict::Fails(failure) => reason = failure.to_string(),
                Verdict::Unknown(why) => reason = why,
            }
        }
        Err(format!("no identity of its operator was found: {reason}"))
    }
}

/// Returns the constants that may be identities of operators.
fn identities(scalar: Scalar) -> Vec<Constant> {
    match scalar {
        Scalar::F32 => [-0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY].map(Constant::f32).to_vec(),
        Scalar::F64 => [-0.0, 1.0, f64::INFINITY, f64::NEG_INFINITY].map(Constant::f64).to_vec(),
        Scalar::Bool => [false, true].map(Constant::bool).to_vec(),
        Scalar::Int => Vec::new(),
        Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64 => {
            let (low, high) = scalar.range().unwrap_or((0, 1));
            let mut values = vec![0, 1, high, low, -1];
            values.dedup();
            values.iter().filter_map(|value| Constant::wrapped(scalar, *value)).collect()
        }
    }
}
