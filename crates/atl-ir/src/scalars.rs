//! The elements' operators in the IR.

use halidom_atl::program::Element;
use halidom_ir::{BinaryOp, Constant, ExprId, Intrinsic, Overflow, Pool, Scalar, UnaryOp};

use crate::error::LowerError;

/// Returns the IR's type of elements.
pub(crate) fn scalar(element: Element) -> Scalar {
    match element {
        Element::I32 => Scalar::I32,
        Element::I64 | Element::MinPlus => Scalar::I64,
        Element::F32 => Scalar::F32,
        Element::F64 => Scalar::F64,
    }
}

/// True if sums and products form a semiring, so that `a * 0` is 0 for every `a`.
pub(crate) fn exact(element: Element) -> bool {
    !scalar(element).is_float()
}

/// Returns the semiring's zero: infinity for minimum and addition.
pub(crate) fn zero(pool: &mut Pool, element: Element) -> ExprId {
    let constant = match element {
        Element::MinPlus => integer(Scalar::I64, i128::from(i64::MAX)),
        Element::I32 | Element::I64 | Element::F32 | Element::F64 => {
            Constant::zero(scalar(element))
        }
    };
    pool.constant(constant)
}

fn integer(scalar: Scalar, value: i128) -> Constant {
    Constant::wrapped(scalar, value).unwrap_or(Constant::zero(scalar))
}

/// Returns a literal; `0` and `1` are the semiring's.
pub(crate) fn literal(pool: &mut Pool, element: Element, text: &str) -> Result<ExprId, LowerError> {
    let bad = || LowerError::Literal(text.to_owned());
    let constant = match (element, text) {
        (_, "0") => return Ok(zero(pool, element)),
        (Element::MinPlus, "1") => integer(Scalar::I64, 0),
        (Element::F32, _) => Constant::f32(text.parse().map_err(|_| bad())?),
        (Element::F64, _) => Constant::f64(text.parse().map_err(|_| bad())?),
        (Element::I32 | Element::I64 | Element::MinPlus, _) => {
            integer(scalar(element), text.parse().map_err(|_| bad())?)
        }
    };
    Ok(pool.constant(constant))
}

/// Returns a sum.
pub(crate) fn add(pool: &mut Pool, element: Element, a: ExprId, b: ExprId) -> ExprId {
    let op = match element {
        Element::MinPlus => BinaryOp::Min,
        Element::I32 | Element::I64 | Element::F32 | Element::F64 => BinaryOp::Add(Overflow::Wraps),
    };
    pool.binary(op, a, b)
}

/// Returns a product: for minimum and addition the sum, or infinity if an operand is infinity.
pub(crate) fn mul(pool: &mut Pool, element: Element, a: ExprId, b: ExprId) -> ExprId {
    match element {
        Element::I32 | Element::I64 | Element::F32 | Element::F64 => {
            pool.binary(BinaryOp::Mul(Overflow::Wraps), a, b)
        }
        Element::MinPlus => {
            let infinity = zero(pool, element);
            let sum = pool.binary(BinaryOp::Add(Overflow::Wraps), a, b);
            let first = pool.binary(BinaryOp::Eq, a, infinity);
            let second = pool.binary(BinaryOp::Eq, b, infinity);
            let either = pool.binary(BinaryOp::Or, first, second);
            pool.select(either, infinity, sum)
        }
    }
}

/// Returns a call of a function of the language.
pub(crate) fn call(
    pool: &mut Pool,
    element: Element,
    name: &str,
    args: &[ExprId],
) -> Result<ExprId, LowerError> {
    let float = scalar(element).is_float();
    match (name, args) {
        ("neg", [a]) => Ok(pool.unary(UnaryOp::Neg(Overflow::Wraps), *a)),
        ("abs", [a]) => Ok(pool.call(Intrinsic::Abs, *a)),
        ("sqrt", [a]) if float => Ok(pool.call(Intrinsic::Sqrt, *a)),
        ("exp", [a]) if float => Ok(pool.call(Intrinsic::Exp, *a)),
        ("minimum", [a, b]) => Ok(pool.binary(BinaryOp::Min, *a, *b)),
        ("maximum", [a, b]) => Ok(pool.binary(BinaryOp::Max, *a, *b)),
        ("div", [a, b]) if float => Ok(pool.binary(BinaryOp::Div, *a, *b)),
        ("div", [a, b]) => {
            // The IR's quotient leaves a remainder that is not negative; the language's rounds
            // down.
            let zero = pool.constant(Constant::zero(scalar(element)));
            let negative = pool.binary(BinaryOp::Lt, *b, zero);
            let minus = |pool: &mut Pool, x| pool.unary(UnaryOp::Neg(Overflow::Wraps), x);
            let (minus_a, minus_b) = (minus(pool, *a), minus(pool, *b));
            let turned = pool.binary(BinaryOp::Div, minus_a, minus_b);
            let straight = pool.binary(BinaryOp::Div, *a, *b);
            Ok(pool.select(negative, turned, straight))
        }
        _ => Err(LowerError::Function(name.to_owned())),
    }
}
