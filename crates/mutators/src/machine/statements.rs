//! Statements, loops and their control flow.

use std::rc::Rc;

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Stmt, StmtKind};
use halidom_rewrites::rules::{Domain, Node, ValueId};

use crate::ir::state::{Slot, State};
use crate::ir::value::{Num, Place, Val};
use crate::machine::backwards::has_length;
use crate::machine::given::given;
use crate::machine::helpers::READS;
use crate::machine::info::is_report;
use crate::machine::references::MAY_REFER;
use crate::machine::run::{Flow, MAX_CONCRETE_ITERATIONS, MAX_ITERATIONS, Machine, Outcome, Paths};
use crate::machine::types::integer_type;

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
                self.give_up(running.drain(..), stmt.line);
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
            StmtKind::Nothing | StmtKind::Struct(_) => vec![(state, Flow::Next)],
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
                let rest = [condition.as_ref(), step.as_ref()];
                if !self.is_concrete() && Self::only_reports(first.as_deref(), rest, body, &state) {
                    return vec![(state, Flow::Next)];
                }
                if let Some(paths) = self.backwards(first.as_deref(), rest, body, &state) {
                    return paths;
                }
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

    /// Tests whether an expression is a member of a node, which nothing changes.
    fn is_of_node(expr: &Expr, state: &State) -> bool {
        let ExprKind::Member { object, arrow: true, .. } = &expr.kind else { return false };
        let ExprKind::Name(name) = &object.kind else { return false };
        Self::find_variable(name, state)
            .and_then(|place| Self::load(&place, state))
            .is_some_and(|slot| matches!(slot.value, Val::Ptr(Some(_))))
    }

    /// Tests whether a loop only changes the report that the caller asks for, and reads no number
    /// of it: each statement adds reports, and the loop counts by a variable of its own.
    fn only_reports(
        first: Option<&Stmt>,
        [condition, step]: [Option<&Expr>; 2],
        body: &Stmt,
        state: &State,
    ) -> bool {
        let (counter, (bits, is_signed)) = match first.map(|first| &first.kind) {
            Some(StmtKind::Declare(all)) => match all.as_slice() {
                [Declared { name, ty, value: Some(value), .. }]
                    if matches!(value.kind, ExprKind::Integer(..))
                        && let Some(own) = integer_type(ty) =>
                {
                    (name, own)
                }
                _ => return false,
            },
            _ => return false,
        };
        // Else the counter may never reach the limit.
        let (_, most) = Num::range(bits, is_signed);
        let is_counter =
            |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if name == counter);
        let is_limited = condition.is_some_and(|condition| {
            matches!(&condition.kind, ExprKind::Binary(Sign::Lt, of, limit)
            if is_counter(of)
                && matches!(&limit.kind, ExprKind::Name(name) if name != counter
                    && Self::find_variable(name, state)
                        .and_then(|place| Self::load(&place, state))
                        .is_some_and(|slot| {
                            matches!(slot.value, Val::Int(num)
                                if num.is_signed == is_signed && num.high <= most)
                        })))
        });
        let is_step = step.is_some_and(|step| {
            matches!(&step.kind, ExprKind::Prefix(Sign::Increment, of)
                | ExprKind::Postfix(Sign::Increment, of) if is_counter(of))
        });
        let is_asked = |expr: &Expr| match &expr.kind {
            ExprKind::Member { object, arrow: true, .. } => match &object.kind {
                ExprKind::Name(name) => Self::find_variable(name, state)
                    .and_then(|place| Self::load(&place, state))
                    .is_some_and(|slot| {
                        slot.value.is_info()
                            && given(&slot.value)
                                .is_some_and(|of| state.is_something(of) == Some(true))
                    }),
                _ => false,
            },
            _ => false,
        };
        let is_report = |expr: &Expr| match &expr.kind {
            ExprKind::Name(name) => Self::find_variable(name, state)
                .and_then(|place| Self::load(&place, state))
                .is_some_and(|slot| slot.value.is_info() || is_report(&slot.value)),
            _ => is_asked(expr),
        };
        let adds = |stmt: &Stmt| {
            matches!(&stmt.kind, StmtKind::Expr(expr)
            if matches!(&expr.kind, ExprKind::Assign(None, lhs, rhs)
                if is_asked(lhs)
                    && matches!(&rhs.kind, ExprKind::Binary(Sign::Add, a, b)
                        if is_report(a) && is_report(b))))
        };
        is_limited
            && is_step
            && match &body.kind {
                StmtKind::Block(stmts) => stmts.iter().all(adds),
                _ => adds(body),
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
                let later = || arms[first..].iter().flat_map(|(_, body)| body);
                if arms[..first].iter().any(|(_, body)| {
                    names_in(body).any(|name| later().any(|stmt| mentions(stmt, name)))
                }) {
                    done.extend(self.unsupported(state, ONE_SCOPE, line));
                    continue;
                }
                let mut running = vec![state];
                for (index, (_, body)) in arms.iter().enumerate().skip(first) {
                    let is_last = index + 1 == arms.len();
                    let mut next = Vec::new();
                    for state in running {
                        for (state, flow) in self.block(body, state) {
                            match flow {
                                Flow::Next if !is_last && names_in(body).next().is_some() => {
                                    done.extend(self.unsupported(state, ONE_SCOPE, line));
                                }
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
        let elements = range;
        for (state, range) in self.eval(range, state) {
            let unknown = match &range {
                Val::Handle(of) if !range.is_info() => Some(of.clone()),
                Val::Opaque(id) => Some(format!("member {id}")),
                _ => None,
            };
            if let Some(of) = unknown.filter(|_| !self.is_concrete()) {
                let element = Val::Handle(format!("{of}[]"));
                let begin = state.clone();
                let mut paths = self.for_any(declared, &element, body, state, line);
                for (state, _) in &mut paths {
                    if self.may_have_changed(&of, &begin, state) {
                        state.lost = Some("a loop over a container that other methods may change");
                    }
                }
                // An element may have been changed by the reference to it.
                if declared.ty.ends_with('&')
                    && (assigns(body, &declared.name) || self.passes(body, &declared.name))
                {
                    let place = match &elements.kind {
                        ExprKind::Name(name) => Some(name),
                        _ => None,
                    };
                    for (state, _) in &mut paths {
                        let place = place.and_then(|name| Self::find_variable(name, state));
                        let changed = Val::Handle(self.fresh_name("changed"));
                        match place {
                            Some(place) => self.store(&place, changed, state),
                            None => state.lost = Some("a change of an element"),
                        }
                    }
                }
                done.extend(paths);
                continue;
            }
            if self.may_refer(&declared.ty) {
                done.extend(self.unsupported(state, MAY_REFER, line));
                continue;
            }
            // Each element is read when its iteration begins.
            let place = self.place_of(elements, &state);
            let is_list = matches!(range, Val::List(_));
            if place.is_none()
                && is_list
                && !Self::is_of_node(elements, &state)
                && self.is_kept(elements, &state)
                && self.changes(body, &state)
            {
                let what = "a loop over elements whose place is not followed";
                done.extend(self.unsupported(state, what, line));
                continue;
            }
            for (mut state, values) in self.as_list(&range, state, line) {
                let lenders = self.lenders(elements, &range, &mut state);
                let depth = state.frame().len();
                let length = values.len();
                // Of a map, all entries must stay.
                let stays = |state: &State| match &place {
                    Some(place) if is_list => has_length(place, length, state),
                    Some(place) => Self::load(place, state).is_some_and(|it| it.value == range),
                    None => true,
                };
                let mut running = vec![state];
                for (index, value) in values.into_iter().enumerate() {
                    let mut next = Vec::new();
                    for mut state in running {
                        let of = declared.ty.trim_end_matches('&');
                        let value = match &place {
                            Some(place) if is_list => {
                                let part = Place::Part(Box::new(place.clone()), index.to_string());
                                let value = Val::Reference(part);
                                let is_bound = declared.ty.ends_with('&');
                                if is_bound { value } else { Self::loaded(value, &state) }
                            }
                            _ => value.clone(),
                        };
                        let value = self.bind(of, value, &mut state);
                        let value = self.coerce(&declared.ty, value, &mut state);
                        self.borrows_from(&lenders, &declared.ty, &value, &mut state);
                        // The iterator, which a change of the vector would end.
                        if is_list && let Some(place) = &place {
                            let part = Place::Part(Box::new(place.clone()), index.to_string());
                            let (name, ty) = ("an iterator".to_owned(), "auto&".to_owned());
                            state.frame().push(Slot { name, ty, value: Val::Reference(part) });
                        }
                        let (name, ty) = (declared.name.clone(), declared.ty.clone());
                        state.frame().push(Slot { name, ty, value });
                        for (mut state, flow) in self.block(std::slice::from_ref(body), state) {
                            state.frame().truncate(depth);
                            if matches!(flow, Flow::Next | Flow::Continue) && !stays(&state) {
                                let what = "a vector that its loop changes";
                                done.extend(self.unsupported(state, what, body.line));
                                continue;
                            }
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

    /// Tests whether a statement may change something.
    fn changes(&self, stmt: &Stmt, state: &State) -> bool {
        let mut found = false;
        stmt.visit(&mut |part| found |= self.has_effect(part, state));
        found
    }

    /// Tests whether a statement passes a variable to a function of the program that takes a
    /// reference.
    fn passes(&self, stmt: &Stmt, name: &str) -> bool {
        let mut found = false;
        stmt.visit(&mut |part| {
            if let ExprKind::Call { callee, arguments, .. } = &part.kind
                && let ExprKind::Name(called) | ExprKind::Member { name: called, .. } = &callee.kind
            {
                let given = arguments
                    .iter()
                    .position(|argument| argument.kind == ExprKind::Name(name.to_owned()));
                found |= given.is_some_and(|index| {
                    self.program.functions.iter().any(|function| {
                        function.name == *called
                            && function
                                .parameters
                                .get(index)
                                .is_some_and(|parameter| parameter.ty.ends_with('&'))
                    })
                });
            }
        });
        found
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
        // What is found here is found again below.
        let (ends, is_told) = (self.ends.len(), self.is_told);
        let mut before = state.clone();
        before.filled.clear();
        before.entries.clear();
        // An iteration that begins with any values in the assigned variables covers every
        // iteration.
        for _ in 0..3 {
            for (after, _) in iteration(self, &before) {
                self.forget(&after, &mut before);
            }
        }
        let is_stable =
            iteration(self, &before).iter().all(|(after, _)| !self.is_changed(&before, after));
        self.ends.truncate(ends);
        self.is_told = is_told;
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
        let differs = |old: &Val, new: &Val, after: &State| {
            old != new && !self.is_any(old, new, before, after)
        };
        before.members.len() != after.members.len()
            || before.members.iter().any(|old| {
                !after
                    .members
                    .iter()
                    .any(|new| new.name == old.name && !differs(&old.value, &new.value, after))
            })
            || before.frames.iter().zip(&after.frames).any(|(old, new)| {
                old.iter().zip(&**new).any(|(old, new)| differs(&old.value, &new.value, after))
            })
    }

    /// Tests whether a value that a loop may have assigned stands for another one, too.
    fn is_any(&self, any: &Val, value: &Val, before: &State, after: &State) -> bool {
        let is_havoc = |term: ValueId| {
            matches!(self.values.node(term), Node::Var(index)
                if self.values.vars()[*index as usize].0.starts_with(HAVOC))
        };
        match (any, value) {
            (Val::Bool(term), Val::Bool(_)) => is_havoc(*term),
            (Val::Int(any), Val::Int(value)) => {
                is_havoc(any.term) && (any.bits, any.is_signed) == (value.bits, value.is_signed)
            }
            (Val::Expr(Some(any)), Val::Expr(Some(value))) => {
                before.assigned.contains(any) && before.node(*any).ty == after.node(*value).ty
            }
            (Val::Handle(of), _) => of.starts_with(HAVOC),
            _ => false,
        }
    }

    /// Replaces assigned values by any values.
    fn forget(&mut self, after: &State, before: &mut State) {
        let mut places = Vec::new();
        for (frame, (old, new)) in before.frames.iter().zip(&after.frames).enumerate() {
            for (index, (old, new)) in old.iter().zip(&**new).enumerate() {
                if old.value != new.value && !self.is_any(&old.value, &new.value, before, after) {
                    places.push((frame, index, old.value.clone(), new.value.clone()));
                }
            }
        }
        for (frame, index, old, new) in places {
            let any = self.any_of(&old, &new, before, after);
            Rc::make_mut(&mut before.frames[frame])[index].value = any;
        }
        for slot in &after.members {
            let known = before.members.iter().position(|old| old.name == slot.name);
            let Some(known) = known else {
                // A member that the loop assigns first can be anything before.
                let any = Val::Handle(self.fresh_name(HAVOC));
                before.members.push(Slot { value: any, ..slot.clone() });
                continue;
            };
            let old = before.members[known].value.clone();
            if old != slot.value && !self.is_any(&old, &slot.value, before, after) {
                before.members[known].value = self.any_of(&old, &slot.value, before, after);
            }
        }
    }

    /// Any value that two values of a variable are examples of.
    fn any_of(&mut self, old: &Val, new: &Val, before: &mut State, after: &State) -> Val {
        let any = self.fresh_name(HAVOC);
        match (old, new) {
            (Val::Bool(_), Val::Bool(_)) => Val::Bool(self.values.var(&any, Domain::Bool)),
            (Val::Int(old), Val::Int(new))
                if (old.bits, old.is_signed) == (new.bits, new.is_signed) =>
            {
                Val::Int(self.any_number(&any, old.bits, old.is_signed))
            }
            (Val::Expr(Some(old)), Val::Expr(Some(new)))
                if before.node(*old).ty == after.node(*new).ty =>
            {
                let ty = before.node(*old).ty;
                let node = before.add(ty, None, None);
                before.assigned.push(node);
                Val::Expr(Some(node))
            }
            _ => Val::Handle(any),
        }
    }
}

/// The reason why a path becomes unsupported that runs an arm of a `switch` after one that
/// declares a name.
const ONE_SCOPE: &str = "a name that one arm of a `switch` declares for the next";

/// The names that statements declare for the statements after them.
fn names_in(stmts: &[Stmt]) -> impl Iterator<Item = &str> {
    stmts.iter().flat_map(|stmt| match &stmt.kind {
        StmtKind::Declare(all) => all.iter().map(|declared| declared.name.as_str()).collect(),
        StmtKind::Struct(local) => vec![local.class.name.as_str()],
        _ => Vec::new(),
    })
}

/// Tests whether a statement mentions a name.
fn mentions(stmt: &Stmt, name: &str) -> bool {
    halidom_cpp::words(&format!("{stmt:?}")).any(|word| word == name)
}

/// Tests whether a statement assigns a variable or a part of it, or calls one of its methods.
fn assigns(stmt: &Stmt, name: &str) -> bool {
    fn root(expr: &Expr) -> Option<&str> {
        match &expr.kind {
            ExprKind::Name(name) => Some(name),
            ExprKind::Member { object, .. } | ExprKind::Index(object, _) => root(object),
            ExprKind::Prefix(_, operand) | ExprKind::Postfix(_, operand) => root(operand),
            _ => None,
        }
    }
    let mut found = false;
    stmt.visit(&mut |part| {
        found |= match &part.kind {
            ExprKind::Assign(_, lhs, _) => root(lhs) == Some(name),
            ExprKind::Prefix(Sign::Increment | Sign::Decrement, operand)
            | ExprKind::Postfix(_, operand) => root(operand) == Some(name),
            ExprKind::Call { callee, arguments, .. } => {
                let is_own = matches!(&callee.kind, ExprKind::Member { object, name: method, .. }
                    if root(object) == Some(name) && !READS.contains(&method.as_str()));
                is_own
                    || arguments.iter().any(|argument| {
                        matches!(argument.kind, ExprKind::Prefix(Sign::BitAnd, _))
                            && root(argument) == Some(name)
                    })
            }
            _ => false,
        };
    });
    found
}

/// The prefix of the names of values that loops may have assigned.
const HAVOC: &str = "assigned";
