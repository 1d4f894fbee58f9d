//! The facts that contracts tell: what a path learns from an answer.

use halidom_cpp::Sign;

use crate::ir::kinds::{Code, Kind};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::api::{Call, Item};
use crate::machine::known_effects::{calls, does_nothing, has_effect, reads_memory};
use crate::machine::language::{Fact, Term};
use crate::machine::run::{Machine, Paths};

impl Machine<'_> {
    /// Calls a function whose answer tells a fact about a node. The other answer tells nothing, and
    /// leaves anything in the variables for bounds. On known IR, the function gives this answer
    /// just if the fact is known.
    pub(super) fn told(
        &mut self,
        answer: bool,
        fact: Fact,
        operands: &[Term],
        call: &Call<'_>,
        state: State,
    ) -> Paths<Val> {
        let items = operands.iter().map(|operand| self.computed(operand, call, &state));
        let items: Option<Vec<Item>> = items.collect();
        let (node, bounds) = match items.as_deref() {
            Some([Item::Val(Val::Expr(Some(node)))]) => (*node, None),
            Some(
                [
                    Item::Val(Val::Expr(Some(node))),
                    Item::Val(Val::Address(least)),
                    Item::Val(Val::Address(greatest)),
                ],
            ) => (*node, Some((least, greatest))),
            _ => return self.misfit(call, state),
        };
        let mut state = state;
        match fact {
            // An analysis may assume its contract of less than what it was given.
            Fact::Within if self.is_analysis => self.descend(node, &mut state, call.line),
            Fact::Holds => self.runs_mutators(&mut state, call.line),
            Fact::Within | Fact::NoOp | Fact::NoCall | Fact::Steady | Fact::Undef => {}
        }
        let known = self.is_told(fact, node, &state);
        let (told, open) = match known {
            Some(true) => (Some(state), None),
            Some(false) => (None, Some(state)),
            None => {
                let (yes, no) = self.choose(state);
                if answer { (Some(yes), Some(no)) } else { (Some(no), Some(yes)) }
            }
        };
        let told = told.map(|mut state| {
            if known.is_none() || bounds.is_some() {
                self.learn(fact, node, bounds, &mut state);
            }
            state
        });
        let open = open.map(|mut state| {
            for place in bounds.iter().flat_map(|(least, greatest)| [*least, *greatest]) {
                let any = if self.is_concrete() {
                    Val::Unknown
                } else {
                    Val::Int(self.any_number("bound", 64, true))
                };
                self.store_exactly(place, any, &mut state);
            }
            state
        });
        let (told, open) = (told.into_iter().collect(), open.into_iter().collect());
        if answer { self.truths(told, open) } else { self.truths(open, told) }
    }

    /// Tests whether a fact is known to hold, or known to stay untold; `None` if the path forks.
    fn is_told(&mut self, fact: Fact, node: NodeId, state: &State) -> Option<bool> {
        let is_concrete = self.is_concrete();
        match fact {
            Fact::Holds => is_concrete.then(|| {
                let value = self.node_value(node, state);
                self.values.as_number(value) == Some(1)
            }),
            Fact::NoOp if is_concrete => Some(does_nothing(node, state)),
            Fact::NoOp => {
                let class = state.class(state.node(node).class);
                let is_idle = state.idle.iter().any(|idle| state.class(*idle) == class);
                // It is asked of evaluations and of nothing only.
                let kind = state.shape(node).map(|shape| shape.kind);
                let is_other = kind.is_some_and(|of| of != Kind::Evaluate && of != Kind::Undefined);
                if is_other { Some(false) } else { is_idle.then_some(true) }
            }
            Fact::NoCall => is_concrete.then(|| !calls(node, state)),
            Fact::Steady => {
                is_concrete.then(|| !has_effect(node, state) && !reads_memory(node, state))
            }
            Fact::Undef => {
                let is_undef = state.node(node).intrinsic.as_deref() == Some("undef");
                let is_known = is_concrete || is_undef || state.shape(node).is_some();
                is_known.then_some(is_undef)
            }
            Fact::Within => {
                let ty = state.node(node).ty;
                if ty.reported_range().is_none() || ty.is_bool() {
                    return Some(false);
                }
                if is_concrete {
                    // Without a body to run, only the bounds of literals are known.
                    let value = self.node_value(node, state);
                    let value = self.values.as_number(value);
                    return Some(value.is_some() && !ty.is_vector);
                }
                None
            }
        }
    }

    /// Adds a fact to a path.
    fn learn(
        &mut self,
        fact: Fact,
        node: NodeId,
        bounds: Option<(&Place, &Place)>,
        state: &mut State,
    ) {
        let class = state.node(node).class;
        match fact {
            Fact::Holds => {
                let value = self.node_value(node, state);
                state.facts.push(value);
            }
            Fact::NoOp => {
                let class = state.class(class);
                state.idle.push(class);
            }
            Fact::NoCall => state.uncalled.push(class),
            Fact::Steady => {
                state.steady.push(class);
                state.pure.push(class);
            }
            Fact::Undef => {
                let known = state.node_mut(node);
                known.shape = Some(Shape { kind: Kind::Call, fields: Vec::new() });
                known.intrinsic = Some("undef".to_owned());
            }
            Fact::Within => {
                if let Some((least, greatest)) = bounds {
                    self.learn_bounds(node, least, greatest, state);
                }
            }
        }
    }

    /// Sets two variables to bounds of a node.
    fn learn_bounds(&mut self, node: NodeId, least: &Place, greatest: &Place, state: &mut State) {
        let value = self.node_value(node, state);
        if self.is_concrete() {
            if let Some(value) = self.values.as_number(value) {
                let value = Val::Int(self.number(value, 64, true));
                self.store_exactly(least, value.clone(), state);
                self.store_exactly(greatest, value, state);
            }
            return;
        }
        let Some(range) = state.node(node).ty.reported_range() else { return };
        let value = self.host_number(value, range, true);
        let [low, high] = ["least", "greatest"].map(|of| self.any_number(of, 64, true));
        let above = self.comparison(Sign::Le, low.term, value.term);
        let below = self.comparison(Sign::Le, value.term, high.term);
        state.facts.extend([above, below]);
        state.bounded.push((node, low.term, high.term));
        self.store_exactly(least, Val::Int(low), state);
        self.store_exactly(greatest, Val::Int(high), state);
    }

    /// The primitive `alignment`.
    pub(super) fn alignment_of(&mut self, node: NodeId, state: &mut State) -> Val {
        let ty = state.node(node).ty;
        if self.is_concrete() {
            // A literal's number is known. Any other value leaves 0 modulo 1.
            let value = self.node_value(node, state);
            let value = self.values.as_number(value).filter(|_| ty.reported_range().is_some());
            return self.known_alignment(value.map_or((1, 0), |value| (0, value)));
        }
        // The remainder may be negative, or beyond the modulus (`operator*` of
        // `ModulusRemainder.cpp`).
        let [modulus, remainder] = ["modulus", "remainder"].map(|of| self.any_number(of, 64, true));
        if let Some(range) = ty.reported_range().filter(|_| !ty.is_bool()) {
            let value = self.node_value(node, state);
            let value = self.host_number(value, range, true);
            state.facts.push(self.congruence(value, modulus, remainder));
        }
        Val::Object(vec![
            ("modulus".to_owned(), Val::Int(modulus)),
            ("remainder".to_owned(), Val::Int(remainder)),
        ])
    }

    /// A modulus and a remainder that are known.
    pub(super) fn known_alignment(&mut self, (modulus, remainder): (i128, i128)) -> Val {
        let bits = self.bits_of_remainders();
        let [modulus, remainder] =
            [modulus, remainder].map(|number| Val::Int(self.number(number, bits, true)));
        Val::Object(vec![("modulus".to_owned(), modulus), ("remainder".to_owned(), remainder)])
    }

    /// The bits of a modulus and a remainder. The oldest compilers keep `int`.
    pub(super) fn bits_of_remainders(&self) -> u8 {
        if INT_REMAINDERS.contains(&self.profile.name) { 32 } else { 64 }
    }

    /// The modulus and the remainder that the analysis finds of a known node with the entries of a
    /// scope (`ModulusRemainder.cpp`); `None` if that is not followed.
    pub(super) fn exact_alignment(
        &mut self,
        node: NodeId,
        scope: &Val,
        state: &State,
    ) -> Option<(i128, i128)> {
        const ANY: (i128, i128) = (1, 0);
        let ty = state.node(node).ty;
        if ty.code != Code::Int || ty.is_vector {
            return None;
        }
        let Shape { kind, fields } = state.shape(node)?.clone();
        let part = |machine: &mut Self, index: usize| match fields.get(index)? {
            Field::Expr(inner) => machine.exact_alignment(*inner, scope, state),
            Field::Number(_) | Field::Lanes | Field::Opaque(_) => None,
        };
        match kind {
            Kind::IntImm => {
                let value = self.node_value(node, state);
                let value = self.values.as_number(value)?;
                i32::try_from(value).is_ok().then_some((0, value))
            }
            Kind::Variable => matches!(scope, Val::Map(all) if all.is_empty()).then_some(ANY),
            Kind::Load | Kind::Call | Kind::Cast | Kind::Div => Some(ANY),
            // The greatest common divisor of 1 and any modulus is 1.
            Kind::Add | Kind::Sub | Kind::Mod => {
                let (a, b) = (part(self, 0)?, part(self, 1)?);
                (a == ANY || b == ANY && kind != Kind::Mod).then_some(ANY)
            }
            Kind::Min | Kind::Max => {
                let (a, b) = (part(self, 0)?, part(self, 1)?);
                (a == ANY && b == ANY).then_some(ANY)
            }
            _ => None,
        }
    }
}

/// The profiles whose analysis of remainders computes with `int` (`ModulusRemainder.h`).
const INT_REMAINDERS: [&str; 2] = ["halide-hls", "heterocl"];
