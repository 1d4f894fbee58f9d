//! Stores: divided where a vector's lanes come from different places, lane by lane where some of them are not written.

use halidom_ir::{Constant, ExprId, Pool, Stmt as IrStmt, StmtId};

use super::error::{Result, unsupported};
use super::lanes::{Lanes, Lowering, Stop};
use super::marks::{self, Instance};
use super::nodes::{Buffer, Node, NodeId};
use super::program::Walk;

/// A part of a store.
struct Part {
    index: ExprId,
    value: ExprId,
    /// Whether it is written; always, if `None`.
    condition: Option<ExprId>,
    /// What must hold for its loads to be made.
    loaded: Vec<ExprId>,
    /// What it is annotated to write.
    instance: Option<Instance>,
}

/// An element that no buffer has: what a lane stores whose load is not made is said to be read there, a fault that the code need not have.
pub const NOWHERE: i128 = -(1 << 40);

impl Walk<'_> {
    /// A store of a vector or of one value.
    ///
    /// All lanes are evaluated before any is written. Parts of a store come one after the other, so that a part must not read what another one has written: where they might, their
    /// values get names before.
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
        if self.nodes.ty(value).scalar != target.ty {
            return unsupported("a store of another type than the buffer's");
        }
        let predicate = predicate.filter(|predicate| !self.always_holds(pool, *predicate));
        let [index, value] = match predicate {
            Some(predicate) => [index, value].map(|node| self.nodes.under(node, predicate)),
            None => [index, value],
        };
        let masks = self.nodes.load_predicates(value);
        let masks: Vec<NodeId> =
            masks.into_iter().filter(|mask| self.nodes.lanes(*mask) == count).collect();
        let value = masks.iter().fold(value, |value, mask| self.nodes.under(value, *mask));
        let mark = self.nodes.prophecy(value);
        let mut parts = Vec::new();
        let wraps = halidom_ir::Overflow::Wraps;
        let mut lowering = Lowering::new(&self.nodes, pool, &mut self.memo, wraps);
        let mut pending: Vec<Lanes> = match predicate {
            None if masks.is_empty() => vec![Lanes::all(count)],
            None | Some(_) => Lanes::all(count).singles().collect(),
        };
        pending.reverse();
        while let Some(lanes) = pending.pop() {
            match part(&mut lowering, [index, value], (predicate, &masks), lanes) {
                Ok(found) => {
                    let mark = mark.as_ref();
                    let instance = mark
                        .and_then(|mark| marks::instance(&mut lowering, mark, self.source, lanes));
                    parts.push(Part { instance, ..found });
                }
                Err(Stop::Divide(division)) => {
                    pending.extend(lanes.divided(division).into_iter().rev());
                }
                Err(Stop::Unsupported(what)) => return Err(what),
            }
        }
        let hazard = parts.len() > 1 && self.reads_elsewhere(value, index, target);
        if hazard && (predicate.is_some() || !masks.is_empty()) {
            return unsupported("a store of some lanes that reads what other lanes write");
        }
        let atomic = self.is_atomic && !hazard;
        let (written, instances) = written(pool, target, parts, (hazard, atomic));
        self.marked.stores.extend(instances);
        Ok(written)
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

    /// Whether a value reads elements of the buffer that other lanes may write: others than its own.
    fn reads_elsewhere(&self, value: NodeId, index: NodeId, target: &Buffer) -> bool {
        let own_place = matches!(self.nodes.node(index), Node::Ramp { .. });
        self.nodes.reads_at(value, target.id, |at| own_place && at == index)
            || self.nodes.reads(index, target.id)
    }
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

/// What a lane stores whose load was not made: a value that nothing may depend on. That such a lane is stored at all is a fault here, which is more than Halide asks for.
fn unloaded(pool: &mut Pool, target: &Buffer, index: ExprId) -> StmtId {
    let nowhere = pool.int(NOWHERE);
    let value = pool.load(target.id, nowhere, None);
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
    let index = lowering.value(index, lanes)?;
    let index = lowering.ops.as_int(index)?;
    let value = lowering.value(value, lanes)?;
    let value = lowering.ops.as_stored(value)?;
    Ok(Part { index, value, condition, loaded, instance: None })
}
