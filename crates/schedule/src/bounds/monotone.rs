//! Integers that are computed from an integer through floats and are monotone in it:
//! `i32(floor((f32(y) + 0.5) / scale - 0.5))`. Their ends are the values at the ends of the
//! integer, although it is not always known which end gives which value.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Pool, Scalar, UnaryOp};

/// The dependence of a value on the integer at the bottom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    /// The integer, of type `int`.
    pub(super) bottom: ExprId,
    /// True if the value rises with the integer, false if it falls; `None` if that is unknown.
    pub(super) rises: Option<bool>,
    /// True if all other operands so far are constants. The value is then finite, so it may be
    /// multiplied by a non-constant.
    is_plain: bool,
}

/// Returns the integer that `expr` is monotone in, if all other operands are kept, that is, do not
/// change with the integer. At most one factor is not a constant, and it must be applied before all
/// terms that are not constants.
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
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// The direction of a product is unknown if the sign of the factor is.
fn unknown(chain: Chain) -> Option<Chain> {
    chain.is_plain.then_some(Chain { rises: None, is_plain: false, ..chain })
}

fn as_f64(constant: Constant) -> Option<f64> {
    constant.as_f64().or(constant.as_f32().map(f64::from)).filter(|value| value.is_finite())
}
