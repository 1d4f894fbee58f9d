//! Calls functions of the API: finds the contract that a call falls under, checks what it requires,
//! and evaluates what it ensures.

use halidom_rewrites::rules::{Fun, Node, ValueId};

use crate::ir::kinds::Kind;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Num, Place, Val, members};
use crate::machine::absent::UNDEFINED;
use crate::machine::classes::is_of_reports;
use crate::machine::contracts::PEEL;
use crate::machine::info::is_report;
use crate::machine::language::{Contract, Guarantee, Parameter, Sort};
use crate::machine::run::{Machine, Outcome, Paths};
use crate::machine::types::integer_type;

/// A value of a term.
#[derive(Clone, Debug)]
pub(super) enum Item {
    /// A value of the program.
    Val(Val),
    /// The number of a literal of the IR, in the domain of its type.
    Lane(ValueId),
    /// An integer of the contract. It has no type.
    Whole(i128),
}

/// A call of a function that has a contract.
pub(super) struct Call<'c> {
    pub(super) name: &'c str,
    pub(super) line: usize,
    /// The arguments and the bound names, the innermost last.
    pub(super) names: Vec<(&'static str, Item)>,
}

impl Call<'_> {
    /// The value of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Item> {
        self.names.iter().rev().find(|(known, _)| *known == name).map(|(_, item)| item)
    }
}

