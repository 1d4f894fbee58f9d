//! The algorithm as a system of affine recurrence equations, with copies eliminated (TV §3.3,
//! §3.4).
//!
//! TV's `A_k(c̄, p̄)` is the value at `c̄` after the instance of stage `k` at the point `p̄`. Where
//! that instance does not write `c̄`, the equation is a copy. Copies are not needed: a value always
//! comes from the instance that wrote it last. Which instance that is, is an affine question; the
//! code answers it with sets, as TV does with isl. So `A_k(c̄, p̄)` occurs only where the instance
//! writes `c̄`, and two values are known to be equal if they come from one instance.
//!
//! # Correctness
//! Domains run with the **first** variable innermost. [`Recurrence::last`] and
//! [`Recurrence::before`] are relations from locations to instances. They are functions where they
//! are defined, because all instances but the latest are removed. The variables of a stage (its
//! func's arguments and its reduction variables) are bound to dims of the *instance at hand*; the
//! dims of [`Instances`] without the prefix `own_` describe any other instance.

use std::rc::Rc;

use halidom_base::FxHashMap;
use halidom_ir::{Expr, FuncId, Pool, Stage};
use halidom_poly::{Dim, Set};

use crate::affine::Affine;
use crate::heap::dims;
use crate::premise::Gap;

/// The dims of a func's instances.
pub(crate) struct Instances {
    /// The location of any instance.
    pub(crate) coords: Vec<Dim>,
    /// The point of any instance, for each stage.
    pub(crate) points: Vec<Vec<Dim>>,
    /// The location of the instance at hand.
    pub(crate) own_coords: Vec<Dim>,
    /// The point of the instance at hand, for each stage.
    pub(crate) own_points: Vec<Vec<Dim>>,
}

/// A set of instances for each stage, over [`Instances::coords`] and [`Instances::points`].
pub(crate) type Writers = Vec<(usize, Set)>;

/// The equations of the funcs of an algorithm.
#[derive(Default)]
pub(crate) struct Recurrence {
    instances: FxHashMap<FuncId, Rc<Instances>>,
    last: FxHashMap<FuncId, Rc<Writers>>,
    before: FxHashMap<(FuncId, usize), Rc<Writers>>,
}

impl Recurrence {
    /// Returns the dims of a func; the first call binds its variables.
    pub(crate) fn instances(
        &mut self,
        pool: &Pool,
        affine: &mut Affine,
        func: FuncId,
    ) -> Rc<Instances> {
        if let Some(known) = self.instances.get(&func) {
            return Rc::clone(known);
        }
        let decl = pool.func(func);
        let stages = decl.stages();
        let any = |suffix: &str| {
            let stem = |what: &str| format!("{}.{what}{suffix}", decl.name);
            let points = stages.iter().map(|stage| stage.domain.len());
            let points = points.map(|count| dims(&affine.context, &stem("p"), count));
            (dims(&affine.context, &stem("c"), decl.rank()), points.collect::<Vec<_>>())
        };
        let (coords, mut points) = any("");
        let (own_coords, own_points) = any(".own");
        if stages.is_empty() {
            // An input has one instance for each element.
            points.push(Vec::new());
        }
        for (arg, dim) in decl.args.iter().zip(&own_coords) {
            affine.bind_dim(*arg, *dim);
        }
        for (stage, point) in stages.iter().zip(&own_points) {
            for (variable, dim) in stage.domain.iter().zip(point) {
                affine.bind_dim(variable.var, *dim);
            }
        }
        let instances = Rc::new(Instances { coords, points, own_coords, own_points });
        self.instances.insert(func, Rc::clone(&instances));
        instances
    }

    /// The instances of a stage, over the dims of the instance at hand: its point lies in the
    /// domain, the predicate holds, and the instance writes the location.
    pub(crate) fn own(
        &mut self,
        pool: &Pool,
        affine: &mut Affine,
        (func, stage): (FuncId, usize),
    ) -> Result<Set, Gap> {
        let instances = self.instances(pool, affine, func);
        let mut set = Set::universe(&affine.context)?;
        let Some(found) = pool.func(func).stages().get(stage) else { return Ok(set) };
        pure_variables(pool, func, found)?;
        if pool.func(func).is_partial() {
            return Err(Gap::new("a func without a value somewhere"));
        }
        let Stage { domain, predicate, lhs, values: _ } = found;
        for (variable, dim) in domain.iter().zip(&instances.own_points[stage]) {
            let value = affine.dim(*dim);
            let (min, extent) =
                (affine.int(pool, variable.min)?, affine.int(pool, variable.extent)?);
            set = set.intersect(&affine.within(&value, &min, &extent)?)?;
        }
        if let Some(predicate) = predicate {
            set = set.intersect(&affine.condition(pool, *predicate)?)?;
        }
        for ((coord, dim), arg) in lhs.iter().zip(&instances.own_coords).zip(&pool.func(func).args)
        {
            if *pool.get(*coord) == Expr::Var(*arg) {
                continue;
            }
            let (coord, dim) = (affine.int(pool, *coord)?, affine.dim(*dim));
            set = set.intersect(&affine.equal(&coord, &dim)?)?;
        }
        Ok(set)
    }

