//! The symbolic interpreter: calls.

use halidom_cpp::ast::{Expr, ExprKind, Function};

use crate::ir::kinds::{Kind, Type};
use crate::ir::state::{Slot, State};
use crate::ir::value::{Place, Val};
use crate::machine::absent::UNDEFINED;
use crate::machine::contracts;
use crate::machine::doubts::FUNCTIONS;
use crate::machine::language::Print;
use crate::machine::lookup::last_part;
use crate::machine::names::{Method, TypeName};
use crate::machine::operators::is_stream;
use crate::machine::program::is_root;
use crate::machine::references::{MAY_REFER, NAMED_CAPTURES, names_captures};
use crate::machine::rules::{Fired, REDUCED};
use crate::machine::run::{MOVED, Machine, Paths};
use crate::machine::sequence::{Before, variable};

/// The classes whose `visit` leaves its result in a member.
const MUTATORS: [&str; 4] = ["IRMutator", "IRMutator2", "IRGraphMutator", "IRGraphMutator2"];

impl<'p> Machine<'p> {
    /// Evaluates a call: of a function of the program that no contract replaces, of the API, or of
    /// a method.
    pub(crate) fn call_expression(
        &mut self,
        callee: &'p Expr,
        templates: &'p [String],
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let name = match &callee.kind {
            ExprKind::Member { object, name, arrow } if object.kind != ExprKind::This => {
                let object = (&**object, *arrow);
                return self.call_method(object, name, templates, arguments, state, line);
            }
            ExprKind::Lambda(lambda) => {
                if self.running.is_some_and(names_captures) {
                    return self.unsupported(state, NAMED_CAPTURES, line);
                }
                let Val::Lambda(id, made) = self.lambda(lambda, &state) else { return Vec::new() };
                return self.call_closure((id, made), arguments, state, line);
            }
            ExprKind::Name(name) => {
                if let Some(place) = Self::find_variable(name, &state)
                    && let Some(Slot { value: Val::Lambda(id, made), .. }) =
                        Self::load(&place, &state)
                {
                    return self.call_closure((id, made), arguments, state, line);
                }
                name.as_str()
            }
            ExprKind::Member { name, .. } => name.as_str(),
            ExprKind::Call { callee: class, arguments: given, .. } => {
                if !given.is_empty()
                    && let Some(paths) = self.made_by_other(callee, arguments, state.clone(), line)
                {
                    return paths;
                }
                return self.other_pass(class, arguments, state, line);
            }
            _ => return self.unsupported(state, "a call of a computed function", line),
        };
        if is_stream(name) {
            return self.stream(name, arguments, state, line);
        }
        if let Some((place, is_mutator)) = self.held_helper(callee, &state) {
            return self.call_helper((&place, is_mutator), arguments, state, line);
        }
        self.call_by_name(name, templates, arguments, state, line)
    }

    /// Calls a method of an object other than `this`.
    fn call_method(
        &mut self,
        (object, arrow): (&'p Expr, bool),
        name: &'p str,
        templates: &'p [String],
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if self.program.own_methods.contains(name) {
            let what = format!("the method {name}, which the files define");
            return self.unsupported(state, what, line);
        }
        if name == "swap"
            && let [other] = arguments
        {
            return self.swap(object, other, state);
        }
        if name == "accept"
            && matches!(arguments, [visitor] if visitor.kind == ExprKind::This)
            && self.is_in_mutate()
            && self
                .classes_of(&self.class)
                .iter()
                .skip(1)
                .any(|of| MUTATORS.contains(&last_part(of)))
        {
            return self.accept_this(object, state, line);
        }
        if ["mutate", "Mutate"].contains(&name)
            && let Some((place, true)) = self.held_helper(object, &state)
        {
            return self.call_helper((&place, true), arguments, state, line);
        }
        if name == "lanes"
            && arguments.is_empty()
            && let Some(paths) = self.asked_lanes(object, &state)
        {
            return paths;
        }
        if name == "defined"
            && arguments.is_empty()
            && let Some(paths) = self.is_twin_defined(object, &state)
        {
            return paths;
        }
        let mut paths = Vec::new();
        for (state, (receiver, arguments)) in self.received(object, arguments, state) {
            if let Some(done) =
                self.container_method(&receiver, Method::of(name), &arguments, &state, line)
            {
                paths.extend(done);
                continue;
            }
            let loaded = Self::loaded(receiver.clone(), &state);
            if matches!(&loaded, Val::Handle(of) if of == "this") {
                paths.extend(self.call_named(name, templates, arguments, state, line));
                continue;
            }
            if let (false, Some(done)) =
                (arrow, self.fact_method((&receiver, &loaded), name, &arguments, &state, line))
            {
                paths.extend(done);
                continue;
            }
            let followed = if arrow { self.followed(&loaded, state, line) } else { Some(state) };
            let Some(state) = followed else { continue };
            if matches!(&loaded, Val::Handle(of) if arrow && self.may_be_null(of, &state)) {
                paths.extend(self.unsupported(state, UNDEFINED, line));
                continue;
            }
            if matches!(&loaded, Val::Handle(_))
                && let Some(what) = self.has_other_meaning(object, name, arguments.len(), &state)
            {
                paths.extend(self.unsupported(state, what, line));
                continue;
            }
            let name = Method::of(name);
            paths.extend(self.method(receiver, name, templates, arguments, state, line));
        }
        paths
    }

    fn call_closure(
        &mut self,
        lambda: (usize, (usize, usize)),
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, arguments) in self.arguments(arguments, state) {
            paths.extend(self.call_lambda(lambda, arguments, state, line));
        }
        paths
    }

