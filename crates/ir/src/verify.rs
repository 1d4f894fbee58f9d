//! The verifier: it defines well-formed algorithms and programs, and finds defects of passes.
//!
//! # Rules for expressions
//! * Operands of a binary operator and the arms of a select have one type. Arithmetic takes
//!   numbers, `%` and shifts take integers (shifts not `int`), logic takes `bool` or machine
//!   integers, `==` takes anything. A select's condition is `bool` with the arms' lanes.
//! * Overflow is unbounded exactly for `int`. A cast to `int` is from an integer or `bool`.
//! * A ref has one `int` for each dimension of its func. A load's index is `int`; its access names
//!   the buffer's func with one `int` for each dimension, of the load's lanes.
//! * Ramps have a scalar `int` base and stride, broadcasts a scalar value. Both have at least two
//!   lanes. So has a shuffle, which takes them from vectors of one type.
//! * Every variable is in scope: a parameter, a shape or window variable, a func's argument, a
//!   reduction variable, or bound by an enclosing statement.
//!
//! # Rules for algorithms
//! * Funcs are defined once and read only earlier funcs and inputs; an update may read its own
//!   func. The pure stage has no domain and writes at the func's arguments.
//! * Outputs are different funcs, and their pure stages have no predicate.
//!
//! # Rules for programs
//! * Every variable is bound at most once, every buffer allocated at most once.
//! * Bounds of loops are scalar `int`, conditions scalar `bool`.
//! * A load or store of an internal buffer lies within its allocation. Inputs are never stored to.
//! * A store's value has the buffer's type and the index's lanes. Its prophecy names the buffer's
//!   func and one of its stages; it has one `int` for each dimension and for each reduction
//!   variable, of these lanes.
//! * Asserts are over parameters, shapes and windows only, and no store or loop precedes them.
//! * By phase: [`Phase::Holes`] may have holes and [`Phase::Structured`] has none. [`Phase::Final`]
//!   has no holes, refs, provides, vectorized loops or unrolled loops.

use halidom_base::FxHashSet;

use crate::typing::broken_rule;
use crate::{
    Algorithm, BinaryOp, BufferDecl, BufferId, BufferKind, Check, Constant, Expr, ExprId, FuncId,
    FuncKind, Interval, Label, LoopKind, Output, Pool, Program, Scalar, Stmt, StmtId, StoreIn,
    Type, UnaryOp, VarId, print,
};

/// The phase of a program in the compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Bounds may still be holes.
    Holes,
    /// All bounds are known. Funcs are multidimensional arrays.
    Structured,
    /// Memory is flat. All code is scalar or vector code.
    Final,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{rule}: `{place}`")]
pub struct Violation {
    /// The rule, in words.
    pub rule: &'static str,
    /// The expression, statement or name in question, printed.
    pub place: String,
}

/// Checks types, scopes, and definitions before uses in an algorithm. Returns all violations.
pub fn algorithm(pool: &Pool, algorithm: &Algorithm) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier::new(pool, Phase::Structured);
    verifier.declare_signature(&algorithm.params, algorithm.inputs.iter().copied());
    for require in &algorithm.requires {
        verifier.expect(require.condition, Type::BOOL, "a requirement is a scalar bool");
    }
    let mut defined: FxHashSet<FuncId> = algorithm.inputs.iter().copied().collect();
    for func in &algorithm.funcs {
        verifier.func(*func);
        verifier.definition(*func, &defined);
        defined.insert(*func);
    }
    for (position, output) in algorithm.outputs.iter().enumerate() {
        if !algorithm.funcs.contains(output) {
            verifier.report("outputs are defined funcs", pool.func(*output).name.clone());
        }
        if algorithm.outputs[..position].contains(output) {
            verifier.report("a func is an output once", pool.func(*output).name.clone());
        }
        if pool.func(*output).is_partial() {
            verifier.report("an output has a value everywhere", pool.func(*output).name.clone());
        }
    }
    verifier.finish()
}