    /// The instances of a stage, over the dims of any instance, with `points` as the dims of the
    /// point.
    fn any(
        &mut self,
        pool: &Pool,
        affine: &mut Affine,
        (func, stage): (FuncId, usize),
        points: &[Dim],
    ) -> Result<Set, Gap> {
        let instances = self.instances(pool, affine, func);
        let mut set = self.own(pool, affine, (func, stage))?;
        let own = instances.own_points.get(stage).into_iter().flatten();
        let own: Vec<Dim> = instances.own_coords.iter().chain(own).copied().collect();
        for (own, any) in own.iter().zip(instances.coords.iter().chain(points)) {
            set = set.intersect(&affine.same(*own, *any)?)?;
        }
        Ok(set.exists(&own)?)
    }

    /// The instance that writes a location last (TV's `A^S`), for each location.
    pub(crate) fn last(
        &mut self,
        pool: &Pool,
        affine: &mut Affine,
        func: FuncId,
    ) -> Result<Rc<Writers>, Gap> {
        if let Some(known) = self.last.get(&func) {
            return Ok(Rc::clone(known));
        }
        let count = pool.func(func).stages().len().max(1);
        let none = Set::universe(&affine.context)?;
        let last = Rc::new(self.latest(pool, affine, func, count, &none)?);
        self.last.insert(func, Rc::clone(&last));
        Ok(last)
    }

    /// The last instance that writes a location before the instance of a stage at hand, for each
    /// location and each point of that instance (TV §3.4).
    pub(crate) fn before(
        &mut self,
        pool: &Pool,
        affine: &mut Affine,
        (func, stage): (FuncId, usize),
    ) -> Result<Rc<Writers>, Gap> {
        if let Some(known) = self.before.get(&(func, stage)) {
            return Ok(Rc::clone(known));
        }
        let instances = self.instances(pool, affine, func);
        let own = instances.own_points.get(stage).cloned().unwrap_or_default();
        let earlier = lexicographic(affine, &instances.points[stage], &own)?;
        let before = Rc::new(self.latest(pool, affine, func, stage + 1, &earlier)?);
        self.before.insert((func, stage), Rc::clone(&before));
        Ok(before)
    }

    /// The latest writer of each location among the instances of the first `count` stages; the
    /// instances of the last of these stages are limited to `restriction`.
    fn latest(
        &mut self,
        pool: &Pool,
        affine: &mut Affine,
        func: FuncId,
        count: usize,
        restriction: &Set,
    ) -> Result<Writers, Gap> {
        let instances = self.instances(pool, affine, func);
        let mut overwritten = Set::empty(&affine.context)?;
        let mut writers = Writers::new();
        for stage in (0..count).rev() {
            let points = &instances.points[stage];
            let mut own = self.any(pool, affine, (func, stage), points)?;
            if stage + 1 == count {
                own = own.intersect(restriction)?;
            }
            // TV's lexmax over the points of the stage.
            let later = dims(&affine.context, "later", points.len());
            let mut others = own.clone();
            for (point, later) in points.iter().zip(&later) {
                others = others.intersect(&affine.same(*point, *later)?)?;
            }
            let others = others.exists(points)?;
            let others = others.intersect(&lexicographic(affine, points, &later)?)?;
            let latest = own.subtract(&others.exists(&later)?)?.subtract(&overwritten)?;
            overwritten = overwritten.union(&own.exists(points)?)?.coalesce()?;
            writers.push((stage, latest.coalesce()?));
        }
        Ok(writers)
    }
}

/// Checks that a stage mentions only those arguments of its func that stand at their own position
/// on its left-hand side (TV §3.2, condition 1).
fn pure_variables(pool: &Pool, func: FuncId, stage: &Stage) -> Result<(), Gap> {
    let args = pool.func(func).args.iter().zip(&stage.lhs);
    let hidden: Vec<_> = args
        .filter(|(arg, coord)| *pool.get(**coord) != Expr::Var(**arg))
        .map(|(arg, _)| Expr::Var(*arg))
        .collect();
    let mut found = false;
    for root in stage.roots() {
        pool.for_each_subexpr(root, &mut |_, expr| found |= hidden.contains(expr));
    }
    if found { Err(Gap::new("a pure variable away from its own place")) } else { Ok(()) }
}

/// The pairs of points where `first` precedes `second`; the first variable is innermost.
fn lexicographic(affine: &mut Affine, first: &[Dim], second: &[Dim]) -> Result<Set, Gap> {
    let mut before = Set::empty(&affine.context)?;
    for (one, other) in first.iter().zip(second) {
        // From the inside outwards: earlier in this variable, or equal in it and earlier inside.
        let here = affine.before(*one, *other)?;
        before = here.union(&affine.same(*one, *other)?.intersect(&before)?)?;
    }
    Ok(before)
}