    /// Calls a function by its name: one whose arguments have a meaning of their own, or any other.
    fn call_by_name(
        &mut self,
        name: &str,
        templates: &'p [String],
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let is_own = |name: &str| self.program.functions.iter().any(|own| own.name == name);
        if FUNCTIONS.contains(&name) && self.is_hidden(name, &state) {
            return self.unsupported(state, format!("`{name}`, which is a variable"), line);
        }
        if ["swap", "std::swap"].contains(&name) && arguments.len() == 2 && !is_own("swap") {
            return self.swap(&arguments[0], &arguments[1], state);
        }
        if name == "reverse_view" && arguments.len() == 1 && self.named(name, 1).is_empty() {
            return self.reversed(&arguments[0], state, line);
        }
        if name == "EVAL_IN_LAMBDA" && arguments.len() == 1 {
            return self.eval(&arguments[0], state);
        }
        if ["std::sort", "std::stable_sort"].contains(&name) {
            return self.sorted(arguments, state, line);
        }
        if let ("std::get", [index], [of]) = (name, templates, arguments) {
            return self.part_of(index, of, state, line);
        }
        if name == "std::move" && arguments.len() == 1 {
            return self.moved(&arguments[0], state);
        }
        if matches!(TypeName::of(name), TypeName::Expr | TypeName::Stmt) && arguments.is_empty() {
            return vec![(state, Val::Expr(None))];
        }
        if matches!(TypeName::of(name), TypeName::Expr | TypeName::Stmt) && arguments.len() == 1 {
            let mut paths = Vec::new();
            for (mut state, value) in self.eval(&arguments[0], state) {
                let value = self.coerce(name, value, &mut state);
                paths.push((state, value));
            }
            return paths;
        }
        if let Some((base, "visit" | "visit_" | "Visit_" | "Mutate_")) = name.rsplit_once("::") {
            return self.visit_of_base(base, arguments, state, line);
        }
        if last_part(name) == "rewriter" && self.named(name, arguments.len()).is_empty() {
            let space = name.rsplit_once("::").map_or("", |(space, _)| last_part(space));
            if !["", "IRMatcher", "IRMatch"].contains(&space) {
                return self.unsupported(state, format!("the function {name}"), line);
            }
            return self.rewriter(arguments, state, line);
        }
        if let Some(place) = Self::find_variable(name, &state)
            && let Some(Slot { value: Val::Object(members), .. }) = Self::load(&place, &state)
        {
            return self.fire((name, &place), &members, arguments, state, line);
        }
        // What only counts does not read its arguments, which may be the sizes of lists.
        let is_unread = name == "found_buffer_reference"
            && arguments.iter().all(|argument| Self::is_part_of_input(argument, &state));
        if is_unread && !self.is_concrete() {
            return self.call_named(name, templates, Vec::new(), state, line);
        }
        let mut paths = Vec::new();
        for (state, values) in self.arguments(arguments, state) {
            paths.extend(self.call_named(name, templates, values, state, line));
        }
        paths
    }

