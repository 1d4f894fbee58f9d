//! Translates blocks and statements.
//!
//! # Correctness
//! Loops, lets and conditions keep their meaning. The translation matches every field of a node:
//! each field gets its meaning, or the node is refused.

use halidom_ir::{BinaryOp, Constant, ExprId, LoopKind, Pool, Stmt as IrStmt, StmtId, Type};

use super::barriers;
use super::error::{Result, unsupported};
use super::holdings;
use super::lanes::{Lanes, Stop};
use super::memory::{Allocation, Realization};
use super::nodes::{Binding, Buffer, NodeId};
use super::ops::Value;
use super::polynomials;
use super::stores;
use super::walk::{Atomicity, Item, Place, Walk, closed};
use crate::NameId;
use crate::tree::{self, Alignment, Expr, ForKind, Stmt, StmtKind};

/// A block that is being translated.
#[derive(Default)]
struct OpenBlock {
    items: Vec<Item>,
    /// The names that it binds.
    bound: Vec<NameId>,
    /// Memory that it allocates.
    taken: Vec<NameId>,
}

/// A loop, with its parts.
#[derive(Clone, Copy)]
struct Loop<'s> {
    stmt: &'s Stmt,
    name: NameId,
    /// The first value of its variable, and the number of iterations.
    range: [&'s Expr; 2],
    kind: ForKind,
    is_on_device: bool,
    body: &'s [Stmt],
}

