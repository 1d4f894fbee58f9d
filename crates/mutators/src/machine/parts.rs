//! Nodes that are made of lists, or of what is not known.

use halidom_cpp::Sign;

use crate::ir::kinds::{Kind, Role, Type};
use crate::ir::layout::{Layout, layouts, role};
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::run::{Machine, Paths};

/// The beginning of the names of operations that reduce vectors.
pub(super) const REDUCTIONS: &str = "VectorReduce::";

impl Machine<'_> {
    /// Compares a member that is only compared with an operation that reduces vectors. A path that
    /// found it to be one knows that.
    pub(super) fn is_reduction(
        &mut self,
        op: Sign,
        id: u32,
        name: &str,
        state: &State,
    ) -> Paths<Val> {
        let known = state.constants.iter().find(|(of, _)| *of == id);
        let (is_it, other) = match known {
            Some((_, known)) if known == name => (vec![state.clone()], Vec::new()),
            Some(_) => (Vec::new(), vec![state.clone()]),
            None => {
                let (mut is_it, other) = self.choose(state.clone());
                is_it.constants.push((id, name.to_owned()));
                (vec![is_it], vec![other])
            }
        };
        if op == Sign::Eq { self.truths(is_it, other) } else { self.truths(other, is_it) }
    }

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

    /// Tests whether one statement is a node that `make` made in the method, and the other one is
    /// an operand of the node that it visits. They are two nodes, even if they are known to be
    /// equal.
    pub(super) fn is_newer(made: NodeId, old: NodeId, state: &State) -> bool {
        let visited = &state.nodes[0];
        let Some(shape) = visited.shape.as_ref().filter(|_| !visited.is_learnt) else {
            return false;
        };
        let is_operand = |node: NodeId| {
            shape.fields.iter().any(|field| match field {
                Field::Expr(operand) => *operand == node,
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
            })
        };
        state.made.contains(&made) && is_operand(old) && !is_operand(made)
    }

    /// Tests whether `make` takes an expression or a statement that may be undefined.
    pub(super) fn takes_undefined(&self, kind: Kind, arguments: &[Val]) -> bool {
        let is_lost = |value: &Val| match value {
            Val::Handle(of) => self.may_be_undefined(of),
            _ => false,
        };
        let has_lost = |value: &Val| match value {
            Val::List(parts) => parts.iter().any(is_lost),
            value => is_lost(value),
        };
        let layouts = layouts(kind, self.profile.name);
        if !layouts.is_empty() {
            let is_node = |member: &str| {
                !matches!(role(kind, member), None | Some(Role::Name | Role::Opaque))
            };
            return layouts.iter().any(|layout| {
                layout
                    .members
                    .iter()
                    .zip(arguments)
                    .any(|(of, value)| is_node(of) && has_lost(value))
            });
        }
        let has_operands = !matches!(
            kind,
            Kind::IntImm | Kind::UIntImm | Kind::FloatImm | Kind::StringImm | Kind::Variable
        );
        let is_list = |value: &Val| kind != Kind::Call || matches!(value, Val::List(_));
        has_operands && arguments.iter().any(|value| is_list(value) && has_lost(value))
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

/// Tests whether a member is the operation of a reduction of truth values, and another one than
/// `make` takes there (`VectorReduce::make`).
pub(super) fn is_refused_reduction(member: u32, operation: &str, state: &State) -> bool {
    let takes = ["::And", "::Or"].iter().any(|taken| operation.ends_with(taken));
    !takes
        && state.nodes.iter().any(|node| {
            node.ty.is_bool()
                && node.shape.as_ref().is_some_and(|shape| {
                    shape.kind == Kind::VectorReduce
                        && shape.fields.first() == Some(&Field::Opaque(member))
                })
        })
}
