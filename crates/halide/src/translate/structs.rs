//! The `halide_buffer_t`s that a statement makes for extern functions.
//!
//! # Correctness
//! Such a buffer is a shape, the memory of its elements, and the coordinates of the first element
//! there. It reaches memory only as an argument of a call that [`super::extern_calls`] translates,
//! and its sides are read by name. A value of any other form is no such buffer, and is refused as a
//! pointer.

use halidom_ir::{Dim, Pool};

use super::buffers::Struct;
use super::error::{Result, unsupported};
use super::nodes::{Binding, NodeId, Nodes};
use super::ops::Value;
use super::pointers::is_null;
use super::walk::Walk;
use crate::NameId;
use crate::tree::{Call, Expr, Scalar, Type};

/// The size of a `halide_dimension_t` in bytes.
const DIMENSION_BYTES: i64 = 16;

impl Walk<'_> {
    /// The binding of a name for a `halide_buffer_t` that the statement makes; `None` if the value
    /// is another pointer.
    pub(super) fn made_struct(&mut self, pool: &mut Pool, value: &Expr) -> Result<Option<Binding>> {
        let Some(made) = self.struct_value(pool, value, &mut Vec::new())? else {
            return Ok(None);
        };
        self.nodes.structs.push(made);
        Ok(Some(Binding::Struct(self.nodes.structs.len() - 1)))
    }

    fn struct_value<'s>(
        &mut self,
        pool: &mut Pool,
        value: &'s Expr,
        shapes: &mut Vec<(NameId, &'s Expr)>,
    ) -> Result<Option<Struct>> {
        if let Expr::Let { name, value, body } = value {
            if is_shape(&self.nodes, value) {
                shapes.push((*name, value));
                let made = self.struct_value(pool, body, shapes);
                shapes.pop();
                return made;
            }
            let node = self.nodes.elaborate(pool, value)?;
            self.nodes.bind(*name, Binding::Node(node));
            let made = self.struct_value(pool, body, shapes);
            self.nodes.unbind(*name);
            return made;
        }
        let Expr::Call(call) = value else { return Ok(None) };
        match (self.nodes.names.text(call.name), call.args.as_slice()) {
            (
                "_halide_buffer_init",
                [place, shape, host, Expr::UInt(0, _), device, code, bits, rank, again, flags],
            ) if self.is_new_struct(place)
                && shape == again
                && is_null(device)
                && *flags == Expr::UInt(0, Type::of(Scalar::UInt(64))) =>
            {
                let memory = if let Expr::Variable { name, ty: _ } = host
                    && !self.callers.contains(name)
                    && let Some(buffer) = self.nodes.buffers.get(name)
                {
                    Some((buffer.id, buffer.ty))
                } else if is_null(host) {
                    None
                } else {
                    return Ok(None);
                };
                let (Expr::Int(code, _), Expr::Int(bits, _), Expr::Int(rank, _)) =
                    (code, bits, rank)
                else {
                    return Ok(None);
                };
                let Some(ty) = element(*code, *bits) else { return Ok(None) };
                if matches!(ty, Scalar::Handle(_)) && memory.is_some() {
                    return Ok(None);
                }
                if memory.is_some_and(|(_, own)| own != ty) {
                    return unsupported("a buffer of another type than its memory's");
                }
                let shape = if let Expr::Variable { name, ty: _ } = shape {
                    shapes.iter().rev().find(|(known, _)| known == name).map(|(_, value)| *value)
                } else {
                    Some(shape)
                };
                let Some(shape) = shape else { return Ok(None) };
                let sides = if let Expr::Call(call) = shape
                    && self.nodes.names.text(call.name) == "make_struct"
                {
                    call.args.as_slice()
                } else if is_null(shape) {
                    &[]
                } else {
                    return Ok(None);
                };
                let rank = usize::try_from(*rank).unwrap_or(usize::MAX);
                if Some(sides.len()) != rank.checked_mul(4) {
                    return Ok(None);
                }
                let mut dims = Vec::new();
                for dim in sides.chunks_exact(4) {
                    let [min, extent, stride, _] = dim else { continue };
                    if !is_dimension(dim) {
                        return unsupported("a side of a buffer that is no `halide_dimension_t`");
                    }
                    let (min, extent) = (self.int(pool, min)?, self.int(pool, extent)?);
                    dims.push(Dim::new(min, extent, self.int(pool, stride)?));
                }
                let origin = dims.iter().map(|dim| dim.min).collect();
                let (memory, region) = (memory.map(|(id, _)| id), self.region);
                Ok(Some(Struct { memory, ty, dims, origin, region }))
            }
            ("_halide_buffer_init_from_buffer", [place, shape, from])
                if self.is_new_struct(place) =>
            {
                let Some((_, given)) = self.passed(from) else { return Ok(None) };
                let holds = self.holds_dimensions(shape, given.dims.len());
                Ok(holds.then_some(Struct { memory: None, region: self.region, ..given }))
            }
            ("_halide_buffer_crop", [place, shape, from, mins, extents])
                if self.is_new_struct(place) =>
            {
                let Some((_, given)) = self.passed(from) else { return Ok(None) };
                if !self.holds_dimensions(shape, given.dims.len()) {
                    return Ok(None);
                }
                let (Expr::Call(mins), Expr::Call(extents)) = (mins, extents) else {
                    return Ok(None);
                };
                let rank = given.dims.len();
                let is_list = |call: &Call| {
                    self.nodes.names.text(call.name) == "make_struct" && call.args.len() == rank
                };
                if !is_list(mins) || !is_list(extents) {
                    return Ok(None);
                }
                let mut crop = Struct { region: self.region, ..given };
                if !mins.args.iter().chain(&extents.args).all(is_side) {
                    return unsupported("a side of a buffer that has not 32 bits");
                }
                let sides = mins.args.iter().zip(&extents.args);
                for (dim, (min, extent)) in crop.dims.iter_mut().zip(sides) {
                    (dim.min, dim.extent) = (self.int(pool, min)?, self.int(pool, extent)?);
                }
                Ok(Some(crop))
            }
            _ => Ok(None),
        }
    }

    /// Tests whether an expression makes room for so many `halide_dimension_t`s.
    fn holds_dimensions(&self, expr: &Expr, rank: usize) -> bool {
        let Expr::Call(call) = expr else { return false };
        let needed = i64::try_from(rank).ok().and_then(|rank| rank.checked_mul(DIMENSION_BYTES));
        self.is_alloca(expr)
            && matches!((call.args.as_slice(), needed),
                ([Expr::Int(bytes, _)], Some(needed)) if *bytes >= needed)
    }

    fn is_alloca(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Call(call) if self.nodes.names.text(call.name) == "alloca")
    }

    fn is_new_struct(&self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let [Expr::Call(size)] = call.args.as_slice() else { return false };
        self.is_alloca(expr) && self.nodes.names.text(size.name) == "size_of_halide_buffer_t"
    }

    /// The buffer that an expression passes: a caller's, or one that the statement made.
    pub(super) fn passed(&self, expr: &Expr) -> Option<(Option<usize>, Struct)> {
        let Expr::Variable { name, ty: _ } = expr else { return None };
        if let Some(Binding::Struct(number)) = self.nodes.lookup(*name) {
            return Some((Some(number), self.nodes.structs.get(number)?.clone()));
        }
        let buffer = self.nodes.buffers.get(&self.buffer_struct_of(expr)?)?;
        let dims = buffer.dims.clone();
        let origin = dims.iter().map(|dim| dim.min).collect();
        let (memory, ty) = (Some(buffer.id), buffer.ty);
        Some((None, Struct { memory, ty, dims, origin, region: 0 }))
    }
}

