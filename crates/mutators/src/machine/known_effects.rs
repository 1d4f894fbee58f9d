//! The effects of wholly known nodes.

use crate::ir::intrinsics::is_pure;
use crate::ir::kinds::Kind;
use crate::ir::node::NodeId;
use crate::ir::state::{State, operands};

/// Tests whether a known statement does nothing.
pub(crate) fn does_nothing(node: NodeId, state: &State) -> bool {
    match state.shape(node).map(|shape| shape.kind) {
        Some(Kind::Undefined) => true,
        Some(Kind::Evaluate) => !has_effect(node, state),
        _ => false,
    }
}

/// Tests whether a node contains a call of a known function that may have effects.
pub(super) fn calls(node: NodeId, state: &State) -> bool {
    let is_impure = state.shape(node).is_some_and(|shape| shape.kind == Kind::Call)
        && state.node(node).intrinsic.as_deref().is_some_and(|callee| !is_pure(callee));
    is_impure || operands(node, state).into_iter().any(|inner| calls(inner, state))
}

/// Tests whether a known node has an effect: such a call, or one of a kernel or a stream.
pub(crate) fn has_effect(node: NodeId, state: &State) -> bool {
    let kind = state.shape(node).map(|shape| shape.kind);
    matches!(kind, Some(Kind::StreamExpr | Kind::KernelExpr))
        || calls(node, state)
        || operands(node, state).into_iter().any(|inner| has_effect(inner, state))
}

/// Tests whether a known node contains a load.
pub(crate) fn reads_memory(node: NodeId, state: &State) -> bool {
    state.shape(node).is_some_and(|shape| shape.kind == Kind::Load)
        || operands(node, state).into_iter().any(|inner| reads_memory(inner, state))
}
