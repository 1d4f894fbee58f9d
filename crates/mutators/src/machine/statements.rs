//! Statements, loops and their control flow.

use std::rc::Rc;

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, Stmt, StmtKind};
use halidom_rewrites::rules::{Domain, Node};

use crate::ir::state::{Slot, State};
use crate::ir::value::Val;
use crate::machine::run::{Flow, MAX_CONCRETE_ITERATIONS, MAX_ITERATIONS, Machine, Outcome, Paths};

impl<'p> Machine<'p> {
    /// Runs statements in a new scope.
    pub(crate) fn block(&mut self, stmts: &'p [Stmt], state: State) -> Paths<Flow> {
        let depth = state.depth();
        let mut paths = self.sequence(stmts, state);
        if paths.iter().any(|(state, _)| state.is_bound()) {
            let ended = std::mem::take(&mut paths).into_iter();
            paths = ended
                .flat_map(|(state, flow)| {
                    let here = (state.frames.len(), depth);
                    self.unbind_scopes(here, state, flow)
                })
                .collect();
        }
        for (state, _) in &mut paths {
            state.leave(depth);
            let here = state.frames.len();
            state.assumed.retain(|known| known.until.outlives(here, depth));
        }
        paths
    }

    fn sequence(&mut self, stmts: &'p [Stmt], state: State) -> Paths<Flow> {
        let mut done = Vec::new();
        let mut running = vec![state];
        for stmt in stmts {
            if self.shows_nothing() {
                return Vec::new();
            }
            let mut next = Vec::new();
            for state in running {
                for (state, flow) in self.stmt(stmt, state) {
                    match flow {
                        Flow::Next => next.push(state),
                        flow => done.push((state, flow)),
                    }
                }
            }
            running = next;
            if self.is_exhausted(running.len()) {
                // One path reports it; the others would report the same.
                let told = self.is_told;
                for state in running.drain(..).take(usize::from(!told)) {
                    self.is_told = true;
                    let what = "more paths than are followed".to_owned();
                    self.end(state, Outcome::Unsupported(what), stmt.line);
                }
                break;
            }
        }
        done.extend(running.into_iter().map(|state| (state, Flow::Next)));
        done
    }

    fn stmt(&mut self, stmt: &'p Stmt, state: State) -> Paths<Flow> {
        self.line = stmt.line;
        let next = |paths: Vec<State>| paths.into_iter().map(|s| (s, Flow::Next)).collect();
        match &stmt.kind {
            StmtKind::Nothing => vec![(state, Flow::Next)],
            StmtKind::Declare(declared) => {
                let mut states = vec![state];
                for declared in declared {
                    states = states.into_iter().flat_map(|s| self.declare(declared, s)).collect();
                }
                next(states)
            }
            StmtKind::Expr(expr) => {
                let mut states = Vec::new();
                for (state, _) in self.effect(expr, state) {
                    states.push(state);
                }
                next(states)
            }
            StmtKind::Block(stmts) => self.block(stmts, state),
            StmtKind::Return(None) => vec![(state, Flow::Return(Val::Void))],
            StmtKind::Return(Some(value)) => self
                .eval(value, state)
                .into_iter()
                .map(|(mut state, value)| {
                    state.at = stmt.line;
                    (state, Flow::Return(value))
                })
                .collect(),
            StmtKind::If { declared, condition, then, otherwise } => {
                let depth = state.depth();
                let (holds, fails) = match (declared, condition) {
                    (Some(declared), _) => {
                        let mut both = (Vec::new(), Vec::new());
                        for state in self.declare(declared, state) {
                            let last = state.frames.last().and_then(|frame| frame.last());
                            let value = last.map(|slot| slot.value.clone());
                            let (holds, fails) =
                                self.truth(&value.unwrap_or(Val::Unknown), state, stmt.line);
                            both.0.extend(holds);
                            both.1.extend(fails);
                        }
                        both
                    }
                    (None, Some(condition)) => self.condition(condition, state),
                    (None, None) => return self.unsupported(state, "an if", stmt.line),
                };
                let mut paths = Vec::new();
                for state in holds {
                    paths.extend(self.block(std::slice::from_ref(&**then), state));
                }
                for state in fails {
                    match otherwise {
                        Some(stmt) => {
                            paths.extend(self.block(std::slice::from_ref(&**stmt), state));
                        }
                        None => paths.push((state, Flow::Next)),
                    }
                }
                for (state, _) in &mut paths {
                    state.leave(depth);
                }
                paths
            }
            StmtKind::While(condition, body) => {
                self.iterate(Some(condition), None, body, state, stmt.line)
            }
            StmtKind::For { first, condition, step, body } => {
                let depth = state.depth();
                let begun = match first {
                    Some(first) => self.stmt(first, state),
                    None => vec![(state, Flow::Next)],
                };
                let mut paths = Vec::new();
                for (state, _) in begun {
                    paths.extend(self.iterate(
                        condition.as_ref(),
                        step.as_ref(),
                        body,
                        state,
                        stmt.line,
                    ));
                }
                for (state, _) in &mut paths {
                    state.leave(depth);
                }
                paths
            }
            StmtKind::Break => vec![(state, Flow::Break)],
            StmtKind::Continue => vec![(state, Flow::Continue)],
            StmtKind::ForEach(declared, range, body) => {
                self.for_each(declared, range, body, state, stmt.line)
            }
            StmtKind::Switch(value, arms) => self.switch(value, arms, state, stmt.line),
            StmtKind::Other(what) => self.unsupported(state, what.clone(), stmt.line),
        }
    }

