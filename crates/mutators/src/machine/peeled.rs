//! The bindings around an expression, which are taken off and put around something else.
//!
//! # Correctness
//!
//! `peel_lets` returns the innermost body of some bindings, and adds their names and values to a
//! list. It returns an expression that is no binding as it is. If it is given a binding that is not
//! wholly known, neither the result nor the list is known. On known IR, `rewrap_all_lets` puts the
//! bindings of a list around an expression or a statement, the last one inside (`IROperator.h`).

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::run::{Machine, Paths};

/// The parts of a pair.
const PARTS: [&str; 2] = ["first", "second"];

/// The kind of node that binds a name around an expression or a statement.
fn binder(ty: Type) -> Kind {
    if ty == Type::STMT { Kind::LetStmt } else { Kind::Let }
}

impl Machine<'_> {
    /// `peel_lets(e, &list)`
    pub(super) fn peeled(&mut self, node: NodeId, list: &Place, state: State) -> Paths<Val> {
        if self.is_concrete() {
            return self.peeled_known(node, list, state);
        }
        let ty = state.node(node).ty;
        let (bound, plain) = self.is_kind(node, binder(ty), state);
        let mut paths: Paths<Val> =
            plain.into_iter().map(|state| (state, Val::Expr(Some(node)))).collect();
        for mut state in bound {
            let unknown = Val::Handle(self.fresh_name("unknown"));
            self.store(list, unknown, &mut state);
            let within = state.add(ty, None, None);
            if ty == Type::STMT {
                state.node_mut(within).not |= crate::ir::kinds::bit(Kind::Undefined);
            }
            paths.push((state, Val::Expr(Some(within))));
        }
        paths
    }

    fn peeled_known(&mut self, node: NodeId, list: &Place, state: State) -> Paths<Val> {
        let kind = binder(state.node(node).ty);
        let Some(Val::List(mut known)) = Self::load(list, &state).map(|slot| slot.value) else {
            return self.unsupported(state, "peel_lets into something else", self.line);
        };
        let (mut state, mut within) = (state, node);
        while let Some(Shape { kind: of, fields }) = state.shape(within)
            && *of == kind
            && let [Field::Expr(name), Field::Expr(value), Field::Expr(body)] = fields.as_slice()
        {
            let parts = [*name, *value].map(|part| Val::Expr(Some(part)));
            let parts = PARTS.iter().zip(parts).map(|(part, value)| ((*part).to_owned(), value));
            known.push(Val::Object(parts.collect()));
            within = *body;
        }
        self.store(list, Val::List(known), &mut state);
        vec![(state, Val::Expr(Some(within)))]
    }

    /// `rewrap_all_lets(e, list)` of known IR; `None` if the list is not known.
    pub(super) fn rewrapped(arguments: &[Val], state: &State) -> Option<Paths<Val>> {
        let [Val::Expr(Some(body)), Val::List(known)] = arguments else { return None };
        let (mut state, mut made) = (state.clone(), *body);
        for pair in known.iter().rev() {
            let parts = crate::ir::value::members(pair);
            let [Val::Expr(Some(name)), Val::Expr(Some(value))] = *parts.as_slice() else {
                return None;
            };
            let ty = state.node(made).ty;
            let fields = [name, value, made].map(Field::Expr).to_vec();
            made = state.add(ty, None, Some(Shape { kind: binder(ty), fields }));
        }
        Some(vec![(state, Val::Expr(Some(made)))])
    }
}
