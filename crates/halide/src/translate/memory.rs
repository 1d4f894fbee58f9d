//! Memory that a statement allocates: its lifetime, its size, and the threads that share it.
//!
//! # Correctness
//! * An allocation lives from `allocate` to its `free`, or to the end of its block. A `free` must
//!   name a live allocation, and it runs whenever the allocation does: no loop, condition or task
//!   lies between the two. After it the name is unbound, so that a later access or a second `free`
//!   is refused.
//! * Where the condition of an allocation is false, it has no elements, and the code after it runs
//!   all the same. Memory that the code generators put on the stack has its elements in any case.
//! * Memory with a negative extent has no elements: the code takes such an extent for 0. A product
//!   of two negative extents would be positive, so no two of them may be negative, which is owed.
//!   An allocation without extents has one element, and a device ignores further ones.
//! * In a block of a GPU, memory outside the threads is shared by them if it is `GPUShared`; memory
//!   within a thread is private to it if it is not `GPUShared`. Other combinations are refused: the
//!   code generators would give each thread separate memory, or share one memory among all.

use halidom_ir::{
    BinaryOp, BufferDecl, BufferId, BufferKind, Constant, Dim, ExprId, FuncId, Pool, StoreIn, Type,
};

use super::error::{Result, unsupported};
use super::nodes::Buffer;
use super::ops::stored;
use super::walk::{Item, Place, Walk};
use crate::tree::{self, Expr};
use crate::{Condition, NameId};

/// The most elements after the extents: the code counts their bytes in 32 bits.
const MOST_PADDING: i64 = i32::MAX as i64 / 8;

/// The greatest size in bytes of memory that goes on the stack by default
/// (`can_allocation_fit_on_stack`).
const STACK_BYTES: i128 = 16 * 1024;

/// The greatest size in bytes of memory in registers: the code generators put it on the stack,
/// whatever its size.
const REGISTER_BYTES: i128 = 256 * 1024;

/// The greatest size in bytes of all memory on the stack: half of what a thread has by default.
const ALL_STACK_BYTES: i128 = 4 * 1024 * 1024;

/// The greatest size in bytes of memory that the threads of a block share, on every device.
const SHARED_BYTES: i128 = 48 * 1024;

/// The kind of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryType {
    Auto,
    Heap,
    Stack,
    Register,
    GpuShared,
}

/// The fields of an `allocate`.
pub(super) struct Allocation<'s> {
    pub(super) name: NameId,
    pub(super) ty: tree::Type,
    pub(super) extents: &'s [Expr],
    pub(super) padding: i64,
    pub(super) memory: Option<NameId>,
    pub(super) condition: Option<&'s Expr>,
    pub(super) new: Option<&'s Expr>,
    pub(super) free: Option<NameId>,
}

/// The fields of a `realize`.
pub(super) struct Realization<'s> {
    pub(super) name: NameId,
    pub(super) bounds: &'s [tree::Range],
    pub(super) memory: Option<NameId>,
    pub(super) condition: Option<&'s Expr>,
}

