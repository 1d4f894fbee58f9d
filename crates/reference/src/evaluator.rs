//! The state that the rules share: the program's arrays, the algorithm's equations, the values.

use std::rc::Rc;
use std::time::Instant;

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_encode::Encoder;
use halidom_ir::{
    Algorithm, BufferId, BufferKind, ExprId, FuncId, Pool, Prophecy, Stmt, StmtId, VarId, verify,
};
use halidom_poly::{Context, Dim, Set};
use halidom_smt::{Answer, Solver, Terms};

use crate::affine::Affine;
use crate::heap::{Array, Arrays, Heap, Locations};
use crate::layout::{Dimension, dimensions};
use crate::options::Options;
use crate::polynomial::Polynomial;
use crate::premise::{Gap, Premise, Shown};
use crate::recurrence::Recurrence;
use crate::template::{Hole, Templates};

/// The state of an evaluation.
pub(crate) struct Evaluator<'a> {
    /// The pool, which the evaluation extends with its own expressions and variables.
    pub(crate) pool: &'a mut Pool,
    pub(crate) affine: Affine,
    pub(crate) recurrence: Recurrence,
    pub(crate) arrays: Arrays,
    pub(crate) layouts: FxHashMap<BufferId, Rc<[Dimension]>>,
    holes: IndexMap<VarId, Hole>,
    /// Symbolic values of variables.
    pub(crate) values: FxHashMap<VarId, ExprId>,
    pub(crate) summaries: FxHashMap<StmtId, Heap>,
    loops: FxHashMap<VarId, Dim>,
    /// Funcs that the program stores in arrays.
    pub(crate) stored: FxHashSet<FuncId>,
    pub(crate) solver: Solver,
    deadline: Instant,
    /// The premises that were shown.
    pub(crate) shown: Vec<Shown>,
}

/// A loop's variable and its values.
pub(crate) struct Range {
    pub(crate) dim: Dim,
    pub(crate) set: Set,
    /// The least value.
    pub(crate) min: Polynomial,
}

impl<'a> Evaluator<'a> {
    pub(crate) fn new(
        pool: &'a mut Pool,
        algorithm: &Algorithm,
        options: &Options,
        deadline: Instant,
    ) -> Result<Self, Gap> {
        if let Err(violations) = verify::algorithm(pool, algorithm) {
            let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
            return Err(Gap::new(format!(
                "the algorithm is not well formed: {}",
                rules.join("; ")
            )));
        }
        let solver = Solver::open(options.asking.options(""))
            .map_err(|error| Gap::new(error.to_string()))?;
        Ok(Self {
            pool,
            affine: Affine::new(Context::new(options.operations)?),
            recurrence: Recurrence::default(),
            arrays: Arrays::default(),
            layouts: FxHashMap::default(),
            holes: IndexMap::default(),
            values: FxHashMap::default(),
            summaries: FxHashMap::default(),
            loops: FxHashMap::default(),
            stored: FxHashSet::default(),
            solver,
            deadline,
            shown: Vec::new(),
        })
    }

    /// Records a premise that was shown.
    pub(crate) fn show(&mut self, premise: Premise, stmt: Option<StmtId>, place: &str) {
        self.shown.push(Shown { premise, stmt, place: place.to_owned() });
    }

    /// Checks that there is time for another step.
    pub(crate) fn tick(&self) -> Result<(), Gap> {
        if Instant::now() < self.deadline {
            Ok(())
        } else {
            Err(Gap::new("the time for this program is over"))
        }
    }

    /// Creates the dims of an array, once, and computes its layout from the present bindings.
    pub(crate) fn declare(&mut self, buffer: BufferId) -> Result<(), Gap> {
        if self.layouts.contains_key(&buffer) {
            return Ok(());
        }
        let layout = dimensions(self.pool, &mut self.affine, buffer)?;
        let decl = self.pool.buffer(buffer);
        let (func, component) = (decl.func, decl.component);
        let instances = self.recurrence.instances(self.pool, &mut self.affine, func);
        if instances.coords.len() != layout.len() {
            return Err(Gap::new("an array with other dimensions than its func"));
        }
        let location =
            instances.coords.iter().zip(&layout).map(|(coord, dimension)| {
                if dimension.folded { self.fresh(*coord) } else { *coord }
            });
        let location = location.collect();
        let (coords, points) = (instances.coords.clone(), instances.points.clone());
        let array = Array { func, component, location, coords, points };
        self.arrays.insert(buffer, Rc::new(array));
        self.layouts.insert(buffer, layout.into());
        Ok(())
    }

