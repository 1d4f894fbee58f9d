//! Executes instructions.

use halidom_halide_ir::tree::{Alignment, BinaryOp, Scalar};

use super::machine::{Locks, Machine};
use super::thread::{Flow, Members, Semaphore, Thread};
use crate::arith;
use crate::calls::Function;
use crate::case::Dim;
use crate::code::{Allocation, Decides, Field, Index, Op, Place, Reg};
use crate::memory::{Access, BUFFERS, LOCKS, SHAPES};
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Kind, Lane, Poison, Value};

/// The greatest size of an allocation without large buffers.
const MOST_BYTES: u128 = (1 << 31) - 1;

/// Returns the bits of a lane, which must not be poison.
fn decided(lane: Lane, what: &str) -> Running<u64> {
    match lane.poison {
        None => Ok(lane.bits),
        Some(poison) => {
            fault(FaultKind::Poison, format!("{what} is decided by {}", poison.words()))
        }
    }
}

fn int32(thread: &Thread, register: Reg, what: &str) -> Running<i32> {
    Ok(decided(thread.value(register).first(), what)? as u32 as i32)
}

impl Machine<'_> {
    pub(super) fn execute(&mut self, op: &Op, thread: &mut Thread) -> Running<Flow> {
        match op {
            Op::Const { dst, value } => thread.set(*dst, value.clone()),
            Op::Parameter { dst, number } => {
                let value = self.parameters.get(*number).cloned().unwrap_or_default();
                thread.set(*dst, value);
            }
            Op::Copy { dst, src } => {
                let value = thread.value(*src).clone();
                thread.set(*dst, value);
            }
            Op::Binary { dst, op, kind, a, b, lanes, mask } => {
                let (x, y) = (thread.value(*a), thread.value(*b));
                if matches!(op, BinaryOp::Div | BinaryOp::Mod) && kind.is_int() {
                    for (number, lane) in y.lanes().iter().enumerate() {
                        let is_on =
                            mask.is_none_or(|mask| thread.value(mask).lane(number).bits == 1);
                        if is_on {
                            decided(*lane, "a divisor")?;
                        }
                    }
                }
                let arithmetic = &mut self.arithmetic;
                let value = Value::of(*lanes, |lane| {
                    arith::binary(*op, *kind, x.lane(lane), y.lane(lane), arithmetic)
                });
                self.steps += u64::from(*lanes / 16);
                thread.set(*dst, value);
            }
            Op::Not { dst, a, lanes } => {
                let a = thread.value(*a);
                let value = Value::of(*lanes, |lane| match a.lane(lane) {
                    Lane { bits, poison: None } => Lane::of(bits ^ 1),
                    poison => poison,
                });
                thread.set(*dst, value);
            }
            Op::Select { dst, condition, a, b, lanes } => {
                let (condition, a, b) =
                    (thread.value(*condition), thread.value(*a), thread.value(*b));
                let value = Value::of(*lanes, |lane| {
                    let condition = condition.lane(lane);
                    match condition.poison {
                        Some(poison) => Lane::poison(poison),
                        None if condition.bits == 1 => a.lane(lane),
                        None => b.lane(lane),
                    }
                });
                thread.set(*dst, value);
            }
            Op::Cast { dst, from, to, a, lanes } => {
                let a = thread.value(*a);
                let arithmetic = &mut self.arithmetic;
                let value =
                    Value::of(*lanes, |lane| arith::cast(*from, *to, a.lane(lane), arithmetic));
                thread.set(*dst, value);
            }
            Op::Reinterpret { dst, from, to, a } => {
                let value = reinterpret(thread.value(*a), *from, *to);
                thread.set(*dst, value);
            }
            Op::Ramp { dst, kind, base, stride, lanes } => {
                let (base, stride) = (thread.value(*base).first(), thread.value(*stride).first());
                let arithmetic = &mut self.arithmetic;
                let value = Value::of(*lanes, |lane| {
                    let number = if kind.is_float() {
                        Lane::of(crate::float::encode(*kind, lane as f64))
                    } else {
                        arithmetic.exact(*kind, lane as i128)
                    };
                    let step = arith::binary(BinaryOp::Mul, *kind, stride, number, arithmetic);
                    arith::binary(BinaryOp::Add, *kind, base, step, arithmetic)
                });
                thread.set(*dst, value);
            }
            Op::Repeat { dst, a, lanes } => {
                let a = thread.value(*a);
                let count = a.lanes().len();
                let value = Value::of(*lanes, |lane| a.lane(lane % count.max(1)));
                thread.set(*dst, value);
            }
            Op::Shuffle { dst, of, lanes } => {
                let mut all = Vec::new();
                for register in of {
                    all.extend_from_slice(thread.value(*register).lanes());
                }
                let value = Value::of(lanes.len() as u32, |lane| {
                    let chosen = lanes.get(lane).copied().flatten();
                    let chosen = chosen.and_then(|lane| all.get(lane as usize).copied());
                    chosen.unwrap_or(Lane::poison(Poison::Inactive))
                });
                thread.set(*dst, value);
            }
            Op::Reduce { dst, op, kind, a, lanes } => {
                let a = thread.value(*a).lanes();
                let each = a.len() / (*lanes as usize).max(1);
                let arithmetic = &mut self.arithmetic;
                let value = Value::of(*lanes, |lane| {
                    let part = a.get(lane * each..(lane + 1) * each).unwrap_or_default();
                    arith::reduce(*op, *kind, part, arithmetic)
                });
                thread.set(*dst, value);
            }
            Op::Any { dst, a } => {
                let lanes = thread.value(*a).lanes();
                let poison = lanes.iter().find_map(|lane| lane.poison);
                let value = match poison {
                    Some(poison) => Lane::poison(poison),
                    None => Lane::truth(lanes.iter().any(|lane| lane.bits == 1)),
                };
                thread.set(*dst, Value::One(value));
            }
            Op::Both { dst, a, b, lanes } => {
                let (a, b) = (thread.value(*a), thread.value(*b));
                let arithmetic = &mut self.arithmetic;
                let value = Value::of(*lanes, |lane| {
                    arith::binary(
                        BinaryOp::And,
                        Kind::UInt(1),
                        a.lane(lane),
                        b.lane(lane),
                        arithmetic,
                    )
                });
                thread.set(*dst, value);
            }
            Op::Call { dst, function, args, kind, lanes } => {
                if matches!(function, Function::DivToZero | Function::ModToZero)
                    && let Some((divisor, _)) = args.get(1)
                {
                    for lane in thread.value(*divisor).lanes() {
                        if decided(*lane, "a divisor")? == 0 {
                            return fault(FaultKind::Poison, "a division by zero");
                        }
                    }
                }
                let mut operands = Vec::with_capacity(args.len());
                let arithmetic = &mut self.arithmetic;
                let value = Value::of(*lanes, |lane| {
                    operands.clear();
                    operands.extend(
                        args.iter().map(|(arg, kind)| (thread.value(*arg).lane(lane), *kind)),
                    );
                    function.apply(&operands, *kind, arithmetic)
                });
                self.steps += u64::from(*lanes / 16);
                thread.set(*dst, value);
            }
            Op::Load { dst, place, zeroed, atomic } => {
                let value = self.load(place, *zeroed, *atomic, thread)?;
                thread.set(*dst, value);
            }
            Op::Store { place, value, lane, atomic } => {
                self.store(place, *value, *lane, *atomic, thread)?;
            }
            Op::Jump(label) => return Ok(Flow::Goto(*label)),
            Op::Unless { condition, to, decides } => {
                let what = match decides {
                    Decides::Branch => "a branch",
                    Decides::Assertion => "an assertion",
                };
                let mut holds = true;
                for lane in thread.value(*condition).lanes() {
                    holds &= decided(*lane, what)? == 1;
                }
                if !holds {
                    return Ok(Flow::Goto(*to));
                }
            }
            Op::Enter { var, limit, min, extent, exit } => {
                let min = int32(thread, *min, "the minimum of a loop")?;
                let extent = int32(thread, *extent, "the extent of a loop")?;
                let Some(end) = min.checked_add(extent) else {
                    return fault(FaultKind::Poison, "the end of a loop overflows");
                };
                if min >= end {
                    return Ok(Flow::Goto(*exit));
                }
                thread.set(*var, Value::One(Lane::of(u64::from(min as u32))));
                thread.set(*limit, Value::One(Lane::of(u64::from(end as u32))));
            }
            Op::Next { var, limit, body } => {
                let next = int32(thread, *var, "a loop")?.wrapping_add(1);
                if next != int32(thread, *limit, "a loop")? {
                    thread.set(*var, Value::One(Lane::of(u64::from(next as u32))));
                    return Ok(Flow::Goto(*body));
                }
            }
            Op::Allocate(allocation) => self.allocate(allocation, thread)?,
            Op::Leave { pointer, is_shared, name } => {
                let address = thread.value(*pointer).first().bits;
                if !is_shared && self.memory.is_live(address) {
                    self.memory.free(address, name)?;
                }
            }
            Op::Free { pointer, is_shared, name } => {
                let address = thread.value(*pointer).first().bits;
                if !is_shared {
                    self.memory.free(address, name)?;
                } else if address == self.freed {
                    return fault(FaultKind::DoubleFree, format!("`{name}` is freed twice"));
                } else {
                    // Other threads of the block still have it.
                    let freed = Value::One(Lane::of(self.freed));
                    thread.set(*pointer, freed);
                }
            }
            Op::Fail { error, args, strings } => {
                let mut words = Vec::new();
                for ((register, kind), string) in args.iter().zip(strings) {
                    words.push(match string {
                        Some(string) => string.to_string(),
                        None => shown(*kind, thread.value(*register).first()),
                    });
                }
                return Err(Stop::Ended { error: error.to_string(), words: words.join(", ") });
            }
            Op::Parallel { var, min, extent, body, end, mark } => {
                let min = int32(thread, *min, "the minimum of a loop")?;
                let extent = int32(thread, *extent, "the extent of a loop")?;
                if min.checked_add(extent).is_none() {
                    return fault(FaultKind::Poison, "the end of a loop overflows");
                }
                let count = u64::try_from(extent).unwrap_or(0);
                let members = Members::Loop { var: *var, first: min, count, body: *body };
                return Ok(Flow::Fork { members, end: *end, mark: *mark });
            }
            Op::Fork { tasks, end, mark } => {
                let members = Members::Tasks(tasks.clone());
                return Ok(Flow::Fork { members, end: *end, mark: *mark });
            }
            Op::Kernel { blocks, threads, body, end, mark } => {
                let mut extents = [[1_u64; 3]; 2];
                for (extents, registers) in extents.iter_mut().zip([threads, blocks]) {
                    for (extent, register) in extents.iter_mut().zip(registers) {
                        if let Some(register) = register {
                            let count = int32(thread, *register, "the size of a kernel")?;
                            *extent = u64::try_from(count).unwrap_or(0);
                        }
                    }
                }
                if extents.iter().flatten().any(|extent| *extent == 0) {
                    // The launch of an empty kernel is an error of the runtime, which ends the run.
                    let words = "a kernel without blocks or threads".to_owned();
                    return Err(Stop::Ended {
                        error: "halide_error_device_run_failed".to_owned(),
                        words,
                    });
                }
                if extents
                    .iter()
                    .flatten()
                    .try_fold(1_u64, |all, extent| all.checked_mul(*extent))
                    .is_none()
                {
                    return Err(Stop::TooLong);
                }
                let members = Members::Kernel { extents, body: *body };
                return Ok(Flow::Fork { members, end: *end, mark: *mark });
            }
            Op::Identity { dst, of_thread, dim } => {
                let [of_threads, of_blocks] = thread.identity;
                let numbers = if *of_thread { of_threads } else { of_blocks };
                let number = numbers.get(*dim).copied().unwrap_or(0);
                thread.set(*dst, Value::One(Lane::of(u64::from(number as u32))));
            }
            Op::Barrier => return Ok(Flow::Barrier),
            Op::EndThread => return Ok(Flow::End),
            Op::MakeSemaphore { dst } => {
                let pointer = self.memory.allocate("a semaphore".to_owned(), 16, thread.node);
                thread.set(*dst, Value::One(Lane::of(pointer)));
            }
            Op::InitSemaphore { dst, semaphore, count } => {
                let address = decided(thread.value(*semaphore).first(), "a semaphore")?;
                let count = int32(thread, *count, "the units of a semaphore")?;
                if !self.memory.is_live(address) || count < 0 {
                    return fault(
                        FaultKind::Misuse,
                        "a semaphore of less than nothing, or without memory",
                    );
                }
                self.semaphores.insert(address, Semaphore::new(i64::from(count)));
                thread.set(*dst, Value::One(Lane::of(0)));
            }
            Op::Release { dst, semaphore, count } => {
                let address = decided(thread.value(*semaphore).first(), "a semaphore")?;
                let count = int32(thread, *count, "the units of a semaphore")?;
                self.release(address, i64::from(count), thread)?;
                thread.set(*dst, Value::One(Lane::of(0)));
            }
            Op::Acquire { semaphore, count } => {
                let address = decided(thread.value(*semaphore).first(), "a semaphore")?;
                let count = i64::from(int32(thread, *count, "the units of a semaphore")?);
                if !self.acquire(address, count, thread)? {
                    return Ok(Flow::Wait { address, count });
                }
            }
            Op::MakeLocks { dst, extent, kind } => {
                let extent =
                    kind.value(decided(thread.value(*extent).first(), "a number of locks")?);
                self.locks.push(Locks { extent });
                let handle = LOCKS | (self.locks.len() as u64 - 1);
                thread.set(*dst, Value::One(Lane::of(handle)));
            }
            Op::Lock { dst, locks, index, kind, is_lock } => {
                let locks = decided(thread.value(*locks).first(), "a lock")?;
                let index = kind.value(decided(thread.value(*index).first(), "a lock")?);
                let extent = (locks & LOCKS == LOCKS)
                    .then(|| self.locks.get((locks & !LOCKS) as usize))
                    .flatten()
                    .map(|locks| locks.extent);
                let Some(extent) = extent else {
                    return fault(FaultKind::Misuse, "a lock of what are no locks");
                };
                if !(0..extent).contains(&index) {
                    return fault(FaultKind::OutOfBounds, format!("the lock {index} of {extent}"));
                }
                let next = self.held.len() as u32 + 1;
                let number = *self.held.entry((locks, index)).or_insert(next);
                let expected = if *is_lock { 0 } else { number };
                if thread.lock != expected {
                    return fault(
                        FaultKind::Misuse,
                        "a lock that is held is taken, or another one given back",
                    );
                }
                thread.lock = if *is_lock { number } else { 0 };
                thread.set(*dst, Value::One(Lane::of(0)));
            }
            Op::Buffer { dst, field, buffer, dim } => {
                let value = self.field(*field, *buffer, *dim, thread)?;
                thread.set(*dst, Value::One(value));
            }
            Op::SetDirty { dst, buffer, flag, of_device } => {
                let flag = decided(thread.value(*flag).first(), "a flag")? == 1;
                let number = self.number(thread.value(*buffer).first())?;
                if let Some(buffer) = self.buffers.get_mut(number) {
                    let place = if *of_device {
                        &mut buffer.case.device_dirty
                    } else {
                        &mut buffer.case.host_dirty
                    };
                    *place = flag;
                }
                thread.set(*dst, Value::One(Lane::of(0)));
            }
            Op::InitBuffer { dst, buffer, shape, code, bits, dimensions, sides, flags } => {
                let handle = thread.value(*buffer).first();
                let number = self.number(handle)?;
                let shape = decided(thread.value(*shape).first(), "a buffer's shape")?;
                if shape != SHAPES | number as u64 {
                    return Err(Stop::Refused("a buffer with the shape of another".to_owned()));
                }
                let code = int32(thread, *code, "a buffer's type")?;
                let bits = int32(thread, *bits, "a buffer's type")?;
                let dimensions = int32(thread, *dimensions, "a buffer's dimensions")?;
                let flags = decided(thread.value(*flags).first(), "a buffer's flags")?;
                let mut numbers = Vec::new();
                for side in sides {
                    numbers.push(int32(thread, *side, "a buffer's side")?);
                }
                let dims = numbers.chunks_exact(4).map(|side| match side {
                    [min, extent, stride, _] => Dim { min: *min, extent: *extent, stride: *stride },
                    _ => Dim { min: 0, extent: 0, stride: 0 },
                });
                let dims: Vec<Dim> = dims.collect();
                let scalar = match (code, u8::try_from(bits)) {
                    (0, Ok(bits)) => Scalar::Int(bits),
                    (1, Ok(bits)) => Scalar::UInt(bits),
                    (2, Ok(bits)) => Scalar::Float(bits),
                    (4, Ok(bits)) => Scalar::BFloat(bits),
                    _ => return Err(Stop::Refused("a buffer of another type".to_owned())),
                };
                if usize::try_from(dimensions) != Ok(dims.len()) {
                    return Err(Stop::Refused(
                        "a buffer of other dimensions than sides".to_owned(),
                    ));
                }
                if let Some(buffer) = self.buffers.get_mut(number) {
                    buffer.case.dims = dims;
                    buffer.case.scalar = scalar;
                    buffer.case.host_dirty = flags & 1 == 1;
                    buffer.case.device_dirty = flags & 2 == 2;
                    // The buffer of a bounds query has no memory.
                    buffer.host = 0;
                    buffer.device = None;
                }
                thread.set(*dst, Value::One(handle));
            }
            Op::Device { dst, buffer } => {
                let number = self.number(thread.value(*buffer).first())?;
                let Some((buffer, device)) =
                    self.buffers.get(number).and_then(|buffer| Some((buffer, buffer.device?)))
                else {
                    return fault(
                        FaultKind::NoMemory,
                        "a kernel of a buffer without memory on the device",
                    );
                };
                let offset = buffer.case.host.as_ref().map_or(0, |host| host.offset as u64);
                thread.set(*dst, Value::One(Lane::of(device + offset)));
            }
            Op::CopyToDevice { dst, buffer } => {
                let number = self.number(thread.value(*buffer).first())?;
                if let Some(buffer) = self.buffers.get_mut(number) {
                    if buffer.case.host_dirty && buffer.case.device_dirty {
                        return Err(Stop::Refused(
                            "a buffer whose copies are both the newer one".to_owned(),
                        ));
                    }
                    let size = buffer.case.host.as_ref().map_or(0, |host| host.bytes.len() as u64);
                    let device = match buffer.device {
                        Some(device) => device,
                        None => self.memory.allocate(buffer.case.name.clone(), size, 0),
                    };
                    buffer.device = Some(device);
                    if buffer.case.host_dirty {
                        self.memory.copy(buffer.host, device, buffer.case.places());
                        buffer.case.host_dirty = false;
                    }
                }
                thread.set(*dst, Value::One(Lane::of(0)));
            }
            Op::CopyToHost { dst, buffer } => {
                let number = self.number(thread.value(*buffer).first())?;
                if let Some(buffer) = self.buffers.get_mut(number)
                    && let (true, Some(device)) = (buffer.case.device_dirty, buffer.device)
                {
                    self.memory.copy(device, buffer.host, buffer.case.places());
                    buffer.case.device_dirty = false;
                }
                thread.set(*dst, Value::One(Lane::of(0)));
            }
            Op::Promise { dst, kind, a, least, greatest, lanes } => {
                let value = thread.value(*a);
                for lane in 0..*lanes as usize {
                    let [value, least, greatest] =
                        [value, thread.value(*least), thread.value(*greatest)]
                            .map(|value| value.lane(lane));
                    if value.poison.or(least.poison).or(greatest.poison).is_none() {
                        let [value, least, greatest] =
                            [value, least, greatest].map(|lane| kind.value(lane.bits));
                        if !(least..=greatest).contains(&value) {
                            let words =
                                format!("{value} is promised to lie from {least} to {greatest}");
                            return fault(FaultKind::BrokenPromise, words);
                        }
                    }
                }
                let value = value.clone();
                thread.set(*dst, value);
            }
        }
        Ok(Flow::Next)
    }

    /// Returns the number of the caller's buffer to which a handle refers.
    fn number(&self, handle: Lane) -> Running<usize> {
        let handle = decided(handle, "a buffer")?;
        let number = (handle & !BUFFERS) as usize;
        if handle & BUFFERS == 0 || number >= self.buffers.len() {
            return Err(Stop::Refused("a buffer that is none of the caller's".to_owned()));
        }
        Ok(number)
    }

    fn field(&self, field: Field, buffer: Reg, dim: Option<Reg>, thread: &Thread) -> Running<Lane> {
        let number = self.number(thread.value(buffer).first())?;
        let Some(buffer) = self.buffers.get(number) else { return Ok(Lane::of(0)) };
        let side = match dim {
            Some(dim) => {
                let dim = int32(thread, dim, "a dimension")?;
                usize::try_from(dim).ok().and_then(|dim| buffer.case.dims.get(dim)).copied()
            }
            None => None,
        };
        // Code reads sides before it checks the number of dimensions. A side beyond them is
        // undefined, and reading it is no fault.
        let of_side = |get: fn(Dim) -> i32| {
            side.map_or(Lane::poison(Poison::Undefined), |side| {
                Lane::of(u64::from(get(side) as u32))
            })
        };
        Ok(match field {
            Field::Host => Lane::of(buffer.host),
            Field::Type => Lane::of(type_code(buffer.case.scalar)),
            Field::Dimensions => Lane::of(buffer.case.dims.len() as u64),
            Field::Shape => Lane::of(SHAPES | number as u64),
            Field::HostDirty => Lane::truth(buffer.case.host_dirty),
            Field::DeviceDirty => Lane::truth(buffer.case.device_dirty),
            Field::IsBoundsQuery => Lane::truth(buffer.host == 0 && buffer.device.is_none()),
            Field::Min => of_side(|side| side.min),
            Field::Max => of_side(|side| side.min.wrapping_add(side.extent).wrapping_sub(1)),
            Field::Extent => of_side(|side| side.extent),
            Field::Stride => of_side(|side| side.stride),
        })
    }

    fn allocate(&mut self, allocation: &Allocation, thread: &mut Thread) -> Running<()> {
        let Allocation { dst, name, kind, extents, padding, is_static, is_shared, condition } =
            allocation;
        let mut size = u128::from(kind.bytes());
        for extent in extents {
            let extent = int32(thread, *extent, "the size of memory")?;
            size = size.saturating_mul(u128::try_from(extent).unwrap_or(0));
        }
        let is_taken = match condition {
            Some(condition) if !is_static => {
                decided(thread.value(*condition).first(), "whether memory is taken")? == 1
            }
            Some(_) | None => true,
        };
        if is_taken && size > MOST_BYTES {
            return Err(Stop::Ended {
                error: "halide_error_buffer_allocation_too_large".to_owned(),
                words: format!("{name}, {size}, {MOST_BYTES}"),
            });
        }
        let size = if is_taken { size as u64 + padding * kind.bytes() } else { 0 };
        if self.memory.live.saturating_add(size) > self.limits.memory {
            return Err(Stop::TooLong);
        }
        self.steps += size / 64;
        let pointer = match thread.group {
            Some(group) if *is_shared => match self.shared.get(&(group, thread.block)) {
                Some(pointer) => *pointer,
                None => {
                    let owner = self.owner_of_group(group);
                    let pointer = self.memory.allocate(name.to_string(), size, owner);
                    self.shared.insert((group, thread.block), pointer);
                    pointer
                }
            },
            Some(_) | None => self.memory.allocate(name.to_string(), size, thread.node),
        };
        thread.set(*dst, Value::One(Lane::of(pointer)));
        Ok(())
    }

    /// Returns the number of the element that a lane accesses, or `None` if its predicate does not
    /// hold.
    fn element(place: &Place, lane: usize, thread: &Thread) -> Running<Option<i128>> {
        if let Some(predicate) = place.predicate
            && decided(thread.value(predicate).lane(lane), "a predicate")? == 0
        {
            return Ok(None);
        }
        let what = "an address";
        Ok(Some(match place.index {
            Index::Ramp { base, stride } => {
                let base = Kind::Int(64).value(decided(thread.value(base).first(), what)?);
                match stride {
                    Some(stride) if lane > 0 => {
                        let stride =
                            Kind::Int(64).value(decided(thread.value(stride).first(), what)?);
                        base + stride * lane as i128
                    }
                    Some(_) | None => base,
                }
            }
            // Sign extension applies to every type, unsigned ones included.
            Index::Lanes { index, kind } => {
                kind.signed().value(decided(thread.value(index).lane(lane), what)?)
            }
        }))
    }

    /// Checks the promise on which the code relies: the number of the first element has the given
    /// remainder.
    fn check_alignment(place: &Place, lane: usize, element: i128) -> Running<()> {
        let Some(Alignment { modulus, remainder }) = place.alignment else { return Ok(()) };
        let first = match place.index {
            Index::Ramp { base: _, stride: _ } if lane == 0 => element,
            Index::Lanes { index: _, kind: _ } if lane == 0 => element,
            Index::Ramp { base: _, stride: _ } | Index::Lanes { index: _, kind: _ } => {
                return Ok(());
            }
        };
        let (modulus, remainder) = (i128::from(modulus), i128::from(remainder));
        let holds = if modulus == 0 {
            first == remainder
        } else {
            (first - remainder).rem_euclid(modulus) == 0
        };
        if holds {
            return Ok(());
        }
        fault(
            FaultKind::Misaligned,
            format!("element {first} is said to be {remainder} modulo {modulus}"),
        )
    }

    fn access<'t>(&'t self, thread: &'t Thread, atomic: bool) -> Access<'t> {
        Access {
            threads: &self.tree,
            who: thread.who(),
            time: thread.time,
            atomic,
            lock: thread.lock,
            epoch: self.epoch,
            is_structured: self.statement.is_structured,
        }
    }

    fn load(
        &mut self,
        place: &Place,
        zeroed: bool,
        atomic: bool,
        thread: &Thread,
    ) -> Running<Value> {
        let mut memory = std::mem::take(&mut self.memory);
        let result = self.load_from(&mut memory, place, (zeroed, atomic), thread);
        self.memory = memory;
        self.steps += u64::from(place.lanes / 4);
        let value = result?;
        if place.kind.is_float() {
            for lane in value.lanes().iter().filter(|lane| lane.poison.is_none()) {
                crate::float::noted(place.kind, lane.bits, &mut self.arithmetic);
            }
        }
        Ok(value)
    }

    fn load_from(
        &self,
        memory: &mut crate::memory::Memory,
        place: &Place,
        (zeroed, atomic): (bool, bool),
        thread: &Thread,
    ) -> Running<Value> {
        let pointer = decided(thread.value(place.pointer).first(), "an address")?;
        let size = place.kind.bytes();
        let access = self.access(thread, atomic);
        let mut stop = None;
        let value = Value::of(place.lanes, |lane| {
            let mut read = || {
                let Some(element) = Self::element(place, lane, thread)? else {
                    return Ok(if zeroed { Lane::of(0) } else { Lane::poison(Poison::Inactive) });
                };
                Self::check_alignment(place, lane, element)?;
                let value = memory.read(pointer, element * i128::from(size), size, &access)?;
                // A byte other than 0 and 1 is no truth value.
                let is_bool = place.kind == Kind::UInt(1);
                Ok(if is_bool && value.bits > 1 { Lane::poison(Poison::Undefined) } else { value })
            };
            if stop.is_some() {
                return Lane::of(0);
            }
            match read() {
                Ok(lane) => lane,
                Err(error) => {
                    stop = Some(error);
                    Lane::of(0)
                }
            }
        });
        stop.map_or(Ok(value), Err)
    }

    fn store(
        &mut self,
        place: &Place,
        value: Reg,
        only: Option<u32>,
        atomic: bool,
        thread: &Thread,
    ) -> Running<()> {
        let mut memory = std::mem::take(&mut self.memory);
        let result = self.store_to(&mut memory, place, (value, only, atomic), thread);
        self.memory = memory;
        self.steps += u64::from(place.lanes / 4);
        result
    }

    fn store_to(
        &self,
        memory: &mut crate::memory::Memory,
        place: &Place,
        (value, only, atomic): (Reg, Option<u32>, bool),
        thread: &Thread,
    ) -> Running<()> {
        let pointer = decided(thread.value(place.pointer).first(), "an address")?;
        let size = place.kind.bytes();
        let access = self.access(thread, atomic);
        let value = thread.value(value);
        for lane in 0..place.lanes as usize {
            if only.is_some_and(|only| only as usize != lane) {
                continue;
            }
            let Some(element) = Self::element(place, lane, thread)? else { continue };
            Self::check_alignment(place, lane, element)?;
            memory.write(pointer, element * i128::from(size), size, value.lane(lane), &access)?;
        }
        Ok(())
    }
}

