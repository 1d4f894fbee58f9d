//! The mutator that is examined, and its run on a node.

use std::rc::Rc;

use halidom_cpp::ast::Function;
use halidom_rewrites::profile::Profile;
use halidom_rewrites::rules::Domain;

use crate::emit::print::plain;
use crate::ir::kinds::{I32, Kind, Type, bit};
use crate::ir::node::{NodeId, Shape};
use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::contracts::{
    is_mutate, is_place_of_report, is_replaced, makes_masks, vanishing,
};
use crate::machine::program::Program;
use crate::machine::run::{Machine, Mode, Outcome};

/// The text that an emitter writes to its stream of statements, if it writes any. An emitter of
/// expressions gives names to values there by contracts, and owes nothing about other text.
fn text_of_statements(state: &State) -> Option<String> {
    match Machine::load(&Place::Member("stream".to_owned()), state)?.value {
        Val::Rope(rope) => (!rope.is_empty()).then(|| plain(&rope)),
        _ => Some("a value that is not known".to_owned()),
    }
}

/// A mutator and the settings of its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'p> {
    /// The program with all functions.
    pub(crate) program: &'p Program,
    /// The meaning of the IR.
    pub(crate) profile: &'p Profile,
    /// The mutator's method.
    pub(crate) function: &'p Function,
    /// The kind of node that it takes. A `mutate` of a class takes any node: this is one of them.
    pub(crate) kind: Kind,
    /// True if C++ integers are modelled as mathematical integers.
    pub(crate) is_whole: bool,
    /// The thing that the method makes.
    pub(crate) mode: Mode,
    /// True if the caller asks for a report, on wholly known IR. A method without a place for a
    /// report does not see that.
    pub(crate) is_asked: bool,
}

impl<'p> Entry<'p> {
    /// Tests whether the method is a `mutate`, which takes any node.
    pub(crate) fn is_own(&self) -> bool {
        is_mutate(self.function) && is_replaced(self.function)
    }

    /// Tests whether the method has a place for a report.
    pub(crate) fn may_report(&self) -> bool {
        self.function.parameters.iter().any(|parameter| is_place_of_report(&parameter.ty))
    }

    /// Adds a node that the method takes, about whose operands nothing is known.
    pub(crate) fn input(
        &self,
        ty: Type,
        operand: Type,
        machine: &mut Machine<'_>,
        state: &mut State,
    ) -> NodeId {
        let input = state.add(ty, None, None);
        if self.is_own() {
            state.node_mut(input).not |= bit(Kind::Undefined);
            return input;
        }
        let fields = state.opaque_fields(
            input,
            self.kind,
            (operand, self.profile.name),
            &mut machine.values,
        );
        state.node_mut(input).shape = Some(Shape { kind: self.kind, fields });
        input
    }

    /// Returns the entry at a type of the node. If the kind does not determine the type of the
    /// operands, `operand` does.
    pub(crate) fn at(self, ty: Type, operand: Type) -> Self {
        let main = if self.kind.has_free_operand() { operand } else { ty };
        let is_whole = self.mode.is_emitter()
            || matches!(main.domain(), Domain::Whole | Domain::Real | Domain::Bool)
            || ty.domain() == Domain::Whole
            || main.bits == 64;
        Self { is_whole, ..self }
    }

    /// Runs a `mutate` on what is undefined, and returns the reason why the result may be anything
    /// else. The contract of `mutate` says that nothing is made of nothing. A rejection ends the
    /// compiler, so it breaks no caller's proof.
    pub(crate) fn made_of_nothing(&self) -> Option<(usize, String)> {
        let mut machine = Machine::new(self.program, self.profile, self.is_whole);
        let mut state = State::default();
        let input = self.input(
            if self.kind.is_stmt() { Type::STMT } else { I32 },
            I32,
            &mut machine,
            &mut state,
        );
        self.run_on(&mut machine, (input, true), &Val::Expr(None), state);
        if machine.ends.is_empty() {
            let line = self.function.line;
            return Some((line, "no path ends where the argument is undefined".to_owned()));
        }
        machine.ends.iter().find_map(|end| match &end.outcome {
            Outcome::Returned(Val::Expr(None)) | Outcome::Rejected(_) => None,
            Outcome::Returned(_) => {
                Some((end.line, "something is made of what is undefined".to_owned()))
            }
            Outcome::Crash(what)
            | Outcome::Unsupported(what)
            | Outcome::Bounded(what)
            | Outcome::Endless(what) => {
                Some((end.line, format!("{what}, where the argument is undefined")))
            }
        })
    }

    /// Runs the method's class, on a new object, on a node that is wholly known.
    pub(crate) fn run_class(&self, machine: &mut Machine<'p>, input: NodeId, state: State) {
        machine.class.clone_from(&self.function.class);
        machine.kind =
            Some(if state.node(input).ty == Type::STMT { Kind::Evaluate } else { Kind::Variable });
        machine.method = Some(self.function);
        let mut state = state;
        machine.init_members(&mut state);
        let line = self.function.line;
        for (state, value) in machine.mutate(input, state, line) {
            machine.end(state, Outcome::Returned(value), line);
        }
    }

    /// Runs the method of an object on a node, where the state has the members of the object.
    pub(crate) fn run_within(&self, machine: &mut Machine<'p>, input: NodeId, state: State) {
        self.run_on(machine, (input, false), &Val::Expr(Some(input)), state);
    }