/// Checks a program of an algorithm. Returns all violations.
pub fn program(pool: &Pool, program: &Program, phase: Phase) -> Result<(), Vec<Violation>> {
    let mut verifier = Verifier::new(pool, phase);
    verifier.declare_signature(
        &program.params,
        program.inputs.iter().map(|buffer| pool.buffer(*buffer).func),
    );
    for output in &program.outputs {
        verifier.declare_output(output);
        for (min, extent) in &output.window {
            verifier.declare(*min);
            verifier.declare(*extent);
        }
        if output.window.len() != pool.func(output.func).rank() {
            verifier.report(
                "an output's window has the output's rank",
                pool.func(output.func).name.clone(),
            );
        }
    }
    let startup = verifier.in_scope.clone();
    verifier.startup = startup;
    verifier.stmt(program.body);
    verifier.finish()
}

struct Verifier<'a> {
    pool: &'a Pool,
    phase: Phase,
    in_scope: FxHashSet<VarId>,
    bound: FxHashSet<VarId>,
    startup: FxHashSet<VarId>,
    live: FxHashSet<BufferId>,
    allocated: FxHashSet<BufferId>,
    /// Buffers allocated outside the innermost unordered loop around the present statement. Their
    /// memory cannot be lent.
    shared: FxHashSet<BufferId>,
    /// Expressions that were found well formed, apart from the scope of their variables.
    checked: FxHashSet<ExprId>,
    work_begun: bool,
    violations: Vec<Violation>,
}

impl<'a> Verifier<'a> {
    fn new(pool: &'a Pool, phase: Phase) -> Self {
        Self {
            pool,
            phase,
            in_scope: FxHashSet::default(),
            bound: FxHashSet::default(),
            startup: FxHashSet::default(),
            live: FxHashSet::default(),
            allocated: FxHashSet::default(),
            shared: FxHashSet::default(),
            checked: FxHashSet::default(),
            work_begun: false,
            violations: Vec::new(),
        }
    }

    fn finish(self) -> Result<(), Vec<Violation>> {
        if self.violations.is_empty() { Ok(()) } else { Err(self.violations) }
    }

    fn report(&mut self, rule: &'static str, place: String) {
        self.violations.push(Violation { rule, place });
    }

    fn report_expr(&mut self, rule: &'static str, id: ExprId) {
        self.report(rule, print::expr(self.pool, id));
    }

    fn declare(&mut self, var: VarId) {
        self.in_scope.insert(var);
        self.bound.insert(var);
    }

    fn declare_signature(&mut self, params: &[VarId], inputs: impl Iterator<Item = FuncId>) {
        for param in params {
            self.declare(*param);
        }
        for input in inputs {
            match self.pool.func(input).kind {
                FuncKind::Input { buffer } => {
                    let decl = self.pool.func(input);
                    if decl.scalars.len() != 1 {
                        self.report("inputs have one component", decl.name.clone());
                    }
                    self.declare_buffer(buffer);
                }
                FuncKind::Defined { .. } => {
                    self.report("inputs are of kind input", self.pool.func(input).name.clone())
                }
            }
        }
    }

    /// Checks that a buffer has the type of the component that it holds.
    fn holds_component(&mut self, decl: &BufferDecl) {
        if self.pool.func(decl.func).scalars.get(decl.component) != Some(&decl.scalar) {
            self.report("a buffer holds a component of its func", decl.name.clone());
        }
    }

    /// Declares the buffers of an output: one for each component, with the dims of the first.
    fn declare_output(&mut self, output: &Output) {
        let decl = self.pool.func(output.func);
        if output.buffers.len() != decl.scalars.len() {
            self.report("outputs have a buffer for each component", decl.name.clone());
        }
        let mut buffers = output.buffers.iter();
        let Some(first) = buffers.next() else { return };
        self.declare_buffer(*first);
        for buffer in buffers {
            self.live.insert(*buffer);
            let decl = self.pool.buffer(*buffer);
            self.holds_component(decl);
            if decl.dims != self.pool.buffer(*first).dims {
                self.report("the buffers of an output are of one shape", decl.name.clone());
            }
        }
        for (component, buffer) in output.buffers.iter().enumerate() {
            let decl = self.pool.buffer(*buffer);
            if (decl.func, decl.component) != (output.func, component) {
                self.report("outputs have a buffer for each component", decl.name.clone());
            }
        }
    }

