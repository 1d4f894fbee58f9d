//! Statements.

use halidom_halide_ir::NameId;
use halidom_halide_ir::tree::{Alignment, Block, Expr, ForKind, Role, Stmt, StmtKind, Type};

use super::expr::{is_dense, uses};
use super::{Atomicity, Bound, Compiled, Compiler, Kernel, Mode};
use crate::code::{Allocation, BufferCall, Compute, Decides, Op, Place, Reg};
use crate::value::{Kind, Ty};

/// The largest allocation of constant size, in bytes, that goes on the stack without a request.
const ON_STACK: u64 = 16 * 1024;

/// An effect at the end of a block.
enum Ending {
    Name(NameId),
    Memory(NameId, Reg, bool),
}

/// A loop's parts.
struct Loop<'e> {
    name: NameId,
    min: &'e Expr,
    extent: &'e Expr,
    body: &'e Block,
}

/// A store's parts.
struct Stored<'e> {
    name: NameId,
    index: &'e Expr,
    alignment: Option<Alignment>,
    value: &'e Expr,
    predicate: Option<&'e Expr>,
}

/// An allocation's parts.
struct Allocated<'e> {
    name: NameId,
    ty: Type,
    extents: &'e [Expr],
    padding: i64,
    memory: Option<NameId>,
    condition: Option<&'e Expr>,
    new: Option<&'e Expr>,
    free: Option<NameId>,
}

