//! Visits of all parts of expressions and blocks.

use crate::NameId;
use crate::tree::{Expr, Scalar, Stmt};

impl Expr {
    /// Returns the name, if the expression is a variable.
    pub fn variable(&self) -> Option<NameId> {
        if let Self::Variable { name, ty: _ } = self { Some(*name) } else { None }
    }

    /// Tests whether the expression is no integer, or one that its type holds. Halide makes no
    /// other integers (`IntImm::make`).
    pub fn is_held(&self) -> bool {
        let (value, ty) = if let Self::Int(value, ty) = self {
            (i128::from(*value), ty)
        } else if let Self::UInt(value, ty) = self {
            (i128::from(*value), ty)
        } else {
            return true;
        };
        if let Scalar::Int(bits @ 1..=64) = ty.scalar {
            let half = 1_i128 << (bits - 1);
            return (-half..half).contains(&value);
        }
        matches!(ty.scalar, Scalar::UInt(bits @ 1..=64) if (0..1_i128 << bits).contains(&value))
    }

    /// Calls `visit` with the expression and with every part of it, the whole before its parts.
    pub fn for_each_part<'e>(&'e self, visit: &mut impl FnMut(&'e Self)) {
        visit(self);
        self.for_each_operand(&mut |operand| operand.for_each_part(visit));
    }
}

/// Calls `visit` with every statement of a block, and of the blocks within these.
pub fn for_each_stmt<'b>(block: &'b [Stmt], visit: &mut impl FnMut(&'b Stmt)) {
    for stmt in block {
        visit(stmt);
        stmt.for_each_block(&mut |inner| for_each_stmt(inner, visit));
    }
}
