//! The way in which a coordinate moves with a variable.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, FoldDirection, Pool, Type, VarId};

use crate::algebra::vars;

/// The way in which an integer moves when a variable grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trend {
    /// It stays.
    Constant,
    /// It never falls.
    Rising,
    /// It never rises.
    Falling,
}

impl Trend {
    /// The trend of what never falls if neither of two integers does, and never rises if neither
    /// does, such as their sum or their minimum.
    pub(crate) fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, Self::Constant) | (Self::Constant, one) => Some(one),
            (one, other) => (one == other).then_some(one),
        }
    }

    /// The direction of a window with this trend. One that stays moves forward.
    pub(crate) fn direction(self) -> FoldDirection {
        match self {
            Self::Constant | Self::Rising => FoldDirection::Forward,
            Self::Falling => FoldDirection::Backward,
        }
    }

    fn reversed(self) -> Self {
        match self {
            Self::Constant => Self::Constant,
            Self::Rising => Self::Falling,
            Self::Falling => Self::Rising,
        }
    }
}

/// Finds the trend of an integer without width; `None` if it is not found.
pub(crate) fn trend(pool: &Pool, expr: ExprId, var: VarId) -> Option<Trend> {
    if !vars(pool, expr).contains(&var) {
        return Some(Trend::Constant);
    }
    if pool.ty(expr) != Type::INT {
        return None;
    }
    if let Expr::Var(own) = pool.get(expr) {
        return (*own == var).then_some(Trend::Rising);
    }
    let Expr::Binary(op, lhs, rhs) = pool.get(expr) else { return None };
    let (op, lhs, rhs) = (*op, *lhs, *rhs);
    let both = |rhs: Option<Trend>| trend(pool, lhs, var)?.with(rhs?);
    let scaled = |of: ExprId, by: i128| {
        let trend = trend(pool, of, var)?;
        Some(match by {
            0 => Trend::Constant,
            1.. => trend,
            _ => trend.reversed(),
        })
    };
    let number = |expr| pool.as_constant(expr).and_then(Constant::as_integer);
    match op {
        BinaryOp::Add(_) | BinaryOp::Min | BinaryOp::Max => both(trend(pool, rhs, var)),
        BinaryOp::Sub(_) => both(trend(pool, rhs, var).map(Trend::reversed)),
        BinaryOp::Mul(_) => match (number(lhs), number(rhs)) {
            (_, Some(by)) => scaled(lhs, by),
            (Some(by), None) => scaled(rhs, by),
            (None, None) => None,
        },
        // A quotient is rounded down if its divisor is positive.
        BinaryOp::Div => match number(rhs) {
            Some(by @ 1..) => scaled(lhs, by),
            Some(_) | None => None,
        },
        BinaryOp::Mod
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::Eq
        | BinaryOp::Ne
        | BinaryOp::Lt
        | BinaryOp::Le
        | BinaryOp::Gt
        | BinaryOp::Ge => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trends that are found hold of the values.
    #[test]
    fn values_move_as_their_trends() {
        let mut pool = Pool::new();
        let [var, other] = ["x", "y"].map(|name| pool.declare_var(name, Type::INT));
        let (x, y) = (pool.var_expr(var), pool.var_expr(other));
        let [two, minus] = [2, -3].map(|value| pool.int(value));
        let half = pool.binary(BinaryOp::Div, x, two);
        let falling = pool.mul(half, minus);
        let sum = pool.add(half, y);
        let least = pool.binary(BinaryOp::Min, sum, x);
        let rest = pool.binary(BinaryOp::Mod, x, two);
        let back = pool.binary(BinaryOp::Div, x, minus);
        let mixed = pool.sub(x, half);
        let found = [x, y, half, falling, sum, least, rest, back, mixed]
            .map(|expr| trend(&pool, expr, var));
        let (rises, falls) = (Some(Trend::Rising), Some(Trend::Falling));
        let constant = Some(Trend::Constant);
        assert_eq!(found, [rises, constant, rises, falls, rises, rises, None, None, None]);
        assert_eq!(Trend::Rising.with(Trend::Falling), None);
    }
}
