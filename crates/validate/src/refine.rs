//! Checks that two algorithms have the same meaning.
//!
//! A schedule may have the algorithm rewritten before it is lowered. This module gets the algorithm
//! before and after one rewriting, but not the name of the rewriting: a tactic proposes what was
//! done to each stage ([`Rewriting`]), and each proposal is checked.
//!
//! # Correctness
//! Funcs correspond by name. The proof is by induction over the order of definition: every func of
//! the first algorithm has at each point the value of its namesake in the second, because each
//! stage of the one is a stage of the other, up to
//! * *copies*: a func of the second algorithm without namesake whose only stage is `w(x…) = g(x…)`
//!   has the values of `g`, so reads of it are reads of `g`;
//! * *splits*: `r` in `min .. min + n` is replaced by `min + (outer * k + inner)` with `inner` in
//!   `0 .. k`, `outer` in `0 .. ⌈n / k⌉` just outside of it, and the predicate
//!   `outer * k + inner < n` (left out where `k` divides a constant `n`): the points with a true
//!   predicate are the same, in the same order;
//! * *factored updates*: the theorem of `docs/validator.md`, whose premises are checked one by one
//!   in [`Refinement::factored`].
//!
//! Two sides are equal if they have one normal form in a space that keeps operators on floats as
//! they are written. So they are equal in every interpretation of these operators. A read stands
//! for the func of the first algorithm that has its values, and the variables of the second one
//! are bound to those of the first. Well-formed algorithms define each func once, before it is read
//! (`theorem.rs`).

use halidom_base::FxHashMap;
use halidom_encode::law::{self, Law, Operator};
use halidom_ir::{
    Algorithm, BinaryOp, Constant, Expr, ExprId, FuncId, FuncKind, Pool, ReductionVar, Stage,
    Substitution, Type, VarId,
};

use crate::evaluate::{
    At, Component, Evaluator, Leaves, Result, leaf_value, literal, unknown, unsupported,
};
use crate::floats::{Axiom, Axioms};
use crate::laws::Laws;
use crate::obligation::door::{Factored, Rewriting, Split, Tactics};
use crate::space::{PolyId, Space, Term, Value, Version};

/// Shows that every func of `from` has the same values in `to`. Returns one entry for each func:
/// its name, and the axioms that it needs or the reason why this is not shown. If the algorithms do
/// not correspond at all, returns a single entry with the reason.
pub(crate) fn refines(
    pool: &mut Pool,
    laws: &mut Laws,
    tactics: &mut dyn Tactics,
    (from, to): (&Algorithm, &Algorithm),
) -> Vec<(String, Result<Axioms>)> {
    let same = from.params == to.params
        && from.inputs == to.inputs
        && from.requires == to.requires
        && from.fast_math == to.fast_math
        && from.outputs.len() == to.outputs.len();
    if !same {
        let reason = "the algorithms differ in their signatures".to_owned();
        return vec![("signature".to_owned(), Err(reason))];
    }
    let (images, reads) = match correspondence(pool, from, to) {
        Ok(found) => found,
        Err(reason) => return vec![("funcs".to_owned(), Err(reason))],
    };
    let space = Space::as_written(FxHashMap::default());
    let mut refinement = Refinement { pool, laws, tactics, space, reads };
    let pairs = from.funcs.iter().zip(images);
    pairs
        .map(|(func, image)| {
            let result = refinement.func(*func, image);
            (refinement.pool.func(*func).name.clone(), result)
        })
        .collect()
}

