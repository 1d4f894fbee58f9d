//! Expressions without a value: where `undef` is computed with, or a variable that has no value.
//!
//! An operator has a value where its operands have one. A choice has one where its condition and
//! the chosen operand have one. A `let` binds a variable without a value if what it binds vanished;
//! if what it binds has no value in some run only, the `let` is undefined there.
//!
//! # Correctness
//!
//! `machine::vanish` has what is known of the results of `mutate`. Where an assumption of it is not
//! known to hold, whether the class has a value is not known.

use halidom_rewrites::rules::{Domain, Fun, Node as Term, ValueId};

use crate::ir::kinds::{Kind, Type};
use crate::ir::layout::parameters;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Assumption, Guard, Scoped, Under};
use crate::machine::vanish::{HERE, LOST};
use crate::meaning::memory::{Moment, ScopeId, Way};
use crate::meaning::terms::Meaning;

/// The number of bindings within one another beyond which nothing is known of a variable.
const MAX_NESTING: usize = 6;

/// The depth of nodes beyond which a part may have no value.
const MAX_DEPTH: usize = 16;

impl Meaning<'_> {
    /// Tests whether expressions may have no value.
    pub(super) fn is_open(&self) -> bool {
        self.state.presence.is_open
    }

    /// The value of an expression at the moment that a way has reached, and the conditions under
    /// which it has one.
    pub(super) fn at_present(
        &mut self,
        node: NodeId,
        way: &mut Way,
        scope: ScopeId,
    ) -> (ValueId, Vec<ValueId>) {
        self.reach(way, scope);
        let before = self.defined.len();
        let outer = std::mem::take(&mut self.present);
        let term = self.node(node);
        let present = std::mem::replace(&mut self.present, outer);
        let defined = self.defined.split_off(before);
        self.require(defined, way);
        (term, present)
    }

    /// Adds conditions under which a way is defined.
    pub(super) fn require(&self, conditions: Vec<ValueId>, way: &mut Way) {
        for fact in conditions {
            if !way.defined.contains(&fact) && self.values.as_number(fact) != Some(1) {
                way.defined.push(fact);
            }
        }
    }

    /// The conjunction of conditions.
    pub(super) fn all(&mut self, conditions: Vec<ValueId>) -> ValueId {
        let mut all = self.values.bool(true);
        for condition in conditions {
            all = self.values.apply(Fun::And, &[all, condition]);
        }
        all
    }

    /// The value of the result where the input has one, and what must hold besides: the result
    /// always has a value and is defined where the input is defined, and the guard tells whether
    /// the input has a value.
    pub(super) fn result_of(
        &mut self,
        result: NodeId,
        lhs: ValueId,
        here: Vec<ValueId>,
        lhs_defined: &[ValueId],
    ) -> (ValueId, ValueId) {
        self.granting(&[&here, lhs_defined].concat());
        let rhs = self.node(result);
        self.present.clear();
        self.defined.clear();
        self.granting(lhs_defined);
        let _ = self.node(result);
        let here = self.all(here);
        self.guarded(here);
        let mut present = std::mem::take(&mut self.present);
        self.defined.append(&mut present);
        if self.is_open() && self.keeps_unknown(result, 0) {
            let never = self.values.bool(false);
            self.defined.push(never);
        }
        (self.values.apply(Fun::Ite, &[here, lhs, rhs]), rhs)
    }

    /// Claims that the guard at the end is true just where it was at the beginning and the input
    /// has a value.
    fn guarded(&mut self, here: ValueId) {
        let state = self.state;
        let truth = self.values.bool(true);
        let mut value = |guard: Option<NodeId>| guard.map_or(truth, |guard| self.node(guard));
        let first = value(state.presence.first);
        let last = value(state.presence.last);
        let wanted = self.values.apply(Fun::And, &[first, here]);
        let claim = self.values.apply(Fun::Eq, &[last, wanted]);
        self.defined.push(claim);
    }

    /// The truth of assumptions; `None` if one is not known.
    fn assumed(&mut self, assumed: &[Assumption]) -> Option<ValueId> {
        let facts: Option<Vec<ValueId>> = assumed.iter().map(|known| known.fact).collect();
        let (defined, present) = (self.defined.len(), self.present.len());
        let facts = facts?.into_iter().map(|fact| self.term(fact)).collect();
        self.defined.truncate(defined);
        self.present.truncate(present);
        Some(self.all(facts))
    }

    /// The truth of the assumptions of a class in a list, if it is there and they are known.
    fn known_under(&mut self, list: &[Under], class: usize) -> Option<ValueId> {
        let state = self.state;
        let mut found = None;
        for under in list.iter().filter(|under| state.class(under.class) == class) {
            if let Some(holds) = self.assumed(&under.assumed) {
                let earlier = found.unwrap_or_else(|| self.values.bool(false));
                found = Some(self.values.apply(Fun::Or, &[earlier, holds]));
            }
        }
        found
    }

    /// Tests whether `mutate` is known to have returned nothing for a node.
    pub(super) fn has_vanished(&mut self, node: NodeId) -> bool {
        let state = self.state;
        let class = state.class(state.node(node).class);
        let holds = self.known_under(&state.presence.vanished, class);
        holds.is_some_and(|holds| self.values.as_number(holds) == Some(1))
    }

    /// Adds that a class has a value of which nothing is known.
    pub(super) fn present_unknown(&mut self, class: usize) {
        if self.is_open() {
            let here = self.unknown_presence(class);
            self.present.push(here);
        }
    }

    fn unknown_presence(&mut self, class: usize) -> ValueId {
        let Moment { memory, scope } = self.moment;
        let scope = self.visible(class, scope);
        self.values.var(&format!("{HERE} {class} {memory} {scope}"), Domain::Bool)
    }

    /// The conditions under which a class has a value, after its parts were built.
    pub(super) fn present_class(&mut self, class: usize, is_unknown: bool) -> Vec<ValueId> {
        let own = std::mem::take(&mut self.present);
        if !self.is_open() {
            return Vec::new();
        }
        let state = self.state;
        let has_shape = self.shaped(class).is_some();
        let mut here =
            if is_unknown && !has_shape { self.unknown_presence(class) } else { self.all(own) };
        for (list, truth) in [(&state.presence.kept, true), (&state.presence.vanished, false)] {
            if let Some(holds) = self.known_under(list, class) {
                let truth = self.values.bool(truth);
                here = self.values.apply(Fun::Ite, &[holds, truth, here]);
            }
        }
        if self.values.as_number(here) == Some(1) { Vec::new() } else { vec![here] }
    }

    /// The condition under which the expressions of a class have a value.
    pub(super) fn presence_of(&mut self, class: usize) -> ValueId {
        let state = self.state;
        let root = state.class(class);
        let Some(ty) =
            state.nodes.iter().find(|node| state.class(node.class) == root).map(|node| node.ty)
        else {
            return self.values.var(&format!("{HERE}{class}"), Domain::Bool);
        };
        let (defined, outer) = (self.defined.len(), std::mem::take(&mut self.present));
        let _ = self.class(root, ty);
        self.defined.truncate(defined);
        let present = std::mem::replace(&mut self.present, outer);
        self.all(present)
    }

    /// A choice, of which only the chosen operand needs a value.
    pub(super) fn chosen(&mut self, condition: NodeId, a: NodeId, b: NodeId) -> ValueId {
        let condition = self.node(condition);
        let outer = std::mem::take(&mut self.present);
        let sides = [a, b].map(|side| {
            let value = self.node(side);
            let present = std::mem::take(&mut self.present);
            (value, self.all(present))
        });
        let [(a, of_a), (b, of_b)] = sides;
        self.present = outer;
        let here = self.values.apply(Fun::Ite, &[condition, of_a, of_b]);
        self.present.push(here);
        self.values.apply(Fun::Ite, &[condition, a, b])
    }

    /// The value that a `let` binds, and whether there is one. Where there is none, the variable
    /// may have any value.
    pub(super) fn bound_value(&mut self, value: NodeId) -> (ValueId, bool) {
        if self.has_vanished(value) {
            return (self.values.bool(true), false);
        }
        (self.needed_value(value), true)
    }

    /// The value of an expression without which everything is undefined: a divisor, a place in
    /// memory.
    pub(super) fn needed_value(&mut self, node: NodeId) -> ValueId {
        let outer = std::mem::take(&mut self.present);
        let term = self.node(node);
        let mut present = std::mem::replace(&mut self.present, outer);
        self.defined.append(&mut present);
        term
    }

    /// Builds everything anew, where conditions are taken to be true.
    pub(super) fn granting(&mut self, conditions: &[ValueId]) {
        self.granted = conditions.iter().copied().collect();
        self.forget_classes();
    }

    /// The expression with whose effects another one is evaluated, and its class: the argument, if
    /// the other is a result of `mutate`. `None` if it has no value: then it has no effects either.
    pub(super) fn evaluated(
        &mut self,
        value: NodeId,
        way: &mut Way,
        scope: ScopeId,
    ) -> Option<(NodeId, usize)> {
        let state = self.state;
        let class = state.class(state.node(value).class);
        if !self.is_open() {
            return Some((value, class));
        }
        let (_, present) = self.at_present(value, way, scope);
        if self.has_vanished(value) {
            return None;
        }
        self.require(present, way);
        for scoped in state.scoped.iter().filter(|known| state.class(known.returned) == class) {
            let given = state.class(scoped.given);
            let others: Vec<Assumption> =
                scoped.assumed.iter().filter(|known| !self.is_presence(known)).cloned().collect();
            let is_known =
                self.assumed(&others).is_some_and(|holds| self.values.as_number(holds) == Some(1));
            if is_known && given != class {
                let here = self.presence_of(given);
                self.require(vec![here], way);
                let of_given = |node: &NodeId| state.class(state.node(*node).class) == given;
                let node = (0..state.nodes.len()).find(of_given)?;
                return Some((node, given));
            }
        }
        Some((value, class))
    }

    /// The values of the elements of a list, each with whether it has a value, and whether any has
    /// one.
    pub(super) fn parts(
        &mut self,
        list: NodeId,
        way: &mut Way,
        scope: ScopeId,
    ) -> (Vec<ValueId>, ValueId) {
        let truth = self.values.bool(true);
        let Some(Shape { fields, .. }) = self.state.shape(list) else {
            let is_there = !self.is_result || self.is_mutated(list);
            return (self.list(list, way, scope), self.values.bool(is_there));
        };
        let (mut values, mut any) = (Vec::new(), self.values.bool(false));
        for field in fields {
            let Field::Expr(element) = field else { continue };
            let (value, present) = self.at_present(*element, way, scope);
            let here = self.all(present);
            // An element of a result is `undef`, or has a value.
            if self.is_result && !self.is_undef(*element) {
                self.require(vec![here], way);
            }
            any = self.values.apply(Fun::Or, &[any, here]);
            let none = match self.values.domain(value) {
                Domain::Bool => self.values.bool(false),
                domain => self.values.number(0, domain),
            };
            let value = self.values.apply(Fun::Ite, &[here, value, none]);
            values.extend([here, value]);
        }
        let any = if values.is_empty() { truth } else { any };
        (values, any)
    }

    /// The ways on which a value is there to be stored, and those on which it is not. It must be
    /// there in a result.
    pub(super) fn where_present(&mut self, present: ValueId, way: Way) -> (Vec<Way>, Vec<Way>) {
        if !self.is_open() || !self.is_result {
            return self.fork(present, way);
        }
        let mut way = way;
        self.require(vec![present], &mut way);
        (vec![way], Vec::new())
    }

    /// The ways through a statement that a method returned. Where it keeps what may hold `undef`,
    /// no way is defined.
    pub(super) fn result_ways(&mut self, stmt: NodeId) -> Option<Vec<Way>> {
        self.is_result = true;
        let ways = self.ways(stmt);
        self.is_result = false;
        let mut ways = ways?;
        if self.is_open() && self.keeps_unknown(stmt, 0) {
            let never = self.values.bool(false);
            for way in &mut ways {
                way.defined.push(never);
            }
        }
        Some(ways)
    }

    /// Tests whether a node is what `mutate` returned.
    fn is_mutated(&self, node: NodeId) -> bool {
        let state = self.state;
        let class = state.class(state.node(node).class);
        let is_it = |(_, new): &(NodeId, NodeId)| state.find(*new) == state.find(node);
        let returns = |scoped: &Scoped| {
            state.class(scoped.returned) == class && state.class(scoped.given) != class
        };
        // A result that is the argument itself is of its class.
        let mut results = state.mutated.iter().chain(&state.shrunk);
        results.any(is_it) || state.scoped.iter().any(returns)
    }

    /// Tests whether a result has a part of the input that was not mutated, and that may hold
    /// `undef` although the input is defined: a statement, or a value that a statement evaluates or
    /// a `let` binds.
    pub(super) fn keeps_unknown(&self, node: NodeId, depth: usize) -> bool {
        let state = self.state;
        let known = state.node(node);
        let is_stmt = known.ty == Type::STMT;
        if self.is_mutated(node) || !is_stmt && !known.ty.is_value() && known.ty != Type::LIST {
            return false;
        }
        let is_idle = |class: &usize| state.class(*class) == state.class(known.class);
        let Some(Shape { kind, fields }) = &known.shape else {
            return is_stmt && !state.idle.iter().any(is_idle);
        };
        if depth > MAX_DEPTH {
            return true;
        }
        let is_bound = matches!(kind, Kind::Let | Kind::LetStmt | Kind::Evaluate);
        // `Evaluate` has the value alone; before that of a binding is the name.
        let value = usize::from(*kind != Kind::Evaluate);
        // A compiler's statement may lack members.
        let members = parameters(*kind, self.profile.name);
        let has = |index: usize| {
            let name = kind.fields().get(index).map_or("", |(name, _)| *name);
            !is_stmt || members.is_none_or(|members| members.contains(&name))
        };
        fields.iter().enumerate().any(|(index, field)| match field {
            Field::Expr(_) if !has(index) => false,
            Field::Expr(part) if is_bound && index == value => self.may_be_missing(*part, depth),
            Field::Expr(part) => self.keeps_unknown(*part, depth + 1),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
        })
    }

    /// Tests whether an expression may have no value, as far as its parts tell.
    fn may_be_missing(&self, node: NodeId, depth: usize) -> bool {
        let state = self.state;
        let class = state.class(state.node(node).class);
        let is_plain = !state.node(node).ty.is_value() && state.node(node).ty != Type::LIST;
        if self.is_mutated(node) || is_plain || self.is_literal_class(class) {
            return false;
        }
        let Some(Shape { fields, .. }) = state.shape(node) else { return true };
        depth > MAX_DEPTH
            || self.is_undef(node)
            || fields.iter().any(|field| match field {
                Field::Expr(part) => self.may_be_missing(*part, depth + 1),
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => false,
            })
    }

    /// Tests whether an assumption is that an expression has a value.
    fn is_presence(&self, assumption: &Assumption) -> bool {
        let Some(Term::Var(index)) = assumption.fact.map(|fact| self.source.node(fact)) else {
            return false;
        };
        let name = &self.source.vars()[*index as usize].0;
        name.strip_prefix(HERE).is_some_and(|class| class.parse::<usize>().is_ok())
    }

    /// Adds that a variable has a value.
    pub(super) fn present_variable(&mut self, name: NodeId) {
        if self.is_open() {
            let lost = self.is_lost(name);
            let here = self.values.apply(Fun::Not, &[lost]);
            self.present.push(here);
        }
    }

    /// The condition under which the variable of a name has no value: what binds it vanished.
    pub(super) fn is_lost(&mut self, name: NodeId) -> ValueId {
        let state = self.state;
        let name = state.find(name);
        let unknown = format!("{LOST} {name}");
        if self.nesting_of_lost > MAX_NESTING {
            return self.values.var(&unknown, Domain::Bool);
        }
        for (index, node) in state.nodes.iter().enumerate() {
            let Some(Shape { kind, fields }) = &node.shape else { continue };
            let is_binder = matches!(kind, Kind::Let | Kind::LetStmt | Kind::For);
            let Some(Field::Expr(bound)) = fields.first().filter(|_| is_binder) else { continue };
            if state.find(*bound) != name || index > 0 && !node.is_learnt {
                continue;
            }
            self.nesting_of_lost += 1;
            let vanished = match fields.get(1) {
                Some(Field::Expr(value)) if *kind != Kind::For => self.has_vanished(*value),
                _ => false,
            };
            self.nesting_of_lost -= 1;
            return self.values.bool(vanished);
        }
        self.values.var(&unknown, Domain::Bool)
    }

    /// The guards that were found to be undefined: they are true.
    pub(super) fn guards_that_hold(&mut self) -> Vec<ValueId> {
        let state = self.state;
        let is_missing = |class: usize| {
            let is_undefined = |shape: &Shape| shape.kind == Kind::Undefined;
            state.nodes.iter().any(|node| {
                state.class(node.class) == class && node.shape.as_ref().is_some_and(is_undefined)
            })
        };
        let mut facts = Vec::new();
        for guard in &state.presence.guards {
            let class = state.class(guard.class);
            if is_missing(class) {
                facts.extend(self.guard_values(class, Type::BOOL));
            }
        }
        facts
    }

    /// The values of a condition: it is true just where another one is and an expression has a
    /// value. A condition that was found to be one with another has the values of both.
    pub(super) fn guard_values(&mut self, class: usize, ty: Type) -> Vec<ValueId> {
        let state = self.state;
        let is_missing = |node: &NodeId| {
            state.class(state.node(*node).class) == class
                && state.shape(*node).is_some_and(|shape| shape.kind == Kind::Undefined)
        };
        let mut values = Vec::new();
        if state.presence.first.iter().any(is_missing) {
            values.push(self.values.bool(true));
        }
        let is_it = |guard: &&Guard| state.class(guard.class) == class;
        for Guard { before, given, assumed, .. } in state.presence.guards.iter().filter(is_it) {
            let Some(holds) = self.assumed(assumed) else { continue };
            let (defined, outer) = (self.defined.len(), std::mem::take(&mut self.present));
            let before = match before {
                Some(before) => self.node(*before),
                None => self.values.bool(true),
            };
            self.present = outer;
            self.defined.truncate(defined);
            let here = self.presence_of(state.node(*given).class);
            let value = self.values.apply(Fun::And, &[before, here]);
            let other = self.variable(class, ty);
            values.push(self.values.apply(Fun::Ite, &[holds, value, other]));
        }
        values
    }
}
