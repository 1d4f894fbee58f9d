//! `mutate` of a node that is wholly known.

use halidom_cpp::ast::Function;

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::NodeId;
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::ir::visits::Visit;
use crate::machine::contracts;
use crate::machine::masks::{any_mask, is_masked};
use crate::machine::program::Program;
use crate::machine::run::{Machine, Operands, Outcome, Paths};

impl<'p> Machine<'p> {
    /// Runs `mutate` on a known node. Returns the node itself, a copy, or the result of the class's
    /// own mutator. Of a vector of truth values, a class that makes masks returns one.
    pub(crate) fn mutate_concretely(
        &mut self,
        node: NodeId,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if !self.makes_masks || !is_masked(state.node(node).ty) {
            return self.mutate_known(node, state, line);
        }
        if matches!(self.operands, Operands::Kept | Operands::Copied) {
            let mut state = state;
            let mask = any_mask(node, &mut state);
            self.leave_result(Some(mask), &mut state);
            return vec![(state, Val::Expr(Some(mask)))];
        }
        let mut paths = Vec::new();
        for (state, value) in self.mutate_known(node, state, line) {
            // A variable, load or call of this type, which the statement leaves out.
            if matches!(value, Val::Expr(Some(result)) if is_masked(state.node(result).ty)) {
                let what = "a vector of truth values that is left as it is";
                paths.extend(self.unsupported(state, what, line));
            } else {
                paths.push((state, value));
            }
        }
        paths
    }

    fn mutate_known(&mut self, node: NodeId, state: State, line: usize) -> Paths<Val> {
        if self.has_too_many_ends() {
            return Vec::new();
        }
        let kind = state.shape(node).map(|shape| shape.kind);
        let mut state = state;
        if self.operands == Operands::Copied {
            let (ty, class) = (state.node(node).ty, state.node(node).class);
            let shape = state.shape(node).cloned();
            let intrinsic = state.node(node).intrinsic.clone();
            let copy = state.add(ty, Some(class), shape);
            state.node_mut(copy).intrinsic = intrinsic;
            self.leave_result(Some(copy), &mut state);
            return vec![(state, Val::Expr(Some(copy)))];
        }
        if !matches!(self.operands, Operands::Mutated | Operands::Apart) {
            self.leave_result(Some(node), &mut state);
            return vec![(state, Val::Expr(Some(node)))];
        }
        if kind.is_none() {
            return self.unsupported(state, "mutate of what a rule returned", line);
        }
        if let Some(function) = self.own_mutate(node, &state) {
            let before = self.is_watched(function).then(|| state.clone());
            let mut paths = self.call(function, vec![Val::Expr(Some(node))], state);
            for (state, value) in &mut paths {
                if let Val::Expr(result) = value {
                    self.leave_result(*result, state);
                }
            }
            if let (Some(before), [(_, Val::Expr(Some(result)))]) = (before, paths.as_slice()) {
                self.watch(Visit { node, result: *result, before });
            }
            return paths;
        }
        let own = kind.and_then(|kind| self.method_for(&self.class.clone(), kind.name()));
        let (Some(function), Some(kind)) = (own, kind) else {
            let mut paths = self.mutate_operands(node, state, line);
            for (state, value) in &mut paths {
                if let Val::Expr(result) = value {
                    self.leave_result(*result, state);
                }
            }
            return paths;
        };
        let member = if state.node(node).ty == Type::STMT { "stmt" } else { "expr" };
        state.members.retain(|slot| !["expr", "stmt"].contains(&slot.name.as_str()));
        let arguments = Self::visit_arguments(function, node, kind);
        let mut paths = Vec::new();
        if !self.enter(node, &state, line) {
            return paths;
        }
        let before = self.is_watched(function).then(|| state.clone());
        let called = self.call(function, arguments, state);
        self.leave();
        for (mut state, value) in called {
            let result = match value {
                Val::Void => {
                    state.members.iter().find(|slot| slot.name == member).map(|s| s.value.clone())
                }
                Val::Ptr(Some((node, _))) => Some(Val::Expr(Some(node))),
                value => Some(value),
            };
            if let Some(Val::Expr(result)) = result {
                self.leave_result(result, &mut state);
            }
            if let (Kind::Variable, Some(Val::Expr(Some(made)))) = (kind, &result) {
                self.renamed.keep(node, *made, &state);
            }
            if let (Some(before), Some(Val::Expr(Some(result)))) = (&before, &result) {
                self.watch(Visit { node, result: *result, before: before.clone() });
            }
            match result {
                Some(value) => paths.push((state, value)),
                None => self.end(
                    state,
                    Outcome::Unsupported("a mutator without a result".to_owned()),
                    line,
                ),
            }
        }
        paths
    }

    /// Tests whether a `mutate` of the class runs, which may call that of the base.
    pub(super) fn is_in_mutate(&self) -> bool {
        let function = if self.visits.is_some() { self.running } else { self.method };
        function.is_some_and(contracts::is_mutate)
    }

    /// The class's own `mutate` for a node, in a run of the whole class.
    fn own_mutate(&mut self, node: NodeId, state: &State) -> Option<&'p Function> {
        if std::mem::take(&mut self.visits.as_mut()?.is_by_base) {
            return None;
        }
        let program: &'p Program = self.program;
        let ty = if state.node(node).ty == Type::STMT { "Stmt" } else { "Expr" };
        program.functions.iter().find(|function| {
            let first = function.parameters.first();
            function.class == self.class
                && contracts::is_mutate(function)
                && contracts::is_replaced(function)
                && first.is_some_and(|first| first.ty.trim_end_matches('&') == ty)
        })
    }

    /// Tests whether a function is the method that is examined, in a run of its whole class.
    fn is_watched(&self, function: &Function) -> bool {
        self.visits.is_some() && self.method.is_some_and(|method| std::ptr::eq(method, function))
    }

    /// Keeps a call of the method.
    fn watch(&mut self, visit: Visit) {
        if let Some(visits) = &mut self.visits {
            visits.all.push(visit);
        }
    }
}
