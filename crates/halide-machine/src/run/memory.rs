//! Allocations and accesses of memory.

use halidom_halide_ir::tree::Alignment;

use super::machine::Machine;
use super::thread::{Thread, decided};
use crate::code::{Allocation, Index, Place, Reg};
use crate::float;
use crate::memory::{Access, Memory};
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Kind, Lane, Poison, Value};

/// The greatest size of an allocation without large buffers.
const MOST_BYTES: u128 = (1 << 31) - 1;

impl Machine<'_> {
    pub(super) fn allocate(&mut self, allocation: &Allocation, thread: &mut Thread) -> Running<()> {
        let Allocation { dst, name, kind, extents, padding, is_static, is_shared, condition } =
            allocation;
        let mut size = u128::from(kind.bytes());
        for extent in extents {
            let extent = thread.int32(*extent, "the size of memory")?;
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

    /// Frees memory before the end of its scope.
    pub(super) fn free(
        &mut self,
        pointer: Reg,
        is_shared: bool,
        name: &str,
        thread: &mut Thread,
    ) -> Running<()> {
        let address = thread.value(pointer).first().bits;
        if !is_shared {
            self.memory.free(address, name)?;
        } else if address == self.freed {
            return fault(FaultKind::DoubleFree, format!("`{name}` is freed twice"));
        } else {
            // Other threads of the block still have it.
            thread.set(pointer, Value::One(Lane::of(self.freed)));
        }
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

    pub(super) fn load(
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
                float::noted(place.kind, lane.bits, &mut self.arithmetic);
            }
        }
        Ok(value)
    }

    fn load_from(
        &self,
        memory: &mut Memory,
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

    pub(super) fn store(
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
        memory: &mut Memory,
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
