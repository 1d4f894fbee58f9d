//! The algorithm as a system of equations (translation-validation paper, section 3.4).
//!
//! # Correctness
//! A func has one value for each location and version ([`crate::space::Version`]): after all
//! stages, or before an instance of an update stage. The pure variables of a stage's left-hand side
//! and a point of its domain determine an instance. The instance's equation states that the
//! location of the left-hand side gets the stage's value. In this value, the func's own values are
//! the values before the instance, and all other funcs have their final values. A tuple has a value
//! for each component, and in all of these, each component of the func itself has its value before
//! the instance. Funcs without memory in the program are unfolded: their final value at a point is
//! the value of their only stage there.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{Expr, ExprId, FuncId, FuncKind, Pool, Stage, VarId};

use crate::evaluate::{At, Component, Evaluator, Leaves, Result, leaf_value, unbound, unsupported};
use crate::program::{Model, Parameters};
use crate::ranges::WIDEST;
use crate::space::{FormulaId, PolyId, Space, Term, TermId, Value, Version};

/// The specification, with the values that were unfolded before.
pub(crate) struct Specification<'a> {
    pool: &'a Pool,
    space: &'a Space,
    parameters: &'a Parameters,
    /// Funcs that the program keeps in memory.
    stored: FxHashSet<FuncId>,
    unfolded: FxHashMap<(FuncId, Vec<PolyId>), (Vec<Value>, Widths)>,
    /// The widths of `int`s that do not overflow.
    widths: &'a FxHashMap<ExprId, u32>,
    /// The `int`s with widths in the instances that are being translated.
    ints: Widths,
}

/// `int`s, each with a width that it fits.
type Widths = Vec<(PolyId, u32)>;

/// One instance of a stage.
pub(crate) struct Instance {
    /// The written location.
    pub(crate) location: Vec<PolyId>,
    /// The condition that the point lies in the domain and the stage applies.
    pub(crate) exists: FormulaId,
    /// The written values, one for each component, computed from the values before the instance.
    pub(crate) values: Vec<Value>,
    /// The `int`s in it that do not overflow, with their widths.
    pub(crate) ints: Widths,
}

/// The shape of a stage.
pub(crate) struct StageShape {
    /// For each dimension, true if the left-hand side is the dimension's pure variable.
    pub(crate) pure: Vec<bool>,
    /// Minima and extents of the reduction variables, first innermost.
    pub(crate) domain: Vec<(PolyId, PolyId)>,
}

impl<'a> Specification<'a> {
    pub(crate) fn new(
        (pool, space): (&'a Pool, &'a Space),
        parameters: &'a Parameters,
        model: &Model,
        widths: &'a FxHashMap<ExprId, u32>,
    ) -> Self {
        let stored = model.memories.values().map(|memory| memory.func).collect();
        let (unfolded, ints) = (FxHashMap::default(), Vec::new());
        Self { pool, space, parameters, stored, unfolded, widths, ints }
    }

