//! Termination: the order in which the arguments of `mutate` go down.
//!
//! # Correctness
//!
//! The order is the size of the IR, the number of its nodes. A path descends if every node that it
//! mutates or prints has fewer nodes than its input. If every path of every mutator of a pass
//! descends, the pass ends. The size of what `mutate` returned is not known, so a path that mutates
//! it again, or something that was made from it, is not shown to descend.

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, NodeId};
use crate::ir::record::Open;
use crate::ir::show::text;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::run::{Machine, Outcome};

/// The size of a node: the number of nodes whose shape is known, and the opaque parts.
#[derive(Default)]
struct Size {
    known: usize,
    opaque: Vec<NodeId>,
}

impl Machine<'_> {
    /// Records that a node is mutated, unless it is smaller than the input.
    pub(crate) fn descend(&self, node: NodeId, state: &mut State, line: usize) {
        if self.is_concrete() || state.unfounded.is_some() || is_smaller(node, state) {
            return;
        }
        state.unfounded = Some(line);
    }

    /// Begins to mutate a node of wholly known IR; false if the same node is already being mutated
    /// by the same object, so that the compiler does not end.
    pub(crate) fn enter(&mut self, node: NodeId, state: &State, line: usize) -> bool {
        let slots = state.members.iter();
        let members: Vec<(String, Val)> =
            slots.map(|slot| (slot.name.clone(), slot.value.clone())).collect();
        let is_it = |open: &Open| open.members == members && state.is_same(open.node, node);
        if let Some(first) = self.open.iter().position(is_it) {
            let shown = |open: &Open| text(state, &self.values, open.node);
            let mut cycle: Vec<String> = self.open[first..].iter().map(shown).collect();
            cycle.push(text(state, &self.values, node));
            let outcome = Outcome::Endless(cycle.join(" => "));
            self.end(state.clone(), outcome, line);
            return false;
        }
        self.open.push(Open { node, members });
        true
    }

    /// Ends what `enter` began.
    pub(crate) fn leave(&mut self) {
        self.open.pop();
    }
}

/// Tests whether a node has fewer nodes than the input, which is the first node.
fn is_smaller(node: NodeId, state: &State) -> bool {
    let (mut of, mut input) = (Size::default(), Size::default());
    if !measure(node, state, &mut of, 0) || !measure(0, state, &mut input, 0) {
        return false;
    }
    for part in of.opaque {
        match input.opaque.iter().position(|known| *known == part) {
            Some(index) => {
                input.opaque.swap_remove(index);
            }
            None => return false,
        }
    }
    // Each opaque part that is left out has at least one node.
    of.known < input.known + input.opaque.len()
}

/// Measures a node; false if its size is not known.
fn measure(node: NodeId, state: &State, size: &mut Size, depth: usize) -> bool {
    let node = state.find(node);
    if state.node(node).ty == Type::NAME {
        return true;
    }
    match state.shape(node) {
        _ if depth > 24 => false,
        Some(shape) if shape.kind == Kind::Undefined => true,
        // The arguments of a call may not be known yet.
        Some(shape) if shape.kind == Kind::Call && shape.fields.is_empty() => {
            size.opaque.push(node);
            true
        }
        Some(shape) => {
            size.known += 1;
            shape.fields.iter().all(|field| match field {
                Field::Expr(inner) => measure(*inner, state, size, depth + 1),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => true,
            })
        }
        None => {
            size.opaque.push(node);
            true
        }
    }
}
