//! Objects that learn conditions: until they end, `mutate` may use the conditions
//! (`Simplify_Internal.h`: struct ScopedFact).
//!
//! # Correctness
//!
//! A condition that an object learns is assumed until the variable ends that holds the object. What
//! `substitute_facts` makes of an expression or a statement is what `mutate` would make: something
//! that equals it where all conditions hold that are assumed there. A condition that reads memory
//! is assumed of no statement.

use halidom_rewrites::rules::ValueId;

use crate::ir::kinds::Kind;
use crate::ir::node::NodeId;
use crate::ir::state::{State, Until};
use crate::ir::value::{Place, Val};
use crate::machine::names::Method;
use crate::machine::objects::BOUND;
use crate::machine::run::{Machine, Paths};
use crate::machine::variables::BINDING;

impl Machine<'_> {
    /// Runs a method of an object that learns conditions; `None` for other objects and methods.
    pub(super) fn fact_method(
        &mut self,
        (receiver, loaded): (&Val, &Val),
        name: &str,
        arguments: &[Val],
        state: &State,
        line: usize,
    ) -> Option<Paths<Val>> {
        let is_it = matches!(loaded, Val::Handle(of) if of == BOUND || of == BINDING);
        let ([given], true) = (arguments, is_it) else { return None };
        if self.is_of_files(BINDING) || self.is_method_of_files(name) {
            return None;
        }
        let given = Self::loaded(given.clone(), state);
        match (Method::of(name), given, Self::end_of_facts(receiver)) {
            (Method::SubstituteFacts, given, _) => {
                Some(self.with_facts_substituted(given, state.clone(), line))
            }
            (name @ (Method::LearnTrue | Method::LearnFalse), Val::Expr(Some(node)), Some(end)) => {
                let mut state = state.clone();
                self.assume_until(node, name == Method::LearnTrue, end, &mut state);
                Some(vec![(state, Val::Void)])
            }
            _ => None,
        }
    }

    /// The place where what an object learns ends: that of the variable that holds it.
    fn end_of_facts(receiver: &Val) -> Option<(usize, usize)> {
        match receiver {
            Val::Reference(Place::Local(frame, index)) => Some((frame + 1, *index)),
            _ => None,
        }
    }

    /// `f.substitute_facts(e)`, where `scoped_truth` or `scoped_falsehood` made `f`, or where it
    /// learnt conditions: these are replaced by literals (`Simplify.cpp`). So the result equals the
    /// argument where the conditions hold. On wholly known IR, the only condition is replaced. What
    /// `f` learns from a condition that is made of others is not followed there.
    fn with_facts_substituted(&mut self, given: Val, state: State, line: usize) -> Paths<Val> {
        let Val::Expr(Some(node)) = given else {
            return match given {
                Val::Expr(None) => vec![(state, given)],
                _ => self.unsupported(state, "substitute_facts of something else", line),
            };
        };
        if !self.is_concrete() {
            return self.mutate(node, state, line);
        }
        let known = state.assumed.iter().filter(|one| matches!(one.until, Until::Block(_)));
        let known: Vec<(NodeId, Option<ValueId>)> =
            known.filter_map(|one| Some((*one.nodes.first()?, one.fact))).collect();
        let is_single = |node: NodeId| {
            let compared = [Kind::EQ, Kind::NE, Kind::LT, Kind::LE];
            let is_extreme = |of: &NodeId| {
                let extremes = [Kind::Min, Kind::Max, Kind::Mod, Kind::Variable];
                state.shape(*of).is_some_and(|shape| extremes.contains(&shape.kind))
            };
            state.shape(node).is_some_and(|shape| compared.contains(&shape.kind))
                && !crate::ir::state::operands(node, &state).iter().any(is_extreme)
        };
        match known.as_slice() {
            [(condition, Some(fact))] if is_single(*condition) => {
                let mut state = state;
                let holds = self.node_value(*condition, &state) == *fact;
                let truth = Val::Bool(self.values.bool(holds));
                let ty = state.node(*condition).ty;
                let Some(literal) = self.literal_of(ty, &truth, &mut state) else {
                    return self.unsupported(state, "a condition of another type", line);
                };
                self.substitute(*condition, literal, node, state)
            }
            _ => self.unsupported(state, "facts that are learnt from a condition", line),
        }
    }
}