    /// Tests whether an expression is a member of the visited node, or the size of one, which no
    /// run can fail to read.
    fn is_part_of_input(expr: &Expr, state: &State) -> bool {
        match &expr.kind {
            ExprKind::Member { object, arrow: true, .. } => match &object.kind {
                ExprKind::Name(name) => Self::find_variable(name, state)
                    .and_then(|place| Self::load(&place, state))
                    .is_some_and(|slot| matches!(slot.value, Val::Ptr(Some((0, _))))),
                _ => false,
            },
            ExprKind::Call { callee, arguments, .. } if arguments.is_empty() => {
                matches!(&callee.kind, ExprKind::Member { object, arrow: false, name }
                    if name == "size" && Self::is_part_of_input(object, state))
            }
            _ => false,
        }
    }

    /// `reverse_view(e)`.
    fn reversed(&mut self, list: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, list) in self.eval(list, state) {
            if let Val::Handle(of) = &list
                && !self.is_concrete()
            {
                let reversed = Val::Handle(format!("{of} reversed"));
                paths.push((state, reversed));
                continue;
            }
            for (state, mut values) in self.as_list(&list, state, line) {
                values.reverse();
                paths.push((state, Val::List(values)));
            }
        }
        paths
    }

    /// `rewrite(before, after, …)`, a call of an object that `rewriter` made.
    fn fire(
        &mut self,
        (name, place): (&str, &Place),
        members: &[(String, Val)],
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        // A rule fires or not. That its result has the value of the expression that it matches
        // is the rule's own claim. Without a rule that fires, there is no result.
        let Some((_, matched)) = members.iter().find(|(name, _)| name == MATCHED_NODE) else {
            return self.unsupported(state, format!("a call of the object {name}"), line);
        };
        let matched_by = members.iter().find(|(name, _)| name == MATCHED_BY);
        if let Some((_, Val::Expr(Some(node)))) = matched_by
            && !self.fires
        {
            // An outcome that is known is no choice.
            let mut state = state.clone();
            match self.outcome_of_rule(*node, arguments, &mut state) {
                Fired::No => return vec![(state, Val::Bool(self.values.bool(false)))],
                Fired::Made(held) => {
                    let mut fired = members.to_vec();
                    fired.retain(|(name, _)| name != RESULT);
                    fired.push((RESULT.to_owned(), Val::Expr(Some(held))));
                    self.store(place, Val::Object(fired), &mut state);
                    return vec![(state, Val::Bool(self.values.bool(true)))];
                }
                Fired::Perhaps => {}
            }
        } else if let Some((_, Val::Expr(Some(node)))) = matched_by {
            return self.fire_known(*node, arguments, state, line);
        }
        // The rule is not looked at.
        if arguments.iter().any(|rule| self.rule_has_effect(rule, &state)) {
            return self.unsupported(state, "a rule with an effect", line);
        }
        let (mut holds, fails) = self.choose(state);
        let result = Self::made_by_rule(matched, arguments.get(1), &mut holds);
        let fired = [(RESULT, &result), (MATCHED_NODE, matched)];
        let fired = fired.map(|(name, value)| (name.to_owned(), value.clone())).to_vec();
        self.store(place, Val::Object(fired), &mut holds);
        let (yes, no) = (self.values.bool(true), self.values.bool(false));
        vec![(holds, Val::Bool(yes)), (fails, Val::Bool(no))]
    }

    /// Calls a function of the program that no contract replaces, or a function of the API.
    fn call_named(
        &mut self,
        name: &str,
        templates: &'p [String],
        values: Vec<Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        if contracts::is_known(last_part(name)) && self.is_hidden(name, &state) {
            return self.unsupported(state, format!("`{name}`, which is a variable"), line);
        }
        let print = contracts::printed(name).filter(|_| self.mode.is_emitter());
        // A body that prints a type runs as it is written: its text is what C reads. So does a
        // body of another form than the contract's.
        let bodies = self.named(name, values.len());
        let is_run = print == Some(Print::Type) && !bodies.is_empty()
            || bodies.iter().any(|body| !contracts::is_replaced(body));
        if let Some(print) = print.filter(|_| !is_run) {
            let short = last_part(name);
            let is_hidden = |body: &Function| {
                body.name == short && (print == Print::Type || !contracts::is_replaced(body))
            };
            // A prototype may have defaults. Then the body, which is listed, may be meant.
            let is_listed = self.has_longer(name, values.len());
            if !is_listed && self.program.functions.iter().any(is_hidden) {
                let what = format!("`{name}`, whose body may be meant and is not run");
                return self.unsupported(state, what, line);
            }
            return self.print(print, &values, state, line);
        }
        let is_run = is_run && print.is_some();
        if let Some((base, "mutate" | "Mutate")) = name.rsplit_once("::")
            && self.is_in_mutate()
            && self.classes_of(&self.class).iter().skip(1).any(|of| of == last_part(base))
            && let [value] = values.as_slice()
        {
            return self.mutate_by_base(value, state, line);
        }
        let functions = self.named(name, values.len());
        if let Some(what) = self.other_meaning(name, &functions, &state) {
            return self.unsupported(state, what, line);
        }
        let is_it = |known: &String| known == last_part(name);
        if !functions.is_empty() && self.program.specialized.iter().any(is_it) {
            let what = format!("the function {name}, which has specializations");
            return self.unsupported(state, what, line);
        }
        if functions.is_empty()
            && contracts::is_known(last_part(name))
            && self.may_mean_another(name, &state)
        {
            let what = format!("{name}, which may mean something of the file's own");
            return self.unsupported(state, what, line);
        }
        if functions.iter().any(|function| self.is_overridden(name, &function.class)) {
            let what = format!("the method {name}, which a derived class has too");
            return self.unsupported(state, what, line);
        }
        // An analysis runs on wholly known IR; elsewhere its contract replaces it.
        let is_assumed =
            contracts::is_assumed(name) && !(self.is_concrete() && contracts::is_analysis(name));
        let is_assumed = is_assumed && !is_run;
        if is_assumed && !functions.iter().all(|function| contracts::is_replaced(function)) {
            return match Self::overload(&functions, &values, &state) {
                Some(function) if contracts::is_replaced(function) => {
                    self.api(name, templates, values, state, line)
                }
                Some(function) => self.call_template(function, templates, values, state),
                None => self.unsupported(state, format!("which of the functions {name}"), line),
            };
        }
        match functions.as_slice() {
            [function] if !is_assumed => self.call_template(function, templates, values, state),
            [_, ..] if !is_assumed => match Self::overload(&functions, &values, &state) {
                Some(function) => self.call_template(function, templates, values, state),
                None => self.unsupported(state, format!("which of the functions {name}"), line),
            },
            _ => self.api(name, templates, values, state, line),
        }
    }

    /// Tests whether a method of the own class, or of its bases, is one that its contract replaces,
    /// and that a call with fewer arguments may mean.
    fn has_longer(&self, name: &str, count: usize) -> bool {
        let classes = self.classes_of(&self.class);
        self.program.functions.iter().any(|function| {
            function.name == name
                && !function.class.is_empty()
                && classes.contains(&function.class)
                && function.parameters.len() > count
                && contracts::is_replaced(function)
        })
    }

    /// The variable or member that an expression moves from, if the expression is a call of
    /// `std::move`.
    fn moved_variable(&self, expr: &'p Expr, state: &State) -> Option<&'p Expr> {
        let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
        let (ExprKind::Name(name), [of]) = (&callee.kind, arguments.as_slice()) else {
            return None;
        };
        let is_move = name == "std::move"
            || name == "move"
                && self.named(name, 1).is_empty()
                && Self::find_variable(name, state).is_none();
        variable(of).filter(|_| is_move).map(|_| of)
    }

    /// `std::move(e)`: afterwards the contents of the variable are not known.
    fn moved(&mut self, expr: &'p Expr, state: State) -> Paths<Val> {
        let mut paths = self.eval(expr, state);
        if let Some(name) = variable(expr) {
            for (state, value) in &mut paths {
                if Self::binds(&Self::loaded(value.clone(), state)) {
                    state.lost = Some(MOVED);
                }
                let is_scalar = matches!(value, Val::Bool(_) | Val::Int(_) | Val::Real(_));
                let local = match &expr.kind {
                    ExprKind::Name(name) => Self::find_variable(name, state),
                    _ => None,
                };
                let place = local.unwrap_or_else(|| Place::Member(name.to_owned()));
                if !is_scalar {
                    self.store(&place, Val::Unknown, state);
                }
            }
        }
        paths
    }

    /// `IRMutator::visit(op)`, `IRVisitor::visit(op)`: the `visit` of a base class of the mutator
    /// or visitor.
    fn visit_of_base(
        &mut self,
        base: &str,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut paths = Vec::new();
        for (state, values) in self.arguments(arguments, state) {
            let first = values.first().map(|value| Self::loaded(value.clone(), &state));
            let Some(Val::Ptr(Some((node, kind)))) = first else {
                paths.extend(self.unsupported(state, format!("{base}::visit"), line));
                continue;
            };
            // The behaviour of the root mutators and visitors is known. Any other class runs its
            // own method.
            let all = self.classes_of(last_part(base));
            let mut own = all.iter().filter(|class| !is_root(class));
            if let Some(own) = own.find_map(|class| self.method_for(class, kind.name())) {
                paths.extend(self.call_template(own, &[], values, state));
                continue;
            }
            let Some(root) = all.iter().find(|class| is_root(class)) else {
                let what = format!("{base}::visit, which the files do not have");
                paths.extend(self.unsupported(state, what, line));
                continue;
            };
            if root.ends_with("Visitor") {
                let walked = self.walk_operands(node, state);
                paths.extend(walked.into_iter().map(|(state, ())| (state, Val::Void)));
                continue;
            }
            let is_stmt = state.node(node).ty == Type::STMT;
            for (mut state, value) in self.mutate_operands(node, state, line) {
                let member = if is_stmt { "stmt" } else { "expr" };
                self.store(&Place::Member(member.to_owned()), value.clone(), &mut state);
                state.at = line;
                paths.push((state, value));
            }
        }
        paths
    }

    /// Calls a function with its template argument, which may name kinds of nodes.
    fn call_template(
        &mut self,
        function: &'p Function,
        templates: &'p [String],
        values: Vec<Val>,
        state: State,
    ) -> Paths<Val> {
        if self.names_reference(templates) {
            return self.unsupported(state, MAY_REFER, function.line);
        }
        let mut known: Vec<(String, String)> = Vec::new();
        for (parameter, argument) in function.templates.iter().zip(templates) {
            known.push((parameter.clone(), self.named_type(argument).to_owned()));
        }
        // The kind of the node that a pointer points to is the argument of its parameter.
        for (parameter, value) in function.parameters.iter().zip(&values) {
            let of = parameter.ty.trim_end_matches(['*', '&']);
            if let Val::Ptr(Some((_, kind))) = Self::loaded(value.clone(), &state)
                && function.templates.iter().any(|name| name == of)
                && known.iter().all(|(name, _)| name != of)
            {
                known.push((of.to_owned(), kind.name().to_owned()));
            }
        }
        let outer = std::mem::replace(&mut self.templates, known);
        let paths = self.call(function, values, state);
        self.templates = outer;
        paths
    }

    /// `Pass()(e)` of a class of mutators without members: its methods have verdicts of their own,
    /// so it is assumed that the result equals the argument. It may be greater.
    fn other_pass(
        &mut self,
        class: &'p Expr,
        arguments: &'p [Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let name = match &class.kind {
            ExprKind::Name(name) => name.as_str(),
            _ => "",
        };
        let known = self.program.classes.iter().find(|known| known.name == name);
        let is_own = |of: &Function| of.class == name && of.name == "operator()";
        if self.program.functions.iter().any(is_own) {
            return self.unsupported(state, format!("the own call operator of {name}"), line);
        }
        let goes_round = self.reaches(name);
        let is_mutator = known.is_some_and(|class| {
            class.fields.is_empty() && class.bases.iter().any(|base| base.contains("IRMutator"))
        });
        let is_equal = contracts::other_statement(name).is_none();
        let is_any_mutator = known.is_some_and(|class| {
            self.classes_of(&class.name).iter().any(|base| base.ends_with("Mutator"))
        });
        let ([argument], true, true) = (arguments, is_any_mutator, !self.is_concrete()) else {
            return self.unsupported(state, "a call of a computed function", line);
        };
        let mut paths = Vec::new();
        for (mut state, value) in self.eval(argument, state) {
            if let (true, Val::Expr(Some(node)) | Val::Ptr(Some((node, _)))) = (goes_round, &value)
            {
                self.descend(*node, &mut state, line);
            }
            match value {
                Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) if !(is_mutator && is_equal) => {
                    paths.extend(self.made_by(name, node, state, line));
                }
                Val::Expr(Some(node)) | Val::Ptr(Some((node, _))) => {
                    paths.extend(self.mutate(node, state, line));
                }
                _ => paths.extend(self.unsupported(state, "a call of a computed function", line)),
            }
        }
        paths
    }

    /// `std::get<i>(e)`, and the parts of `auto [a, b] = e`: a member of a structure by its place.
    fn part_of(&mut self, index: &str, of: &'p Expr, state: State, line: usize) -> Paths<Val> {
        let index = index.parse().unwrap_or(usize::MAX);
        let mut paths = Vec::new();
        for (state, value) in self.eval(of, state) {
            let part = match Self::loaded(value, &state) {
                Val::Object(members) => members.into_iter().nth(index).map(|(_, value)| value),
                Val::List(values) => values.into_iter().nth(index),
                Val::Handle(of) => Some(Val::Handle(format!("{of}.{index}"))),
                _ => None,
            };
            match part {
                Some(value) => paths.push((state, value)),
                None => paths.extend(self.unsupported(state, "a part of something else", line)),
            }
        }
        paths
    }

    /// Evaluates arguments from left to right. A path on which the order matters ends. A variable
    /// becomes a reference, as the parameter may be one.
    pub(crate) fn arguments(&mut self, arguments: &'p [Expr], state: State) -> Paths<Vec<Val>> {
        let mut paths = vec![(state, Vec::new())];
        for argument in arguments {
            let others = || arguments.iter().filter(|other| !std::ptr::eq(*other, argument));
            let mut next = Vec::new();
            for (state, values) in paths {
                let before = Before::of(others(), &state);
                let evaluated = match self.moved_variable(argument, &state) {
                    // The parameter may take what the variable holds.
                    Some(of) => self.moved(of, state),
                    None => self.reference(argument, state),
                };
                for (state, value) in evaluated {
                    let mut values = values.clone();
                    values.push(value);
                    let path = (state, values);
                    next.extend(self.in_any_order(argument, others(), before.as_ref(), path));
                }
            }
            paths = next;
        }
        paths
    }

    /// Evaluates the object of a method and the arguments. A path on which the order of these
    /// matters ends. An object that is a variable is read when the method is called.
    fn received(
        &mut self,
        object: &'p Expr,
        arguments: &'p [Expr],
        state: State,
    ) -> Paths<(Val, Vec<Val>)> {
        let name = variable(object);
        let mut paths = Vec::new();
        let before = Before::of(arguments.iter(), &state);
        for path in self.reference(object, state) {
            for (state, receiver) in
                self.in_any_order(object, arguments.iter(), before.as_ref(), path)
            {
                let before = Before::of(arguments.iter().take(1).map(|_| object), &state);
                let before = before.filter(|_| name.is_none());
                for (state, values) in self.arguments(arguments, state) {
                    let is_assigned =
                        |name: &&str| state.members.iter().any(|slot| slot.name == *name);
                    let place = name.filter(is_assigned).map(|of| Place::Member(of.to_owned()));
                    let receiver = match (&receiver, place) {
                        (Val::Reference(_), _) | (_, None) => receiver.clone(),
                        (_, Some(place)) => Val::Reference(place),
                    };
                    let path = (state, (receiver, values));
                    let object_again = std::iter::once(object);
                    paths.extend(self.in_any_order(object, object_again, before.as_ref(), path));
                }
            }
        }
        paths
    }

    /// `rewriter(add(a, b), …)`: its result has the value of the expression that it matches.
    fn rewriter(&mut self, arguments: &'p [Expr], state: State, line: usize) -> Paths<Val> {
        let ty = arguments.get(1).map(|ty| &ty.kind);
        let Some(ExprKind::Call { callee, arguments, .. }) =
            arguments.first().map(|matched| &matched.kind)
        else {
            return self.unsupported(state, "a rewriter of something else", line);
        };
        let ExprKind::Name(name) = &callee.kind else {
            return self.unsupported(state, "a rewriter of something else", line);
        };
        let name = name.rsplit("::").next().unwrap_or_default();
        let reduction = REDUCED.iter().find(|(known, _)| *known == name).map(|(_, op)| *op);
        let known = MATCHED.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let Some(kind) = known.or(reduction.map(|_| Kind::VectorReduce)) else {
            return self.unsupported(state, format!("a rewriter of {name}"), line);
        };
        // The type of the result is the node's, or that of an operand, which has the same type
        // unless the node is a comparison.
        let is_of_node = |ty: &ExprKind| {
            matches!(ty, ExprKind::Member { object, arrow: true, name }
                if name == "type" && matches!(&object.kind, ExprKind::Name(_)))
        };
        let is_of_operand = |ty: &ExprKind| {
            matches!(ty, ExprKind::Call { callee, .. }
                if matches!(&callee.kind, ExprKind::Member { arrow: false, name, .. }
                    if name == "type"))
        };
        let is_comparison = ["EQ", "NE", "LT", "LE", "GT", "GE"].contains(&kind.name());
        if !ty.is_none_or(|ty| is_of_node(ty) || (is_of_operand(ty) && !is_comparison)) {
            return self.unsupported(state, "a rewriter of another type", line);
        }
        let mut paths = Vec::new();
        for (state, values) in self.arguments(arguments, state) {
            let mut state = state;
            let mut values: Vec<Val> =
                values.into_iter().map(|value| Self::loaded(value, &state)).collect();
            match reduction {
                Some(op) => values.insert(0, Self::reduced_by(op, &state)),
                None if kind == Kind::Broadcast => {}
                None => self.typed_literals(&mut values, &mut state),
            }
            for (mut state, matched) in self.make_node(kind, &values, state, line) {
                if let Val::Expr(Some(node)) = matched {
                    let (ty, class) = (state.node(node).ty, state.node(node).class);
                    let result = state.add(ty, Some(class), None);
                    let mut members = vec![(MATCHED_NODE.to_owned(), Val::Expr(Some(result)))];
                    if self.is_concrete() {
                        members.push((MATCHED_BY.to_owned(), Val::Expr(Some(node))));
                    }
                    paths.push((state, Val::Object(members)));
                }
            }
        }
        paths
    }

    /// Makes the number in a pattern a literal of the other operand's type (`IntLiteral` in
    /// `IRMatch.h`).
    fn typed_literals(&mut self, values: &mut [Val], state: &mut State) {
        let (index, node) = match values {
            [Val::Expr(Some(node)), Val::Int(_)] => (1, *node),
            [Val::Int(_), Val::Expr(Some(node))] => (0, *node),
            _ => return,
        };
        let ty = state.node(node).ty;
        if let Some(literal) = self.literal_of(ty, &values[index], state) {
            values[index] = Val::Expr(Some(literal));
        }
    }

    fn swap(&mut self, one: &'p Expr, other: &'p Expr, state: State) -> Paths<Val> {
        // Each side is evaluated as a value and as a place.
        if let Some(side) = [one, other].into_iter().find(|side| self.has_effect(side, &state)) {
            return self.unsupported(state, "a swap of places with effects", side.line);
        }
        let mut paths = Vec::new();
        for (state, first) in self.eval(one, state) {
            for (state, second) in self.eval(other, state) {
                if Self::binds(&first) || Self::binds(&second) {
                    paths.extend(self.unsupported(state, MOVED, one.line));
                    continue;
                }
                for (state, a) in self.place(one, state) {
                    for (mut state, b) in self.place(other, state) {
                        self.store(&a, second.clone(), &mut state);
                        self.store(&b, first.clone(), &mut state);
                        paths.push((state, Val::Void));
                    }
                }
            }
        }
        paths
    }
}

/// The member of a rewriter with what a rule made, once a rule has fired, and the one that keeps
/// this value until then.
const RESULT: &str = "result";
const MATCHED_NODE: &str = "what a rule makes";
/// The member of a rewriter that holds the node that rules match, if they fire.
const MATCHED_BY: &str = "what a rule matches";

/// The nodes that rewriters match, by their names in the rule language.
const MATCHED: &[(&str, Kind)] = &[
    ("add", Kind::Add),
    ("sub", Kind::Sub),
    ("mul", Kind::Mul),
    ("div", Kind::Div),
    ("mod", Kind::Mod),
    ("min", Kind::Min),
    ("max", Kind::Max),
    ("eq", Kind::EQ),
    ("ne", Kind::NE),
    ("lt", Kind::LT),
    ("le", Kind::LE),
    ("gt", Kind::GT),
    ("ge", Kind::GE),
    ("and_op", Kind::And),
    ("or_op", Kind::Or),
    ("not_op", Kind::Not),
    ("select", Kind::Select),
    ("ramp", Kind::Ramp),
    ("broadcast", Kind::Broadcast),
];
