//! Sequences of statements, which `make` nests in one way.
//!
//! # Correctness
//!
//! `Block::make(first, rest)` of a block `first` makes a block of first's own first statement, and
//! so does `Fork::make` (`IR.cpp`). A node that is made of an unknown statement
//! keeps the two statements: it has the effect of what the compiler makes, as both run the same
//! statements in one order. But its members are not those of the compiler's node if the first
//! statement is a sequence. So all that reads the members, or compares them, asks that first. The
//! first statement of a sequence of the input is no sequence of its kind.

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Reads a member of a node of a known kind.
    pub(crate) fn node_member(
        &mut self,
        node: NodeId,
        kind: Kind,
        name: &str,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let states = self.nested(node, state).into_iter();
        states.flat_map(|state| self.own_member(node, kind, name, state, line)).collect()
    }

    /// The default behaviour of a mutator: mutates the operands of a node.
    pub(crate) fn mutate_operands(
        &mut self,
        node: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let states = self.nested(node, state).into_iter();
        states.flat_map(|state| self.mutate_own_operands(node, state, line)).collect()
    }

    /// Forks until the members of a node are known to be those that `make` gave it.
    fn nested(&mut self, node: NodeId, state: State) -> Vec<State> {
        let (mut open, mut done) = (vec![state], Vec::new());
        while let Some(mut state) = open.pop() {
            if state.is_nested(node) {
                done.push(state);
                continue;
            }
            let Some(Shape { kind, fields }) = state.shape(node).cloned() else { continue };
            let Some(Field::Expr(first)) = fields.first() else { continue };
            if state.shape(*first).is_some() {
                state.nest(node);
                open.push(state);
                continue;
            }
            let (of_kind, other) = self.is_kind(*first, kind, state);
            open.extend(of_kind);
            done.extend(other);
        }
        done
    }
}
