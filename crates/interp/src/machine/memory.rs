//! Checked memory, with bounds, undefined elements, and the race detector's shadow.

use halidom_ir::{Array, BufferId, BufferKind, Constant, Scalar, Shape};

use super::fault::Conflict;
use super::race::{Shadow, Step};
use crate::code::Value;

/// A dimension with its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub(super) min: i128,
    pub(super) extent: i128,
    pub(super) stride: i128,
    /// True if coordinates are taken modulo the extent.
    pub(super) folded: bool,
}

/// A live buffer.
pub(super) struct Memory {
    pub(super) buffer: BufferId,
    pub(super) scalar: Scalar,
    pub(super) kind: BufferKind,
    dims: Vec<Bounds>,
    bits: Vec<u64>,
    defined: Vec<bool>,
    /// For the caller's padded buffers: for each element, true if it belongs to the box.
    inside: Option<Vec<bool>>,
    /// The number of parallel loops around the allocation. Only inner parallel loops can race on
    /// this memory.
    depth: usize,
    /// For each element, its index in `shadows` plus one, or 0. Empty if there are no shadows.
    slots: Vec<u32>,
    /// The shadows with their elements.
    shadows: Vec<(usize, Shadow)>,
    /// The outermost parallel loop that the shadows belong to.
    era: u64,
}

/// The number of elements from the origin to the last one. 0 for an empty box.
pub(super) fn size(dims: &[Bounds]) -> Option<i128> {
    let mut last = 0_i128;
    for dim in dims {
        if dim.extent <= 0 {
            return Some(0);
        }
        last = last.checked_add((dim.extent - 1).checked_mul(dim.stride)?.max(0))?;
    }
    last.checked_add(1)
}

impl Memory {
    /// Returns memory with undefined elements. `size` is [`size`] of the dims.
    pub(super) fn undefined(
        (buffer, scalar): (BufferId, Scalar),
        dims: Vec<Bounds>,
        size: usize,
        depth: usize,
    ) -> Self {
        Self {
            buffer,
            scalar,
            kind: BufferKind::Internal,
            dims,
            bits: vec![0; size],
            defined: vec![false; size],
            inside: None,
            depth,
            slots: Vec::new(),
            shadows: Vec::new(),
            era: 0,
        }
    }

    /// Returns the caller's memory with an array's layout. An input holds the array's elements; an
    /// output is undefined.
    pub(super) fn of_array(buffer: BufferId, kind: BufferKind, array: &Array) -> Self {
        let dims: Vec<Bounds> = array
            .shape
            .iter()
            .zip(&array.strides)
            .map(|((min, extent), stride)| Bounds {
                min: i128::from(*min),
                extent: i128::from(*extent),
                stride: i128::from(*stride),
                folded: false,
            })
            .collect();
        let elements = size(&dims).and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
        let mut memory = Self::undefined((buffer, array.scalar), dims, elements, 0);
        memory.kind = kind;
        if elements != array.len() {
            let mut inside = vec![false; elements];
            for point in array.points() {
                if let Some(flag) = array.offset(&point).and_then(|offset| inside.get_mut(offset)) {
                    *flag = true;
                }
            }
            memory.inside = Some(inside);
        }
        if kind == BufferKind::Input {
            for element in 0..elements {
                if let Some(bits) = array.get_element(element).and_then(Constant::to_bits) {
                    memory.bits[element] = bits;
                    memory.defined[element] = true;
                }
            }
        }
        memory
    }

    /// The number of elements.
    pub(super) fn len(&self) -> usize {
        self.bits.len()
    }

    /// Returns the element at coordinates within the box. In a folded dimension every coordinate
    /// has an element.
    pub(super) fn element_at(&self, coords: &[i128]) -> Option<usize> {
        if coords.len() != self.dims.len() {
            return None;
        }
        let mut element = 0_i128;
        for (coord, dim) in coords.iter().zip(&self.dims) {
            let step = if dim.folded {
                coord.checked_rem_euclid(dim.extent)?
            } else {
                coord.checked_sub(dim.min)?
            };
            if step < 0 || step >= dim.extent {
                return None;
            }
            element = element.checked_add(step.checked_mul(dim.stride)?)?;
        }
        self.element(element)
    }

    /// Returns the element with this number if it belongs to the buffer.
    pub(super) fn element(&self, number: i128) -> Option<usize> {
        let element = usize::try_from(number).ok().filter(|element| *element < self.bits.len())?;
        match &self.inside {
            Some(inside) if !inside[element] => None,
            Some(_) | None => Some(element),
        }
    }

    /// Reads an element at the end of `path`.
    pub(super) fn read(
        &mut self,
        element: usize,
        era: u64,
        path: &[Step],
    ) -> Result<Value, Conflict> {
        // Inputs are never written, so they cannot race.
        if path.len() > self.depth && self.kind != BufferKind::Input {
            let depth = self.depth;
            self.shadow(element, era).read(&path[depth..])?;
        }
        Ok(self.peek(element))
    }

    /// Returns the value of an element without recording a read.
    pub(super) fn peek(&self, element: usize) -> Value {
        if self.defined[element] {
            Constant::from_bits(self.scalar, self.bits[element])
        } else {
            None
        }
    }

    /// Writes an element at the end of `path`. Returns true if an unordered iteration wrote the
    /// same value.
    pub(super) fn write(
        &mut self,
        element: usize,
        value: Value,
        era: u64,
        path: &[Step],
    ) -> Result<bool, Conflict> {
        let mut shared = false;
        if path.len() > self.depth {
            let depth = self.depth;
            shared = self.shadow(element, era).write(&path[depth..], value)?;
        }
        self.bits[element] = value.and_then(Constant::to_bits).unwrap_or(0);
        self.defined[element] = value.is_some();
        Ok(shared)
    }

    /// Replaces an element's value in one step, at the end of `path`. The new value was computed
    /// from the old one.
    pub(super) fn update(
        &mut self,
        element: usize,
        value: Value,
        era: u64,
        path: &[Step],
    ) -> Result<(), Conflict> {
        if path.len() > self.depth {
            let depth = self.depth;
            self.shadow(element, era).update(&path[depth..])?;
        }
        self.bits[element] = value.and_then(Constant::to_bits).unwrap_or(0);
        self.defined[element] = value.is_some();
        Ok(())
    }

    fn shadow(&mut self, element: usize, era: u64) -> &mut Shadow {
        if self.era != era {
            for (element, _) in self.shadows.drain(..) {
                self.slots[element] = 0;
            }
            self.era = era;
        }
        if self.slots.is_empty() {
            self.slots = vec![0; self.bits.len()];
        }
        if self.slots[element] == 0 {
            self.shadows.push((element, Shadow::default()));
            self.slots[element] = self.shadows.len() as u32;
        }
        &mut self.shadows[self.slots[element] as usize - 1].1
    }

    /// Copies the elements of a box within the buffer's box. Also returns for each, in the order of
    /// the box's points, if it is defined.
    pub(super) fn crop(&self, shape: &Shape) -> Option<(Array, Vec<bool>)> {
        let shape: Shape = shape.iter().map(|(min, extent)| (*min, (*extent).max(0))).collect();
        let mut array = Array::zeros(self.scalar, shape)?;
        let mut defined = Vec::with_capacity(array.len());
        for (number, point) in array.points().enumerate() {
            let coords: Vec<i128> = point.iter().map(|coord| i128::from(*coord)).collect();
            let value = self.peek(self.element_at(&coords)?);
            defined.push(value.is_some());
            if let Some(value) = value
                && !array.set_element(number, value)
            {
                return None;
            }
        }
        Some((array, defined))
    }
}
