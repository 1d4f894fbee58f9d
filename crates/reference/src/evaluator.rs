//! The state that the rules share (the program's arrays, the algorithm's equations, the values) and
//! the derivation for a whole program.

use std::rc::Rc;
use std::time::Instant;

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_encode::Encoder;
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{
    Algorithm, BinaryOp, BufferId, BufferKind, Expr, ExprId, FuncId, Pool, Program, Prophecy,
    Scalar, Stmt, StmtId, VarId,
    verify::{self, Phase},
};
use halidom_poly::{Context, Dim, Set};
use halidom_smt::{Answer, Solver, Terms};

use crate::affine::{Affine, Binding};
use crate::heap::{Array, Arrays, Heap, Locations, entails};
use crate::layout::{Dimension, dimensions, steps_over};
use crate::polynomial::Polynomial;
use crate::recurrence::Recurrence;
use crate::rules::Gamma;
use crate::template::{Hole, Templates, same_instances};
use crate::{Gap, Options, Premise, Shown};

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

/// The contents of the entry checks.
#[derive(Default)]
struct Entry {
    conditions: FxHashSet<ExprId>,
    facts: Vec<Set>,
    /// Polynomials that are known to be at least 0.
    known: FxHashSet<Polynomial>,
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

    /// Carries out the derivation for a whole program, from a heap that holds the inputs' elements
    /// to one that holds the outputs' values.
    pub(crate) fn program(&mut self, algorithm: &Algorithm, program: &Program) -> Result<(), Gap> {
        self.form(algorithm, program)?;
        let (checks, work) = self.checks(program.body);
        self.fix(&checks);
        self.parameters(algorithm, program);
        for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
            self.declare(buffer)?;
        }
        let mut written = Vec::new();
        self.allocations(program.body, &mut written);
        let buffers = written.into_iter().chain(program.output_buffers());
        self.stored = buffers.map(|buffer| self.pool.buffer(buffer).func).collect();
        let about = |gap: Gap| gap.about(Premise::Entry, None, || "entry checks".to_owned());
        let entry = self.entry(&checks);
        let facts: Rc<[Set]> = entry.facts.as_slice().into();
        let gamma = Gamma::new(facts, Set::universe(&self.affine.context)?);
        self.demands(algorithm, &entry, &gamma).map_err(about)?;
        self.show(Premise::Entry, None, "entry checks");
        for buffer in program.output_buffers() {
            let place = format!("layout of {}", self.pool.buffer(buffer).name);
            if !steps_over(&self.layout(buffer)?, &entry.known) {
                let gap = Gap::new("the entry checks do not say that the layout is injective");
                return Err(gap.about(Premise::Layout, None, || place));
            }
            self.show(Premise::Layout, None, &place);
        }
        let mut heap = self.inputs(program)?;
        for part in work {
            let (updates, _) = self.statement(&gamma, &heap, part)?;
            heap = heap.then(&self.arrays, &updates)?;
        }
        self.outputs(program, &heap, &gamma)
    }

    /// Checks that the program is well formed, has the algorithm's inputs and outputs, and computes
    /// only funcs of the algorithm.
    fn form(&self, algorithm: &Algorithm, program: &Program) -> Result<(), Gap> {
        let pool = &*self.pool;
        if let Err(violations) = verify::program(pool, program, Phase::Final) {
            let rules: Vec<String> = violations.iter().map(ToString::to_string).collect();
            return Err(Gap::new(format!(
                "the program is not in final form: {}",
                rules.join("; ")
            )));
        }
        let func = |buffer: &BufferId| pool.buffer(*buffer).func;
        let outputs = program.outputs.iter().map(|output| output.func);
        let whole = program.outputs.iter().all(|output| {
            let decls = output.buffers.iter().map(|buffer| pool.buffer(*buffer));
            let components = decls.map(|decl| (decl.func, decl.component));
            components.eq((0..pool.func(output.func).scalars.len()).map(|k| (output.func, k)))
        });
        let inputs = program.inputs.iter().map(func).all(|input| algorithm.inputs.contains(&input));
        if !outputs.eq(algorithm.outputs.iter().copied()) || !whole || !inputs {
            return Err(Gap::new("a program for other inputs or outputs than the algorithm's"));
        }
        let mut allocated = Vec::new();
        self.allocations(program.body, &mut allocated);
        if !allocated.iter().map(func).all(|func| algorithm.funcs.contains(&func)) {
            return Err(Gap::new("an array for a func that is not the algorithm's"));
        }
        Ok(())
    }

    /// Splits a program into the entry checks at its beginning and the statements after them.
    fn checks(&self, body: StmtId) -> (Vec<ExprId>, Vec<StmtId>) {
        let Stmt::Block(parts) = self.pool.get_stmt(body) else { return (Vec::new(), vec![body]) };
        let mut checks = Vec::new();
        let mut parts = parts.iter().copied();
        let mut work = Vec::new();
        for part in parts.by_ref() {
            if let Stmt::Assert { condition, .. } = self.pool.get_stmt(part) {
                self.conjuncts(*condition, &mut checks);
            } else {
                work.push(part);
                break;
            }
        }
        work.extend(parts);
        (checks, work)
    }

    fn conjuncts(&self, condition: ExprId, found: &mut Vec<ExprId>) {
        if let Expr::Binary(BinaryOp::And, lhs, rhs) = self.pool.get(condition) {
            self.conjuncts(*lhs, found);
            self.conjuncts(*rhs, found);
        } else {
            found.push(condition);
        }
    }

    /// Binds each variable that an entry check equates with a number (a stride of 1, for example).
    fn fix(&mut self, checks: &[ExprId]) {
        for check in checks {
            if let Expr::Binary(BinaryOp::Eq, lhs, rhs) = self.pool.get(*check)
                && let Expr::Var(var) = self.pool.get(*lhs)
                && self.pool.var(*var).ty.scalar == Scalar::Int
                && let Some(value) =
                    self.pool.as_constant(*rhs).and_then(halidom_ir::Constant::as_integer)
            {
                self.affine.bind(*var, Binding::Int(Polynomial::constant(value)));
            }
        }
    }

    /// Binds parameters, shapes and windows to dims.
    fn parameters(&mut self, algorithm: &Algorithm, program: &Program) {
        let mut vars: Vec<VarId> =
            algorithm.params.iter().chain(&program.params).copied().collect();
        for output in &program.outputs {
            vars.extend(output.window.iter().flat_map(|(min, extent)| [*min, *extent]));
        }
        for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
            for dim in &self.pool.buffer(buffer).dims {
                for expr in [dim.min, dim.extent, dim.stride] {
                    if let Expr::Var(var) = self.pool.get(expr) {
                        vars.push(*var);
                    }
                }
            }
        }
        for var in vars {
            let decl = self.pool.var(var);
            if decl.ty.scalar == Scalar::Int && !self.affine.is_bound(var) {
                let dim = self.affine.context.dim(&decl.name);
                self.affine.bind_dim(var, dim);
            }
        }
    }

    fn allocations(&self, stmt: StmtId, found: &mut Vec<BufferId>) {
        for_each_stmt(self.pool, stmt, &mut |_, stmt| {
            if let Stmt::Allocate { buffer, .. } = stmt {
                found.push(*buffer);
            }
        });
    }

    /// Collects the facts in the entry checks. Checks that are not affine are left out; dropping a
    /// fact is sound.
    fn entry(&mut self, checks: &[ExprId]) -> Entry {
        let mut entry = Entry::default();
        for check in checks {
            entry.conditions.insert(*check);
            if let Ok(fact) = self.affine.condition(self.pool, *check) {
                entry.facts.push(fact);
            }
            if let Expr::Binary(BinaryOp::Le, lhs, rhs) = *self.pool.get(*check)
                && let (Ok(lhs), Ok(rhs)) =
                    (self.affine.int(self.pool, lhs), self.affine.int(self.pool, rhs))
            {
                entry.known.extend(rhs.plus(-1, &lhs));
            }
        }
        entry
    }

    /// Checks that the affine entry checks are satisfiable and imply what the algorithm demands:
    /// its `require`s, and domains without a negative extent.
    fn demands(&mut self, algorithm: &Algorithm, entry: &Entry, gamma: &Gamma) -> Result<(), Gap> {
        let facts = gamma.facts()?;
        if facts.is_empty()? {
            return Err(Gap::new("the entry checks contradict each other"));
        }
        for require in &algorithm.requires {
            let mut parts = Vec::new();
            self.conjuncts(require.condition, &mut parts);
            for part in parts.into_iter().filter(|part| !entry.conditions.contains(part)) {
                if !entails(facts, &self.affine.condition(self.pool, part)?)? {
                    return Err(Gap::new("a `require` is not checked"));
                }
            }
        }
        for func in &algorithm.funcs {
            for stage in self.pool.func(*func).stages() {
                for variable in &stage.domain {
                    let extent = self.affine.int(self.pool, variable.extent)?;
                    let sign = self.affine.at_most(&Polynomial::default(), &extent)?;
                    if !entails(facts, &sign)? {
                        return Err(Gap::new("the extent of a domain may be negative"));
                    }
                }
            }
        }
        Ok(())
    }

    /// The heap that holds the inputs: each element has the input's value at its coordinates.
    fn inputs(&mut self, program: &Program) -> Result<Heap, Gap> {
        let mut heap = Heap::default();
        for buffer in &program.inputs {
            let (array, layout) = (self.array(*buffer)?, self.layout(*buffer)?);
            let mut held = Set::universe(&self.affine.context)?;
            for (dim, dimension) in array.coords.iter().zip(layout.iter()) {
                let coord = self.affine.dim(*dim);
                let within = self.affine.within(&coord, &dimension.min, &dimension.extent)?;
                held = held.intersect(&within)?;
            }
            heap = heap.union(&Heap::chunk((*buffer, 0), held))?;
        }
        Ok(heap)
    }

    /// Checks that each output holds the func's last values on its window.
    fn outputs(&mut self, program: &Program, heap: &Heap, gamma: &Gamma) -> Result<(), Gap> {
        for output in &program.outputs {
            let instances = self.recurrence.instances(self.pool, &mut self.affine, output.func);
            let mut window = gamma.facts()?.clone();
            for (dim, (min, extent)) in instances.coords.iter().zip(&output.window) {
                let [min, extent] = [*min, *extent].map(|var| self.pool.var_expr(var));
                let (min, extent) =
                    (self.affine.int(self.pool, min)?, self.affine.int(self.pool, extent)?);
                let coord = self.affine.dim(*dim);
                window = window.intersect(&self.affine.within(&coord, &min, &extent)?)?;
            }
            let last = self.recurrence.last(self.pool, &mut self.affine, output.func)?;
            for buffer in &output.buffers {
                let place = self.pool.buffer(*buffer).name.clone();
                let about = |gap: Gap| gap.about(Premise::Output, None, || place.clone());
                let written = heap.domain(&self.arrays).map_err(about)?;
                let everything = match written.0.get(buffer) {
                    Some(written) => entails(&window, written).map_err(about)?,
                    None => window.is_empty()?,
                };
                if !everything {
                    return Err(about(Gap::new("a part of the window is not written")));
                }
                let held: Vec<_> =
                    heap.of(*buffer).map(|(stage, set)| (stage, set.clone())).collect();
                if !same_instances(&window, &held, &last).map_err(about)? {
                    return Err(about(Gap::new("an element may hold another than the last value")));
                }
                self.show(Premise::Output, None, &place);
            }
        }
        Ok(())
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