    /// Runs the method on a node.
    pub(crate) fn run(&self, machine: &mut Machine<'p>, input: NodeId, state: State) {
        self.run_on(machine, (input, true), &Val::Expr(Some(input)), state);
    }

    /// Runs the method, of a new object if so stated.
    fn run_on(
        &self,
        machine: &mut Machine<'p>,
        (input, is_new): (NodeId, bool),
        given: &Val,
        state: State,
    ) {
        machine.class.clone_from(&self.function.class);
        machine.mode = self.mode;
        machine.kind = Some(self.kind);
        machine.method = Some(self.function);
        machine.begin_method();
        machine.vanishing = vanishing(&self.function.class);
        machine.makes_masks = makes_masks(&self.function.class);
        let mut state = state;
        let stream = self.mode.is_emitter().then(|| {
            let rope = |name: &str| Slot {
                name: name.to_owned(),
                ty: String::new(),
                value: Val::Rope(Vec::new()),
            };
            state.members.push(rope("stream"));
            state.frames.push(Rc::new(vec![rope("os")]));
            Place::Local(state.frames.len() - 1, 0)
        });
        if machine.is_concrete() && is_new {
            machine.init_members(&mut state);
        }
        let report = (self.is_asked && machine.is_concrete()).then(|| {
            let (name, ty, value) = (REPORT.to_owned(), String::new(), machine.blank_report());
            state.members.push(Slot { name, ty, value });
            Val::Address(Place::Member(REPORT.to_owned()))
        });
        machine.open_presence(&mut state);
        let member = if self.kind.is_stmt() { "stmt" } else { "expr" };
        let parameters = &self.function.parameters;
        let arguments = parameters.iter().enumerate().map(|(index, parameter)| {
            // Each pointer has a name of its own.
            let is_again = parameters[..index].iter().any(|known| known.ty == parameter.ty);
            match parameter.ty.trim_end_matches('&') {
                ty if ty.ends_with('*')
                    && Kind::named(ty.trim_end_matches('*')) == Some(self.kind) =>
                {
                    Val::Ptr(Some((input, self.kind)))
                }
                "Expr" | "Stmt" => given.clone(),
                ty if ty.ends_with("ostream") => match &stream {
                    Some(place) => Val::Reference(place.clone()),
                    None => Val::Handle(ty.to_owned()),
                },
                ty if let Some(report) = &report
                    && is_place_of_report(ty) =>
                {
                    report.clone()
                }
                ty if machine.is_concrete() && is_place_of_report(ty) => Val::Ptr(None),
                ty => match ty.strip_suffix('*').filter(|_| is_again) {
                    Some(of) => Val::Handle(format!("{of} {index}*")),
                    None => Val::Handle(ty.to_owned()),
                },
            }
        });
        let arguments: Vec<Val> = arguments.collect();
        let writes = arguments.iter().any(|value| matches!(value, Val::Reference(_)));
        for (mut state, value) in machine.call(self.function, arguments, state) {
            if let Some(place) = &stream {
                let place = if writes { place.clone() } else { Place::Member("id".to_owned()) };
                let written = Machine::load(&place, &state).map_or(Val::Void, |slot| slot.value);
                let (ty, line) = (state.node(input).ty, state.at);
                let read = if self.kind.is_stmt() {
                    let place = Place::Member("stream".to_owned());
                    let written =
                        Machine::load(&place, &state).map_or(Val::Void, |slot| slot.value);
                    machine.emitted_stmt(&written, state, line)
                } else if let Some(text) = text_of_statements(&state) {
                    let what = format!("what an emitter of expressions writes to `stream`: {text}");
                    machine.unsupported(state, what, line)
                } else {
                    machine.emitted(ty, &written, state, line)
                };
                for (state, value) in read {
                    let line = if line == 0 { self.function.line } else { line };
                    machine.end(state, Outcome::Returned(value), line);
                }
                continue;
            }
            let result = match value {
                // `mutate` returns the member of the root, which another one hides.
                Val::Void if machine.hides_result(member) => {
                    let what = "a member of the class that hides the one of its root";
                    let outcome = Outcome::Unsupported(what.to_owned());
                    machine.end(state, outcome, self.function.line);
                    continue;
                }
                Val::Void => state
                    .members
                    .iter()
                    .find(|slot| slot.name == member)
                    .map_or(Val::Expr(None), |slot| slot.value.clone()),
                Val::Ptr(Some((node, _))) => Val::Expr(Some(node)),
                value => value,
            };
            machine.close_presence(&mut state);
            // Where the class may return nothing, that does nothing.
            let result = match result {
                Val::Expr(None) if self.kind.is_stmt() && machine.vanishing.is_some() => {
                    let shape = Shape { kind: Kind::Undefined, fields: Vec::new() };
                    Val::Expr(Some(state.add(Type::STMT, None, Some(shape))))
                }
                result => result,
            };
            let line = state.at;
            machine.end(state, Outcome::Returned(result), line);
        }
    }
}

/// The name of the caller's report. No member has this name.
const REPORT: &str = "the report that the caller asks for";

/// Returns a kind of the nodes that a `mutate` takes: statements or expressions.
pub(crate) fn any_of(function: &Function) -> Kind {
    let first = function.parameters.first().map_or("", |first| first.ty.as_str());
    if first.starts_with("Stmt") { Kind::Evaluate } else { Kind::Variable }
}
