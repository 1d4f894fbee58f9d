//! Stores: divided where a vector's lanes come from different places, and lane by lane where a
//! predicate selects lanes.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::{BinaryOp as IrOp, BufferKind, Constant, ExprId, Pool, Stmt as IrStmt, StmtId};

use super::error::{Result, unsupported};
use super::lanes::{Division, Lanes, Lowering, Stop, UNLOADED};
use super::marks::{self, Instance};
use super::nodes::{Buffer, Gather, Node, NodeId, Nodes};
use super::polynomials::{Definitions, Unknown, polynomial};
use super::walk::{Atomicity, Item, Walk, closed};
use crate::NameId;
use crate::tree::{Alignment, BinaryOp, Expr, ReduceOp, Scalar, Type};

/// A part of a store.
struct Part {
    index: ExprId,
    value: ExprId,
    /// The condition under which it is written; `None` if always.
    condition: Option<ExprId>,
    /// The conditions under which its loads are made.
    loaded: Vec<ExprId>,
    /// The instance that the annotation names.
    instance: Option<Instance>,
}

/// The index of an element that no buffer has. A load from there stands for a fault, where an
/// assertion or a load that is not predicated needs one.
pub const NOWHERE: i128 = -(1 << 40);

/// The greatest distance that two places after one another may have.
const FAR: i128 = 1 << 24;

/// The most lanes whose distances together are less than 2^32.
const MOST_LANES: usize = 128;

