//! The loads in expressions.

use halidom_base::{FxHashMap, FxHashSet, IndexSet};
use halidom_ir::BufferId;

use super::error::{Result, unsupported};
use super::nodes::{Node, NodeId, Nodes};
use crate::tree::BinaryOp;

impl Nodes<'_> {
    /// A value that exists only where a condition holds: the condition becomes the predicate of its
    /// loads. A value without loads would exist everywhere, so it is refused.
    pub(super) fn only_if(&mut self, value: NodeId, condition: NodeId) -> Result<NodeId> {
        let guarded = self.guarded(value, condition, &mut FxHashMap::default());
        if guarded == value || self.load_predicates(guarded).is_empty() {
            return unsupported(
                "`if_then_else` without a value for its else, of what loads nothing",
            );
        }
        Ok(guarded)
    }

    fn guarded(
        &mut self,
        id: NodeId,
        condition: NodeId,
        done: &mut FxHashMap<NodeId, NodeId>,
    ) -> NodeId {
        if let Some(known) = done.get(&id) {
            return *known;
        }
        let ty = self.ty(id);
        let mut node = self.node(id).clone().map(|operand| self.guarded(operand, condition, done));
        if let Node::Load { buffer: _, index: _, predicate } = &mut node
            && ty.lanes == self.lanes(condition)
        {
            *predicate = Some(match *predicate {
                None => condition,
                Some(own) if own == condition => own,
                Some(own) => {
                    self.make(Node::Binary(BinaryOp::And, own, condition), self.ty(condition))
                }
            });
        }
        let result = self.make(node, ty);
        done.insert(id, result);
        result
    }

    /// The predicates of the loads in a node, provided that each of its lanes depends only on the
    /// same lanes of the loads.
    pub(super) fn load_predicates(&self, id: NodeId) -> IndexSet<NodeId> {
        let mut found = IndexSet::default();
        let mut in_place = true;
        self.visit_placed(id, &mut |_, node, is_placed| {
            if let Node::Load { buffer: _, index: _, predicate: Some(predicate) } = node {
                in_place &= is_placed;
                found.insert(*predicate);
            }
        });
        if in_place { found } else { IndexSet::default() }
    }

    /// The loads in a node whose lanes decide other lanes of the node: those below a shuffle, a
    /// reduction and the like.
    pub(super) fn displaced(&self, id: NodeId) -> FxHashSet<NodeId> {
        let mut found = FxHashSet::default();
        self.visit_placed(id, &mut |id, node, is_placed| {
            if !is_placed && matches!(node, Node::Load { buffer: _, index: _, predicate: _ }) {
                found.insert(id);
            }
        });
        found
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

    /// Tests whether a node reads a buffer at an index that is not allowed, or an element that an
    /// allowed index gives in another lane than the one that uses the element.
    pub(super) fn reads_at(
        &self,
        id: NodeId,
        which: BufferId,
        allowed: impl Fn(NodeId) -> bool,
    ) -> bool {
        let mut found = false;
        self.visit_placed(id, &mut |_, node, is_placed| {
            if let Node::Load { buffer, index, predicate: _ } = node {
                found |= *buffer == which && !(is_placed && allowed(*index));
            }
        });
        found
    }

    /// Visits the nodes below a node, and says of each whether a lane of the node depends only on
    /// the same lane of it. A node that is used in both ways is visited twice.
    fn visit_placed(&self, id: NodeId, visit: &mut impl FnMut(NodeId, &Node, bool)) {
        let mut pending = vec![(id, true)];
        let mut seen = FxHashSet::default();
        while let Some((id, is_placed)) = pending.pop() {
            if !seen.insert((id, is_placed)) {
                continue;
            }
            visit(id, self.node(id), is_placed);
            let below = is_placed && self.keeps_lanes(id);
            pending.extend(self.node(id).operands().into_iter().map(|operand| (operand, below)));
        }
    }

    /// Tests whether each lane of a node depends only on the same lane of its operands: an operand
    /// with one lane is the same for all.
    pub(super) fn keeps_lanes(&self, id: NodeId) -> bool {
        match self.node(id) {
            Node::Gather(..) | Node::Reduce(..) => false,
            Node::Reinterpret(operand) => self.lanes(*operand) == self.lanes(id),
            Node::Broadcast(operand) => self.lanes(*operand) == 1,
            Node::Ramp { base, stride } => self.lanes(*base) == 1 && self.lanes(*stride) == 1,
            Node::Value(_)
            | Node::Cast(_)
            | Node::Binary(..)
            | Node::Not(_)
            | Node::Select(..)
            | Node::Load { .. }
            | Node::Ref { .. }
            | Node::Call(..) => true,
        }
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
            visit(id, self.node(id));
            pending.extend(self.node(id).operands());
        }
    }
}
