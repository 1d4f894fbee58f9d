//! Checks that two algorithms have the same meaning.
//!
//! A schedule may have the algorithm rewritten before it is lowered. This module gets the algorithm
//! before and after one rewriting, but not the name of the rewriting.
//!
//! # Correctness
//! Funcs correspond by name. The proof is by induction over the order of definition: every func of
//! the first algorithm has at each point the value of its namesake in the second, because each
//! stage of the one is a stage of the other, up to
//! * *copies*: a func of the second algorithm without namesake whose only stage is `w(x…) = g(x…)`
//!   has the values of `g`, so reads of it are reads of `g`;
//! * *splits*: `r` in `min .. min + n` is replaced by `min + (outer * k + inner)` with `inner` in
//!   `0 .. k`, `outer` in `0 .. ⌈n / k⌉` just outside of it, and the predicate
//!   `outer * k + inner < n` first (left out where `k` divides a constant `n`): the points with a
//!   true predicate are the same, in the same order;
//! * *factored updates*: the theorem of `docs/validator.md`, whose premises are checked one by one
//!   in [`Refinement::factored`].
//!
//! A rewriting that is not recognized as one of these is refused. Variables of the second algorithm
//! correspond to variables of the first by position. Two sides are equal if they are the same
//! expression, up to the form of linear integers in `normal`. Splits and factored updates may come
//! one after the other: a stage has the values of the same stage with variables split, and that one
//! may be factored.

mod factored;
mod normal;
mod splits;

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_ir::{
    Algorithm, Constant, Expr, ExprId, FuncId, FuncKind, Pool, ReductionVar, Stage, Substitution,
    VarId,
};

use crate::floats::Axioms;
use crate::laws::Laws;
use normal::{conjuncts, normal};

type Result<T> = std::result::Result<T, String>;

/// Shows that every func of `from` has the same values in `to`. Returns one entry for each func:
/// its name, and the axioms that it needs or the reason why this is not shown. If the algorithms do
/// not correspond at all, returns a single entry with the reason.
pub(crate) fn refines(
    pool: &mut Pool,
    laws: &mut Laws,
    from: &Algorithm,
    to: &Algorithm,
) -> Vec<(String, Result<Axioms>)> {
    let signature = signature(from, to).and_then(|()| in_order(pool, to));
    if let Err(reason) = signature {
        return vec![("signature".to_owned(), Err(reason))];
    }
    let mut refinement = match Refinement::of(pool, laws, from, to) {
        Ok(refinement) => refinement,
        Err(reason) => return vec![("funcs".to_owned(), Err(reason))],
    };
    let mut found = Vec::new();
    for func in &from.funcs {
        let result = refinement.func(*func);
        found.push((refinement.pool.func(*func).name.clone(), result));
    }
    found
}

/// Checks that parameters, inputs and demands are the same.
fn signature(from: &Algorithm, to: &Algorithm) -> Result<()> {
    let same = from.params == to.params
        && from.inputs == to.inputs
        && from.requires == to.requires
        && from.fast_math == to.fast_math
        && from.outputs.len() == to.outputs.len();
    if same { Ok(()) } else { Err("the algorithms differ in their signatures".to_owned()) }
}

/// Checks that every func is defined once, and reads only inputs, earlier funcs, and itself in
/// updates.
fn in_order(pool: &Pool, algorithm: &Algorithm) -> Result<()> {
    if let Err(violations) = halidom_ir::verify::algorithm(pool, algorithm) {
        let first = violations.first().map(ToString::to_string).unwrap_or_default();
        return Err(format!("the algorithm is not well formed: {first}"));
    }
    let mut known: FxHashSet<FuncId> = algorithm.inputs.iter().copied().collect();
    for func in &algorithm.funcs {
        for (number, stage) in pool.func(*func).stages().iter().enumerate() {
            for root in stage.roots() {
                let mut good = true;
                pool.for_each_subexpr(root, &mut |_, expr| {
                    if let Expr::Ref { func: read, .. } = expr {
                        good &= known.contains(read) || (read == func && number > 0);
                    }
                });
                if !good {
                    return Err("a func is read before it is defined".to_owned());
                }
            }
        }
        if !known.insert(*func) {
            return Err("a func is defined twice".to_owned());
        }
    }
    Ok(())
}

