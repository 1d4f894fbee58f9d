//! Literals: how the primitives of contracts test and make them.

use halidom_rewrites::rules::{Domain, ValueId};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Atom, State};
use crate::ir::value::Val;
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Makes a literal of a type; `None` if the value is no number that the type can have.
    pub(super) fn literal_of(
        &mut self,
        ty: Type,
        value: &Val,
        state: &mut State,
    ) -> Option<NodeId> {
        match value {
            Val::Int(num) => Some(self.literal(ty, *num, state)),
            Val::Bool(truth) => {
                let num = self.host_number(*truth, (0, 1), true);
                Some(self.literal(ty, num, state))
            }
            // A number from a report keeps its fact when it is put into a literal.
            Val::Bound(num, fact) => {
                state.facts.push(*fact);
                Some(self.literal(ty, *num, state))
            }
            // A number that was computed from reports can be any.
            value if value.is_info() => {
                let node = state.add(ty, None, None);
                state.node_mut(node).is_literal = true;
                Some(node)
            }
            Val::Real(term) if ty.code == Code::Float => {
                let shape = Shape { kind: Kind::FloatImm, fields: vec![Field::Number(*term)] };
                let scalar = state.add(ty.element(), None, Some(shape));
                Some(if ty.is_vector { Self::broadcast(scalar, state) } else { scalar })
            }
            _ => None,
        }
    }

    /// Tests a literal, looking through casts and broadcasts.
    pub(super) fn literal_test(
        &mut self,
        node: NodeId,
        state: State,
        test: &mut dyn FnMut(&mut Self, &State, ValueId) -> ValueId,
    ) -> Paths<Val> {
        if let Some(Shape { kind, fields }) = state.shape(node).cloned() {
            return match (kind, fields.as_slice()) {
                (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, [Field::Number(term)]) => {
                    let truth = test(self, &state, *term);
                    let (holds, fails) = self.fork(truth, state);
                    self.truths(holds, fails)
                }
                (Kind::Broadcast, [Field::Expr(inner), ..]) => {
                    self.literal_test(*inner, state, test)
                }
                // The tests do not look through every cast.
                (Kind::Cast, [Field::Expr(inner), ..]) => {
                    let (looks, does_not) = self.choose(state);
                    let mut paths = self.literal_test(*inner, looks, test);
                    paths.extend(self.truths(Vec::new(), vec![does_not]));
                    paths
                }
                (Kind::Ramp | Kind::Call, _) if state.node(node).intrinsic.is_none() => {
                    let (mut holds, fails) = self.choose(state);
                    let value = self.node_value(node, &holds);
                    let truth = test(self, &holds, value);
                    holds.facts.push(truth);
                    self.truths(vec![holds], vec![fails])
                }
                // Some of the tests look through masks, whose value is another number.
                (Kind::Call, _) if is_mask(node, &state) => {
                    let (holds, fails) = self.choose(state);
                    self.truths(vec![holds], vec![fails])
                }
                _ => self.truths(Vec::new(), vec![state]),
            };
        }
        let value = self.node_value(node, &state);
        let truth = test(self, &state, value);
        if self.values.as_number(truth) == Some(0) {
            return self.truths(Vec::new(), vec![state]);
        }
        let mut holds = state.clone();
        holds.facts.push(truth);
        holds.node_mut(node).is_literal = true;
        holds.decide(Atom::Literal(node, truth), true);
        let mut fails = state;
        fails.decide(Atom::Literal(node, truth), false);
        self.truths(vec![holds], vec![fails])
    }

    /// Tests a literal like [`Self::literal_test`], also looking through ramps: one passes if its
    /// base and its stride pass. The last argument of the test is true where it asks for what then
    /// holds of a lane. Lanes of numbers that may wrap tell nothing.
    pub(super) fn ramp_test(
        &mut self,
        node: NodeId,
        state: State,
        test: &mut dyn FnMut(&mut Self, &State, ValueId, bool) -> ValueId,
    ) -> Paths<Val> {
        let ty = state.node(node).ty;
        let is_exact = matches!(ty.domain(), Domain::Whole | Domain::Real);
        let shape = state.shape(node).cloned();
        match shape.as_ref().map(|shape| (shape.kind, shape.fields.as_slice())) {
            Some((Kind::Ramp, [Field::Expr(base), Field::Expr(stride), ..])) => {
                let mut paths = Vec::new();
                for (state, passes) in self.ramp_test(*base, state, test) {
                    if !self.is_true(&passes) {
                        paths.push((state, passes));
                        continue;
                    }
                    for (mut state, passes) in self.ramp_test(*stride, state, test) {
                        if self.is_true(&passes) && is_exact {
                            let value = self.node_value(node, &state);
                            let fact = test(self, &state, value, true);
                            state.facts.push(fact);
                        }
                        paths.push((state, passes));
                    }
                }
                paths
            }
            Some((Kind::Broadcast, [Field::Expr(inner), ..])) => {
                self.ramp_test(*inner, state, test)
            }
            // The tests do not look through every cast.
            Some((Kind::Cast, [Field::Expr(inner), ..])) => {
                let (looks, does_not) = self.choose(state);
                let mut paths = self.ramp_test(*inner, looks, test);
                paths.extend(self.truths(Vec::new(), vec![does_not]));
                paths
            }
            None if ty.is_vector && !ty.is_bool() && !self.is_concrete() => {
                let (mut ramp, other) = self.choose(state);
                if is_exact {
                    let value = self.node_value(node, &ramp);
                    let fact = test(self, &ramp, value, true);
                    ramp.facts.push(fact);
                }
                let mut paths = self.truths(vec![ramp], Vec::new());
                paths.extend(self.literal_test(node, other, &mut |machine, state, number| {
                    test(machine, state, number, false)
                }));
                paths
            }
            _ => self.literal_test(node, state, &mut |machine, state, number| {
                test(machine, state, number, false)
            }),
        }
    }

    /// The primitive `fixed`: whether an expression is a literal or a text, a cast or a broadcast
    /// of one, or a ramp of two.
    pub(super) fn fixed_test(&mut self, node: NodeId, state: State) -> Paths<Val> {
        let ty = state.node(node).ty;
        let shape = state.shape(node).cloned();
        match shape.as_ref().map(|shape| (shape.kind, shape.fields.as_slice())) {
            Some((Kind::IntImm | Kind::UIntImm | Kind::FloatImm | Kind::StringImm, _)) => {
                self.truths(vec![state], Vec::new())
            }
            Some((Kind::Cast | Kind::Broadcast, [Field::Expr(inner), ..])) => {
                self.fixed_test(*inner, state)
            }
            Some((Kind::Ramp, [Field::Expr(base), Field::Expr(stride), ..])) => {
                let mut paths = Vec::new();
                for (state, is_fixed) in self.fixed_test(*base, state) {
                    if self.is_true(&is_fixed) {
                        paths.extend(self.fixed_test(*stride, state));
                    } else {
                        paths.push((state, is_fixed));
                    }
                }
                paths
            }
            Some(_) => self.truths(Vec::new(), vec![state]),
            // A text is an address.
            None if ty.code == Code::Handle && !self.is_concrete() => {
                let atom = Atom::Literal(node, self.values.bool(true));
                // The same question has the same answer.
                let known = state.trail.iter().find(|(known, _)| *known == atom);
                if let Some((_, is_fixed)) = known.copied() {
                    return vec![(state, Val::Bool(self.values.bool(is_fixed)))];
                }
                let (mut holds, mut fails) = (state.clone(), state);
                holds.decide(atom, true);
                fails.decide(atom, false);
                self.truths(vec![holds], vec![fails])
            }
            None => {
                let may_be_ramp = ty.is_vector && !ty.is_bool() && !self.is_concrete();
                let (state, mut paths) = if may_be_ramp {
                    let (ramp, other) = self.choose(state);
                    (other, self.truths(vec![ramp], Vec::new()))
                } else {
                    (state, Vec::new())
                };
                let mut any = |machine: &mut Self, _: &State, _| machine.values.bool(true);
                paths.extend(self.literal_test(node, state, &mut any));
                paths
            }
        }
    }

    fn is_true(&self, value: &Val) -> bool {
        matches!(value, Val::Bool(truth) if self.values.as_number(*truth) == Some(1))
    }

    /// The number of a literal of a code, or of a broadcast of one; else null.
    pub(super) fn as_const(&mut self, node: NodeId, code: Code, state: State) -> Paths<Val> {
        let ty = state.node(node).ty;
        if ty.code != code {
            return vec![(state, Val::NumPtr(None))];
        }
        let mut paths = Vec::new();
        let (holds, fails) = self.is_kind(node, Kind::Broadcast, state);
        for state in holds {
            match state.shape(node).map(|shape| shape.fields.clone()).as_deref() {
                Some([Field::Expr(inner), ..]) => {
                    let inner = *inner;
                    paths.extend(self.as_const(inner, code, state));
                }
                _ => paths.push((state, Val::NumPtr(None))),
            }
        }
        let kind = match code {
            Code::Int => Kind::IntImm,
            Code::UInt => Kind::UIntImm,
            _ => Kind::FloatImm,
        };
        for state in fails {
            let (holds, fails) = self.is_kind(node, kind, state);
            for state in holds {
                let term = self.node_value(node, &state);
                let value = match ty.range() {
                    Some(range) => Val::Int(self.host_number(term, range, code == Code::Int)),
                    None => Val::Real(term),
                };
                paths.push((state, Val::NumPtr(Some((node, Box::new(value))))));
            }
            paths.extend(fails.into_iter().map(|state| (state, Val::NumPtr(None))));
        }
        paths
    }
}

/// Tests whether a call makes a mask.
fn is_mask(call: NodeId, state: &State) -> bool {
    let masks = ["bool_to_mask", "cast_mask"];
    state.node(call).intrinsic.as_deref().is_some_and(|callee| masks.contains(&callee))
}
