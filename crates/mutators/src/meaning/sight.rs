//! The knowledge about expressions and names at a moment: what they see, their bindings, and the
//! contents of memory.

use halidom_rewrites::rules::{Fun, ValueId};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{State, Substitution};
use crate::meaning::memory::{Bound, Memory, Moment, ScopeId};
use crate::meaning::terms::Meaning;

impl Meaning<'_> {
    /// The shape of a node, or of any node of its class.
    pub(crate) fn known_shape(&self, node: NodeId) -> Option<&Shape> {
        let state = self.state;
        state.shape(node).or_else(|| {
            let class = state.class(state.node(node).class);
            state.shape(self.shaped(class)?)
        })
    }

    /// Tests whether a class was found to be a literal, which has one value in all lanes.
    pub(crate) fn is_literal_class(&self, class: usize) -> bool {
        let state = self.state;
        state.nodes.iter().any(|node| node.is_literal && state.class(node.class) == class)
    }

    /// The value that a variable has where nothing binds its name, and its type.
    pub(crate) fn free_value(&mut self, name: NodeId) -> Option<(ValueId, Type)> {
        let state = self.state;
        let variable = (0..state.nodes.len()).find(|node| {
            matches!(&state.nodes[*node].shape, Some(Shape { kind: Kind::Variable, fields })
                if matches!(fields.first(), Some(Field::Expr(own)) if state.find(*own) == name))
        })?;
        let outer = std::mem::take(&mut self.moment);
        let term = self.node(variable);
        self.moment = outer;
        Some((term, state.node(variable).ty))
    }

    /// Tests whether an expression stands for no particular value.
    pub(crate) fn is_undef(&self, node: NodeId) -> bool {
        let state = self.state;
        let class = state.class(state.node(node).class);
        state.nodes.iter().any(|other| {
            state.class(other.class) == class && other.intrinsic.as_deref() == Some("undef")
        })
    }

    /// The substitution that made a class, unless it turned out to change nothing.
    pub(crate) fn substitution(&self, class: usize) -> Option<Substitution> {
        let state = self.state;
        let of = |class: usize| {
            state.substitutions.iter().find(|known| state.class(known.class) == class)
        };
        let found = of(class)?;
        let mut next = Some(found);
        for _ in 0..state.substitutions.len() {
            let within = state.class(state.node(next?.within).class);
            if within == class {
                return None;
            }
            next = of(within);
            if next.is_none() {
                return Some(*found);
            }
        }
        None
    }

    /// The value of a class that a substitution made, if a variable was replaced.
    pub(crate) fn substituted_value(&mut self, class: usize) -> Option<ValueId> {
        let substitution = self.substitution(class)?;
        let outer = self.moment;
        self.moment.scope = self.substituted(&substitution, outer.scope)?;
        let term = self.node(substitution.within);
        self.moment = outer;
        Some(term)
    }

    /// The bindings that express a substitution for a variable; `None` if another expression was
    /// replaced.
    pub(crate) fn substituted(
        &mut self,
        substitution: &Substitution,
        scope: ScopeId,
    ) -> Option<ScopeId> {
        let what = crate::ir::value::Val::Expr(Some(substitution.what));
        let name = crate::machine::run::Machine::name_of(&what, self.state)?;
        let name = self.state.find(name);
        let by = self.state.find(substitution.by);
        let ty = self.state.node(by).ty;
        let value = if self.is_timed {
            self.fixed_value(by, scope)
        } else {
            let outer = std::mem::replace(&mut self.moment.scope, scope);
            let value = self.node(by);
            self.moment.scope = outer;
            Some(value)
        };
        let bound = match value {
            Some(value) => Bound::Value(value, ty),
            None => Bound::Expr(by, scope),
        };
        Some(self.effects.bind(scope, name, bound))
    }

    /// The value of an expression, if it is the same in any memory.
    fn fixed_value(&mut self, node: NodeId, scope: ScopeId) -> Option<ValueId> {
        if !self.is_fixed(node, 0) {
            return None;
        }
        let outer = std::mem::replace(&mut self.moment, Moment { memory: 0, scope });
        let term = self.node(node);
        self.moment = outer;
        Some(term)
    }

    pub(crate) fn is_fixed(&self, node: NodeId, depth: usize) -> bool {
        let state = self.state;
        let class = state.class(state.node(node).class);
        if state.steady.iter().any(|steady| state.class(*steady) == class)
            || self.is_loop_bound(class)
            || self.is_literal_class(class)
        {
            return true;
        }
        let node = if state.shape(node).is_some() { Some(node) } else { self.shaped(class) };
        let Some(Shape { kind, fields }) = node.and_then(|node| state.shape(node)) else {
            return false;
        };
        depth < 8
            && !matches!(kind, Kind::Load | Kind::Call | Kind::StreamExpr | Kind::KernelExpr)
            && fields.iter().all(|field| match field {
                Field::Expr(inner) => {
                    state.node(*inner).ty.code == Code::Name || self.is_fixed(*inner, depth + 1)
                }
                Field::Number(_) | Field::Lanes | Field::Opaque(_) => true,
            })
    }

    /// Tests whether a class is the first iteration or the number of iterations of a loop of the
    /// input. A loop that the mutator made shows nothing about what it made the bounds of.
    fn is_loop_bound(&self, class: usize) -> bool {
        let state = self.state;
        state.nodes.iter().enumerate().any(|(index, node)| match &node.shape {
            Some(_) if index > 0 && !node.is_learnt => false,
            Some(Shape { kind: Kind::For, fields }) => {
                fields.iter().skip(1).take(2).any(|field| match field {
                    Field::Expr(bound) => state.class(state.node(*bound).class) == class,
                    _ => false,
                })
            }
            _ => false,
        })
    }

    /// Tests whether expressions of a class stand where effects are excluded: in any statement of
    /// the input except those that evaluate or bind. The first node is the input, and learnt nodes
    /// are its parts; the mutator made all others.
    pub(crate) fn is_plain_operand(&self, class: usize) -> bool {
        let state = self.state;
        state.nodes.iter().enumerate().any(|(index, node)| match &node.shape {
            Some(_) if index > 0 && !node.is_learnt => false,
            Some(Shape { kind, fields }) => {
                kind.is_stmt()
                    && !matches!(kind, Kind::Evaluate | Kind::LetStmt)
                    && fields.iter().any(|field| {
                        let Field::Expr(inner) = field else { return false };
                        let is_own = |node: NodeId| {
                            state.node(node).ty.is_value()
                                && state.class(state.node(node).class) == class
                        };
                        is_own(*inner)
                            || state.node(*inner).ty == Type::LIST
                                && crate::ir::state::operands(*inner, state).into_iter().any(is_own)
                    })
            }
            None => false,
        })
    }

    /// Tests whether the value of a class is the same in any memory.
    pub(crate) fn is_steady_class(&self, class: usize) -> bool {
        let state = self.state;
        state.steady.iter().any(|steady| state.class(*steady) == class) || self.is_loop_bound(class)
    }

    /// The bindings that are visible to nodes of a class about which nothing is known.
    pub(crate) fn visible(&mut self, class: usize, scope: ScopeId) -> ScopeId {
        if scope == 0 {
            return 0;
        }
        let state = self.state;
        self.effects.restrict(scope, |name| {
            if state.nodes[name].shape.as_ref().is_some_and(|shape| shape.kind == Kind::Name) {
                // A name that the mutator made.
                return false;
            }
            let mut is_bound = false;
            for node in &state.nodes {
                let Some(Shape { kind: Kind::Let | Kind::LetStmt | Kind::For, fields }) =
                    &node.shape
                else {
                    continue;
                };
                let Some(Field::Expr(bound)) = fields.first() else { continue };
                if state.find(*bound) != name {
                    continue;
                }
                is_bound = true;
                let body = node.shape.as_ref().and_then(|shape| {
                    shape.kind.fields().iter().position(|(name, _)| *name == "body")
                });
                let is_inside = matches!(body.and_then(|body| fields.get(body)),
                    Some(Field::Expr(inner)) if contains(state, *inner, class, 0));
                if is_inside {
                    return true;
                }
            }
            !is_bound
        })
    }

    /// The moment as a part of the name of what differs at each: an element that is taken from a
    /// stream, or what a kernel returns.
    pub(super) fn when(&self) -> String {
        let memory = self.moment.memory;
        if memory == 0 { String::new() } else { format!(" in {memory}") }
    }

    /// The value of a load in a lane. Where its predicate does not hold, nothing is loaded: the
    /// method that visits the load, or the statement whose operand it is, may make any value of it.
    /// As a part of something else it is the same unknown value as that of any such load at the
    /// place.
    pub(super) fn masked(
        &mut self,
        load: NodeId,
        holds: ValueId,
        loaded: ValueId,
        (buffer, index): (NodeId, ValueId),
        ty: Type,
    ) -> ValueId {
        if self.values.as_number(holds) == Some(1) {
            return loaded;
        }
        if self.is_visited(load) {
            self.defined.push(holds);
            return loaded;
        }
        let buffer = self.state.find(buffer);
        let (domain, element) = (self.domain(ty), ty.element());
        let other = match self.given {
            Some(given) => {
                let index = self.values.as_number(index).unwrap_or(0);
                let text = format!("not loaded from {} {index}", self.name_id(buffer));
                let number = given.number(&text, ty);
                self.values.number(number, domain)
            }
            None => {
                let text = format!("not loaded {element} {buffer} {index:?}{}", self.when());
                self.values.var(&text, domain)
            }
        };
        if self.values.domain(loaded) != domain {
            self.defined.push(holds);
            return loaded;
        }
        self.values.apply(Fun::Ite, &[holds, loaded, other])
    }

    /// Tests whether a method visits a node, or a statement whose operand the node is.
    fn is_visited(&self, node: NodeId) -> bool {
        let state = self.state;
        let class = state.class(state.node(node).class);
        let is_it = |other: &NodeId| state.class(state.node(*other).class) == class;
        state.find(node) == state.find(0)
            || state.node(0).ty == Type::STMT
                && crate::ir::state::operands(0, state).iter().any(is_it)
    }

    /// The value that a buffer holds.
    pub(crate) fn loaded(&mut self, buffer: NodeId, index: ValueId, ty: Type) -> ValueId {
        let buffer = self.state.find(buffer);
        let mut memory = self.moment.memory;
        loop {
            match self.effects.memory(memory).clone() {
                Memory::Store {
                    before,
                    buffer: other,
                    predicate,
                    index: stored,
                    value,
                    ty: of,
                } => {
                    let is_whole = self.values.as_number(predicate) == Some(1);
                    if self.are_distinct(buffer, other)
                        || self.state.is_same(buffer, other)
                            && self.are_distinct_numbers(index, stored)
                    {
                        memory = before;
                    } else if self.state.is_same(buffer, other)
                        && index == stored
                        && is_whole
                        && of == ty
                        && !ty.is_vector
                    {
                        return value;
                    } else {
                        break;
                    }
                }
                Memory::Call { before, .. } if self.given.is_some() => memory = before,
                Memory::Mark { before, name, is_end: false, .. }
                    if self.given.is_some()
                        && name.is_none_or(|name| self.are_distinct(buffer, name)) =>
                {
                    memory = before;
                }
                Memory::Mark { before, is_end: true, .. } if self.given.is_some() => {
                    memory = before
                }
                _ => break,
            }
        }
        if let Some(given) = self.given {
            let index = self.values.as_number(index).unwrap_or(0);
            let number = given.number(&format!("{} {index}", self.name_id(buffer)), ty);
            return self.values.number(number, ty.domain());
        }
        let element = ty.element();
        let name = format!("load {element} {buffer} {index:?} in {memory}");
        self.values.var(&name, ty.domain())
    }

    pub(crate) fn are_distinct(&self, a: NodeId, b: NodeId) -> bool {
        let state = self.state;
        let is_known = |node: NodeId| state.shape(node).is_some();
        !state.is_same(a, b) && is_known(a) && is_known(b)
    }

    fn are_distinct_numbers(&self, a: ValueId, b: ValueId) -> bool {
        self.values.as_number(a).zip(self.values.as_number(b)).is_some_and(|(a, b)| a != b)
    }

    /// The number of a known name; 0 for any other.
    pub(crate) fn name_id(&self, name: NodeId) -> u32 {
        match self.state.shape(name) {
            Some(Shape { fields, .. }) => match fields.first() {
                Some(Field::Opaque(id)) => *id,
                _ => 0,
            },
            None => 0,
        }
    }
}

/// Tests whether nodes of a class may occur in a node. Beyond a depth of 12 they are assumed to
/// occur.
fn contains(state: &State, node: NodeId, class: usize, depth: usize) -> bool {
    let own = state.class(state.node(node).class);
    if own == class {
        return true;
    }
    if depth > 12 {
        return true;
    }
    state.nodes.iter().enumerate().any(|(index, other)| {
        state.find(index) == index
            && state.class(other.class) == own
            && other.shape.as_ref().is_some_and(|shape| {
                shape.fields.iter().any(|field| {
                    matches!(field, Field::Expr(inner) if contains(state, *inner, class, depth + 1))
                })
            })
    })
}