/// A comparison of two algorithms.
struct Refinement<'a> {
    pool: &'a mut Pool,
    laws: &'a mut Laws,
    /// For each func of the first algorithm, its namesake in the second.
    images: IndexMap<FuncId, FuncId>,
    /// For each func of the second algorithm, the func of the first that has its values. New funcs
    /// that are not copies are missing.
    meanings: FxHashMap<FuncId, FuncId>,
}

impl<'a> Refinement<'a> {
    fn of(
        pool: &'a mut Pool,
        laws: &'a mut Laws,
        from: &Algorithm,
        to: &Algorithm,
    ) -> Result<Self> {
        let mut by_name: FxHashMap<String, FuncId> = FxHashMap::default();
        for func in &to.funcs {
            if by_name.insert(pool.func(*func).name.clone(), *func).is_some() {
                return Err("two funcs have one name".to_owned());
            }
        }
        let mut images = IndexMap::default();
        let mut meanings: FxHashMap<FuncId, FuncId> = FxHashMap::default();
        for input in &from.inputs {
            meanings.insert(*input, *input);
        }
        for func in &from.funcs {
            let decl = pool.func(*func);
            let Some(image) = by_name.get(&decl.name) else {
                return Err(format!("`{}` is missing", decl.name));
            };
            let other = pool.func(*image);
            if other.scalars != decl.scalars || other.rank() != decl.rank() {
                return Err(format!("`{}` has another type", decl.name));
            }
            if meanings.insert(*image, *func).is_some() {
                return Err("two funcs have one name".to_owned());
            }
            images.insert(*func, *image);
        }
        for (own, other) in from.outputs.iter().zip(&to.outputs) {
            if images.get(own) != Some(other) {
                return Err("the outputs differ".to_owned());
            }
        }
        for func in &to.funcs {
            if !meanings.contains_key(func)
                && let Some(of) = copied(pool, *func)
                && let Some(meaning) = meanings.get(&of).copied()
            {
                meanings.insert(*func, meaning);
            }
        }
        Ok(Self { pool, laws, images, meanings })
    }