impl Compiler<'_> {
    /// Compiles statements one after another. A declaration is known to the end of the block.
    pub(super) fn block(&mut self, block: &Block) -> Compiled<()> {
        self.nested(|compiler| {
            let next = compiler.next;
            let mut endings = Vec::new();
            let mut result = Ok(());
            for stmt in block {
                result = compiler.stmt(stmt, &mut endings);
                if result.is_err() {
                    break;
                }
            }
            for ending in endings.into_iter().rev() {
                match ending {
                    Ending::Name(name) => compiler.unbind(name),
                    // Memory that is not freed by then is freed at the end of its scope.
                    Ending::Memory(name, pointer, is_shared) => {
                        let text = compiler.shared_text(name);
                        compiler.emit(Op::Leave { pointer, is_shared, name: text });
                        compiler.unbind(name);
                    }
                }
            }
            compiler.next = next;
            result
        })
    }

    fn stmt(&mut self, stmt: &Stmt, endings: &mut Vec<Ending>) -> Compiled<()> {
        let Stmt { at, kind } = stmt;
        self.at = *at;
        let next = self.next;
        match kind {
            StmtKind::Let { name, value } => {
                let (src, ty) = self.expr(value)?;
                // The name's register lies below those that were used to compute its value.
                self.next = next;
                let reg = self.register();
                if src != reg {
                    self.set(reg, Compute::Copy(src));
                }
                self.bind(*name, Bound { reg, ty, memory: None });
                endings.push(Ending::Name(*name));
                return Ok(());
            }
            StmtKind::Allocate { name, ty, extents, padding, memory, condition, new, free } => {
                let allocated = Allocated {
                    name: *name,
                    ty: *ty,
                    extents,
                    padding: *padding,
                    memory: *memory,
                    condition: condition.as_ref(),
                    new: new.as_ref(),
                    free: *free,
                };
                return self.allocate(&allocated, endings);
            }
            StmtKind::Assert { condition, message } => {
                self.is_asserting = true;
                let condition = self.expr(condition);
                self.is_asserting = false;
                let (condition, ty) = condition?;
                if ty.kind != Kind::UInt(1) {
                    return self.refuse("an assertion of what is no truth value");
                }
                self.assertion(condition, message)?;
            }
            StmtKind::ProducerConsumer { name: _, role, body } => match role {
                // Both are only marks.
                Role::Produce | Role::Consume => self.block(body)?,
            },
            StmtKind::For { name, min, extent, kind, device, body } => {
                let parts = Loop { name: *name, min, extent, body };
                self.for_loop(&parts, *kind, *device)?;
            }
            StmtKind::Acquire { semaphore, count, body } => {
                self.acquire(semaphore, count, body)?;
            }
            StmtKind::Store { name, index, alignment, value, predicate } => {
                let stored = Stored {
                    name: *name,
                    index,
                    alignment: *alignment,
                    value,
                    predicate: predicate.as_ref(),
                };
                self.store(&stored)?;
            }
            StmtKind::Free(name) => self.free(*name)?,
            StmtKind::Fork(tasks) => self.fork(tasks)?,
            StmtKind::If { condition, then_branch, else_branch } => {
                self.branch(condition, then_branch, else_branch.as_ref())?;
            }
            StmtKind::Evaluate(value) => {
                self.expr(value)?;
            }
            StmtKind::Atomic { producer: _, mutex, body } => {
                if self.atomic.is_some() {
                    return self.refuse("an atomic update within another");
                }
                self.atomic =
                    Some(if mutex.is_some() { Atomicity::Locked } else { Atomicity::Lanes });
                let result = self.block(body);
                self.atomic = None;
                result?;
            }
            StmtKind::Scope(body) => self.block(body)?,
            StmtKind::Provide { name, args: _, values: _, predicate: _ } => {
                return self.refuse(format!("a point of the func `{}`", self.text(*name)));
            }
            StmtKind::Realize { name, bounds: _, memory: _, condition: _, body: _ } => {
                return self.refuse(format!("the realization of `{}`", self.text(*name)));
            }
            StmtKind::Prefetch { name, at: _, from: _, bounds: _ } => {
                return self.refuse(format!("the prefetch of `{}`", self.text(*name)));
            }
            StmtKind::HoistedStorage { name: _, body: _ } => {
                return self.refuse("storage that is hoisted");
            }
        }
        self.next = next;
        Ok(())
    }

    fn branch(
        &mut self,
        condition: &Expr,
        then_branch: &Block,
        else_branch: Option<&Block>,
    ) -> Compiled<()> {
        let next = self.next;
        let (condition, ty) = self.expr(condition)?;
        if ty != Ty::BOOL {
            return self.refuse("a branch by what is no truth value");
        }
        let skip = self.emit(Op::Unless { condition, to: 0, decides: Decides::Branch });
        self.next = next;
        self.block(then_branch)?;
        let end = self.emit(Op::Jump(0));
        let here = self.here();
        self.patch(skip, here);
        if let Some(else_branch) = else_branch {
            self.block(else_branch)?;
        }
        let here = self.here();
        self.patch(end, here);
        Ok(())
    }

    fn acquire(&mut self, semaphore: &Expr, count: &Expr, body: &Block) -> Compiled<()> {
        if self.kernel.is_some() || self.atomic.is_some() {
            return self.refuse("`acquire` in a kernel or an atomic update");
        }
        let (semaphore, ty) = self.expr(semaphore)?;
        let (count, of) = self.expr(count)?;
        if ty != Ty::HANDLE || of != Ty::INT32 {
            return self.refuse("`acquire` of what is no semaphore");
        }
        self.is_structured = false;
        self.emit(Op::Acquire { semaphore, count });
        self.block(body)
    }

    fn for_loop(
        &mut self,
        parts: &Loop<'_>,
        kind: ForKind,
        device: Option<NameId>,
    ) -> Compiled<()> {
        if self.atomic.is_some() && kind != ForKind::Serial {
            return self.refuse("a loop at one time in an atomic update");
        }
        match kind {
            ForKind::Serial => {}
            ForKind::Parallel => return self.parallel(parts),
            ForKind::Vectorized | ForKind::Unrolled => {
                if self.mode == Mode::Final {
                    let words = format!(
                        "a loop of kind `{}`, of which the code generators know nothing",
                        kind.keyword()
                    );
                    return self.refuse(words);
                }
            }
            ForKind::Extern => return self.refuse("an extern loop"),
            ForKind::GpuBlock | ForKind::GpuThread => return self.gpu_loop(parts, kind, device),
            ForKind::GpuLane => return self.refuse("a loop over the lanes of a warp"),
        }
        if device.is_some_and(|device| !matches!(self.text(device), "None" | "Host")) {
            return self.refuse("a loop of another device");
        }
        let Loop { name, min, extent, body } = *parts;
        let min = self.int32(min, "the minimum of a loop")?;
        let extent = self.int32(extent, "the extent of a loop")?;
        let (var, limit) = (self.register(), self.register());
        let enter = self.emit(Op::Enter { var, limit, min, extent, exit: 0 });
        let begin = self.here();
        self.bind(name, Bound { reg: var, ty: Ty::INT32, memory: None });
        let result = self.block(body);
        self.unbind(name);
        result?;
        self.emit(Op::Next { var, limit, body: begin });
        let here = self.here();
        self.patch(enter, here);
        Ok(())
    }

    fn int32(&mut self, expr: &Expr, what: &str) -> Compiled<Reg> {
        let (reg, ty) = self.expr(expr)?;
        if ty != Ty::INT32 {
            return self.refuse(format!("{what} of another type"));
        }
        Ok(reg)
    }

    fn parallel(&mut self, parts: &Loop<'_>) -> Compiled<()> {
        let Loop { name, min, extent, body } = *parts;
        if self.kernel.is_some() {
            return self.refuse("a parallel loop in a kernel");
        }
        let min = self.int32(min, "the minimum of a loop")?;
        let extent = self.int32(extent, "the extent of a loop")?;
        let var = self.register();
        let mark = self.next;
        let parallel = self.emit(Op::Parallel { var, min, extent, body: 0, end: 0, mark });
        let begin = self.here();
        self.bind(name, Bound { reg: var, ty: Ty::INT32, memory: None });
        let result = self.block(body);
        self.unbind(name);
        result?;
        self.emit(Op::EndThread);
        let end = self.here();
        if let Some(instr) = self.code.get_mut(parallel) {
            instr.op = Op::Parallel { var, min, extent, body: begin, end, mark };
        }
        Ok(())
    }

    fn fork(&mut self, tasks: &[Block]) -> Compiled<()> {
        if self.kernel.is_some() || self.atomic.is_some() {
            return self.refuse("tasks in a kernel or an atomic update");
        }
        let mark = self.next;
        let fork = self.emit(Op::Fork { tasks: Vec::new(), end: 0, mark });
        let mut labels = Vec::new();
        for task in tasks {
            labels.push(self.here());
            self.block(task)?;
            self.emit(Op::EndThread);
        }
        let end = self.here();
        if let Some(instr) = self.code.get_mut(fork) {
            instr.op = Op::Fork { tasks: labels, end, mark };
        }
        Ok(())
    }

    /// Compiles a loop of a GPU. The outermost one is a kernel. The loops within it give numbers of
    /// blocks and threads, and every thread runs the whole kernel.
    fn gpu_loop(
        &mut self,
        parts: &Loop<'_>,
        kind: ForKind,
        device: Option<NameId>,
    ) -> Compiled<()> {
        let Loop { name, min, extent: _, body } = *parts;
        if device.is_some_and(|device| self.text(device) != "CUDA") {
            return self.refuse("a GPU other than by CUDA");
        }
        if !matches!(min, Expr::Int(0, _)) {
            return self.refuse("a loop of a GPU that does not begin at 0");
        }
        if self.kernel.is_some() {
            let text = self.text(name);
            let Some((of_thread, dim)) = identity(text) else {
                return self.refuse(format!(
                    "the loop `{text}` of a GPU, which is none of its dimensions"
                ));
            };
            if of_thread != (kind == ForKind::GpuThread) {
                return self.refuse(format!("the loop `{text}` of another kind than its name"));
            }
            let dst = self.register();
            self.set(dst, Compute::Identity { of_thread, dim });
            self.bind(name, Bound { reg: dst, ty: Ty::INT32, memory: None });
            let result = self.block(body);
            self.unbind(name);
            return result;
        }
        // The host computes the extents in advance. The last loop of a dimension gives its extent.
        let mut extents: [[Option<&Expr>; 3]; 2] = [[None; 3]; 2];
        dimensions(parts, self.names, &mut extents);
        let mut registers = [[None; 3]; 2];
        for (registers, extents) in registers.iter_mut().zip(extents) {
            for (register, extent) in registers.iter_mut().zip(extents) {
                if let Some(extent) = extent {
                    *register = Some(self.int32(extent, "the extent of a loop")?);
                }
            }
        }
        let mut kernel = Kernel::default();
        let mut used = Vec::new();
        for stmt in body {
            buffers(stmt, &mut used);
        }
        for buffer in used {
            let Some(bound) = self.bound(buffer) else { continue };
            if bound.memory.is_some() {
                return self.refuse(format!(
                    "`{}`, which is allocated on the host, in a kernel",
                    self.text(buffer)
                ));
            }
            if kernel.buffers.contains_key(&buffer) {
                continue;
            }
            let text = format!("{}.buffer", self.text(buffer));
            let Some(handle) = self.names.find(&text) else {
                return self.refuse(format!("`{text}`, which nothing binds"));
            };
            let (handle, ty) = match self.bound(handle) {
                Some(bound) => (bound.reg, bound.ty),
                None => self.free_name(handle, None)?,
            };
            if ty != Ty::HANDLE {
                return self.refuse(format!("`{text}`, which is no buffer"));
            }
            let dst = self.register();
            self.emit(Op::Buffer { dst, buffer: handle, call: BufferCall::Device });
            kernel.buffers.insert(buffer, dst);
        }
        let mark = self.next;
        let launch = self.here();
        let [blocks, threads] = registers;
        self.emit(Op::Kernel { blocks, threads, body: 0, end: 0, mark });
        self.kernel = Some(kernel);
        let begin = self.here();
        let result = self.gpu_loop(parts, kind, device);
        self.kernel = None;
        result?;
        self.emit(Op::EndThread);
        let end = self.here();
        if let Some(instr) = self.code.get_mut(launch) {
            instr.op = Op::Kernel { blocks, threads, body: begin, end, mark };
        }
        Ok(())
    }

    fn allocate(&mut self, allocated: &Allocated<'_>, endings: &mut Vec<Ending>) -> Compiled<()> {
        let Allocated { name, ty, extents, padding, memory, condition, new, free } = *allocated;
        let text = self.shared_text(name);
        if self.bound(name).is_some() {
            return self.refuse(format!("two things of the name `{text}`"));
        }
        if let Some(new) = new {
            return self.locks(allocated, new, endings);
        }
        if free.is_some() {
            return self.refuse(format!("`{text}`, which something else frees"));
        }
        let ty = self.ty(ty)?;
        if ty.lanes != 1 {
            return self.refuse("memory of vectors");
        }
        let memory = memory.map_or("Auto", |memory| self.text(memory)).to_owned();
        let Ok(padding) = u64::try_from(padding) else { return self.refuse("a negative padding") };
        let constant = constant_size(extents).map(|count| count.saturating_mul(ty.kind.bytes()));
        let padded =
            constant.map(|size| size.saturating_add(padding.saturating_mul(ty.kind.bytes())));
        let in_kernel = self.kernel.is_some();
        let is_shared = memory == "GPUShared";
        let is_static = match memory.as_str() {
            "Auto" | "Stack" => padded.is_some_and(|size| size <= ON_STACK),
            "Heap" => false,
            "Register" => {
                if padded.is_none() {
                    return self.refuse("registers of a size that is not constant");
                }
                true
            }
            "GPUShared" if in_kernel => {
                if extents.len() != 1 {
                    return self.refuse("shared memory of several extents");
                }
                // All shared memory begins at one address.
                let has_shared = self
                    .kernel
                    .as_mut()
                    .is_some_and(|kernel| std::mem::replace(&mut kernel.has_shared, true));
                if has_shared {
                    return self.refuse("two allocations in shared memory, which are one");
                }
                true
            }
            other => return self.refuse(format!("memory of kind `{other}`")),
        };
        if in_kernel && !is_shared && padded.is_none() {
            return self.refuse("memory of a thread whose size is not constant");
        }
        let next = self.next;
        let dst = self.register();
        let mut registers = Vec::new();
        for extent in extents {
            registers.push(self.int32(extent, "the extent of an allocation")?);
        }
        let condition = match condition {
            Some(condition) => {
                let (reg, of) = self.expr(condition)?;
                if of != Ty::BOOL {
                    return self.refuse("an allocation by what is no truth value");
                }
                Some(reg)
            }
            None => None,
        };
        self.emit(Op::Allocate(Box::new(Allocation {
            dst,
            name: text,
            kind: ty.kind,
            extents: registers,
            padding,
            // A kernel has no heap.
            is_static: is_static || in_kernel,
            is_shared,
            condition,
        })));
        self.next = next + 1;
        self.bind(name, Bound { reg: dst, ty: Ty::HANDLE, memory: Some((ty, is_shared)) });
        endings.push(Ending::Memory(name, dst, is_shared));
        Ok(())
    }

    fn free(&mut self, name: NameId) -> Compiled<()> {
        let text = self.shared_text(name);
        let Some(Bound { reg, ty: _, memory }) = self.bound(name) else {
            return self.refuse(format!("`free` of `{text}`, which nothing binds"));
        };
        let Some((_, is_shared)) = memory else {
            return self.refuse(format!("`free` of `{text}`, which is not allocated"));
        };
        self.emit(Op::Free { pointer: reg, is_shared, name: text });
        Ok(())
    }

    /// Compiles memory that a call returns. The only such memory that the machine knows is an array
    /// of locks.
    fn locks(
        &mut self,
        allocated: &Allocated<'_>,
        new: &Expr,
        endings: &mut Vec<Ending>,
    ) -> Compiled<()> {
        let Allocated { name, ty: _, extents, padding, memory: _, condition, new: _, free } =
            *allocated;
        let is_create = match new {
            Expr::Call(call) => self.text(call.name) == "halide_mutex_array_create",
            Expr::Int(_, _)
            | Expr::UInt(_, _)
            | Expr::Float(_, _)
            | Expr::String(_)
            | Expr::Variable { name: _, ty: _ }
            | Expr::Cast(_, _)
            | Expr::Reinterpret(_, _)
            | Expr::Binary(_, _)
            | Expr::Not(_)
            | Expr::Select(_)
            | Expr::Load(_)
            | Expr::Ramp { base: _, stride: _, lanes: _ }
            | Expr::Broadcast { value: _, lanes: _ }
            | Expr::Let { name: _, value: _, body: _ }
            | Expr::Shuffle(_, _)
            | Expr::VectorReduce(_, _, _) => false,
        };
        let is_destroy = free.is_some_and(|free| self.text(free) == "halide_mutex_array_destroy");
        if !is_create || !is_destroy || condition.is_some() || !extents.is_empty() || padding != 0 {
            return self.refuse(format!("memory for `{}` that a call gives", self.text(name)));
        }
        let next = self.next;
        let (src, _) = self.expr(new)?;
        self.next = next;
        let reg = self.register();
        self.set(reg, Compute::Copy(src));
        self.bind(name, Bound { reg, ty: Ty::HANDLE, memory: None });
        endings.push(Ending::Name(name));
        Ok(())
    }

    fn store(&mut self, stored: &Stored<'_>) -> Compiled<()> {
        let Stored { name, index, alignment, value, predicate } = *stored;
        if let (Expr::Let { name: bound, value: named, body }, None) = (index, self.atomic) {
            // The names of an index are bound before the store, and known in its value too.
            let (reg, ty) = self.expr(named)?;
            self.bind(*bound, Bound { reg, ty, memory: None });
            let inner = Stored { index: body, ..*stored };
            let result = self.nested(|compiler| compiler.store(&inner));
            self.unbind(*bound);
            return result;
        }
        let is_update = self.atomic.is_some() && (uses(index, name) || uses(value, name));
        if is_update && predicate.is_some() {
            return self.refuse("an atomic update with a predicate");
        }
        let (pointer, element) = self.pointer(name)?;
        let alignment = self.alignment(alignment)?;
        let is_atomic = self.atomic == Some(Atomicity::Lanes);
        if is_update && is_atomic {
            return self.update(stored, (pointer, element));
        }
        let predicate_lanes = |compiler: &mut Self, lanes| compiler.predicate(predicate, lanes);
        let (value, ty) = self.expr(value)?;
        let (index, lanes) = self.index(index)?;
        if self.atomic == Some(Atomicity::Locked) && lanes > 1 {
            return self.refuse("a store of a vector under a lock");
        }
        if ty.lanes != lanes
            || element.is_some_and(|kind| {
                kind != ty.kind && (kind == Kind::Handle || ty.kind == Kind::Handle)
            })
        {
            return self.refuse("a store of other lanes than its index has");
        }
        let predicate = predicate_lanes(self, lanes)?;
        let place = Place { pointer, kind: ty.kind, lanes, index, alignment, predicate };
        self.emit(Op::Store { place, value, lane: None, atomic: is_atomic });
        Ok(())
    }

    /// Compiles an update that nothing interrupts: each lane reads, computes and writes after the
    /// lane before it.
    fn update(
        &mut self,
        stored: &Stored<'_>,
        (pointer, element): (Reg, Option<Kind>),
    ) -> Compiled<()> {
        let Stored { name, index, alignment: _, value, predicate: _ } = *stored;
        let is_vector =
            !matches!(index, Expr::Let { name: _, value: _, body: _ }) || is_dense(index);
        if !is_vector {
            return self.refuse("an atomic update whose index has names");
        }
        let (index, lanes) = self.index(index)?;
        self.updated = Some(name);
        for lane in 0..lanes {
            let next = self.next;
            let (value, ty) = self.expr(value)?;
            if ty.lanes != lanes || element.is_some_and(|kind| kind != ty.kind) {
                return self.refuse("an atomic update of another type");
            }
            let place =
                Place { pointer, kind: ty.kind, lanes, index, alignment: None, predicate: None };
            self.emit(Op::Store { place, value, lane: Some(lane), atomic: true });
            self.next = next;
        }
        self.updated = None;
        Ok(())
    }
}

