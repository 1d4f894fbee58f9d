//! The effects of statements: the memory that they leave, as a term over the memory before.
//!
//! Memory is the sequence of effects so far: stores, calls with effects, and statements about which
//! nothing is known. Two statements are equivalent if they leave the same memory wherever they can
//! go. An expression has a value at a *moment*: in a memory, under bindings of names. A loop whose
//! extent is 1 is run once; any other loop is described by the effect of one iteration.
//!
//! # Correctness
//!
//! A statement that is known only by its class has the same effect in any memory and under any
//! bindings that it can see. It cannot see names that the mutator made, nor a name that the input
//! binds elsewhere (every binder has a unique name). A variable that was replaced by an expression
//! is that expression where the variable stood, in the memory at that point. A variable that was
//! bound is the value that the expression had. Loop bounds do not read memory.
//!
//! Other tasks store only where they are not excluded: what is loaded behind a semaphore, or within
//! or behind what is done at once, may differ from what was there before.

use halidom_rewrites::rules::{Domain, Fun, ValueId, Values};

use crate::ir::intrinsics::{evaluates_one, is_pure};
use crate::ir::kinds::{Kind, Type};
use crate::ir::layout::{has_last, parameters};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::Scoped;
use crate::meaning::memory::{Bound, Memory, MemoryId, Moment, ScopeId, Stop, Way};
use crate::meaning::regions::after_loop;
use crate::meaning::terms::Meaning;

/// The maximum nesting depth of statements.
const MAX_NESTING: u32 = 64;

/// The maximum number of iterations of a loop on wholly known IR.
const MAX_TRIPS: i128 = 6;

