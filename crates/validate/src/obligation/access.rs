//! Location identity and bounds.
//!
//! # Correctness
//! For each access, the checks show `flat = Σ slot_k·stride_k`. The slot of a coordinate is
//! `coord_k mod extent_k` in a folded dimension, and `coord_k - min_k` in the others. In these,
//! they also show `min_k <= coord_k < min_k + extent_k`, so that `0 <= slot_k < extent_k` in all
//! dimensions.
//!
//! The strides of internal buffers are, in some order of the dimensions, the products of the
//! extents before them; this is shown as identities. Slots are then the digits of a mixed-radix
//! number: equal element numbers mean equal slots, and element numbers lie below the product of the
//! extents. An output's strides step over the dimensions inside, by entry checks.
//!
//! On both sides of an identity, a symbol may be replaced by a value that equals it by the entry
//! checks and the facts of the place, and a minimum by its value at the place
//! ([`super::equal`]).
//!
//! A load whose value nothing uses (`Model::idle`) needs no location. It is no fault if its element
//! is one of its memory's, whatever its coordinates are. The elements of internal memory are as
//! many as the product of the extents.
//!
//! Hence the rest of the validator may use coordinates instead of element numbers, where congruent
//! coordinates in folded dimensions are the same ([`Checker::sharing`]).

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::BufferKind;

use super::{Arbitrary, Checker};
use crate::floats::Floats;
use crate::obligation::record::{Kind, Method, Reason, Status};
use crate::program::{Access, Dimension, MemoryId, loops, order};
use crate::space::{FormulaId, PolyId, Rename, Value};

/// The reason why nothing is shown of an element.
const NO_SHARING: &str = "it is not known which coordinates share an element";

