//! The single walk over a program.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    BufferId, BufferKind, Check, Constant, Expr, ExprId, FuncId, Label, Pool, Program, Stmt,
    StmtId, StoreIn, VarId, interleaved_lanes,
};

use super::scope::{Binding, Decision, Scope};
use super::{
    Access, Binder, Computed, Control, Dimension, EntryCheck, Labelled, Loop, Memory, Model, Place,
    Problem, Role, Step, Store, Use,
};
use crate::evaluate::{Evaluator, Result, unknown};
use crate::program::{LoadId, MemoryId};
use crate::space::{FormulaId, PolyId, Rename, Space, Value, Version};

/// The greatest number of arms of selections that are told apart for one expression.
const MOST_ARMS: usize = 32;

/// The loads that expressions use, each in the cases in which its value matters.
struct Uses {
    always: FormulaId,
    list: Vec<Use>,
    /// The cases of each load.
    arms: FxHashMap<LoadId, Vec<FormulaId>>,
}

impl Uses {
    /// Adds a use, unless it is known. A load with very many cases counts as used always.
    fn add(&mut self, load: LoadId, arm: FormulaId) {
        let arms = self.arms.entry(load).or_default();
        let arm = if arms.len() < MOST_ARMS { arm } else { self.always };
        if !arms.contains(&arm) && !arms.contains(&self.always) {
            arms.push(arm);
            self.list.push(Use { load, arm });
        }
    }
}

/// Values of the pipeline's parameters, shapes and windows: symbols that program and specification
/// share.
pub(crate) type Parameters = FxHashMap<VarId, Value>;

/// Lists the parameters, shape and window variables of a program. Some come twice.
pub(crate) fn vars(pool: &Pool, program: &Program) -> Vec<VarId> {
    let mut vars: Vec<VarId> = program.params.clone();
    for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
        for dim in &pool.buffer(buffer).dims {
            for expr in [dim.min, dim.extent, dim.stride] {
                if let Expr::Var(var) = pool.get(expr) {
                    vars.push(*var);
                }
            }
        }
    }
    for output in &program.outputs {
        vars.extend(output.window.iter().flat_map(|(min, extent)| [*min, *extent]));
    }
    vars
}

/// Gives every parameter, shape and window variable of a program its symbol.
pub(crate) fn parameters(pool: &Pool, space: &Space, program: &Program) -> Parameters {
    let mut values = Parameters::default();
    for var in vars(pool, program) {
        if values.contains_key(&var) {
            continue;
        }
        values.insert(var, unknown(pool, space, var));
    }
    values
}

/// Describes a program.
pub(crate) fn walk(
    pool: &Pool,
    space: &Space,
    program: &Program,
    parameters: &Parameters,
) -> Model {
    let bindings = parameters
        .iter()
        .map(|(var, value)| (*var, Binding { value: *value, uses: Vec::new() }))
        .collect();
    let scope = Scope {
        model: Model::default(),
        bindings,
        by_buffer: FxHashMap::default(),
        by_func: FxHashMap::default(),
        place: Place::default(),
        loads: FxHashMap::default(),
        own_indices: Vec::new(),
        stmt: program.body,
        decisions: Vec::new(),
    };
    let mut walker = Walker {
        pool,
        space,
        scope,
        at_entry: true,
        bound: FxHashSet::default(),
        mentioned: FxHashSet::default(),
    };
    for buffer in program.inputs.iter().copied().chain(program.output_buffers()) {
        walker.memory(buffer);
    }
    for output in &program.outputs {
        walker.window(output);
    }
    walker.statement(program.body);
    let Walker { mut scope, mentioned, .. } = walker;
    scope.model.idle.retain(|load| !mentioned.contains(load));
    scope.model
}

/// The lanes of a store that a vector fills: lane `l` of the vector is lane `first + step * l`.
#[derive(Clone, Copy)]
struct Every {
    step: u32,
    first: u32,
}

impl Every {
    const ONE: Self = Self { step: 1, first: 0 };

