//! Stages of tuples that leave some components as they are.
//!
//! # Correctness
//! A component of an update that is `undef` everywhere is not stored: in the algorithm it keeps its
//! value ([`super::undef`]). The statement has no store for it. Here the store of the stage's last
//! other component is followed by one that writes the element's own value back. That changes
//! nothing, wherever it is added; it only gives the stage of the algorithm a store. The element is
//! read, so it is owed that it lies in its memory.

use halidom_ir::{BufferId, Pool, StmtId};

use super::error::Result;
use super::nodes::{Buffer, Node, NodeId};
use super::walk::Walk;
use crate::tree::Type;

impl Walk<'_> {
    /// Stores that write back the components that the stage of a store leaves alone.
    pub(super) fn kept_components(
        &mut self,
        pool: &mut Pool,
        stored: &Buffer,
        index: NodeId,
        predicate: Option<NodeId>,
    ) -> Result<Vec<StmtId>> {
        let (func, component) = {
            let decl = pool.buffer(stored.id);
            (decl.func, decl.component)
        };
        let Some(stage) = self.stage_here(&pool.func(func).name) else { return Ok(Vec::new()) };
        let Some(kept) = self.source.unstored.get(&(func, stage)).cloned() else {
            return Ok(Vec::new());
        };
        let count = pool.func(func).scalars.len();
        if (0..count).rev().find(|number| !kept.contains(number)) != Some(component) {
            return Ok(Vec::new());
        }
        let mut stores = Vec::new();
        for component in kept {
            let is_it = |id: BufferId| {
                let decl = pool.buffer(id);
                (decl.func, decl.component) == (func, component)
            };
            let found = self.nodes.buffers.values().find(|buffer| is_it(buffer.id)).cloned();
            let Some(target) = found else { continue };
            let ty = Type { scalar: target.ty, lanes: self.nodes.lanes(index) };
            let load = Node::Load { buffer: target.id, index, predicate };
            let value = self.nodes.make(load, ty);
            stores.push(self.store(pool, &target, [index, value], predicate)?);
        }
        Ok(stores)
    }

    /// The stage of a func whose loops are around this place, by their names.
    fn stage_here(&self, func: &str) -> Option<usize> {
        self.loop_names.iter().rev().find_map(|name| {
            let rest = self.nodes.names.text(*name).strip_prefix(func)?.strip_prefix(".s")?;
            rest.split('.').next()?.parse().ok()
        })
    }
}
