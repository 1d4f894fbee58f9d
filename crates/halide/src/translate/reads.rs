//! The loads in expressions.

use halidom_base::{FxHashSet, IndexSet};
use halidom_ir::BufferId;

use super::nodes::{Node, NodeId, Nodes};

impl Nodes<'_> {
    /// The predicates of the loads in a node, provided that each of its lanes depends only on the
    /// same lanes of the loads.
    pub(super) fn load_predicates(&self, id: NodeId) -> IndexSet<NodeId> {
        let mut found = IndexSet::default();
        let mut in_place = true;
        self.visit(id, &mut |node| {
            if let Node::Load { buffer: _, index: _, predicate: Some(predicate) } = node {
                found.insert(*predicate);
            }
            in_place &= !matches!(node, Node::Gather(..) | Node::Reduce(..));
        });
        if in_place { found } else { IndexSet::default() }
    }

    /// The loads in a node.
    pub(super) fn loads(&self, id: NodeId) -> IndexSet<NodeId> {
        let mut found = IndexSet::default();
        self.visit_ids(id, &mut |id, node| {
            if matches!(node, Node::Load { buffer: _, index: _, predicate: _ }) {
                found.insert(id);
            }
        });
        found
    }

    /// Tests whether a node has a load with a predicate.
    pub(super) fn has_predicates(&self, id: NodeId) -> bool {
        let mut found = false;
        self.visit(id, &mut |node| {
            found |= matches!(node, Node::Load { buffer: _, index: _, predicate: Some(_) });
        });
        found
    }

    /// Tests whether a node is a scalar that is computed, from scalars alone, from an element of an
    /// input whose stride may be 0.
    pub(super) fn reads_repeated(&self, id: NodeId) -> bool {
        if self.repeated.is_empty() {
            return false;
        }
        let mut found = false;
        let mut scalar = true;
        self.visit_ids(id, &mut |id, node| {
            let is_marked = matches!(node, Node::Call(name, args) if self.is_marked((*name, args)));
            let is_whole = matches!(node, Node::Gather(..) | Node::Reduce(..) | Node::Ramp { .. });
            scalar &= self.lanes(id) == 1 && !is_marked && !is_whole;
            if let Node::Load { buffer, index: _, predicate } = node {
                scalar &= predicate.is_none();
                found |= self.repeated.contains(buffer);
            }
        });
        found && scalar
    }

    /// Tests whether a node reads memory.
    pub(super) fn reads_memory(&self, id: NodeId) -> bool {
        let mut found = false;
        self.visit(id, &mut |node| {
            found |= matches!(node, Node::Load { buffer: _, index: _, predicate: _ })
        });
        found
    }

    /// Tests whether a node is, or contains, a call of a function with such a name.
    pub(super) fn calls(&self, id: NodeId, is_it: impl Fn(&str) -> bool) -> bool {
        let mut found = false;
        self.visit(id, &mut |node| {
            found |= matches!(node, Node::Call(name, _) if is_it(self.names.text(*name)));
        });
        found
    }

    /// Tests whether a node reads a buffer.
    pub(super) fn reads(&self, id: NodeId, which: BufferId) -> bool {
        self.reads_at(id, which, |_| false)
    }

    /// Tests whether a node reads a buffer at an index that is not allowed.
    pub(super) fn reads_at(
        &self,
        id: NodeId,
        which: BufferId,
        allowed: impl Fn(NodeId) -> bool,
    ) -> bool {
        let mut found = false;
        self.visit(id, &mut |node| {
            if let Node::Load { buffer, index, predicate: _ } = node {
                found |= *buffer == which && !allowed(*index);
            }
        });
        found
    }

    fn visit(&self, id: NodeId, visit: &mut impl FnMut(&Node)) {
        self.visit_ids(id, &mut |_, node| visit(node));
    }

    fn visit_ids(&self, id: NodeId, visit: &mut impl FnMut(NodeId, &Node)) {
        let mut pending = vec![id];
        let mut seen = FxHashSet::default();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            let node = self.node(id);
            visit(id, node);
            match node {
                Node::Value(_) => {}
                Node::Cast(a)
                | Node::Reinterpret(a)
                | Node::Not(a)
                | Node::Broadcast(a)
                | Node::Reduce(_, a) => {
                    pending.push(*a);
                }
                Node::Binary(_, a, b) => pending.extend([*a, *b]),
                Node::Select(a, b, c) => pending.extend([*a, *b, *c]),
                Node::Load { buffer: _, index, predicate } => {
                    pending.push(*index);
                    pending.extend(*predicate);
                }
                Node::Ramp { base, stride } => pending.extend([*base, *stride]),
                Node::Ref { func: _, component: _, args }
                | Node::Call(_, args)
                | Node::Gather(_, args) => {
                    pending.extend(args.iter().copied());
                }
            }
        }
    }
}