impl Walk<'_> {
    fn memory_type(&self, memory: Option<NameId>) -> Result<MemoryType> {
        let Some(memory) = memory else { return Ok(MemoryType::Auto) };
        match self.nodes.names.text(memory) {
            "Heap" => Ok(MemoryType::Heap),
            "Stack" => Ok(MemoryType::Stack),
            "Register" => Ok(MemoryType::Register),
            "GPUShared" => Ok(MemoryType::GpuShared),
            other => unsupported(format!("memory in `{other}`")),
        }
    }

    /// Refuses a name that is bound already.
    pub(super) fn is_new(&self, name: NameId) -> Result<()> {
        if self.nodes.buffers.contains_key(&name) || self.nodes.lookup(name).is_some() {
            let text = self.nodes.names.text(name);
            return unsupported(format!("memory by the name `{text}`, which means something else"));
        }
        Ok(())
    }

    /// Declares the memory of an allocation, which lives from here on. Adds it to the items, after
    /// what is owed about its size.
    pub(super) fn allocate(
        &mut self,
        pool: &mut Pool,
        stated: &Allocation<'_>,
        items: &mut Vec<Item>,
    ) -> Result<BufferId> {
        let Allocation { name, ty, extents, padding, memory, condition, new, free } = *stated;
        if new.is_some() || free.is_some() || !(0..=MOST_PADDING).contains(&padding) {
            return unsupported("memory that is not allocated plainly");
        }
        self.is_new(name)?;
        let text = self.nodes.names.text(name);
        let Some((func, component)) = self.owner(pool, name) else {
            return unsupported(format!("the memory `{text}`, which is of no func"));
        };
        let stated = self.source.types[&func].get(component).copied();
        // Truth values are bytes in memory.
        let scalar = match (stated, ty.scalar) {
            (Some(tree::Scalar::UInt(1)), tree::Scalar::UInt(8)) => tree::Scalar::UInt(1),
            (Some(stated), given) if stated == given => given,
            (Some(_) | None, _) => {
                return unsupported(format!("memory of another type than `{text}` has"));
            }
        };
        if ty.lanes != 1 {
            return unsupported(format!("memory of another type than `{text}` has"));
        }
        let mut sizes = Vec::new();
        for extent in extents {
            sizes.push(self.int_of_32(pool, extent)?);
        }
        let memory = self.memory_type(memory)?;
        let padding = if extents.is_empty() { 0 } else { padding };
        if self.place != Place::Host && padding > 0 {
            return unsupported("memory of a device with elements after its extents");
        }
        items.extend(self.one_negative(pool, &sizes)?);
        let fixed = bytes(pool, &sizes, ty.scalar);
        let fixed = fixed.zip(bytes(pool, &[], ty.scalar));
        let fixed = fixed.map(|(bytes, one)| bytes + one * i128::from(padding));
        if fixed.is_none() && self.source.settings.no_asserts {
            self.contract.others.insert(Condition::Allocations);
        }
        self.admit(memory, fixed, condition)?;
        let on_stack = match memory {
            MemoryType::Register => true,
            MemoryType::Auto | MemoryType::Stack => {
                fixed.is_some_and(|bytes| bytes <= STACK_BYTES) || self.place == Place::Thread
            }
            MemoryType::Heap | MemoryType::GpuShared => false,
        };
        if on_stack && self.place == Place::Host && self.is_final {
            self.on_stack(fixed.unwrap_or(0))?;
        }
        let condition = condition.filter(|_| !on_stack);
        let rank = pool.func(func).rank();
        let (zero, one) = (pool.int(0), pool.int(1));
        let order = self.storage_order(pool, func);
        let (own, copies) = sizes.split_at(rank.min(sizes.len()));
        let copies = copies.iter().copied().reduce(|a, b| pool.mul(a, b)).unwrap_or(one);
        let mut nested = vec![one; rank];
        // Where a loop around an allocation was vectorized, each lane has memory of its own: the
        // lanes are the innermost extents.
        let lanes = rank > 0 && sizes.len() > rank && !self.is_ring(func);
        let shaped = own.len() == rank && (rank > 0 || copies == one) && !lanes;
        if shaped {
            // Extents are given in the order of the func's dimensions, then the number of copies in
            // a ring. The copies follow one another.
            nested = order.iter().map(|position| own[*position]).collect();
            if let Some(outermost) = nested.last_mut().filter(|_| copies != one) {
                *outermost = if *outermost == one { copies } else { pool.mul(*outermost, copies) };
            }
        } else {
            // A small allocation states its total size only; the innermost dimension gets all of
            // it.
            let Some(innermost) = nested.first_mut() else {
                return unsupported(format!("memory of many elements for the one of `{text}`"));
            };
            *innermost = sizes.iter().copied().reduce(|a, b| pool.mul(a, b)).unwrap_or(one);
        }
        // Elements after the last row of several dimensions have no place in them. Without these
        // elements the memory is smaller than that of the code, so that no access is allowed which
        // the code may not make.
        if padding > 0
            && (rank == 1 || !shaped)
            && let Some(innermost) = nested.first_mut()
        {
            let more = pool.int(padding.into());
            *innermost = pool.add(*innermost, more);
        }
        self.only_if(pool, &mut nested, condition)?;
        let mut dims = vec![Dim::new(zero, one, one); rank];
        let mut stride = one;
        for (position, size) in order.into_iter().zip(nested) {
            dims[position] = Dim::new(zero, size, stride);
            stride = if stride == one { size } else { pool.mul(stride, size) };
        }
        let id = pool.declare_buffer(BufferDecl {
            name: text.to_owned(),
            scalar: stored(scalar)?,
            func,
            component,
            kind: BufferKind::Internal,
            store_in: StoreIn::Auto,
            realigned: false,
            dims,
        });
        self.nodes.buffers.insert(name, Buffer { id, ty: scalar, dims: Vec::new() });
        self.live.insert(name, self.region);
        if self.is_final && self.place == Place::Host {
            self.of_host.insert(name);
        } else {
            self.of_host.swap_remove(&name);
        }
        items.push(Item::Allocate(id));
        Ok(id)
    }

    /// Counts memory on the stack: the frame of a function has room for all of it at once.
    fn on_stack(&mut self, bytes: i128) -> Result<()> {
        self.stack_bytes += bytes;
        if self.stack_bytes > ALL_STACK_BYTES {
            return unsupported("memory of more bytes in all than a stack may have");
        }
        Ok(())
    }

    /// The obligations that no two extents of an allocation are negative.
    fn one_negative(&mut self, pool: &mut Pool, sizes: &[ExprId]) -> Result<Vec<Item>> {
        let zero = pool.int(0);
        let may_be_negative = |size: &&ExprId| {
            let number = pool.as_constant(**size).and_then(Constant::as_integer);
            number.is_none_or(|number| number < 0)
        };
        let open: Vec<ExprId> = sizes.iter().filter(may_be_negative).copied().collect();
        let mut owed = Vec::new();
        for (number, first) in open.iter().enumerate() {
            for second in &open[number + 1..] {
                let known = [*first, *second].map(|size| pool.binary(BinaryOp::Le, zero, size));
                let condition = pool.binary(BinaryOp::Or, known[0], known[1]);
                owed.push(Item::Stmt(self.owed(pool, condition)?));
            }
        }
        Ok(owed)
    }

    /// Refuses memory that the code generators would not allocate in this place, or would share
    /// differently.
    fn admit(
        &self,
        memory: MemoryType,
        fixed: Option<i128>,
        condition: Option<&Expr>,
    ) -> Result<()> {
        if !self.is_final {
            // Later passes decide who shares it.
            return Ok(());
        }
        match (self.place, memory) {
            (Place::Host, MemoryType::GpuShared) => {
                unsupported("memory of the blocks of a GPU outside of them")
            }
            (
                Place::Host,
                MemoryType::Auto | MemoryType::Heap | MemoryType::Stack | MemoryType::Register,
            ) => {
                if fixed.is_some_and(|bytes| bytes > i128::from(i32::MAX)) {
                    // The code generator computes a fixed size modulo 2^32
                    // (`CodeGen_Posix::create_allocation`).
                    return unsupported("memory of a fixed size of 2^31 bytes or more");
                }
                if memory == MemoryType::Register && fixed.is_none() {
                    return unsupported("registers whose number is not fixed");
                }
                let is_great = fixed.is_some_and(|bytes| bytes > REGISTER_BYTES);
                if memory == MemoryType::Register && is_great {
                    return unsupported("registers of more bytes than a stack may have");
                }
                Ok(())
            }
            (Place::Block, MemoryType::GpuShared) if condition.is_none() => {
                if fixed.is_some_and(|bytes| bytes > SHARED_BYTES) {
                    return unsupported("more shared memory than a block of a GPU may have");
                }
                Ok(())
            }
            (Place::Block, MemoryType::GpuShared) => {
                unsupported("memory of a block of a GPU under a condition")
            }
            (
                Place::Block,
                MemoryType::Auto | MemoryType::Heap | MemoryType::Stack | MemoryType::Register,
            ) => unsupported(
                "memory in a block of a GPU, outside of its threads, that each thread has for \
                    itself",
            ),
            (Place::Thread, MemoryType::Auto | MemoryType::Stack | MemoryType::Register) => {
                if fixed.is_none() {
                    return unsupported("memory of a GPU's thread whose size is not fixed");
                }
                Ok(())
            }
            (Place::Thread, MemoryType::Heap | MemoryType::GpuShared) => {
                unsupported("memory within a GPU's thread that is not the thread's own")
            }
        }
    }

    /// Makes the size 0 where a condition is false.
    fn only_if(
        &mut self,
        pool: &mut Pool,
        sizes: &mut [ExprId],
        condition: Option<&Expr>,
    ) -> Result<()> {
        let Some(condition) = condition else { return Ok(()) };
        let condition = self.scalar(pool, condition)?.id;
        if pool.ty(condition) != Type::BOOL {
            return unsupported("memory under a condition that is no truth value");
        }
        let known = pool.as_constant(condition).and_then(Constant::as_bool);
        if known == Some(true) {
            return Ok(());
        }
        let Some(outermost) = sizes.last_mut() else {
            return unsupported("memory of one element under a condition");
        };
        let none = pool.int(0);
        *outermost = match known {
            Some(_) => none,
            None => pool.select(condition, *outermost, none),
        };
        Ok(())
    }

    /// Ends the life of an allocation.
    pub(super) fn free(&mut self, name: NameId) -> Result<()> {
        let text = self.nodes.names.text(name);
        match self.live.remove(&name) {
            Some(region) if region == self.region => {
                self.nodes.buffers.remove(&name);
                Ok(())
            }
            Some(_) => unsupported(format!(
                "`free {text}` in a loop, a condition or a task within the block of its `allocate`"
            )),
            None => unsupported(format!("`free {text}` of memory that does not live here")),
        }
    }

    /// Ends the life of an allocation at the end of its block.
    pub(super) fn forget(&mut self, name: NameId) {
        if self.live.remove(&name).is_some() {
            self.nodes.buffers.remove(&name);
        }
    }

    /// Declares the memory of a func that is accessed by coordinates.
    pub(super) fn realize(&mut self, pool: &mut Pool, stated: &Realization<'_>) -> Result<Buffer> {
        let Realization { name, bounds, memory, condition } = *stated;
        self.is_new(name)?;
        // Later passes decide who shares it.
        self.memory_type(memory)?;
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
        let mut sizes = Vec::new();
        for bound in bounds {
            sizes.push(self.int(pool, &bound.extent)?);
        }
        self.only_if(pool, &mut sizes, condition)?;
        let mut stride = pool.int(1);
        let mut dims = Vec::new();
        for (bound, extent) in bounds.iter().zip(sizes) {
            let min = self.int(pool, &bound.min)?;
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

    /// The func and the component that a buffer's name refers to.
    fn owner(&self, pool: &Pool, name: NameId) -> Option<(FuncId, usize)> {
        if let Some(func) = self.source.funcs.get(&name) {
            return Some((*func, 0));
        }
        let (base, component) = self.nodes.names.text(name).rsplit_once('.')?;
        let func = *self.source.funcs.get(&self.nodes.names.find(base)?)?;
        let component: usize = component.parse().ok()?;
        let count = pool.func(func).scalars.len();
        // The names of memory that the threads of a block share end in a number per block.
        if count == 1 { Some((func, 0)) } else { (component < count).then_some((func, component)) }
    }

    /// Tests whether a func keeps several copies of itself in a ring.
    fn is_ring(&self, func: FuncId) -> bool {
        let mut known = self.pipeline.funcs.iter();
        let known = known.find(|known| self.source.funcs.get(&known.name) == Some(&func));
        known.is_none_or(|known| known.schedule.ring_buffer.is_some())
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
}

/// The size of so many elements in bytes, if it is constant.
fn bytes(pool: &Pool, sizes: &[ExprId], ty: tree::Scalar) -> Option<i128> {
    let bits = match ty {
        tree::Scalar::Int(bits)
        | tree::Scalar::UInt(bits)
        | tree::Scalar::Float(bits)
        | tree::Scalar::BFloat(bits) => bits,
        tree::Scalar::Handle(_) => 64,
    };
    sizes.iter().try_fold(i128::from(bits.div_ceil(8)), |product, size| {
        let size = pool.as_constant(*size).and_then(Constant::as_integer)?;
        product.checked_mul(size)
    })
}
