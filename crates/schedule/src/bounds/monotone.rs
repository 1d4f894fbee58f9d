//! Integers that are made of an integer by way of floats, and rise or fall with it: `i32(floor((f32(y) + 0.5) / scale - 0.5))`. Their ends are those at the ends of the integer,
//! of which it is not always known which is which.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Pool, Scalar, UnaryOp};

/// How a value depends on the integer at the bottom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// The integer, of type `int`.
    pub(super) bottom: ExprId,
    /// Whether the value rises with it, if that is known.
    pub(super) rises: Option<bool>,
    /// Whether only constants stood beside it, so that it may be multiplied by what is none: it is finite.
    is_plain: bool,
}

/// What `expr` rises or falls with, if all operands beside are kept: such as are the same wherever the integer changes. At most one of the factors is no constant, and stands before all terms that are none.
pub(super) fn chain(pool: &Pool, expr: ExprId, is_kept: &dyn Fn(ExprId) -> bool) -> Option<Chain> {
    let scalar = pool.ty(expr).scalar;
    let turned = |chain: Chain| Chain { rises: chain.rises.map(|rises| !rises), ..chain };
    match *pool.get(expr) {
        Expr::Cast(_, operand) => {
            let from = pool.ty(operand).scalar;
            match (scalar.is_float(), from) {
                (true, Scalar::Int) => {
                    Some(Chain { bottom: operand, rises: Some(true), is_plain: true })
                }
                (true, Scalar::F32 | Scalar::F64) => chain(pool, operand, is_kept),
                (false, Scalar::F32 | Scalar::F64) if scalar.is_machine_integer() => {
                    chain(pool, operand, is_kept)
                }
                (true | false, _) => None,
            }
        }
        Expr::Unary(UnaryOp::Neg(_), operand) if scalar.is_float() => {
            chain(pool, operand, is_kept).map(turned)
        }
        Expr::Call(
            Intrinsic::Floor | Intrinsic::Ceil | Intrinsic::Round | Intrinsic::Trunc,
            operand,
        ) => chain(pool, operand, is_kept),
        Expr::Binary(op, lhs, rhs) if scalar.is_float() => {
            let (on_left, beside) = match (is_kept(lhs), is_kept(rhs)) {
                (false, true) => (true, rhs),
                (true, false) => (false, lhs),
                (true, true) | (false, false) => return None,
            };
            let operand = if on_left { lhs } else { rhs };
            let inner = chain(pool, operand, is_kept)?;
            let constant = pool.as_constant(beside).and_then(as_f64);
            match (op, constant) {
                (BinaryOp::Add(_), Some(_)) => Some(inner),
                (BinaryOp::Sub(_), Some(_)) => Some(if on_left { inner } else { turned(inner) }),
                (BinaryOp::Mul(_), Some(by)) if by != 0.0 => {
                    Some(if by > 0.0 { inner } else { turned(inner) })
                }
                (BinaryOp::Div, Some(by)) if on_left && by != 0.0 => {
                    Some(if by > 0.0 { inner } else { turned(inner) })
                }
                (BinaryOp::Add(_), None) => Some(Chain { is_plain: false, ..inner }),
                (BinaryOp::Sub(_), None) => {
                    let inner = Chain { is_plain: false, ..inner };
                    Some(if on_left { inner } else { turned(inner) })
                }
                (BinaryOp::Mul(_), None) => unknown(inner),
                (BinaryOp::Div, None) if on_left => unknown(inner),
                _ => None,
            }
        }
        Expr::Const(_)
        | Expr::Var(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Call(..)
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Hole(_) => None,
    }
}

/// A product of two values of which nothing is known may rise and fall.
fn unknown(chain: Chain) -> Option<Chain> {
    chain.is_plain.then_some(Chain { rises: None, is_plain: false, ..chain })
}

fn as_f64(constant: Constant) -> Option<f64> {
    constant.as_f64().or(constant.as_f32().map(f64::from)).filter(|value| value.is_finite())
}