/// Returns the number of elements, if all extents are numbers and there is at least one element.
fn constant_size(extents: &[Expr]) -> Option<u64> {
    let mut count = 1_u64;
    for extent in extents {
        let Expr::Int(extent, _) = extent else { return None };
        count = count.checked_mul(u64::try_from(*extent).ok()?)?;
    }
    (count > 0).then_some(count)
}

/// Returns the number that a loop of a GPU gives, by the loop's name: true for a thread's and false
/// for a block's, and the dimension.
fn identity(name: &str) -> Option<(bool, usize)> {
    for (dim, letter) in ["x", "y", "z"].into_iter().enumerate() {
        for (of_thread, what) in [(true, ".thread_id_"), (false, ".block_id_")] {
            if name.strip_suffix(letter).is_some_and(|name| name.ends_with(what)) {
                return Some((of_thread, dim));
            }
        }
    }
    None
}

/// Collects the extents of blocks and threads from a kernel's loops.
fn dimensions<'e>(
    parts: &Loop<'e>,
    names: &halidom_halide_ir::Names,
    extents: &mut [[Option<&'e Expr>; 3]; 2],
) {
    let Loop { name, min: _, extent, body } = *parts;
    if let Some((of_thread, dim)) = identity(names.text(name))
        && let Some(place) = extents.get_mut(usize::from(of_thread)).and_then(|of| of.get_mut(dim))
    {
        *place = Some(extent);
    }
    for stmt in body {
        inner_dimensions(stmt, names, extents);
    }
}

fn inner_dimensions<'e>(
    stmt: &'e Stmt,
    names: &halidom_halide_ir::Names,
    extents: &mut [[Option<&'e Expr>; 3]; 2],
) {
    let Stmt { at: _, kind } = stmt;
    if let StmtKind::For { name, min, extent, kind: _, device: _, body } = kind {
        return dimensions(&Loop { name: *name, min, extent, body }, names, extents);
    }
    for_each_block(kind, &mut |block| {
        for stmt in block {
            inner_dimensions(stmt, names, extents);
        }
    });
}

/// Calls `visit` with every block directly within a statement.
fn for_each_block<'e>(kind: &'e StmtKind, visit: &mut impl FnMut(&'e Block)) {
    match kind {
        StmtKind::ProducerConsumer { name: _, role: _, body }
        | StmtKind::For { name: _, min: _, extent: _, kind: _, device: _, body }
        | StmtKind::Acquire { semaphore: _, count: _, body }
        | StmtKind::Realize { name: _, bounds: _, memory: _, condition: _, body }
        | StmtKind::Atomic { producer: _, mutex: _, body }
        | StmtKind::HoistedStorage { name: _, body }
        | StmtKind::Scope(body) => visit(body),
        StmtKind::If { condition: _, then_branch, else_branch } => {
            visit(then_branch);
            else_branch.iter().for_each(visit);
        }
        StmtKind::Fork(tasks) => tasks.iter().for_each(visit),
        StmtKind::Let { name: _, value: _ }
        | StmtKind::Assert { condition: _, message: _ }
        | StmtKind::Store { name: _, index: _, alignment: _, value: _, predicate: _ }
        | StmtKind::Provide { name: _, args: _, values: _, predicate: _ }
        | StmtKind::Allocate {
            name: _,
            ty: _,
            extents: _,
            padding: _,
            memory: _,
            condition: _,
            new: _,
            free: _,
        }
        | StmtKind::Free(_)
        | StmtKind::Evaluate(_)
        | StmtKind::Prefetch { name: _, at: _, from: _, bounds: _ } => {}
    }
}

/// Collects the names of the memory that a statement accesses.
fn buffers(stmt: &Stmt, used: &mut Vec<NameId>) {
    let Stmt { at: _, kind } = stmt;
    match kind {
        StmtKind::Let { name: _, value } | StmtKind::Evaluate(value) => loads(value, used),
        StmtKind::Assert { condition, message: _ } => loads(condition, used),
        StmtKind::Store { name, index, alignment: _, value, predicate } => {
            used.push(*name);
            loads(index, used);
            loads(value, used);
            if let Some(predicate) = predicate {
                loads(predicate, used);
            }
        }
        StmtKind::For { name: _, min, extent, kind: _, device: _, body: _ } => {
            loads(min, used);
            loads(extent, used);
        }
        StmtKind::If { condition, then_branch: _, else_branch: _ } => loads(condition, used),
        // A kernel has none of these, or they contain nothing that accesses memory.
        StmtKind::ProducerConsumer { name: _, role: _, body: _ }
        | StmtKind::Acquire { semaphore: _, count: _, body: _ }
        | StmtKind::Provide { name: _, args: _, values: _, predicate: _ }
        | StmtKind::Allocate {
            name: _,
            ty: _,
            extents: _,
            padding: _,
            memory: _,
            condition: _,
            new: _,
            free: _,
        }
        | StmtKind::Free(_)
        | StmtKind::Realize { name: _, bounds: _, memory: _, condition: _, body: _ }
        | StmtKind::Fork(_)
        | StmtKind::Prefetch { name: _, at: _, from: _, bounds: _ }
        | StmtKind::Atomic { producer: _, mutex: _, body: _ }
        | StmtKind::HoistedStorage { name: _, body: _ }
        | StmtKind::Scope(_) => {}
    }
    for_each_block(kind, &mut |block| block.iter().for_each(|stmt| buffers(stmt, used)));
}

fn loads(expr: &Expr, used: &mut Vec<NameId>) {
    if let Expr::Load(load) = expr {
        used.push(load.name);
    }
    expr.for_each_operand(&mut |operand| loads(operand, used));
}