impl Walk<'_> {
    /// Translates a store of a vector or of one value.
    ///
    /// All lanes are evaluated before any is written. The parts of a store come one after the
    /// other, so a part must not read an element that another part has written. Where it might, the
    /// values get names first. Within an `atomic` each lane is a separate update, after the lanes
    /// before it.
    ///
    /// A predicate selects the lanes that are written, not those that are evaluated. A load without
    /// a predicate is made in all lanes, and one with a different predicate wherever that predicate
    /// holds.
    pub(super) fn store(
        &mut self,
        pool: &mut Pool,
        target: &Buffer,
        [index, value]: [NodeId; 2],
        predicate: Option<NodeId>,
    ) -> Result<StmtId> {
        let count = self.nodes.lanes(value);
        if self.nodes.lanes(index) != count {
            return unsupported("a store of a value with other lanes than its index");
        }
        let value = match (self.nodes.ty(value).scalar, target.ty) {
            (given, wanted) if given == wanted => value,
            (Scalar::UInt(8), Scalar::UInt(1)) => match self.nodes.truth(pool, value) {
                Some(truth) => truth,
                None => return unsupported("a store of a byte that may be no truth value"),
            },
            (_, _) => return unsupported("a store of another type than the buffer's"),
        };
        if predicate.is_some_and(|found| self.nodes.ty(found) != Type::BOOL.with_lanes(count)) {
            return unsupported("a store of lanes that are not those of its value");
        }
        let predicate = predicate.filter(|predicate| !self.always_holds(pool, *predicate));
        if let Some(values) = self.one_by_one(target, [index, value], predicate) {
            let each = values.into_iter();
            let each = each.map(|value| {
                Ok(Item::Stmt(self.store(pool, target, [index, value], predicate)?))
            });
            let items = each.collect::<Result<Vec<Item>>>()?;
            return Ok(closed(pool, items));
        }
        let made = match predicate {
            Some(predicate) => self.made(pool, &[index, value, predicate], Some(predicate))?,
            None => Vec::new(),
        };
        let [index, value] = match predicate {
            Some(predicate) => [index, value].map(|node| self.nodes.under(node, predicate)),
            None => [index, value],
        };
        let masks = self.nodes.load_predicates(value);
        let masks: Vec<NodeId> =
            masks.into_iter().filter(|mask| self.nodes.lanes(*mask) == count).collect();
        let value = masks.iter().fold(value, |value, mask| self.nodes.under(value, *mask));
        let is_spread = self.is_spread(pool, index);
        let mut parts = self.parts(pool, [index, value], (predicate, &masks), is_spread)?;
        let is_selected = predicate.is_some() || !masks.is_empty();
        let mut conditions = [predicate].into_iter().flatten().chain(masks);
        let is_decided = conditions.any(|node| self.reads_elsewhere(pool, node, index, target));
        let (mut hazard, atomic) = match self.atomic {
            // All lanes' conditions are evaluated before any lane is written.
            Atomicity::None if parts.len() > 1 && is_decided => {
                return unsupported("a store of lanes that its own memory selects");
            }
            Atomicity::None => {
                (parts.len() > 1 && self.reads_elsewhere(pool, value, index, target), false)
            }
            Atomicity::Elements { unordered } => {
                if self.updates_elsewhere(pool, target, [index, value]) || is_selected {
                    return unsupported(
                        "an atomic update of some lanes, or of one element by others of its memory",
                    );
                }
                if unordered && !self.is_one_step(target, [index, value]) {
                    return unsupported(
                        "an atomic update, between others at the same time, that is neither an \
                        addition of integers nor a minimum or a maximum",
                    );
                }
                (false, unordered)
            }
        };
        let mut items = made;
        let stride = if hazard && is_selected {
            self.stride_of_own(pool, [index, value], target)
        } else {
            None
        };
        if let Some(stride) = stride {
            // Lanes with places of their own read nothing that other lanes write.
            let zero = pool.int(0);
            let apart = pool.binary(IrOp::Ne, stride, zero);
            items.push(Item::Stmt(self.owed(pool, apart)?));
            hazard = false;
        }
        if hazard
            && is_selected
            && self.reads_own(index, value, target)
            && let Some(ascending) = self.ascend(pool, &parts)?
        {
            items.extend(ascending);
            hazard = false;
        }
        if hazard {
            // Places are evaluated where each part is written.
            if self.nodes.reads(index, target.id) {
                return unsupported("a store of lanes to places that other lanes write");
            }
            for part in &mut parts {
                part.value = named_value(pool, target, part)?;
                part.loaded.clear();
            }
        }
        let (written, instances) = written(pool, target, parts, (hazard, atomic));
        items.push(Item::Stmt(written));
        let written = closed(pool, items);
        self.marked.stores.extend(instances);
        Ok(written)
    }

    /// Divides a store into parts: single lanes where lanes are selected or updated one by one,
    /// else as few parts as possible. The code writes one lane after the other, which matters where
    /// lanes have the same place. So the parts keep the order of lanes, unless all places are
    /// distinct (`is_spread`).
    fn parts(
        &mut self,
        pool: &mut Pool,
        [index, value]: [NodeId; 2],
        (predicate, masks): (Option<NodeId>, &[NodeId]),
        is_spread: bool,
    ) -> Result<Vec<Part>> {
        let mark = self.nodes.prophecy(value);
        let mut parts = Vec::new();
        let wraps = halidom_ir::Overflow::Wraps;
        let all = Lanes::all(self.nodes.lanes(value));
        let mut lowering = Lowering::new(&self.nodes, pool, &mut self.memo, wraps);
        let is_selected = predicate.is_some() || !masks.is_empty();
        let each = is_selected || self.atomic != Atomicity::None;
        let mut pending: Vec<Lanes> = if each { all.singles().collect() } else { vec![all] };
        pending.reverse();
        let never = Some(Constant::bool(false));
        while let Some(lanes) = pending.pop() {
            match part(&mut lowering, [index, value], (predicate, masks), lanes) {
                // Nothing of a lane that is never written is seen. The loads that are made in it
                // all the same are stated before the store.
                Ok(Part { condition: Some(condition), .. })
                    if lowering.ops.pool.as_constant(condition) == never => {}
                Ok(found) => {
                    let mark = mark.as_ref();
                    let instance = mark
                        .and_then(|mark| marks::instance(&mut lowering, mark, self.source, lanes));
                    parts.push(Part { instance, ..found });
                }
                Err(Stop::Divide(division)) => {
                    let division = match division {
                        Division::Classes(_) if !is_spread => Division::Each,
                        Division::Classes(_) | Division::Cut(_) | Division::Each => division,
                    };
                    pending.extend(lanes.divided(division).into_iter().rev());
                }
                Err(Stop::Unsupported(what)) => return Err(what),
            }
        }
        Ok(parts)
    }

    /// Tests whether the code of an atomic update makes one step of it, or loses nothing.
    ///
    /// # Correctness
    /// The code generators have one instruction for a sum of integers (`codegen_atomic_rmw`), if
    /// the rest of the sum does not read the memory. For anything else they compare and swap, but
    /// read the element twice: once for the comparison and once for the value. If the element
    /// leaves a value and comes back to it in between, an update is lost. An element that minima
    /// alone change, or maxima, does not come back.
    fn is_one_step(&self, target: &Buffer, [index, value]: [NodeId; 2]) -> bool {
        let is_own = |id: NodeId| {
            matches!(*self.nodes.node(id), Node::Load { buffer, index: at, predicate: None }
                if buffer == target.id && at == index)
        };
        let is_integer = matches!(target.ty, Scalar::Int(_) | Scalar::UInt(_));
        let Node::Binary(op, a, b) = *self.nodes.node(value) else { return false };
        match op {
            BinaryOp::Add if is_integer => {
                let sum = |inner: NodeId, rest: NodeId| {
                    !self.nodes.reads(rest, target.id)
                        && (is_own(inner)
                            || matches!(*self.nodes.node(inner), Node::Binary(BinaryOp::Add, x, y)
                                if (is_own(x) && !self.nodes.reads(y, target.id))
                                    || (is_own(y) && !self.nodes.reads(x, target.id))))
                };
                sum(a, b) || sum(b, a)
            }
            BinaryOp::Sub if is_integer => is_own(a) && !self.nodes.reads(b, target.id),
            BinaryOp::Min | BinaryOp::Max => {
                (is_own(a) && !self.nodes.reads(b, target.id))
                    || (is_own(b) && !self.nodes.reads(a, target.id))
            }
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::Mul
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge
            | BinaryOp::And
            | BinaryOp::Or => false,
        }
    }

    /// Tests whether an atomic update may read an element of its memory other than the one that it
    /// writes.
    fn updates_elsewhere(
        &mut self,
        pool: &Pool,
        target: &Buffer,
        [index, value]: [NodeId; 2],
    ) -> bool {
        // Names are expanded where no statement can change what they stand for.
        let at = self.nodes.expanded(index);
        let is_steady = self.nodes.loads(at).into_iter().all(|load| {
            matches!(self.nodes.node(load), Node::Load { buffer, index: _, predicate: _ }
                if pool.buffer(*buffer).kind == BufferKind::Input)
        });
        let (own, at) = if is_steady { (self.nodes.expanded(value), at) } else { (value, index) };
        self.nodes.reads_at(own, target.id, |other| other == at)
            || self.nodes.reads(index, target.id)
    }

    /// The values of stores that together are a store of an element and the sum of some lanes: each
    /// adds one of the lanes to the element. Sums of integers have the same bits in any order, and
    /// nothing sees the element in between. The same holds for products, minima and the like.
    fn one_by_one(
        &mut self,
        target: &Buffer,
        [index, value]: [NodeId; 2],
        predicate: Option<NodeId>,
    ) -> Option<Vec<NodeId>> {
        let Node::Binary(op, a, b) = *self.nodes.node(value) else { return None };
        let is_own = |nodes: &Nodes<'_>, id: NodeId| {
            matches!(*nodes.node(id), Node::Load { buffer, index: at, predicate: None }
                if buffer == target.id && at == index)
        };
        let (own, sum) = if is_own(&self.nodes, a) { (a, b) } else { (b, a) };
        let Node::Reduce(reduce, lanes) = *self.nodes.node(sum) else { return None };
        let ty = self.nodes.ty(value);
        let is_integer = matches!(ty.scalar, Scalar::Int(_) | Scalar::UInt(_));
        let reads_target = |nodes: &Nodes<'_>, id: NodeId| nodes.reads(id, target.id);
        let operators = [
            (BinaryOp::Add, ReduceOp::Add),
            (BinaryOp::Mul, ReduceOp::Mul),
            (BinaryOp::Min, ReduceOp::Min),
            (BinaryOp::Max, ReduceOp::Max),
            (BinaryOp::And, ReduceOp::And),
            (BinaryOp::Or, ReduceOp::Or),
        ];
        if !is_own(&self.nodes, own)
            || !is_integer
            || !operators.contains(&(op, reduce))
            || [Some(lanes), Some(index), predicate]
                .into_iter()
                .flatten()
                .any(|id| reads_target(&self.nodes, id))
        {
            return None;
        }
        let factor = self.nodes.lanes(lanes) / ty.lanes;
        let parts = (0..i64::from(factor)).map(|begin| {
            let gather = Gather::Slice { begin, stride: i64::from(factor) };
            let part = self.nodes.make(Node::Gather(gather, Box::new([lanes])), ty);
            self.nodes.make(Node::Binary(op, own, part), ty)
        });
        Some(parts.collect())
    }

    /// The loads of some nodes, each in the lanes in which it is made, without the loads in place
    /// that have the predicate `mask`.
    pub(super) fn made(
        &mut self,
        pool: &mut Pool,
        nodes: &[NodeId],
        mask: Option<NodeId>,
    ) -> Result<Vec<Item>> {
        let mask = mask.map(|mask| self.nodes.expanded(mask));
        let (mut loads, mut displaced) = (IndexSet::default(), FxHashSet::default());
        for node in nodes {
            loads.extend(self.nodes.loads(*node));
            displaced.extend(self.nodes.displaced(*node));
        }
        let mut made = Vec::new();
        for load in loads {
            let Node::Load { buffer, index, predicate } = *self.nodes.node(load) else { continue };
            let predicate = match predicate {
                Some(own)
                    if Some(self.nodes.expanded(own)) == mask && !displaced.contains(&load) =>
                {
                    continue;
                }
                Some(own) if self.always_holds(pool, own) => None,
                Some(own) => Some(own),
                None => None,
            };
            // The load without its predicate, which is tested lane by lane.
            let ty = self.nodes.ty(load);
            let load = self.nodes.make(Node::Load { buffer, index, predicate: None }, ty);
            // Lanes that nothing uses may leave the region of a func, within its memory.
            let all = Lanes::all(ty.lanes);
            let mut pending: Vec<Lanes> =
                if predicate.is_some() { all.singles().collect() } else { vec![all] };
            while let Some(lanes) = pending.pop() {
                let value = self.lower(pool, |lowering| Ok(lowering.value(load, lanes)?.id));
                let item = match value {
                    Ok(value) => Ok(Item::Let(pool.declare_var("lanes", pool.ty(value)), value)),
                    Err(Stop::Divide(division)) => Err(division),
                    Err(Stop::Unsupported(what)) => return Err(what),
                };
                let item = match item {
                    Ok(item) => item,
                    Err(_) if lanes.count == 1 => {
                        return unsupported("a load of all lanes in a store of some lanes");
                    }
                    Err(division) => {
                        pending.extend(lanes.divided(division).into_iter().rev());
                        continue;
                    }
                };
                let Some(predicate) = predicate else {
                    made.push(item);
                    continue;
                };
                let condition = self.lower(pool, |lowering| lowering.value(predicate, lanes));
                let Ok(condition) = condition else {
                    return unsupported("a load of lanes by such a condition");
                };
                let then_branch = closed(pool, vec![item]);
                let condition = condition.id;
                let stmt = IrStmt::If { condition, then_branch, else_branch: None };
                made.push(Item::Stmt(pool.stmt(stmt)));
            }
        }
        Ok(made)
    }

    fn always_holds(&mut self, pool: &mut Pool, predicate: NodeId) -> bool {
        let node = self.nodes.node(predicate);
        let inner = if let Node::Broadcast(value) = node { *value } else { predicate };
        if self.nodes.lanes(inner) != 1 {
            return false;
        }
        let value = self.lower(pool, |lowering| lowering.scalar(inner));
        value.is_ok_and(|value| pool.as_constant(value.id) == Some(Constant::bool(true)))
    }

    /// The stride of a ramp of places, if a value reads the memory only at these places.
    fn stride_of_own(
        &mut self,
        pool: &mut Pool,
        [index, value]: [NodeId; 2],
        target: &Buffer,
    ) -> Option<ExprId> {
        let places = self.nodes.expanded(index);
        let Node::Ramp { base, stride } = *self.nodes.node(places) else { return None };
        let is_own = self.nodes.lanes(base) == 1
            && !self.nodes.reads_at(value, target.id, |at| at == index)
            && self.nodes.loads(places).is_empty();
        let stride = is_own.then(|| self.lower(pool, |lowering| lowering.scalar(stride)))?.ok()?;
        let stride = self.lower(pool, |lowering| lowering.ops.as_int(stride)).ok()?;
        Some(stride)
    }

    /// Tests whether each lane of a value reads the element that it replaces, and no other one of
    /// the buffer.
    fn reads_own(&mut self, index: NodeId, value: NodeId, target: &Buffer) -> bool {
        !self.nodes.reads(index, target.id)
            && !self.nodes.reads_at(value, target.id, |at| at == index)
    }

    /// Returns checks by which no two lanes write the same element: a lane is written only if the
    /// one before it is, and then its place is greater. `None` if the distances of places are not
    /// known. No checks are needed if the places [`differ`].
    ///
    /// # Correctness
    /// The distances are sums of few terms, in which what the places share is gone. Places may wrap
    /// at 2^32. So a distance is at least 1 and at most [`FAR`], and all of them together are less
    /// than 2^32. A distance is evaluated only where both lanes are written, because the others may
    /// read what only they would need.
    fn ascend(&mut self, pool: &mut Pool, parts: &[Part]) -> Result<Option<Vec<Item>>> {
        if parts.len() > MOST_LANES {
            return Ok(None);
        }
        if differ(pool, parts) {
            return Ok(Some(Vec::new()));
        }
        let (one, far) = (pool.int(1), pool.int(FAR));
        let mut owed = Vec::new();
        for pair in parts.windows(2) {
            let [before, part] = pair else { continue };
            let Some(distance) = distance(pool, before.index, part.index) else {
                return Ok(None);
            };
            let above = pool.binary(IrOp::Le, one, distance);
            let below = pool.binary(IrOp::Le, distance, far);
            let both = pool.binary(IrOp::And, above, below);
            let mut stmt = self.owed(pool, both)?;
            if let Some(condition) = before.condition {
                let earlier = self.owed(pool, condition)?;
                let (then_branch, else_branch) = (stmt, Some(earlier));
                stmt = pool.stmt(IrStmt::If { condition, then_branch, else_branch });
            }
            if let Some(condition) = part.condition {
                stmt = pool.stmt(IrStmt::If { condition, then_branch: stmt, else_branch: None });
            }
            owed.push(Item::Stmt(stmt));
        }
        Ok(Some(owed))
    }

    /// Tests whether the lanes of an index are distinct: those of a ramp whose stride is not 0.
    fn is_spread(&mut self, pool: &mut Pool, index: NodeId) -> bool {
        let Node::Ramp { base, stride } = *self.nodes.node(index) else { return false };
        if self.nodes.lanes(base) != 1 {
            return false;
        }
        let stride = self.lower(pool, |lowering| lowering.scalar(stride));
        let stride = stride.ok().and_then(|stride| pool.as_constant(stride.id));
        stride.and_then(Constant::as_integer).is_some_and(|stride| stride != 0)
    }

    /// Tests whether a value may read elements of the buffer that other lanes write.
    fn reads_elsewhere(
        &mut self,
        pool: &mut Pool,
        value: NodeId,
        index: NodeId,
        target: &Buffer,
    ) -> bool {
        let own_place = self.is_spread(pool, index);
        self.nodes.reads_at(value, target.id, |at| own_place && at == index)
            || self.nodes.reads(index, target.id)
    }
}