    /// The widths of `int`s that do not overflow.
    pub(crate) fn widths(&self) -> &'a FxHashMap<ExprId, u32> {
        self.widths
    }

    /// The number of stages; 0 for an input.
    pub(crate) fn stages(&self, func: FuncId) -> usize {
        self.pool.func(func).stages().len()
    }

    fn stage(&self, func: FuncId, stage: usize) -> Result<(&'a Stage, &'a [VarId])> {
        let decl = self.pool.func(func);
        match decl.stages().get(stage) {
            Some(found) => Ok((found, &decl.args)),
            None => unsupported("a stage that does not exist"),
        }
    }

    /// Returns the shape of a stage.
    pub(crate) fn shape(&mut self, func: FuncId, stage: usize) -> Result<StageShape> {
        let (found, args) = self.stage(func, stage)?;
        let pure = found
            .lhs
            .iter()
            .zip(args)
            .map(|(lhs, arg)| *self.pool.get(*lhs) == Expr::Var(*arg))
            .collect();
        let mut domain = Vec::new();
        for variable in &found.domain {
            let bounds = [variable.min, variable.extent];
            let bounds =
                self.evaluate(FxHashMap::default(), None, |evaluator| evaluator.ints(&bounds))?;
            if let [min, extent] = *bounds {
                domain.push((min, extent));
            }
        }
        Ok(StageShape { pure, domain })
    }

    /// Translates a condition on parameters and shapes.
    pub(crate) fn condition(&mut self, condition: ExprId) -> Result<FormulaId> {
        self.evaluate(FxHashMap::default(), None, |evaluator| evaluator.bool(condition))
    }

    /// Returns the instance of a stage at a point. Pure variables get the values that `coords` has
    /// in their dimensions.
    pub(crate) fn instance(
        &mut self,
        (func, stage): (FuncId, usize),
        coords: &[PolyId],
        point: &[PolyId],
    ) -> Result<Instance> {
        let (found, args) = self.stage(func, stage)?;
        if coords.len() != args.len()
            || found.lhs.len() != args.len()
            || point.len() != found.domain.len()
        {
            return unsupported("a claim with a wrong number of coordinates");
        }
        let shape = self.shape(func, stage)?;
        let mut bound = FxHashMap::default();
        for ((arg, coord), pure) in args.iter().zip(coords).zip(&shape.pure) {
            if *pure {
                bound.insert(*arg, *coord);
            }
        }
        let mut conditions = Vec::new();
        for ((variable, value), (min, extent)) in found.domain.iter().zip(point).zip(&shape.domain)
        {
            bound.insert(variable.var, *value);
            conditions.push(self.space.within(*value, *min, *extent));
        }
        let own =
            (stage > 0).then(|| (func, Version::Before { stage, point: point.to_vec().into() }));
        let begin = self.ints.len();
        let (lhs, values, predicate): (&[ExprId], &[ExprId], Option<ExprId>) =
            (&found.lhs, &found.values, found.predicate);
        let (location, values, applies) = self.evaluate(bound, own, |evaluator| {
            let applies = predicate.map(|predicate| evaluator.bool(predicate)).transpose()?;
            let values = values.iter().map(|value| evaluator.value(*value));
            let values = values.collect::<Result<Vec<_>>>()?;
            Ok((evaluator.ints(lhs)?, values, applies))
        })?;
        conditions.extend(applies);
        let exists = self.space.and(conditions);
        let ints = self.ints.split_off(begin);
        Ok(Instance { location, exists, values, ints })
    }

    /// Returns the value that a component has at a location before an instance of an update stage.
    pub(crate) fn before(
        &self,
        (func, component): (FuncId, usize),
        stage: usize,
        point: &[PolyId],
        location: &[PolyId],
    ) -> Option<Value> {
        let scalar = *self.pool.func(func).scalars.get(component)?;
        let version = Version::Before { stage, point: point.to_vec().into() };
        let coords = location.to_vec().into();
        let term = self.space.leaf(Term::Read { func, component, scalar, version, coords });
        Some(leaf_value(self.space, scalar, term))
    }

    fn evaluate<T>(
        &mut self,
        bound: FxHashMap<VarId, PolyId>,
        own: Option<(FuncId, Version)>,
        work: impl FnOnce(&mut Evaluator<'_, Unfolding<'_, 'a>>) -> Result<T>,
    ) -> Result<T> {
        let (pool, space) = (self.pool, self.space);
        let mut leaves = Unfolding { specification: self, bound, own };
        let mut evaluator = Evaluator::new(pool, space, &mut leaves);
        let result = work(&mut evaluator);
        for (expr, value) in evaluator.memo {
            // Exact steps of an operation have no width.
            if let (Value::Int(poly), Some(bits)) = (value, self.widths.get(&expr))
                && *bits <= WIDEST
            {
                self.ints.push((poly, *bits));
            }
        }
        result
    }

    /// Returns the value that the only stage of a func gives at the point where a term reads the
    /// func's final value.
    pub(crate) fn definition(&mut self, read: TermId) -> Option<TermId> {
        let Term::Read { func, component, coords, version: Version::Final, .. } =
            self.space.term(read).clone()
        else {
            return None;
        };
        match self.only_value((func, component), coords.to_vec()) {
            Ok(Value::Number(value)) => Some(value),
            Ok(Value::Int(_) | Value::Bool(_)) | Err(_) => None,
        }
    }

    /// Returns a component of the final value of a func whose only stage gives every location its
    /// value.
    fn only_value(
        &mut self,
        (func, component): (FuncId, usize),
        coords: Vec<PolyId>,
    ) -> Result<Value> {
        let of = |values: &[Value]| match values.get(component) {
            Some(value) => Ok(*value),
            None => unsupported("a component that does not exist"),
        };
        let key = (func, coords);
        if let Some((values, ints)) = self.unfolded.get(&key) {
            self.ints.extend_from_slice(ints);
            return of(values);
        }
        let decl = self.pool.func(func);
        let whole = |stage: &Stage| stage.domain.is_empty() && stage.predicate.is_none();
        if !matches!(decl.stages(), [only] if whole(only)) {
            return Err(format!("`{}` has no buffer and cannot be unfolded", decl.name));
        }
        let Instance { values, ints, .. } = self.instance((func, 0), &key.1, &[])?;
        self.ints.extend_from_slice(&ints);
        let value = of(&values);
        self.unfolded.insert(key, (values, ints));
        value
    }
}

/// The meaning of leaves in one stage instance.
struct Unfolding<'s, 'a> {
    specification: &'s mut Specification<'a>,
    bound: FxHashMap<VarId, PolyId>,
    /// The func that the stage updates, and the version in which the stage reads it.
    own: Option<(FuncId, Version)>,
}

impl Leaves for Unfolding<'_, '_> {
    fn variable(&mut self, pool: &Pool, _: &Space, var: VarId) -> Result<Value> {
        match (self.bound.get(&var), self.specification.parameters.get(&var)) {
            (Some(poly), _) => Ok(Value::Int(*poly)),
            (None, Some(value)) => Ok(*value),
            (None, None) => unbound(pool, var),
        }
    }

    fn reference(&mut self, at: At<'_>, of: Component, coords: Vec<PolyId>) -> Result<Value> {
        let (At { pool, space, .. }, (func, component)) = (at, of);
        let decl = pool.func(func);
        let Some(scalar) = decl.scalars.get(component).copied() else {
            return unsupported("a component that does not exist");
        };
        let version = match &self.own {
            Some((own, version)) if *own == func => version.clone(),
            Some(_) | None => Version::Final,
        };
        let input = matches!(decl.kind, FuncKind::Input { .. });
        let own = version != Version::Final;
        if !own && !input && !self.specification.stored.contains(&func) {
            return self.specification.only_value((func, component), coords);
        }
        let coords = coords.into();
        let term = space.leaf(Term::Read { func, component, scalar, version, coords });
        Ok(leaf_value(space, scalar, term))
    }
}
