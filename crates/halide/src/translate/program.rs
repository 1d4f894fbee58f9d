//! Translates a final statement of Halide's compiler to a program of `ir`.
//!
//! # Correctness
//! The translation assumes a caller whose buffers are on the host and no bounds queries, and whose
//! pointers are not null ([`super::pointers`]). Assertions before any work are entry checks, others
//! are obligations ([`super::assertions`]). Loops, lets and conditions keep their meaning. An
//! allocation becomes a buffer of its func, with the extents that the statement gives
//! ([`super::memory`]). Output buffers are exactly their windows. The translation matches every
//! field of a node: each field gets its meaning, or the node is refused.

use halidom_base::FxHashSet;
use halidom_ir::{
    BinaryOp, BufferDecl, BufferKind, Constant, Dim, Expr as IrExpr, ExprId, LoopKind, Output,
    Pool, Program, Stmt as IrStmt, StmtId, StoreIn, Type,
    verify::{self, Phase},
};

use super::algorithm::{Source, bind_shape, bind_signature, caller_dims};
use super::barriers;
use super::contract::{Contract, computes};
use super::error::{Result, unsupported};
use super::holdings;
use super::lanes::{Lanes, Stop};
use super::marks::Marked;
use super::memory::{Allocation, Realization};
use super::nodes::{Binding, Buffer, Node, NodeId};
use super::note::Note;
use super::ops::{Value, stored};
use super::pointers::Opaque;
use super::polynomials;
use super::scans::{Uses, contains_assert, is_stored};
use super::walk::{Atomicity, Item, Place, Walk, closed};
use super::{
    closed_work, debugging, folds, intrinsics, kept_components, profiling, rounding, scopes,
};
use crate::pipeline::Pipeline;
use crate::tree::{self, Alignment, Block, Expr, ForKind, Stmt, StmtKind};
use crate::{Condition, NameId, Names};

/// A program, with notes on the parts that its translation left out.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program. Its ids belong to the source's pool.
    pub program: Program,
    /// The omitted parts, in words; none of them influences values.
    pub notes: Vec<Note>,
    /// True if the target has assertions at entry; without them a statement relies on callers.
    pub checked: bool,
    /// The contents of its annotations, if it has any.
    pub marked: Marked,
    /// The conditions that it rests on beyond its own checks.
    pub contract: Contract,
}

/// Translates the final statement that Halide compiled from a pipeline, for callers that keep to
/// the given assumptions ([`super::assumption`]).
///
/// # Errors
/// Returns an error that names the construct that has no translation.
pub fn program(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    stated: (&Block, &[Expr]),
) -> Result<Compiled> {
    translated(source, pipeline, (names, true), stated)
}

/// Translates the statement after a pass of Halide's compiler, like [`program`]. Later passes may
/// still vectorize and unroll loops, and insert barriers between loops over threads.
pub fn between_passes(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    block: &Block,
) -> Result<Compiled> {
    translated(source, pipeline, (names, false), (block, &[]))
}

