//! Bound values whose lanes are not known.
//!
//! # Correctness
//!
//! The value that a `Let` or a `LetStmt` binds is a scalar in the machine, whatever its body is. In
//! the compiler it may have lanes, and other ones than the body. What is computed from each of its
//! lanes does not depend on that. So only questions about lanes are left open: they get both
//! answers, and so does the same question about another scalar of that type. A value has one type,
//! so the second answer to whether it is one of scalars (`op->value.type() == Int(32)`) is the
//! first.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::kinds::{Kind, Type};
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::names::Method;
use crate::machine::run::{Machine, Outcome, Paths};

/// The values that nodes bind.
fn bound(state: &State) -> impl Iterator<Item = NodeId> {
    state.nodes.iter().filter_map(|node| match &node.shape {
        Some(Shape { kind: Kind::Let | Kind::LetStmt, fields }) => match fields.get(1) {
            Some(Field::Expr(value)) => Some(*value),
            _ => None,
        },
        _ => None,
    })
}

/// The member of a node whose type is asked for, `op->value.type()`.
fn of_type(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call { callee, templates: _, arguments } = &expr.kind else { return None };
    let ExprKind::Member { object, arrow: false, name } = &callee.kind else { return None };
    let ExprKind::Member { object: node, arrow: true, name: _ } = &object.kind else {
        return None;
    };
    let is_type = arguments.is_empty() && name == "type";
    (is_type && matches!(node.kind, ExprKind::Name(_))).then_some(object)
}

impl<'p> Machine<'p> {
    /// Tests whether a bound value that may have lanes has a type.
    fn is_open_type(&self, ty: Type, state: &State) -> bool {
        !self.is_concrete() && !ty.is_vector && bound(state).any(|value| state.node(value).ty == ty)
    }

    /// The answers to a question about the lanes of a type; `None` if they are known.
    pub(super) fn open_lanes(
        &mut self,
        ty: Type,
        name: Method<'_>,
        state: &State,
    ) -> Option<Paths<Val>> {
        let is_question = matches!(name, Method::IsScalar | Method::IsVector | Method::Lanes);
        if !is_question || !self.is_open_type(ty, state) {
            return None;
        }
        let (scalar, vector) = self.choose(state.clone());
        if name != Method::Lanes {
            let (holds, fails) =
                if name == Method::IsScalar { (scalar, vector) } else { (vector, scalar) };
            return Some(self.truths(vec![holds], vec![fails]));
        }
        let one = self.number(1, 32, true);
        let mut many = self.any_number("lanes", 32, true);
        (many.low, many.high) = (2, (1 << 16) - 1);
        Some(vec![(scalar, Val::Int(one)), (vector, Val::Int(many))])
    }

    /// The answers to whether two types are equal; `None` if they are known.
    pub(super) fn open_equality(
        &mut self,
        op: Sign,
        (a, b): (Type, Type),
        state: &State,
    ) -> Option<Paths<Val>> {
        let is_question = matches!(op, Sign::Eq | Sign::Ne) && a.element() == b.element();
        if !is_question || !self.is_open_type(a, state) && !self.is_open_type(b, state) {
            return None;
        }
        let (holds, fails) = self.choose(state.clone());
        Some(self.truths(vec![holds], vec![fails]))
    }

    /// The answers to whether a bound value has a type of scalars, `e->value.type() == Int(32)`;
    /// `None` for other questions.
    pub(super) fn has_scalar_type(
        &mut self,
        op: Sign,
        (asked, ty): (&'p Expr, &'p Expr),
        state: &State,
    ) -> Option<Paths<Val>> {
        let of = of_type(asked).filter(|_| matches!(op, Sign::Eq | Sign::Ne))?;
        if self.is_concrete() || !self.is_type_of_scalars(ty, state) {
            return None;
        }
        let mut paths = self.eval(of, state.clone());
        let (Some((state, Val::Expr(Some(node)))), None) = (paths.pop(), paths.pop()) else {
            return None;
        };
        let mut types = self.eval(ty, state);
        let (Some((mut state, Val::Type(ty))), None) = (types.pop(), types.pop()) else {
            return None;
        };
        let node = state.find(node);
        let is_bound = bound(&state).any(|value| state.find(value) == node);
        if !is_bound || state.node(node).ty != ty || !self.is_open_type(ty, &state) {
            return None;
        }
        let known = state.lanes_known.iter().find(|(known, _)| state.find(*known) == node);
        if let Some((_, is_scalar)) = known {
            let truth = self.values.bool(*is_scalar == (op == Sign::Eq));
            return Some(vec![(state, Val::Bool(truth))]);
        }
        state.lanes_known.push((node, true));
        let (scalar, mut vector) = self.choose(state);
        if let Some(last) = vector.lanes_known.last_mut() {
            last.1 = false;
        }
        let (holds, fails) = if op == Sign::Eq { (scalar, vector) } else { (vector, scalar) };
        Some(self.truths(vec![holds], vec![fails]))
    }

    /// Tests whether an expression makes a type of scalars, `Int(32)`, by a function of the API.
    fn is_type_of_scalars(&self, expr: &Expr, state: &State) -> bool {
        let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return false };
        let ExprKind::Name(name) = &callee.kind else { return false };
        let is_width = |one: &Expr| matches!(one.kind, ExprKind::Integer(..));
        ["Int", "UInt", "Float"].contains(&name.as_str())
            && templates.is_empty()
            && matches!(arguments.as_slice(), [width] if is_width(width))
            && self.program.functions.iter().all(|function| function.name != *name)
            && !self.may_mean_another(name, state)
            && Self::find_variable(name, state).is_none()
    }

    /// Ends the paths on which a bound value is a vector of a kind that no scalar is.
    pub(super) fn without_bound_vectors(
        &mut self,
        node: NodeId,
        kind: Kind,
        state: State,
    ) -> State {
        let (of, ty) = (state.node(node).class, state.node(node).ty);
        let may_be = !self.is_concrete()
            && !ty.is_vector
            && ty.is_value()
            && kind != Kind::VectorReduce
            && kind.admits(ty.with_vector(true))
            && bound(&state).any(|value| state.class(state.node(value).class) == state.class(of));
        if !may_be {
            return state;
        }
        let (vector, scalar) = self.choose(state);
        self.end(vector, Outcome::Unsupported("a vector that is bound".to_owned()), self.line);
        scalar
    }
}