    fn iterate(
        &mut self,
        condition: Option<&'p Expr>,
        step: Option<&'p Expr>,
        body: &'p Stmt,
        state: State,
        line: usize,
    ) -> Paths<Flow> {
        let mut done = Vec::new();
        let mut running = vec![state];
        let most = if self.is_concrete() { MAX_CONCRETE_ITERATIONS } else { MAX_ITERATIONS };
        let bound = || format!("loops of at most {MAX_ITERATIONS} iterations");
        for iteration in 0..=most {
            if running.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for state in running {
                let (holds, fails) = match condition {
                    Some(condition) => self.branch(condition, state),
                    None => (vec![state], Vec::new()),
                };
                done.extend(fails.into_iter().map(|state| (state, Flow::Next)));
                for state in holds {
                    if iteration == MAX_ITERATIONS && !self.is_concrete() {
                        self.end(state, Outcome::Bounded(bound()), line);
                        continue;
                    }
                    for (state, flow) in self.block(std::slice::from_ref(body), state) {
                        match flow {
                            Flow::Return(_) => done.push((state, flow)),
                            Flow::Break => done.push((state, Flow::Next)),
                            Flow::Next | Flow::Continue => match step {
                                Some(step) => next.extend(
                                    self.effect(step, state).into_iter().map(|(state, _)| state),
                                ),
                                None => next.push(state),
                            },
                        }
                    }
                }
            }
            running = next;
        }
        for state in running {
            self.end(state, Outcome::Bounded(bound()), line);
        }
        done
    }

    /// `switch`: runs the first arm whose label is the value, else the default arm, and the arms
    /// after it up to a `break`.
    fn switch(
        &mut self,
        value: &'p Expr,
        arms: &'p [(Option<Expr>, Vec<Stmt>)],
        state: State,
        line: usize,
    ) -> Paths<Flow> {
        let mut done = Vec::new();
        for (state, value) in self.eval(value, state) {
            let mut open = vec![state];
            let mut entered: Vec<(usize, State)> = Vec::new();
            for (index, (label, _)) in arms.iter().enumerate() {
                let Some(label) = label else { continue };
                let mut next = Vec::new();
                for state in open {
                    for (state, label) in self.eval(label, state) {
                        for (state, met) in self.binary(Sign::Eq, value.clone(), label, state, line)
                        {
                            let (is_met, other) = self.truth(&met, state, line);
                            entered.extend(is_met.into_iter().map(|state| (index, state)));
                            next.extend(other);
                        }
                    }
                }
                open = next;
            }
            match arms.iter().position(|(label, _)| label.is_none()) {
                Some(default) => entered.extend(open.into_iter().map(|state| (default, state))),
                None => done.extend(open.into_iter().map(|state| (state, Flow::Next))),
            }
            for (first, state) in entered {
                let mut running = vec![state];
                for (_, body) in &arms[first..] {
                    let mut next = Vec::new();
                    for state in running {
                        for (state, flow) in self.block(body, state) {
                            match flow {
                                Flow::Next => next.push(state),
                                Flow::Break => done.push((state, Flow::Next)),
                                Flow::Return(_) | Flow::Continue => done.push((state, flow)),
                            }
                        }
                    }
                    running = next;
                }
                done.extend(running.into_iter().map(|state| (state, Flow::Next)));
            }
        }
        done
    }