impl Meaning<'_> {
    /// The value of an expression at the moment that a way has reached.
    pub(super) fn at(&mut self, node: NodeId, way: &mut Way, scope: ScopeId) -> ValueId {
        let (term, present) = self.at_present(node, way, scope);
        self.require(present, way);
        term
    }

    /// Moves to the moment that a way has reached.
    pub(super) fn reach(&mut self, way: &Way, scope: ScopeId) {
        // The beginning of a buffer changes no value. A buffer that was freed holds nothing. Behind
        // a semaphore, and in what is done at once, the stores of other tasks may have changed any.
        let mut memory = way.memory;
        while let Memory::Mark { before, what, .. } = self.effects.memory(memory)
            && !matches!(what, Kind::Acquire | Kind::Atomic | Kind::Free)
        {
            memory = *before;
        }
        self.moment = Moment { memory, scope };
        if !self.effects.moments.contains(&self.moment) {
            self.effects.moments.push(self.moment);
        }
    }

    /// The ways through a statement from the beginning; `None` if it contains something that is not
    /// modelled.
    pub(crate) fn ways(&mut self, stmt: NodeId) -> Option<Vec<Way>> {
        self.is_timed = true;
        let way = Way { conditions: Vec::new(), defined: Vec::new(), memory: 0, stop: None };
        self.go(stmt, way, 0)
    }

    /// Continues a way through a statement. A statement that turns out to contain itself is not
    /// modelled.
    pub(super) fn go(&mut self, stmt: NodeId, way: Way, scope: ScopeId) -> Option<Vec<Way>> {
        if self.effects.nesting > MAX_NESTING {
            return None;
        }
        self.effects.nesting += 1;
        let ways = self.go_on(stmt, way, scope);
        self.effects.nesting -= 1;
        ways
    }

    fn go_on(&mut self, stmt: NodeId, way: Way, scope: ScopeId) -> Option<Vec<Way>> {
        let mut way = way;
        let state = self.state;
        if way.stop.is_some() {
            return Some(vec![way]);
        }
        let is_idle = |class: usize| state.idle.iter().any(|idle| state.class(*idle) == class);
        // A statement that does nothing does nothing where an assumption fails, too.
        if is_idle(state.class(state.node(stmt).class)) {
            return Some(self.idle(stmt, way, scope));
        }
        let stmt = self.scoped_stmt(stmt, &mut way, scope);
        self.reach(&way, scope);
        if self.has_vanished(stmt) {
            return Some(vec![way]);
        }
        let class = state.class(state.node(stmt).class);
        if is_idle(class) {
            return Some(self.idle(stmt, way, scope));
        }
        let shape = state.shape(stmt).cloned();
        if shape.is_none()
            && let Some(substitution) = self.substitution(class)
        {
            return match self.substituted(&substitution, scope) {
                Some(scope) => self.go(substitution.within, way, scope),
                None => {
                    way.memory = self.unknown(class, way.memory, scope);
                    Some(vec![way])
                }
            };
        }
        let shape = shape.or_else(|| state.shape(self.shaped(class)?).cloned());
        let Some(Shape { kind, fields }) = shape else {
            let is_missing = self.is_missing(stmt);
            let (missing, mut present) = self.fork(is_missing, way);
            let mut done = missing;
            for way in &mut present {
                way.memory = self.unknown(class, way.memory, scope);
            }
            done.append(&mut present);
            return Some(done);
        };
        let member = |name: &str| -> Option<NodeId> {
            let index = kind.fields().iter().position(|(known, _)| *known == name)?;
            match fields.get(index)? {
                Field::Expr(inner) => Some(*inner),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
            }
        };
        match kind {
            Kind::Undefined => Some(vec![way]),
            Kind::Fork => {
                let tasks = [self.tasks(member("first")?, 0), self.tasks(member("rest")?, 0)];
                self.beside(&tasks.concat(), way, scope)
            }
            Kind::Block => {
                let mut done = Vec::new();
                for way in self.go(member("first")?, way, scope)? {
                    done.extend(self.go(member("rest")?, way, scope)?);
                }
                Some(done)
            }
            Kind::IfThenElse => self.branch(&member, way, scope),
            Kind::LetStmt => {
                self.evaluate(member("value")?, &mut way, scope)?;
                self.reach(&way, scope);
                if self.has_vanished(member("value")?) {
                    return self.go(member("body")?, way, scope);
                }
                let value = self.at(member("value")?, &mut way, scope);
                let ty = state.node(member("value")?).ty;
                let name = state.find(member("name")?);
                let scope = self.effects.bind(scope, name, Bound::Value(value, ty));
                self.go(member("body")?, way, scope)
            }
            Kind::AssertStmt => self.assert(kind, &member, way, scope),
            Kind::Evaluate => {
                let value = member("value")?;
                self.evaluate(value, &mut way, scope)?;
                Some(vec![way])
            }
            Kind::Store => self.store(&member, way, scope),
            // The C of a module is its model in software.
            Kind::ExternModule if self.is_emitted => self.go(member("body")?, way, scope),
            Kind::ProducerConsumer | Kind::AttrStmt => {
                if let Some(value) = member("value") {
                    let _ = self.at(value, &mut way, scope);
                }
                self.go(member("body")?, way, scope)
            }
            Kind::For => self.repeat(&member, way, scope),
            // A directive for hardware does not affect the result.
            Kind::Partition => Some(vec![way]),
            // Prefetching changes no values.
            Kind::Prefetch => {
                let _ = self.at(member("condition")?, &mut way, scope);
                self.go(member("body")?, way, scope)
            }
            Kind::Provide => self.provide(&member, way, scope),
            Kind::While => self.repeat_while(member("condition")?, member("body")?, way, scope),
            Kind::Return | Kind::Break | Kind::StreamStmt => {
                Some(self.leave(kind, &member, way, scope))
            }
            Kind::KernelStmt | Kind::Print => self.emit_call(kind, &member, way, scope),
            Kind::Allocate | Kind::Realize => self.allocate(kind, &fields, &member, way, scope),
            Kind::Free | Kind::Acquire => self.mark(kind, &member, way, scope),
            Kind::Atomic
            | Kind::StreamingStore
            | Kind::StreamingLoads
            | Kind::HoistedStorage
            | Kind::ExternModule => self.enclosed(kind, &fields, &member, way, scope),
            _ => None,
        }
    }

    /// Takes both arms of a condition.
    fn branch(
        &mut self,
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;

        let condition = self.at(member("condition")?, &mut way, scope);
        let (then, otherwise) = self.fork(condition, way);
        let mut done = Vec::new();
        for way in then {
            done.extend(self.go(member("then_case")?, way, scope)?);
        }
        for way in otherwise {
            done.extend(self.go(member("else_case")?, way, scope)?);
        }
        Some(done)
    }

    /// Runs an assertion. The way stops where the assertion fails.
    fn assert(
        &mut self,
        kind: Kind,
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;

        let condition = self.at(member("condition")?, &mut way, scope);
        let (holds, fails) = self.fork(condition, way);
        let mut done = Vec::new();
        let has_body =
            parameters(kind, self.profile.name).is_some_and(|members| members.contains(&"body"));
        for way in holds {
            if has_body {
                done.extend(self.go(member("body")?, way, scope)?);
            } else {
                done.push(way);
            }
        }
        for mut way in fails {
            let values = vec![self.at(member("message")?, &mut way, scope)];
            // The pipeline returns this number. What emitted C prints is not compared.
            if !self.is_emitted {
                let before = way.memory;
                let mark = Memory::Mark { before, what: kind, name: None, values, is_end: false };
                way.memory = self.effects.add(mark);
            }
            way.stop = Some(Stop::All);
            done.push(way);
        }
        Some(done)
    }

    /// Ends the innermost loop or the statement, or writes to a stream.
    fn leave(
        &mut self,
        kind: Kind,
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Vec<Way> {
        let mut way = way;
        let state = self.state;

        if kind == Kind::Break {
            return vec![Way { stop: Some(Stop::Loop), ..way }];
        }
        let mut values = Vec::new();
        for operand in ["index", "value", "axis"].into_iter().filter_map(member) {
            if kind != Kind::StreamStmt || member("value") == Some(operand) {
                values.push(self.at(operand, &mut way, scope));
            }
        }
        let name = member("name").map(|name| state.find(name));
        let before = way.memory;
        let what = kind;
        let mark = Memory::Mark { before, what, name, values, is_end: false };
        way.memory = self.effects.add(mark);
        if kind == Kind::Return {
            way.stop = Some(Stop::All);
        }
        vec![way]
    }

    /// Calls a kernel, or prints.
    fn emit_call(
        &mut self,
        kind: Kind,
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let state = self.state;

        let list = member(if kind == Kind::Print { "values" } else { "args" })?;
        let arguments = self.list(list, &mut way, scope);
        let name = member("name").map(|name| state.find(name));
        let callee = name.map_or("print".to_owned(), |name| format!("kernel {name}"));
        let before = way.memory;
        way.memory = self.effects.add(Memory::Call { before, callee, arguments });
        Some(vec![way])
    }

    /// Ends a buffer, or takes a semaphore.
    fn mark(
        &mut self,
        kind: Kind,
        member: &impl Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let state = self.state;

        let name = member("name").map(|name| state.find(name));
        let mut values = Vec::new();
        for operand in ["semaphore", "count"].into_iter().filter_map(member) {
            values.push(self.at(operand, &mut way, scope));
        }
        let before = way.memory;
        way.memory =
            self.effects.add(Memory::Mark { before, what: kind, name, values, is_end: false });
        match member("body") {
            Some(body) => self.go(body, way, scope),
            None => Some(vec![way]),
        }
    }

    /// Runs a statement that does nothing: if it is an assert, it holds.
    fn idle(&mut self, stmt: NodeId, way: Way, scope: ScopeId) -> Vec<Way> {
        let mut way = way;
        let condition = match self.known_shape(stmt) {
            Some(Shape { kind: Kind::AssertStmt, fields }) => match fields.first() {
                Some(Field::Expr(condition)) => Some(*condition),
                _ => None,
            },
            _ => None,
        };
        let Some(condition) = condition else { return vec![way] };
        let condition = self.at(condition, &mut way, scope);
        self.fork(condition, way).0
    }

    /// Relates a statement with the result of mutating it under assumptions. Where the assumptions
    /// are known to hold on this way, the result stands for the statement. Elsewhere the statement
    /// stands for the result, which is defined only where they hold. Of a statement that may store,
    /// nothing is assumed that depends on memory.
    fn scoped_stmt(&mut self, stmt: NodeId, way: &mut Way, scope: ScopeId) -> NodeId {
        let state = self.state;
        let class = state.class(state.node(stmt).class);
        for scoped in &state.scoped {
            let (given, returned) = (state.class(scoped.given), state.class(scoped.returned));
            if ![given, returned].contains(&class) {
                continue;
            }
            let Some(facts) = self.assumed_at(scoped, way, scope) else { continue };
            let is_open = |fact: &ValueId| {
                self.values.as_number(*fact) != Some(1) && !way.conditions.contains(fact)
            };
            let open: Vec<ValueId> = facts.into_iter().filter(is_open).collect();
            let of_class = |class: usize| {
                state
                    .nodes
                    .iter()
                    .position(|node| node.ty == Type::STMT && state.class(node.class) == class)
            };
            if open.is_empty() && class == given {
                return of_class(returned).unwrap_or(stmt);
            }
            if !open.is_empty() && class == returned {
                let new = open.into_iter().filter(|fact| !way.defined.contains(fact));
                let new: Vec<ValueId> = new.collect();
                way.defined.extend(new);
                return of_class(given).unwrap_or(stmt);
            }
        }
        stmt
    }

    /// The assumptions of a mutation of a statement, at the moment that a way has reached; `None`
    /// if one is not known or may change while the statement runs.
    fn assumed_at(&mut self, scoped: &Scoped, way: &Way, scope: ScopeId) -> Option<Vec<ValueId>> {
        let mut facts = Vec::new();
        for assumption in &scoped.assumed {
            let fact = assumption.fact?;
            if !assumption.nodes.iter().all(|node| self.is_fixed(*node, 0)) {
                return None;
            }
            self.reach(way, scope);
            let before = self.defined.len();
            facts.push(self.term(fact));
            self.defined.truncate(before);
        }
        Some(facts)
    }

    /// The values of the elements of a list.
    pub(super) fn list(&mut self, list: NodeId, way: &mut Way, scope: ScopeId) -> Vec<ValueId> {
        let state = self.state;
        let Some(Shape { fields, .. }) = state.shape(list) else {
            let class = state.class(state.node(list).class);
            let scope = self.visible(class, scope);
            let name = format!("list {class} in {} {scope}", way.memory);
            return vec![self.values.var(&name, Domain::Whole)];
        };
        let mut values = Vec::new();
        for field in fields {
            if let Field::Expr(element) = field {
                values.push(self.at(*element, way, scope));
            }
        }
        values
    }

    /// Runs the side effects of evaluating an expression; `None` if they are not modelled.
    fn evaluate(&mut self, value: NodeId, way: &mut Way, scope: ScopeId) -> Option<()> {
        let state = self.state;
        let Some((value, class)) = self.evaluated(value, way, scope) else { return Some(()) };
        let is_known = state.pure.iter().any(|pure| state.class(*pure) == class);
        if is_known || self.is_plain_operand(class) || self.is_literal_class(class) {
            return Some(());
        }
        let node = if state.shape(value).is_some() { Some(value) } else { self.shaped(class) };
        let Some(node) = node else {
            way.memory = self.unknown(class, way.memory, scope);
            return Some(());
        };
        let Shape { kind, fields } = state.shape(node)?.clone();
        if matches!(kind, Kind::Let) {
            let [Field::Expr(name), Field::Expr(bound), Field::Expr(body)] = fields.as_slice()
            else {
                return None;
            };
            self.evaluate(*bound, way, scope)?;
            let ty = state.node(*bound).ty;
            let bound = self.at(*bound, way, scope);
            let scope = self.effects.bind(scope, state.find(*name), Bound::Value(bound, ty));
            return self.evaluate(*body, way, scope);
        }
        let is_choice =
            kind == Kind::Call && state.node(node).intrinsic.as_deref().is_some_and(evaluates_one);
        let mut arguments = Vec::new();
        for field in &fields {
            if let Field::Expr(inner) = field
                && state.node(*inner).ty.is_value()
            {
                let before = way.memory;
                self.evaluate(*inner, way, scope)?;
                // Only the condition is always evaluated.
                if is_choice && !arguments.is_empty() && way.memory != before {
                    return None;
                }
                arguments.push(*inner);
            }
        }
        if kind == Kind::Call {
            match state.node(node).intrinsic.as_deref() {
                // Its arguments are not known: they may have effects.
                Some(_) if fields.is_empty() && self.given.is_none() => {
                    way.memory = self.unknown(class, way.memory, scope);
                }
                Some(callee) if is_pure(callee) => {}
                Some(callee) => {
                    let ty = state.node(node).ty;
                    let types: Vec<Type> =
                        arguments.iter().map(|argument| state.node(*argument).ty).collect();
                    let mut values = Vec::new();
                    for argument in arguments {
                        values.push(self.at(argument, way, scope));
                    }
                    let before = way.memory;
                    let callee = match self.given {
                        Some(_) => callee.to_owned(),
                        None => format!("{callee} of {types:?} to {ty}"),
                    };
                    way.memory =
                        self.effects.add(Memory::Call { before, callee, arguments: values });
                }
                None => way.memory = self.unknown(class, way.memory, scope),
            }
        }
        if matches!(kind, Kind::StreamExpr | Kind::KernelExpr) {
            way.memory = self.unknown(class, way.memory, scope);
        }
        Some(())
    }

    fn store(
        &mut self,
        member: &dyn Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let state = self.state;
        let predicate_node = member("predicate")?;
        let predicate = self.at(predicate_node, &mut way, scope);
        let ty = state.node(predicate_node).ty;
        let is_uniform = !ty.is_vector
            || self.known_shape(predicate_node).is_some_and(|shape| shape.kind == Kind::Broadcast)
            || self.is_literal_class(state.class(state.node(predicate_node).class))
            || self.values.as_number(predicate).is_some();
        let (stores, mut done) =
            if is_uniform { self.fork(predicate, way) } else { (vec![way], Vec::new()) };
        for mut way in stores {
            let predicate = if is_uniform { self.values.bool(true) } else { predicate };
            let buffer = state.find(member("name")?);
            let index = self.at(member("index")?, &mut way, scope);
            let value_node = member("value")?;
            let is_undef = self.is_undef(value_node);
            if is_undef && !(self.is_open() && self.is_result) {
                done.push(way);
                continue;
            }
            let (value, present) = self.at_present(value_node, &mut way, scope);
            // Where there is no value, none is stored.
            let present = if is_undef { self.values.bool(false) } else { self.all(present) };
            let (stored, left) = self.where_present(present, way);
            done.extend(left);
            for mut way in stored {
                self.moment = Moment { memory: way.memory, scope };
                let kept = self.loaded(buffer, index, state.node(value_node).ty);
                // A store of the value that the buffer already holds has no effect.
                if kept != value {
                    let before = way.memory;
                    let ty = state.node(value_node).ty;
                    let stored = Memory::Store { before, buffer, predicate, index, value, ty };
                    way.memory = self.effects.add(stored);
                }
                done.push(way);
            }
        }
        Some(done)
    }

    /// A write to a function of several dimensions, if its predicate holds. Older compilers have no
    /// predicate.
    fn provide(
        &mut self,
        member: &dyn Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let (holds, mut ways) = if has_last(self.profile.name) {
            let predicate = self.at(member("predicate")?, &mut way, scope);
            self.fork(predicate, way)
        } else {
            (vec![way], Vec::new())
        };
        for mut way in holds {
            let mut arguments = self.list(member("args")?, &mut way, scope);
            let places = arguments.len();
            if self.is_open() {
                let (values, any) = self.parts(member("values")?, &mut way, scope);
                let (written, left) = self.where_present(any, way);
                ways.extend(left);
                let Some(of_written) = written.into_iter().next() else { continue };
                way = of_written;
                arguments.extend(values);
            } else {
                arguments.extend(self.list(member("values")?, &mut way, scope));
            }
            let before = way.memory;
            let name = self.state.find(member("name")?);
            let types = self.types_of(member("values")?);
            let callee = format!("provide {name} at {places} of {types}");
            way.memory = self.effects.add(Memory::Call { before, callee, arguments });
            ways.push(way);
        }
        Some(ways)
    }

    /// The types of the elements of a list that is known.
    fn types_of(&self, list: NodeId) -> String {
        let state = self.state;
        let fields = state.shape(list).map(|shape| shape.fields.as_slice()).unwrap_or_default();
        let types = fields.iter().filter_map(|field| match field {
            Field::Expr(element) => Some(state.node(*element).ty.to_string()),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
        });
        types.collect::<Vec<String>>().join(", ")
    }

    fn repeat(
        &mut self,
        member: &dyn Fn(&str) -> Option<NodeId>,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        let mut way = way;
        let state = self.state;
        let ty = state.node(member("min")?).ty;
        let min = self.at(member("min")?, &mut way, scope);
        let mut extent = self.at(member("extent")?, &mut way, scope);
        if has_last(self.profile.name) {
            let one = self.values.number(1, Domain::Whole);
            let distance = self.values.apply(Fun::Sub, &[extent, min]);
            extent = self.values.apply(Fun::Add, &[distance, one]);
        }
        let name = state.find(member("name")?);
        let body = member("body")?;
        if let (Some(min), Some(extent)) =
            (self.values.as_number(min), self.values.as_number(extent))
            && self.given.is_some()
        {
            if extent > MAX_TRIPS {
                return None;
            }
            let mut ways = vec![way];
            for iteration in min..min + extent {
                let value = self.values.number(iteration, Domain::Whole);
                let scope = self.effects.bind(scope, name, Bound::Value(value, ty));
                let mut next = Vec::new();
                for way in ways {
                    next.extend(self.go(body, way, scope)?);
                }
                ways = next;
            }
            return Some(after_loop(ways));
        }
        let one = self.values.number(1, Domain::Whole);
        let is_less = self.values.apply(Fun::Lt, &[extent, one]);
        let (mut done, more) = self.fork(is_less, way);
        for way in more {
            let is_one = self.values.apply(Fun::Eq, &[extent, one]);
            let (once, often) = self.fork(is_one, way);
            for way in once {
                let scope = self.effects.bind(scope, name, Bound::Value(min, ty));
                done.extend(self.run_once(body, way, scope)?);
            }
            for mut way in often {
                self.effects.depth += 1;
                let depth = self.effects.depth;
                let iteration = self.values.var(&format!("iteration{depth}"), Domain::Whole);
                let [above, below] = {
                    let is_below = self.values.apply(Fun::Lt, &[iteration, min]);
                    let end = self.values.apply(Fun::Add, &[min, extent]);
                    let is_before = self.values.apply(Fun::Lt, &[iteration, end]);
                    [self.values.apply(Fun::Not, &[is_below]), is_before]
                };
                let start = self.effects.add(Memory::Start(depth));
                let inner = self.effects.bind(scope, name, Bound::Value(iteration, ty));
                let first = Way {
                    conditions: vec![above, below],
                    defined: Vec::new(),
                    memory: start,
                    stop: None,
                };
                let body = self.go(body, first, inner);
                self.effects.depth -= 1;
                let (before, body) = (way.memory, body?);
                // A loop whose iterations do nothing has no effect.
                if body.iter().all(|way| way.memory == start && way.stop.is_none()) {
                    done.push(way);
                    continue;
                }
                way.memory =
                    self.effects.add(Memory::Loop { before, depth, min, extent, ty, body });
                done.push(way);
            }
        }
        Some(done)
    }

    /// A loop that continues while a condition holds. Its ways are an iteration, or its end where
    /// the condition does not hold.
    fn repeat_while(
        &mut self,
        condition: NodeId,
        body: NodeId,
        way: Way,
        scope: ScopeId,
    ) -> Option<Vec<Way>> {
        self.effects.depth += 1;
        let depth = self.effects.depth;
        let start = self.effects.add(Memory::Start(depth));
        let mut first =
            Way { conditions: Vec::new(), defined: Vec::new(), memory: start, stop: None };
        let holds = self.at(condition, &mut first, scope);
        let (goes, mut iteration) = self.fork(holds, first);
        for way in &mut iteration {
            way.stop = Some(Stop::All);
        }
        let mut is_known = true;
        for way in goes {
            match self.go(body, way, scope) {
                Some(ways) => iteration.extend(ways),
                None => is_known = false,
            }
        }
        self.effects.depth -= 1;
        if !is_known {
            return None;
        }
        let before = way.memory;
        let memory = self.effects.add(Memory::While { before, depth, body: iteration });
        Some(vec![Way { memory, ..way }])
    }

    /// The ways on which a condition holds, and those on which it does not.
    pub(super) fn fork(&mut self, condition: ValueId, way: Way) -> (Vec<Way>, Vec<Way>) {
        if let Some(truth) = self.values.as_number(condition) {
            return if truth != 0 { (vec![way], Vec::new()) } else { (Vec::new(), vec![way]) };
        }
        let negated = negation(&mut self.values, condition);
        if way.conditions.contains(&condition) {
            return (vec![way], Vec::new());
        }
        if way.conditions.contains(&negated) {
            return (Vec::new(), vec![way]);
        }
        let mut holds = way.clone();
        holds.conditions.push(condition);
        let mut fails = way;
        fails.conditions.push(negated);
        (vec![holds], vec![fails])
    }

    fn unknown(&mut self, class: usize, before: MemoryId, scope: ScopeId) -> MemoryId {
        let scope = self.visible(class, scope);
        self.effects.add(Memory::Unknown { before, class, scope })
    }
}

/// The negation of a truth value, without a double negation.
pub(crate) fn negation(values: &mut Values, term: ValueId) -> ValueId {
    if let halidom_rewrites::rules::Node::Apply(Fun::Not, operands) = values.node(term) {
        return operands[0];
    }
    values.apply(Fun::Not, &[term])
}
