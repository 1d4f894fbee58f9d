//! Visits of all parts of expressions and blocks.

use crate::NameId;
use crate::tree::{Expr, Stmt};

impl Expr {
    /// Returns the name, if the expression is a variable.
    pub fn variable(&self) -> Option<NameId> {
        if let Self::Variable { name, ty: _ } = self { Some(*name) } else { None }
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
