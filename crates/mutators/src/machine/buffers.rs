//! Classes that drop allocations of buffers that nothing uses (`RemoveDeadAllocations`).
//!
//! # Correctness
//!
//! Such a class has a table of the buffers that were allocated around and not used so far. It
//! states: the result of `mutate` has the effect of its argument, except that an allocation of a
//! buffer that is not used may be gone, and that a `Free` of a buffer in the table may be gone; and
//! a buffer that is in the table before and after `mutate` is not loaded or stored to in the
//! argument. The second part is shown by induction:
//!
//! * Nothing but the method of `Allocate` adds to the table, and only under the name that it binds.
//!   Every binder has its own name, so no entry of another buffer comes back.
//! * At the end of each path of the methods of `Load` and `Store`, the table has no entry of their
//!   buffer: the path removed it, or `contains` told that it is not there. Both methods exist. The
//!   same holds of `Atomic` and the buffer of its mutex, in compilers that have mutexes.
//! * Each method visits all operands of its node: it ends with the `visit` of the base class and
//!   returns nowhere else, or its node has none. The method of `Allocate` mutates the body. The
//!   sizes and the condition of an allocation are assumed not to read buffers that are allocated
//!   around it.
//!
//! * A path on which `contains` found the entry returns the result of a `mutate` that ran after the
//!   entry was added, or an allocation of it: in nothing else are all `Free` of the buffer gone.
//!
//! So where `contains` finds the entry that a method of `Allocate` added before it mutated the
//! body, the body does not use the buffer. Which other expressions use a buffer, as a call to which
//! its address is given, is not judged.

use halidom_cpp::ast::{ExprKind, Function, StmtKind};

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::contracts::{is_mutate, unused_table};
use crate::machine::helpers::only_calls;
use crate::machine::program::is_root;
use crate::machine::run::Machine;

/// The methods of the table that a class may call.
const TABLE: [&str; 3] = ["contains", "push", "pop"];

