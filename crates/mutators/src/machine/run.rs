//! The symbolic interpreter: the machine, the ends of paths, and calls of functions.
//!
//! # Correctness
//!
//! Each input of the mutator follows some path, and all facts of that path hold for it. The
//! else-branch of a condition may have to follow many paths, as each conjunct may be the one that
//! failed. These paths are *joined*: the state before the condition goes on, with the negated
//! condition as an additional fact, and variables that the condition assigned become unknown. A
//! construct that is not modelled ends its path with [`Outcome::Unsupported`].

use std::rc::Rc;

use halidom_cpp::ast::{Function, Lambda};
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Values;

use crate::ir::kinds::Kind;
use crate::ir::record::Open;
use crate::ir::renamed::Renamed;
use crate::ir::state::{Borrowed, Slot, State};
use crate::ir::value::{Num, Place, Val};
use crate::ir::visits::Visits;
use crate::machine::contracts::{self, Table};
use crate::machine::names::TypeName;
use crate::machine::program::Program;
use crate::machine::reader::Vanishing;
use crate::machine::types::Held;

/// The way in which a path ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The mutator's result.
    Returned(Val),
    /// A defect of the compiler's own code. The last fact makes it happen.
    Crash(String),
    /// A construct that is not modelled.
    Unsupported(String),
    /// A bound of the examination was reached.
    Bounded(String),
    /// The compiler refused the IR on purpose.
    Rejected(String),
    /// The compiler mutates a node while it mutates the same node: the nodes in between.
    Endless(String),
}

/// The end of a path.
#[derive(Clone, Debug)]
pub(crate) struct End {
    /// The state at that point.
    pub(crate) state: State,
    /// The way in which the path ended.
    pub(crate) outcome: Outcome,
    /// The line.
    pub(crate) line: usize,
}

/// The control flow after a statement.
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

/// The result of `mutate` on a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// Any node of its type and value: the machine runs symbolically.
    Unknown,
    /// The node itself.
    Kept,
    /// A node of the same structure.
    Copied,
    /// The result of the class's own mutators.
    Mutated,
    /// The result of the class's own mutators, from which the entries of scopes with invariants are
    /// hidden.
    Apart,
}

/// The thing that a method makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// IR.
    Mutator,
    /// C.
    Emitter,
    /// C, where undefined arithmetic in the compiler's own code gives the result of the hardware.
    Hardware,
}

impl Mode {
    /// Tests whether the method prints C.
    pub(crate) fn is_emitter(self) -> bool {
        match self {
            Self::Mutator => false,
            Self::Emitter | Self::Hardware => true,
        }
    }
}

/// The reason why a mutator is given up that has too many paths.
pub(crate) const MANY_PATHS: &str = "more paths than are followed";

/// The reason that is given where an object that ends a binding gets another owner, or ends
/// elsewhere than its variable.
pub(crate) const MOVED: &str = "a binding that does not end with the variable that it is made for";

/// The reason why a path becomes unsupported that makes an object whose class runs code then, or
/// where the object ends.
pub(crate) const ACTIVE: &str = "an object with a constructor or destructor of its own";

/// The reason why a path becomes unsupported that rounds a number to `float`.
pub(crate) const ROUNDED: &str = "a number that is rounded to `float`";

/// The number of paths beyond which a mutator is given up. Those that statements leave and those
/// that expressions add are counted apart.
const MAX_PATHS: usize = 200_000;

/// The number of evaluated expressions beyond which a mutator is given up.
const MAX_STEPS: usize = 4_000_000;

/// The number of ends of paths on wholly known IR beyond which a run is given up.
const MAX_CONCRETE_ENDS: usize = 1_000;

/// The maximum depth of nested function calls.
const MAX_DEPTH: usize = 12;

/// The same in a run of a whole class.
const MAX_WHOLE_DEPTH: usize = 60;

/// The maximum depth of recursion of one function, where the IR is not known.
const MAX_RECURSIONS: usize = 2;

/// The maximum number of iterations of a loop.
pub(crate) const MAX_ITERATIONS: usize = 3;

/// The maximum number of iterations of a loop on wholly known IR.
pub(super) const MAX_CONCRETE_ITERATIONS: usize = 40;

/// A lambda function.
#[derive(Clone)]
pub(crate) struct Closure<'p> {
    /// Its text.
    pub(super) lambda: &'p Lambda,
    /// The function that made it.
    pub(super) running: Option<&'p Function>,
    /// The `std::function` that holds it: its result and its parameters.
    pub(super) held: Option<Rc<Held>>,
}