    fn declare_buffer(&mut self, buffer: BufferId) {
        self.live.insert(buffer);
        let decl = self.pool.buffer(buffer);
        self.holds_component(decl);
        if decl.dims.iter().any(|dim| dim.folded) {
            self.report("only internal buffers are folded", decl.name.clone());
        }
        for dim in &decl.dims {
            for id in [dim.min, dim.extent, dim.stride] {
                match self.pool.get(id) {
                    Expr::Var(var) => self.declare(*var),
                    Expr::Const(_) => {}
                    Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Select { .. }
                    | Expr::Cast(..)
                    | Expr::Call(..)
                    | Expr::Apply { .. }
                    | Expr::Ref { .. }
                    | Expr::Load { .. }
                    | Expr::Ramp { .. }
                    | Expr::Broadcast { .. }
                    | Expr::Shuffle { .. }
                    | Expr::Hole(_) => {
                        self.report_expr("dims of a caller's buffer are variables or constants", id)
                    }
                }
            }
        }
    }

    fn func(&mut self, func: FuncId) {
        let pool = self.pool;
        let decl = pool.func(func);
        for arg in &decl.args {
            self.declare(*arg);
        }
        if decl.scalars.is_empty() {
            self.report("a func has at least one component", decl.name.clone());
        }
        if decl.stages().is_empty() {
            self.report("a defined func has a pure stage", decl.name.clone());
        }
        for (number, stage) in decl.stages().iter().enumerate() {
            for variable in &stage.domain {
                self.expect(variable.min, Type::INT, "domain bounds are scalar ints");
                self.expect(variable.extent, Type::INT, "domain bounds are scalar ints");
                self.declare(variable.var);
            }
            if let Some(predicate) = stage.predicate {
                self.expect(predicate, Type::BOOL, "a predicate is a scalar bool");
            }
            if stage.lhs.len() != decl.rank() {
                self.report("a stage writes a point of the func's rank", decl.name.clone());
            }
            for (coord, arg) in stage.lhs.iter().zip(&decl.args) {
                self.expect(*coord, Type::INT, "coordinates are scalar ints");
                if number == 0 && *pool.get(*coord) != Expr::Var(*arg) {
                    self.report("the pure stage writes at the func's arguments", decl.name.clone());
                }
            }
            self.values(&stage.values, func, "a stage has a value of each component's type");
            for variable in &stage.domain {
                self.in_scope.remove(&variable.var);
            }
        }
        for arg in &decl.args {
            self.in_scope.remove(arg);
        }
    }

    /// Checks that a func's pure stage gives one value for each point, and that the func reads only
    /// what is defined before it.
    fn definition(&mut self, func: FuncId, defined: &FxHashSet<FuncId>) {
        let pool = self.pool;
        let decl = pool.func(func);
        if defined.contains(&func) {
            self.report("a func is defined once", decl.name.clone());
        }
        for (number, stage) in decl.stages().iter().enumerate() {
            if number == 0 && !stage.domain.is_empty() {
                self.report("the pure stage has no domain", decl.name.clone());
            }
            let bounds = stage.domain.iter().flat_map(|variable| [variable.min, variable.extent]);
            for root in stage.roots().chain(bounds) {
                let mut early = false;
                pool.for_each_subexpr(root, &mut |_, expr| {
                    if let Expr::Ref { func: read, .. } = expr {
                        early |= !defined.contains(read) && (*read != func || number == 0);
                    }
                });
                if early {
                    self.report("a func reads what is defined before it", decl.name.clone());
                }
            }
        }
    }

    /// Checks that an atomic update writes one value with one lane. It must read the element that
    /// it writes, and no other element of that buffer.
    fn atomic(
        &mut self,
        (values, place): (&[ExprId], &[ExprId]),
        own: impl Fn(&Expr) -> bool,
        same: impl Fn(&Expr) -> bool,
    ) {
        let [value] = *values else {
            return self.report("an atomic update is of one value", "a tuple".to_owned());
        };
        let (mut reads, mut elsewhere) = (false, false);
        self.pool.for_each_subexpr(value, &mut |_, expr| {
            if own(expr) {
                reads = true;
                elsewhere |= !same(expr);
            }
        });
        for coord in place {
            self.pool.for_each_subexpr(*coord, &mut |_, expr| elsewhere |= own(expr));
        }
        if !reads || elsewhere || self.pool.ty(value).lanes != 1 {
            self.report_expr("an atomic update reads the one element that it writes", value);
        }
    }

