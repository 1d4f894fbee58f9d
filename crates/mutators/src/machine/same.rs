//! `equal`: whether two expressions or statements have one structure.
//!
//! # Correctness
//!
//! HeteroCL's compares the second of two shuffles with itself (`IREquality.cpp` 537), so it takes
//! any two shuffles of one type for equal, alone and within others. Where two nodes may both hold
//! a shuffle, its answer may be true of nodes that differ: such a path is not followed.

use halidom_rewrites::profile::Profile;

use crate::ir::kinds::{Kind, Type, bit};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::machine::run::{Machine, Outcome};

/// The depth of nodes beyond which a node may hold a shuffle.
const MAX_DEPTH: usize = 24;

/// The reason why a path is not followed on which nodes differ that count as equal.
const SHUFFLES: &str = "`equal` of what may hold shuffles, all of which it takes for equal";

impl Machine<'_> {
    /// Forks on what the API's `equal` answers.
    pub(super) fn same(
        &mut self,
        a: NodeId,
        b: NodeId,
        state: State,
        line: usize,
    ) -> (Vec<State>, Vec<State>) {
        let may_differ = takes_shuffles_for_equal(self.profile)
            && may_count_as_equal(a, b, &state, 0)
            && may_hide_shuffles(a, b, &state, 0);
        if !may_differ || self.is_concrete() && state.is_same(a, b) {
            return self.equal(a, b, state);
        }
        if self.is_concrete() && are_shuffles(a, b, &state) {
            return (vec![state], Vec::new());
        }
        if self.is_concrete() {
            let (holds, fails) = self.choose(state);
            return (vec![holds], vec![fails]);
        }
        let is_part = state.occurs(a, b) || state.occurs(b, a);
        let (holds, fails) = self.equal(a, b, state.clone());
        // Otherwise it was already found to be false.
        if is_part || !holds.is_empty() {
            self.end(state, Outcome::Unsupported(SHUFFLES.to_owned()), line);
        }
        (holds, fails)
    }
}

/// Tests whether the compiler's `equal` compares the second of two shuffles with itself.
pub(crate) fn takes_shuffles_for_equal(profile: &Profile) -> bool {
    profile.name == "heterocl"
}

/// Tests whether two nodes are shuffles of one type.
fn are_shuffles(a: NodeId, b: NodeId, state: &State) -> bool {
    let is_shuffle = |of| state.shape(of).is_some_and(|shape| shape.kind == Kind::Shuffle);
    is_shuffle(a) && is_shuffle(b) && state.node(a).ty == state.node(b).ty
}

/// The pairs of parts of two nodes of one kind; `None` if these are not known.
fn pairs(a: NodeId, b: NodeId, state: &State) -> Option<Vec<(NodeId, NodeId)>> {
    let (first, second) = (state.shape(a)?, state.shape(b)?);
    let is_known = first.kind == second.kind && !matches!(first.kind, Kind::Call | Kind::Shuffle);
    let pair = |(first, second): (&Field, &Field)| match (first, second) {
        (Field::Expr(a), Field::Expr(b)) => Some((*a, *b)),
        _ => None,
    };
    is_known.then(|| first.fields.iter().zip(&second.fields).filter_map(pair).collect())
}

/// Tests whether two nodes may count as equal.
fn may_count_as_equal(a: NodeId, b: NodeId, state: &State, depth: usize) -> bool {
    let (left, right) = (state.node(a), state.node(b));
    if state.find(a) == state.find(b) {
        return true;
    }
    let is_other = match (&left.shape, &right.shape) {
        (Some(first), Some(second)) => first.kind != second.kind,
        (Some(known), None) => right.not & bit(known.kind) != 0,
        (None, Some(known)) => left.not & bit(known.kind) != 0,
        (None, None) => false,
    };
    if left.ty != right.ty || is_other {
        return false;
    }
    let parts = pairs(a, b, state).unwrap_or_default();
    depth > MAX_DEPTH || parts.iter().all(|(a, b)| may_count_as_equal(*a, *b, state, depth + 1))
}

/// Tests whether two nodes may both have a shuffle at one place, if they count as equal.
fn may_hide_shuffles(a: NodeId, b: NodeId, state: &State, depth: usize) -> bool {
    if state.find(a) == state.find(b) {
        return false;
    }
    match pairs(a, b, state) {
        Some(parts) if depth <= MAX_DEPTH => {
            parts.iter().any(|(a, b)| may_hide_shuffles(*a, *b, state, depth + 1))
        }
        _ => [a, b].iter().all(|node| may_hold_shuffle(*node, state, depth)),
    }
}

/// Tests whether a node may be a shuffle, or hold one.
fn may_hold_shuffle(node: NodeId, state: &State, depth: usize) -> bool {
    let known = state.node(node);
    let is_node = known.ty.is_value() || [Type::STMT, Type::LIST].contains(&known.ty);
    if known.is_literal || !is_node {
        return false;
    }
    match &known.shape {
        Some(Shape { kind: Kind::Variable | Kind::Undefined, .. }) => false,
        Some(Shape { kind: Kind::Shuffle | Kind::Call, .. }) | None => true,
        Some(Shape { fields, .. }) => {
            depth > MAX_DEPTH
                || fields.iter().any(|field| match field {
                    Field::Expr(part) => may_hold_shuffle(*part, state, depth + 1),
                    Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
                })
        }
    }
}
