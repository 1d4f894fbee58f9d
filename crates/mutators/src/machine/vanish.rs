//! Mutators that return nothing where their argument has no value, as `RemoveUndef` does.
//!
//! # Correctness
//!
//! A class of `passes.contracts` may state that `mutate` returns nothing only if its argument has
//! no value in any run, and otherwise an expression that always has a value: the argument's, where
//! the argument has one. The *guard*, a member of the class, is then true just where it was before
//! and the argument has a value; no guard means that the argument always has a value. After
//! `mutate` of a statement, or one that returned nothing, the guard may be any condition. If
//! `mutate` returns nothing for a statement, the statement does nothing.
//!
//! A scope of the class has an entry for a variable just if the variable has no value. So what is
//! known of a result holds only if each binder on the path has an entry exactly if what it binds
//! vanished. `meaning::presence` has the rules by which expressions have a value.

use std::rc::Rc;

use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::kinds::{Kind, Type, bit};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Assumption, Guard, Scoped, Slot, State, Under, Until};
use crate::ir::value::Val;
use crate::machine::run::{Machine, Paths};

/// The variable that is true where the expressions of a class have a value.
pub(crate) const HERE: &str = "here";

/// The variable that is true where the variable of a name has no value.
pub(crate) const LOST: &str = "lost";