fn translated(
    source: &mut Source,
    pipeline: &Pipeline,
    (names, is_final): (&Names, bool),
    (block, assumed): (&Block, &[Expr]),
) -> Result<Compiled> {
    let params = source.params.iter().map(|(name, _, scalar)| (*name, *scalar));
    if !source.settings.strict_float
        && rounding::decide_places(names, block, params, source.has_strict_floats)
    {
        return unsupported(
            "a place decided by a float that is strict in the pipeline but not in the \
             statement",
        );
    }
    let mut visible = source.params.iter().map(|(name, ..)| *name).collect();
    if is_final && let Some(name) = scopes::rebound(block, &mut visible) {
        let name = names.text(name);
        return unsupported(format!("a statement that binds `{name}` where it is visible already"));
    }
    let mut pool = std::mem::take(&mut source.pool);
    let mut walk = Walk::new(source, pipeline, names);
    walk.is_final = is_final;
    let stripped = profiling::without(names, block);
    if stripped.is_some() {
        walk.note("not judged: what the profiler measures");
    }
    let block = stripped.as_ref().unwrap_or(block);
    let written = debugging::without(names, block);
    if written.is_some() {
        walk.note("not judged: what is written to files (`debug_to_file`)");
    }
    let block = written.as_ref().unwrap_or(block);
    let checked = folds::without(names, block);
    if checked.is_some() {
        walk.note("not judged: checks of folds during a run; one that fails ends it with an error");
    }
    if has_requirement(names, block) {
        walk.note("not judged: a `require` of a func where its value does not matter");
    }
    let result = walk.run(&mut pool, checked.as_ref().unwrap_or(block), assumed);
    source.pool = pool;
    let compiled = result?;
    match verify::program(&source.pool, &compiled.program, Phase::Final) {
        Ok(()) => Ok(compiled),
        Err(violations) => {
            let rules: Vec<String> = violations.iter().take(3).map(ToString::to_string).collect();
            unsupported(format!(
                "a statement whose translation breaks rules of programs ({})",
                rules.join("; ")
            ))
        }
    }
}

/// Tests whether a statement checks a `require` of a func.
fn has_requirement(names: &Names, block: &[Stmt]) -> bool {
    fn checks(names: &Names, expr: &Expr) -> bool {
        let mut found = matches!(expr, Expr::Call(call) if names.text(call.name) == "require");
        expr.for_each_operand(&mut |operand| found |= checks(names, operand));
        found
    }
    let mut found = false;
    for stmt in block {
        stmt.for_each_expr(&mut |expr| found |= checks(names, expr));
        stmt.for_each_block(&mut |inner| found |= has_requirement(names, inner));
    }
    found
}

/// A block that is being translated.
#[derive(Default)]
struct Opened {
    items: Vec<Item>,
    /// The names that it binds.
    bound: Vec<NameId>,
    /// Memory that it allocates.
    taken: Vec<NameId>,
}