/// The value of a part that gets a name before any part is written: the part's value where it is
/// written, and otherwise a value that nothing uses. Where a load of the value is not made, it must
/// not influence anything.
fn named_value(pool: &mut Pool, target: &Buffer, part: &Part) -> Result<ExprId> {
    let ty = pool.ty(part.value);
    let mut value = part.value;
    if part.condition.is_some() && ty.lanes > 1 {
        return unsupported("a store of some of several lanes that reads what other lanes write");
    }
    for condition in &part.loaded {
        let unloaded = pool.int(UNLOADED);
        let unloaded = pool.load(target.id, unloaded, None);
        value = pool.select(*condition, value, unloaded);
    }
    if let Some(condition) = part.condition {
        let Some(unused) = Constant::from_bits(ty.scalar, 0) else {
            return unsupported("a store of some lanes of such a type");
        };
        let unused = pool.constant(unused);
        value = pool.select(condition, value, unused);
    }
    Ok(value)
}

/// The distance of two places. Names are not replaced by what they stand for: memory may have
/// changed since they were bound.
fn distance(pool: &mut Pool, from: ExprId, to: ExprId) -> Option<ExprId> {
    let [from, to] = [from, to].map(|place| polynomial(pool, &Definitions::default(), place));
    let distance = to?.plus(&from?, -1)?;
    let mut sum = pool.int(distance.constant_part());
    for (product, coefficient) in distance.terms() {
        let mut term = None;
        for unknown in product.iter() {
            let factor = match unknown {
                Unknown::Var(var) => pool.var_expr(*var),
                Unknown::Other(id) => *id,
                Unknown::Remainder(..) => return None,
            };
            term = Some(term.map_or(factor, |term| pool.mul(term, factor)));
        }
        let Some(term) = term else { continue };
        let factor = pool.int(coefficient);
        let term = pool.mul(term, factor);
        sum = pool.add(sum, term);
    }
    Some(sum)
}

