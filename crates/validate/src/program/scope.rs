//! The names that are visible at the present statement of the walk, and the meaning of loads there.

use halidom_base::FxHashMap;
use halidom_ir::{BufferId, ExprId, FuncId, FuncKind, Pool, StmtId, VarId};

use super::{Access, LoadId, Memory, MemoryId, Model, Place, Use};
use crate::evaluate::{At, Component, Leaves, Load, Result, leaf_value, unbound, unsupported};
use crate::space::{FormulaId, Part, PolyId, Rename, Space, Symbol, Term, Value, Version};

/// The value of a variable, and the loads in it.
#[derive(Clone)]
pub(super) struct Binding {
    pub(super) value: Value,
    pub(super) uses: Vec<Use>,
}

/// The present statement and the names that are visible there.
pub(super) struct Scope {
    pub(super) model: Model,
    pub(super) bindings: FxHashMap<VarId, Binding>,
    pub(super) by_buffer: FxHashMap<BufferId, MemoryId>,
    /// The memory by func and component.
    pub(super) by_func: FxHashMap<(FuncId, usize), MemoryId>,
    pub(super) place: Place,
    /// The loads of the present statement.
    pub(super) loads: FxHashMap<ExprId, LoadId>,
    /// The loads of the present statement whose element depends on a func that is being updated
    /// here. Each has its element number and coordinates before their reads are settled.
    pub(super) own_indices: Vec<(LoadId, Option<PolyId>, Vec<PolyId>)>,
    pub(super) stmt: StmtId,
    /// The conditions around, innermost last.
    pub(super) decisions: Vec<Decision>,
}

/// A condition around the present place that reads a func which is being updated there. The value
/// read depends on the instance, so the condition is a fact only for the stores of that func, which
/// settle it.
pub(super) struct Decision {
    /// The conditions, with pending reads.
    pub(super) conditions: Vec<FormulaId>,
    pub(super) uses: Vec<Use>,
    /// The number of loops around.
    pub(super) loops: usize,
    /// True if a store has settled it.
    pub(super) taken: bool,
}

impl Scope {
    /// The present place with the lane's range.
    pub(super) fn lane_place(&self, space: &Space, lanes: u32) -> (Place, Option<Symbol>) {
        let mut place = self.place.clone();
        if lanes <= 1 {
            return (place, None);
        }
        let lane = space.lane(lanes);
        let variable = space.symbol(lane);
        let range = space.within(variable, space.constant(0), space.constant(i128::from(lanes)));
        place.facts.extend(space.conjuncts(range));
        (place, Some(lane))
    }

    /// Tests whether a term reads a func that is being updated here.
    pub(super) fn depends(&self, space: &Space, term: impl Into<Part>) -> bool {
        let labels = &self.place.labels;
        // Listing the parts of a term takes time.
        !labels.is_empty() && {
            let pending = space.pending(term);
            let memories = labels.iter().flat_map(|label| &self.model.labels[*label].memories);
            memories.into_iter().any(|memory| pending.contains(memory))
        }
    }

    /// Lists a load of the present statement and returns the value that it claims to read.
    fn list(
        &mut self,
        At { pool, space, expr }: At<'_>,
        (memory, flat, coords): (MemoryId, Option<PolyId>, Vec<PolyId>),
    ) -> Value {
        let Memory { func, component, .. } = self.model.memories[memory];
        let decl = pool.func(func);
        let updated = match &decl.kind {
            FuncKind::Input { .. } => false,
            FuncKind::Defined { stages, .. } => stages.len() > 1,
        };
        let version = if updated { Version::Pending(memory) } else { Version::Final };
        let at = coords.clone().into();
        let scalar = pool.buffer(self.model.memories[memory].buffer).scalar;
        let term = space.leaf(Term::Read { func, component, scalar, version, coords: at });
        if !self.loads.contains_key(&expr) {
            let depends = flat.iter().chain(&coords).any(|poly| self.depends(space, *poly));
            let settle = Rename::settle(None);
            let settled = settle.polys(space, &coords);
            let settled_flat = flat.map(|flat| settle.poly(space, flat));
            let (place, lane) = self.lane_place(space, pool.ty(expr).lanes);
            let load = self.model.loads.push(Access {
                stmt: self.stmt,
                memory,
                flat: settled_flat,
                coords: settled,
                place,
                lane,
            });
            if depends {
                self.own_indices.push((load, flat, coords));
            }
            self.loads.insert(expr, load);
        }
        leaf_value(space, scalar, term)
    }
}

fn no_buffer(name: &str) -> Result<Value> {
    Err(format!("the buffer `{name}` does not exist here"))
}

impl Leaves for Scope {
    fn variable(&mut self, pool: &Pool, _: &Space, var: VarId) -> Result<Value> {
        self.bindings.get(&var).map_or_else(|| unbound(pool, var), |binding| Ok(binding.value))
    }

    fn reference(&mut self, at: At<'_>, of: Component, coords: Vec<PolyId>) -> Result<Value> {
        let Some(memory) = self.by_func.get(&of).copied() else {
            return no_buffer(&at.pool.func(of.0).name);
        };
        Ok(self.list(at, (memory, None, coords)))
    }

    fn load(&mut self, at: At<'_>, load: Load) -> Result<Value> {
        let Some(memory) = self.by_buffer.get(&load.buffer).copied() else {
            return no_buffer(&at.pool.buffer(load.buffer).name);
        };
        if self.model.memories[memory].func != load.func
            || load.coords.len() != at.pool.func(load.func).rank()
        {
            return unsupported("a load that claims to read another func");
        }
        Ok(self.list(at, (memory, Some(load.index), load.coords)))
    }

    /// Lists the taken lanes as a load of their own: only their values matter. The loads of the
    /// shuffle's vectors are accesses with all their lanes.
    fn shuffled(&mut self, at: At<'_>, vector: ExprId, taken: &Rename) -> Result<()> {
        let At { pool, space, expr: shuffle } = at;
        let Some(load) = self.loads.get(&vector).copied() else {
            return unsupported("a shuffle of other vectors than loads");
        };
        if self.own_indices.iter().any(|(own, ..)| *own == load) {
            return unsupported("a shuffle of places that an update decides");
        }
        let whole = &self.model.loads[load];
        let (stmt, memory, flat) = (whole.stmt, whole.memory, whole.flat);
        let coords = taken.polys(space, &whole.coords.clone());
        let flat = flat.map(|flat| taken.poly(space, flat));
        if let Some(known) = self.loads.get(&shuffle) {
            let known = &self.model.loads[*known];
            let same = (known.memory, known.flat, &known.coords) == (memory, flat, &coords);
            return if same { Ok(()) } else { unsupported("a shuffle of several loads") };
        }
        let (place, lane) = self.lane_place(space, pool.ty(shuffle).lanes);
        let access = Access { stmt, memory, flat, coords, place, lane };
        self.loads.insert(shuffle, self.model.loads.push(access));
        Ok(())
    }
}
