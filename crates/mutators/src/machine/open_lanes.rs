//! Bound values whose lanes are not known.
//!
//! # Correctness
//!
//! The value that a `Let` or a `LetStmt` binds is a scalar in the machine, whatever its body is. In
//! the compiler it may have lanes, and other ones than the body. What is computed from each of its
//! lanes does not depend on that. So only questions about lanes are left open: they get both
//! answers, and so does the same question about another scalar of that type.

use halidom_cpp::Sign;

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

impl Machine<'_> {
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
