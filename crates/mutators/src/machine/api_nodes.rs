//! Nodes and facts: the IR that functions of the API make, and the facts that they report about it.

use halidom_cpp::Sign;
use halidom_rewrites::rules::{Fun, ValueId};

use crate::ir::kinds::{I32, Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Assumption, State};
use crate::ir::value::{Num, Place, Val};
use crate::machine::api::Call;
use crate::machine::contracts::Meaning;
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Makes a node from others.
    pub(super) fn nodes_function(&mut self, call: &Call<'_>, mut state: State) -> Paths<Val> {
        let Call { meaning, arguments, line, .. } = *call;
        match (meaning, arguments) {
            (
                Meaning::Mutate | Meaning::SameValue,
                [Val::Expr(Some(node)) | Val::Ptr(Some((node, _))), rest @ ..],
            ) => {
                let mut paths = self.mutate(*node, state, line);
                if let Some(Val::Address(place)) = rest.first() {
                    for (state, value) in &mut paths {
                        if let Val::Expr(Some(node)) = value {
                            let info = self.info_of(*node, state);
                            self.store(place, info, state);
                        }
                    }
                }
                paths
            }
            (Meaning::Mutate, [Val::Expr(None), ..]) => vec![(state, Val::Expr(None))],
            (Meaning::Select, [Val::Expr(Some(c)), Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                let (a, b) = self.match_types(*a, *b, &mut state);
                self.make_node(
                    Kind::Select,
                    &[Val::Expr(Some(*c)), Val::Expr(Some(a)), Val::Expr(Some(b))],
                    state,
                    line,
                )
            }
            (Meaning::Cast, [Val::Type(ty), Val::Expr(Some(node))]) => {
                let node = Self::cast(*ty, *node, &mut state);
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::RampBase, [Val::Expr(Some(node)), ..]) if !state.node(*node).ty.is_vector => {
                vec![(state, Val::Expr(None))]
            }
            (Meaning::Clamp, [Val::Expr(Some(node)), low, high]) => {
                let ty = state.node(*node).ty;
                let mut bound = |machine: &mut Self, value: &Val| match value {
                    Val::Expr(Some(node)) => Some(Self::cast(ty, *node, &mut state)),
                    Val::Int(num) => {
                        let num = machine.convert(*num, 32, true);
                        Some(machine.literal(ty, num, &mut state))
                    }
                    _ => None,
                };
                let (Some(low), Some(high)) = (bound(self, low), bound(self, high)) else {
                    return self.misfit(call, state);
                };
                let mut paths = Vec::new();
                for (state, least) in self.make(Kind::Min, *node, high, state, line) {
                    if let Val::Expr(Some(least)) = least {
                        paths.extend(self.make(Kind::Max, least, low, state, line));
                    }
                }
                paths
            }
            (Meaning::Lane, [Val::Expr(Some(node)), Val::Int(_)])
                if !state.node(*node).ty.is_vector =>
            {
                vec![(state, Val::Expr(Some(*node)))]
            }
            (Meaning::Lane, [Val::Expr(Some(node)), Val::Int(_)]) => {
                // Nothing is known about a single lane of any other vector.
                let node = match state.shape(*node) {
                    Some(Shape { kind: Kind::Broadcast, fields }) => match fields.first() {
                        Some(Field::Expr(inner)) => *inner,
                        _ => return self.misfit(call, state),
                    },
                    _ if self.is_concrete() => return self.misfit(call, state),
                    _ => {
                        let ty = state.node(*node).ty.element();
                        state.add(ty, None, None)
                    }
                };
                vec![(state, Val::Expr(Some(node)))]
            }
            (Meaning::Lowered(kind), [Val::Expr(Some(a)), Val::Expr(Some(b))]) => {
                self.make(kind, *a, *b, state, line)
            }
            (Meaning::FreshName, _) => {
                let name = self.fresh_node_name(&mut state);
                vec![(state, Val::Expr(Some(name)))]
            }
            _ => self.refused(call, state),
        }
    }

    /// Replaces a variable or an expression in another.
    pub(super) fn substituted_function(&mut self, call: &Call<'_>, mut state: State) -> Paths<Val> {
        let Call { meaning, arguments, name, templates, line, .. } = *call;
        match (meaning, arguments) {
            (Meaning::Substitute, [_, Val::Expr(_), Val::Expr(None)]) => {
                vec![(state, Val::Expr(None))]
            }
            (Meaning::Substitute, [what, Val::Int(num), within @ Val::Expr(_)]) => {
                let by = self.literal(I32, *num, &mut state);
                let arguments = vec![what.clone(), Val::Expr(Some(by)), within.clone()];
                self.api(name, templates, arguments, state, line)
            }
            (Meaning::Substitute, [what, Val::Expr(Some(by)), Val::Expr(Some(within))]) => {
                let (Val::Expr(Some(what)) | Val::Ptr(Some((what, _)))) = what else {
                    return self.misfit(call, state);
                };
                let is_value = state.node(*within).ty.is_value();
                if self.is_concrete() || !is_value || state.node(*what).ty == Type::NAME {
                    return self.substitute(*what, *by, *within, state);
                }
                let result = state.add(state.node(*within).ty, None, None);
                if state.node(*what).ty == state.node(*by).ty {
                    let (what, by) = (self.node_value(*what, &state), self.node_value(*by, &state));
                    let old = self.node_value(*within, &state);
                    let new = self.node_value(result, &state);
                    let is_same = self.values.apply(Fun::Eq, &[what, by]);
                    let differs = self.values.apply(Fun::Not, &[is_same]);
                    let is_kept = self.values.apply(Fun::Eq, &[old, new]);
                    state.facts.push(self.values.apply(Fun::Or, &[differs, is_kept]));
                }
                vec![(state, Val::Expr(Some(result)))]
            }
            _ => self.refused(call, state),
        }
    }

    /// Returns the result of an analysis, or a condition that a path may assume.
    pub(super) fn facts_function(&mut self, call: &Call<'_>, mut state: State) -> Paths<Val> {
        let Call { meaning, arguments, .. } = *call;
        match (meaning, arguments) {
            (Meaning::Nothing, _) => vec![(state, Val::Void)],
            (Meaning::Report, _) => vec![(state, Val::info())],
            (
                Meaning::Bounds,
                [Val::Expr(Some(node)), Val::Address(least), Val::Address(greatest)],
            ) => self.bounds(*node, least, greatest, state),
            (
                Meaning::Bounds,
                [Val::Ptr(Some((node, kind))), Val::Address(least), Val::Address(greatest)],
            ) if state.shape(*node).is_some_and(|shape| shape.kind == *kind) => {
                self.bounds(*node, least, greatest, state)
            }
            (Meaning::Remainder, [Val::Expr(Some(node)), ..]) => {
                let value = self.remainder_contract(*node, &mut state);
                vec![(state, value)]
            }
            (Meaning::RemainderOf, [modulus, remainder]) => {
                let members = vec![
                    ("modulus".to_owned(), modulus.clone()),
                    ("remainder".to_owned(), remainder.clone()),
                ];
                vec![(state, Val::Object(members))]
            }
            (Meaning::Scoped(holds), [Val::Expr(Some(node))]) => {
                let depth = (state.frames.len(), state.frame().len());
                state.assumed.push(Assumption { node: *node, holds, depth });
                vec![(state, Val::Handle("a scope".to_owned()))]
            }
            (Meaning::Region, [_, region @ Val::Opaque(_), ..]) => {
                let (same, changed) = self.choose(state);
                let (yes, no) = (self.values.bool(true), self.values.bool(false));
                [(same, no), (changed, yes)]
                    .map(|(state, truth)| {
                        let members = vec![
                            ("first".to_owned(), region.clone()),
                            ("second".to_owned(), Val::Bool(truth)),
                        ];
                        (state, Val::Object(members))
                    })
                    .to_vec()
            }
            (Meaning::Proves, [Val::Expr(Some(node))]) if self.is_concrete() => {
                let value = self.node_value(*node, &state);
                let holds = self.values.as_number(value) == Some(1);
                vec![(state, Val::Bool(self.values.bool(holds)))]
            }
            (Meaning::Proves, [Val::Expr(Some(node))]) => {
                let (mut holds, fails) = self.choose(state);
                let value = self.node_value(*node, &holds);
                holds.facts.push(value);
                self.truths(vec![holds], vec![fails])
            }
            (Meaning::AnyBool, _) => {
                let (holds, fails) = self.choose(state);
                self.truths(vec![holds], vec![fails])
            }
            (Meaning::RemainderOf, _) if !self.is_concrete() => vec![(state, Val::info())],
            _ => self.refused(call, state),
        }
    }

    /// Tests what an expression or a statement does.
    pub(super) fn questions_function(&mut self, call: &Call<'_>, state: State) -> Paths<Val> {
        let Call { meaning, arguments, .. } = *call;
        match (meaning, arguments) {
            (Meaning::NoOp, [Val::Expr(None)]) => {
                vec![(state, Val::Bool(self.values.bool(true)))]
            }
            (Meaning::NoOp, [Val::Expr(Some(node))]) => self.is_no_op(*node, state),
            (Meaning::SideEffects, [Val::Expr(Some(node))]) => self.side_effects(*node, state),
            (Meaning::Steady, [Val::Expr(Some(node))]) => self.is_steady(*node, state),
            (Meaning::IsUndef, [Val::Expr(Some(node))]) => {
                let is_undef = state.node(*node).intrinsic.as_deref() == Some("undef");
                if self.is_concrete() || is_undef || state.shape(*node).is_some() {
                    return vec![(state, Val::Bool(self.values.bool(is_undef)))];
                }
                let (mut holds, fails) = self.choose(state);
                let shape = Shape { kind: Kind::Call, fields: Vec::new() };
                let known = holds.node_mut(*node);
                known.shape = Some(shape);
                known.intrinsic = Some("undef".to_owned());
                self.truths(vec![holds], vec![fails])
            }
            _ => self.refused(call, state),
        }
    }

    /// Applies the contract of `const_int_bounds`.
    pub(super) fn bounds(
        &mut self,
        node: NodeId,
        least: &Place,
        greatest: &Place,
        state: State,
    ) -> Paths<Val> {
        let ty = state.node(node).ty;
        if self.is_concrete() {
            // Without a body to run, only the bounds of literals are known.
            let mut state = state;
            let value = self.node_value(node, &state);
            let Some(value) = self.values.as_number(value).filter(|_| !ty.is_vector) else {
                return self.truths(Vec::new(), vec![state]);
            };
            let value = Val::Int(self.number(value, 64, true));
            self.store(least, value.clone(), &mut state);
            self.store(greatest, value, &mut state);
            return self.truths(vec![state], Vec::new());
        }
        let (mut holds, fails) = self.choose(state);
        let Some(range) = ty.range().filter(|_| !ty.is_bool()) else {
            return self.truths(Vec::new(), vec![fails]);
        };
        let value = self.node_value(node, &holds);
        let value = self.host_number(value, range, true);
        let (low, high) =
            (self.any_number("least", 64, true), self.any_number("greatest", 64, true));
        let above = self.comparison(Sign::Le, low.term, value.term);
        let below = self.comparison(Sign::Le, value.term, high.term);
        holds.facts.extend([above, below]);
        holds.bounded.push((node, low.term, high.term));
        self.store(least, Val::Int(low), &mut holds);
        self.store(greatest, Val::Int(high), &mut holds);
        self.truths(vec![holds], vec![fails])
    }

    /// Applies the contract of `modulus_remainder`.
    pub(super) fn remainder_contract(&mut self, node: NodeId, state: &mut State) -> Val {
        let ty = state.node(node).ty;
        if self.is_concrete() {
            // A literal's number is known. Any other value leaves 0 modulo 1.
            let value = self.node_value(node, state);
            let value = self.values.as_number(value).filter(|_| ty.range().is_some());
            let (modulus, remainder) = value.map_or((1, 0), |value| (0, value));
            let member = |machine: &mut Self, value| Val::Int(machine.number(value, 32, true));
            return Val::Object(vec![
                ("modulus".to_owned(), member(self, modulus)),
                ("remainder".to_owned(), member(self, remainder)),
            ]);
        }
        let modulus = Num { low: 0, ..self.any_number("modulus", 32, true) };
        let remainder = self.any_number("remainder", 32, true);
        if let Some(range) = ty.range().filter(|_| !ty.is_bool()) {
            let value = self.node_value(node, state);
            let value = self.host_number(value, range, true).term;
            state.facts.push(self.alignment(value, modulus.term, remainder.term));
        }
        Val::Object(vec![
            ("modulus".to_owned(), Val::Int(modulus)),
            ("remainder".to_owned(), Val::Int(remainder)),
        ])
    }

    /// The fact that a value equals the remainder if the modulus is 0, and otherwise leaves that
    /// remainder when divided by the modulus. The modulus is never negative.
    pub(crate) fn alignment(
        &mut self,
        value: ValueId,
        modulus: ValueId,
        remainder: ValueId,
    ) -> ValueId {
        let zero = self.values.number(0, self.values.domain(modulus));
        let is_known = self.values.apply(Fun::Eq, &[modulus, zero]);
        let is_value = self.values.apply(Fun::Eq, &[value, remainder]);
        let left = self.values.apply(Fun::Mod, &[value, modulus]);
        let leaves = self.values.apply(Fun::Eq, &[left, remainder]);
        let fact = self.values.apply(Fun::Ite, &[is_known, is_value, leaves]);
        let at_least = self.comparison(Sign::Le, zero, modulus);
        self.values.apply(Fun::And, &[at_least, fact])
    }
}
