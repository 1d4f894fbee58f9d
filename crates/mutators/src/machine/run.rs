//! The symbolic interpreter: statements, paths, and how they fork.
//!
//! # Correctness
//!
//! Each input of the mutator follows some path, whose facts all hold of it. Where the else-branch of a condition would
//! follow many paths (each conjunct may be the one that failed), they are *joined*: the state before the condition goes
//! on, with the negated condition as a fact of its own and what the condition assigned forgotten. A construct that is not
//! modelled ends its path with [`Outcome::Unsupported`].

use std::rc::Rc;

use halidom_cpp::ast::Function;
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Values;

use crate::ir::state::{Slot, State};
use crate::ir::value::{Num, Val};
use crate::machine::program::Program;

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

/// Paths after which a mutator is given up.
const MAX_PATHS: usize = 400_000;

/// Activations of functions at once.
const MAX_DEPTH: usize = 12;

/// Activations of a function within itself, where the IR is not known.
const MAX_RECURSIONS: usize = 2;

/// Iterations of a loop.
pub(crate) const MAX_ITERATIONS: usize = 3;

/// Iterations of a loop on IR that is known wholly.
pub(super) const MAX_CONCRETE_ITERATIONS: usize = 40;

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
    pub(super) is_told: bool,
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

    pub(super) fn is_exhausted(&mut self, new: usize) -> bool {
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
}
