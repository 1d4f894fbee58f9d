//! The kinds of nodes as `type_key()` tells them.
//!
//! # Correctness
//!
//! Each kind has one key. Where the keys of two nodes are equal, so are their kinds: what a path
//! knows or learns of the kind of one of them, it knows of the other one. Where the keys differ,
//! nothing is learnt.

use crate::ir::kinds::{Kind, bit};
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::run::Machine;

/// The beginning of the handle of the key of a node whose kind is not known.
const KEY: &str = "type_key of ";

/// The handle of the key of a node.
pub(super) fn key_of(node: NodeId) -> String {
    format!("{KEY}{node}")
}

/// The node whose key a value is.
fn node_of(value: &Val) -> Option<NodeId> {
    match value {
        Val::Handle(of) => of.strip_prefix(KEY)?.parse().ok(),
        _ => None,
    }
}

impl Machine<'_> {
    /// Compares the keys of two nodes, or of a node and a text: the paths on which they are equal,
    /// and those on which they are not. `None` for other values.
    pub(super) fn keys_equal(
        &mut self,
        lhs: &Val,
        rhs: &Val,
        state: &State,
    ) -> Option<(Vec<State>, Vec<State>)> {
        let (node, other) = match (node_of(lhs), node_of(rhs)) {
            (Some(node), _) => (node, rhs),
            (None, Some(node)) => (node, lhs),
            (None, None) => return None,
        };
        if self.is_concrete() {
            return None;
        }
        let (equal, differ) = self.choose(state.clone());
        if let Val::Text(name) = other {
            // The key of one kind may be two texts, which C++ compares by their addresses.
            return Some((self.is_kind(node, Kind::named(name)?, equal).0, vec![differ]));
        }
        let other = node_of(other)?;
        if state.find(node) == state.find(other) {
            return Some((vec![equal], Vec::new()));
        }
        let kind_of = |node: NodeId| state.shape(node).map(|shape| shape.kind);
        let equal = match (kind_of(node), kind_of(other)) {
            (Some(kind), _) => self.is_kind(other, kind, equal).0,
            (None, Some(kind)) => self.is_kind(node, kind, equal).0,
            (None, None) => {
                let mut equal = equal;
                equal.alike.push((node, other));
                vec![equal]
            }
        };
        Some((equal, vec![differ]))
    }

    /// Tests whether a node of no known kind has one, by the kind of a node with its key; `None` if
    /// that tells nothing.
    pub(super) fn kind_by_key(node: NodeId, kind: Kind, state: &State) -> Option<bool> {
        let node = state.find(node);
        state.alike.iter().find_map(|(a, b)| {
            let other = match (state.find(*a), state.find(*b)) {
                (a, b) if a == node => b,
                (a, b) if b == node => a,
                _ => return None,
            };
            match state.shape(other) {
                Some(shape) => Some(shape.kind == kind),
                None => (state.node(other).not & bit(kind) != 0).then_some(false),
            }
        })
    }
}