/// Tests whether the places of any two parts differ modulo a power of two.
///
/// # Correctness
/// The power is at most 2^32, so that it makes no difference whether places wrap there. It divides
/// each coefficient in the distances from the first place, so modulo it, distances are constants.
fn differ(pool: &Pool, parts: &[Part]) -> bool {
    let Some((first, others)) = parts.split_first() else { return true };
    let place = |part: &Part| polynomial(pool, &Definitions::default(), part.index);
    let Some(from) = place(first) else { return false };
    let (mut constants, mut zeros) = (vec![0], 32);
    for part in others {
        let Some(distance) = place(part).and_then(|to| to.plus(&from, -1)) else { return false };
        constants.push(distance.constant_part());
        for (_, coefficient) in distance.terms().filter(|(unknowns, _)| unknowns.iter().len() > 0) {
            zeros = zeros.min(coefficient.trailing_zeros());
        }
    }
    let rests = constants.iter().map(|constant| constant.rem_euclid(1_i128 << zeros));
    rests.collect::<FxHashSet<_>>().len() == parts.len()
}

fn written(
    pool: &mut Pool,
    target: &Buffer,
    parts: Vec<Part>,
    (hazard, atomic): (bool, bool),
) -> (StmtId, Vec<(StmtId, Instance)>) {
    let mut instances = Vec::new();
    let mut lets = Vec::new();
    let mut stmts = Vec::new();
    for Part { index, mut value, condition, loaded, instance } in parts {
        if hazard {
            let var = pool.declare_var("lanes", pool.ty(value));
            lets.push((var, value));
            value = pool.var_expr(var);
        }
        let store = IrStmt::Store { buffer: target.id, index, value, prophecy: None, atomic };
        let mut stmt = pool.stmt(store);
        instances.extend(instance.map(|instance| (stmt, instance)));
        if !loaded.is_empty() {
            let other = unloaded(pool, target, index);
            for condition in loaded {
                stmt = pool.stmt(IrStmt::If {
                    condition,
                    then_branch: stmt,
                    else_branch: Some(other),
                });
            }
        }
        if let Some(condition) = condition {
            stmt = pool.stmt(IrStmt::If { condition, then_branch: stmt, else_branch: None });
        }
        stmts.push(stmt);
    }
    let mut body = if let [only] = *stmts { only } else { pool.stmt(IrStmt::Block(stmts)) };
    for (var, value) in lets.into_iter().rev() {
        body = pool.stmt(IrStmt::Let { var, value, body });
    }
    (body, instances)
}

