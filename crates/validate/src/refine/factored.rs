//! Factored updates. An update `f(l) = f(l) ⊕ e` over a domain becomes a new func with partial
//! results for each value of some reduction variables, and an update that merges them.

use halidom_encode::law::{self, Law, Operator};
use halidom_ir::{
    BinaryOp, Constant, Expr, ExprId, FuncId, Pool, ReductionVar, Stage, Substitution, VarId, eval,
};

use super::normal::conjuncts;
use super::{Refinement, Result};
use crate::floats::{Axiom, Axioms};

/// The new func, as the merging update reads it.
struct Part {
    func: FuncId,
    /// The kept variables' positions in the domain of the original stage, in the order of the new
    /// func's last dimensions.
    kept: Vec<usize>,
}

impl Refinement<'_> {
    /// Checks that `merged`, a stage of the image of `func`, factors `own`: the premises of the
    /// theorem in `docs/validator.md`, in its order. Returns the axioms that it needs.
    pub(super) fn factored(
        &mut self,
        (func, own): (FuncId, &Stage),
        (image, merged): (FuncId, &Stage),
    ) -> Result<Axioms> {
        let own_args = self.pool.func(func).args.clone();
        let args = self.pool.func(image).args.clone();
        let state = law::state(self.pool, func, own).map_err(|error| error.to_string())?;
        let positions = self.merged_domain(own, merged)?;
        let part = self.part((image, &args), merged, &positions)?;
        let identity = self.accumulates((func, own), &own_args, &state, &part)?;

        // (3) The merging update, for every point and every value of the kept variables.
        let everywhere = self.merges_all(own, merged, &positions)
            && merged.lhs.len() == args.len()
            && merged.lhs.iter().zip(&args).all(|(at, arg)| *self.pool.get(*at) == Expr::Var(*arg));
        if !everywhere {
            return Err("the merging update does not go over every point".to_owned());
        }
        let at: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let mut part_at = at.clone();
        for position in &part.kept {
            let index = positions.iter().position(|other| other == position);
            let Some(variable) = index.and_then(|index| merged.domain.get(index)) else {
                return Err("a kept variable is lost".to_owned());
            };
            part_at.push(self.pool.var_expr(variable.var));
        }
        let operand = law::operands(self.pool, &own.values, &state).into_iter().find(|operand| {
            let mut put = Vec::new();
            for (id, component) in &state {
                put.push((*id, self.pool.func_ref(image, *component, at.clone())));
            }
            for (id, component) in operand {
                put.push((*id, self.pool.func_ref(part.func, *component, part_at.clone())));
            }
            let values: Vec<ExprId> =
                own.values.iter().map(|value| put_in(self.pool, *value, &put)).collect();
            self.same(&values, &merged.values)
        });
        let Some(operand) = operand else {
            return Err("the merging update does not use the operator of the original one".into());
        };

        // (4) The operator's laws.
        let varying: Vec<VarId> =
            own.domain.iter().map(|variable| variable.var).chain(own_args).collect();
        let outermost = own.domain.len() - positions.len();
        let in_order = positions.iter().all(|position| *position >= outermost)
            && part.kept.iter().all(|position| *position >= outermost);
        let operator = Operator {
            pool: self.pool,
            values: &own.values,
            state: &state,
            operand: &operand,
            varying: &varying,
        };
        let name = self.pool.func(func).name.clone();
        let axioms = self.laws.regroups(&operator, &name);
        let of_func = (&operator, name.as_str());
        if axioms.is_none() {
            self.laws.holds(of_func, &Law::Associative, "is not associative")?;
            if !in_order {
                self.laws.holds(of_func, &Law::Commutative, "is not commutative")?;
            }
        }
        // A sum that is regrouped by an axiom may begin with 0, whatever the sign of a zero.
        let begins_with_zero = identity
            .iter()
            .all(|first| first.as_f32().map(f64::from).or(first.as_f64()) == Some(0.0));
        let identity = Law::Identity(identity);
        let of_identity =
            self.laws.holds(of_func, &identity, "does not have the first value as its identity");
        match axioms {
            Some(axioms) if of_identity.is_err() && begins_with_zero => {
                Ok(axioms.iter().chain([Axiom::AddZero]).collect())
            }
            axioms => of_identity.map(|()| axioms.unwrap_or_default()),
        }
    }

    /// Tests whether the merging update runs wherever the new func has terms: every point of the
    /// original satisfies the merging update's condition. Elsewhere the new func has its first
    /// value, which is the operator's identity.
    fn merges_all(&mut self, own: &Stage, merged: &Stage, positions: &[usize]) -> bool {
        let Some(predicate) = merged.predicate else { return true };
        let mut vars = Substitution::new();
        for (variable, position) in merged.domain.iter().zip(positions) {
            let own = self.pool.var_expr(own.domain[*position].var);
            vars.insert(variable.var, own);
        }
        let Some(predicate) = self.meaning(predicate, &vars) else { return false };
        let goals = conjuncts(self.pool, Some(predicate));
        let mut facts = conjuncts(self.pool, own.predicate);
        for variable in &own.domain {
            let value = self.pool.var_expr(variable.var);
            let end = self.pool.add(variable.min, variable.extent);
            facts.push(self.pool.binary(BinaryOp::Le, variable.min, value));
            facts.push(self.pool.binary(BinaryOp::Lt, value, end));
        }
        goals.iter().all(|goal| self.laws.follows(self.pool, &facts, *goal))
    }

    /// Checks (1): the merging update's domain has some of the original variables, in their order.
    /// Returns their positions.
    pub(super) fn merged_domain(&mut self, own: &Stage, merged: &Stage) -> Result<Vec<usize>> {
        let mut positions: Vec<usize> = Vec::new();
        for variable in &merged.domain {
            let name = &self.pool.var(variable.var).name;
            // The name is only a hint. The interval must be the same.
            let name = name.clone();
            let found = own.domain.iter().position(|own| {
                self.pool.var(own.var).name == name && self.same_bounds(own, variable)
            });
            let next = positions.last().map_or(0, |last| last + 1);
            match found.filter(|position| *position >= next) {
                Some(position) => positions.push(position),
                None => {
                    return Err(format!(
                        "`{name}` does not go over the interval of a reduction variable of the \
                            original"
                    ));
                }
            }
        }
        if positions.is_empty() {
            return Err("no reduction variable is kept".to_owned());
        }
        Ok(positions)
    }

    /// Returns the new func that the merging update reads, if there is one.
    pub(super) fn new_func(&self, image: FuncId, merged: &Stage) -> Option<FuncId> {
        self.new_read(image, merged).map(|(func, _)| func)
    }

    fn new_read(&self, image: FuncId, merged: &Stage) -> Option<(FuncId, Vec<ExprId>)> {
        let mut found: Option<(FuncId, Vec<ExprId>)> = None;
        for value in &merged.values {
            self.pool.for_each_subexpr(*value, &mut |_, expr| {
                if let Expr::Ref { func, args, .. } = expr
                    && *func != image
                    && !self.meanings.contains_key(func)
                {
                    found = Some((*func, args.to_vec()));
                }
            });
        }
        found
    }

    /// Returns the func that the merging update reads at its own point and at the kept variables.
    fn part(
        &mut self,
        (image, args): (FuncId, &[VarId]),
        merged: &Stage,
        positions: &[usize],
    ) -> Result<Part> {
        let Some((func, at)) = self.new_read(image, merged) else {
            return Err(
                "it is neither the original, nor split, nor does it merge a new func".into()
            );
        };
        let mut kept = Vec::new();
        for id in at.get(args.len()..).unwrap_or_default() {
            let index = merged
                .domain
                .iter()
                .position(|variable| *self.pool.get(*id) == Expr::Var(variable.var));
            match index.and_then(|index| positions.get(index)) {
                Some(position) if !kept.contains(position) => kept.push(*position),
                Some(_) | None => return Err("the new func is read elsewhere".to_owned()),
            }
        }
        if kept.len() != positions.len() {
            return Err("not all kept variables are dimensions of the new func".to_owned());
        }
        Ok(Part { func, kept })
    }

    /// Checks (2): the new func begins with constants, and updates each of its points as the
    /// original does there, for the values of the kept variables that the point names. Returns the
    /// constants.
    fn accumulates(
        &mut self,
        (func, own): (FuncId, &Stage),
        own_args: &[VarId],
        state: &[(ExprId, usize)],
        part: &Part,
    ) -> Result<Vec<Constant>> {
        let decl = self.pool.func(part.func).clone();
        let [first, update] = decl.stages() else {
            return Err("the new func has not two stages".to_owned());
        };
        if decl.scalars != self.pool.func(func).scalars
            || decl.args.len() != own_args.len() + part.kept.len()
        {
            return Err("the new func has another type".to_owned());
        }
        let constants: Option<Vec<Constant>> =
            first.values.iter().map(|value| literal(self.pool, *value)).collect();
        let straight = first.domain.is_empty() && first.predicate.is_none();
        let Some(constants) = constants.filter(|_| straight) else {
            return Err("the new func does not begin with constants".to_owned());
        };
        // The original in the new func's variables.
        let rest: Vec<ReductionVar> = own
            .domain
            .iter()
            .enumerate()
            .filter(|(position, _)| !part.kept.contains(position))
            .map(|(_, variable)| *variable)
            .collect();
        if !self.same_domain(&rest, &update.domain) {
            return Err("the new func goes over another domain".to_owned());
        }
        let (coords, extra) = decl.args.split_at(own_args.len());
        let mut moved = self.read_as((own_args, &rest), (coords, &update.domain));
        for (position, arg) in part.kept.iter().zip(extra) {
            let arg = self.pool.var_expr(*arg);
            moved.insert(own.domain[*position].var, arg);
        }
        let mut lhs: Vec<ExprId> = own.lhs.iter().map(|id| moved.apply(self.pool, *id)).collect();
        lhs.extend(extra.iter().map(|arg| self.pool.var_expr(*arg)));
        let put: Vec<(ExprId, ExprId)> = state
            .iter()
            .map(|(id, component)| {
                let mut at = own.lhs.clone();
                at.extend(
                    part.kept.iter().map(|position| self.pool.var_expr(own.domain[*position].var)),
                );
                (*id, self.pool.func_ref(part.func, *component, at))
            })
            .collect();
        let values: Vec<ExprId> = own
            .values
            .iter()
            .map(|value| {
                let value = put_in(self.pool, *value, &put);
                moved.apply(self.pool, value)
            })
            .collect();
        let predicate = own.predicate.map(|predicate| moved.apply(self.pool, predicate));
        // Only reads of the new func have no counterpart. For this comparison it is its own
        // counterpart.
        self.meanings.insert(part.func, part.func);
        let none = Substitution::new();
        let found = (
            update.predicate.map(|predicate| self.meaning(predicate, &none)),
            self.meanings(&update.lhs, &none),
            self.meanings(&update.values, &none),
        );
        self.meanings.remove(&part.func);
        let (of_predicate, Some(of_lhs), Some(of_values)) = found else {
            return Err("the new func reads what the original does not".to_owned());
        };
        let same_condition = match of_predicate {
            Some(Some(found)) => self.same_condition(predicate, Some(found)),
            Some(None) => false,
            None => self.same_condition(predicate, None),
        };
        if same_condition && self.same(&of_lhs, &lhs) && self.same(&of_values, &values) {
            Ok(constants)
        } else {
            Err("the new func does not do what the original does".to_owned())
        }
    }
}

/// The value of a constant, or of one that is converted.
fn literal(pool: &Pool, id: ExprId) -> Option<Constant> {
    match *pool.get(id) {
        Expr::Cast(to, operand) => eval::cast(to, literal(pool, operand)?).ok(),
        Expr::Const(constant) => Some(constant),
        Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// Replaces some subexpressions of an expression, outermost first.
fn put_in(pool: &mut Pool, id: ExprId, put: &[(ExprId, ExprId)]) -> ExprId {
    if let Some((_, new)) = put.iter().find(|(old, _)| *old == id) {
        return *new;
    }
    let expr = pool.get(id).clone();
    let mapped = expr.map_operands(|operand| put_in(pool, operand, put));
    if mapped == expr { id } else { pool.expr(mapped) }
}
