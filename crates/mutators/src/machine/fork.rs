//! The symbolic interpreter: how paths fork on conditions, and where they are joined.

use std::rc::Rc;

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::{ValueId, Values};

use crate::ir::kinds::{Kind, bit};
use crate::ir::layout::operand_types;
use crate::ir::node::{NodeId, Shape, class_of};
use crate::ir::state::{Atom, Decision, Slot, State};
use crate::ir::value::Val;
use crate::machine::given::given;
use crate::machine::run::{Machine, Outcome, Paths};

/// The number of ways to fulfil a condition beyond which its failure is not remembered.
const MAX_ARMS: usize = 40;

impl<'p> Machine<'p> {
    /// Forks on a condition: returns the paths on which it holds, and those on which it does not.
    pub(crate) fn branch(&mut self, condition: &'p Expr, state: State) -> (Vec<State>, Vec<State>) {
        match &condition.kind {
            ExprKind::Binary(op, lhs, rhs) if *op == Sign::And => {
                let (holds, mut fails) = self.branch(lhs, state);
                let mut both = Vec::new();
                for state in holds {
                    let (holds, other) = self.branch(rhs, state);
                    both.extend(holds);
                    fails.extend(other);
                }
                (both, fails)
            }
            ExprKind::Binary(op, lhs, rhs) if *op == Sign::Or => {
                let (mut holds, fails) = self.branch(lhs, state);
                let mut neither = Vec::new();
                for state in fails {
                    let (other, fails) = self.branch(rhs, state);
                    holds.extend(other);
                    neither.extend(fails);
                }
                (holds, neither)
            }
            ExprKind::Prefix(op, operand) if *op == Sign::Not => {
                let (holds, fails) = self.branch(operand, state);
                (fails, holds)
            }
            _ => {
                let mut both = (Vec::new(), Vec::new());
                for (state, value) in self.eval(condition, state) {
                    let (holds, fails) = self.truth(&value, state, condition.line);
                    both.0.extend(holds);
                    both.1.extend(fails);
                }
                both
            }
        }
    }

    /// Like `branch`, but joins the paths on which the condition fails.
    pub(crate) fn condition(
        &mut self,
        condition: &'p Expr,
        state: State,
    ) -> (Vec<State>, Vec<State>) {
        let before = state.clone();
        let (holds, fails) = self.branch(condition, state);
        let is_even = fails
            .iter()
            .all(|state| state.scopes == before.scopes && state.assumed == before.assumed);
        if fails.len() <= 1 || !is_even {
            return (holds, fails);
        }
        let joined = self.join(&before, &holds, &fails);
        (holds, vec![joined])
    }

    /// Replaces many paths by one: the state before they forked, with the fact that the decisions
    /// of the other paths do not hold. A variable that any of the many paths assigned becomes
    /// unknown.
    fn join(&mut self, before: &State, others: &[State], many: &[State]) -> State {
        let mut joined = before.clone();
        if others.len() <= MAX_ARMS {
            for state in others {
                let taken = &state.trail[before.trail.len()..];
                let arm = taken.iter().map(|decision| self.outside(*decision, before)).collect();
                joined.not_all.push(arm);
            }
        }
        for state in many {
            joined.lost = joined.lost.or(state.lost);
            joined.visits = joined.visits.max(state.visits);
            joined.has_least_as(state);
            joined.unseen = joined.unseen.max(state.unseen);
            let frames = joined.frames.iter_mut().zip(&before.frames).zip(&state.frames);
            for ((joined, before), after) in frames {
                if Rc::ptr_eq(before, after) {
                    continue;
                }
                for (index, (before, after)) in before.iter().zip(&**after).enumerate() {
                    if before.value != after.value {
                        Rc::make_mut(joined)[index].value = Val::Unknown;
                    }
                }
            }
            for slot in &state.members {
                let known = before.members.iter().find(|known| known.name == slot.name);
                if known.is_none_or(|known| known.value != slot.value) {
                    joined.members.retain(|known| known.name != slot.name);
                    joined.members.push(Slot { value: Val::Unknown, ..slot.clone() });
                }
            }
        }
        joined
    }