    /// `for (variable : range)`.
    fn for_each(
        &mut self,
        declared: &'p Declared,
        range: &'p Expr,
        body: &'p Stmt,
        state: State,
        line: usize,
    ) -> Paths<Flow> {
        let mut done = Vec::new();
        for (state, range) in self.eval(range, state) {
            if let Val::Handle(of) = &range
                && !range.is_info()
                && !self.is_concrete()
            {
                let element = Val::Handle(format!("{of}[]"));
                done.extend(self.for_any(declared, &element, body, state, line));
                continue;
            }
            for (mut state, values) in self.as_list(&range, state, line) {
                let depth = state.frame().len();
                let mut running = vec![state];
                for value in values {
                    let mut next = Vec::new();
                    for mut state in running {
                        let value = self.coerce(&declared.ty, value.clone(), &mut state);
                        let (name, ty) = (declared.name.clone(), declared.ty.clone());
                        state.frame().push(Slot { name, ty, value });
                        for (mut state, flow) in self.block(std::slice::from_ref(body), state) {
                            state.frame().truncate(depth);
                            match flow {
                                Flow::Next | Flow::Continue => next.push(state),
                                Flow::Break => done.push((state, Flow::Next)),
                                Flow::Return(_) => done.push((state, flow)),
                            }
                        }
                    }
                    running = next;
                }
                done.extend(running.into_iter().map(|state| (state, Flow::Next)));
            }
        }
        done
    }

    /// Runs a loop over any number of unknown elements: it has no iteration, or a last iteration
    /// before which the loop may have made all its assignments.
    fn for_any(
        &mut self,
        declared: &'p Declared,
        element: &Val,
        body: &'p Stmt,
        state: State,
        line: usize,
    ) -> Paths<Flow> {
        let depth = state.depth();
        let iteration = |machine: &mut Self, state: &State| {
            let mut state = state.clone();
            let slot = Slot {
                name: declared.name.clone(),
                ty: declared.ty.clone(),
                value: element.clone(),
            };
            state.frame().push(slot);
            let mut paths = machine.block(std::slice::from_ref(body), state);
            for (state, _) in &mut paths {
                state.leave(depth);
            }
            paths
        };
        let ends = self.ends.len();
        let mut before = state.clone();
        // An iteration that begins with any values in the assigned variables covers every
        // iteration.
        for _ in 0..2 {
            for (after, _) in iteration(self, &before) {
                if !self.forget(&after, &mut before) {
                    return self.unsupported(state, "what a loop assigns", line);
                }
            }
        }
        let is_stable =
            iteration(self, &before).iter().all(|(after, _)| !self.is_changed(&before, after));
        self.ends.truncate(ends);
        if !is_stable {
            return self.unsupported(state, "what a loop assigns", line);
        }
        let mut done = vec![(state, Flow::Next)];
        for (mut state, flow) in iteration(self, &before) {
            Self::looped(&before, &mut state, line);
            done.push(match flow {
                Flow::Return(_) => (state, flow),
                Flow::Next | Flow::Break | Flow::Continue => (state, Flow::Next),
            });
        }
        done
    }

    /// Tests whether a variable has another value, except for variables that are unknown anyway.
    fn is_changed(&self, before: &State, after: &State) -> bool {
        let is_any = |value: &Val| match value {
            Val::Bool(term) => {
                matches!(self.values.node(*term), Node::Var(index)
                    if self.values.vars()[*index as usize].0.starts_with(HAVOC))
            }
            _ => false,
        };
        let differs = |old: &Val, new: &Val| old != new && !is_any(old);
        before.members.len() != after.members.len()
            || before.members.iter().any(|old| {
                !after
                    .members
                    .iter()
                    .any(|new| new.name == old.name && !differs(&old.value, &new.value))
            })
            || before.frames.iter().zip(&after.frames).any(|(old, new)| {
                old.iter().zip(&**new).any(|(old, new)| differs(&old.value, &new.value))
            })
    }

    /// Replaces assigned truth values by any truth value. Returns false if something else was
    /// assigned.
    fn forget(&mut self, after: &State, before: &mut State) -> bool {
        let frames: Vec<_> = before.frames.iter().zip(&after.frames).enumerate().collect();
        let mut changed = Vec::new();
        for (frame, (old, new)) in frames {
            for (index, (old, new)) in old.iter().zip(&**new).enumerate() {
                if old.value != new.value {
                    let Val::Bool(_) = old.value else { return false };
                    changed.push((frame, index));
                }
            }
        }
        for (frame, index) in changed {
            let any = self.fresh_name(HAVOC);
            let any = Val::Bool(self.values.var(&any, Domain::Bool));
            Rc::make_mut(&mut before.frames[frame])[index].value = any;
        }
        before.members.len() == after.members.len()
            && before.members.iter().all(|old| {
                after.members.iter().any(|new| new.name == old.name && new.value == old.value)
            })
    }
}

/// The prefix of the names of truth values that loops may have assigned.
const HAVOC: &str = "assigned";
