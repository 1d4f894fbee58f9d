//! Accesses: the step from coordinates to an element of a live buffer, and values that must be
//! defined.

use halidom_ir::{BufferKind, Pool, Scalar, StmtId};

use super::compile::Target;
use super::fault::{Access, Fault, Place, Role};
use super::memory::Memory;
use crate::code::Value;

/// Locates the memory and the element of an access.
pub(super) fn locate(
    pool: &Pool,
    memories: &[Memory],
    slots: &[Option<usize>],
    (target, point): (&Target, &[Value]),
    stmt: StmtId,
    access: Access,
) -> Result<(usize, usize), Fault> {
    let (slot, flat) = match target {
        Target::Slot { slot, flat } => (*slot, *flat),
        Target::Dead { name } => return Err(Fault::DeadBuffer { name: name.clone(), stmt }),
    };
    // A slot in scope is always filled, because its allocation encloses the access.
    let Some(number) = slots[slot] else {
        return Err(Fault::DeadBuffer { name: format!("buffer {slot}"), stmt });
    };
    let memory = &memories[number];
    let mut coords = [0_i128; 4];
    let mut long = Vec::new();
    // Most funcs have few dimensions, so their coordinates need no allocation.
    let coords: &mut [i128] = if point.len() <= coords.len() {
        &mut coords[..point.len()]
    } else {
        long.resize(point.len(), 0);
        &mut long
    };
    for (coord, value) in coords.iter_mut().zip(point) {
        *coord = integer(*value, Role::Index, stmt)?;
    }
    let place = || {
        let name = pool.buffer(memory.buffer).name.clone();
        Box::new(Place { buffer: memory.buffer, name, coords: coords.to_vec(), stmt })
    };
    if access == Access::Write && memory.kind == BufferKind::Input {
        return Err(Fault::WriteToInput { place: place() });
    }
    let element = if flat { memory.element(coords[0]) } else { memory.element_at(coords) };
    match element {
        Some(element) => Ok((number, element)),
        None => Err(Fault::OutOfBounds { place: place(), access }),
    }
}

pub(super) fn integer(value: Value, role: Role, stmt: StmtId) -> Result<i128, Fault> {
    let constant = value.ok_or(Fault::Undefined { role, stmt })?;
    match constant.as_integer() {
        Some(number) if constant.scalar() == Scalar::Int => Ok(number),
        Some(_) | None => Err(Fault::Eval(halidom_ir::eval::EvalError::IllTyped)),
    }
}

pub(super) fn boolean(value: Value, role: Role, stmt: StmtId) -> Result<bool, Fault> {
    let constant = value.ok_or(Fault::Undefined { role, stmt })?;
    constant.as_bool().ok_or(Fault::Eval(halidom_ir::eval::EvalError::IllTyped))
}
