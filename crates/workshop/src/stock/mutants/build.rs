//! Expressions that mutants put into a statement.

use halidom_halide::NameId;
use halidom_halide::tree::{Expr, Scalar, Type};

use super::walk::Scope;

/// The function that an added assertion calls.
pub(super) const ERROR: &str = "halide_error_requirement_failed";

/// An `int32` literal.
pub(super) fn int(value: i64) -> Expr {
    Expr::Int(value, Type::INT32)
}

/// Adds a number to an expression; the number has the type of the expression. The sum of two
/// numbers is folded.
pub(super) fn plus(scope: &Scope<'_>, expr: &Expr, by: i64) -> Option<Expr> {
    let ty = scope.type_of(expr)?;
    let one = Type::of(ty.scalar);
    let number = match ty.scalar {
        Scalar::Int(_) => Expr::Int(by, one),
        Scalar::UInt(bits) if bits > 1 && by > 0 => Expr::UInt(by as u64, one),
        Scalar::Float(_) => Expr::Float(by as f64, one),
        Scalar::UInt(_) | Scalar::BFloat(_) | Scalar::Handle(_) => return None,
    };
    if let Expr::Int(value, ty) = expr {
        return Some(Expr::Int(value + by, *ty));
    }
    if let Expr::UInt(value, ty) = expr {
        return Some(Expr::UInt(value.wrapping_add_signed(by), *ty));
    }
    if let Expr::Float(value, ty) = expr {
        return Some(Expr::Float(value + by as f64, *ty));
    }
    let number = spread(number, ty.lanes);
    Some(Expr::Binary(halidom_halide::tree::BinaryOp::Add, Box::new([expr.clone(), number])))
}

/// A scalar broadcast to all lanes.
pub(super) fn spread(scalar: Expr, lanes: u32) -> Expr {
    if lanes == 1 { scalar } else { Expr::Broadcast { value: Box::new(scalar), lanes } }
}

/// An `int32` variable.
pub(super) fn variable(name: NameId) -> Expr {
    Expr::Variable { name, ty: Some(Type::INT32) }
}

/// Conditions on values in scope that do not always hold.
pub(super) fn doubts(scope: &Scope<'_>) -> Vec<Expr> {
    use halidom_halide::tree::BinaryOp;
    let mut found = Vec::new();
    for name in scope.values(Type::INT32, None).into_iter().take(2) {
        let compared = |op, value| Expr::Binary(op, Box::new([variable(name), int(value)]));
        found.push(compared(BinaryOp::Ne, 3));
        found.push(compared(BinaryOp::Lt, 2));
    }
    found
}
