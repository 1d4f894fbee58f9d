//! The symbolic interpreter: statements, paths, and how they fork.
//!
//! # Correctness
//!
//! Each input of the mutator follows some path, whose facts all hold of it. Where the else-branch of a condition would
//! follow many paths (each conjunct may be the one that failed), they are *joined*: the state before the condition goes
//! on, with the negated condition as a fact of its own and what the condition assigned forgotten. A construct that is not
//! modelled ends its path with [`Outcome::Unsupported`].
//!
//! Reason for length: statements, loops and variables act on the paths of one activation of a function.

use std::rc::Rc;

use halidom_cpp::ast::{Class, Declared, Expr, ExprKind, Function, Stmt, StmtKind};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Values;

use super::ir::{Kind, Type};
use super::state::{Slot, State};
use super::value::{Num, Place, Val};

/// How a path ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The mutator's result.
    Returned(Val),
    /// A defect of the compiler's own code; the last fact is what makes it happen.
    Crash(String),
    /// A construct that is not modelled.
    Unsupported(String),
    /// What was looked at ends here.
    Bounded(String),
}

/// The end of a path.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// What is known there.
    pub(crate) state: State,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// Where.
    pub(crate) line: usize,
}

/// What a statement leads to.
#[derive(Clone, Debug)]
pub(crate) enum Flow {
    /// The next statement.
    Next,
    /// The function's end.
    Return(Val),
    /// The loop's end.
    Break,
    /// The loop's next iteration.
    Continue,
}

/// What `mutate` makes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Any node of its type and value: the machine runs symbolically.
    Unknown,
    /// The node itself.
    Kept,
    /// A node of the same structure.
    Copied,
    /// What the class's own mutators make of it.
    Mutated,
}

/// The functions that can be called.
#[derive(Debug, Default)]
pub(crate) struct Program {
    /// All functions with bodies of the given files.
    pub(crate) functions: Vec<Function>,
    /// Their classes.
    pub(crate) classes: Vec<Class>,
    /// Which of their members are scopes.
    pub(crate) scopes: Vec<super::scopes::ScopeMember>,
}

/// Paths after which a mutator is given up.
const MAX_PATHS: usize = 400_000;

/// Activations of functions at once.
const MAX_DEPTH: usize = 12;

/// Activations of a function within itself, where the IR is not known.
const MAX_RECURSIONS: usize = 2;

/// Iterations of a loop.
pub(crate) const MAX_ITERATIONS: usize = 3;

/// Iterations of a loop on IR that is known wholly.
const MAX_CONCRETE_ITERATIONS: usize = 40;

/// Runs a program.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of how the program runs"
)]
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) profile: &'p Profile,
    /// The terms of all paths.
    pub(crate) values: Values,
    /// Whether C++ integers are integers, or bits.
    pub(crate) is_whole: bool,
    /// The number of lanes of vectors.
    pub(crate) lanes: Option<Num>,
    /// The paths that ended.
    pub(crate) ends: Vec<End>,
    /// The class whose method runs.
    pub(crate) class: String,
    /// The function that runs.
    pub(crate) running: Option<&'p Function>,
    /// The template argument of the function that runs.
    pub(crate) template: Option<String>,
    /// Whether a number that does not fit its literal is cut off, which is what casts are about.
    pub(crate) cuts_literals: bool,
    /// What `mutate` does.
    pub(crate) operands: Operands,
    /// Named constants of the compiler that were compared or stored, by number.
    pub(crate) constants: Vec<String>,
    /// Whether a statement is mutated: expressions in it are numbers of 32 bits and truth values.
    pub(crate) is_within_stmt: bool,
    /// Whether what runs prints C.
    pub(crate) is_emitter: bool,
    /// Whether arithmetic of the compiler's own that is undefined gives what machines give.
    pub(crate) is_hardware: bool,
    /// Whether IR that is known wholly did not decide what is done.
    pub(crate) has_chosen: bool,
    /// Whether calls are taken to have side effects.
    pub(crate) are_calls_impure: bool,
    /// Of classes of visitors, whether what they let pass has no effects, and whether it reads no memory.
    pub(crate) steady_visitors: Vec<(String, (bool, bool))>,
    /// Where the last expression statement began.
    pub(crate) line: usize,
    count: u32,
    paths: usize,
    /// Whether a path said that there are too many.
    is_told: bool,
    /// Activations of functions now.
    depth: usize,
    /// The lines of the functions that run.
    active: Vec<usize>,
}

