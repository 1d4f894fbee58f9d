//! Rules: what a rule makes that fires, and rules that fire on wholly known IR.
//!
//! # Correctness
//!
//! Each rule claims that its result has the value of the expression that it matches. If the right
//! side is a variable of the function, the result is the expression that the variable holds.
//!
//! Nothing is proved by rules that fire on known IR: such a run may only show a defect. A pattern
//! matches as `IRMatch.h` matches: a wildcard matches anything, and the same thing each time; a
//! constant matches literals. The path is unsupported if it is not known that a pattern matches, if
//! a rule has a condition, or if it makes something other than a literal.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};
use halidom_rewrites::rules::Values;

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::{Slot, State};
use crate::ir::value::Val;
use crate::machine::lookup::last_part;
use crate::machine::parts::REDUCTIONS;
use crate::machine::run::{Machine, Outcome, Paths};

/// The wildcards of patterns (`Simplify_Internal.h`).
const WILDCARDS: [&str; 6] = ["x", "y", "z", "w", "u", "v"];

/// The constants of patterns.
const CONSTANTS: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];

/// The kinds of nodes that functions in patterns match.
const FUNCTIONS: [(&str, Kind); 11] = [
    ("likely", Kind::Call),
    ("likely_if_innermost", Kind::Call),
    ("slice", Kind::Shuffle),
    ("transpose", Kind::Shuffle),
    ("select", Kind::Select),
    ("min", Kind::Min),
    ("max", Kind::Max),
    ("ramp", Kind::Ramp),
    ("broadcast", Kind::Broadcast),
    ("Indeterminate", Kind::Call),
    ("Overflow", Kind::Call),
];

/// The kind of node that an operator in a pattern matches.
fn matched(op: Sign) -> Option<Kind> {
    Some(match op {
        Sign::Add => Kind::Add,
        Sign::Sub => Kind::Sub,
        Sign::Mul => Kind::Mul,
        Sign::Div => Kind::Div,
        Sign::Rem => Kind::Mod,
        Sign::Lt => Kind::LT,
        Sign::Le => Kind::LE,
        Sign::Eq => Kind::EQ,
        Sign::Ne => Kind::NE,
        Sign::And => Kind::And,
        Sign::Or => Kind::Or,
        _ => return None,
    })
}

/// The outcome of a rule on a known node.
pub(super) enum Fired {
    /// Its pattern does not match.
    No,
    /// It makes the expression that a variable of the function holds.
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

    /// The outcome of a rule on a known node. A rule with a condition may fire or not.
    pub(super) fn outcome_of_rule(&self, node: NodeId, arguments: &[Expr], state: &State) -> Fired {
        let Some(pattern) = arguments.first() else { return Fired::Perhaps };
        match matches(pattern, node, &mut Vec::new(), state, &self.values) {
            Some(false) => return Fired::No,
            None => return Fired::Perhaps,
            Some(true) => {}
        }
        let [_, right] = arguments else { return Fired::Perhaps };
        let ExprKind::Name(name) = &right.kind else { return Fired::Perhaps };
        let place = Self::find_variable(name, state);
        match place.and_then(|place| Self::load(&place, state)).map(|slot| slot.value) {
            Some(Val::Expr(Some(held))) => Fired::Made(held),
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
        let values = &self.values;
        let does_match = arguments
            .first()
            .and_then(|pattern| matches(pattern, node, &mut Vec::new(), &state, values));
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

/// Tests whether a pattern matches a node; `None` if that is not known.
fn matches(
    pattern: &Expr,
    node: NodeId,
    bound: &mut Vec<(String, NodeId)>,
    state: &State,
    values: &Values,
) -> Option<bool> {
    let shape = state.shape(node);
    let is_literal =
        matches!(shape?.kind, Kind::IntImm | Kind::UIntImm | Kind::FloatImm | Kind::Broadcast);
    match &pattern.kind {
        // A variable of the function is no wildcard.
        ExprKind::Name(name) if Machine::find_variable(name, state).is_some() => None,
        ExprKind::Name(name) if WILDCARDS.contains(&name.as_str()) => {
            let known = bound.iter().find(|(known, _)| known == name);
            if let Some((_, known)) = known {
                return Some(state.is_same(*known, node));
            }
            bound.push((name.clone(), node));
            Some(true)
        }
        ExprKind::Name(name) if CONSTANTS.contains(&name.as_str()) => {
            if is_literal {
                None
            } else {
                Some(false)
            }
        }
        ExprKind::Integer(..) | ExprKind::Bool(_) if !is_literal => Some(false),
        ExprKind::Integer(number, _) => Some(literal(shape?, values)? == *number),
        ExprKind::Bool(truth) => Some(literal(shape?, values)? == i128::from(*truth)),
        ExprKind::Call { callee, arguments, .. } => {
            let ExprKind::Name(name) = &callee.kind else { return None };
            let (_, kind) = FUNCTIONS.iter().find(|(known, _)| *known == last_part(name))?;
            let shape = shape?;
            if shape.kind != *kind {
                return Some(false);
            }
            let is_plain = matches!(kind, Kind::Select | Kind::Min | Kind::Max);
            if !is_plain || shape.fields.len() != arguments.len() {
                return None;
            }
            let mut all = Some(true);
            for (pattern, field) in arguments.iter().zip(&shape.fields) {
                let Field::Expr(of) = field else { return None };
                match matches(pattern, *of, bound, state, values) {
                    Some(false) => return Some(false),
                    part => all = all.and(part),
                }
            }
            all
        }
        ExprKind::Prefix(Sign::Not, operand) => {
            let shape = shape?;
            if shape.kind != Kind::Not {
                return Some(false);
            }
            let [Field::Expr(inner)] = shape.fields.as_slice() else { return None };
            matches(operand, *inner, bound, state, values)
        }
        ExprKind::Binary(op, first, second) => {
            let kind = matched(*op)?;
            let shape = shape?;
            if shape.kind != kind {
                return Some(false);
            }
            let [Field::Expr(a), Field::Expr(b)] = shape.fields.as_slice() else { return None };
            let first = matches(first, *a, bound, state, values);
            if first == Some(false) {
                return first;
            }
            match matches(second, *b, bound, state, values) {
                Some(false) if first.is_some() => Some(false),
                second => first.and(second),
            }
        }
        _ => None,
    }
}

/// The number of a literal that is no vector.
fn literal(shape: &Shape, values: &Values) -> Option<i128> {
    match shape.fields.as_slice() {
        [Field::Number(term)] => values.as_number(*term),
        _ => None,
    }
}