/// Runs a program.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of how the program runs"
)]
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    /// The contracts of the API.
    pub(crate) contracts: &'static Table,
    pub(crate) profile: &'p Profile,
    /// The terms of all paths.
    pub(crate) values: Values,
    /// True if C++ integers are computed as integers; false if as bit vectors.
    pub(crate) is_whole: bool,
    /// The number of lanes of vectors.
    pub(crate) lanes: Option<Num>,
    /// The paths that ended.
    pub(crate) ends: Vec<End>,
    /// The class whose method runs.
    pub(crate) class: String,
    /// The function that runs.
    pub(crate) running: Option<&'p Function>,
    /// The template parameters of the function that runs, with their arguments.
    pub(crate) templates: Vec<(String, String)>,
    /// The behaviour of `mutate`.
    pub(crate) operands: Operands,
    /// Named constants of the compiler that were compared or stored, by number.
    pub(crate) constants: Vec<String>,
    /// The kind of node that the method takes, if a method is examined.
    pub(crate) kind: Option<Kind>,
    /// The method that is examined.
    pub(crate) method: Option<&'p Function>,
    /// True if an analysis is examined.
    pub(crate) is_analysis: bool,
    /// The thing that the method makes.
    pub(crate) mode: Mode,
    /// The statement of the class that `mutate` may return nothing, if it makes this one.
    pub(crate) vanishing: Option<Vanishing>,
    /// True if the class states that it makes masks of vectors of truth values.
    pub(crate) makes_masks: bool,
    /// True if a choice was left open although the IR is wholly known.
    pub(crate) has_chosen: bool,
    /// True if an entry was added to a scope with an invariant, where the IR is wholly known.
    pub(crate) has_assumed: bool,
    /// True if names are texts, where the IR is wholly known.
    pub(crate) spells: bool,
    /// True if rules fire where their patterns match, where the IR is wholly known. Addresses may
    /// be subtracted then.
    pub(crate) fires: bool,
    /// True if vectors of other lanes than those of the input are followed as something unknown,
    /// where the IR is wholly known.
    pub(crate) counts_lanes: bool,
    /// The calls of the method that is examined, if its whole class runs on wholly known IR.
    pub(crate) visits: Option<Visits>,
    /// The value of flags of a new object that no declaration sets.
    pub(crate) flags: bool,
    /// True if calls are assumed to have side effects.
    pub(crate) are_calls_impure: bool,
    /// For each class of visitors: whether an expression that it accepts is free of effects, and
    /// whether it is free of memory reads.
    pub(crate) steady_visitors: Vec<(String, (bool, bool))>,
    /// The lambda functions that were made.
    pub(super) lambdas: Vec<Closure<'p>>,
    /// The line on which the last expression statement began.
    pub(crate) line: usize,
    /// The variables of wholly known IR that were given other names.
    pub(crate) renamed: Renamed,
    /// The nodes of wholly known IR that are being mutated.
    pub(super) open: Vec<Open>,
    /// The number of these nodes when the examined method began.
    pub(super) around: usize,
    count: u32,
    paths: usize,
    /// The number of paths that expressions added.
    forks: usize,
    /// The expressions that were evaluated so far.
    steps: usize,
    /// True if a path already reported that there are too many paths.
    pub(super) is_told: bool,
    /// The current depth of nested function calls.
    depth: usize,
    /// The lines of the functions that run.
    active: Vec<usize>,
}

/// Paths with their results.
pub(crate) type Paths<T> = Vec<(State, T)>;

