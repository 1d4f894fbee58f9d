//! The primitives of contracts that make and mutate nodes.

use halidom_rewrites::rules::{Domain, Fun};

use crate::ir::kinds::{Code, I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Assumption, Computation, State, Until};
use crate::ir::value::Val;
use crate::machine::api::{Call, Item};
use crate::machine::api_terms::items;
use crate::machine::contracts;
use crate::machine::language::{Primitive, Term, Word};
use crate::machine::run::{Machine, Outcome, Paths};

impl Machine<'_> {
    /// Runs a primitive.
    pub(super) fn primitive(
        &mut self,
        primitive: Primitive,
        operands: &[Term],
        call: &mut Call<'_>,
        state: State,
    ) -> Paths<Item> {
        // A kind and a name are no values.
        let (first, rest) = match operands {
            [first @ (Term::Word(Word::Kind(_)) | Term::Text(_)), rest @ ..] => (Some(first), rest),
            _ => (None, operands),
        };
        let mut paths = Vec::new();
        for (state, given) in self.operands(rest, call, state) {
            paths.extend(match (primitive, first) {
                (Primitive::Node, Some(Term::Word(Word::Kind(kind)))) => {
                    self.node_of(*kind, &given, call, state)
                }
                (Primitive::Call, Some(Term::Text(name))) => {
                    self.call_node(name, &given, call, state)
                }
                (Primitive::Libm, Some(Term::Text(name))) => {
                    self.computation(name, &given, call, state)
                }
                (_, None) => self.primitive_of(primitive, &given, call, state),
                (_, Some(_)) => self.misfit(call, state),
            });
        }
        paths
    }

    fn primitive_of(
        &mut self,
        primitive: Primitive,
        given: &[Item],
        call: &Call<'_>,
        mut state: State,
    ) -> Paths<Item> {
        let values: Option<Vec<Val>> =
            given.iter().map(|item| self.as_value(item.clone())).collect();
        let Some(values) = values else { return self.misfit(call, state) };
        let value = match (primitive, values.as_slice()) {
            (Primitive::Constant, [Val::Code(code), Val::Expr(Some(node))]) => {
                return items(self.as_const(*node, *code, state));
            }
            (Primitive::Same, [Val::Expr(Some(a)), Val::Expr(Some(b))])
                if [a, b].iter().any(|of| is_write(**of, &state)) =>
            {
                // The predicates of two writes are not compared.
                let (holds, fails) = self.choose(state);
                return items(self.truths(vec![holds], vec![fails]));
            }
            (Primitive::Same, [Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                let (holds, fails) = self.same(*a, *b, state, call.line);
                return items(self.truths(holds, fails));
            }
            (Primitive::Cast | Primitive::Represented | Primitive::Reshaped, _) => {
                return self.conversion_of(primitive, &values, call, state);
            }
            (Primitive::Lane, [Val::Expr(Some(node)), Val::Int(_)]) => {
                match self.lane_of(*node, &mut state) {
                    Some(node) => Val::Expr(Some(node)),
                    None => return self.misfit(call, state),
                }
            }
            (Primitive::Mutate, [Val::Expr(Some(node)), report @ ..]) => {
                return self.mutated_by(call, *node, report, state);
            }
            (
                Primitive::Substitute,
                [Val::Expr(Some(what)), Val::Expr(Some(by)), Val::Expr(Some(within))],
            ) => return items(self.substituted(*what, *by, *within, state, call.line)),
            (Primitive::FreshName, []) => Val::Expr(Some(self.fresh_node_name(&mut state))),
            (Primitive::Alignment, [Val::Expr(Some(node))]) => self.alignment_of(*node, &mut state),
            (Primitive::Alignment, [Val::Expr(Some(node)), Val::Handle(of)]) => {
                if self.has_true_reports(of, &state) {
                    self.alignment_of(*node, &mut state)
                } else {
                    Val::Handle(self.fresh_name("unknown"))
                }
            }
            (Primitive::Scope, [Val::Expr(Some(node)), Val::Bool(holds)]) => {
                let holds = self.values.as_number(*holds) == Some(1);
                self.assume_in_block(*node, holds, &mut state);
                Val::Handle("a scope".to_owned())
            }
            (Primitive::Either, [a, b]) => {
                let (first, second) = self.choose(state);
                let both = vec![(first, a.clone()), (second, b.clone())];
                return items(both);
            }
            (Primitive::Perhaps, [Val::Address(place)]) => {
                let unknown = Val::Handle(self.fresh_name("unknown"));
                let (mut found, lost) = self.choose(state);
                self.store(place, unknown, &mut found);
                return items(self.truths(vec![found], vec![lost]));
            }
            (Primitive::Sequence, [Val::List(stmts)]) => {
                if stmts.is_empty() {
                    let zero = self.number(0, 32, true);
                    let zero = Val::Expr(Some(self.literal(I32, zero, &mut state)));
                    return items(self.make_node(Kind::Evaluate, &[zero], state, call.line));
                }
                return match self.block_of(stmts, state.clone(), call.line) {
                    Some(paths) => items(paths),
                    None => self.misfit(call, state),
                };
            }
            (Primitive::UnknownOf, [Val::Type(ty)]) => {
                self.has_chosen |= self.is_concrete();
                Val::Expr(Some(state.add(*ty, None, None)))
            }
            (Primitive::SomeNumber, [Val::Int(bits)]) => {
                self.has_chosen |= self.is_concrete();
                let bits = self.values.as_number(bits.term).and_then(|of| u8::try_from(of).ok());
                let Some(bits) = bits.filter(|_| !self.is_concrete()) else {
                    return self.misfit(call, state);
                };
                Val::Int(self.any_number("some", bits, true))
            }
            (Primitive::Fixed, [Val::Expr(Some(node))]) => {
                return items(self.fixed_test(*node, state));
            }
            (Primitive::Another, [Val::Expr(Some(node))]) => {
                self.has_chosen |= self.is_concrete() && !is_literal(*node, &state);
                // A class of the other pass mutates itself again.
                let own = self.classes_of(&self.class);
                let is_own = own.iter().any(|class| contracts::runs(call.name, class));
                return items(if is_own {
                    self.mutate_below(*node, state, call.line)
                } else {
                    self.mutate(*node, state, call.line)
                });
            }
            _ => return self.misfit(call, state),
        };
        vec![(state, Item::Val(value))]
    }

    /// Runs a pass of the compiler on an expression.
    fn mutated_by(
        &mut self,
        call: &Call<'_>,
        node: NodeId,
        report: &[Val],
        state: State,
    ) -> Paths<Item> {
        // Another pass ends by itself, and may return something greater.
        let is_this = match call.name {
            "simplify" => self.is_simplifier(),
            name => name != "unwrap_tags",
        };
        // The simplifier is not run, so what it makes of known IR is not known. A literal
        // stays what it is (`visit(const IntImm *)`).
        self.has_chosen |=
            call.name == "simplify" && !is_this && self.is_concrete() && !is_literal(node, &state);
        let mut paths = if is_this {
            self.mutate_below(node, state, call.line)
        } else {
            self.mutate(node, state, call.line)
        };
        if let [Val::Address(place)] = report {
            for (state, value) in &mut paths {
                if let Val::Expr(Some(node)) = value {
                    let info = self.info_of(*node, state);
                    self.store(place, info, state);
                }
            }
        }
        items(paths)
    }

    /// Runs a primitive that converts an expression or a number.
    fn conversion_of(
        &mut self,
        primitive: Primitive,
        values: &[Val],
        call: &Call<'_>,
        mut state: State,
    ) -> Paths<Item> {
        let value = match (primitive, values) {
            (Primitive::Cast, [Val::Type(ty), Val::Expr(Some(node))]) => {
                match self.cast(*ty, *node, &mut state, call.line) {
                    Some(node) => Val::Expr(Some(node)),
                    None => return Vec::new(),
                }
            }
            (Primitive::Cast, [Val::Type(ty), _]) if ty.code == Code::Handle => {
                let what = format!("{} of an address", call.name);
                self.end(state, Outcome::Crash(what), call.line);
                return Vec::new();
            }
            (Primitive::Represented, [Val::Type(ty), Val::Int(num)]) => {
                match self.representable(*num, *ty, call.line, &mut state) {
                    Some(num) => Val::Expr(Some(self.literal(*ty, num, &mut state))),
                    None => return Vec::new(),
                }
            }
            (Primitive::Reshaped, [Val::Expr(Some(node))]) => {
                self.has_chosen |= self.is_concrete();
                let (ty, class) = (state.node(*node).ty, state.node(*node).class);
                Val::Expr(Some(state.add(ty, Some(class), None)))
            }
            (Primitive::Cast, [Val::Type(ty), value]) => {
                match self.literal_of(*ty, value, &mut state) {
                    Some(node) => Val::Expr(Some(node)),
                    None => return self.misfit(call, state),
                }
            }
            _ => return self.misfit(call, state),
        };
        vec![(state, Item::Val(value))]
    }

    /// Assumes that an expression has a truth value until the block ends.
    fn assume_in_block(&mut self, node: NodeId, holds: bool, state: &mut State) {
        let depth = (state.frames.len(), state.frame().len());
        self.assume_until(node, holds, depth, state);
    }

    /// Assumes that an expression has a truth value until a C++ scope ends.
    pub(super) fn assume_until(
        &mut self,
        node: NodeId,
        holds: bool,
        depth: (usize, usize),
        state: &mut State,
    ) {
        let value = self.node_value(node, state);
        let fact = if holds { value } else { self.values.apply(Fun::Not, &[value]) };
        state.assumed.push(Assumption {
            is_trivial: false,
            fact: state.node(node).ty.is_bool().then_some(fact),
            nodes: vec![node],
            until: Until::Block(depth),
        });
    }

    /// Makes a node of a kind.
    fn node_of(
        &mut self,
        kind: Kind,
        given: &[Item],
        call: &Call<'_>,
        state: State,
    ) -> Paths<Item> {
        if let [Item::Val(ty @ Val::Type(_)), Item::Val(of @ Val::Expr(Some(_)))] = given {
            let given = [ty.clone(), of.clone()];
            return items(self.make_node(kind, &given, state, call.line));
        }
        let Some(nodes) = nodes(given) else { return self.misfit(call, state) };
        if let [a, b] = nodes.as_slice() {
            return items(self.make(kind, *a, *b, state, call.line));
        }
        let nodes: Vec<Val> = nodes.into_iter().map(|node| Val::Expr(Some(node))).collect();
        items(self.make_node(kind, &nodes, state, call.line))
    }

    /// Makes a call of an intrinsic.
    fn call_node(
        &mut self,
        name: &str,
        given: &[Item],
        call: &Call<'_>,
        mut state: State,
    ) -> Paths<Item> {
        let Some((Item::Val(Val::Type(ty)), given)) = given.split_first() else {
            return self.misfit(call, state);
        };
        let Some(nodes) = nodes(given) else { return self.misfit(call, state) };
        let fields = nodes.into_iter().map(Field::Expr).collect();
        let node = state.add(*ty, None, Some(Shape { kind: Kind::Call, fields }));
        state.node_mut(node).intrinsic = Some(name.to_owned());
        vec![(state, Item::Val(Val::Expr(Some(node))))]
    }

    /// Calls a function of the C library.
    fn computation(
        &mut self,
        callee: &'static str,
        given: &[Item],
        call: &Call<'_>,
        mut state: State,
    ) -> Paths<Item> {
        let mut arguments = Vec::new();
        for item in given {
            match item {
                Item::Val(Val::Real(term)) => arguments.push(*term),
                _ => return self.misfit(call, state),
            }
        }
        let name = self.fresh_name(callee);
        let term = self.values.var(&name, Domain::Real);
        state.computed.push(Computation { name, callee, arguments });
        vec![(state, Item::Val(Val::Real(term)))]
    }

    /// Binds two expressions anew, so that both have one type.
    pub(super) fn matched(
        &mut self,
        names: [&'static str; 2],
        body: &Term,
        call: &mut Call<'_>,
        mut state: State,
    ) -> Paths<Item> {
        let [Some(Item::Val(Val::Expr(Some(a)))), Some(Item::Val(Val::Expr(Some(b))))] =
            names.map(|name| call.get(name).cloned())
        else {
            return self.misfit(call, state);
        };
        let Some((a, b)) = self.match_types(a, b, &mut state, call.line) else {
            return Vec::new();
        };
        for (name, node) in names.into_iter().zip([a, b]) {
            call.names.push((name, Item::Val(Val::Expr(Some(node)))));
        }
        let paths = self.evaluated(body, call, state);
        call.names.truncate(call.names.len() - names.len());
        paths
    }

    /// A lane of an expression; `None` if it is not known.
    fn lane_of(&self, node: NodeId, state: &mut State) -> Option<NodeId> {
        let ty = state.node(node).ty;
        if !ty.is_vector {
            return Some(node);
        }
        match state.shape(node) {
            Some(Shape { kind: Kind::Broadcast, fields }) => match fields.first() {
                Some(Field::Expr(inner)) => Some(*inner),
                _ => None,
            },
            _ if self.is_concrete() => None,
            // Nothing is known about a single lane of any other vector.
            _ => Some(state.add(ty.element(), None, None)),
        }
    }

    /// Replaces a variable or an expression in another.
    fn substituted(
        &mut self,
        what: NodeId,
        by: NodeId,
        within: NodeId,
        mut state: State,
        line: usize,
    ) -> Paths<Val> {
        let old = if state.node(what).ty == Type::NAME {
            Self::type_of_name(what, &state)
        } else {
            Some(state.node(what).ty)
        };
        // Operators would have operands of two types.
        if old != Some(state.node(by).ty) {
            return self.unsupported(state, "a substitution by another type", line);
        }
        let is_value = state.node(within).ty.is_value();
        if self.is_concrete() || !is_value || state.node(what).ty == Type::NAME {
            return self.substitute(what, by, within, state);
        }
        let result = state.add(state.node(within).ty, None, None);
        let (what, by) = (self.node_value(what, &state), self.node_value(by, &state));
        let old = self.node_value(within, &state);
        let new = self.node_value(result, &state);
        let is_same = self.values.apply(Fun::Eq, &[what, by]);
        let differs = self.values.apply(Fun::Not, &[is_same]);
        let is_kept = self.values.apply(Fun::Eq, &[old, new]);
        state.facts.push(self.values.apply(Fun::Or, &[differs, is_kept]));
        vec![(state, Val::Expr(Some(result)))]
    }

    /// The type of the variables of a name, by what binds and uses them; `None` if it is not known.
    pub(super) fn type_of_name(name: NodeId, state: &State) -> Option<Type> {
        let mut types = state.nodes.iter().filter_map(|node| {
            let Shape { kind, fields } = node.shape.as_ref()?;
            let Some(Field::Expr(own)) = fields.first() else { return None };
            if state.find(*own) != state.find(name) {
                return None;
            }
            match (kind, fields.get(1)) {
                (Kind::Variable, _) => Some(node.ty),
                (Kind::For, _) => Some(I32),
                (Kind::Let | Kind::LetStmt, Some(Field::Expr(value))) => {
                    Some(state.node(*value).ty)
                }
                _ => None,
            }
        });
        let first = types.next()?;
        types.all(|ty| ty == first).then_some(first)
    }
}

/// Tests whether a node is a literal, which the simplifier returns as it is.
fn is_literal(node: NodeId, state: &State) -> bool {
    let literals = [Kind::IntImm, Kind::UIntImm, Kind::FloatImm, Kind::StringImm];
    state.shape(node).is_some_and(|shape| literals.contains(&shape.kind))
}

/// Tests whether a node is known to be a write to a function.
fn is_write(node: NodeId, state: &State) -> bool {
    state.shape(node).is_some_and(|shape| shape.kind == Kind::Provide)
}

/// The nodes that items are.
fn nodes(items: &[Item]) -> Option<Vec<NodeId>> {
    let node = |item: &Item| match item {
        Item::Val(Val::Expr(node)) => *node,
        Item::Val(_) | Item::Lane(_) | Item::Whole(_) => None,
    };
    items.iter().map(node).collect()
}