/// Returns the same bits as lanes of another width. Every lane that contains bits of a poison lane
/// is poison.
fn reinterpret(value: &Value, (from, count): (Kind, u32), (to, lanes): (Kind, u32)) -> Value {
    if count == lanes {
        return value.clone();
    }
    let (old, new) = (from.bytes() as usize, to.bytes() as usize);
    Value::of(lanes, |lane| {
        let mut bits = 0;
        for byte in (0..new).rev() {
            let place = lane * new + byte;
            let source = value.lane(place / old.max(1));
            if source.poison.is_some() {
                return source;
            }
            bits = (bits << 8) | ((source.bits >> (place % old.max(1) * 8)) & 255);
        }
        Lane::of(bits)
    })
}

/// Returns a type as the 32 bits of `halide_type_t`.
fn type_code(scalar: Scalar) -> u64 {
    let (code, bits) = match scalar {
        Scalar::Int(bits) => (0, bits),
        Scalar::UInt(bits) => (1, bits),
        Scalar::Float(bits) => (2, bits),
        Scalar::Handle(_) => (3, 64),
        Scalar::BFloat(bits) => (4, bits),
    };
    code | (u64::from(bits) << 8) | (1 << 16)
}

fn shown(kind: Kind, lane: Lane) -> String {
    match lane.poison {
        Some(poison) => format!("({})", poison.words()),
        None if kind.is_float() => crate::float::decode(kind, lane.bits).to_string(),
        None => kind.value(lane.bits).to_string(),
    }
}
