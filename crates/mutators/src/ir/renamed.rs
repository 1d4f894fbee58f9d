//! The variables that a class gave other names in a run.

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;

/// The kinds of nodes that bind a variable around a body.
pub(crate) const BINDERS: [Kind; 3] = [Kind::LetStmt, Kind::Let, Kind::For];

/// The variables that the method of a class returned in a run under other names.
#[derive(Default)]
pub(crate) struct Renamed(Vec<(NodeId, NodeId)>);

impl Renamed {
    /// Keeps what the method that visits variables returned for a name.
    pub(crate) fn keep(&mut self, before: NodeId, after: NodeId, state: &State) {
        if let (Some(from), Some(to)) = (name(before, state), name(after, state))
            && !state.is_same(from, to)
        {
            self.0.push((from, to));
        }
    }

    /// Tests whether a variable that no binder of the input encloses has another name at the same
    /// place of the result, which the method returned for it.
    pub(crate) fn is_free(&self, state: &State, both: (NodeId, NodeId)) -> bool {
        self.is_free_in(state, both, &mut Vec::new())
    }

    fn is_free_in(
        &self,
        state: &State,
        (before, after): (NodeId, NodeId),
        bound: &mut Vec<NodeId>,
    ) -> bool {
        let (Some(first), Some(second)) = (state.shape(before), state.shape(after)) else {
            return false;
        };
        if first.kind != second.kind || first.fields.len() != second.fields.len() {
            return false;
        }
        if let (Some(from), Some(to)) = (name(before, state), name(after, state)) {
            let is_it = |known: &(NodeId, NodeId)| {
                state.is_same(known.0, from) && state.is_same(known.1, to)
            };
            return !bound.iter().any(|known| state.is_same(*known, from))
                && self.0.iter().any(is_it);
        }
        let binds = BINDERS.contains(&first.kind);
        for (index, pair) in first.fields.iter().zip(&second.fields).enumerate() {
            let (Field::Expr(inner), Field::Expr(other)) = pair else { continue };
            let depth = bound.len();
            let is_body = first.kind.fields().get(index).is_some_and(|(name, _)| *name == "body");
            if let Some(Field::Expr(name)) = first.fields.first().filter(|_| binds && is_body) {
                bound.push(*name);
            }
            let is_found = self.is_free_in(state, (*inner, *other), bound);
            bound.truncate(depth);
            if is_found {
                return true;
            }
        }
        false
    }
}

/// The name of a variable.
fn name(node: NodeId, state: &State) -> Option<NodeId> {
    match state.shape(node) {
        Some(shape) if shape.kind == Kind::Variable => match shape.fields.first() {
            Some(Field::Expr(name)) => Some(*name),
            _ => None,
        },
        _ => None,
    }
}
