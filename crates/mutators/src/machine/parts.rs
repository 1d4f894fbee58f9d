//! Nodes that are made of lists, or of what is not known.

use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::layout::{Layout, role};
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// `Block::make(stmts)` runs the statements one after another; `None` if one is not known.
    pub(super) fn block_of(
        &mut self,
        stmts: &[Val],
        state: State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let Some(last) = stmts.last() else { return Some(vec![(state, Val::Expr(None))]) };
        if !stmts.iter().all(|stmt| matches!(stmt, Val::Expr(Some(_)) | Val::Ptr(Some(_)))) {
            return None;
        }
        let mut paths = vec![(state, last.clone())];
        for stmt in stmts.iter().rev().skip(1) {
            let mut next = Vec::new();
            for (state, rest) in paths {
                let both = [stmt.clone(), rest];
                next.extend(self.make_by_layout(Kind::Block, &both, state, line)?);
            }
            paths = next;
        }
        Some(paths)
    }

    /// `make` with a name or a list about which nothing is known: any statement, or any expression
    /// of the type of the body.
    pub(super) fn made_of_unknown(
        &mut self,
        kind: Kind,
        layouts: &[&Layout],
        arguments: &[Val],
        state: &State,
    ) -> Option<Paths<Val>> {
        if self.is_concrete() || self.mode.is_emitter() {
            return None;
        }
        let is_unknown = layouts.iter().any(|layout| {
            let members = layout.members;
            arguments.len() <= members.len()
                && members.iter().zip(arguments).any(|(member, argument)| {
                    let is_fixed =
                        matches!(role(kind, member), Some(Role::Name | Role::Exprs | Role::Stmts));
                    is_fixed && Self::is_unknown(argument)
                })
        });
        let is_block = kind == Kind::Block && matches!(arguments, [list] if Self::is_unknown(list));
        if !is_unknown && !is_block {
            return None;
        }
        let ty = match (kind, arguments.last()) {
            (Kind::Let, Some(Val::Expr(Some(body)) | Val::Ptr(Some((body, _))))) => {
                state.node(*body).ty
            }
            (Kind::Let, Some(body)) if Self::is_unknown(body) => {
                let unknown = Val::Handle(self.fresh_name("unknown"));
                return Some(vec![(state.clone(), unknown)]);
            }
            _ if kind.is_stmt() => Type::STMT,
            _ => return None,
        };
        let mut state = state.clone();
        let made = state.add(ty, None, None);
        Some(vec![(state, Val::Expr(Some(made)))])
    }

    /// `call->with(arguments)`: a call of the same function with other arguments.
    pub(super) fn with_arguments(
        &mut self,
        call: NodeId,
        arguments: &Val,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let ty = state.node(call).ty;
        let mut paths = Vec::new();
        for (state, callee) in self.node_member(call, Kind::Call, "name", state, line) {
            for (state, values) in self.as_list(arguments, state, line) {
                let list = Val::List(values);
                paths.extend(self.make_call(ty, &callee, &list, state, line));
            }
        }
        paths
    }

    /// Tests whether nothing is known about a value.
    pub(super) fn is_unknown(value: &Val) -> bool {
        matches!(value, Val::Handle(_)) && !value.is_info()
    }
}