impl Nodes<'_> {
    /// A side of a `halide_buffer_t` that the statement has made.
    pub(super) fn struct_field(
        &mut self,
        pool: &mut Pool,
        field: &str,
        (number, args): (usize, &[Expr]),
    ) -> Result<NodeId> {
        let side = if let [_, Expr::Int(dim, _)] = args
            && let Ok(dim) = usize::try_from(*dim)
        {
            self.structs.get(number).and_then(|made| made.dims.get(dim)).copied()
        } else {
            None
        };
        let id = match (field, side) {
            ("get_min", Some(side)) => side.min,
            ("get_extent", Some(side)) => side.extent,
            ("get_max", Some(side)) => {
                let (end, one) = (pool.add(side.min, side.extent), pool.int(1));
                pool.sub(end, one)
            }
            _ => return unsupported(format!("`_halide_buffer_{field}` of such a buffer")),
        };
        Ok(self.value(Value { id, ty: Scalar::Int(32) }))
    }
}

/// Tests whether the fields of a struct are those of a `halide_dimension_t`: the code lays them out
/// by their types. No flag is set.
pub(super) fn is_dimension(fields: &[Expr]) -> bool {
    matches!(fields.last(), Some(Expr::Int(0, _))) && fields.iter().all(is_side)
}

/// Tests for a number of 32 bits. A text does not state the type of each name.
fn is_side(side: &Expr) -> bool {
    side.ty().is_none_or(|ty| ty == Type::INT32)
}

/// Tests whether a value is the shape of a buffer.
fn is_shape(nodes: &Nodes<'_>, value: &Expr) -> bool {
    matches!(value, Expr::Call(call) if nodes.names.text(call.name) == "make_struct")
        || is_null(value)
}

/// The type with a code and a width, as in `halide_type_t`.
fn element(code: i64, bits: i64) -> Option<Scalar> {
    let bits = u8::try_from(bits).ok()?;
    match code {
        0 => Some(Scalar::Int(bits)),
        1 => Some(Scalar::UInt(bits)),
        2 => Some(Scalar::Float(bits)),
        // Bounds alone.
        3 => Some(Scalar::Handle(None)),
        4 => Some(Scalar::BFloat(bits)),
        _ => None,
    }
}