/// The store of a lane whose load was not made: its value must not influence anything.
fn unloaded(pool: &mut Pool, target: &Buffer, index: ExprId) -> StmtId {
    let unloaded = pool.int(UNLOADED);
    let value = pool.load(target.id, unloaded, None);
    let (buffer, prophecy, atomic) = (target.id, None, false);
    pool.stmt(IrStmt::Store { buffer, index, value, prophecy, atomic })
}

fn part(
    lowering: &mut Lowering<'_, '_>,
    [index, value]: [NodeId; 2],
    (predicate, masks): (Option<NodeId>, &[NodeId]),
    lanes: Lanes,
) -> std::result::Result<Part, Stop> {
    let condition = match predicate {
        Some(predicate) => Some(lowering.value(predicate, lanes)?.id),
        None => None,
    };
    let loaded = masks.iter().map(|mask| Ok(lowering.value(*mask, lanes)?.id));
    let loaded = loaded.collect::<std::result::Result<_, Stop>>()?;
    let index = lowering.value_under(index, lanes, condition)?;
    let index = lowering.ops.as_index(index)?;
    let value = lowering.value_under(value, lanes, condition)?;
    let value = lowering.ops.as_stored(value)?;
    Ok(Part { index, value, condition, loaded, instance: None })
}

/// Tests whether a value that loads from a store's memory does so by the store's own words. The
/// code generators compare these: they make one instruction of an update only if they are the same.
pub(super) fn names_own_element(
    value: &Expr,
    name: NameId,
    (index, alignment): (&Expr, Option<Alignment>),
) -> bool {
    let mut is_own = true;
    if let Expr::Load(load) = value
        && load.name == name
    {
        is_own = load.index == *index && load.alignment == alignment;
    }
    value.for_each_operand(&mut |operand| {
        is_own = is_own && names_own_element(operand, name, (index, alignment));
    });
    is_own
}