    /// Checks that there is one scalar value of the right type for each component of a func.
    fn values(&mut self, values: &[ExprId], func: FuncId, rule: &'static str) {
        let decl = self.pool.func(func);
        if values.len() != decl.scalars.len() {
            self.report(rule, decl.name.clone());
        }
        for (value, scalar) in values.iter().zip(&decl.scalars) {
            self.expect(*value, Type::scalar(*scalar), rule);
        }
    }

    fn expect(&mut self, id: ExprId, ty: Type, rule: &'static str) {
        self.expr(id);
        if self.pool.ty(id) != ty {
            self.report_expr(rule, id);
        }
    }

    /// Checks an expression, including the scope of its variables and buffers.
    fn expr(&mut self, root: ExprId) {
        let pool = self.pool;
        pool.for_each_subexpr(root, &mut |id, expr| {
            match expr {
                Expr::Var(var) if !self.in_scope.contains(var) => {
                    self.report_expr("variables are in scope", root)
                }
                Expr::Load { buffer, .. } if !self.live.contains(buffer) => {
                    self.report_expr("buffers are alive", root)
                }
                Expr::Load { access: Some(access), .. } => {
                    for coord in &access.coords {
                        self.expr(*coord);
                    }
                }
                Expr::Var(_)
                | Expr::Load { .. }
                | Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ref { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => {}
            }
            if self.checked.insert(id)
                && let Some(rule) = self.premature(expr).or_else(|| broken_rule(pool, expr))
            {
                self.report_expr(rule, id);
            }
        });
    }

    /// Returns the rule that an expression breaks which a later phase has replaced.
    fn premature(&self, expr: &Expr) -> Option<&'static str> {
        if matches!(expr, Expr::Hole(_)) && self.phase != Phase::Holes {
            Some("completed programs have no holes")
        } else if matches!(expr, Expr::Ref { .. }) && self.phase == Phase::Final {
            Some("final programs have no refs")
        } else {
            None
        }
    }

    fn bind(&mut self, var: VarId) {
        if !self.bound.insert(var) {
            self.report("every variable is bound once", self.pool.var(var).name.clone());
        }
        self.in_scope.insert(var);
    }

    fn scalar_interval(&mut self, interval: Interval) {
        self.expect(interval.min, Type::INT, "interval ends are scalar ints");
        self.expect(interval.extent, Type::INT, "interval ends are scalar ints");
    }