/// Paths with what they lead to.
pub(crate) type Paths<T> = Vec<(State, T)>;

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program, profile: &'p Profile, is_whole: bool) -> Self {
        let mut machine = Self {
            program,
            profile,
            values: Values::default(),
            is_whole,
            lanes: None,
            ends: Vec::new(),
            class: String::new(),
            running: None,
            operands: Operands::Unknown,
            constants: Vec::new(),
            is_within_stmt: false,
            is_emitter: false,
            is_hardware: false,
            has_chosen: false,
            are_calls_impure: false,
            steady_visitors: Vec::new(),
            template: None,
            cuts_literals: false,
            line: 0,
            count: 0,
            paths: 0,
            is_told: false,
            depth: 0,
            active: Vec::new(),
        };
        let domain = machine.host(true);
        let term = machine.values.var("lanes", domain);
        machine.lanes = Some(Num {
            term,
            bits: 32,
            is_signed: true,
            low: 2,
            high: (1 << 16) - 1,
            remainder_of: None,
        });
        machine
    }

    /// A name that no variable has.
    pub(crate) fn fresh_name(&mut self, hint: &str) -> String {
        self.count += 1;
        format!("{hint}#{}", self.count)
    }

    /// A number for a choice.
    pub(crate) fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    /// Whether nodes are known wholly, so that nothing forks.
    pub(crate) fn is_concrete(&self) -> bool {
        self.operands != Operands::Unknown
    }

    /// Ends a path.
    pub(crate) fn end(&mut self, state: State, outcome: Outcome, line: usize) {
        let outcome = match (outcome, state.lost) {
            (Outcome::Returned(_), Some(what)) => Outcome::Unsupported(what.to_owned()),
            (outcome, _) => outcome,
        };
        self.ends.push(End { state, outcome, line });
    }

    /// Ends a path at a construct that is not modelled.
    pub(crate) fn unsupported<T>(
        &mut self,
        state: State,
        what: impl Into<String>,
        line: usize,
    ) -> Paths<T> {
        self.end(state, Outcome::Unsupported(what.into()), line);
        Vec::new()
    }

    fn is_exhausted(&mut self, new: usize) -> bool {
        self.paths += new;
        self.paths > MAX_PATHS
    }

    /// Calls a function of the program.
    pub(crate) fn call(
        &mut self,
        function: &'p Function,
        arguments: Vec<Val>,
        state: State,
    ) -> Paths<Val> {
        let again = self.active.iter().filter(|line| **line == function.line).count();
        if again > MAX_RECURSIONS && !self.is_concrete() {
            let what = format!("recursion of {} of depth {MAX_RECURSIONS}", function.name);
            self.end(state, Outcome::Bounded(what), function.line);
            return Vec::new();
        }
        if self.depth >= MAX_DEPTH {
            return self.unsupported(
                state,
                format!("recursion of {}", function.name),
                function.line,
            );
        }
        let before = state.clone();
        let mut state = state;
        let mut arguments = arguments;
        for parameter in function.parameters.iter().skip(arguments.len()) {
            let mut paths = match &parameter.default {
                Some(default) => self.eval(default, state.clone()),
                None => Vec::new(),
            };
            let (1, Some((after, value))) = (paths.len(), paths.pop()) else {
                return self.unsupported(state, "a default argument", function.line);
            };
            state = after;
            arguments.push(value);
        }
        let slots = function.parameters.iter().zip(arguments).map(|(parameter, value)| Slot {
            name: parameter.name.clone(),
            ty: parameter.ty.clone(),
            value,
        });
        let mut frame: Vec<Slot> = slots.collect();
        for slot in &mut frame {
            let mut value = std::mem::replace(&mut slot.value, Val::Void);
            if !slot.ty.ends_with('&') {
                value = Self::loaded(value, &state);
            }
            slot.value = self.coerce(&slot.ty.clone(), value, &mut state);
        }
        state.frames.push(Rc::new(frame));
        self.depth += 1;
        let outer = self.running.replace(function);
        self.active.push(function.line);
        let paths = self.block(&function.body, state);
        self.active.pop();
        self.running = outer;
        self.depth -= 1;
        let mut returned = Vec::new();
        for (mut state, flow) in paths {
            state.frames.pop();
            let value = match flow {
                Flow::Return(value) => self.coerce(&function.result, value, &mut state),
                Flow::Next => Val::Void,
                Flow::Break | Flow::Continue => {
                    self.end(
                        state,
                        Outcome::Unsupported("break outside a loop".to_owned()),
                        function.line,
                    );
                    continue;
                }
            };
            returned.push((state, value));
        }
        self.joined(&before, returned)
    }

    /// Statements in a scope of their own.
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
            state.assumed.retain(|known| known.depth.0 < here || known.depth.1 < depth);
        }
        paths
    }

    fn sequence(&mut self, stmts: &'p [Stmt], state: State) -> Paths<Flow> {
        let mut done = Vec::new();
        let mut running = vec![state];
        for stmt in stmts {
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
                // One path tells it; the others would say the same.
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

    /// `switch`: the first arm whose label is the value, else the default one, and the arms after it up to a `break`.
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
                        for (state, met) in self.binary("==", value.clone(), label, state, line) {
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

    /// A loop over elements of which nothing is known, any number of them: none, or a last one before which the loop may
    /// have assigned all that it assigns.
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
        // What an iteration assigns is assigned by one that begins with anything in it, too.
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

    /// Whether a variable has another value, but for those of which nothing is known anyway.
    fn is_changed(&self, before: &State, after: &State) -> bool {
        let is_any = |value: &Val| match value {
            Val::Bool(term) => {
                matches!(self.values.node(*term), halidom_rewrites::rules::Node::Var(index)
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

    /// Makes truth values that were assigned any; whether there are no others.
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
            let any = Val::Bool(self.values.var(&any, halidom_rewrites::rules::Domain::Bool));
            Rc::make_mut(&mut before.frames[frame])[index].value = any;
        }
        before.members.len() == after.members.len()
            && before.members.iter().all(|old| {
                after.members.iter().any(|new| new.name == old.name && new.value == old.value)
            })
    }

    fn declare(&mut self, declared: &'p Declared, state: State) -> Vec<State> {
        let valued = match &declared.value {
            Some(value) => match &value.kind {
                // `T x(y)` and `T x{y}` of a reference or number type are read as a call of the type.
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && arguments.len() == 1
                        && Self::is_plain_type(&declared.ty) =>
                {
                    self.eval(&arguments[0], state)
                }
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && arguments.len() == 1
                        && super::lists::is_vector_type(&declared.ty) =>
                {
                    self.vector_of(&declared.ty, &arguments[0], state, value.line)
                }
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && super::balance::is_binding_type(&declared.ty) =>
                {
                    let mut made = Vec::new();
                    for (state, values) in self.arguments(arguments, state) {
                        made.extend(self.bind_scope(&values, state, value.line));
                    }
                    made
                }
                // An object of the compiler made of another one.
                ExprKind::Call { callee, arguments, .. }
                    if matches!(&callee.kind, ExprKind::Name(name) if *name == declared.ty)
                        && arguments.len() == 1
                        && self.is_unknown_class(&declared.ty) =>
                {
                    let mut made = Vec::new();
                    for (state, of) in self.eval(&arguments[0], state) {
                        if matches!(of, Val::Handle(_) | Val::Opaque(_)) {
                            made.push((state, Val::Handle(declared.ty.clone())));
                        } else {
                            made.extend(self.unsupported(state, &declared.ty, value.line));
                        }
                    }
                    made
                }
                _ if declared.ty.ends_with('&') => self.reference(value, state),
                _ => self.eval(value, state),
            },
            None => {
                let value = match self.object(&declared.ty) {
                    Some(object) => object,
                    None => Self::default(&declared.ty),
                };
                vec![(state, value)]
            }
        };
        let mut states = Vec::new();
        for (mut state, value) in valued {
            let value = self.coerce(&declared.ty, value, &mut state);
            let slot = Slot { name: declared.name.clone(), ty: declared.ty.clone(), value };
            state.frame().push(slot);
            states.push(state);
        }
        states
    }

    /// Whether nothing says what objects of a class are.
    fn is_unknown_class(&self, ty: &str) -> bool {
        let program = self.program;
        ty.chars().all(|letter| letter.is_ascii_alphanumeric())
            && super::contracts::CONTRACTS.iter().all(|contract| contract.name != ty)
            && program.classes.iter().all(|class| class.name != ty)
            && program.functions.iter().all(|function| function.name != ty)
            && !Self::is_plain_type(ty)
            && !matches!(ty, "Expr" | "Stmt")
    }

    /// `vector<T> x(n)`, of so many elements, or `vector<T> x(y)`, of those of another.
    fn vector_of(&mut self, ty: &str, argument: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let element = ty.split_once('<').map_or("", |(_, of)| of.trim_end_matches('>'));
        let mut paths = Vec::new();
        for (state, value) in self.eval(argument, state) {
            let Val::Int(count) = &value else {
                let listed = self.as_list(&value, state, line).into_iter();
                paths.extend(listed.map(|(state, values)| (state, Val::List(values))));
                continue;
            };
            let count = self.values.as_number(count.term).and_then(|n| usize::try_from(n).ok());
            match count.filter(|count| *count <= MAX_CONCRETE_ITERATIONS) {
                Some(count) => {
                    paths.push((state, Val::List(vec![Self::default(element); count])));
                }
                None => {
                    paths.extend(self.unsupported(state, "a vector of so many elements", line));
                }
            }
        }
        paths
    }

    /// The value of a variable that is declared without one.
    fn default(ty: &str) -> Val {
        match ty {
            "Expr" | "Stmt" => Val::Expr(None),
            "int64_t" | "uint64_t" | "int" | "bool" | "double" | "float" => Val::Unknown,
            ty if super::lists::is_vector_type(ty) => Val::List(Vec::new()),
            ty if ty.ends_with("stringstream") => Val::Rope(Vec::new()),
            "string" | "std::string" => Val::Text(String::new()),
            ty if ty.starts_with(UNION) => {
                Val::Object(vec![(UNION.to_owned(), Val::Text(ty.to_owned()))])
            }
            ty => Val::Handle(ty.to_owned()),
        }
    }

    fn is_plain_type(ty: &str) -> bool {
        matches!(ty, "int" | "int64_t" | "uint64_t" | "bool" | "double" | "Expr" | "Type" | "Stmt")
    }

    /// A value where a variable of a type is initialized with it.
    pub(crate) fn coerce(&mut self, ty: &str, value: Val, state: &mut State) -> Val {
        let ty = ty.strip_prefix("std::").unwrap_or(ty);
        match (ty, value) {
            (_, Val::Int(num)) => match integer_type(ty) {
                Some((bits, signed)) => Val::Int(self.convert(num, bits, signed)),
                None if ty == "bool" => {
                    let zero = Num { ..self.number(0, num.bits, num.is_signed) };
                    self.compare("!=", num, zero)
                }
                None if matches!(ty, "double" | "float") => self.real_of(num),
                None if matches!(ty, "Expr") => {
                    let literal = self.literal(I32, num, state);
                    Val::Expr(Some(literal))
                }
                None if matches!(ty, "" | "auto") => Val::Int(num),
                None if is_parameter(ty) => match self.template.as_deref().map(integer_type) {
                    Some(Some((bits, signed))) => Val::Int(self.convert(num, bits, signed)),
                    Some(None) => Val::Unknown,
                    None => Val::Int(num),
                },
                // A name for some type of integers, which may cut the number.
                None => Val::Unknown,
            },
            (_, Val::Real(term)) if integer_type(ty).is_some() => {
                let (bits, is_signed) = integer_type(ty).unwrap_or((64, true));
                let domain = self.host(is_signed);
                let (low, high) = Num::range(bits, is_signed);
                let term = self.values.var(&format!("truncated {term:?}"), domain);
                Val::Int(Num { term, bits, is_signed, low, high, remainder_of: None })
            }
            ("Expr" | "Stmt", Val::Ptr(Some((node, _)))) => Val::Expr(Some(node)),
            // A truth value becomes an `int` before it becomes an expression.
            ("Expr", Val::Bool(truth)) => {
                let num = self.host_number(truth, (0, 1), true);
                let literal = self.literal(I32, num, state);
                Val::Expr(Some(literal))
            }
            ("int" | "int64_t" | "uint64_t", Val::Bool(truth)) => {
                let num = self.host_number(truth, (0, 1), true);
                Val::Int(num)
            }
            (_, value) => value,
        }
    }

    /// Where a variable is.
    pub(crate) fn find_variable(name: &str, state: &State) -> Option<Place> {
        let depth = state.frames.len().checked_sub(1)?;
        let frame = &state.frames[depth];
        let index = frame.iter().rposition(|slot| slot.name == name)?;
        match &frame[index].value {
            Val::Reference(place) => Some(place.clone()),
            _ => Some(Place::Local(depth, index)),
        }
    }

    /// A variable's type and value.
    pub(crate) fn load(place: &Place, state: &State) -> Option<Slot> {
        match place {
            Place::Local(frame, index) => state.frames.get(*frame)?.get(*index).cloned(),
            Place::Member(name) => state.members.iter().find(|slot| slot.name == *name).cloned(),
            Place::Part(base, name) => match Self::load(base, state)?.value {
                Val::Object(members) => {
                    let (name, value) = members.into_iter().find(|(known, _)| known == name)?;
                    Some(Slot { name, ty: String::new(), value })
                }
                Val::List(values) => {
                    let value = values.get(name.parse::<usize>().ok()?)?.clone();
                    Some(Slot { name: name.clone(), ty: String::new(), value })
                }
                _ => None,
            },
            Place::Nowhere => None,
        }
    }

    /// What a reference refers to; other values are themselves.
    pub(crate) fn loaded(value: Val, state: &State) -> Val {
        match value {
            Val::Reference(place) => {
                Self::load(&place, state).map_or(Val::Unknown, |slot| slot.value)
            }
            value => value,
        }
    }

    /// Assigns a variable.
    pub(crate) fn store(&mut self, place: &Place, value: Val, state: &mut State) {
        match place {
            Place::Local(frame, index) => {
                let ty = state.frames[*frame][*index].ty.clone();
                if ty.ends_with('&') && !matches!(value, Val::Handle(_)) {
                    // It was bound to something that is no variable.
                    state.lost = Some("a change through a reference");
                }
                let ty = ty.trim_end_matches('&');
                let value = self.coerce(ty, value, state);
                Rc::make_mut(&mut state.frames[*frame])[*index].value = value;
            }
            Place::Part(base, name) => {
                let held = Self::load(base, state).map(|slot| slot.value);
                if let (Some(Val::List(mut values)), Ok(index)) =
                    (held.clone(), name.parse::<usize>())
                {
                    if let Some(element) = values.get_mut(index) {
                        *element = value;
                    }
                    self.store(base, Val::List(values), state);
                    return;
                }
                let Some(Val::Object(mut members)) = held else { return };
                let old = members.iter().find(|(known, _)| known == name);
                let value = match (old.map(|(_, old)| old), value) {
                    (Some(Val::Int(old)), Val::Int(num)) => {
                        Val::Int(self.convert(num, old.bits, old.is_signed))
                    }
                    (Some(Val::Int(_)), _) | (_, Val::Int(_)) => Val::Unknown,
                    (_, value) => value,
                };
                // What a union held before is gone.
                let is_union = members.iter().any(|(known, _)| known == UNION);
                members.retain(|(known, _)| known != name && (!is_union || known == UNION));
                members.push((name.clone(), value));
                self.store(base, Val::Object(members), state);
            }
            Place::Nowhere => Self::changed_unseen(state),
            Place::Member(name) => {
                let ty = match name.as_str() {
                    "expr" => "Expr",
                    "stmt" => "Stmt",
                    _ => "",
                };
                let value = self.coerce(ty, value, state);
                self.replaced_scope(name, &value, state);
                state.members.retain(|slot| slot.name != *name);
                state.members.push(Slot { name: name.clone(), ty: ty.to_owned(), value });
            }
        }
    }
}

/// The member of a union that holds what it is declared as.
pub(crate) const UNION: &str = "union";

/// How names of truth values begin that loops may have assigned.
const HAVOC: &str = "assigned";

/// A kind as a bit.
pub(crate) fn bit(kind: Kind) -> u128 {
    1 << (kind as u32)
}

/// `int32_t` of the IR.
pub(crate) const I32: Type = Type { code: super::ir::Code::Int, bits: 32, is_vector: false };

/// The types that operands can have whose type the node's own does not tell; one that does not matter if there are none.
pub(crate) fn operand_types(kind: Kind, ty: Type) -> Vec<Type> {
    if kind.is_stmt() {
        vec![I32]
    } else if kind.has_free_operand() {
        Type::SCALARS.to_vec()
    } else if kind == Kind::Select && ty.is_vector {
        vec![Type::BOOL, Type::BOOL.with_vector(true)]
    } else {
        vec![ty]
    }
}

/// Whether a type is a template's parameter, by its name.
fn is_parameter(ty: &str) -> bool {
    ty.len() == 1 && ty.chars().all(|letter| letter.is_ascii_uppercase())
}

/// Bits and signedness of a C++ integer type.
pub(crate) fn integer_type(ty: &str) -> Option<(u8, bool)> {
    Some(match ty {
        "int" | "signed" | "signed int" | "int32_t" => (32, true),
        "int64_t" | "long" | "long int" | "long long" | "long long int" => (64, true),
        "uint64_t" | "size_t" | "unsigned long" | "unsigned long long" => (64, false),
        "unsigned" | "unsigned int" | "uint32_t" => (32, false),
        "int16_t" | "short" | "short int" => (16, true),
        "uint16_t" | "unsigned short" | "unsigned short int" => (16, false),
        "int8_t" | "signed char" => (8, true),
        "uint8_t" | "unsigned char" => (8, false),
        _ => return None,
    })
}