/// Finds the namesakes of all funcs of the first algorithm, and what reads stand for.
fn correspondence(pool: &Pool, from: &Algorithm, to: &Algorithm) -> Result<(Vec<FuncId>, Reads)> {
    let mut by_name: FxHashMap<&str, FuncId> = FxHashMap::default();
    if to.funcs.iter().any(|func| by_name.insert(&pool.func(*func).name, *func).is_some()) {
        return Err("two funcs have one name".to_owned());
    }
    let (mut images, mut reads) = (Vec::new(), Reads::default());
    for func in &from.funcs {
        let decl = pool.func(*func);
        let Some(image) = by_name.get(&*decl.name).copied() else {
            return Err(format!("`{}` is missing", decl.name));
        };
        let other = pool.func(image);
        if other.scalars != decl.scalars || other.rank() != decl.rank() {
            return Err(format!("`{}` has another type", decl.name));
        }
        if reads.meanings.insert(image, *func).is_some() {
            return Err("two funcs have one name".to_owned());
        }
        images.push(image);
    }
    let is_image = |(own, other)| {
        from.funcs.iter().zip(&images).any(|(func, image)| (func, image) == (own, other))
    };
    if !from.outputs.iter().zip(&to.outputs).all(is_image) {
        return Err("the outputs differ".to_owned());
    }
    for func in &to.funcs {
        if !reads.meanings.contains_key(func)
            && let Some(of) = copied(pool, *func)
        {
            let meaning = reads.meaning(of);
            reads.meanings.insert(*func, meaning);
        }
    }
    Ok((images, reads))
}

/// The meaning of variables and reads of both algorithms.
#[derive(Default)]
struct Reads {
    /// For a func of the second algorithm, the func of the first that has its values. All others
    /// stand for themselves: inputs, funcs of the first algorithm, and new funcs.
    meanings: FxHashMap<FuncId, FuncId>,
    /// Variables of both algorithms, each with a symbol of its own.
    symbols: FxHashMap<VarId, Value>,
    /// Variables that have the value of another one at present.
    bound: FxHashMap<VarId, Value>,
}

impl Reads {
    fn meaning(&self, func: FuncId) -> FuncId {
        self.meanings.get(&func).copied().unwrap_or(func)
    }

    fn symbol(&mut self, pool: &Pool, space: &Space, var: VarId) -> Value {
        *self.symbols.entry(var).or_insert_with(|| unknown(pool, space, var))
    }
}

impl Leaves for Reads {
    fn variable(&mut self, pool: &Pool, space: &Space, var: VarId) -> Result<Value> {
        let bound = self.bound.get(&var).copied();
        Ok(bound.unwrap_or_else(|| self.symbol(pool, space, var)))
    }

    fn reference(
        &mut self,
        At { pool, space, .. }: At<'_>,
        (func, component): Component,
        coords: Vec<PolyId>,
    ) -> Result<Value> {
        let Some(scalar) = pool.func(func).scalars.get(component).copied() else {
            return unsupported("a component that does not exist");
        };
        let (func, version, coords) = (self.meaning(func), Version::Final, coords.into());
        let term = space.leaf(Term::Read { func, component, scalar, version, coords });
        Ok(leaf_value(space, scalar, term))
    }
}

/// A comparison of two algorithms.
struct Refinement<'a> {
    pool: &'a mut Pool,
    laws: &'a mut Laws,
    tactics: &'a mut dyn Tactics,
    space: Space,
    reads: Reads,
}