    fn stmt(&mut self, id: StmtId) {
        let pool = self.pool;
        match pool.get_stmt(id) {
            Stmt::Block(stmts) => {
                for stmt in stmts {
                    self.stmt(*stmt);
                }
            }
            Stmt::Let { var, value, body } => {
                self.expr(*value);
                if pool.ty(*value) != pool.var(*var).ty {
                    self.report_expr("a let's value has the variable's type", *value);
                }
                self.bind(*var);
                self.stmt(*body);
                self.in_scope.remove(var);
            }
            Stmt::If { condition, then_branch, else_branch } => {
                self.expect(*condition, Type::BOOL, "conditions are scalar bools");
                self.stmt(*then_branch);
                if let Some(else_branch) = else_branch {
                    self.stmt(*else_branch);
                }
            }
            Stmt::For { var, min, extent, kind, body } => {
                self.work_begun = true;
                self.scalar_interval(Interval { min: *min, extent: *extent });
                if self.phase == Phase::Final
                    && matches!(kind, LoopKind::Vectorized | LoopKind::Unrolled)
                {
                    self.report("final loops are serial or parallel", pool.var(*var).name.clone());
                }
                if pool.var(*var).ty != Type::INT {
                    self.report("loop variables are scalar ints", pool.var(*var).name.clone());
                }
                self.bind(*var);
                let outer = match kind {
                    LoopKind::Serial | LoopKind::Unrolled => None,
                    LoopKind::Parallel(_)
                    | LoopKind::GpuBlocks
                    | LoopKind::GpuThreads
                    | LoopKind::Vectorized => {
                        Some(std::mem::replace(&mut self.shared, self.live.clone()))
                    }
                };
                self.stmt(*body);
                if let Some(outer) = outer {
                    self.shared = outer;
                }
                self.in_scope.remove(var);
            }
            Stmt::Allocate { buffer, body } => self.allocate(*buffer, *body),
            Stmt::Assert { condition, check } => self.assert(*condition, check),
            Stmt::Labeled { label, body } => {
                self.label(label);
                self.stmt(*body);
            }
            Stmt::Provide { func, stage, coords, point, values, atomic } => {
                self.work_begun = true;
                if self.phase == Phase::Final {
                    self.report("final programs have no provides", pool.func(*func).name.clone());
                }
                self.values(values, *func, "a provide has a value of each component's type");
                if *atomic {
                    let own =
                        |expr: &Expr| matches!(expr, Expr::Ref { func: read, .. } if read == func);
                    let same =
                        |expr: &Expr| matches!(expr, Expr::Ref { args, .. } if args == coords);
                    self.atomic((values, coords), own, same);
                }
                self.claim(*func, *stage, coords, point, 1);
            }
            Stmt::Store { buffer, index, value, prophecy, atomic } => {
                if *atomic {
                    let own = |expr: &Expr| {
                        let Expr::Load { buffer: read, .. } = expr else { return false };
                        read == buffer
                    };
                    let same =
                        |expr: &Expr| matches!(expr, Expr::Load { index: at, .. } if at == index);
                    self.atomic((&[*value], &[*index]), own, same);
                }
                self.work_begun = true;
                let decl = pool.buffer(*buffer);
                if !self.live.contains(buffer) || decl.kind == BufferKind::Input {
                    self.report(
                        "stores are to live buffers that are not inputs",
                        decl.name.clone(),
                    );
                }
                self.expr(*index);
                let index_type = pool.ty(*index);
                if index_type.scalar != Scalar::Int {
                    self.report_expr("an index is an int", *index);
                }
                self.expect(
                    *value,
                    index_type.with_scalar(decl.scalar),
                    "a store's value has the buffer's type and the index's lanes",
                );
                if let Some(prophecy) = prophecy {
                    if prophecy.func != decl.func {
                        self.report("a prophecy names the buffer's func", decl.name.clone());
                    }
                    self.claim(
                        prophecy.func,
                        prophecy.stage,
                        &prophecy.coords,
                        &prophecy.point,
                        index_type.lanes,
                    );
                }
            }
        }
    }

    fn allocate(&mut self, buffer: BufferId, body: StmtId) {
        let decl = self.pool.buffer(buffer);
        self.holds_component(decl);
        if decl.kind != BufferKind::Internal || !self.allocated.insert(buffer) {
            self.report("an internal buffer is allocated once", decl.name.clone());
        }
        for dim in &decl.dims {
            self.scalar_interval(Interval { min: dim.min, extent: dim.extent });
            self.expect(dim.stride, Type::INT, "strides are scalar ints");
            let constant = |id| self.pool.as_constant(id).and_then(Constant::as_integer);
            let room = constant(dim.extent).is_some_and(|extent| extent > 0);
            if dim.folded && (constant(dim.min) != Some(0) || !room) {
                self.report(
                    "a folded dimension begins at 0 and has a positive constant extent",
                    decl.name.clone(),
                );
            }
        }
        let lent = self.lent(decl);
        self.live.insert(buffer);
        self.stmt(body);
        self.live.remove(&buffer);
        self.live.extend(lent);
    }

    fn label(&mut self, label: &Label) {
        match label {
            Label::Func { func, needed } => {
                for interval in needed {
                    self.scalar_interval(*interval);
                }
                let decl = self.pool.func(*func);
                if decl.stages().is_empty() {
                    self.report("a label is of a defined func", decl.name.clone());
                }
                if needed.len() != decl.rank() {
                    self.report("a needed region has the func's rank", decl.name.clone());
                }
            }
            Label::Stage { func, stage, .. } => self.stage_exists(*func, *stage),
            Label::Partition(_) | Label::Ahead { .. } => {}
            Label::Prefetch { buffer, index } => self.prefetch(*buffer, *index),
        }
    }

