//! Results of rules that match wholly known IR.
//!
//! # Correctness
//!
//! Nothing is proved by such a run: it may only show a defect. The numbers of a rule are computed
//! as `IRMatch.h` computes them where every number on the way has the constants' type and fits it.
//! Nothing is known of any other rule: of one whose numbers have several types, overflow or are
//! divided by 0, of one that asks the simplifier, and of one over vectors of constants.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Expr, ExprKind};

use crate::ir::kinds::{Code, Kind, Type};
use crate::ir::layout::selects_vectors;
use crate::ir::node::{Field, NodeId, Shape};
use crate::ir::state::State;
use crate::machine::lookup::last_part;
use crate::machine::patterns::{Bound, FOLD, function, kind_of};
use crate::machine::run::Machine;

/// A number or a truth value in a rule.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Number(i128),
    Truth(bool),
}

impl Told {
    fn number(self) -> Option<i128> {
        match self {
            Self::Number(number) => Some(number),
            Self::Truth(_) => None,
        }
    }

    fn truth(self) -> Option<bool> {
        match self {
            Self::Truth(truth) => Some(truth),
            Self::Number(_) => None,
        }
    }
}

/// Computes an expression over the constants of a rule.
fn told(expr: &Expr, bound: &Bound) -> Option<Told> {
    match &expr.kind {
        ExprKind::Integer(number, _) => Some(Told::Number(bound.held(*number)?)),
        ExprKind::Bool(truth) => Some(Told::Truth(*truth)),
        ExprKind::Name(name) => {
            let number = bound.constant(name)?;
            let is_truth = bound.element?.is_bool();
            Some(if is_truth { Told::Truth(number != 0) } else { Told::Number(number) })
        }
        ExprKind::Prefix(Sign::Not, of) => Some(Told::Truth(!told(of, bound)?.truth()?)),
        ExprKind::Prefix(Sign::Sub, of) => {
            let number = told(of, bound)?.number()?;
            Some(Told::Number(bound.held(-number)?))
        }
        ExprKind::Binary(Sign::And, a, b) => {
            Some(Told::Truth(told(a, bound)?.truth()? & told(b, bound)?.truth()?))
        }
        ExprKind::Binary(Sign::Or, a, b) => {
            Some(Told::Truth(told(a, bound)?.truth()? | told(b, bound)?.truth()?))
        }
        // C++ divides its own numbers in another way.
        ExprKind::Binary(Sign::Div | Sign::Rem, a, b) if !(bound.is_in(a) || bound.is_in(b)) => {
            None
        }
        ExprKind::Binary(op, a, b) => {
            let (a, b) = (told(a, bound)?, told(b, bound)?);
            let order = match (a, b) {
                (Told::Number(a), Told::Number(b)) => a.cmp(&b),
                (Told::Truth(a), Told::Truth(b)) => a.cmp(&b),
                (Told::Number(_), Told::Truth(_)) | (Told::Truth(_), Told::Number(_)) => {
                    return None;
                }
            };
            match op {
                Sign::Eq => return Some(Told::Truth(order.is_eq())),
                Sign::Ne => return Some(Told::Truth(order.is_ne())),
                Sign::Lt => return Some(Told::Truth(order.is_lt())),
                Sign::Le => return Some(Told::Truth(order.is_le())),
                Sign::Gt => return Some(Told::Truth(order.is_gt())),
                Sign::Ge => return Some(Told::Truth(order.is_ge())),
                _ => {}
            }
            let (a, b) = (a.number()?, b.number()?);
            let number = match op {
                Sign::Add => a + b,
                Sign::Sub => a - b,
                Sign::Mul => a.checked_mul(b)?,
                Sign::Div if b != 0 => (a - a.rem_euclid(b)) / b,
                Sign::Rem if b != 0 => a.rem_euclid(b),
                _ => return None,
            };
            Some(Told::Number(bound.held(number)?))
        }
        ExprKind::Call { callee, arguments, .. } => {
            let ExprKind::Name(name) = &callee.kind else { return None };
            let [a, b] = arguments.as_slice() else { return None };
            let (a, b) = (told(a, bound)?.number()?, told(b, bound)?.number()?);
            match function(name)? {
                Kind::Min => Some(Told::Number(a.min(b))),
                Kind::Max => Some(Told::Number(a.max(b))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Tests whether the condition of a rule holds; `None` if that is not known.
pub(super) fn holds(condition: &Expr, bound: &Bound) -> Option<bool> {
    told(condition, bound)?.truth()
}

impl Machine<'_> {
    /// Makes the right side of a rule, of a type if one is told; `None` if it is not known.
    pub(super) fn right_side(
        &mut self,
        expr: &Expr,
        bound: &Bound,
        ty: Option<Type>,
        state: &mut State,
    ) -> Option<NodeId> {
        match &expr.kind {
            // A constant is made anew.
            ExprKind::Name(name) => {
                let node = bound.node(name)?;
                match bound.constant(name) {
                    Some(number) => {
                        self.told_literal(Told::Number(number), state.node(node).ty, state)
                    }
                    None => Some(node),
                }
            }
            ExprKind::Integer(number, _) => self.told_literal(Told::Number(*number), ty?, state),
            ExprKind::Bool(truth) => self.told_literal(Told::Truth(*truth), ty?, state),
            ExprKind::Prefix(Sign::Sub, _) => self.told_literal(told(expr, bound)?, ty?, state),
            ExprKind::Prefix(Sign::Not, of) => {
                let of = self.right_side(of, bound, ty, state)?;
                let shape = Shape { kind: Kind::Not, fields: vec![Field::Expr(of)] };
                let ty = state.node(of).ty;
                ty.is_bool().then(|| state.add(ty, None, Some(shape)))
            }
            ExprKind::Binary(op, a, b) => {
                self.right_operator(kind_of(*op)?, [a, b], bound, ty, state)
            }
            ExprKind::Call { callee, arguments, .. } => {
                let ExprKind::Name(name) = &callee.kind else { return None };
                match (function(name), arguments.as_slice()) {
                    (None, [of]) if last_part(name) == FOLD => {
                        self.told_literal(told(of, bound)?, ty?, state)
                    }
                    (Some(kind @ (Kind::Min | Kind::Max)), [a, b]) => {
                        self.right_operator(kind, [a, b], bound, ty, state)
                    }
                    (Some(Kind::Select), [condition, a, b]) => {
                        let condition =
                            self.right_side(condition, bound, Some(Type::BOOL), state)?;
                        let [a, b] = self.of_one_type([a, b], bound, ty, state)?;
                        let ty = state.node(a).ty;
                        let fields = [condition, a, b].map(Field::Expr).to_vec();
                        let shape = Shape { kind: Kind::Select, fields };
                        let is_of_truth = state.node(condition).ty == Type::BOOL
                            && (!ty.is_vector || selects_vectors(self.profile.name));
                        is_of_truth.then(|| state.add(ty, None, Some(shape)))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// A literal of a type that holds what was computed.
    fn told_literal(&mut self, told: Told, ty: Type, state: &mut State) -> Option<NodeId> {
        let number = match told {
            Told::Truth(truth) => i128::from(truth),
            Told::Number(number) => number,
        };
        let is_held = match (ty.code, ty.range()) {
            (Code::Float, _) => number.abs() < 1 << 20,
            (Code::Int | Code::UInt, Some((least, greatest))) => {
                least <= number && number <= greatest
            }
            _ => false,
        };
        let number = self.number(number, 64, ty.code != Code::UInt);
        is_held.then(|| self.literal(ty, number, state))
    }

    /// Makes an operator of two right sides.
    fn right_operator(
        &mut self,
        kind: Kind,
        operands: [&Expr; 2],
        bound: &Bound,
        ty: Option<Type>,
        state: &mut State,
    ) -> Option<NodeId> {
        let is_comparison = matches!(kind, Kind::EQ | Kind::NE | Kind::LT | Kind::LE);
        let hint = if is_comparison { None } else { ty };
        let [a, b] = self.of_one_type(operands, bound, hint, state)?;
        let of = state.node(a).ty;
        let made = if is_comparison { Type::BOOL.with_vector(of.is_vector) } else { of };
        let is_admitted =
            kind.admits(if is_comparison { of } else { made }) && of.element() != Type::HANDLE;
        let shape = Shape { kind, fields: vec![Field::Expr(a), Field::Expr(b)] };
        is_admitted.then(|| state.add(made, None, Some(shape)))
    }

    /// Makes two right sides of one type. A number takes the type of the other side.
    fn of_one_type(
        &mut self,
        [a, b]: [&Expr; 2],
        bound: &Bound,
        ty: Option<Type>,
        state: &mut State,
    ) -> Option<[NodeId; 2]> {
        let first = self.right_side(a, bound, ty, state);
        let of_first = first.map(|first| state.node(first).ty);
        let second = self.right_side(b, bound, of_first.or(ty), state)?;
        let of_second = state.node(second).ty;
        let first = match first {
            Some(first) => first,
            None => self.right_side(a, bound, Some(of_second), state)?,
        };
        (state.node(first).ty == of_second).then_some([first, second])
    }
}