    /// Returns an array that is declared at this place.
    pub(crate) fn array(&self, buffer: BufferId) -> Result<Rc<Array>, Gap> {
        let array = self.arrays.get(&buffer).map(Rc::clone);
        array.ok_or_else(|| Gap::new("an array that is not declared here"))
    }

    /// Returns the layout of an array that is declared at this place.
    pub(crate) fn layout(&self, buffer: BufferId) -> Result<Rc<[Dimension]>, Gap> {
        let layout = self.layouts.get(&buffer).map(Rc::clone);
        layout.ok_or_else(|| Gap::new("an array that is not declared here"))
    }

    /// The coordinates and the point of a prophecy. The prophecy must name the func whose values
    /// the array holds.
    pub(crate) fn prophecy(
        &mut self,
        buffer: BufferId,
        prophecy: &Prophecy,
    ) -> Result<(Vec<Polynomial>, Vec<Polynomial>), Gap> {
        let array = self.array(buffer)?;
        if self.pool.buffer(buffer).kind == BufferKind::Input {
            return Err(Gap::new("a store to an input"));
        }
        let points = array.points.get(prophecy.stage);
        if prophecy.func != array.func
            || prophecy.coords.len() != array.coords.len()
            || points.map(Vec::len) != Some(prophecy.point.len())
        {
            return Err(Gap::new("a prophecy of another func, or with too few coordinates"));
        }
        let coords = self.affine.ints(self.pool, &prophecy.coords)?;
        Ok((coords, self.affine.ints(self.pool, &prophecy.point)?))
    }

    /// Returns a loop's variable and its values.
    pub(crate) fn range(&mut self, stmt: StmtId) -> Result<Range, Gap> {
        let Stmt::For { var, min, extent, .. } = *self.pool.get_stmt(stmt) else {
            return Err(Gap::new("no loop"));
        };
        let dim = match self.loops.get(&var) {
            Some(dim) => *dim,
            None => {
                let dim = self.affine.context.dim(&self.pool.var(var).name);
                self.loops.insert(var, dim);
                self.affine.bind_dim(var, dim);
                dim
            }
        };
        let (min, extent) = (self.affine.int(self.pool, min)?, self.affine.int(self.pool, extent)?);
        let value = self.affine.dim(dim);
        let set = self.affine.within(&value, &min, &extent)?;
        Ok(Range { dim, set, min })
    }

    /// The range of the lane of a vector; `None` for a scalar.
    pub(crate) fn lanes(&mut self, expr: ExprId) -> Result<Option<Set>, Gap> {
        let lanes = self.pool.ty(expr).lanes;
        if lanes == 1 {
            return Ok(None);
        }
        let lane = self.affine.dim(self.affine.lane);
        let lanes = Polynomial::constant(lanes.into());
        self.affine.within(&lane, &Polynomial::default(), &lanes).map(Some)
    }

    /// The locations that the lanes read together.
    pub(crate) fn over_lanes(
        &self,
        reads: Locations,
        lanes: Option<&Set>,
    ) -> Result<Locations, Gap> {
        match lanes {
            Some(lanes) => reads.bind(self.affine.lane, lanes),
            None => Ok(reads),
        }
    }

    /// Borrows the parts of the state that templates need.
    pub(crate) fn templates(&mut self) -> Templates<'_> {
        let Self { pool, affine, holes, values, .. } = self;
        Templates { pool, affine, holes, values }
    }

    /// Tests whether two templates have the same value wherever the facts hold. They do if they are
    /// one expression after their holes are merged, or if the solver finds no values of the holes
    /// for which they differ.
    pub(crate) fn equal(&mut self, facts: &Set, templates: [ExprId; 2]) -> Result<bool, Gap> {
        let [specified, implemented] = self.templates().merged(facts, templates)?;
        if specified == implemented {
            return Ok(true);
        }
        self.tick()?;
        let mut terms = Terms::new();
        let mut encoder = Encoder::new();
        let sides = [specified, implemented].map(|side| encoder.expr(&mut terms, self.pool, side));
        let [Ok(specified), Ok(implemented)] = sides else {
            return Err(Gap::new("a value that the solver has no term for"));
        };
        let equal = terms.equal(specified, implemented);
        let differ = terms.not(equal);
        self.solver.clear();
        self.solver.assert(&terms, differ);
        Ok(self.solver.check_fresh(&terms, "constraint") == Answer::Unsat)
    }
}