    /// Checks that a func of the first algorithm has the same values in the second.
    fn func(&mut self, func: FuncId) -> Result<Axioms> {
        let Some(image) = self.images.get(&func).copied() else {
            return Err("it has no namesake".to_owned());
        };
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
            let same = self.same_stage((func, stage), &other.args, other_stage);
            if same.is_ok() {
                continue;
            }
            let split = self.split_stage((func, stage), &other.args, other_stage);
            if split.is_ok() {
                continue;
            }
            let used = match self.factored((func, stage), (image, other_stage)) {
                Ok(used) => used,
                Err(reason) => self
                    .factored_blocks((func, stage), (image, other_stage))
                    .unwrap_or(Err(reason))
                    .map_err(|reason| format!("stage {number} differs: {reason}"))?,
            };
            axioms = axioms.with(used);
        }
        Ok(axioms)
    }

    /// Translates an expression of the second algorithm into the first. Returns `None` if it reads
    /// a func without a counterpart there.
    fn meaning(&mut self, id: ExprId, vars: &Substitution) -> Option<ExprId> {
        let id = vars.apply(self.pool, id);
        let meanings = &self.meanings;
        let mut known = true;
        let result =
            self.pool.rewrite_bottom_up(id, &mut FxHashMap::default(), &mut |pool, id, expr| {
                let Expr::Ref { func, component, args } = expr else { return id };
                match meanings.get(func) {
                    Some(meaning) => {
                        let (component, args) = (*component, args.clone());
                        pool.func_ref(*meaning, component, args)
                    }
                    None => {
                        known = false;
                        id
                    }
                }
            });
        known.then_some(result)
    }

    fn meanings(&mut self, ids: &[ExprId], vars: &Substitution) -> Option<Vec<ExprId>> {
        ids.iter().map(|id| self.meaning(*id, vars)).collect()
    }

    /// Maps the variables of a func and of a stage's domain to others, by position.
    fn read_as(
        &mut self,
        (args, domain): (&[VarId], &[ReductionVar]),
        (own_args, own_domain): (&[VarId], &[ReductionVar]),
    ) -> Substitution {
        let mut vars = Substitution::new();
        for (arg, own) in args.iter().zip(own_args) {
            let own = self.pool.var_expr(*own);
            vars.insert(*arg, own);
        }
        for (variable, own) in domain.iter().zip(own_domain) {
            let own = self.pool.var_expr(own.var);
            vars.insert(variable.var, own);
        }
        vars
    }

    fn same_stage(
        &mut self,
        (func, own): (FuncId, &Stage),
        args: &[VarId],
        other: &Stage,
    ) -> Result<()> {
        let own_args = self.pool.func(func).args.clone();
        let vars = self.read_as((args, &other.domain), (&own_args, &own.domain));
        let same_domain = self.same_domain(&own.domain, &other.domain);
        let predicate = match other.predicate {
            Some(predicate) => self.meaning(predicate, &vars).map(Some),
            None => Some(None),
        };
        let same = same_domain
            && predicate.is_some_and(|predicate| self.same_condition(own.predicate, predicate))
            && self.meanings(&other.lhs, &vars).is_some_and(|lhs| self.same(&own.lhs, &lhs))
            && self.meanings(&other.values, &vars).is_some_and(|it| self.same(&own.values, &it));
        if same { Ok(()) } else { Err("another stage".to_owned()) }
    }

    /// Checks that a stage is the other one with one of its reduction variables split in two.
    fn split_stage(
        &mut self,
        (func, own): (FuncId, &Stage),
        args: &[VarId],
        other: &Stage,
    ) -> Result<()> {
        let no = || Err("no split".to_owned());
        if other.domain.len() != own.domain.len() + 1 {
            return no();
        }
        let mut pairs = own.domain.iter().zip(&other.domain);
        let apart = pairs.position(|(a, b)| !self.same_bounds(a, b));
        let position = apart.unwrap_or(own.domain.len().saturating_sub(1));
        // Invariant: `position` is an index of `own.domain`, and `position + 1` of `other.domain`.
        // Equal intervals may hide the split, so earlier positions are tried too.
        for position in (0..=position).rev() {
            if self.split_at((func, own), args, other, position).is_some() {
                return Ok(());
            }
        }
        no()
    }

    fn split_at(
        &mut self,
        (func, own): (FuncId, &Stage),
        args: &[VarId],
        other: &Stage,
        position: usize,
    ) -> Option<()> {
        let (inner, outer) = (*other.domain.get(position)?, *other.domain.get(position + 1)?);
        let size = self.integer(inner.extent)?;
        let blocks = self.blocks(own, position, size, [inner.var, outer.var])?;
        self.same_stage((func, &blocks), args, other).ok()
    }

    /// Tests whether expressions are the same, up to the form of linear integers.
    fn same(&mut self, own: &[ExprId], others: &[ExprId]) -> bool {
        let mut pairs = own.iter().zip(others);
        own.len() == others.len()
            && pairs.all(|(a, b)| a == b || normal(self.pool, *a) == normal(self.pool, *b))
    }

    /// Tests whether conditions have the same conjuncts, in order.
    fn same_condition(&mut self, own: Option<ExprId>, other: Option<ExprId>) -> bool {
        conjuncts(self.pool, own) == conjuncts(self.pool, other)
    }

    /// Compares bounds, which are over parameters and shapes that both algorithms share.
    fn same_bounds(&mut self, a: &ReductionVar, b: &ReductionVar) -> bool {
        self.same(&[a.min, a.extent], &[b.min, b.extent])
    }

    fn same_domain(&mut self, own: &[ReductionVar], other: &[ReductionVar]) -> bool {
        own.len() == other.len() && own.iter().zip(other).all(|(a, b)| self.same_bounds(a, b))
    }

    fn integer(&self, id: ExprId) -> Option<i128> {
        self.pool.as_constant(id).and_then(Constant::as_integer)
    }
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