impl Machine<'_> {
    /// The table of unused buffers of the class that runs, if the class states that it drops
    /// unused allocations and has a form in which that can be shown.
    pub(crate) fn table_of_unused(&self) -> Option<&'static str> {
        let table = unused_table(&self.class)?;
        let program = self.program;
        let own = || program.functions.iter().filter(|function| function.class == self.class);
        let has = |kind| self.method_for(&self.class, kind).is_some();
        let is_plain = !self.is_concrete()
            && self.classes_of(&self.class).iter().skip(1).all(|base| is_root(base))
            && program.classes.iter().all(|class| !class.bases.contains(&self.class))
            && own()
                .all(|function| !is_mutate(function) && only_calls(&function.text, table, &TABLE))
            && has(Kind::Load.name())
            && has(Kind::Store.name())
            && (!has_mutexes(self.profile.name) || has(Kind::Atomic.name()));
        is_plain.then_some(table)
    }

    /// Records that a buffer is added to the table.
    pub(super) fn begins_buffer(&self, table: &str, key: &Val, state: &mut State) {
        if self.table_of_unused() == Some(table) {
            let count = state.mutated.len();
            state.buffers.absent.clear();
            state.buffers.added.push((key.clone(), count));
        }
    }

    /// Records that a buffer is removed from the table.
    pub(super) fn uses_buffer(&self, table: &str, key: &Val, state: &mut State) {
        if self.table_of_unused() == Some(table) && !self.is_vague(key) {
            state.buffers.absent.push(key.clone());
        }
    }

    /// Records what `contains` tells of a buffer, on the path on which it is in the table and on
    /// the other one.
    pub(super) fn asks_for_buffer(&self, table: &str, key: &Val, paths: [&mut State; 2]) {
        if self.table_of_unused() != Some(table) || self.is_vague(key) {
            return;
        }
        let [holds, fails] = paths;
        fails.buffers.absent.push(key.clone());
        let is_it = |(of, _): &&(Val, usize)| Self::is_same_key(of, key, holds);
        let Some((_, count)) = holds.buffers.added.iter().rfind(is_it) else { return };
        let mutated = &holds.mutated[*count..];
        let classes = mutated.iter().map(|(node, _)| holds.node(*node).class).collect();
        holds.buffers.without_free = mutated.iter().map(|(_, result)| *result).collect();
        if let Some(name) = Self::name_of(key, holds) {
            holds.buffers.unused.push((name, classes));
        }
    }

    /// The condition that the end of a path of a method does not show, if the class states that it
    /// drops unused allocations.
    pub(crate) fn unshown_use(
        &self,
        function: &Function,
        kind: Kind,
        input: NodeId,
        (result, state): (&Val, &State),
    ) -> Option<&'static str> {
        unused_table(&self.class)?;
        if self.table_of_unused().is_none() {
            return Some("a class of another form may not show which buffers are used");
        }
        let name = state.shape(input).and_then(|shape| match shape.fields.first() {
            Some(Field::Expr(name)) => Some(Val::Expr(Some(*name))),
            _ => None,
        });
        let is_own = |key: &Val| {
            !self.is_vague(key)
                && name.as_ref().is_some_and(|name| Self::is_same_key(key, name, state))
        };
        if !state.buffers.added.iter().all(|(key, _)| kind == Kind::Allocate && is_own(key)) {
            return Some("a buffer that was used may come back to the table");
        }
        if matches!(kind, Kind::Load | Kind::Store) && !state.buffers.absent.iter().any(is_own) {
            return Some("a buffer that is used may stay in the table");
        }
        let mutex = Self::mutex_of(input, state);
        let is_mutex = |key: &Val| mutex.is_some_and(|mutex| *key == Val::Opaque(mutex));
        if kind == Kind::Atomic && !state.buffers.absent.iter().any(is_mutex) {
            return Some("a buffer that is a mutex may stay in the table");
        }
        // An allocation that stays may lack its `Free` as well.
        let is_gone = |result: NodeId| {
            state.buffers.without_free.iter().any(|of| state.find(*of) == state.find(result))
        };
        let result = match result {
            Val::Expr(result) => *result,
            _ => None,
        };
        let body = result.and_then(|of| Self::body_of(Kind::Allocate, of, state));
        if !state.buffers.unused.is_empty() && ![result, body].into_iter().flatten().any(is_gone) {
            return Some("a `Free` may stay whose allocation is gone");
        }
        let is_visited = match kind {
            Kind::Variable | Kind::Free => true,
            Kind::Allocate => Self::mutates_body(kind, input, state),
            _ => visits_all(function),
        };
        (!is_visited).then_some("an operand that is not visited may use a buffer")
    }

    /// The name of the mutex of an update that is done at once.
    fn mutex_of(node: NodeId, state: &State) -> Option<u32> {
        let at = Kind::Atomic.fields().iter().position(|(name, _)| *name == "mutex_name")?;
        let shape = state.shape(node).filter(|shape| shape.kind == Kind::Atomic)?;
        match shape.fields.get(at)? {
            Field::Opaque(name) => Some(*name),
            Field::Expr(_) | Field::Number(_) | Field::Lanes => None,
        }
    }

    /// The body of a node of a kind.
    fn body_of(kind: Kind, node: NodeId, state: &State) -> Option<NodeId> {
        let body = kind.fields().iter().position(|(name, _)| *name == "body")?;
        let shape = state.shape(node).filter(|shape| shape.kind == kind)?;
        match shape.fields.get(body)? {
            Field::Expr(body) => Some(*body),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
        }
    }

    fn mutates_body(kind: Kind, input: NodeId, state: &State) -> bool {
        Self::body_of(kind, input, state).is_some_and(|body| {
            state.mutated.iter().any(|(node, _)| state.find(*node) == state.find(body))
        })
    }

    /// Tests whether a buffer that a `Free` ends is in the table.
    pub(crate) fn frees_unused(&self, input: NodeId, state: &State) -> bool {
        let Some(table) = self.table_of_unused() else { return false };
        let Some(Field::Expr(name)) = state.shape(input).and_then(|shape| shape.fields.first())
        else {
            return false;
        };
        let name = Val::Expr(Some(*name));
        let mut known = state.scopes.known.iter();
        known.any(|(of, key)| of == table && Self::is_same_key(key, &name, state))
    }
}

/// Tests whether a compiler has updates that are done at once under a mutex, which is a buffer
/// (`AddAtomicMutex.cpp`).
fn has_mutexes(profile: &str) -> bool {
    profile == "halide"
}

/// Tests whether a method ends with the `visit` of the base class and returns nowhere else.
fn visits_all(function: &Function) -> bool {
    let Some((last, before)) = function.body.split_last() else { return false };
    let (StmtKind::Expr(call) | StmtKind::Return(Some(call))) = &last.kind else { return false };
    let ExprKind::Call { callee, arguments, .. } = &call.kind else { return false };
    let is_visit = matches!(&callee.kind, ExprKind::Name(name) if name == "IRMutator::visit");
    let is_op = matches!(arguments.as_slice(), [of] if of.kind == ExprKind::Name("op".to_owned()));
    let is_first = function.parameters.first().is_some_and(|first| first.name == "op");
    is_visit && is_op && is_first && !before.iter().any(returns) && !function.may_write(0)
}

/// Tests whether a statement may leave the function, or is not read.
fn returns(stmt: &halidom_cpp::ast::Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => {
            returns(then) || otherwise.as_ref().is_some_and(|stmt| returns(stmt))
        }
        StmtKind::Block(stmts) => stmts.iter().any(returns),
        StmtKind::While(_, body) | StmtKind::ForEach(_, _, body) | StmtKind::For { body, .. } => {
            returns(body)
        }
        StmtKind::Declare(_) | StmtKind::Expr(_) | StmtKind::Nothing => false,
        StmtKind::Return(_)
        | StmtKind::Switch(..)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Struct(_)
        | StmtKind::Other(_) => true,
    }
}