impl Refinement<'_> {
    /// Checks that a func of the first algorithm has the same values in the second.
    fn func(&mut self, func: FuncId, image: FuncId) -> Result<Axioms> {
        let (own, other) = (self.pool.func(func).clone(), self.pool.func(image).clone());
        let (FuncKind::Defined { stages, .. }, FuncKind::Defined { stages: others, .. }) =
            (&own.kind, &other.kind)
        else {
            return Err("it is no defined func".to_owned());
        };
        if stages.len() != others.len() {
            return Err("it has another number of stages".to_owned());
        }
        let mut axioms = Axioms::NONE;
        for (number, (stage, other_stage)) in stages.iter().zip(others).enumerate() {
            let mut used =
                Err("it is neither the original, nor split, nor does it merge a new func"
                    .to_owned());
            for way in self.tactics.rewritings(self.pool, (func, stage), (image, other_stage)) {
                used = self.rewritten((func, stage), (image, other_stage), &way);
                if used.is_ok() {
                    break;
                }
            }
            let used = used.map_err(|reason| format!("stage {number} differs: {reason}"))?;
            axioms = axioms.with(used);
        }
        Ok(axioms)
    }

    /// Checks that a rewriting of a stage leads to another one. Returns the axioms that it needs.
    fn rewritten(
        &mut self,
        (func, own): (FuncId, &Stage),
        (image, other): (FuncId, &Stage),
        way: &Rewriting,
    ) -> Result<Axioms> {
        let mut own = own.clone();
        for split in &way.splits {
            own = self.blocks(&own, split).ok_or("no such split")?;
        }
        if let Some(proposed) = &way.factored {
            return self.factored((func, &own), (image, other), proposed);
        }
        let (own_args, args) =
            (self.pool.func(func).args.clone(), self.pool.func(image).args.clone());
        let own_vars = [own_args, variables(&own.domain)].concat();
        let vars = [args, variables(&other.domain)].concat();
        let same = self.same_stage((&own, &own_vars), (other, &vars));
        same.then_some(Axioms::NONE).ok_or_else(|| "another stage".to_owned())
    }

    /// Tests whether expressions of the first algorithm have the values of expressions of the
    /// second, for variables `vars` that have the values of `own_vars`.
    fn same(
        &mut self,
        (own, own_vars): (&[ExprId], &[VarId]),
        (others, vars): (&[ExprId], &[VarId]),
    ) -> bool {
        if (own.len(), own_vars.len()) != (others.len(), vars.len()) {
            return false;
        }
        let first = self.values(own);
        let (pool, space, reads) = (&*self.pool, &self.space, &mut self.reads);
        let bound: Vec<Value> =
            own_vars.iter().map(|var| reads.symbol(pool, space, *var)).collect();
        reads.bound = vars.iter().copied().zip(bound).collect();
        let second = self.values(others);
        self.reads.bound.clear();
        first.is_some() && first == second && !self.space.overflowed()
    }

    fn values(&mut self, ids: &[ExprId]) -> Option<Vec<Value>> {
        let Self { pool, space, reads, .. } = self;
        let mut evaluator = Evaluator::new(pool, space, reads);
        ids.iter().map(|id| evaluator.value(*id).ok()).collect()
    }

    /// Tests whether two stages are the same.
    fn same_stage(
        &mut self,
        (own, own_vars): (&Stage, &[VarId]),
        (other, vars): (&Stage, &[VarId]),
    ) -> bool {
        let always = self.pool.constant(Constant::bool(true));
        let parts = |stage: &Stage| {
            let bounds = stage.domain.iter().flat_map(|variable| [variable.min, variable.extent]);
            let parts = bounds.chain([stage.predicate.unwrap_or(always)]);
            parts.chain(stage.lhs.iter().chain(&stage.values).copied()).collect::<Vec<_>>()
        };
        own.domain.len() == other.domain.len()
            && own.lhs.len() == other.lhs.len()
            && self.same((&parts(own), own_vars), (&parts(other), vars))
    }

    /// A stage with a reduction variable split into blocks: the same points in the same order.
    /// `min + (outer * size + inner)` is the value of the variable.
    fn blocks(&mut self, own: &Stage, &Split { position, size }: &Split) -> Option<Stage> {
        let old = *own.domain.get(position)?;
        let rounding = size.checked_sub(1).filter(|rounding| *rounding >= 0)?;
        let pool = &mut *self.pool;
        let [inner, outer] = ["inner", "outer"].map(|name| pool.declare_var(name, Type::INT));
        let (zero, factor, rounding) = (pool.int(0), pool.int(size), pool.int(rounding));
        // ⌈n / k⌉ blocks.
        let padded = pool.add(old.extent, rounding);
        let count = pool.binary(BinaryOp::Div, padded, factor);
        let (outer_value, inner_value) = (pool.var_expr(outer), pool.var_expr(inner));
        let start = pool.mul(outer_value, factor);
        let offset = pool.add(start, inner_value);
        let mut moved = Substitution::new();
        let value = pool.add(old.min, offset);
        moved.insert(old.var, value);
        let length = pool.as_constant(old.extent).and_then(Constant::as_integer);
        let divides = length.is_some_and(|length| length >= 0 && length % size == 0);
        let guard = (!divides).then(|| pool.binary(BinaryOp::Lt, offset, old.extent));
        let predicate = match (guard, own.predicate.map(|within| moved.apply(pool, within))) {
            (Some(guard), Some(predicate)) => Some(pool.binary(BinaryOp::And, guard, predicate)),
            (guard, predicate) => guard.or(predicate),
        };
        let lhs = own.lhs.iter().map(|id| moved.apply(pool, *id)).collect();
        let values = own.values.iter().map(|id| moved.apply(pool, *id)).collect();
        let pair = [
            ReductionVar { var: inner, min: zero, extent: factor },
            ReductionVar { var: outer, min: zero, extent: count },
        ];
        let mut domain = own.domain.clone();
        domain.splice(position..=position, pair);
        Some(Stage { domain, predicate, lhs, values })
    }

    /// Checks that `merged`, a stage of the image of `func`, factors `own`: the premises of the
    /// theorem in `docs/validator.md`, in its order. Returns the axioms that it needs.
    fn factored(
        &mut self,
        (func, own): (FuncId, &Stage),
        (image, merged): (FuncId, &Stage),
        Factored { part, kept, dims }: &Factored,
    ) -> Result<Axioms> {
        let own_args = self.pool.func(func).args.clone();
        let args = self.pool.func(image).args.clone();
        let state = law::state(self.pool, func, own).map_err(|error| error.to_string())?;

        // (1) The merging update's domain has some of the original variables, in their order, and
        // each is a dimension of the new func.
        let of_kept: Option<Vec<ReductionVar>> =
            kept.iter().map(|position| own.domain.get(*position).copied()).collect();
        let of_kept = of_kept.unwrap_or_default();
        let mut sorted = dims.clone();
        sorted.sort_unstable();
        if of_kept.is_empty()
            || !kept.is_sorted_by(|a, b| a < b)
            || !sorted.into_iter().eq(0..of_kept.len())
            || !self.same((&bounds(&of_kept), &[]), (&bounds(&merged.domain), &[]))
        {
            return Err("the merging update does not go over reduction variables of the original"
                .to_owned());
        }
        let extra: Vec<VarId> = dims.iter().map(|index| of_kept[*index].var).collect();

        let identity = self.accumulates((func, own), &state, (*part, kept, &extra))?;

        // (3) The merging update, for every point and every value of the kept variables.
        let everywhere = self.merges_all(own, merged, &of_kept)
            && merged.lhs.len() == args.len()
            && merged.lhs.iter().zip(&args).all(|(at, arg)| *self.pool.get(*at) == Expr::Var(*arg));
        if !everywhere {
            return Err("the merging update does not go over every point".to_owned());
        }
        let at: Vec<ExprId> = args.iter().map(|arg| self.pool.var_expr(*arg)).collect();
        let mut part_at = at.clone();
        part_at.extend(dims.iter().map(|index| self.pool.var_expr(merged.domain[*index].var)));
        let operand = law::operands(self.pool, &own.values, &state).into_iter().find(|operand| {
            let pool = &mut *self.pool;
            let own_reads =
                state.iter().map(|(id, of)| (*id, pool.func_ref(image, *of, at.clone())));
            let mut put: Vec<(ExprId, ExprId)> = own_reads.collect();
            let of_part =
                operand.iter().map(|(id, of)| (*id, pool.func_ref(*part, *of, part_at.clone())));
            put.extend(of_part);
            let values: Vec<ExprId> =
                own.values.iter().map(|value| put_in(self.pool, *value, &put)).collect();
            self.same((&values, &[]), (&merged.values, &[]))
        });
        let Some(operand) = operand else {
            return Err("the merging update does not use the operator of the original one".into());
        };

        // (4) The operator's laws.
        let varying = [variables(&own.domain), own_args].concat();
        let outermost = own.domain.len() - kept.len();
        let in_order = kept.iter().all(|position| *position >= outermost);
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
    fn merges_all(&mut self, own: &Stage, merged: &Stage, kept: &[ReductionVar]) -> bool {
        let Some(predicate) = merged.predicate else { return true };
        let pool = &mut *self.pool;
        let mut vars = Substitution::new();
        for (variable, own) in merged.domain.iter().zip(kept) {
            let own = pool.var_expr(own.var);
            vars.insert(variable.var, own);
        }
        let goal = vars.apply(pool, predicate);
        let mut facts: Vec<ExprId> = own.predicate.into_iter().collect();
        for variable in &own.domain {
            let value = pool.var_expr(variable.var);
            let end = pool.add(variable.min, variable.extent);
            facts.push(pool.binary(BinaryOp::Le, variable.min, value));
            facts.push(pool.binary(BinaryOp::Lt, value, end));
        }
        self.laws.follows(pool, &facts, goal)
    }

    /// Checks (2): the new func begins with constants, and updates each of its points as the
    /// original does there, for the values of the kept variables that the point names. Returns the
    /// constants.
    fn accumulates(
        &mut self,
        (func, own): (FuncId, &Stage),
        state: &[(ExprId, usize)],
        (part, kept, extra): (FuncId, &[usize], &[VarId]),
    ) -> Result<Vec<Constant>> {
        let decl = self.pool.func(part).clone();
        let original = self.pool.func(func);
        let [first, update] = decl.stages() else {
            return Err("the new func has not two stages".to_owned());
        };
        if decl.scalars != original.scalars {
            return Err("the new func has another type".to_owned());
        }
        let own_args = original.args.clone();
        let constants = first.values.iter().map(|value| literal(self.pool, *value)).collect();
        let straight = first.domain.is_empty() && first.predicate.is_none();
        let constants: Option<Vec<Constant>> = constants;
        let Some(constants) = constants.filter(|_| straight) else {
            return Err("the new func does not begin with constants".to_owned());
        };
        // The original as an update of the new func.
        let pool = &mut *self.pool;
        let mut lhs = own.lhs.clone();
        lhs.extend(extra.iter().map(|var| pool.var_expr(*var)));
        let reads = state.iter().map(|(id, of)| (*id, pool.func_ref(part, *of, lhs.clone())));
        let put: Vec<(ExprId, ExprId)> = reads.collect();
        let values = own.values.iter().map(|value| put_in(pool, *value, &put)).collect();
        let rest = own.domain.iter().enumerate().filter(|(position, _)| !kept.contains(position));
        let domain: Vec<ReductionVar> = rest.map(|(_, variable)| *variable).collect();
        let own_vars = [&own_args, extra, &variables(&domain)].concat();
        let vars = [decl.args.clone(), variables(&update.domain)].concat();
        let expected = Stage { domain, predicate: own.predicate, lhs, values };
        if self.same_stage((&expected, &own_vars), (update, &vars)) {
            Ok(constants)
        } else {
            Err("the new func does not do what the original does".to_owned())
        }
    }
}

fn variables(domain: &[ReductionVar]) -> Vec<VarId> {
    domain.iter().map(|variable| variable.var).collect()
}

fn bounds(domain: &[ReductionVar]) -> Vec<ExprId> {
    domain.iter().flat_map(|variable| [variable.min, variable.extent]).collect()
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

/// Returns the func that `w(x…) = g(x…)` copies.
fn copied(pool: &Pool, func: FuncId) -> Option<FuncId> {
    let decl = pool.func(func);
    let [stage] = decl.stages() else { return None };
    if !stage.domain.is_empty() || stage.predicate.is_some() {
        return None;
    }
    let mut of = None;
    for (number, value) in stage.values.iter().enumerate() {
        let Expr::Ref { func: read, component, args } = pool.get(*value) else { return None };
        let straight = args.len() == decl.args.len()
            && args.iter().zip(&decl.args).all(|(at, arg)| *pool.get(*at) == Expr::Var(*arg));
        if *component != number || !straight || of.is_some_and(|of| of != *read) {
            return None;
        }
        of = Some(*read);
    }
    let of = of?;
    (pool.func(of).scalars == decl.scalars).then_some(of)
}
