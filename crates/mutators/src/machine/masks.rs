//! Mutators that represent vectors of truth values by masks, as `EliminateBoolVectors` does.
//!
//! # Correctness
//!
//! A class of `passes.contracts` may state that `mutate` of a vector of truth values returns a
//! *mask*: a vector of signed integers of any width whose lanes are -1 where the argument's lane is
//! true, and 0 where it is false. What it returns of any other expression equals its argument.
//!
//! The path forks on the width of each mask. A mask has no known structure, and one fact about its
//! value. Truth values in statements, in bindings and in predicates of loads are not examined, so
//! the methods that visit such nodes have no verdict.

use halidom_rewrites::rules::Fun;

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::run::{Machine, Paths};

/// The function whose value is the mask of its argument.
pub(crate) const MASK: &str = "bool_to_mask";

/// The widths of masks.
const WIDTHS: [u8; 4] = [8, 16, 32, 64];

/// Tests whether a type has masks in its place.
pub(crate) fn is_masked(ty: Type) -> bool {
    ty.is_bool() && ty.is_vector
}

/// Tests whether a type is one of masks.
fn is_of_masks(ty: Type) -> bool {
    ty.code == Code::Int && ty.is_vector && WIDTHS.contains(&ty.bits)
}

/// Tests whether the methods that visit a kind of node are examined in a class that makes masks.
pub(crate) fn is_examined(kind: Kind) -> bool {
    let is_binding = matches!(kind, Kind::Let | Kind::Variable);
    !kind.is_stmt() && !is_binding && !matches!(kind, Kind::Load | Kind::Call | Kind::Shuffle)
}

/// Adds a mask of an expression. Its width is one of those that a mask may have.
pub(super) fn any_mask(node: NodeId, state: &mut State) -> NodeId {
    let ty = Type { code: Code::Int, bits: WIDTHS[node % WIDTHS.len()], is_vector: true };
    add_mask(ty, node, state)
}

/// Adds the node whose value is the mask of an expression, in the type of a result. `None` if the
/// result's type is not one of masks.
pub(crate) fn mask_of(node: NodeId, result: NodeId, state: &mut State) -> Option<NodeId> {
    let ty = state.node(result).ty;
    is_of_masks(ty).then(|| add_mask(ty, node, state))
}

fn add_mask(ty: Type, node: NodeId, state: &mut State) -> NodeId {
    let shape = Shape { kind: Kind::Call, fields: vec![Field::Expr(node)] };
    let mask = state.add(ty, None, Some(shape));
    state.node_mut(mask).intrinsic = Some(MASK.to_owned());
    mask
}

impl Machine<'_> {
    /// `mutate` of a vector of truth values: a mask of any width.
    pub(super) fn mutate_to_mask(
        &mut self,
        node: NodeId,
        state: &State,
        line: usize,
    ) -> Paths<Val> {
        if !state.conditions().is_empty() {
            let what = "a vector of truth values under an assumption";
            return self.unsupported(state.clone(), what, line);
        }
        let mut paths = Vec::new();
        for bits in WIDTHS {
            let mut state = state.clone();
            let ty = Type { code: Code::Int, bits, is_vector: true };
            let new = state.add(ty, None, None);
            let truth = self.node_value(node, &state);
            let mask = self.node_value(new, &state);
            let [all, none] = [-1, 0].map(|number| self.values.number(number, ty.domain()));
            let known = self.values.apply(Fun::Ite, &[truth, all, none]);
            state.facts.push(self.values.apply(Fun::Eq, &[mask, known]));
            self.visited(Some(new), &mut state);
            paths.push((state, Val::Expr(Some(new))));
        }
        paths
    }
}