    /// Checks a prefetch: its arithmetic wraps, and nothing in it depends on memory.
    fn prefetch(&mut self, buffer: BufferId, index: ExprId) {
        if !self.live.contains(&buffer) {
            self.report("what is prefetched is alive", self.pool.buffer(buffer).name.clone());
        }
        let rule = "an element that is prefetched is a scalar u64 that reads no memory";
        self.expect(index, Type::scalar(Scalar::U64), rule);
        let mut bare = true;
        self.pool.for_each_subexpr(index, &mut |id, expr| {
            bare &= match expr {
                Expr::Load { .. } | Expr::Ref { .. } => false,
                // Computations on `int` carry an obligation about their range. Prefetches have no
                // such obligation.
                Expr::Unary(UnaryOp::Neg(_), _)
                | Expr::Binary(BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Mul(_), ..) => {
                    self.pool.ty(id).scalar != Scalar::Int
                }
                Expr::Var(_)
                | Expr::Const(_)
                | Expr::Unary(..)
                | Expr::Binary(..)
                | Expr::Select { .. }
                | Expr::Cast(..)
                | Expr::Call(..)
                | Expr::Apply { .. }
                | Expr::Ramp { .. }
                | Expr::Broadcast { .. }
                | Expr::Shuffle { .. }
                | Expr::Hole(_) => true,
            };
        });
        if !bare {
            self.report_expr(rule, index);
        }
    }

    /// Returns the buffer that lends its memory to this one. The lender is not alive while this
    /// buffer is.
    fn lent(&mut self, decl: &BufferDecl) -> Option<BufferId> {
        let StoreIn::Within(arena) = decl.store_in else { return None };
        let lender = self.pool.buffer(arena);
        let alike = (lender.func, lender.component) == (decl.func, decl.component);
        if !self.live.contains(&arena)
            || self.shared.contains(&arena)
            || lender.kind != BufferKind::Internal
            || !alike
        {
            self.report(
                "memory is lent by a live internal buffer of the same func, in the same iterations \
                    of parallel loops",
                decl.name.clone(),
            );
            return None;
        }
        self.live.remove(&arena);
        Some(arena)
    }

    fn assert(&mut self, condition: ExprId, check: &Check) {
        let pool = self.pool;
        self.expect(condition, Type::BOOL, "conditions are scalar bools");
        if self.work_begun {
            self.report_expr("asserts come before the work", condition);
        }
        if let Check::InputRegion { needed, given, .. }
        | Check::OutputRegion { needed, given, .. } = check
        {
            self.scalar_interval(*needed);
            self.scalar_interval(*given);
        }
        pool.for_each_subexpr(condition, &mut |_, expr| match expr {
            Expr::Var(var) if !self.startup.contains(var) => {
                self.report_expr("asserts are over parameters and shapes", condition)
            }
            Expr::Load { .. } | Expr::Ref { .. } => {
                self.report_expr("asserts are over parameters and shapes", condition)
            }
            Expr::Var(_)
            | Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => {}
        });
    }

    fn stage_exists(&mut self, func: FuncId, stage: usize) {
        let decl = self.pool.func(func);
        if stage >= decl.stages().len() {
            self.report("a named stage exists", decl.name.clone());
        }
    }

    fn claim(
        &mut self,
        func: FuncId,
        stage: usize,
        coords: &[ExprId],
        point: &[ExprId],
        lanes: u32,
    ) {
        self.stage_exists(func, stage);
        let decl = self.pool.func(func);
        let domain = decl.stages().get(stage).map_or(0, |stage| stage.domain.len());
        if coords.len() != decl.rank() || point.len() != domain {
            self.report(
                "a claim has the func's rank and the stage's reduction variables",
                decl.name.clone(),
            );
        }
        for coord in coords.iter().chain(point) {
            self.expect(
                *coord,
                Type { scalar: Scalar::Int, lanes },
                "claimed coordinates are ints with the lanes of the access",
            );
        }
    }
}
