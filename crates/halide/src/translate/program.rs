//! A final statement of Halide's compiler as a program of `ir`.
//!
//! # Correctness
//! The statement is what Halide runs for a caller that gives buffers on the host, none of them a query of bounds, without pointers that are null: what it says of other callers is gone.
//! Its assertions about shapes and parameters are entry checks, also where they come after the work has begun: a run that does not pass them ends with an error. Those in loops or under conditions are
//! not translated; each is a [`Compiled::notes`] line.
//! Loops, lets and conditions are themselves; memory is a buffer of its func, with the extents that the statement gives. Output buffers are exactly their windows.

use halidom_base::FxHashSet;
use halidom_ir::{
    BufferDecl, BufferId, BufferKind, Check, Constant, Dim, Expr as IrExpr, ExprId, FuncId,
    LoopKind, Output, Overflow, Pool, Program, Stmt as IrStmt, StmtId, StoreIn, Type, VarId,
    verify::{self, Phase},
};

use super::algorithm::{Source, bind_shape, bind_signature, caller_dims};
use super::caller::between;
use super::error::{Result, unsupported};
use super::lanes::{Lowering, Memo};
use super::marks::Marked;
use super::nodes::{Binding, Buffer, Node, NodeId, Nodes};
use super::ops::{Value, stored};
use super::{barriers, tasks};
use crate::pipeline::Pipeline;
use crate::tree::{self, Block, Expr, ForKind, Stmt, StmtKind};
use crate::{NameId, Names, text};

/// Calls that move memory between the host and devices; each gives 0 if it succeeds.
const DEVICE_CALLS: [&str; 6] = [
    "halide_copy_to_device",
    "halide_copy_to_host",
    "halide_device_malloc",
    "halide_device_and_host_malloc",
    "halide_device_free",
    "halide_device_sync",
];

/// A program, and what its translation left out.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program. Its ids are of the source's pool.
    pub program: Program,
    /// What was left out that does not concern values, in words.
    pub notes: Vec<String>,
    /// Whether the statement checks anything at entry. One that was compiled to check nothing relies on its callers.
    pub checked: bool,
    /// What its annotations say, where it has any.
    pub marked: Marked,
}

/// Translates the final statement that Halide made of a pipeline, for callers that keep to what is assumed ([`super::assumption`]).
pub fn program(
    source: &mut Source,
    pipeline: &Pipeline,
    names: &Names,
    (block, assumed): (&Block, &[Expr]),
) -> Result<Compiled> {
    let mut pool = std::mem::take(&mut source.pool);
    let mut walk = Walk::new(source, pipeline, names);
    let result = walk.run(&mut pool, block, assumed);
    source.pool = pool;
    let compiled = result?;
    if names.find("strict_add").or(names.find("strict_mul")).is_some() {
        source.algorithm.fast_math = false;
    }
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

/// A block that is being translated.
#[derive(Default)]
struct Opened {
    items: Vec<Item>,
    /// Names that it binds.
    bound: Vec<NameId>,
    /// Buffers that it declares, and what their names meant before.
    hidden: Vec<(NameId, Option<Buffer>)>,
}

/// A part of a block, before what it declares is closed around what follows.
enum Item {
    Stmt(StmtId),
    Let(VarId, ExprId),
    Allocate(BufferId),
}

pub(super) struct Walk<'a> {
    pub(super) source: &'a Source,
    pub(super) pipeline: &'a Pipeline,
    pub(super) nodes: Nodes<'a>,
    pub(super) memo: Memo,
    /// Whether stores or loops have come.
    work_begun: bool,
    /// Whether a loop around runs in no order.
    is_unordered: bool,
    /// Whether stores update an element in one step.
    pub(super) is_atomic: bool,
    /// How many loops and conditions lie around.
    pub(super) depth: usize,
    /// Parameters and shapes.
    pub(super) signature: FxHashSet<VarId>,
    /// Entry checks that stand behind the first stores or loops in the statement.
    late_checks: Vec<StmtId>,
    notes: Vec<String>,
    pub(super) marked: Marked,
}

