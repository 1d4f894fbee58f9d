//! Literals: how functions of the API test and make them.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Domain, Fun, ValueId};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Atom, State};
use crate::ir::value::Val;
use crate::machine::api::Call;
use crate::machine::contracts::Meaning;
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Tests whether a node is a literal, and which one.
    pub(super) fn literals_function(&mut self, call: &Call<'_>, state: State) -> Paths<Val> {
        let Call { meaning, arguments, .. } = *call;
        match (meaning, arguments) {
            (Meaning::Equal, [Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                let (holds, fails) = self.equal(*a, *b, state);
                self.truths(holds, fails)
            }
            (Meaning::IsConst, [Val::Expr(Some(node))]) => {
                self.literal_test(*node, state, &mut |machine, _| machine.values.bool(true))
            }
            (Meaning::IsConst, [Val::Expr(Some(node)), Val::Int(num)]) => {
                let num = *num;
                if let Some(value) = self.values.as_number(num.term) {
                    return self.literal_test(*node, state, &mut |machine, term| {
                        machine.is_number(term, value)
                    });
                }
                self.literal_test(*node, state, &mut |machine, term| {
                    let (term, number) = match machine.values.domain(term) {
                        Domain::Real => (term, machine.values.convert(num.term, Domain::Real)),
                        Domain::Bool => {
                            let domain = machine.values.domain(num.term);
                            let one = machine.values.number(1, domain);
                            let zero = machine.values.number(0, domain);
                            (machine.values.apply(Fun::Ite, &[term, one, zero]), num.term)
                        }
                        _ => {
                            let domain = machine.values.domain(num.term);
                            (machine.values.convert(term, domain), num.term)
                        }
                    };
                    machine.values.apply(Fun::Eq, &[term, number])
                })
            }
            (Meaning::IsNumber(value), [Val::Expr(Some(node))]) => {
                self.literal_test(*node, state, &mut |machine, term| {
                    machine.is_number(term, value.into())
                })
            }
            (Meaning::IsPositive, [Val::Expr(Some(node))]) => {
                self.literal_test(*node, state, &mut |machine, term| {
                    let zero = machine.values.number(0, machine.values.domain(term));
                    machine.sign_test(Sign::Gt, term, zero)
                })
            }
            (Meaning::IsNegative | Meaning::IsNegatable, [Val::Expr(Some(node)), ..]) => {
                let ty = state.node(*node).ty;
                if ty.code == Code::UInt {
                    return self.truths(Vec::new(), vec![state]);
                }
                let negatable = meaning == Meaning::IsNegatable;
                self.literal_test(*node, state, &mut |machine, term| {
                    let zero = machine.values.number(0, machine.values.domain(term));
                    let below = machine.sign_test(Sign::Lt, term, zero);
                    match ty.range() {
                        Some((least, _)) if negatable => {
                            let other = machine.is_number(term, least);
                            let other = machine.values.apply(Fun::Not, &[other]);
                            machine.values.apply(Fun::And, &[below, other])
                        }
                        _ => below,
                    }
                })
            }
            (Meaning::AsConst(code), [Val::Expr(Some(node))]) => self.as_const(*node, code, state),
            (Meaning::PowerOfTwo, [Val::Expr(Some(node)), Val::Address(place)]) => {
                let ty = state.node(*node).ty;
                let Some((_, greatest)) = ty.range() else {
                    return self.truths(Vec::new(), vec![state]);
                };
                let mut paths = Vec::new();
                for bits in 0..64 {
                    if 1_i128 << bits > greatest {
                        break;
                    }
                    let tested = self.literal_test(*node, state.clone(), &mut |machine, term| {
                        machine.is_number(term, 1 << bits)
                    });
                    for (mut state, truth) in tested {
                        if matches!(truth, Val::Bool(term) if self.values.as_number(term) == Some(1))
                        {
                            let num = self.number(bits, 32, true);
                            self.store(place, Val::Int(num), &mut state);
                            paths.push((state, truth));
                        }
                    }
                }
                if !self.is_concrete() || paths.is_empty() {
                    let fails = if self.is_concrete() { state } else { self.choose(state).1 };
                    paths.push((fails, Val::Bool(self.values.bool(false))));
                }
                paths
            }
            _ => self.refused(call, state),
        }
    }

    /// Makes a literal, or a call that has no value.
    pub(super) fn made_function(&mut self, call: &Call<'_>, mut state: State) -> Paths<Val> {
        let Call { meaning, arguments, line, .. } = *call;
        match (meaning, arguments) {
            (Meaning::MakeConst, [Val::Type(ty), Val::Int(num)]) => {
                let node = self.literal(*ty, *num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeConst, [Val::Type(ty), Val::Bool(truth)]) => {
                let num = self.host_number(*truth, (0, 1), true);
                let node = self.literal(*ty, num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeNumber(value), [Val::Type(ty)]) => {
                let num = self.number(value.into(), 32, true);
                let node = self.literal(*ty, num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeTruth(value), lanes) => {
                let truth = self.values.bool(value);
                self.truth_literal(truth, lanes.first(), state, line)
            }
            (Meaning::MakeBool, [Val::Bool(truth), lanes @ ..]) => {
                self.truth_literal(*truth, lanes.first(), state, line)
            }
            // A number from a report keeps its fact when it is put into a literal. A number that
            // was computed from reports can be any.
            (Meaning::MakeConst, [Val::Type(ty), Val::Bound(num, fact)]) => {
                state.facts.push(*fact);
                let node = self.literal(*ty, *num, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeConst, [Val::Type(ty), value]) if value.is_info() => {
                let node = state.add(*ty, None, None);
                state.node_mut(node).is_literal = true;
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::Undefined(name), [Val::Type(ty)]) => {
                let shape = Shape { kind: Kind::Call, fields: Vec::new() };
                let node = state.add(*ty, None, Some(shape));
                state.node_mut(node).intrinsic = Some(name.to_owned());
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::MakeConst, [Val::Type(ty), Val::Real(term)]) if ty.code == Code::Float => {
                let shape = Shape { kind: Kind::FloatImm, fields: vec![Field::Number(*term)] };
                let scalar = state.add(ty.element(), None, Some(shape));
                let node = if ty.is_vector { Self::broadcast(scalar, &mut state) } else { scalar };
                vec![(state, Val::Expr(Some(node)))]
            }
            _ => self.refused(call, state),
        }
    }

    pub(super) fn truth_literal(
        &mut self,
        truth: ValueId,
        lanes: Option<&Val>,
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let mut state = state;
        let Some(is_vector) = self.is_lanes(lanes) else {
            return self.unsupported(state, "a literal of so many lanes", line);
        };
        let num = self.host_number(truth, (0, 1), true);
        let node = self.literal(Type::BOOL.with_vector(is_vector), num, &mut state);
        vec![(state, Val::Expr(Some(node)))]
    }

    /// Tests whether a term equals an integer; false if the integer is outside the term's domain.
    pub(super) fn is_number(&mut self, term: ValueId, value: i128) -> ValueId {
        let domain = self.values.domain(term);
        if domain != Domain::Whole
            && domain.range().is_some_and(|(least, greatest)| value < least || greatest < value)
        {
            return self.values.bool(false);
        }
        let number = self.values.number(value, domain);
        self.values.apply(Fun::Eq, &[term, number])
    }

    pub(super) fn sign_test(&mut self, op: Sign, term: ValueId, zero: ValueId) -> ValueId {
        match self.values.domain(term) {
            // `true` is the only truth value above 0.
            Domain::Bool if op == Sign::Gt => term,
            Domain::Bool => self.values.bool(false),
            _ => self.comparison(op, term, zero),
        }
    }

    /// Tests a literal, looking through casts and broadcasts.
    pub(super) fn literal_test(
        &mut self,
        node: NodeId,
        state: State,
        test: &mut dyn FnMut(&mut Self, ValueId) -> ValueId,
    ) -> Paths<Val> {
        if let Some(Shape { kind, fields }) = state.shape(node).cloned() {
            return match (kind, fields.as_slice()) {
                (Kind::IntImm | Kind::UIntImm | Kind::FloatImm, [Field::Number(term)]) => {
                    let truth = test(self, *term);
                    let (holds, fails) = self.fork(truth, state);
                    self.truths(holds, fails)
                }
                (Kind::Broadcast | Kind::Cast, [Field::Expr(inner), ..]) => {
                    self.literal_test(*inner, state, test)
                }
                (Kind::Ramp | Kind::Call, _) if state.node(node).intrinsic.is_none() => {
                    let (mut holds, fails) = self.choose(state);
                    let value = self.node_value(node, &holds);
                    let truth = test(self, value);
                    holds.facts.push(truth);
                    self.truths(vec![holds], vec![fails])
                }
                _ => self.truths(Vec::new(), vec![state]),
            };
        }
        let value = self.node_value(node, &state);
        let truth = test(self, value);
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
                paths.push((state, Val::NumPtr(Some(Box::new(value)))));
            }
            paths.extend(fails.into_iter().map(|state| (state, Val::NumPtr(None))));
        }
        paths
    }
}