impl Machine<'_> {
    /// Prepares a path of a class whose results may be nothing.
    pub(crate) fn open_presence(&mut self, state: &mut State) {
        let Some(vanishing) = self.vanishing else { return };
        Rc::make_mut(&mut state.presence).is_open = true;
        if let Some(guard) = vanishing.guard.filter(|_| !self.is_concrete()) {
            let first = Self::optional_condition(false, state);
            Rc::make_mut(&mut state.presence).first = Some(first);
            Self::set_guard(guard, first, state);
        }
    }

    /// `mutate` of a node: nothing or a node, if the class states so.
    pub(super) fn mutate_or_vanish(
        &mut self,
        node: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Some(vanishing) = self.vanishing.filter(|_| !self.is_concrete()) else {
            return self.mutate(node, state, line);
        };
        let (ty, class) = (state.node(node).ty, state.node(node).class);
        let mut state = state;
        let before = vanishing.guard.and_then(|guard| Self::guard_of(guard, &mut state));
        let assumed = self.assumed_of_lost(node, &state);
        let mut gone = state.clone();
        let under = Under { class, assumed: assumed.clone() };
        Rc::make_mut(&mut gone.presence).vanished.push(under);
        self.visited(None, &mut gone);
        let mut kept = state;
        let is_stmt = ty == Type::STMT;
        let is_shared = is_stmt && assumed.is_empty();
        let new = kept.add(ty, is_shared.then_some(class), None);
        if is_stmt {
            kept.node_mut(new).not |= bit(Kind::Undefined);
        }
        let returned = kept.node(new).class;
        if is_shared {
            kept.mutated.push((node, new));
        } else {
            let mut under = assumed.clone();
            if !is_stmt {
                let here = self.values.var(&format!("{HERE}{class}"), Domain::Bool);
                let until = Until::Block((0, 0));
                let fact = Some(here);
                let (nodes, is_trivial) = (Vec::new(), false);
                under.push(Assumption { fact, is_trivial, nodes, until });
                let of_result = Under { class: returned, assumed: assumed.clone() };
                Rc::make_mut(&mut kept.presence).kept.push(of_result);
            }
            kept.scoped.push(Scoped { given: class, returned, assumed: under });
        }
        self.visited(Some(new), &mut kept);
        if let Some(guard) = vanishing.guard {
            // Nothing is known of the guard after a statement, or where nothing was returned.
            let any = Self::optional_condition(ty.is_vector, &mut gone);
            Self::set_guard(guard, any, &mut gone);
            let after = Self::optional_condition(!is_stmt && ty.is_vector, &mut kept);
            if !is_stmt {
                let class = kept.node(after).class;
                let known = Guard { class, before, given: node, assumed };
                Rc::make_mut(&mut kept.presence).guards.push(known);
            }
            Self::set_guard(guard, after, &mut kept);
        }
        vec![(gone, Val::Expr(None)), (kept, Val::Expr(Some(new)))]
    }

    /// The value of a member that is read. A guard that may be undefined is found to be so or not.
    pub(super) fn asked_for(&mut self, name: &str, value: Val, state: State) -> Paths<Val> {
        let Val::Expr(Some(node)) = value else { return vec![(state, value)] };
        if !state.presence.optional.contains(&node) {
            return vec![(state, value)];
        }
        let (missing, present) = self.is_kind(node, Kind::Undefined, state);
        let mut paths = Vec::new();
        for mut state in missing {
            if let Some(slot) = state.members.iter_mut().find(|slot| slot.name == name) {
                slot.value = Val::Expr(None);
            }
            paths.push((state, Val::Expr(None)));
        }
        paths.extend(present.into_iter().map(|state| (state, Val::Expr(Some(node)))));
        paths
    }

    /// Records the guard where the method returns.
    pub(crate) fn close_presence(&self, state: &mut State) {
        if let Some(guard) = self.vanishing.and_then(|known| known.guard)
            && !self.is_concrete()
        {
            let last = Self::guard_of(guard, state);
            Rc::make_mut(&mut state.presence).last = last;
        }
    }

    /// The fact that the variable of a name has no value.
    pub(super) fn lost_by(&mut self, key: &Val, state: &State) -> Option<ValueId> {
        let (Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))) = key else { return None };
        let name =
            if state.node(*node).ty == Type::NAME { *node } else { Self::name_of(key, state)? };
        Some(self.lost(state.find(name)))
    }

    fn lost(&mut self, name: NodeId) -> ValueId {
        self.values.var(&format!("{LOST}{name}"), Domain::Bool)
    }

    /// The conditions under which `mutate` of a node does here what the class states: those that
    /// are assumed, and that no variable without an entry is without a value.
    fn assumed_of_lost(&mut self, of: NodeId, state: &State) -> Vec<Assumption> {
        let mut assumed = state.conditions();
        let mut names: Vec<NodeId> = Vec::new();
        for (index, node) in state.nodes.iter().enumerate() {
            if let Some(Shape { kind: Kind::Let | Kind::LetStmt, fields }) = &node.shape
                && (index == 0 || node.is_learnt)
                && let [Field::Expr(name), Field::Expr(value), ..] = fields.as_slice()
                // A variable is not visible in what it is bound to.
                && !state.occurs(of, *value)
            {
                names.push(state.find(*name));
            }
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            let lost = self.lost(name);
            if assumed.iter().any(|known| known.fact == Some(lost)) {
                continue;
            }
            let fact = Some(self.values.apply(Fun::Not, &[lost]));
            let (nodes, until) = (Vec::new(), Until::Block((0, 0)));
            assumed.push(Assumption { fact, is_trivial: false, nodes, until });
        }
        assumed
    }

    /// A condition that may be undefined.
    fn optional_condition(is_vector: bool, state: &mut State) -> NodeId {
        let node = state.add(Type::BOOL.with_vector(is_vector), None, None);
        let class = state.node(node).class;
        let presence = Rc::make_mut(&mut state.presence);
        presence.optional.push(node);
        presence.kept.push(Under { class, assumed: Vec::new() });
        node
    }

    /// The condition in the guard; `None` if there is none, which means that it is true. Nothing is
    /// known of it if the member's value is not known.
    pub(crate) fn guard_of(guard: &str, state: &mut State) -> Option<NodeId> {
        let slot = state.members.iter().find(|slot| slot.name == guard);
        match slot.map(|slot| &slot.value) {
            Some(Val::Expr(node)) => *node,
            _ => Some(Self::optional_condition(false, state)),
        }
    }

    fn set_guard(guard: &str, node: NodeId, state: &mut State) {
        state.members.retain(|slot| slot.name != guard);
        let value = Val::Expr(Some(node));
        state.members.push(Slot { name: guard.to_owned(), ty: "Expr".to_owned(), value });
    }
}