impl Walk<'_> {
    fn run(&mut self, pool: &mut Pool, block: &Block, assumed: &[Expr]) -> Result<Compiled> {
        bind_signature(&mut self.nodes, pool, self.source)?;
        self.nodes.repeated = self.repeated_inputs(pool, block);
        for (name, buffer) in &self.source.inputs {
            let decl = pool.buffer(*buffer);
            let ty = self.source.types[&decl.func][0];
            let buffer = Buffer { id: *buffer, ty, dims: decl.dims.clone() };
            self.nodes.buffers.insert(*name, buffer);
            self.callers.insert(*name);
        }
        let mut outputs = Vec::new();
        for name in &self.pipeline.outputs {
            outputs.push(self.output(pool, *name)?);
        }
        self.outputs = outputs.iter().flat_map(|output| output.buffers.clone()).collect();
        if !self.is_final {
            // Before a pass takes buffers apart, nothing binds these names.
            let mut callers: Vec<NameId> = self.callers.iter().copied().collect();
            callers.sort_unstable();
            for name in callers {
                self.nodes.bind(name, Binding::Host(name));
            }
        }
        self.nodes.named.clone_from(&self.source.named);
        self.nodes.named.is_whole = true;
        // A dump has exact floats; six digits in a text may denote a float of the pipeline.
        if !tree::is_lossless(block) {
            for stage in self.pipeline.funcs.iter().flat_map(crate::pipeline::Func::stages) {
                let exprs = stage.values.iter().chain(&stage.args).chain([&stage.predicate]);
                exprs.for_each(|expr| self.nodes.know_floats(expr));
            }
            for func in &self.source.algorithm.funcs {
                let stages = pool.func(*func).stages();
                for value in stages.iter().flat_map(|stage| &stage.values) {
                    self.nodes.know_folded(pool, *value);
                }
            }
        }
        self.know_signature(pool);
        self.know_extern_scalars(pool);
        let mut parts = self.assumed(pool, assumed)?;
        parts.extend(self.caller(pool, &outputs));
        parts.extend(self.bounded(pool, &outputs));
        parts.extend(self.before(pool)?);
        self.note_single(pool, &outputs);
        let checked = !self.source.settings.no_asserts;
        if !checked {
            parts.extend(self.unchecked(pool, &outputs)?);
            parts.extend(self.tails(pool, &outputs)?);
        }
        let body = self.block(pool, block)?;
        self.given_back()?;
        let body = kept_components::stored(pool, body, (self.source, &self.outputs));
        parts.append(&mut self.of_stages);
        parts.append(&mut self.hoisted);
        parts.extend(closed_work::checks_after(pool, body, &self.late));
        let known = [&parts[..], &[body]].concat();
        parts.extend(self.domains(pool, &known));
        parts.push(body);
        let body = pool.stmt(IrStmt::Block(parts));
        for (digits, exact) in &self.nodes.taken {
            let words = format!("trusted: the float {digits} is the pipeline's {exact:?}");
            self.notes.push(Note::Digits(words));
        }
        for digits in &self.nodes.rounded {
            let words =
                format!("trusted: the float {digits} is the one that is next to its six digits");
            self.notes.push(Note::Digits(words));
        }
        let program = Program {
            name: self.source.algorithm.name.clone(),
            params: self.source.algorithm.params.clone(),
            inputs: self.given_buffers(),
            outputs,
            body,
        };
        let mut marked = std::mem::take(&mut self.marked);
        marked.loads = std::mem::take(&mut self.memo.loads);
        let mut contract = std::mem::take(&mut self.contract);
        contract.widths = std::mem::take(&mut self.memo.widths);
        contract.specified.clone_from(&self.source.widths);
        contract.others.extend(computes(pool, &self.source.algorithm, &self.source.widths));
        contract.checks_memory = !self.source.settings.large_buffers;
        // A strict pipeline's statement may have lost a strict operator: LLVM sees the statement.
        let is_plain = self.nodes.has_plain_floats && !self.source.settings.strict_float;
        if pool.functions().any(|function| !intrinsics::has_no_value(&function.name)) {
            contract.others.insert(Condition::NamedFunctions);
        }
        if self.source.algorithm.fast_math || is_plain {
            contract.others.insert(Condition::Regroups);
        }
        let notes = std::mem::take(&mut self.notes);
        Ok(Compiled { program, notes, checked, marked, contract })
    }

    /// Declares an output: one buffer for each component, all with the window's shape.
    fn output(&mut self, pool: &mut Pool, name: NameId) -> Result<Output> {
        let func = self.source.funcs[&name];
        let text = self.nodes.names.text(name).to_owned();
        let types = self.source.types[&func].clone();
        let rank = pool.func(func).rank();
        let dims = caller_dims(pool, &text, rank);
        let mut buffers = Vec::new();
        for (component, ty) in types.iter().enumerate() {
            let name = if types.len() == 1 { text.clone() } else { format!("{text}.{component}") };
            let decl = BufferDecl {
                name: name.clone(),
                scalar: stored(*ty)?,
                func,
                component,
                kind: BufferKind::Output,
                store_in: StoreIn::Auto,
                realigned: false,
                dims: dims.clone(),
            };
            let id = pool.declare_buffer(decl);
            buffers.push(id);
            let Some(name) = self.nodes.names.find(&name) else {
                return unsupported(format!(
                    "a statement that does not speak of the output `{name}`"
                ));
            };
            self.nodes.buffers.insert(name, Buffer { id, ty: *ty, dims: dims.clone() });
            self.callers.insert(name);
            bind_shape(&mut self.nodes, pool, (name, *ty), &dims)?;
        }
        self.bind_region(pool, name, &dims);
        let variable = |id| {
            let expr: &IrExpr = pool.get(id);
            if let IrExpr::Var(var) = expr { Some(*var) } else { None }
        };
        let window =
            dims.iter().filter_map(|dim| Some((variable(dim.min)?, variable(dim.extent)?)));
        let window = window.collect();
        Ok(Output { func, buffers, window })
    }

    /// Binds `OUTPUT.sK.VAR.min` and `.max`, which an early statement uses before a pass defines
    /// them, to the ends of the window.
    fn bind_region(&mut self, pool: &mut Pool, name: NameId, dims: &[Dim]) {
        let names = self.nodes.names;
        let Some(func) = self.pipeline.funcs.iter().find(|func| func.name == name) else { return };
        for stage in 0..=func.updates.len() {
            for (arg, dim) in func.args.iter().zip(dims) {
                let place = format!("{}.s{stage}.{}", names.text(name), names.text(*arg));
                let one = pool.int(1);
                let end = pool.add(dim.min, dim.extent);
                let last = pool.sub(end, one);
                for (part, id) in [("min", dim.min), ("max", last)] {
                    if let Some(name) = names.find(&format!("{place}.{part}")) {
                        let node = self.nodes.value(Value { id, ty: tree::Scalar::Int(32) });
                        self.nodes.bind(name, Binding::Node(node));
                    }
                }
            }
        }
    }

    pub(super) fn block(&mut self, pool: &mut Pool, block: &[Stmt]) -> Result<StmtId> {
        let mut opened = Opened::default();
        for (number, stmt) in block.iter().enumerate() {
            let rest = &block[number + 1..];
            self.stmt(pool, stmt, rest, &mut opened).map_err(|what| what.at(stmt.at))?;
        }
        for name in opened.bound.into_iter().rev() {
            self.nodes.unbind(name);
        }
        for name in opened.taken.into_iter().rev() {
            self.forget(name);
        }
        let is_idle = |item: &Item| match item {
            Item::Let(var, _) => self.memo.widths.is_idle(*var),
            Item::Stmt(_) | Item::Allocate(_) => false,
        };
        opened.items.retain(|item| !is_idle(item));
        Ok(closed(pool, opened.items))
    }

    fn stmt(
        &mut self,
        pool: &mut Pool,
        stmt: &Stmt,
        rest: &[Stmt],
        Opened { items, bound, taken }: &mut Opened,
    ) -> Result<()> {
        let first = items.len();
        self.leads(stmt);
        let missed = self.after_lookup(stmt)?;
        self.missed.extend(missed.map(|func| (func, None)));
        match &stmt.kind {
            StmtKind::Let { name, value } => {
                if self.nodes.buffers.contains_key(name) && !self.callers.contains(name) {
                    return unsupported("a name that memory has");
                }
                let (binding, item) = self.let_binding(pool, (*name, value), rest)?;
                if self.callers.contains(name) && binding != Binding::Host(*name) {
                    return unsupported("a name that a caller's buffer has");
                }
                self.nodes.bind(*name, binding);
                bound.push(*name);
                items.extend(item);
            }
            StmtKind::Assert { condition, message } => {
                items.extend(self.assertion(pool, condition, message)?.map(Item::Stmt));
            }
            // The mark of producers and consumers only informs readers.
            StmtKind::ProducerConsumer { name, role, body } => {
                if *role == tree::Role::Produce {
                    items.extend(self.kept(pool, *name)?.into_iter().map(Item::Stmt));
                }
                items.push(Item::Stmt(self.block(pool, body)?));
            }
            StmtKind::For { name, min, extent, kind, device, body } => {
                if self.is_final && *kind == ForKind::GpuBlock && self.place == Place::Host {
                    self.on_host_alone()?;
                    self.kernel(stmt)?;
                }
                if device.is_some() && !matches!(kind, ForKind::GpuBlock | ForKind::GpuThread) {
                    return unsupported("a loop on a device that is none over blocks or threads");
                }
                if let Some(phases) = barriers::phases(self.nodes.names, stmt)? {
                    items.push(Item::Stmt(self.block(pool, &phases)?));
                } else {
                    let range = [self.int(pool, min)?, self.int(pool, extent)?];
                    items.extend(self.alignments(pool)?.into_iter().map(Item::Stmt));
                    self.leading = self.leading_in(pool, extent);
                    let stmt = self.for_stmt(pool, (*name, *kind), range, body)?;
                    self.leading = None;
                    items.push(Item::Stmt(stmt));
                }
            }
            StmtKind::Store { name, index, alignment, value, predicate } => {
                if self.key_store(pool, (*name, index, value), predicate.as_ref())? {
                    return Ok(());
                }
                self.may_store(*name)?;
                self.work_begun = true;
                let target = self.target(*name)?;
                self.is_filled(pool, target.id)?;
                let index = self.nodes.elaborate(pool, index)?;
                let value = self.nodes.elaborate(pool, value)?;
                let predicate = predicate.as_ref();
                let predicate =
                    predicate.map(|found| self.nodes.elaborate(pool, found)).transpose()?;
                self.nodes.aligned.extend(alignment.map(|alignment| (index, alignment)));
                self.touched()?;
                self.written(*name)?;
                items.push(Item::Stmt(self.store(pool, &target, [index, value], predicate)?));
            }
            StmtKind::Allocate { name, ty, extents, padding, memory, condition, new, free } => {
                let stated = Allocation {
                    name: *name,
                    ty: *ty,
                    extents,
                    padding: *padding,
                    memory: *memory,
                    condition: condition.as_ref(),
                    new: new.as_ref(),
                    free: *free,
                };
                if self.new_key(&stated)? {
                    return Ok(());
                }
                match self.cached(*name, (new.as_ref(), *free)) {
                    None => items.push(Item::Allocate(self.allocate(pool, &stated)?)),
                    Some(key) => {
                        let plain = Allocation { new: None, free: None, ..stated };
                        let own = self.allocate(pool, &plain)?;
                        items.push(Item::Allocate(own));
                        items.extend(self.second_memory(pool, (key, *name), own)?);
                    }
                }
                taken.push(*name);
            }
            StmtKind::Free(name) => {
                if !self.free_key(*name)? {
                    self.free(*name)?;
                }
            }
            // A hint: it reads nothing that could fault, and changes nothing.
            StmtKind::Prefetch { name: _, at: _, from: _, bounds: _ } => {
                self.early("a prefetch")?
            }
            StmtKind::If { condition: test, then_branch, else_branch } => {
                let condition = self.scalar(pool, test)?;
                items.extend(self.alignments(pool)?.into_iter().map(Item::Stmt));
                let other = else_branch.as_ref();
                match pool.as_constant(condition.id).and_then(Constant::as_bool) {
                    Some(true) => items.push(Item::Stmt(self.block(pool, then_branch)?)),
                    Some(false) => {
                        if let Some(other) = other {
                            items.push(Item::Stmt(self.block(pool, other)?));
                        }
                    }
                    None => {
                        let [leading, otherwise] = self.leading_by(pool, test);
                        self.leading = leading;
                        let around = self.enter();
                        if let Some((_, needed)) =
                            self.missed.last_mut().filter(|_| missed.is_some())
                        {
                            *needed = Some(self.region);
                        }
                        let before = self.holdings.clone();
                        let then_branch = self.block(pool, then_branch);
                        let after = std::mem::replace(&mut self.holdings, before);
                        self.leave(around);
                        self.leading = otherwise;
                        let around = self.enter();
                        let else_branch = other.map(|other| self.block(pool, other)).transpose();
                        self.holdings = holdings::either(&self.holdings, &after);
                        self.leave(around);
                        self.leading = None;
                        let (then_branch, else_branch) = (then_branch?, else_branch?);
                        let condition = condition.id;
                        let stmt = IrStmt::If { condition, then_branch, else_branch };
                        items.push(Item::Stmt(pool.stmt(stmt)));
                    }
                }
            }
            StmtKind::Evaluate(value) => match self.stored_in_cache(pool, value)? {
                Some(copy) => items.push(Item::Stmt(copy)),
                None => self.evaluate(pool, value)?,
            },
            StmtKind::Acquire { semaphore: _, count: _, body: _ } => {
                return unsupported("an acquisition that no judged pair of tasks makes");
            }
            StmtKind::Fork(tasks) => items.push(Item::Stmt(self.fork(pool, tasks)?)),
            StmtKind::Provide { name, args, values, predicate } => {
                self.early("a write of a func's point")?;
                self.work_begun = true;
                if predicate.is_some() {
                    return unsupported("a write of some lanes before storage is flattened");
                }
                let [value] = values.as_slice() else {
                    // A read does not record its component.
                    return unsupported("a tuple before it is taken apart");
                };
                let target = self.target(*name)?;
                self.is_filled(pool, target.id)?;
                let args = args.iter().map(|arg| self.nodes.elaborate(pool, arg));
                let args = args.collect::<Result<Vec<_>>>()?;
                let index = self.nodes.place(pool, &target, &args)?;
                let value = self.nodes.elaborate(pool, value)?;
                items.push(Item::Stmt(self.store(pool, &target, [index, value], None)?));
            }
            StmtKind::Realize { name, bounds, memory, condition, body } => {
                self.early("memory of a func that is accessed by coordinates")?;
                let condition = condition.as_ref();
                let stated = Realization { name: *name, bounds, memory: *memory, condition };
                let buffer = self.realize(pool, &stated)?;
                let id = buffer.id;
                self.nodes.buffers.insert(*name, buffer);
                let body = self.block(pool, body);
                self.nodes.buffers.remove(name);
                let stmt = IrStmt::Allocate { buffer: id, body: body? };
                items.push(Item::Stmt(pool.stmt(stmt)));
            }
            // Later passes decide where the storage is allocated.
            StmtKind::HoistedStorage { name: _, body } => {
                self.early("storage that is hoisted")?;
                items.push(Item::Stmt(self.block(pool, body)?));
            }
            StmtKind::Scope(body) => items.push(Item::Stmt(self.block(pool, body)?)),
            StmtKind::Atomic { producer: _, mutex, body } => {
                let within = match mutex {
                    Some(_) => return unsupported("an atomic update with a lock"),
                    None => Atomicity::Elements { unordered: self.is_unordered },
                };
                let before = std::mem::replace(&mut self.atomic, within);
                let block = self.block(pool, body);
                self.atomic = before;
                items.push(Item::Stmt(block?));
            }
        }
        if missed.is_some() {
            self.missed.pop();
        }
        let mut owed = self.shown(pool)?;
        owed.extend(self.alignments(pool)?.into_iter().map(Item::Stmt));
        items.splice(first..first, owed);
        Ok(())
    }

    /// Refuses a construct that no final statement has.
    fn early(&self, what: &str) -> Result<()> {
        if self.is_final { unsupported(format!("{what} in a final statement")) } else { Ok(()) }
    }

    /// The meaning of a let's name, with the items that bind it.
    pub(super) fn let_binding(
        &mut self,
        pool: &mut Pool,
        (name, value): (NameId, &Expr),
        rest: &[Stmt],
    ) -> Result<(Binding, Vec<Item>)> {
        if let Some(called) = self.extern_call(pool, (name, value), rest)? {
            return Ok(called);
        }
        if let Some(found) = self.lookup(pool, (name, value))? {
            return Ok((found, Vec::new()));
        }
        match self.opaque(pool, name, value)? {
            Some(Opaque::Bound(binding)) => return Ok((binding, Vec::new())),
            Some(Opaque::Success) => {
                self.note(
                    "not judged: copies between the host and devices, which are taken to succeed",
                );
                self.contract.others.insert(Condition::Copies);
                let success = Value { id: pool.int(0), ty: tree::Scalar::Int(32) };
                return Ok((Binding::Node(self.nodes.value(success)), Vec::new()));
            }
            None => {}
        }
        let node = self.nodes.elaborate(pool, value)?;
        if self.nodes.is_mark(node) {
            return Ok((Binding::Node(node), Vec::new()));
        }
        if self.nodes.lanes(node) > 1 {
            // A vector replaces its name, unless memory that it reads may be written before a use.
            let overwrites = |stored: NameId| {
                let target = self.nodes.buffers.get(&stored);
                target.is_none_or(|target| self.nodes.reads(node, target.id))
            };
            let mut uses = Uses { names: FxHashSet::from_iter([name]), written: false };
            // An extern stage writes memory without a store.
            let late = self.nodes.reads_memory(node)
                && (self.calls_stage(rest) || uses.are_late(rest, &overwrites));
            if late {
                return self.vector_binding(pool, name, node);
            }
            // A store of the name that always runs with this let accounts for the vector's loads. A
            // store under a condition does not, so they are made here.
            let made =
                if is_stored(rest, name) { Vec::new() } else { self.made(pool, &[node], None)? };
            return Ok((Binding::Node(node), made));
        }
        // Entry checks are expressed in parameters and shapes, without variables for names.
        let before_checks = !self.work_begun && contains_assert(rest);
        if before_checks && self.nodes.reads_memory(node) {
            return unsupported("a name that reads memory before the entry checks");
        }
        if before_checks || matches!(self.nodes.node(node), Node::Value(_)) {
            return Ok((Binding::Node(node), Vec::new()));
        }
        let value = self.lower(pool, |lowering| lowering.scalar(node))?;
        if pool.as_constant(value.id).is_some() {
            return Ok((Binding::Node(self.nodes.value(value)), Vec::new()));
        }
        let ty = pool.ty(value.id);
        let var = pool.declare_var(self.nodes.names.text(name), ty);
        let variable = Value { id: pool.var_expr(var), ty: value.ty };
        let variable = self.nodes.value(variable);
        self.nodes.define(variable, node);
        if !self.nodes.reads_memory(node) && ty == Type::INT {
            self.definitions.insert(var, value.id);
        }
        let mark = self.nodes.prophecy(node);
        self.nodes.marks.insert(variable, mark);
        let mut items = vec![Item::Let(var, value.id)];
        if let Some(twin) = self.lower(pool, |lowering| lowering.ops.as_twin(value)) {
            let of_ints = pool.declare_var(self.nodes.names.text(name), Type::INT);
            self.memo.widths.pair(var, of_ints);
            if !self.nodes.reads_memory(node) {
                self.definitions.insert(of_ints, twin);
            }
            items.push(Item::Let(of_ints, twin));
        }
        Ok((Binding::Node(variable), items))
    }

    /// A variable for a vector, which is evaluated here.
    fn vector_binding(
        &mut self,
        pool: &mut Pool,
        name: NameId,
        node: NodeId,
    ) -> Result<(Binding, Vec<Item>)> {
        let ty = self.nodes.ty(node);
        let value = match self.lower(pool, |lowering| lowering.value(node, Lanes::all(ty.lanes))) {
            Ok(value) => value,
            Err(Stop::Unsupported(what)) => return Err(what),
            Err(Stop::Divide(_)) => {
                return unsupported(
                    "a shuffle with a name that reads memory which is written before it is used",
                );
            }
        };
        let var = pool.declare_var(self.nodes.names.text(name), pool.ty(value.id));
        let variable = self.nodes.make(Node::Value(pool.var_expr(var)), ty);
        self.nodes.define(variable, node);
        let mark = self.nodes.prophecy(node);
        self.nodes.marks.insert(variable, mark);
        Ok((Binding::Node(variable), vec![Item::Let(var, value.id)]))
    }

    fn for_stmt(
        &mut self,
        pool: &mut Pool,
        (name, kind): (NameId, ForKind),
        [min, extent]: [ExprId; 2],
        body: &[Stmt],
    ) -> Result<StmtId> {
        self.work_begun = true;
        let kind = match kind {
            ForKind::Serial => LoopKind::Serial,
            ForKind::Parallel => LoopKind::PARALLEL,
            ForKind::GpuBlock if self.place != Place::Thread => LoopKind::GpuBlocks,
            ForKind::GpuThread if self.place != Place::Host => LoopKind::GpuThreads,
            ForKind::GpuBlock | ForKind::GpuThread => {
                return unsupported("a loop over blocks or threads of a GPU outside of a kernel");
            }
            // Serial execution is one of the permitted orders.
            ForKind::Vectorized | ForKind::Unrolled => {
                self.early("a loop that is to be vectorized or unrolled")?;
                LoopKind::Serial
            }
            ForKind::Extern => return unsupported("the loop of an extern stage"),
            ForKind::GpuLane => return unsupported("a loop over the lanes of a warp"),
        };
        if self.nodes.buffers.contains_key(&name) {
            return unsupported("a loop with a name that memory has");
        }
        let var = pool.declare_var(self.nodes.names.text(name), Type::INT);
        let value = Value { id: pool.var_expr(var), ty: tree::Scalar::Int(32) };
        let node = self.nodes.value(value);
        self.nodes.bind(name, Binding::Node(node));
        let around = self.enter();
        self.is_unordered |= kind.is_parallel();
        if kind == LoopKind::GpuBlocks {
            self.place = Place::Block;
        } else if kind == LoopKind::GpuThreads {
            self.place = Place::Thread;
        }
        let of_host = usize::from(self.place == Place::Host);
        self.host_loops += of_host;
        let body = self.block(pool, body);
        self.host_loops -= of_host;
        self.leave(around);
        self.nodes.unbind(name);
        Ok(pool.stmt(IrStmt::For { var, min, extent, kind, body: body? }))
    }

    fn target(&self, name: NameId) -> Result<Buffer> {
        match self.nodes.buffers.get(&name) {
            Some(buffer) => Ok(buffer.clone()),
            None => unsupported(format!(
                "a store to `{}`, which is no buffer here",
                self.nodes.names.text(name)
            )),
        }
    }

    /// The obligations for the alignments that the accesses of a statement claim.
    fn alignments(&mut self, pool: &mut Pool) -> Result<Vec<StmtId>> {
        self.touched()?;
        let mut owed = Vec::new();
        for (index, Alignment { modulus, remainder }) in std::mem::take(&mut self.nodes.aligned) {
            let (modulus, remainder) = (i128::from(modulus), i128::from(remainder));
            let first = Lanes { first: 0, step: 0, count: 1 };
            let value = self.lower(pool, |lowering| {
                let value = lowering.value(index, first)?;
                Ok(lowering.ops.as_index(value)?)
            });
            let Ok::<ExprId, Stop>(value) = value else {
                return unsupported("an alignment of this index");
            };
            let place = polynomials::polynomial(pool, &self.definitions, value);
            // Modulo 0, the value must equal the remainder itself.
            let known = if modulus == 0 {
                place.and_then(|place| place.as_constant())
            } else {
                place.and_then(|place| polynomials::remainder(&place, modulus))
            };
            if known == Some(remainder) {
                continue;
            }
            let left = if modulus == 0 {
                value
            } else {
                let divisor = pool.int(modulus);
                pool.binary(BinaryOp::Mod, value, divisor)
            };
            let right = pool.int(remainder);
            let condition = pool.binary(BinaryOp::Eq, left, right);
            owed.push(self.owed(pool, condition)?);
        }
        Ok(owed)
    }
}
