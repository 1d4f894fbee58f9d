//! The meaning of a read: the values that the symbolic heap holds there, or the tensor accesses in
//! the equations.

use std::rc::Rc;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{BufferId, Expr, ExprId, FuncId, Substitution};
use halidom_poly::Set;

use crate::heap::{Arrays, Heap, Locations, entails};
use crate::layout::{Dimension, located};
use crate::polynomial::Polynomial;
use crate::premise::Gap;
use crate::recurrence::Recurrence;
use crate::template::{Hole, Leaf, Leaves, Templates};

/// `⟦a[e₁, …, e_n]⟧_h`: the prophecies that the heap holds at the location (TV §4.5).
pub(crate) struct Memory<'a> {
    pub(crate) heap: &'a Heap,
    pub(crate) arrays: &'a Arrays,
    pub(crate) layouts: &'a FxHashMap<BufferId, Rc<[Dimension]>>,
    /// `reads(e)`.
    pub(crate) reads: Locations,
}

impl Leaves for Memory<'_> {
    fn read(
        &mut self,
        templates: &mut Templates<'_>,
        facts: &Set,
        expr: ExprId,
    ) -> Result<Leaf, Gap> {
        let Expr::Load { buffer, index, access } = templates.pool.get(expr).clone() else {
            return Err(Gap::new("a read of a func in a final program"));
        };
        let (Some(array), Some(layout)) = (self.arrays.get(&buffer), self.layouts.get(&buffer))
        else {
            return Err(Gap::new("an array that is not declared here"));
        };
        let Some(access) = access.filter(|access| access.coords.len() == layout.len()) else {
            return Err(Gap::new("a load without the coordinates of its element"));
        };
        let affine = &mut *templates.affine;
        // T-ARRAY.
        let coords = affine.ints(templates.pool, &access.coords)?;
        let name = || templates.pool.buffer(buffer).name.clone();
        if !located(templates.pool, affine, facts, layout, (index, &coords))? {
            let name = name();
            return Err(Gap::new(format!("a load of `{name}` is of another element than it says")));
        }
        let mut here = Set::universe(&affine.context)?;
        for ((dimension, coord), dim) in layout.iter().zip(&coords).zip(&array.location) {
            let (location, dim) = (dimension.location(affine, coord)?, affine.dim(*dim));
            here = here.intersect(&affine.equal(&location, &dim)?)?;
        }
        let slots: Vec<_> =
            array.location.iter().filter(|dim| !array.coords.contains(dim)).copied().collect();
        let mut writers = Vec::new();
        let mut defined = Set::empty(&affine.context)?;
        for (stage, chunk) in self.heap.of(buffer) {
            let held = chunk.intersect(&here)?.exists(&slots)?;
            let content: Vec<_> =
                array.coords.iter().chain(&array.points[stage]).copied().collect();
            defined = defined.union(&held.exists(&content)?)?;
            writers.push((stage, held));
        }
        if !entails(facts, &defined)? {
            let name = name();
            return Err(Gap::new(format!("a load of `{name}` may be of what was not written")));
        }
        self.reads.add(buffer, &here)?;
        Ok(Leaf::Hole(Hole::Tensor { func: array.func, component: array.component, writers }))
    }

    fn touch(
        &mut self,
        templates: &mut Templates<'_>,
        facts: &Set,
        expr: ExprId,
    ) -> Result<(), Gap> {
        let gap = || Gap::new("a shuffle of what is no load of an array");
        let Expr::Load { buffer, index, access: Some(access) } = templates.pool.get(expr).clone()
        else {
            return Err(gap());
        };
        let array = self.arrays.get(&buffer).ok_or_else(gap)?;
        let layout = self.layouts.get(&buffer).ok_or_else(gap)?;
        // The facts name the lanes of the shuffle's result.
        let lanes = Polynomial::constant(templates.pool.ty(expr).lanes.into());
        let affine = &mut *templates.affine;
        let lane = affine.dim(affine.lane);
        let range = affine.within(&lane, &Polynomial::default(), &lanes)?;
        let facts = facts.exists(&[affine.lane])?.intersect(&range)?;
        let coords = affine.ints(templates.pool, &access.coords)?;
        let known = coords.len() == layout.len()
            && located(templates.pool, affine, &facts, layout, (index, &coords))?;
        let mut inside = known;
        let mut here = range;
        for ((dimension, coord), dim) in layout.iter().zip(&coords).zip(&array.location) {
            if !dimension.folded {
                let within = affine.within(coord, &dimension.min, &dimension.extent)?;
                inside = inside && entails(&facts, &within)?;
            }
            let (location, dim) = (dimension.location(affine, coord)?, affine.dim(*dim));
            here = here.intersect(&affine.equal(&location, &dim)?)?;
        }
        if !inside {
            let name = &templates.pool.buffer(buffer).name;
            return Err(Gap::new(format!("a load of `{name}` may lie outside")));
        }
        self.reads.add(buffer, &here.exists(&[affine.lane])?)
    }
}

/// Tensor accesses in an equation of the specification (TV §3.4).
pub(crate) struct Equations<'a> {
    pub(crate) recurrence: &'a mut Recurrence,
    /// Funcs that the program stores in arrays; others are unfolded (TV §5.2).
    pub(crate) stored: &'a FxHashSet<FuncId>,
    /// The stage that the equation belongs to.
    pub(crate) own: (FuncId, usize),
}

impl Leaves for Equations<'_> {
    fn read(&mut self, templates: &mut Templates<'_>, _: &Set, expr: ExprId) -> Result<Leaf, Gap> {
        let Expr::Ref { func, component, args } = templates.pool.get(expr).clone() else {
            return Err(Gap::new("a load in an algorithm"));
        };
        let affine = &mut *templates.affine;
        let is_own = func == self.own.0;
        let decl = templates.pool.func(func);
        if !is_own && !decl.stages().is_empty() && !self.stored.contains(&func) {
            let [only] = decl.stages() else {
                return Err(Gap::new(format!("`{}` has updates and no array", decl.name)));
            };
            if decl.is_partial() {
                return Err(Gap::new("a func without a value somewhere"));
            }
            let Some(value) = only.values.get(component).copied() else {
                return Err(Gap::new("a component that does not exist"));
            };
            let mut substitution = Substitution::new();
            for (arg, value) in decl.args.iter().zip(&args) {
                substitution.insert(*arg, *value);
            }
            return Ok(Leaf::Expr(substitution.apply(templates.pool, value)));
        }
        // T-TENSOR.
        let args = affine.ints(templates.pool, &args)?;
        let instances = self.recurrence.instances(templates.pool, affine, func);
        let writers = if is_own {
            self.recurrence.before(templates.pool, affine, self.own)?
        } else {
            self.recurrence.last(templates.pool, affine, func)?
        };
        let mut here = Set::universe(&affine.context)?;
        for (arg, dim) in args.iter().zip(&instances.coords) {
            let dim = affine.dim(*dim);
            here = here.intersect(&affine.equal(arg, &dim)?)?;
        }
        let writers = writers.iter().map(|(stage, set)| Ok((*stage, set.intersect(&here)?)));
        let writers = writers.collect::<Result<_, Gap>>()?;
        Ok(Leaf::Hole(Hole::Tensor { func, component, writers }))
    }

    fn touch(&mut self, _: &mut Templates<'_>, _: &Set, _: ExprId) -> Result<(), Gap> {
        Err(Gap::new("a shuffle in an algorithm"))
    }
}