impl Checker<'_> {
    /// Checks the obligations of kinds `Location` and `Bounds`.
    pub(super) fn accesses(&mut self) {
        for index in self.model.memories.ids() {
            self.dense(index);
            self.lent(index);
        }
        let model = self.model;
        let loads = model.loads.iter().filter(|(id, load)| {
            let is_idle = model.idle.contains(id) && self.is_internal(load.memory);
            if is_idle {
                self.idle(load);
            }
            !is_idle
        });
        let loads: Vec<&Access> = loads.map(|(_, load)| load).collect();
        let stores = model.stores.values().map(|store| &store.access);
        let accesses: Vec<&Access> = loads.into_iter().chain(stores).collect();
        // Products of unknowns are beyond the solver. So values that the entry checks and the
        // conditions around fix, such as a stride of 1, are put in first.
        let mut fixed: FxHashMap<&[FormulaId], Rename> = FxHashMap::default();
        let (mut elements, mut located, mut bounded) = (Vec::new(), Vec::new(), Vec::new());
        for access in &accesses {
            let facts = access.place.facts.as_slice();
            let fixed = fixed.entry(facts).or_insert_with(|| self.fixed(facts, false));
            let (flat, expected) = self.elements(access, fixed);
            elements.push((Value::Int(flat), Value::Int(expected)));
            located.push((facts.to_vec(), self.space.equal(flat, expected)));
            bounded.push((facts.to_vec(), self.within_buffer(access)));
        }
        // A path may decide a minimum in a stride. For example, the length `max(n, 16)` of rows is
        // `n` where `n` is known to be at least 16, and there the compiler has written `n`. Without
        // this, products of rows and their length are beyond the solver.
        let decided = |checker: &mut Self, number: usize| {
            let facts = &accesses.get(number)?.place.facts;
            checker.by_proposal(facts, *elements.get(number)?, Floats::Bits)
        };
        let located = self.prove_all(&located, "location", decided);
        let divided = |checker: &mut Self, number: usize| {
            let (facts, inside) = bounded.get(number)?;
            checker.divided(facts, *inside)
        };
        let within = self.prove_all(&bounded, "bounds", divided);
        let shown = located.into_iter().zip(within).zip(elements);
        for (access, ((location, bounds), (flat, _))) in accesses.into_iter().zip(shown) {
            let place = self.named("", access, "");
            let claimed = access.coords.len() == model.memories[access.memory].dims.len();
            let wrong = "a claim with a wrong number of coordinates";
            let location = if claimed { location } else { Err(wrong.into()) };
            // No buffer has such an element: the condition above must exclude the access.
            let excluded = match (flat, access.place.facts.last()) {
                (Value::Int(flat), Some(fact)) => {
                    let negative = self.space.as_constant(flat).is_some_and(|flat| flat < 0);
                    negative.then(|| Reason::NotShown(self.space.not(*fact)))
                }
                _ => None,
            };
            let [location, bounds] = [location, bounds]
                .map(|status| status.map_err(|reason| excluded.clone().unwrap_or(reason)));
            self.record(Kind::Location, Some(access.stmt), place.clone(), location);
            self.record(Kind::Bounds, Some(access.stmt), place, bounds);
        }
        for store in model.stores.values() {
            if model.memories[store.access.memory].kind == BufferKind::Input {
                let place = self.named("", &store.access, "");
                let status = Err("a store to an input".into());
                self.record(Kind::Bounds, Some(store.access.stmt), place, status);
            }
        }
    }

    fn is_internal(&self, memory: MemoryId) -> bool {
        self.model.memories[memory].kind == BufferKind::Internal
    }

    /// Checks that a load of internal memory, whose value nothing uses, lies in the memory.
    fn idle(&mut self, access: &Access) {
        let facts = access.place.facts.as_slice();
        let fixed = self.fixed(facts, false);
        let (flat, expected) = self.elements(access, &fixed);
        let dims = &self.model.memories[access.memory].dims;
        let claimed = access.coords.len() == dims.len();
        let size = dims.iter().fold(self.space.constant(1), |size, dim| {
            self.space.mul(size, fixed.poly(self.space, dim.extent))
        });
        // Coordinates need no products of extents.
        let by_coords = [self.space.equal(flat, expected), self.within_buffer(access)];
        let by_coords = self.space.and(by_coords);
        let inside = self.space.within(flat, self.space.constant(0), size);
        let status = if claimed && self.quickly_follows(facts, by_coords, "idle") {
            Ok(Method::Solver)
        } else {
            self.prove_or(facts, inside, "idle", |checker| checker.divided(facts, inside))
        };
        let place = self.named("", access, "");
        self.record(Kind::Bounds, Some(access.stmt), place, status);
    }

    /// Shows a goal that holds whatever value a divisor has.
    fn divided(&mut self, facts: &[FormulaId], goal: FormulaId) -> Option<Method> {
        if self.lia.is_late() {
            return None;
        }
        let (mut desk, tactics) = self.door();
        let proof = tactics.divided(&mut desk, facts, goal)?;
        self.shows(facts, goal, &proof).then_some(Method::Solver)
    }

    /// Checks that the layout of a buffer keeps different coordinates apart.
    fn dense(&mut self, index: MemoryId) {
        let memory = &self.model.memories[index];
        let place = format!("layout of {}", self.pool.buffer(memory.buffer).name);
        let internal = memory.kind == BufferKind::Internal;
        if memory.dims.iter().any(|dim| dim.folded && !(internal && self.well_folded(dim))) {
            let reason = "a folded dimension of the caller's, or one that does not begin at 0 with \
                a positive constant extent";
            return self.record(Kind::Location, None, place, Err(reason.into()));
        }
        // The value of an input's element does not depend on other elements.
        if memory.kind == BufferKind::Input {
            return;
        }
        let fixed = self.fixed(&[], false);
        let dims = memory.dims.iter().map(|dim| Dimension {
            extent: fixed.poly(self.space, dim.extent),
            stride: fixed.poly(self.space, dim.stride),
            ..*dim
        });
        let dims: Vec<Dimension> = dims.collect();
        let status = if !internal {
            self.injective(&memory.dims, &dims)
        } else if self.mixed_radix(&dims) {
            Ok(Method::Identity)
        } else {
            Err("strides are not the products of the extents".into())
        };
        self.record(Kind::Location, None, place, status);
    }

    /// Checks that a buffer which takes the memory of another one fits there and has it for itself.
    /// No dimension has more coordinates than the lender's. The lender is not accessed, lends to
    /// one lifetime at a time, and stands in the same iterations of unordered loops.
    fn lent(&mut self, index: MemoryId) {
        let model = self.model;
        let memory = &model.memories[index];
        let Some(lender) = memory.within else { return };
        let place = format!("memory of {}", self.pool.buffer(memory.buffer).name);
        let from = &model.memories[lender];
        let between = memory.place.steps.strip_prefix(from.place.steps.as_slice());
        let ordered =
            between.is_some_and(|steps| loops(steps).all(|index| order::is_ordered(model, index)));
        let accessed = model.loads.values().chain(model.stores.values().map(|store| &store.access));
        let alone = accessed.clone().all(|access| access.memory != lender)
            && model.memories.iter().all(|(other, lent)| {
                other == index
                    || lent.within != Some(lender)
                    || !(lent.place.steps.starts_with(&memory.place.steps)
                        || memory.place.steps.starts_with(&lent.place.steps))
            });
        let internal = from.kind == BufferKind::Internal && from.within.is_none();
        let same = (from.func, from.component) == (memory.func, memory.component)
            && from.dims.len() == memory.dims.len();
        if !(ordered && alone && internal && same) {
            let reason = "memory that others use while it is lent".to_owned();
            return self.record(Kind::Form, None, place, Err(reason.into()));
        }
        let mut goal = Vec::new();
        let zero = self.space.constant(0);
        for (dim, room) in memory.dims.iter().zip(&from.dims) {
            goal.push(self.space.at_most(zero, dim.extent));
            goal.push(self.space.at_most(dim.extent, room.extent));
        }
        let status = self.prove(&memory.place.facts, self.space.and(goal), "room");
        self.record(Kind::Bounds, None, place, status);
    }

    fn well_folded(&self, dim: &Dimension) -> bool {
        self.space.is_zero(dim.min)
            && self.space.as_constant(dim.extent).is_some_and(|factor| factor > 0)
    }

    /// Returns a proposed order of dimensions, if it has each of them once.
    fn nested(&mut self, dims: &[Dimension]) -> Option<Vec<usize>> {
        let order = self.tactics.nesting(self.space, dims);
        let each = order.len() == dims.len() && (0..dims.len()).all(|dim| order.contains(&dim));
        each.then_some(order)
    }

    /// Tests whether the dimensions have an order in which each stride is the product of the
    /// extents before.
    pub(super) fn mixed_radix(&mut self, dims: &[Dimension]) -> bool {
        let Some(order) = self.nested(dims) else { return false };
        let mut size = self.space.constant(1);
        order.into_iter().all(|dim| {
            let before = size;
            size = self.space.mul(size, dims[dim].extent);
            dims[dim].stride == before
        })
    }

    /// Returns the coordinates that share an element with the given ones, and the condition that
    /// they are equal to them. They are congruent in the folded dimensions. The
    /// multiples have symbols that a question may have only once.
    ///
    /// # Errors
    /// Returns the reason for a wrong number of coordinates, or if a fold is not by a constant.
    pub(super) fn sharing(
        &mut self,
        memory: MemoryId,
        coords: &[PolyId],
    ) -> Result<(Vec<PolyId>, FormulaId), Reason> {
        let dims = &self.model.memories[memory].dims;
        if dims.len() != coords.len() {
            return Err(NO_SHARING.into());
        }
        let (mut others, mut same) = (Vec::new(), Vec::new());
        let zero = self.space.constant(0);
        for (number, (coord, dim)) in coords.iter().zip(dims).enumerate() {
            if !dim.folded {
                others.push(*coord);
                continue;
            }
            let factor = self.space.as_constant(dim.extent).ok_or(NO_SHARING)?;
            let times = self.arbitrary(Arbitrary::Times(number));
            others.push(self.space.add(*coord, self.space.scale(times, factor)));
            same.push(self.space.equal(times, zero));
        }
        Ok((others, self.space.and(same)))
    }

    /// Shows that the layout of an output keeps different coordinates apart: in some order of the
    /// dimensions, each stride steps over the dimensions before. The order is chosen for `fixed`,
    /// the dimensions with the values that the entry checks give them.
    fn injective(&mut self, dims: &[Dimension], fixed: &[Dimension]) -> Status {
        let order = self.nested(fixed).ok_or("a layout without an order")?;
        let (mut goal, mut least) = (Vec::new(), self.space.constant(1));
        for dim in order {
            goal.push(self.space.at_most(least, dims[dim].stride));
            least = self.space.mul(dims[dim].stride, dims[dim].extent);
        }
        self.prove(&[], self.space.and(goal), "layout")
    }

    /// Returns the number of the accessed element, and the number of the element at the claimed
    /// coordinates. They are the same before storage is flattened, where coordinates are locations.
    fn elements(&self, access: &Access, fixed: &Rename) -> (PolyId, PolyId) {
        let memory = &self.model.memories[access.memory];
        let mut expected = self.space.constant(0);
        for (coord, dim) in access.coords.iter().zip(&memory.dims) {
            let step = if dim.folded {
                self.space.modulo(*coord, dim.extent)
            } else {
                self.space.sub(*coord, dim.min)
            };
            expected = self.space.add(expected, self.space.mul(step, dim.stride));
        }
        let flat = access.flat.unwrap_or(expected);
        (fixed.poly(self.space, flat), fixed.poly(self.space, expected))
    }

    /// Replaces symbols by values that a tactic proposes, in element numbers or in values. A pair
    /// counts if an entry check or a fact says that the two are equal. Pairs before it are put into
    /// the value, which keeps its meaning there.
    pub(super) fn fixed(&mut self, facts: &[FormulaId], in_values: bool) -> Rename {
        let (mut desk, tactics) = self.door();
        let proposed = tactics.names(&mut desk, facts, in_values);
        let (mut rename, mut stated) = (Rename::new(), FxHashSet::default());
        if !proposed.is_empty() {
            let all = self.entry.iter().chain(facts);
            stated.extend(all.flat_map(|fact| self.space.conjuncts(*fact)));
        }
        for (symbol, value) in proposed {
            let named = self.space.symbol(symbol);
            if stated.contains(&self.space.equal(named, value)) {
                rename.insert(symbol, rename.poly(self.space, value));
            }
        }
        rename
    }

    /// Returns the formula that the coordinates of an access lie in its buffer.
    fn within_buffer(&mut self, access: &Access) -> FormulaId {
        // A remainder by the extent always lies within it. A wrong number of coordinates is an open
        // obligation of kind `Location`.
        let dims = &self.model.memories[access.memory].dims;
        let (coords, region): (Vec<_>, Vec<_>) = access
            .coords
            .iter()
            .zip(dims)
            .filter(|(_, dim)| !dim.folded)
            .map(|(coord, dim)| (*coord, (dim.min, dim.extent)))
            .unzip();
        self.inside(&coords, &region)
    }
}