    /// Settles reads, and substitutes the store's lane for a vector with this many lanes.
    fn settle(self, space: &Space, lanes: u32) -> Rename {
        let mut settle = Rename::settle(None);
        if self.step > 1 {
            let (whole, own) = (space.lane(lanes * self.step), space.lane(lanes));
            let own = space.symbol(own);
            let own = space.scale(own, i128::from(self.step));
            settle.insert(whole, space.offset(own, i128::from(self.first)));
        }
        settle
    }
}

struct Walker<'a> {
    pool: &'a Pool,
    space: &'a Space,
    scope: Scope,
    /// True until a statement other than an entry check is met.
    at_entry: bool,
    /// Every variable that was bound so far.
    bound: FxHashSet<VarId>,
    /// The loads that were used by name.
    mentioned: FxHashSet<LoadId>,
}

impl Walker<'_> {
    fn problem(&mut self, reason: impl std::fmt::Display) {
        self.scope
            .model
            .problems
            .push(Problem { stmt: self.scope.stmt, reason: reason.to_string() });
    }

    fn window(&mut self, output: &halidom_ir::Output) {
        let mut window = Vec::new();
        for (min, extent) in &output.window {
            match (self.scope.bindings.get(min), self.scope.bindings.get(extent)) {
                (
                    Some(Binding { value: Value::Int(min), .. }),
                    Some(Binding { value: Value::Int(extent), .. }),
                ) => window.push((*min, *extent)),
                _ => return self.problem("a window that is not made of integers"),
            }
        }
        self.scope.model.windows.push((output.func, window));
    }

    fn statement(&mut self, id: StmtId) {
        self.scope.stmt = id;
        self.scope.loads.clear();
        self.scope.own_indices.clear();
        let is_check = matches!(self.pool.get_stmt(id), Stmt::Assert { .. } | Stmt::Block(_));
        if !is_check {
            self.at_entry = false;
        }
        match self.pool.get_stmt(id).clone() {
            Stmt::Block(parts) => {
                for (number, part) in parts.into_iter().enumerate() {
                    self.part(number, |walker| walker.statement(part));
                }
            }
            Stmt::Let { var, value, body } => self.bind(var, value, body),
            Stmt::If { condition, then_branch, else_branch } => {
                self.branch(condition, then_branch, else_branch);
            }
            Stmt::For { var, min, extent, kind, body } => {
                let bounds = self.part(0, |walker| {
                    let bounds = walker.settled([min, extent]);
                    walker.compute(&[min, extent], Some((var, Binder::Loop)), Role::Decides);
                    walker.decide(&[min, extent]);
                    bounds
                });
                match bounds {
                    Ok([min, extent]) => self.repeat(var, min, extent, kind, body),
                    Err(error) => self.problem(error),
                }
            }
            Stmt::Allocate { buffer, body } => {
                let outer = (self.scope.by_buffer.clone(), self.scope.by_func.clone());
                self.part(0, |walker| {
                    let dims = walker.pool.buffer(buffer).dims.clone();
                    let exprs: Vec<ExprId> =
                        dims.iter().flat_map(|dim| [dim.min, dim.extent, dim.stride]).collect();
                    walker.memory(buffer);
                    walker.control(&exprs, Role::Shape);
                    let allocates = walker.scope.by_buffer.get(&buffer).copied();
                    if let Some(computed) = walker.scope.model.computed.last_mut() {
                        computed.allocates = allocates;
                    }
                });
                self.part(1, |walker| walker.statement(body));
                (self.scope.by_buffer, self.scope.by_func) = outer;
            }
            Stmt::Assert { condition, check } => self.assert(condition, check),
            Stmt::Labeled { label, body } => self.labelled(label, body),
            Stmt::Provide { func, stage, coords, point, values, atomic } => {
                if values.len() != self.pool.func(func).scalars.len() {
                    return self.problem("a write of some components of a func");
                }
                // The loads of all values come before the stores of all components: both are
                // numbered parts of this statement.
                for (component, value) in values.into_iter().enumerate() {
                    let Some(memory) = self.scope.by_func.get(&(func, component)).copied() else {
                        return self.problem("a write to a func without a buffer");
                    };
                    let claimed = (&*coords, &*point);
                    let claims = (func, stage, atomic);
                    self.store(memory, claims, claimed, (None, Every::ONE), value);
                }
            }
            Stmt::Store { buffer, index, value, prophecy, atomic } => {
                let Some(memory) = self.scope.by_buffer.get(&buffer).copied() else {
                    return self.problem("a store to a buffer that does not exist here");
                };
                let Some(claim) = prophecy else {
                    return self.problem("a store that does not say what it writes");
                };
                let claimed = (&*claim.coords, &*claim.point);
                let claims = (claim.func, claim.stage, atomic);
                match self.row(index, value) {
                    // The elements differ, so the vectors may as well be stored one after another.
                    Some(vectors) if !atomic => {
                        for (number, vector) in (0..).zip(&vectors) {
                            let every = Every { step: vectors.len() as u32, first: number };
                            self.store(memory, claims, claimed, (Some(index), every), *vector);
                        }
                    }
                    Some(_) | None => {
                        self.store(memory, claims, claimed, (Some(index), Every::ONE), value);
                    }
                }
            }
        }
    }

    /// Enters a numbered part of the present statement.
    fn part<T>(&mut self, number: usize, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.place.steps.push(Step::Part(number));
        let stmt = self.scope.stmt;
        let result = inside(self);
        self.scope.stmt = stmt;
        self.scope.place.steps.pop();
        result
    }

    /// Enters a part where one more fact holds.
    fn under(&mut self, number: usize, fact: FormulaId, body: StmtId) {
        let known = self.scope.place.facts.len();
        self.scope.place.facts.extend(self.space.conjuncts(fact));
        self.part(number, |walker| walker.statement(body));
        self.scope.place.facts.truncate(known);
    }

    /// Binds a variable. A variable that is bound twice would be ambiguous, so it is refused.
    fn insert(&mut self, var: VarId, binding: Binding) -> bool {
        let fresh = self.scope.bindings.insert(var, binding).is_none() && self.bound.insert(var);
        if !fresh {
            self.problem(format!("`{}` is bound twice", self.pool.var(var).name));
        }
        fresh
    }

    fn bind(&mut self, var: VarId, value: ExprId, body: StmtId) {
        let bound = self.part(0, |walker| {
            let bound = walker.evaluate(|evaluator| evaluator.value(value));
            walker.compute(&[value], Some((var, Binder::Let)), Role::Value);
            // Whether its name is mentioned shows later.
            walker.scope.model.idle.extend(walker.scope.loads.get(&value));
            bound.map(|value_term| Binding { value: value_term, uses: walker.uses(&[value]) })
        });
        match bound {
            Ok(binding) => {
                if self.insert(var, binding) {
                    self.part(1, |walker| walker.statement(body));
                    self.scope.bindings.remove(&var);
                }
            }
            Err(error) => self.problem(error),
        }
    }

    fn branch(&mut self, condition: ExprId, then_branch: StmtId, else_branch: Option<StmtId>) {
        let (fact, own) = self.part(0, |walker| {
            let fact = walker.evaluate(|evaluator| evaluator.bool(condition));
            walker.compute(&[condition], None, Role::Decides);
            let uses = walker.uses(&[condition]);
            let (own, others) = uses.into_iter().partition(|used| walker.is_updated(used));
            walker.controlled(others);
            (fact, own)
        });
        let fact = match fact {
            Ok(fact) => fact,
            Err(error) => return self.problem(error),
        };
        let mut taken = self.decided(1, fact, &own, then_branch);
        if let Some(else_branch) = else_branch {
            let otherwise = self.space.not(fact);
            taken |= self.decided(2, otherwise, &own, else_branch);
        }
        if !taken {
            self.part(0, |walker| walker.controlled(own));
        }
    }

    /// Enters a branch. The parts of its condition that read funcs which are being updated here are
    /// left to the stores of these funcs. Returns true if such a store took them.
    fn decided(&mut self, number: usize, condition: FormulaId, own: &[Use], body: StmtId) -> bool {
        let model = &self.scope.model;
        let memories: Vec<MemoryId> =
            own.iter().map(|used| model.loads[used.load].memory).collect();
        let (conditions, facts): (Vec<_>, Vec<_>) =
            self.space.conjuncts(condition).into_iter().partition(|part| {
                self.space.pending(*part).iter().any(|memory| memories.contains(memory))
            });
        let facts = Rename::settle(None).formulas(self.space, &facts);
        let fact = self.space.and(facts);
        let loops = self.scope.place.loops().count();
        self.scope.decisions.push(Decision { conditions, uses: own.to_vec(), loops, taken: false });
        self.under(number, fact, body);
        self.scope.decisions.pop().is_some_and(|decision| decision.taken)
    }

    /// Tests whether a load reads a func with updates under the label where it is computed.
    fn is_updated(&self, used: &Use) -> bool {
        let model = &self.scope.model;
        let memory = model.loads[used.load].memory;
        let around = self.scope.place.labels.iter().map(|label| &model.labels[*label]);
        around.into_iter().any(|label| label.memories.contains(&memory) && label.regions.len() > 1)
    }

    fn repeat(
        &mut self,
        var: VarId,
        min: PolyId,
        extent: PolyId,
        kind: halidom_ir::LoopKind,
        body: StmtId,
    ) {
        let symbol = self.space.fresh(self.pool.var(var).name.clone());
        let variable = self.space.symbol(symbol);
        let index = self.scope.model.loops.push(Loop { symbol, min, extent, kind });
        let known = self.scope.place.facts.len();
        let range = self.space.within(variable, min, extent);
        self.scope.place.facts.extend(self.space.conjuncts(range));
        if self.insert(var, Binding { value: Value::Int(variable), uses: Vec::new() }) {
            self.part(1, |walker| {
                walker.scope.place.steps.push(Step::Loop(index));
                walker.statement(body);
                walker.scope.place.steps.pop();
            });
            self.scope.bindings.remove(&var);
        }
        self.scope.place.facts.truncate(known);
    }

    /// Declares a buffer as it is at this place.
    fn memory(&mut self, buffer: BufferId) {
        let decl = self.pool.buffer(buffer).clone();
        if decl.kind != BufferKind::Input && self.pool.func(decl.func).stages().is_empty() {
            self.problem("memory of the program's own for an input");
        }
        let mut dims = Vec::new();
        for dim in &decl.dims {
            match self.settled([dim.min, dim.extent, dim.stride]) {
                Ok([min, extent, stride]) => {
                    dims.push(Dimension { min, extent, stride, folded: dim.folded });
                }
                Err(error) => return self.problem(error),
            }
        }
        let mut place = self.scope.place.clone();
        // The buffer exists in the whole statement, not only in the part that evaluates its size.
        if decl.kind == BufferKind::Internal {
            place.steps.pop();
        }
        let (func, component, kind) = (decl.func, decl.component, decl.kind);
        if self.pool.func(func).scalars.get(component) != Some(&decl.scalar) {
            return self.problem("a buffer that holds no component of its func");
        }
        let within = match decl.store_in {
            StoreIn::Within(lender) => match self.scope.by_buffer.get(&lender) {
                Some(lender) => Some(*lender),
                None => return self.problem("a buffer within one that does not exist here"),
            },
            StoreIn::Auto
            | StoreIn::Heap
            | StoreIn::Stack
            | StoreIn::Register
            | StoreIn::Stream => None,
        };
        let memory = Memory { buffer, func, component, kind, dims, place, within };
        let memory = self.scope.model.memories.push(memory);
        self.scope.by_buffer.insert(buffer, memory);
        self.scope.by_func.insert((func, component), memory);
    }

    fn assert(&mut self, condition: ExprId, check: Check) {
        let before = self.scope.model.loads.len();
        let fact = self.evaluate(|evaluator| evaluator.bool(condition));
        match fact {
            Ok(_) if !self.at_entry => self.problem("a check that does not stand at entry"),
            Ok(_) if self.scope.model.loads.len() > before => {
                self.problem("an entry check that depends on data");
            }
            Ok(fact) => {
                let entry = EntryCheck { condition: fact, expr: condition, check };
                self.scope.model.entry.push(entry);
            }
            Err(error) => self.problem(error),
        }
    }

    fn labelled(&mut self, label: Label, body: StmtId) {
        match label {
            // A prefetch is no access: the verifier of programs has checked that its index is total
            // and reads nothing.
            Label::Stage { .. }
            | Label::Partition(_)
            | Label::Ahead { .. }
            | Label::Prefetch { .. } => self.statement(body),
            // No obligation would cover a promise about an input.
            Label::Func { func, .. } if self.pool.func(func).stages().is_empty() => {
                self.problem("a label promises an input");
            }
            Label::Func { func, needed } => {
                let sides = needed.iter().map(|side| self.settled([side.min, side.extent]));
                let sides: Result<Vec<_>> = sides.collect();
                let needed: Vec<_> = match sides {
                    Ok(sides) => sides.into_iter().map(|[min, extent]| (min, extent)).collect(),
                    Err(error) => return self.problem(error),
                };
                if self.scope.decisions.iter().any(|decision| !decision.conditions.is_empty()) {
                    self.problem(
                        "a place that computes under a condition on what is being updated",
                    );
                }
                let memories = (0..self.pool.func(func).scalars.len())
                    .map(|component| self.scope.by_func.get(&(func, component)).copied())
                    .collect::<Option<Vec<_>>>()
                    .unwrap_or_default();
                let place = self.scope.place.clone();
                let regions = vec![needed.clone(); self.pool.func(func).stages().len()];
                let label = Labelled { func, needed, regions, place, memories };
                let label = self.scope.model.labels.push(label);
                self.scope.place.labels.push(label);
                self.statement(body);
                self.scope.place.labels.pop();
            }
        }
    }

    /// Returns the vectors of a store that interleaves them into consecutive elements.
    fn row(&self, index: ExprId, value: ExprId) -> Option<Box<[ExprId]>> {
        let Expr::Ramp { stride, .. } = *self.pool.get(index) else { return None };
        let Expr::Shuffle { vectors, lanes } = self.pool.get(value) else { return None };
        let dense = self.pool.as_constant(stride).and_then(Constant::as_integer) == Some(1);
        let each = self.pool.ty(*vectors.first()?).lanes;
        let row = interleaved_lanes(vectors.len() as u32, each);
        (dense && **lanes == *row).then(|| vectors.clone())
    }

    fn store(
        &mut self,
        memory: MemoryId,
        (func, stage, atomic): (FuncId, usize, bool),
        (coords, point): (&[ExprId], &[ExprId]),
        (index, every): (Option<ExprId>, Every),
        value: ExprId,
    ) {
        let lanes = self.pool.ty(value).lanes;
        let buffer = self.scope.model.memories[memory].buffer;
        let evaluated = self.part(0, |walker| {
            let claim = walker.evaluate(|evaluator| {
                let flat = index.map(|index| evaluator.int(index)).transpose()?;
                Ok((flat, evaluator.ints(coords)?, evaluator.ints(point)?))
            });
            let stored = walker.evaluate(|evaluator| evaluator.value(value));
            // Claims are not evaluated, but where they mention data they must be settled.
            match index {
                Some(_) if every.first > 0 => {}
                Some(index) => walker.control(&[index], Role::Index(buffer)),
                None => walker.control(coords, Role::Decides),
            }
            let indices = walker.compute_own(&[value], None, Role::Value);
            (claim, stored, walker.uses(&[value]), indices)
        });
        let (claim, stored, uses, indices) = evaluated;
        let (flat, coords, point) = match claim {
            Ok(claim) => claim,
            Err(error) => return self.problem(error),
        };
        let settle = every.settle(self.space, lanes);
        let flat = flat.map(|flat| settle.poly(self.space, flat));
        let (coords, point) = (settle.polys(self.space, &coords), settle.polys(self.space, &point));
        let own = Version::Before { stage, point: point.clone().into() };
        let labels = &self.scope.model.labels;
        let mut around = self.scope.place.labels.iter().rev().copied();
        let label = around.find(|label| labels[*label].func == func);
        let memories = label.map_or_else(Vec::new, |label| labels[label].memories.clone());
        let settle = Rename::settle((stage > 0).then_some((&memories, own)));
        for (load, flat, coords) in std::mem::take(&mut self.scope.own_indices) {
            let access = &mut self.scope.model.loads[load];
            access.flat = flat.map(|flat| settle.poly(self.space, flat));
            access.coords = settle.polys(self.space, &coords);
        }
        let value = stored.map(|value| settle.value(self.space, value));
        let value = value.inspect_err(|error| self.problem(error));
        let loads = &self.scope.model.loads;
        let is_own = |used: &Use| stage > 0 && memories.contains(&loads[used.load].memory);
        let settled =
            |used: &Use| Use { load: used.load, arm: settle.formula(self.space, used.arm) };
        let uses = uses.iter().map(settled).collect();
        let loops = self.scope.place.loops().count();
        let (mut known, mut decides, mut undecided) = (Vec::new(), Vec::new(), false);
        for decision in &mut self.scope.decisions {
            // With no loop in between, the condition is evaluated only for this instance.
            if stage == 0 || decision.loops != loops || !decision.uses.iter().all(is_own) {
                // Invariant: a store runs wherever the facts of its place hold.
                undecided |= !decision.conditions.is_empty();
                continue;
            }
            decision.taken = true;
            for condition in &decision.conditions {
                known.extend(self.space.conjuncts(settle.formula(self.space, *condition)));
            }
            decides.extend(decision.uses.iter().map(settled));
        }
        // The index of a load is evaluated whether or not the store is good.
        let (own, others): (Vec<Use>, Vec<Use>) = indices.into_iter().partition(is_own);
        decides.extend(own.iter().map(settled));
        self.part(0, |walker| walker.controlled(others));
        if undecided {
            self.problem("a condition on what is being updated decides about another store");
        }
        self.scope.place.steps.push(Step::Part(1 + every.first as usize));
        let (mut place, lane) = self.scope.lane_place(self.space, lanes);
        self.scope.place.steps.pop();
        place.facts.extend(known);
        let access = Access { stmt: self.scope.stmt, memory, flat, coords, place, lane };
        let store = Store { access, func, stage, point, value, uses, decides, label, atomic };
        self.scope.model.stores.push(store);
    }

    /// Evaluates `int`s of the present statement that read no func which is being updated here, and
    /// lists the loads in them.
    fn settled<const N: usize>(&mut self, exprs: [ExprId; N]) -> Result<[PolyId; N]> {
        let mut found = [self.space.constant(0); N];
        self.evaluate(|evaluator| {
            for (found, expr) in found.iter_mut().zip(exprs) {
                *found = evaluator.int(expr)?;
            }
            Ok(())
        })?;
        let settle = Rename::settle(None);
        Ok(found.map(|poly| settle.poly(self.space, poly)))
    }

    /// Evaluates expressions of the present statement, and lists the loads in them.
    fn evaluate<T>(
        &mut self,
        work: impl FnOnce(&mut Evaluator<'_, Scope>) -> Result<T>,
    ) -> Result<T> {
        let mut evaluator = Evaluator::new(self.pool, self.space, &mut self.scope);
        let result = work(&mut evaluator);
        let settle = Rename::settle(None);
        for (expr, value) in evaluator.memo {
            if let Value::Int(poly) = value {
                // A read of a func that is being updated here stays pending, because it is not the
                // final value. Nothing is known about it except the range that the func's
                // definition gives.
                // The same expression may be evaluated elsewhere after the func is complete. What
                // is known of it must hold at both places.
                let is_pending = self.scope.model.ints.get(&expr) == Some(&poly);
                let settled = if is_pending || self.scope.depends(self.space, poly) {
                    poly
                } else {
                    settle.poly(self.space, poly)
                };
                self.scope.model.ints.insert(expr, settled);
            }
        }
        result
    }

    /// Records that the program evaluates expressions here. Indices of loads in them always matter,
    /// even in arms that are not chosen.
    fn compute(&mut self, exprs: &[ExprId], binds: Option<(VarId, Binder)>, role: Role) {
        let own = self.compute_own(exprs, binds, role);
        self.controlled(own);
    }

    /// Does the same, but leaves some loads in indices to the caller: it returns the loads of funcs
    /// that are being updated here.
    fn compute_own(
        &mut self,
        exprs: &[ExprId],
        binds: Option<(VarId, Binder)>,
        role: Role,
    ) -> Vec<Use> {
        let (stmt, place) = (self.scope.stmt, self.scope.place.clone());
        self.scope.model.computed.push(Computed {
            stmt,
            exprs: exprs.to_vec(),
            place,
            binds,
            allocates: None,
            role,
        });
        let pool = self.pool;
        let mut indices: Vec<ExprId> = Vec::new();
        for root in exprs {
            pool.for_each_subexpr(*root, &mut |_, expr| {
                if let Expr::Load { index, .. } = expr {
                    indices.push(*index);
                } else if let Expr::Ref { args, .. } = expr {
                    indices.extend(args.iter().copied());
                }
            });
        }
        let uses = self.uses(&indices);
        let (own, others) = uses.into_iter().partition(|used| self.is_updated(used));
        self.controlled(others);
        own
    }

    /// Collects the loads that expressions use, through lets, with the arms that contain them.
    fn uses(&mut self, roots: &[ExprId]) -> Vec<Use> {
        let always = self.space.truth(true);
        let mut uses = Uses { always, list: Vec::new(), arms: FxHashMap::default() };
        let mut seen = FxHashMap::default();
        for root in roots {
            self.collect(*root, always, &mut seen, &mut uses);
        }
        uses.list
    }

    fn collect(
        &mut self,
        expr: ExprId,
        arm: FormulaId,
        seen: &mut FxHashMap<ExprId, Vec<FormulaId>>,
        uses: &mut Uses,
    ) {
        let arms = seen.entry(expr).or_default();
        // Nested selections that share operands have exponentially many arms. Beyond a limit, the
        // operands count as used in every case.
        let arm = if arms.len() < MOST_ARMS { arm } else { self.space.truth(true) };
        if arms.contains(&arm) {
            return;
        }
        arms.push(arm);
        match self.pool.get(expr).clone() {
            Expr::Var(var) => {
                let bound = self.scope.bindings.get(&var).map(|binding| binding.uses.clone());
                for used in bound.unwrap_or_default() {
                    self.mentioned.insert(used.load);
                    uses.add(used.load, self.space.and([arm, used.arm]));
                }
            }
            Expr::Select { condition, if_true, if_false } => {
                self.collect(condition, arm, seen, uses);
                let (then_arm, else_arm) =
                    match self.evaluate(|evaluator| evaluator.bool(condition)) {
                        Ok(condition) => {
                            let negated = self.space.not(condition);
                            (self.space.and([arm, condition]), self.space.and([arm, negated]))
                        }
                        Err(_) => (arm, arm),
                    };
                self.collect(if_true, then_arm, seen, uses);
                self.collect(if_false, else_arm, seen, uses);
            }
            // Only the lanes that are taken matter, and the indices, which `compute` lists.
            Expr::Shuffle { .. } => {
                if let Some(load) = self.scope.loads.get(&expr) {
                    uses.add(*load, arm);
                }
            }
            other @ (Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Hole(_)) => {
                if let Some(load) = self.scope.loads.get(&expr) {
                    uses.add(*load, arm);
                }
                other.for_each_operand(|operand| self.collect(operand, arm, seen, uses));
            }
        }
    }

    /// Records that expressions decide whether or where a statement runs.
    fn control(&mut self, exprs: &[ExprId], role: Role) {
        self.compute(exprs, None, role);
        self.decide(exprs);
    }

    fn decide(&mut self, exprs: &[ExprId]) {
        let uses = self.uses(exprs);
        self.controlled(uses);
    }

    fn controlled(&mut self, uses: Vec<Use>) {
        if !uses.is_empty() {
            let settle = Rename::settle(None);
            let uses = uses
                .into_iter()
                .map(|used| {
                    // The version on which such an arm depends is not known here, so the load
                    // always matters.
                    let arm = if self.scope.depends(self.space, used.arm) {
                        self.space.truth(true)
                    } else {
                        settle.formula(self.space, used.arm)
                    };
                    Use { load: used.load, arm }
                })
                .collect();
            self.scope.model.controls.push(Control { place: self.scope.place.clone(), uses });
        }
    }
}