impl Walk<'_> {
    pub(super) fn block(&mut self, pool: &mut Pool, block: &[Stmt]) -> Result<StmtId> {
        let items = self.items(pool, block)?;
        Ok(closed(pool, items))
    }

    /// The parts of a block. Its names mean nothing after it.
    fn items(&mut self, pool: &mut Pool, block: &[Stmt]) -> Result<Vec<Item>> {
        let mut opened = OpenBlock::default();
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
        Ok(opened.items)
    }

    fn stmt(
        &mut self,
        pool: &mut Pool,
        stmt: &Stmt,
        rest: &[Stmt],
        OpenBlock { items, bound, taken }: &mut OpenBlock,
    ) -> Result<()> {
        let first = items.len();
        self.leads(stmt);
        let missed = self.after_lookup(stmt)?;
        self.missed.extend(missed.map(|func| (func, None)));
        match &stmt.kind {
            StmtKind::Let { name, value } => {
                items.extend(self.let_stmt(pool, (*name, value), rest)?);
                bound.push(*name);
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
                let (name, kind, is_on_device) = (*name, *kind, device.is_some());
                let range = [min, extent];
                let found = Loop { stmt, name, range, kind, is_on_device, body };
                self.loop_stmt(pool, &found, items)?;
            }
            StmtKind::Store { name, index, alignment, value, predicate } => {
                let predicate = predicate.as_ref();
                if self.key_store(pool, (*name, index, value), predicate)? {
                    return Ok(());
                }
                let store = self.store_stmt(pool, *name, (index, *alignment), value, predicate)?;
                items.push(Item::Stmt(store));
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
                self.memory(pool, &stated, items)?;
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
            StmtKind::If { condition, then_branch, else_branch } => {
                let branches = (then_branch.as_slice(), else_branch.as_deref());
                items.extend(self.if_stmt(pool, condition, branches, missed.is_some())?);
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
                items.push(Item::Stmt(self.provide(pool, *name, args, values)?));
            }
            StmtKind::Realize { name, bounds, memory, condition, body } => {
                self.early("memory of a func that is accessed by coordinates")?;
                let condition = condition.as_ref();
                let stated = Realization { name: *name, bounds, memory: *memory, condition };
                items.push(Item::Stmt(self.realized(pool, &stated, body)?));
            }
            // Later passes decide where the storage is allocated.
            StmtKind::HoistedStorage { name: _, body } => {
                self.early("storage that is hoisted")?;
                items.push(Item::Stmt(self.block(pool, body)?));
            }
            StmtKind::Scope(body) => items.extend(self.scope(pool, body)?),
            StmtKind::Atomic { producer: _, mutex, body } => {
                if mutex.is_some() {
                    return unsupported("an atomic update with a lock");
                }
                items.push(Item::Stmt(self.atomic_block(pool, body)?));
            }
        }
        if missed.is_some() {
            self.missed.pop();
        }
        let mut owed = self.shown(pool)?;
        owed.extend(self.owed_by_exprs(pool)?);
        items.splice(first..first, owed);
        Ok(())
    }

    /// Translates a scope. The answer of a bounds query is known after the scope of its result.
    fn scope(&mut self, pool: &mut Pool, body: &[Stmt]) -> Result<Vec<Item>> {
        let items = self.items(pool, body)?;
        let is_bare = !items.iter().any(|item| matches!(item, Item::Allocate(_)));
        if is_bare && self.calls_stage(body) {
            return Ok(items);
        }
        Ok(vec![Item::Stmt(closed(pool, items))])
    }

    /// Refuses a construct that no final statement has.
    fn early(&self, what: &str) -> Result<()> {
        if self.is_final { unsupported(format!("{what} in a final statement")) } else { Ok(()) }
    }

    /// Translates a condition: to one of its branches alone if its value is known.
    fn if_stmt(
        &mut self,
        pool: &mut Pool,
        test: &Expr,
        branches: (&[Stmt], Option<&[Stmt]>),
        is_missed: bool,
    ) -> Result<Vec<Item>> {
        let condition = self.scalar(pool, test)?;
        let mut items: Vec<Item> = self.owed_by_exprs(pool)?;
        let (then_branch, else_branch) = branches;
        let stmt = match pool.as_constant(condition.id).and_then(Constant::as_bool) {
            Some(true) => {
                // What depends on a lookup in a cache does not run in each call.
                self.depth += usize::from(is_missed);
                let block = self.block(pool, then_branch);
                self.depth -= usize::from(is_missed);
                Some(block?)
            }
            Some(false) => else_branch.map(|other| self.block(pool, other)).transpose()?,
            None => Some(self.branches(pool, (test, condition.id), branches, is_missed)?),
        };
        items.extend(stmt.map(Item::Stmt));
        Ok(items)
    }

    /// Binds a name, and returns the items that bind it.
    fn let_stmt(
        &mut self,
        pool: &mut Pool,
        (name, value): (NameId, &Expr),
        rest: &[Stmt],
    ) -> Result<Vec<Item>> {
        if self.nodes.buffers.contains_key(&name) && !self.callers.contains(&name) {
            return unsupported("a name that memory has");
        }
        let (binding, items) = self.let_binding(pool, (name, value), rest)?;
        if self.callers.contains(&name) && binding != Binding::Host(name) {
            return unsupported("a name that a caller's buffer has");
        }
        self.nodes.bind(name, binding);
        Ok(items)
    }

    fn atomic_block(&mut self, pool: &mut Pool, body: &[Stmt]) -> Result<StmtId> {
        let within = Atomicity::Elements { unordered: self.is_unordered };
        let before = std::mem::replace(&mut self.atomic, within);
        let block = self.block(pool, body);
        self.atomic = before;
        block
    }

    fn loop_stmt(
        &mut self,
        pool: &mut Pool,
        found: &Loop<'_>,
        items: &mut Vec<Item>,
    ) -> Result<()> {
        let Loop { stmt, name, range: [min, extent], kind, is_on_device, body } = *found;
        if self.is_final && kind == ForKind::GpuBlock && self.place == Place::Host {
            self.on_host_alone()?;
            self.kernel(stmt)?;
        }
        if is_on_device && !matches!(kind, ForKind::GpuBlock | ForKind::GpuThread) {
            return unsupported("a loop on a device that is none over blocks or threads");
        }
        if let Some(phases) = barriers::phases(self.nodes.names, stmt)? {
            items.push(Item::Stmt(self.block(pool, &phases)?));
        } else {
            let range = [self.int_of_32(pool, min)?, self.int_of_32(pool, extent)?];
            items.extend(self.owed_by_exprs(pool)?);
            self.leading = self.leading_in(pool, extent);
            let stmt = self.for_stmt(pool, (name, kind), range, body)?;
            self.leading = None;
            items.push(Item::Stmt(stmt));
        }
        Ok(())
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
        if kind.is_parallel() && self.atomic != Atomicity::None {
            // Its body becomes a function of its own, outside of the update (`LowerParallelTasks`).
            return unsupported("a parallel loop within an atomic update");
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
        self.loops.push(var);
        let body = self.block(pool, body);
        self.loops.pop();
        self.host_loops -= of_host;
        self.leave(around);
        self.nodes.unbind(name);
        Ok(pool.stmt(IrStmt::For { var, min, extent, kind, body: body? }))
    }

    fn store_stmt(
        &mut self,
        pool: &mut Pool,
        name: NameId,
        (index, alignment): (&Expr, Option<Alignment>),
        value: &Expr,
        predicate: Option<&Expr>,
    ) -> Result<StmtId> {
        self.may_store(name)?;
        let is_shared = matches!(self.atomic, Atomicity::Elements { unordered: true });
        if is_shared && !stores::names_own_element(value, name, (index, alignment)) {
            return unsupported(
                "an atomic update that names its element in one way where it reads and in another \
                where it writes",
            );
        }
        self.work_begun = true;
        let target = self.target(name)?;
        self.is_filled(pool, target.id)?;
        let index = self.nodes.elaborate(pool, index)?;
        let value = self.nodes.elaborate(pool, value)?;
        let predicate = predicate.map(|found| self.nodes.elaborate(pool, found)).transpose()?;
        self.nodes.aligned.extend(alignment.map(|alignment| (index, alignment)));
        self.touched()?;
        self.written(name)?;
        self.store(pool, &target, [index, value], predicate)
    }

    /// Translates a write of a func's point.
    fn provide(
        &mut self,
        pool: &mut Pool,
        name: NameId,
        args: &[Expr],
        values: &[Expr],
    ) -> Result<StmtId> {
        let [value] = values else {
            // A read does not record its component.
            return unsupported("a tuple before it is taken apart");
        };
        let target = self.target(name)?;
        self.is_filled(pool, target.id)?;
        let args = args.iter().map(|arg| self.nodes.elaborate(pool, arg));
        let args = args.collect::<Result<Vec<_>>>()?;
        let index = self.nodes.place(pool, &target, &args)?;
        let value = self.nodes.elaborate(pool, value)?;
        self.store(pool, &target, [index, value], None)
    }

    /// Translates memory that a func or a cache takes.
    fn memory(
        &mut self,
        pool: &mut Pool,
        stated: &Allocation<'_>,
        items: &mut Vec<Item>,
    ) -> Result<()> {
        match self.cached(stated.name, (stated.new, stated.free)) {
            None => {
                self.allocate(pool, stated, items)?;
            }
            Some(key) => {
                let plain = Allocation { new: None, free: None, ..*stated };
                let own = self.allocate(pool, &plain, items)?;
                items.extend(self.second_memory(pool, (key, stated.name), own)?);
            }
        }
        Ok(())
    }

    /// Translates memory that is accessed by coordinates.
    fn realized(
        &mut self,
        pool: &mut Pool,
        stated: &Realization<'_>,
        body: &[Stmt],
    ) -> Result<StmtId> {
        let buffer = self.realize(pool, stated)?;
        let id = buffer.id;
        self.nodes.buffers.insert(stated.name, buffer);
        let body = self.block(pool, body);
        self.nodes.buffers.remove(&stated.name);
        Ok(pool.stmt(IrStmt::Allocate { buffer: id, body: body? }))
    }

    /// Translates the branches of a condition that is no constant. `is_missed` is true if the
    /// condition is that a lookup found nothing.
    fn branches(
        &mut self,
        pool: &mut Pool,
        (test, condition): (&Expr, ExprId),
        (then_branch, other): (&[Stmt], Option<&[Stmt]>),
        is_missed: bool,
    ) -> Result<StmtId> {
        let [leading, otherwise] = self.leading_by(pool, test);
        self.leading = leading;
        let around = self.enter();
        if let Some((_, needed)) = self.missed.last_mut().filter(|_| is_missed) {
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
        Ok(pool.stmt(IrStmt::If { condition, then_branch, else_branch }))
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

    /// The obligations for what the expressions of a statement do besides giving a value: for the
    /// loads that the value does not show, and for the alignments that accesses claim. Refuses
    /// expressions whose code does something else than they say.
    fn owed_by_exprs(&mut self, pool: &mut Pool) -> Result<Vec<Item>> {
        if let Some(what) = self.nodes.departures.and_then(|of| of.refused) {
            return unsupported(what);
        }
        self.touched()?;
        let passed_over: Vec<NodeId> =
            std::mem::take(&mut self.nodes.passed_over).into_iter().collect();
        let mut owed = self.made(pool, &passed_over, None)?;
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
                let names = (&*pool, &self.definitions);
                place.and_then(|place| polynomials::remainder(names, &place, modulus))
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
            owed.push(Item::Stmt(self.owed(pool, condition)?));
        }
        Ok(owed)
    }
}