impl Machine<'_> {
    /// Calls a function of the API.
    pub(crate) fn api(
        &mut self,
        name: &str,
        templates: &[String],
        arguments: Vec<Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, arguments) in self.found(name, arguments, state) {
            paths.extend(self.api_of(name, templates, &arguments, state, line));
        }
        paths
    }

    /// The values of arguments. A member that other methods may have assigned is found to be
    /// undefined, or not. What else may be undefined is looked at where a node is made of it.
    fn found(&mut self, name: &str, arguments: Vec<Val>, state: State) -> Paths<Vec<Val>> {
        let makes_node = name.ends_with("::make");
        let mut paths = vec![(state, Vec::new())];
        for argument in arguments {
            let mut next = Vec::new();
            for (state, known) in paths {
                let values = match &argument {
                    Val::Reference(Place::Member(name)) => self.found_member(name, state),
                    other => vec![(state.clone(), Self::loaded(other.clone(), &state))],
                };
                let values = values.into_iter().flat_map(|(state, value)| {
                    if makes_node {
                        vec![(state, value)]
                    } else {
                        self.undefined_or_not(value, state)
                    }
                });
                let values: Paths<Val> = values.collect();
                for (state, value) in values {
                    let mut known: Vec<Val> = known.clone();
                    known.push(value);
                    next.push((state, known));
                }
            }
            paths = next;
        }
        paths
    }

    /// Calls a function of the API with some values.
    fn api_of(
        &mut self,
        name: &str,
        templates: &[String],
        arguments: &[Val],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let made = name.strip_suffix("::make");
        let made = made.and_then(|of| self.kind_named(of).or_else(|| pointed(of, &state)));
        if let Some(kind) = made {
            let before = state.nodes.len();
            let mut paths = self.make_node(kind, arguments, state, line);
            for (state, value) in &mut paths {
                // A block of a list may be the only statement of the list.
                if let Val::Expr(Some(node)) = value
                    && *node >= before
                    && kind.is_stmt()
                    && (kind != Kind::Block || arguments.len() == 2)
                    && state.shape(*node).is_some_and(|shape| shape.kind == kind)
                {
                    state.made.push(*node);
                }
            }
            return paths;
        }
        if let Some(paths) = self.own_api(name, arguments, &state, line) {
            return paths;
        }
        if let Some(unknown) = self.unknown_where_lanes_count(name, arguments) {
            return vec![(state, unknown)];
        }
        if let ("mutate_with_changes", [list @ Val::Arguments(_)]) = (name, arguments)
            && self.is_concrete()
        {
            return self.mutate_arguments(list, state, line);
        }
        if let Some(made) = self.made_of_reports(name, arguments) {
            return vec![(state, made)];
        }
        // Its contract has no word for floating-point numbers.
        if let ("safe_numeric_cast", [ty], [value @ (Val::Int(_) | Val::Real(_))]) =
            (name, templates, arguments)
            && (ty == "double" || matches!(value, Val::Real(_)))
        {
            let mut state = state;
            let value = self.coerce(ty, value.clone(), &mut state);
            return vec![(state, value)];
        }
        let table = self.contracts;
        if let Some(error) = &table.error {
            return self.unsupported(state, error.to_string(), line);
        }
        let short = name.rsplit("::").next().unwrap_or(name);
        let own = self.contracts_of(short);
        if own.is_empty() {
            if is_of_reports(name) {
                return vec![(state, Val::info())];
            }
            if EMPTY.contains(&name) && arguments.is_empty() {
                return vec![(state, Val::Handle(format!("{name}()")))];
            }
            return self.unsupported(state, name, line);
        }
        // A call of a method on an undefined expression dereferences null.
        if arguments.iter().any(|value| matches!(value, Val::Unknown)) {
            return self.unsupported(state, format!("{name} of a value that is not known"), line);
        }
        if arguments.iter().any(|value| value.is_info() || is_report(value))
            && own.iter().any(|contract| contract.lifts_reports)
        {
            return vec![(state, Val::info())];
        }
        for contract in own {
            let Some(names) = self.bound(contract, arguments, templates, &state) else {
                continue;
            };
            let mut call = Call { name, line, names };
            let applies = match &contract.when {
                None => true,
                Some(when) => self.is_known(when, &call, &state),
            };
            if applies {
                return self.ensured(contract, &mut call, state);
            }
        }
        self.refused(name, arguments, state, line)
    }

    /// The contracts of a function of this compiler, in the order in which they are tried.
    fn contracts_of(&self, name: &str) -> Vec<&'static Contract> {
        let table = self.contracts;
        table.named(name).filter(|contract| contract.is_of(self.profile.name)).collect()
    }

    /// `mutate_with_changes` of the arguments of a known call.
    fn mutate_arguments(&mut self, list: &Val, state: State, line: usize) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, given) in self.as_list(list, state, line) {
            let mut open = vec![(state, Vec::new())];
            for value in &given {
                let Val::Expr(Some(node)) = value else { return Vec::new() };
                let mut next = Vec::new();
                for (state, made) in open {
                    for (state, new) in self.mutate(*node, state, line) {
                        let mut made: Vec<Val> = made.clone();
                        made.push(new);
                        next.push((state, made));
                    }
                }
                open = next;
            }
            for (state, made) in open {
                let is_changed = Val::Bool(self.values.bool(made != given));
                let parts =
                    vec![("first".to_owned(), Val::List(made)), ("second".to_owned(), is_changed)];
                paths.push((state, Val::Object(parts)));
            }
        }
        paths
    }

    /// Calls of functions whose arguments are lists, or something unknown; `None` for others.
    fn own_api(
        &mut self,
        name: &str,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let name = name.strip_prefix("Internal::").unwrap_or(name);
        if let Some(paths) = self.text_function(name, arguments, state) {
            return Some(paths);
        }
        if let ("Call::as_tag" | "Call::as_intrinsic", [Val::Ptr(Some((node, _))), rest @ ..]) =
            (name, arguments)
        {
            let arguments = [&[Val::Expr(Some(*node))], rest].concat();
            return self.own_api(name, &arguments, state, line);
        }
        if let ("should_commute", [Val::Expr(Some(a)), Val::Expr(Some(b))]) = (name, arguments)
            && self.is_concrete()
            && let Some(truth) = Self::commutes(*a, *b, state)
        {
            return Some(vec![(state.clone(), Val::Bool(self.values.bool(truth)))]);
        }
        if self.is_concrete() {
            let sliced = name == "Shuffle::make_slice";
            let made = if sliced { self.make_slice(arguments, state, line) } else { None };
            let wrapped = name == "rewrap_all_lets";
            let made = if wrapped { Self::rewrapped(arguments, state) } else { made };
            if made.is_some() {
                return made;
            }
        }
        match (name, arguments) {
            (PEEL, [Val::Expr(Some(node)), Val::Address(place)]) => {
                Some(self.peeled(*node, place, state.clone()))
            }
            ("Call::as_intrinsic", [Val::Expr(node), list]) => {
                let named = |value: &Val| match value {
                    Val::Handle(name) => name.rsplit("::").next().map(str::to_owned),
                    _ => None,
                };
                let names = members(list).iter().map(named).collect::<Option<Vec<_>>>()?;
                Some(self.called_one_of(*node, &names, state.clone(), line))
            }
            ("Call::as_tag", [Val::Expr(node)]) => {
                Some(self.called_one_of(*node, &TAGS.map(str::to_owned), state.clone(), line))
            }
            // A text of one character, some times: it can be any.
            ("std::string" | "string", [Val::Int(_) | Val::Handle(_), _]) => {
                Some(vec![(state.clone(), Val::Unknown)])
            }
            ("modulus_remainder", [Val::Expr(Some(node)), scope]) if self.is_concrete() => {
                let alignment = match self.exact_alignment(*node, scope, state) {
                    Some(known) => self.known_alignment(known),
                    None => {
                        let unknown = |name: &str| (name.to_owned(), Val::Unknown);
                        Val::Object(["modulus", "remainder"].map(unknown).to_vec())
                    }
                };
                Some(vec![(state.clone(), alignment)])
            }
            // The digits of a number, and a search in something that is not known.
            ("std::to_string", [_]) if !self.is_concrete() && !self.mode.is_emitter() => {
                let unknown = Val::Handle(self.fresh_name("unknown"));
                Some(vec![(state.clone(), unknown)])
            }
            ("std::find", [first, last, _])
                if !self.is_concrete()
                    && [first, last].iter().all(|of| matches!(of, Val::Handle(_))) =>
            {
                let unknown = Val::Handle(self.fresh_name("unknown"));
                Some(vec![(state.clone(), unknown)])
            }
            ("std::max" | "std::min", [a, b])
                if !self.is_concrete()
                    && [a, b].iter().any(|of| matches!(of, Val::Handle(_) | Val::Bool(_))) =>
            {
                // Only the sign of the `count` of a container is known.
                let is_number =
                    |of: &&Val| matches!(of, Val::Handle(_) | Val::Int(_) | Val::Bool(_));
                let unknown = Val::Handle(self.fresh_name("unknown"));
                [a, b].iter().all(is_number).then(|| vec![(state.clone(), unknown)])
            }
            _ => None,
        }
    }

    /// A pointer to a node if it calls one of some intrinsics, else null.
    fn called_one_of(
        &mut self,
        node: Option<NodeId>,
        names: &[String],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let Some(node) = node else { return vec![(state, Val::Ptr(None))] };
        let (mut open, not) = self.is_kind(node, Kind::Call, state);
        let mut paths: Paths<Val> = not.into_iter().map(|state| (state, Val::Ptr(None))).collect();
        for name in names {
            let mut next = Vec::new();
            for state in open {
                for (state, truth) in self.is_intrinsic(node, name, state) {
                    let (holds, fails) = self.truth(&truth, state, line);
                    let found = Val::Ptr(Some((node, Kind::Call)));
                    paths.extend(holds.into_iter().map(|state| (state, found.clone())));
                    next.extend(fails);
                }
            }
            open = next;
        }
        paths.extend(open.into_iter().map(|state| (state, Val::Ptr(None))));
        paths
    }

    /// Binds a contract's parameters; `None` if it does not take the arguments.
    fn bound(
        &mut self,
        contract: &Contract,
        arguments: &[Val],
        templates: &[String],
        state: &State,
    ) -> Option<Vec<(&'static str, Item)>> {
        if arguments.len() > contract.takes.len() && !contract.is_open {
            return None;
        }
        let mut names = Vec::new();
        for (index, parameter) in contract.takes.iter().enumerate() {
            let item = match (arguments.get(index), parameter.default) {
                (Some(value), _) => self.taken(parameter, value, templates, state)?,
                (None, Some(default)) => Item::Whole(default),
                (None, None) => return None,
            };
            names.push((parameter.name, item));
        }
        Some(names)
    }

    /// An argument as its parameter takes it; `None` if the parameter does not take it.
    fn taken(
        &mut self,
        parameter: &Parameter,
        value: &Val,
        templates: &[String],
        state: &State,
    ) -> Option<Item> {
        let as_it_is = |fits: bool| fits.then(|| Item::Val(value.clone()));
        parameter.sorts.iter().find_map(|sort| match (sort, value) {
            (Sort::Known, Val::Ptr(Some((node, kind)))) => {
                let is_known = state.shape(*node).is_some_and(|shape| shape.kind == *kind);
                is_known.then_some(Item::Val(Val::Expr(Some(*node))))
            }
            (Sort::Named, Val::Ptr(Some((node, _))) | Val::Expr(Some(node))) => {
                let kind = self.kind_named(templates.first()?)?;
                let is_known = state.shape(*node).is_some_and(|shape| shape.kind == kind);
                is_known.then_some(Item::Val(Val::Expr(Some(*node))))
            }
            (Sort::Ptr, Val::Ptr(Some((node, _)))) => Some(Item::Val(Val::Expr(Some(*node)))),
            (Sort::Int32, Val::Int(num)) => Some(Item::Val(Val::Int(self.convert(*num, 32, true)))),
            (Sort::Int64, Val::Int(num)) => Some(Item::Val(Val::Int(self.convert(*num, 64, true)))),
            (Sort::Template, Val::Int(num)) => Some(Item::Val(Val::Int(match templates.first() {
                None => *num,
                Some(ty) => {
                    let (bits, is_signed) = integer_type(ty)?;
                    self.convert(*num, bits, is_signed)
                }
            }))),
            (Sort::Expr, value) => as_it_is(matches!(value, Val::Expr(Some(_)))),
            (Sort::Null, value) => as_it_is(matches!(value, Val::Expr(None))),
            (Sort::Int, value) => as_it_is(matches!(value, Val::Int(_))),
            (Sort::Real, value) => as_it_is(matches!(value, Val::Real(_))),
            (Sort::Bool, value) => as_it_is(matches!(value, Val::Bool(_))),
            (Sort::Report, value) => as_it_is(value.is_info()),
            (Sort::Type, value) => as_it_is(matches!(value, Val::Type(_))),
            (Sort::Place, value) => as_it_is(matches!(value, Val::Address(_))),
            (Sort::Opaque, value) => as_it_is(matches!(value, Val::Opaque(_))),
            (Sort::Object, value) => {
                as_it_is(matches!(value, Val::Handle(_) | Val::Opaque(_)) && !value.is_info())
            }
            (Sort::List, value) => as_it_is(matches!(value, Val::List(parts)
                if parts.iter().all(|part| matches!(part, Val::Expr(Some(_)))))),
            (Sort::Any, _) => as_it_is(true),
            (
                Sort::Known | Sort::Named | Sort::Ptr | Sort::Int32 | Sort::Int64 | Sort::Template,
                _,
            ) => None,
        })
    }

    /// Evaluates the result that a contract ensures. A call that violates its premises is a defect.
    fn ensured(
        &mut self,
        contract: &Contract,
        call: &mut Call<'_>,
        mut state: State,
    ) -> Paths<Val> {
        for requirement in &contract.requirements {
            let Some(Item::Val(Val::Bool(holds))) =
                self.computed(&requirement.condition, call, &state)
            else {
                return self.misfit(call, state);
            };
            let fails = self.negated(holds);
            self.defect(requirement.defect, fails, call.line, &mut state);
        }
        match &contract.guarantee {
            Guarantee::Result(term) => {
                let mut paths = Vec::new();
                for (state, item) in self.evaluated(term, call, state) {
                    match self.as_value(item) {
                        Some(value) => paths.push((state, value)),
                        None => paths.extend(self.misfit(call, state)),
                    }
                }
                paths
            }
            Guarantee::Tells { answer, fact, operands } => {
                self.told(*answer, *fact, operands, call, state)
            }
            // Only a method that prints calls it.
            Guarantee::Prints(_) => self.misfit(call, state),
        }
    }

    fn negated(&mut self, truth: ValueId) -> ValueId {
        match self.values.node(truth) {
            Node::Apply(Fun::Not, operands) => operands[0],
            Node::Var(_) | Node::Number(_) | Node::Apply(..) => {
                self.values.apply(Fun::Not, &[truth])
            }
        }
    }

    /// An item as a value of the program.
    pub(super) fn as_value(&mut self, item: Item) -> Option<Val> {
        match item {
            Item::Val(value) => Some(value),
            Item::Whole(value) => Some(Val::Int(self.number(value, 32, true))),
            Item::Lane(_) => None,
        }
    }

    /// Ends a path at a call whose arguments do not match the contract.
    pub(super) fn misfit<T>(&mut self, call: &Call<'_>, state: State) -> Paths<T> {
        self.unsupported(state, format!("{} of these arguments", call.name), call.line)
    }

    /// Ends a path at a call that no contract takes. The path crashes if an argument is an
    /// undefined expression.
    fn refused(&mut self, name: &str, arguments: &[Val], state: State, line: usize) -> Paths<Val> {
        if arguments.iter().any(|value| matches!(value, Val::Expr(None))) {
            self.end(state, Outcome::Crash(format!("{name} of an undefined Expr")), line);
            return Vec::new();
        }
        // What is asked of an object about which nothing is known is not known.
        let is_unknown = |value: &Val| matches!(value, Val::Handle(_)) && !value.is_info();
        if !self.is_concrete() && !self.mode.is_emitter() && arguments.iter().any(is_unknown) {
            let short = name.rsplit("::").next().unwrap_or(name);
            let own = self.contracts_of(short);
            let takes = |index: usize, sort: Sort| {
                own.iter().any(|contract| {
                    contract.takes.get(index).is_some_and(|known| known.sorts.contains(&sort))
                })
            };
            let is_missing = |(index, value): (usize, &Val)| {
                takes(index, Sort::Expr)
                    && !takes(index, Sort::Null)
                    && !takes(index, Sort::Any)
                    && self.may_be_no_operand(value)
            };
            if arguments.iter().enumerate().any(is_missing) {
                return self.unsupported(state, UNDEFINED, line);
            }
            // Whether the premises of the contract hold is not known.
            if own.iter().any(|contract| !contract.requirements.is_empty()) {
                return self.unsupported(state, format!("{name} of these arguments"), line);
            }
            let has_effect = own.iter().any(|contract| contract.guarantee.has_effect());
            if !has_effect && own.iter().all(|contract| contract.guarantee.is_answer()) {
                let (holds, fails) = self.choose(state);
                return self.truths(vec![holds], vec![fails]);
            }
            if !has_effect && name != "mutate" && name != "Mutate" {
                let unknown = Val::Handle(self.fresh_name("unknown"));
                return vec![(state, unknown)];
            }
        }
        self.unsupported(state, format!("{name} of these arguments"), line)
    }

    pub(crate) fn truths(&mut self, holds: Vec<State>, fails: Vec<State>) -> Paths<Val> {
        let (yes, no) = (self.values.bool(true), self.values.bool(false));
        let holds = holds.into_iter().map(|state| (state, Val::Bool(yes)));
        holds.chain(fails.into_iter().map(|state| (state, Val::Bool(no)))).collect()
    }

    /// Finds the input's variable with a given name, if there is one.
    pub(crate) fn variable_named(value: &Val, state: &State) -> Option<NodeId> {
        let name = Self::name_of(value, state)?;
        (0..state.nodes.len()).find(|node| match &state.nodes[*node].shape {
            Some(Shape { kind: Kind::Variable, fields }) => match fields.first() {
                Some(Field::Expr(own)) => state.find(*own) == state.find(name),
                _ => false,
            },
            _ => false,
        })
    }

    /// Tests whether a number of lanes makes a vector; `None` if that is not known.
    pub(crate) fn is_lanes(&self, lanes: Option<&Val>) -> Option<bool> {
        match lanes {
            None => Some(false),
            Some(Val::Int(num)) => self.is_vector_of(num),
            Some(_) => None,
        }
    }

    fn is_vector_of(&self, lanes: &Num) -> Option<bool> {
        if self.values.as_number(lanes.term) == Some(1) {
            return Some(false);
        }
        (Some(lanes.term) == self.lanes.map(|own| own.term)).then_some(true)
    }
}

/// The kind of the node to which `x` points in `std::decay_t<decltype(*x)>`.
fn pointed(ty: &str, state: &State) -> Option<Kind> {
    let name = ty.strip_prefix("std::decay_t<decltype(*")?.strip_suffix(")>")?;
    let place = Machine::find_variable(name, state)?;
    match Machine::load(&place, state)?.value {
        Val::Ptr(Some((_, kind))) => Some(kind),
        _ => None,
    }
}

/// The intrinsics that are tags (`IR.h`).
const TAGS: [&str; 2] = ["likely", "likely_if_innermost"];

/// Objects of the compiler whose constructors make them empty.
const EMPTY: [&str; 2] = ["NodeRef", "Region"];