    /// Joins the paths on which a function found nothing: it returned false, null or an undefined
    /// expression.
    pub(crate) fn joined(&mut self, before: &State, paths: Paths<Val>) -> Paths<Val> {
        // Paths of a function that returns nothing are one where they assigned nothing.
        let is_idle = |state: &State| {
            let same = |a: &[Slot], b: &[Slot]| {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.value == b.value)
            };
            before.scopes == state.scopes
                && before.assumed == state.assumed
                && same(&before.members, &state.members)
                && before.frames.len() == state.frames.len()
                && before.frames.iter().zip(&state.frames).all(|(a, b)| same(a, b))
        };
        let is_void = paths.iter().all(|(state, value)| *value == Val::Void && is_idle(state));
        let is_nothing = |value: &Val, values: &Values| match value {
            Val::Void => is_void,
            Val::Bool(term) => values.as_number(*term) == Some(0),
            Val::Ptr(node) => node.is_none(),
            Val::Expr(node) => node.is_none(),
            _ => false,
        };
        let (nothing, mut found): (Paths<Val>, Paths<Val>) =
            paths.into_iter().partition(|(state, value)| {
                is_nothing(value, &self.values)
                    && Rc::ptr_eq(&before.presence, &state.presence)
                    && !(before.presence.is_open && matches!(value, Val::Expr(None)))
                    && before.scopes == state.scopes
                    && before.assumed == state.assumed
            });
        let Some((_, value)) = nothing.first() else { return found };
        let value = value.clone();
        if nothing.len() == 1 || nothing.iter().any(|(_, other)| *other != value) {
            found.extend(nothing);
            return found;
        }
        let others: Vec<State> = found.iter().map(|(state, _)| state.clone()).collect();
        let many: Vec<State> = nothing.into_iter().map(|(state, _)| state).collect();
        let joined = self.join(before, &others, &many);
        found.push((joined, value));
        found
    }

    /// Translates a decision to a state that lacks nodes made since. A decision about such a node
    /// becomes a free choice.
    fn outside(&mut self, (atom, holds): Decision, state: &State) -> Decision {
        let nodes = state.nodes.len();
        let is_known = match atom {
            Atom::Term(term) | Atom::Literal(_, term) => {
                let mut is_known = true;
                self.values.visit(term, &mut |part| {
                    if let halidom_rewrites::rules::Node::Var(index) = self.values.node(part)
                        && let Some(class) = class_of(&self.values.vars()[*index as usize].0)
                    {
                        is_known &= class < state.classes();
                    }
                });
                is_known && !matches!(atom, Atom::Literal(node, _) if node >= nodes)
            }
            Atom::Is(node, _) => node < nodes,
            Atom::Equal(a, b) => a < nodes && b < nodes,
            Atom::Choice(_) => true,
        };
        if is_known { (atom, holds) } else { (Atom::Choice(self.fresh()), holds) }
    }

    /// Forks on a value's truth.
    pub(crate) fn truth(
        &mut self,
        value: &Val,
        state: State,
        line: usize,
    ) -> (Vec<State>, Vec<State>) {
        match value {
            Val::Bool(term) => self.fork(*term, state),
            Val::Int(num) => {
                let zero = self.number(0, num.bits, num.is_signed);
                match self.compare(Sign::Ne, *num, zero) {
                    Val::Bool(term) => self.fork(term, state),
                    _ => (Vec::new(), Vec::new()),
                }
            }
            Val::Ptr(None) | Val::NumPtr(None) => (Vec::new(), vec![state]),
            Val::Ptr(Some((node, kind))) => self.is_kind(*node, *kind, state),
            Val::NumPtr(Some(_)) | Val::Address(_) => (vec![state], Vec::new()),
            value if let Some(pointer) = given(value) => self.pointer_or_null(pointer, state),
            Val::Opaque(id) if self.is_concrete() => {
                if *id != 0 {
                    (vec![state], Vec::new())
                } else {
                    (Vec::new(), vec![state])
                }
            }
            Val::Handle(_) | Val::Opaque(_) if self.follows_unknown() => {
                let (holds, fails) = self.choose(state);
                (vec![holds], vec![fails])
            }
            _ => {
                self.end(
                    state,
                    Outcome::Unsupported("a condition on a value that is not known".to_owned()),
                    line,
                );
                (Vec::new(), Vec::new())
            }
        }
    }

    /// Forks on a truth value.
    pub(crate) fn fork(&mut self, term: ValueId, state: State) -> (Vec<State>, Vec<State>) {
        if let Some(value) = self.values.as_number(term) {
            return if value != 0 { (vec![state], Vec::new()) } else { (Vec::new(), vec![state]) };
        }
        let negated = self.values.apply(halidom_rewrites::rules::Fun::Not, &[term]);
        if state.facts.contains(&term) {
            return (vec![state], Vec::new());
        }
        if state.facts.contains(&negated) {
            return (Vec::new(), vec![state]);
        }
        let mut holds = state.clone();
        holds.facts.push(term);
        holds.decide(Atom::Term(term), true);
        let mut fails = state;
        fails.facts.push(negated);
        fails.decide(Atom::Term(term), false);
        (vec![holds], vec![fails])
    }

    /// Forks on a question about which nothing is known.
    pub(crate) fn choose(&mut self, state: State) -> (State, State) {
        self.has_chosen |= self.is_concrete();
        let choice = Atom::Choice(self.fresh());
        let mut holds = state.clone();
        holds.decide(choice, true);
        let mut fails = state;
        fails.decide(choice, false);
        (holds, fails)
    }

    /// Forks on whether a node has a kind.
    pub(crate) fn is_kind(
        &mut self,
        node: NodeId,
        kind: Kind,
        state: State,
    ) -> (Vec<State>, Vec<State>) {
        if let Some(shape) = state.shape(node) {
            return if shape.kind == kind {
                (vec![state], Vec::new())
            } else {
                (Vec::new(), vec![state])
            };
        }
        let known = state.node(node);
        let ty = known.ty;
        // A reduction to several lanes is not followed.
        if kind == Kind::VectorReduce
            && ty.is_value()
            && ty.is_vector
            && known.not & bit(kind) == 0
            && !self.is_concrete()
        {
            let mut other = state.clone();
            let what = "what may be a reduction to several lanes".to_owned();
            self.end(state, Outcome::Unsupported(what), self.line);
            other.node_mut(node).not |= bit(kind);
            return (Vec::new(), vec![other]);
        }
        if !kind.admits(ty) || known.not & bit(kind) != 0 {
            let state = self.without_bound_vectors(node, kind, state);
            return (Vec::new(), vec![state]);
        }
        let by_key = Self::kind_by_key(node, kind, &state);
        if by_key == Some(false) {
            return (Vec::new(), vec![state]);
        }
        let mut fails = state.clone();
        fails.node_mut(node).not |= bit(kind);
        fails.decide(Atom::Is(node, kind), false);
        let mut holds = Vec::new();
        let mut is_whole = true;
        let mut operands = operand_types(kind, ty, self.profile.name);
        // What is left undecided at types that behave alike should not keep others from a verdict.
        operands.sort_by_key(|operand| operand.is_like_another());
        for operand in operands {
            if self.leaves_out(kind, ty, operand) {
                is_whole = false;
                continue;
            }
            let mut state = state.clone();
            let fields =
                state.opaque_fields(node, kind, (operand, self.profile.name), &mut self.values);
            let known = state.node_mut(node);
            known.shape = Some(Shape { kind, fields });
            known.is_learnt = true;
            state.decide(Atom::Is(node, kind), true);
            holds.push(state);
        }
        if !is_whole {
            self.end_untried(node, kind, &state);
        }
        let is_possible = by_key.is_none()
            && Kind::ALL
                .iter()
                .any(|kind| kind.admits(ty) && fails.node(node).not & bit(*kind) == 0);
        (holds, if is_possible { vec![fails] } else { Vec::new() })
    }
}
