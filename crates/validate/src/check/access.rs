//! Location identity and bounds.
//!
//! # Correctness
//! For each access `flat = Σ (coord_k - min_k)·stride_k` is shown, and `min_k <= coord_k < min_k + extent_k`. Internal buffers have `stride_0 = 1`,
//! `stride_k = stride_(k-1)·extent_(k-1)`, shown as identities: coordinates in bounds are then the digits of a mixed-radix number, so that equal element numbers
//! mean equal coordinates, and element numbers lie below the product of the extents. An output's strides step over the dimensions inside, by entry checks. Hence the rest of the validator may speak of coordinates instead of element numbers.

use halidom_ir::BufferKind;

use super::Checker;
use crate::program::Access;
use crate::report::{Kind, Method, Status};
use crate::space::{Formula, Rename};

impl Checker<'_> {
    /// Obligations of kinds `Location` and `Bounds`.
    pub(super) fn accesses(&mut self) {
        for index in 0..self.model.memories.len() {
            self.dense(index);
        }
        let model = self.model;
        for access in model.loads.iter().chain(model.stores.iter().map(|store| &store.access)) {
            self.location(access);
            self.bounds(access);
        }
        for store in &model.stores {
            if model.memories[store.access.memory].kind == BufferKind::Input {
                let place = self.describe(&store.access);
                let status = Status::Open("a store to an input".to_owned());
                self.record(Kind::Bounds, Some(store.access.stmt), place, status);
            }
        }
    }

    /// The strides of an internal buffer keep different coordinates apart.
    fn dense(&mut self, index: usize) {
        let memory = &self.model.memories[index];
        match memory.kind {
            BufferKind::Internal => {}
            BufferKind::Output => return self.injective(index),
            // What an element of an input is does not depend on other elements.
            BufferKind::Input => return,
        }
        let mut expected = self.space.constant(1);
        let mut status = Status::Closed(Method::Identity);
        for dim in &memory.dims {
            if dim.stride != expected {
                status = Status::Open("strides are not the products of the extents".to_owned());
            }
            expected = self.space.mul(expected, dim.extent);
        }
        let place = format!("layout of {}", self.pool.buffer(memory.buffer).name);
        self.record(Kind::Location, None, place, status);
    }

    /// The layout of an output keeps different coordinates apart: each stride steps over the dimensions inside it.
    fn injective(&mut self, index: usize) {
        let memory = &self.model.memories[index];
        let mut goal = Vec::new();
        let mut least = self.space.constant(1);
        for dim in &memory.dims {
            goal.push(self.space.at_most(least, dim.stride));
            least = self.space.mul(dim.stride, dim.extent);
        }
        let goal = self.space.and(&goal);
        let status = self.prove(&[], goal, "layout");
        let place = format!("layout of {}", self.pool.buffer(memory.buffer).name);
        self.record(Kind::Location, None, place, status);
    }

    fn location(&mut self, access: &Access) {
        let memory = &self.model.memories[access.memory];
        let place = self.describe(access);
        if access.coords.len() != memory.dims.len() {
            let status = Status::Open("a claim with a wrong number of coordinates".to_owned());
            return self.record(Kind::Location, Some(access.stmt), place, status);
        }
        let status = match access.flat {
            // Before storage is flattened, coordinates are locations.
            None => Status::Closed(Method::Structure),
            Some(flat) => {
                let mut expected = self.space.constant(0);
                for (coord, dim) in access.coords.iter().zip(&memory.dims) {
                    let step = self.space.sub(*coord, dim.min);
                    let step = self.space.mul(step, dim.stride);
                    expected = self.space.add(expected, step);
                }
                // Products of unknowns are beyond the solver, so what the entry checks fix (a stride of 1, say) is put in first.
                let mut fixed = self.fixed();
                let (flat, expected) =
                    (fixed.poly(self.space, flat), fixed.poly(self.space, expected));
                let same = self.space.equal(flat, expected);
                self.prove(&access.place.facts, same, "location")
            }
        };
        self.record(Kind::Location, Some(access.stmt), place, status);
    }

    /// The parameters and shapes that an entry check makes equal to a constant, replaced by it.
    fn fixed(&mut self) -> Rename {
        let mut rename = Rename::new();
        for condition in self.entry.clone() {
            for part in self.space.conjuncts(condition) {
                let Formula::Zero(poly) = *self.space.formula(part) else { continue };
                let symbols = self.space.poly_symbols(poly);
                let Some(symbol) = symbols.first().copied() else { continue };
                let variable = self.space.symbol(symbol);
                let rest = self.space.sub(variable, poly);
                // Invariant: `poly = symbol - rest = 0` with a constant `rest`.
                if self.space.as_constant(rest).is_some() {
                    rename.insert(symbol, rest);
                }
            }
        }
        rename
    }

    fn bounds(&mut self, access: &Access) {
        let region: Vec<_> = self.model.memories[access.memory]
            .dims
            .iter()
            .map(|dim| (dim.min, dim.extent))
            .collect();
        let goal = self.inside(&access.coords, &region);
        let status = self.prove(&access.place.facts, goal, "bounds");
        let place = self.describe(access);
        self.record(Kind::Bounds, Some(access.stmt), place, status);
    }
}