impl<'p> Machine<'p> {
    pub(crate) fn new(program: &'p Program, profile: &'p Profile, is_whole: bool) -> Self {
        let mut machine = Self {
            program,
            contracts: contracts::table(),
            profile,
            values: Values::default(),
            is_whole,
            lanes: None,
            ends: Vec::new(),
            class: String::new(),
            running: None,
            operands: Operands::Unknown,
            constants: Vec::new(),
            kind: None,
            method: None,
            is_analysis: false,
            mode: Mode::Mutator,
            vanishing: None,
            makes_masks: false,
            has_chosen: false,
            has_assumed: false,
            spells: false,
            fires: false,
            counts_lanes: false,
            visits: None,
            flags: true,
            are_calls_impure: false,
            steady_visitors: Vec::new(),
            templates: Vec::new(),
            lambdas: Vec::new(),
            line: 0,
            renamed: Renamed::default(),
            open: Vec::new(),
            around: 0,
            count: 0,
            paths: 0,
            forks: 0,
            steps: 0,
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

    /// Makes a name that no variable has.
    pub(crate) fn fresh_name(&mut self, hint: &str) -> String {
        self.count += 1;
        format!("{hint}#{}", self.count)
    }

    /// Makes a number for a choice.
    pub(crate) fn fresh(&mut self) -> u32 {
        self.count += 1;
        self.count
    }

    /// Tests whether nodes are wholly known, so that nothing forks.
    pub(crate) fn is_concrete(&self) -> bool {
        self.operands != Operands::Unknown
    }

    /// Tests whether something that is not known may be computed with.
    pub(crate) fn follows_unknown(&self) -> bool {
        !self.is_concrete() || self.counts_lanes
    }

    /// Tests whether a statement is mutated. Its expressions are 32-bit numbers and truth values.
    pub(crate) fn is_within_stmt(&self) -> bool {
        self.kind.is_some_and(Kind::is_stmt)
    }

    /// Tests whether a number that does not fit its literal is truncated, as in mutators of casts.
    pub(crate) fn cuts_literals(&self) -> bool {
        matches!(self.kind, Some(Kind::Cast | Kind::Reinterpret))
    }

    /// Ends a path.
    pub(crate) fn end(&mut self, state: State, outcome: Outcome, line: usize) {
        if self.has_too_many_ends() {
            return;
        }
        let mut state = state;
        Self::keeps_assuming(&mut state, line);
        let outcome = match (outcome, state.lost) {
            (Outcome::Returned(_), Some(what)) => Outcome::Unsupported(what.to_owned()),
            (outcome, _) => outcome,
        };
        self.ends.push(End { state, outcome, line });
        if self.has_too_many_ends()
            && let Some(last) = self.ends.last_mut()
        {
            last.outcome = Outcome::Unsupported(MANY_PATHS.to_owned());
        }
    }

    /// Tests whether a run is given up. Then its last end is unsupported.
    pub(crate) fn has_too_many_ends(&self) -> bool {
        self.ends.len() >= if self.is_concrete() { MAX_CONCRETE_ENDS } else { MAX_PATHS }
    }

    /// Tests whether a run on wholly known IR shows nothing any more, because a choice was left
    /// open.
    pub(crate) fn shows_nothing(&self) -> bool {
        !self.follows_unknown() && self.has_chosen
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

    pub(super) fn is_exhausted(&mut self, new: usize) -> bool {
        self.paths += new;
        self.paths > MAX_PATHS
    }

    /// Ends paths because there are too many. One of them reports it; the others would report the
    /// same.
    pub(super) fn give_up(&mut self, paths: impl IntoIterator<Item = State>, line: usize) {
        if let Some(state) = paths.into_iter().next()
            && !self.is_told
        {
            self.is_told = true;
            self.end(state, Outcome::Unsupported(MANY_PATHS.to_owned()), line);
        }
    }

    /// Records that an expression added paths, and tests whether the method is given up. Then no
    /// path goes on, as every expression ends its path.
    pub(super) fn is_forked(&mut self, new: usize) -> bool {
        self.forks += new;
        self.steps += 1;
        self.forks > MAX_PATHS || self.steps > MAX_STEPS
    }

    /// Makes a lambda function.
    pub(super) fn lambda(&mut self, lambda: &'p Lambda, state: &State) -> Val {
        let id = self.closure(Closure { lambda, running: self.running, held: None });
        Val::Lambda(id, (state.frames.len(), state.depth()))
    }

    /// The number of a lambda function.
    pub(super) fn closure(&mut self, of: Closure<'p>) -> usize {
        let is_it =
            |known: &Closure<'p>| std::ptr::eq(known.lambda, of.lambda) && known.held == of.held;
        self.lambdas.iter().position(is_it).unwrap_or_else(|| {
            self.lambdas.push(of);
            self.lambdas.len() - 1
        })
    }

    /// Calls a lambda function: its body runs among the variables of the function that made it,
    /// without those that were declared later.
    pub(super) fn call_lambda(
        &mut self,
        (id, (depth, known)): (usize, (usize, usize)),
        arguments: Vec<Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Some(Closure { lambda, running, held }) = self.lambdas.get(id).cloned() else {
            return self.unsupported(state, "a lambda function", line);
        };
        let mut state = state;
        let arguments = match &held {
            Some(held) => self.given_to(held, arguments, &mut state),
            None => arguments,
        };
        if !lambda.is_by_reference {
            return self.unsupported(state, "a lambda function that copies variables", line);
        }
        if lambda.parameters.len() != arguments.len() || depth > state.frames.len() {
            return self.unsupported(state, "a lambda function of other arguments", line);
        }
        let again = self.active.iter().filter(|known| **known == line).count();
        if self.depth >= MAX_DEPTH || again > MAX_RECURSIONS {
            return self.unsupported(state, "recursion of a lambda function", line);
        }
        let given = lambda.parameters.iter().zip(&arguments);
        let mut bound = given.map(|(parameter, value)| (&parameter.ty, value));
        let has_alias = bound.any(|(ty, value)| self.may_bind(ty, value, &state));
        if has_alias || lambda.parameters.iter().any(|parameter| parameter.name.is_empty()) {
            return self.binds_unseen(state, line);
        }
        let mut slots = Vec::new();
        for (parameter, value) in lambda.parameters.iter().zip(arguments) {
            // A variable of a function that was called since is given by its value.
            let is_within = match &value {
                Val::Reference(place) => match place.root() {
                    Place::Local(frame, _) => *frame < depth,
                    Place::Member(_) => true,
                    Place::Part(..) | Place::Nowhere => false,
                },
                _ => false,
            };
            let is_reference = parameter.ty.ends_with('&') && is_within;
            let value = if is_reference { value } else { Self::loaded(value, &state) };
            let ty = parameter.ty.trim_end_matches('&');
            let value = self.bind(ty, value, &mut state);
            let value = match value {
                Val::Reference(_) => value,
                value => self.initialize(ty, value, &mut state),
            };
            if Self::binds(&value) {
                state.lost = Some(MOVED);
            }
            slots.push(Slot { name: parameter.name.clone(), ty: parameter.ty.clone(), value });
        }
        let inner = state.frames.split_off(depth);
        let variables = state.depth();
        if known > variables {
            return self.unsupported(state, "a lambda function that outlives variables", line);
        }
        let later = hidden(&mut state, known);
        let lent = state.borrowed.iter().filter(|lent| lent.frame >= depth);
        let lent: Vec<Borrowed> = lent.cloned().collect();
        let given = self.gives(&slots, (depth.saturating_sub(1), variables), &mut state);
        state.frame().extend(slots);
        let outer = std::mem::replace(&mut self.running, running);
        self.depth += 1;
        self.active.push(line);
        let paths = self.block(&lambda.body, state);
        self.active.pop();
        self.depth -= 1;
        self.running = outer;
        let mut returned = Vec::new();
        for (mut state, flow) in paths {
            state.leave(variables);
            for (slot, name) in state.frame()[known..].iter_mut().zip(&later) {
                slot.name.clone_from(name);
            }
            state.frames.truncate(depth);
            state.frames.extend(inner.iter().cloned());
            state.borrowed.extend(lent.iter().cloned());
            let result = if let Flow::Return(value) = &flow { value } else { &Val::Void };
            self.returns(result, given, &mut state);
            match flow {
                // It may use variables that are gone.
                Flow::Return(Val::Lambda(..)) => {
                    let what = "a lambda function that is returned";
                    returned.extend(self.unsupported(state, what, line));
                }
                Flow::Return(value) if Self::binds(&value) => {
                    returned.extend(self.unsupported(state, MOVED, line));
                }
                Flow::Return(value) => {
                    let mut value = value;
                    if !lambda.result.is_empty() {
                        value = self.initialize(&lambda.result, value, &mut state);
                    }
                    if let Some(held) = &held {
                        value = self.initialize(&held.result, value, &mut state);
                    }
                    returned.push((state, value));
                }
                Flow::Next => returned.push((state, Val::Void)),
                Flow::Break | Flow::Continue => {
                    returned.extend(self.unsupported(state, "break outside a loop", line));
                }
            }
        }
        returned
    }

    /// Calls a function of the program.
    pub(crate) fn call(
        &mut self,
        function: &'p Function,
        arguments: Vec<Val>,
        state: State,
    ) -> Paths<Val> {
        if self.shows_nothing() {
            return Vec::new();
        }
        if let Some(why) = self.refusal(function) {
            return self.unsupported(state, why, function.line);
        }
        let again = self.active.iter().filter(|line| **line == function.line).count();
        if again > MAX_RECURSIONS && !self.is_concrete() {
            let what = format!("recursion of {} of depth {MAX_RECURSIONS}", function.name);
            self.end(state, Outcome::Bounded(what), function.line);
            return Vec::new();
        }
        if self.depth >= if self.visits.is_some() { MAX_WHOLE_DEPTH } else { MAX_DEPTH } {
            return self.unsupported(
                state,
                format!("recursion of {}", function.name),
                function.line,
            );
        }
        if self.may_bind_parameters(function, &arguments, &state) {
            return self.binds_unseen(state, function.line);
        }
        let before = state.clone();
        let mut state = state;
        let mut arguments = arguments;
        for parameter in function.parameters.iter().skip(arguments.len()) {
            // It is evaluated in any order with the arguments, and not among the caller's
            // variables.
            let default = parameter.default.as_ref();
            let mut paths = match default.filter(|default| self.is_fixed(default, &state)) {
                Some(default) => self.eval(default, state.clone()),
                None => Vec::new(),
            };
            let (1, Some((after, value))) = (paths.len(), paths.pop()) else {
                return self.unsupported(state, "a default argument", function.line);
            };
            state = after;
            arguments.push(value);
        }
        if function.parameters.iter().any(|parameter| self.is_active(&parameter.ty)) {
            state.lost = Some(ACTIVE);
        }
        let outer = self.running.replace(function);
        let slots = function.parameters.iter().zip(arguments).map(|(parameter, value)| Slot {
            name: parameter.name.clone(),
            ty: parameter.ty.clone(),
            value,
        });
        let mut frame: Vec<Slot> = slots.collect();
        for slot in &mut frame {
            let mut value = std::mem::replace(&mut slot.value, Val::Void);
            // A reference to an expression is bound to a new one if a node is given.
            let ty = slot.ty.trim_end_matches('&').to_owned();
            let is_expr = matches!(TypeName::of(&ty), TypeName::Expr | TypeName::Stmt)
                && matches!(Self::loaded(value.clone(), &state), Val::Ptr(Some(_)));
            if !slot.ty.ends_with('&') || is_expr {
                value = Self::loaded(value, &state);
            }
            let value = self.bind(&ty, value, &mut state);
            slot.value = self.initialize(if is_expr { &ty } else { &slot.ty }, value, &mut state);
            if Self::binds(&slot.value) {
                state.lost = Some(MOVED);
            }
        }
        let given = self.gives(&frame, (state.frames.len(), 0), &mut state);
        state.frames.push(Rc::new(frame));
        self.depth += 1;
        self.active.push(function.line);
        let paths = self.block(&function.body, state);
        self.active.pop();
        self.running = outer;
        self.depth -= 1;
        let mut returned = Vec::new();
        for (mut state, flow) in paths {
            state.pop_frame();
            let value = match flow {
                // Its variables are gone.
                Flow::Return(Val::Lambda(..)) => {
                    returned.extend(self.unsupported(
                        state,
                        "a lambda function that is returned",
                        function.line,
                    ));
                    continue;
                }
                Flow::Return(value) => {
                    if Self::binds(&value) {
                        state.lost = Some(MOVED);
                    }
                    if self.is_active(&function.result) {
                        state.lost = Some(ACTIVE);
                    }
                    self.initialize(&function.result, value, &mut state)
                }
                Flow::Next if !function.result.is_empty() && function.result != "void" => {
                    let what = "the end of a function that returns a value";
                    returned.extend(self.unsupported(state, what, function.last_line));
                    continue;
                }
                Flow::Next => Val::Void,
                Flow::Break | Flow::Continue => {
                    let what = "break outside a loop";
                    returned.extend(self.unsupported(state, what, function.line));
                    continue;
                }
            };
            self.returns(&value, given, &mut state);
            returned.push((state, value));
        }
        self.joined(&before, returned)
    }
}

/// Hides the variables of the running function after the first ones, and returns their names.
fn hidden(state: &mut State, first: usize) -> Vec<String> {
    let later = state.frame().iter_mut().skip(first);
    later.map(|slot| std::mem::replace(&mut slot.name, HIDDEN.to_owned())).collect()
}

/// The name of a variable that is not seen, which no text can name.
const HIDDEN: &str = "a later variable";
