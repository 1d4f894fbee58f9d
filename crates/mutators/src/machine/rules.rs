//! Rules: what a rule makes that fires, and rules that fire on wholly known IR.
//!
//! # Correctness
//!
//! Each rule claims that its result has the value of the expression that it matches. If the right
//! side is a variable of the function, the result is the expression that the variable holds.
//!
//! Nothing is proved by rules that fire on known IR: such a run may only show a defect. A pattern
//! matches as `IRMatch.h` matches: a wildcard matches anything, and the same thing each time; a
//! constant matches literals. The path is unsupported if it is not known that a pattern matches,
//! whether the rule's condition holds, or what it makes (`machine/applied.rs`).

use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Slot, State};
use crate::ir::value::Val;
use crate::machine::applied::holds;
use crate::machine::parts::REDUCTIONS;
use crate::machine::patterns::{Bound, matches, names_one_of};
use crate::machine::run::{Machine, Outcome, Paths};

/// The outcome of a rule on a known node.
pub(super) enum Fired {
    /// Its pattern does not match.
    No,
    /// It makes an expression.
    Made(NodeId),
    /// It is not known.
    Perhaps,
}

/// The kinds of expressions in their order.
const ORDER: [Kind; 28] = [
    Kind::IntImm,
    Kind::UIntImm,
    Kind::FloatImm,
    Kind::StringImm,
    Kind::Broadcast,
    Kind::Cast,
    Kind::Reinterpret,
    Kind::Variable,
    Kind::Add,
    Kind::Sub,
    Kind::Mod,
    Kind::Mul,
    Kind::Div,
    Kind::Min,
    Kind::Max,
    Kind::EQ,
    Kind::NE,
    Kind::LT,
    Kind::LE,
    Kind::GT,
    Kind::GE,
    Kind::And,
    Kind::Or,
    Kind::Not,
    Kind::Select,
    Kind::Load,
    Kind::Ramp,
    Kind::Call,
];

/// The reductions that rewriters match, by their names in the rule language.
pub(super) const REDUCED: [(&str, &str); 5] =
    [("h_add", "Add"), ("h_min", "Min"), ("h_max", "Max"), ("h_and", "And"), ("h_or", "Or")];

impl Machine<'_> {
    /// The result of a rule that fired: an expression of the value that was matched. A right side
    /// that is a variable of the function is the expression that the variable holds.
    pub(super) fn made_by_rule(matched: &Val, right: Option<&Expr>, state: &mut State) -> Val {
        if let (Val::Expr(Some(known)), Some(ExprKind::Name(name))) =
            (matched, right.map(|right| &right.kind))
            && let Some(place) = Self::find_variable(name, state)
            && let Some(Slot { value: Val::Expr(Some(held)), .. }) = Self::load(&place, state)
        {
            let (ty, class) = (state.node(*known).ty, state.node(*known).class);
            let made = state.add(ty, Some(class), None);
            state.identical.push((made, held));
            return Val::Expr(Some(made));
        }
        matched.clone()
    }

    /// The operation of a reduction that a rewriter names: that of the visited node, if this is
    /// known to be it.
    pub(super) fn reduced_by(op: &str, state: &State) -> Val {
        let name = format!("{REDUCTIONS}{op}");
        let field = match state.shape(0) {
            Some(Shape { kind: Kind::VectorReduce, fields }) => fields.first().copied(),
            _ => None,
        };
        match field {
            Some(Field::Opaque(id))
                if state.constants.iter().any(|(of, known)| *of == id && *known == name) =>
            {
                Val::Opaque(id)
            }
            _ => Val::Handle(name),
        }
    }

    /// The answer of `should_commute` for two known nodes, if their kinds tell it: they have the
    /// order of `IRNodeType` (`Expr.h`).
    pub(super) fn commutes(a: NodeId, b: NodeId, state: &State) -> Option<bool> {
        let place = |node: NodeId| {
            let kind = state.shape(node)?.kind;
            ORDER.iter().position(|known| *known == kind)
        };
        let (a, b) = (place(a)?, place(b)?);
        let is_variable = ORDER.get(a) == Some(&Kind::Variable);
        (a != b || !is_variable).then_some(a < b)
    }

    /// The outcome of a rule on a known node.
    pub(super) fn outcome_of_rule(
        &mut self,
        node: NodeId,
        arguments: &[Expr],
        state: &mut State,
    ) -> Fired {
        let [pattern, right, conditions @ ..] = arguments else { return Fired::Perhaps };
        let hidden = &self.program.hidden;
        if [pattern, right].into_iter().chain(conditions).any(|part| names_one_of(part, hidden)) {
            return Fired::Perhaps;
        }
        let mut bound = Bound::default();
        match matches(pattern, node, &mut bound, state, &self.values) {
            Some(false) => return Fired::No,
            None => return Fired::Perhaps,
            Some(true) => {}
        }
        for condition in conditions {
            match holds(condition, &bound) {
                Some(true) => {}
                Some(false) => return Fired::No,
                None => return Fired::Perhaps,
            }
        }
        if let ExprKind::Name(name) = &right.kind
            && let Some(place) = Self::find_variable(name, state)
        {
            return match Self::load(&place, state).map(|slot| slot.value) {
                Some(Val::Expr(Some(held))) => Fired::Made(held),
                _ => Fired::Perhaps,
            };
        }
        // A rule claims that it keeps the value. If it does not, its method is not to blame.
        if self.is_at_method() {
            return Fired::Perhaps;
        }
        let ty = state.node(node).ty;
        match self.right_side(right, &bound, Some(ty), state) {
            Some(made) if state.node(made).ty == ty => Fired::Made(made),
            _ => Fired::Perhaps,
        }
    }

    /// Calls a rewriter of a known node with a rule.
    pub(super) fn fire_known(
        &mut self,
        node: NodeId,
        arguments: &[Expr],
        state: State,
        line: usize,
    ) -> Paths<Val> {
        let (values, hidden) = (&self.values, &self.program.hidden);
        let does_match = arguments
            .first()
            .filter(|pattern| !names_one_of(pattern, hidden))
            .and_then(|pattern| matches(pattern, node, &mut Bound::default(), &state, values));
        let result = arguments.get(1).map(|result| &result.kind);
        match (does_match, result) {
            (Some(false), _) => vec![(state, Val::Bool(self.values.bool(false)))],
            (Some(true), Some(ExprKind::Integer(..)))
                if arguments.len() == 2 && state.node(node).ty.element() == Type::HANDLE =>
            {
                let what = "a literal of the type of addresses is made".to_owned();
                self.end(state, Outcome::Crash(what), line);
                Vec::new()
            }
            _ => self.unsupported(state, "a rule that may fire", line),
        }
    }
}
