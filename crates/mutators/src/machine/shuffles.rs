//! Shuffles whose vectors and indices are known.
//!
//! # Correctness
//!
//! A shuffle of a mutator's input has no known parts, so that what asks for them is unsupported.
//! Only wholly known IR has shuffles with parts: a list of vectors, and a list of literals, which
//! are the indices. Nothing is proved of such IR. Of other shuffles, a path knows those that it
//! found to be slices.

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::names::Method;
use crate::machine::run::Machine;

/// The members of a shuffle, in the order of its fields.
const MEMBERS: [&str; 2] = ["vectors", "indices"];

/// Makes a shuffle of some vectors.
pub(crate) fn shuffle(
    ty: Type,
    vectors: &[NodeId],
    indices: &[NodeId],
    state: &mut State,
) -> NodeId {
    let fields = [vectors, indices].map(|nodes| Field::Expr(state.list(nodes))).to_vec();
    state.add(ty, None, Some(Shape { kind: Kind::Shuffle, fields }))
}

/// The nodes of a member of a shuffle, if they are known.
fn part(node: NodeId, index: usize, state: &State) -> Option<Vec<NodeId>> {
    let shape = state.shape(node).filter(|shape| shape.kind == Kind::Shuffle)?;
    let Field::Expr(list) = shape.fields.get(index)? else { return None };
    Some(crate::ir::state::operands(*list, state))
}

impl Machine<'_> {
    /// Tests whether both operands of a node are known to be slices.
    pub(super) fn has_slices(node: NodeId, state: &State) -> bool {
        let Some(Shape { fields, .. }) = state.shape(node) else { return false };
        let is_slice = |field: &Field| match field {
            Field::Expr(of) => Self::is_slice(*of, state),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
        };
        fields.len() == 2 && fields.iter().all(is_slice)
    }

    /// Tests whether a node was found to be a slice.
    pub(super) fn is_slice(node: NodeId, state: &State) -> bool {
        state.slices.iter().any(|known| state.find(*known) == state.find(node))
    }

    /// A member of a shuffle, if it is known.
    pub(super) fn part_of_shuffle(
        &mut self,
        node: NodeId,
        name: &str,
        state: &State,
    ) -> Option<Val> {
        let index = MEMBERS.iter().position(|member| *member == name)?;
        let nodes = part(node, index, state)?;
        if index == 0 {
            return Some(Val::List(nodes.into_iter().map(|of| Val::Expr(Some(of))).collect()));
        }
        let range = I32.range()?;
        let number = |of: NodeId| {
            let term = self.node_value(of, state);
            Val::Int(self.host_number(term, range, true))
        };
        Some(Val::List(nodes.into_iter().map(number).collect()))
    }

    /// The answer of a method of a shuffle, if it is known (`IR.cpp`). A concatenation takes all
    /// lanes in their order, and an interleaving takes one lane of each vector in turn.
    pub(super) fn known_shuffle(
        &mut self,
        node: NodeId,
        name: Method<'_>,
        state: &State,
    ) -> Option<Val> {
        let (vectors, indices) = (part(node, 0, state)?, part(node, 1, state)?);
        if name == Method::IsExtractElement {
            return Some(Val::Bool(self.values.bool(indices.len() == 1)));
        }
        let numbers: Option<Vec<i128>> = indices
            .iter()
            .map(|of| {
                let term = self.node_value(*of, state);
                self.values.as_number(term)
            })
            .collect();
        let numbers = numbers?;
        let are_vectors = vectors.iter().all(|of| state.node(*of).ty.is_vector);
        let (count, taken) = (vectors.len(), numbers.len());
        // Each vector has the same number of lanes.
        let lanes =
            taken.checked_div(count).filter(|lanes| are_vectors && lanes * count == taken)?;
        let is_it = |order: &dyn Fn(usize) -> usize| {
            numbers.iter().enumerate().all(|(at, of)| i128::try_from(order(at)) == Ok(*of))
        };
        let truth = match name {
            Method::IsConcat => is_it(&|at| at),
            Method::IsInterleave => count > 1 && is_it(&|at| at / count + at % count * lanes),
            _ => return None,
        };
        Some(Val::Bool(self.values.bool(truth)))
    }
}
