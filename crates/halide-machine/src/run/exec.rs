//! Executes instructions.

use super::machine::Machine;
use super::thread::{Flow, Members, Thread, decided};
use crate::code::{Decides, Label, Op, Reg};
use crate::float;
use crate::outcome::{FaultKind, Running, Stop, fault};
use crate::value::{Kind, Lane, Value};

impl Machine<'_> {
    pub(super) fn execute(&mut self, op: &Op, thread: &mut Thread) -> Running<Flow> {
        match op {
            Op::Set { dst, to } => self.set(*dst, to, thread)?,
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
                let min = thread.int32(*min, "the minimum of a loop")?;
                let extent = thread.int32(*extent, "the extent of a loop")?;
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
                let next = thread.int32(*var, "a loop")?.wrapping_add(1);
                if next != thread.int32(*limit, "a loop")? {
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
                self.free(*pointer, *is_shared, name, thread)?;
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
                let min = thread.int32(*min, "the minimum of a loop")?;
                let extent = thread.int32(*extent, "the extent of a loop")?;
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
                let members = kernel([threads, blocks], *body, thread)?;
                return Ok(Flow::Fork { members, end: *end, mark: *mark });
            }
            Op::Barrier => return Ok(Flow::Barrier),
            Op::EndThread => return Ok(Flow::End),
            Op::Acquire { semaphore, count } => {
                let address = decided(thread.value(*semaphore).first(), "a semaphore")?;
                let count = i64::from(thread.int32(*count, "the units of a semaphore")?);
                if !self.acquire(address, count, thread)? {
                    return Ok(Flow::Wait { address, count });
                }
            }
            Op::Sync { dst, call } => {
                let lane = self.sync(call, thread)?;
                thread.set(*dst, Value::One(lane));
            }
            Op::Buffer { dst, buffer, call } => {
                let lane = self.buffer(thread.value(*buffer).first(), call, thread)?;
                thread.set(*dst, Value::One(lane));
            }
        }
        Ok(Flow::Next)
    }
}

/// Returns the threads of a kernel with these extents of threads and of blocks.
fn kernel(registers: [&[Option<Reg>; 3]; 2], body: Label, thread: &Thread) -> Running<Members> {
    let mut extents = [[1_u64; 3]; 2];
    for (extents, registers) in extents.iter_mut().zip(registers) {
        for (extent, register) in extents.iter_mut().zip(registers) {
            if let Some(register) = register {
                let count = thread.int32(*register, "the size of a kernel")?;
                *extent = u64::try_from(count).unwrap_or(0);
            }
        }
    }
    if extents.iter().flatten().any(|extent| *extent == 0) {
        // The launch of an empty kernel is an error of the runtime, which ends the run.
        let words = "a kernel without blocks or threads".to_owned();
        return Err(Stop::Ended { error: "halide_error_device_run_failed".to_owned(), words });
    }
    let all = extents.iter().flatten().try_fold(1_u64, |all, extent| all.checked_mul(*extent));
    if all.is_none() {
        return Err(Stop::TooLong);
    }
    Ok(Members::Kernel { extents, body })
}

fn shown(kind: Kind, lane: Lane) -> String {
    match lane.poison {
        Some(poison) => format!("({})", poison.words()),
        None if kind.is_float() => float::decode(kind, lane.bits).to_string(),
        None => kind.value(lane.bits).to_string(),
    }
}