impl<'a> Walk<'a> {
    fn new(source: &'a Source, pipeline: &'a Pipeline, names: &'a Names) -> Self {
        Self {
            source,
            pipeline,
            nodes: Nodes::new(names),
            memo: Memo::default(),
            work_begun: false,
            is_unordered: false,
            is_atomic: false,
            depth: 0,
            signature: FxHashSet::default(),
            late_checks: Vec::new(),
            notes: Vec::new(),
            marked: Marked::default(),
        }
    }

    fn run(&mut self, pool: &mut Pool, block: &Block, assumed: &[Expr]) -> Result<Compiled> {
        bind_signature(&mut self.nodes, pool, self.source)?;
        for (name, buffer) in &self.source.inputs {
            let decl = pool.buffer(*buffer);
            let ty = self.source.types[&decl.func][0];
            let buffer = Buffer { id: *buffer, ty, dims: decl.dims.clone() };
            self.nodes.buffers.insert(*name, buffer);
        }
        let mut outputs = Vec::new();
        for name in &self.pipeline.outputs {
            outputs.push(self.output(pool, *name)?);
        }
        // Floats of a dump are exact; six digits of a text may stand for the pipeline's.
        if !tree::is_lossless(block) {
            for stage in self.pipeline.funcs.iter().flat_map(|func| func.stages()) {
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
        let mut parts = self.assumed(pool, assumed)?;
        parts.extend(self.caller(pool, &outputs));
        parts.extend(self.bounded(pool, &outputs));
        let checked = contains_assert(block);
        if !checked {
            parts.extend(self.unchecked(pool, &outputs));
        }
        let body = self.block(pool, block)?;
        let late_checks = std::mem::take(&mut self.late_checks);
        let known = [&parts[..], &late_checks, &[body]].concat();
        parts.extend(self.domains(pool, &known));
        parts.extend(late_checks);
        parts.push(body);
        let body = pool.stmt(IrStmt::Block(parts));
        for (digits, exact) in &self.nodes.taken {
            self.notes.push(format!("trusted: the float {digits} is the pipeline's {exact:?}"));
        }
        for digits in &self.nodes.rounded {
            self.notes.push(format!(
                "trusted: the float {digits} is the one that is next to its six digits"
            ));
        }
        let program = Program {
            name: self.source.algorithm.name.clone(),
            params: self.source.algorithm.params.clone(),
            inputs: self.source.inputs.iter().map(|(_, buffer)| *buffer).collect(),
            outputs,
            body,
        };
        let mut marked = std::mem::take(&mut self.marked);
        marked.loads = std::mem::take(&mut self.memo.loads);
        Ok(Compiled { program, notes: std::mem::take(&mut self.notes), checked, marked })
    }

    /// An output: one buffer for each component, all of the window's shape.
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

    /// Lets `OUTPUT.sK.VAR.min` and `.max` stand for the ends of the window: what is required of an output's stages, before a pass says so.
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

    fn block(&mut self, pool: &mut Pool, block: &[Stmt]) -> Result<StmtId> {
        let mut opened = Opened::default();
        for (number, stmt) in block.iter().enumerate() {
            let rest = &block[number + 1..];
            self.stmt(pool, stmt, rest, &mut opened).map_err(|what| what.at(stmt.at))?;
        }
        for name in opened.bound.into_iter().rev() {
            self.nodes.unbind(name);
        }
        for (name, before) in opened.hidden.into_iter().rev() {
            match before {
                Some(before) => self.nodes.buffers.insert(name, before),
                None => self.nodes.buffers.remove(&name),
            };
        }
        Ok(closed(pool, opened.items))
    }

    fn stmt(
        &mut self,
        pool: &mut Pool,
        stmt: &Stmt,
        rest: &[Stmt],
        Opened { items, bound, hidden }: &mut Opened,
    ) -> Result<()> {
        match &stmt.kind {
            StmtKind::Let { name, value } => {
                let (binding, item) = self.let_binding(pool, (*name, value), rest)?;
                self.nodes.bind(*name, binding);
                bound.push(*name);
                items.extend(item);
            }
            StmtKind::Assert { condition, message } => {
                items.extend(self.assertion(pool, condition, message)?.map(Item::Stmt));
            }
            StmtKind::ProducerConsumer { body, .. } => {
                items.push(Item::Stmt(self.block(pool, body)?));
            }
            StmtKind::For { name, min, extent, kind, body, .. } => {
                if let Some(phases) = barriers::phases(self.nodes.names, stmt)? {
                    items.push(Item::Stmt(self.block(pool, &phases)?));
                    return Ok(());
                }
                items.push(Item::Stmt(self.for_stmt(pool, (*name, *kind), [min, extent], body)?));
            }
            StmtKind::Store { name, index, value, predicate, .. } => {
                self.work_begun = true;
                let target = self.target(*name)?;
                let index = self.nodes.elaborate(pool, index)?;
                let value = self.nodes.elaborate(pool, value)?;
                let predicate = predicate.as_ref();
                let predicate =
                    predicate.map(|found| self.nodes.elaborate(pool, found)).transpose()?;
                items.push(Item::Stmt(self.store(pool, &target, [index, value], predicate)?));
            }
            StmtKind::Allocate { name, ty, extents, padding, new, .. } => {
                if new.is_some() || *padding != 0 {
                    return unsupported("memory that is not allocated plainly");
                }
                let buffer = self.allocate(pool, *name, *ty, extents)?;
                items.push(Item::Allocate(buffer.id));
                hidden.push((*name, self.nodes.buffers.insert(*name, buffer)));
            }
            StmtKind::Free(_) | StmtKind::Prefetch { .. } => {}
            StmtKind::If { condition, then_branch, else_branch } => {
                let condition = self.scalar(pool, condition)?;
                let other = else_branch.as_ref();
                match pool.as_constant(condition.id).and_then(Constant::as_bool) {
                    Some(true) => items.push(Item::Stmt(self.block(pool, then_branch)?)),
                    Some(false) => {
                        if let Some(other) = other {
                            items.push(Item::Stmt(self.block(pool, other)?));
                        }
                    }
                    None => {
                        self.depth += 1;
                        let then_branch = self.block(pool, then_branch)?;
                        let else_branch = other.map(|other| self.block(pool, other)).transpose()?;
                        self.depth -= 1;
                        let condition = condition.id;
                        let stmt = IrStmt::If { condition, then_branch, else_branch };
                        items.push(Item::Stmt(pool.stmt(stmt)));
                    }
                }
            }
            StmtKind::Evaluate(value) => self.evaluate(value)?,
            // The order of tasks is fixed where they begin.
            StmtKind::Acquire { body, .. } => items.push(Item::Stmt(self.block(pool, body)?)),
            StmtKind::Fork(tasks) => {
                self.work_begun = true;
                self.note(tasks::NOTE);
                let block = tasks::in_order(tasks)?;
                items.push(Item::Stmt(self.block(pool, &block)?));
            }
            StmtKind::Provide { name, args, values, predicate } => {
                self.work_begun = true;
                if predicate.is_some() {
                    return unsupported("a write of some lanes before storage is flattened");
                }
                let [value] = values.as_slice() else {
                    // A read does not say of which component it is.
                    return unsupported("a tuple before it is taken apart");
                };
                let target = self.target(*name)?;
                let args = args.iter().map(|arg| self.nodes.elaborate(pool, arg));
                let args = args.collect::<Result<Vec<_>>>()?;
                let index = self.nodes.place(pool, &target, &args)?;
                let value = self.nodes.elaborate(pool, value)?;
                items.push(Item::Stmt(self.store(pool, &target, [index, value], None)?));
            }
            StmtKind::Realize { name, bounds, body, .. } => {
                let buffer = self.realize(pool, *name, bounds)?;
                let id = buffer.id;
                let before = self.nodes.buffers.insert(*name, buffer);
                let body = self.block(pool, body);
                match before {
                    Some(before) => self.nodes.buffers.insert(*name, before),
                    None => self.nodes.buffers.remove(name),
                };
                let stmt = IrStmt::Allocate { buffer: id, body: body? };
                items.push(Item::Stmt(pool.stmt(stmt)));
            }
            StmtKind::HoistedStorage { body, .. } => {
                items.push(Item::Stmt(self.block(pool, body)?));
            }
            StmtKind::Scope(body) => items.push(Item::Stmt(self.block(pool, body)?)),
            StmtKind::Atomic { body, .. } => {
                let before = std::mem::replace(&mut self.is_atomic, self.is_unordered);
                let block = self.block(pool, body);
                self.is_atomic = before;
                items.push(Item::Stmt(block?));
            }
        }
        Ok(())
    }

    /// What a let's name stands for, and the variable that it becomes, if it becomes one.
    fn let_binding(
        &mut self,
        pool: &mut Pool,
        (name, value): (NameId, &Expr),
        rest: &[Stmt],
    ) -> Result<(Binding, Option<Item>)> {
        if is_pointer(value) {
            return Ok((Binding::Pointer, None));
        }
        if let Expr::Call(call) = value
            && DEVICE_CALLS.contains(&self.nodes.names.text(call.name))
        {
            self.note(
                "not judged: copies between the host and devices, which are taken to succeed",
            );
            let success = Value { id: pool.int(0), ty: tree::Scalar::Int(32) };
            return Ok((Binding::Node(self.nodes.value(success)), None));
        }
        let node = self.nodes.elaborate(pool, value)?;
        if self.nodes.is_mark(node) {
            return Ok((Binding::Node(node), None));
        }
        if self.nodes.lanes(node) > 1 {
            // A vector is put in where it is used, unless what it reads may be written before.
            let mut written = false;
            for_each_store(rest, &mut |stored| {
                let target = self.nodes.buffers.get(&stored);
                written |= target.is_none_or(|target| self.nodes.reads(node, target.id));
            });
            if self.nodes.reads_memory(node) && written {
                return unsupported(
                    "a vector with a name that reads memory which is written later",
                );
            }
            return Ok((Binding::Node(node), None));
        }
        // Entry checks speak of parameters and shapes by themselves.
        let before_checks = !self.work_begun && contains_assert(rest);
        if before_checks || matches!(self.nodes.node(node), Node::Value(_)) {
            return Ok((Binding::Node(node), None));
        }
        let value = self.lower(pool, |lowering| lowering.scalar(node))?;
        if pool.as_constant(value.id).is_some() {
            return Ok((Binding::Node(self.nodes.value(value)), None));
        }
        let ty = pool.ty(value.id);
        let var = pool.declare_var(self.nodes.names.text(name), ty);
        let variable = Value { id: pool.var_expr(var), ty: value.ty };
        let variable = self.nodes.value(variable);
        self.nodes.define(variable, node);
        let mark = self.nodes.prophecy(node);
        self.nodes.marks.insert(variable, mark);
        Ok((Binding::Node(variable), Some(Item::Let(var, value.id))))
    }

    fn assertion(
        &mut self,
        pool: &mut Pool,
        condition: &Expr,
        message: &Expr,
    ) -> Result<Option<StmtId>> {
        if self.speaks_of_pointers(condition) {
            return Ok(None);
        }
        if self.work_begun {
            match self.late_check(pool, condition) {
                Some(condition) => {
                    let message = text::print_expr(message, self.nodes.names);
                    let check = Check::Require { message };
                    self.late_checks.push(pool.stmt(IrStmt::Assert { condition, check }));
                }
                None => {
                    let condition = text::print_expr(condition, self.nodes.names);
                    self.note(&format!("not judged: the assertion {condition} within the program"));
                }
            }
            return Ok(None);
        }
        let condition = self.scalar(pool, condition)?.id;
        let condition = between(pool, condition);
        match pool.as_constant(condition).and_then(Constant::as_bool) {
            Some(true) => Ok(None),
            Some(false) => {
                let message = text::print_expr(message, self.nodes.names);
                unsupported(format!("an entry check that never holds ({message})"))
            }
            None => {
                let check = match self.input_region(pool, message) {
                    Some(check) => check,
                    None => {
                        let message = text::print_expr(message, self.nodes.names);
                        Check::Require { message }
                    }
                };
                Ok(Some(pool.stmt(IrStmt::Assert { condition, check })))
            }
        }
    }

    /// Whether a condition is about where memory lies.
    fn speaks_of_pointers(&self, expr: &Expr) -> bool {
        let mut found = matches!(expr, Expr::Reinterpret(..));
        if let Expr::Variable { name, .. } = expr {
            found |= self.nodes.lookup(*name) == Some(Binding::Pointer);
        }
        expr.for_each_operand(&mut |operand| found |= self.speaks_of_pointers(operand));
        found
    }

    fn for_stmt(
        &mut self,
        pool: &mut Pool,
        (name, kind): (NameId, ForKind),
        [min, extent]: [&Expr; 2],
        body: &[Stmt],
    ) -> Result<StmtId> {
        self.work_begun = true;
        let kind = match kind {
            ForKind::Serial => LoopKind::Serial,
            ForKind::Parallel => LoopKind::PARALLEL,
            ForKind::GpuBlock => LoopKind::GpuBlocks,
            ForKind::GpuThread => LoopKind::GpuThreads,
            // Before they are vectorized and unrolled: one iteration after the other is one of their orders.
            ForKind::Vectorized | ForKind::Unrolled => LoopKind::Serial,
            ForKind::Extern => return unsupported("the loop of an extern stage"),
            ForKind::GpuLane => return unsupported("a loop over the lanes of a warp"),
        };
        let min = self.int(pool, min)?;
        let extent = self.int(pool, extent)?;
        let var = pool.declare_var(self.nodes.names.text(name), Type::INT);
        let value = Value { id: pool.var_expr(var), ty: tree::Scalar::Int(32) };
        let node = self.nodes.value(value);
        self.nodes.bind(name, Binding::Node(node));
        let before = self.is_unordered;
        self.is_unordered |= kind.is_parallel();
        self.depth += 1;
        let body = self.block(pool, body);
        self.depth -= 1;
        self.is_unordered = before;
        self.nodes.unbind(name);
        Ok(pool.stmt(IrStmt::For { var, min, extent, kind, body: body? }))
    }

    /// Says something once.
    fn note(&mut self, words: &str) {
        if !self.notes.iter().any(|known| known == words) {
            self.notes.push(words.to_owned());
        }
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

    /// The func and the component that a buffer's name is about.
    fn owner(&self, pool: &Pool, name: NameId) -> Option<(FuncId, usize)> {
        if let Some(func) = self.source.funcs.get(&name) {
            return Some((*func, 0));
        }
        let (base, component) = self.nodes.names.text(name).rsplit_once('.')?;
        let func = *self.source.funcs.get(&self.nodes.names.find(base)?)?;
        let component: usize = component.parse().ok()?;
        let count = pool.func(func).scalars.len();
        // Memory that the threads of a block share is numbered by block.
        if count == 1 { Some((func, 0)) } else { (component < count).then_some((func, component)) }
    }

    fn allocate(
        &mut self,
        pool: &mut Pool,
        name: NameId,
        ty: tree::Type,
        extents: &[Expr],
    ) -> Result<Buffer> {
        let text = self.nodes.names.text(name);
        let Some((func, component)) = self.owner(pool, name) else {
            return unsupported(format!("the memory `{text}`, which is of no func"));
        };
        if self.source.types[&func].get(component) != Some(&ty.scalar) || ty.lanes != 1 {
            return unsupported(format!("memory of another type than `{text}` has"));
        }
        let mut sizes = Vec::new();
        for extent in extents {
            sizes.push(self.int(pool, extent)?);
        }
        let rank = pool.func(func).rank();
        let (zero, one) = (pool.int(0), pool.int(1));
        // Small memory is given a size by itself: all of it is one dimension's.
        let shaped = sizes.len() >= rank && sizes[rank..].iter().all(|size| *size == one);
        if !shaped {
            if rank == 0 {
                return unsupported(format!("memory of many elements for the one of `{text}`"));
            }
            let size = sizes.iter().copied().reduce(|a, b| pool.mul(a, b)).unwrap_or(one);
            sizes = vec![one; rank];
            if let Some(innermost) = sizes.first_mut() {
                *innermost = size;
            }
        }
        // Extents stand in the order of memory.
        let mut dims = vec![Dim::new(zero, one, one); rank];
        let mut stride = one;
        for (number, position) in self.storage_order(pool, func).into_iter().enumerate() {
            dims[position] = Dim::new(zero, sizes[number], stride);
            stride = if stride == one { sizes[number] } else { pool.mul(stride, sizes[number]) };
        }
        let id = pool.declare_buffer(BufferDecl {
            name: text.to_owned(),
            scalar: stored(ty.scalar)?,
            func,
            component,
            kind: BufferKind::Internal,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        });
        Ok(Buffer { id, ty: ty.scalar, dims: Vec::new() })
    }

    /// The memory of a func that is accessed by coordinates.
    fn realize(&mut self, pool: &mut Pool, name: NameId, bounds: &[tree::Range]) -> Result<Buffer> {
        let text = self.nodes.names.text(name);
        let Some((func, component)) = self.owner(pool, name) else {
            return unsupported(format!("the memory `{text}`, which is of no func"));
        };
        let types = &self.source.types[&func];
        let plain = types.len() == 1 || !self.source.funcs.contains_key(&name);
        if bounds.len() != pool.func(func).rank() || !plain {
            return unsupported(format!("the memory of all components of `{text}`"));
        }
        let ty = types[component];
        let mut stride = pool.int(1);
        let mut dims = Vec::new();
        for bound in bounds {
            let (min, extent) = (self.int(pool, &bound.min)?, self.int(pool, &bound.extent)?);
            dims.push(Dim::new(min, extent, stride));
            stride = pool.mul(stride, extent);
        }
        let id = pool.declare_buffer(BufferDecl {
            name: text.to_owned(),
            scalar: stored(ty)?,
            func,
            component,
            kind: BufferKind::Internal,
            store_in: StoreIn::Auto,
            realigned: false,
            dims: dims.clone(),
        });
        Ok(Buffer { id, ty, dims })
    }

    /// The func's dimensions in the order of memory, innermost first.
    fn storage_order(&self, pool: &Pool, func: FuncId) -> Vec<usize> {
        let rank = pool.func(func).rank();
        let known = self
            .pipeline
            .funcs
            .iter()
            .find(|known| self.source.funcs.get(&known.name) == Some(&func));
        let Some(known) = known else { return (0..rank).collect() };
        let position = |name: &NameId| known.args.iter().position(|arg| arg == name);
        let order = known.schedule.storage.iter().map(|dim| position(&dim.name));
        order
            .collect::<Option<Vec<_>>>()
            .filter(|order| order.len() == rank)
            .unwrap_or((0..rank).collect())
    }

    /// A call for its effects: those that are about devices and caches, and those that passes leave for each other, have none here.
    fn evaluate(&self, value: &Expr) -> Result<()> {
        if let Expr::Call(call) = value {
            let name = self.nodes.names.text(call.name);
            if matches!(
                name,
                "_halide_buffer_set_host_dirty"
                    | "_halide_buffer_set_device_dirty"
                    | "prefetch"
                    | "add_image_checks_marker"
                    | "skip_stages_marker"
                    | "sliding_window_marker"
                    | "halide_semaphore_init"
                    | "halide_semaphore_release"
            ) {
                return Ok(());
            }
            return unsupported(format!("a call of `{name}`"));
        }
        if matches!(value, Expr::Int(..) | Expr::UInt(..)) {
            return Ok(());
        }
        unsupported("an expression that is evaluated for its effects")
    }

    pub(super) fn lower<T>(
        &mut self,
        pool: &mut Pool,
        work: impl FnOnce(&mut Lowering<'_, '_>) -> T,
    ) -> T {
        work(&mut Lowering::new(&self.nodes, pool, &mut self.memo, Overflow::Wraps))
    }

    fn scalar(&mut self, pool: &mut Pool, expr: &Expr) -> Result<Value> {
        let node: NodeId = self.nodes.elaborate(pool, expr)?;
        self.lower(pool, |lowering| lowering.scalar(node))
    }

    pub(super) fn int(&mut self, pool: &mut Pool, expr: &Expr) -> Result<ExprId> {
        let value = self.scalar(pool, expr)?;
        self.lower(pool, |lowering| lowering.ops.as_int(value))
    }
}

/// Items as one statement: a let or an allocation holds for all that follows.
fn closed(pool: &mut Pool, items: Vec<Item>) -> StmtId {
    let mut stmts: Vec<StmtId> = Vec::new();
    for item in items.into_iter().rev() {
        match item {
            Item::Stmt(stmt) => stmts.push(stmt),
            Item::Let(var, value) => {
                let body = sequence(pool, std::mem::take(&mut stmts));
                stmts.push(pool.stmt(IrStmt::Let { var, value, body }));
            }
            Item::Allocate(buffer) => {
                let body = sequence(pool, std::mem::take(&mut stmts));
                stmts.push(pool.stmt(IrStmt::Allocate { buffer, body }));
            }
        }
    }
    sequence(pool, stmts)
}

/// Statements that were collected from the last to the first.
fn sequence(pool: &mut Pool, mut stmts: Vec<StmtId>) -> StmtId {
    stmts.reverse();
    if let [only] = *stmts { only } else { pool.stmt(IrStmt::Block(stmts)) }
}

/// Whether a value is a pointer.
fn is_pointer(value: &Expr) -> bool {
    let ty = if let Expr::Call(call) = value {
        call.ty
    } else if let Expr::Variable { ty, .. } = value {
        *ty
    } else if let Expr::Cast(ty, _) | Expr::Reinterpret(ty, _) = value {
        Some(*ty)
    } else if let Expr::Let { body, .. } = value {
        return is_pointer(body);
    } else {
        None
    };
    ty.is_some_and(|ty| matches!(ty.scalar, tree::Scalar::Handle(_)))
}

/// Calls `visit` with each block within a statement.
pub(super) fn for_each_block<'s>(stmt: &'s Stmt, visit: &mut impl FnMut(&'s [Stmt])) {
    match &stmt.kind {
        StmtKind::ProducerConsumer { body, .. }
        | StmtKind::For { body, .. }
        | StmtKind::Acquire { body, .. }
        | StmtKind::Realize { body, .. }
        | StmtKind::Atomic { body, .. }
        | StmtKind::HoistedStorage { body, .. }
        | StmtKind::Scope(body) => visit(body),
        StmtKind::Fork(tasks) => tasks.iter().for_each(|task| visit(task)),
        StmtKind::If { then_branch, else_branch, .. } => {
            visit(then_branch);
            if let Some(other) = else_branch {
                visit(other);
            }
        }
        StmtKind::Let { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Store { .. }
        | StmtKind::Provide { .. }
        | StmtKind::Allocate { .. }
        | StmtKind::Free(_)
        | StmtKind::Evaluate(_)
        | StmtKind::Prefetch { .. } => {}
    }
}

/// Whether an entry check may follow: an assertion before any loop.
fn contains_assert(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| {
        let mut found = matches!(stmt.kind, StmtKind::Assert { .. });
        if !matches!(stmt.kind, StmtKind::For { .. }) {
            for_each_block(stmt, &mut |block| found |= contains_assert(block));
        }
        found
    })
}

/// Calls `visit` with the name of every buffer that is stored to.
fn for_each_store(block: &[Stmt], visit: &mut impl FnMut(NameId)) {
    for stmt in block {
        if let StmtKind::Store { name, .. } = &stmt.kind {
            visit(*name);
        }
        for_each_block(stmt, &mut |block| for_each_store(block, visit));
    }
}
