//! Statements.

use super::cursor::{Cursor, Result};
use crate::tree::{Block, Expr, ForKind, Range, Role, Stmt, StmtKind};

impl Cursor<'_> {
    /// Reads the statements that are indented by `indent` blanks.
    pub(super) fn block(&mut self, indent: usize) -> Result<Block> {
        self.nested(|cursor| {
            let mut block = Block::new();
            loop {
                let begin = cursor.at();
                let blanks = cursor.blanks();
                if blanks < indent || matches!(cursor.peek(), None | Some(b'}' | b'\n')) {
                    cursor.back_to(begin);
                    return Ok(block);
                }
                if blanks > indent {
                    return Err(cursor.expected("a statement less far in"));
                }
                let at = cursor.at();
                let kind = cursor.stmt(indent)?;
                block.push(Stmt { at, kind });
            }
        })
    }

    /// Reads statements in braces, up to the end of the line.
    fn braced(&mut self, indent: usize, inner: usize) -> Result<Block> {
        let body = self.opened(indent, inner)?;
        self.eat("}\n")?;
        Ok(body)
    }

    /// Reads an opening brace and the statements up to the closing one, which is not read.
    fn opened(&mut self, indent: usize, inner: usize) -> Result<Block> {
        self.eat("{\n")?;
        let body = self.block(indent + inner)?;
        if self.blanks() != indent || self.peek() != Some(b'}') {
            return Err(self.expected("`}` or a statement"));
        }
        Ok(body)
    }

    /// Reads a statement whose line begins with `indent` blanks, from its first byte to the end of
    /// its last line.
    fn stmt(&mut self, indent: usize) -> Result<StmtKind> {
        if self.skip("let ") {
            return self.let_stmt();
        }
        if self.skip("assert(") {
            let condition = self.expr()?;
            self.eat(", ")?;
            let message = self.expr()?;
            self.eat(")\n")?;
            return Ok(StmtKind::Assert { condition, message });
        }
        for (keyword, role) in [("produce ", Role::Produce), ("consume ", Role::Consume)] {
            if self.skip(keyword) {
                let name = self.name()?;
                self.eat(" ")?;
                let body = self.braced(indent, 1)?;
                return Ok(StmtKind::ProducerConsumer { name, role, body });
            }
        }
        if let Some(kind) = self.loop_keyword() {
            return self.for_stmt(kind, indent);
        }
        if self.skip("if ") {
            return self.if_stmt(indent);
        }
        if self.skip("allocate ") {
            return self.allocate(indent);
        }
        if self.skip("free ") {
            let name = self.name()?;
            self.eat("\n")?;
            return Ok(StmtKind::Free(name));
        }
        if self.skip("realize ") {
            return self.realize(indent);
        }
        if self.skip("predicate (") {
            let predicate = self.expr()?;
            self.eat(")\n")?;
            if self.blanks() != indent + 1 {
                return Err(self.expected("a store, one blank further in"));
            }
            return self.write_or_evaluate(indent + 1, Some(predicate));
        }
        if self.skip("atomic (") {
            let producer = self.name()?;
            let mutex = if self.skip(", ") { Some(self.name()?) } else { None };
            self.eat(") ")?;
            let body = self.braced(indent, 2)?;
            return Ok(StmtKind::Atomic { producer, mutex, body });
        }
        if self.skip("hoisted_storage ") {
            let name = if self.skip("(") {
                let name = self.name()?;
                self.eat(") ")?;
                Some(name)
            } else {
                None
            };
            let body = self.braced(indent, 2)?;
            return Ok(StmtKind::HoistedStorage { name, body });
        }
        if self.skip("fork ") {
            let mut tasks = Vec::new();
            loop {
                tasks.push(self.opened(indent, 1)?);
                self.eat("} ")?;
                if self.skip("\n") {
                    return Ok(StmtKind::Fork(tasks));
                }
            }
        }
        if self.skip("acquire (") {
            let semaphore = self.expr()?;
            self.eat(", ")?;
            let count = self.expr()?;
            self.eat(") ")?;
            let body = self.braced(indent, 1)?;
            return Ok(StmtKind::Acquire { semaphore, count, body });
        }
        if self.skip("prefetch ") {
            let name = self.name()?;
            self.eat(", ")?;
            let at = self.name()?;
            self.eat(", ")?;
            let from = self.name()?;
            self.eat(", ")?;
            let bounds = self.ranges()?;
            self.eat("\n")?;
            return Ok(StmtKind::Prefetch { name, at, from, bounds });
        }
        self.write_or_evaluate(indent, None)
    }

    /// Reads the rest of a line after `let `: a statement, or an expression that is evaluated.
    fn let_stmt(&mut self) -> Result<StmtKind> {
        let name = self.name()?;
        self.eat(" = ")?;
        // Only the token after the value tells which one it is, and the value's parentheses depend
        // on it.
        let begin = self.at();
        let beside = self.operand();
        if beside.is_ok() && self.skip(" in ") {
            let body = Box::new(self.operand()?);
            self.eat("\n")?;
            return Ok(StmtKind::Evaluate(Expr::Let { name, value: Box::new(beside?), body }));
        }
        self.back_to(begin);
        let value = self.expr()?;
        self.eat("\n")?;
        Ok(StmtKind::Let { name, value })
    }

    fn loop_keyword(&mut self) -> Option<ForKind> {
        let rest = self.rest();
        let kind = ForKind::ALL.into_iter().find(|kind| {
            let after = rest.strip_prefix(kind.keyword());
            after.is_some_and(|after| after.starts_with(" (") || after.starts_with('<'))
        })?;
        self.skip(kind.keyword());
        Some(kind)
    }

    fn for_stmt(&mut self, kind: ForKind, indent: usize) -> Result<StmtKind> {
        let device = if self.skip("<") {
            let device = self.name()?;
            self.eat(">")?;
            Some(device)
        } else {
            None
        };
        self.eat(" (")?;
        let name = self.name()?;
        self.eat(", ")?;
        let min = self.expr()?;
        self.eat(", ")?;
        let extent = self.expr()?;
        self.eat(") ")?;
        let body = self.braced(indent, 1)?;
        Ok(StmtKind::For { name, min, extent, kind, device, body })
    }

    /// Reads the rest after `if `.
    fn if_stmt(&mut self, indent: usize) -> Result<StmtKind> {
        self.nested(|cursor| {
            cursor.eat("(")?;
            let condition = cursor.expr()?;
            cursor.eat(") ")?;
            let then_branch = cursor.opened(indent, 1)?;
            let else_branch = if cursor.skip("} else if ") {
                let at = cursor.at();
                Some(vec![Stmt { at, kind: cursor.if_stmt(indent)? }])
            } else if cursor.skip("} else ") {
                Some(cursor.braced(indent, 1)?)
            } else {
                cursor.eat("}\n")?;
                None
            };
            Ok(StmtKind::If { condition, then_branch, else_branch })
        })
    }

    /// Reads the rest after `allocate `.
    fn allocate(&mut self, indent: usize) -> Result<StmtKind> {
        let name = self.name()?;
        self.eat("[")?;
        let ty = self.ty()?;
        let begin = self.at();
        let (extents, padding) = match self.extents() {
            Ok(extents) => (extents, 0),
            Err(error) => {
                // Padding stands in parentheses with all extents before it. With a single extent it
                // reads as a sum, which is the same number of elements.
                self.back_to(begin);
                if !self.skip(" * (") {
                    return Err(error);
                }
                let mut extents = vec![self.operand()?];
                while self.skip(" * ") {
                    extents.push(self.operand()?);
                }
                if !self.skip(" + ") {
                    return Err(error);
                }
                let padding = self.integer()?;
                self.eat(")")?;
                self.eat("]")?;
                (extents, padding)
            }
        };
        let memory = if self.skip(" in ") { Some(self.name()?) } else { None };
        let condition = if self.skip(" if ") { Some(self.operand()?) } else { None };
        self.eat("\n")?;
        let new = if self.continues(indent, " custom_new { ") {
            let new = self.expr()?;
            self.eat(" }\n")?;
            Some(new)
        } else {
            None
        };
        let free = if self.continues(indent, " custom_delete { ") {
            let free = self.name()?;
            self.eat("(")?;
            if self.name()? != name {
                return Err(self.expected("the name that is allocated"));
            }
            self.eat("); }\n")?;
            Some(free)
        } else {
            None
        };
        Ok(StmtKind::Allocate { name, ty, extents, padding, memory, condition, new, free })
    }

    /// Reads the extents of an allocation and the bracket that closes it.
    fn extents(&mut self) -> Result<Vec<Expr>> {
        let mut extents = Vec::new();
        while self.skip(" * ") {
            extents.push(self.operand()?);
        }
        self.eat("]")?;
        Ok(extents)
    }

    /// Skips this token, and returns true, if the next line continues the statement with it.
    fn continues(&mut self, indent: usize, token: &'static str) -> bool {
        let begin = self.at();
        let found = self.blanks() == indent + 1 && {
            self.back_to(begin + indent);
            self.skip(token)
        };
        if !found {
            self.back_to(begin);
        }
        found
    }

    /// Reads intervals in parentheses.
    fn ranges(&mut self) -> Result<Vec<Range>> {
        self.eat("(")?;
        let mut ranges = Vec::new();
        if self.skip(")") {
            return Ok(ranges);
        }
        loop {
            self.eat("[")?;
            let min = self.expr()?;
            self.eat(", ")?;
            let extent = self.expr()?;
            self.eat("]")?;
            ranges.push(Range { min, extent });
            if self.skip(")") {
                return Ok(ranges);
            }
            self.eat(", ")?;
        }
    }

    /// Reads the rest after `realize `.
    fn realize(&mut self, indent: usize) -> Result<StmtKind> {
        let name = self.name()?;
        let bounds = self.ranges()?;
        let memory = if self.skip(" in ") { Some(self.name()?) } else { None };
        let condition = if self.skip(" if ") { Some(self.operand()?) } else { None };
        self.eat(" ")?;
        let body = self.braced(indent, 2)?;
        Ok(StmtKind::Realize { name, bounds, memory, condition, body })
    }

    /// Reads a store, a write of a func, or an expression.
    fn write_or_evaluate(&mut self, indent: usize, predicate: Option<Expr>) -> Result<StmtKind> {
        let begin = self.at();
        if self.starts_name() {
            let name = self.name()?;
            if self.peek() == Some(b'[') {
                let (index, alignment) = self.subscript()?;
                if self.skip(" = ") {
                    let value = self.stored(indent)?;
                    self.eat("\n")?;
                    return Ok(StmtKind::Store { name, index, alignment, value, predicate });
                }
            } else if self.peek() == Some(b'(') {
                let args = self.arguments()?;
                if self.skip(" = ") {
                    let values = self.provided()?;
                    self.eat("\n")?;
                    return Ok(StmtKind::Provide { name, args, values, predicate });
                }
            }
            self.back_to(begin);
        }
        if predicate.is_some() {
            return Err(self.expected("a store"));
        }
        let value = self.expr()?;
        self.eat("\n")?;
        Ok(StmtKind::Evaluate(value))
    }

    /// Reads the value of a store. Its named parts stand on separate lines.
    fn stored(&mut self, indent: usize) -> Result<Expr> {
        if !self.skip("\n") {
            return self.expr();
        }
        let mut lets = Vec::new();
        loop {
            if self.blanks() != indent + 2 {
                return Err(self.expected("a part of the value, two blanks further in"));
            }
            if !self.skip("let ") {
                break;
            }
            let name = self.name()?;
            self.eat(" = ")?;
            let value = self.expr()?;
            self.eat(" in\n")?;
            lets.push((name, value));
        }
        if lets.is_empty() {
            return Err(self.expected("`let`"));
        }
        let body = self.expr()?;
        self.eat("\n")?;
        Ok(lets.into_iter().rev().fold(body, |body, (name, value)| Expr::Let {
            name,
            value: Box::new(value),
            body: Box::new(body),
        }))
    }

    /// Reads the value of a point, in braces if it has several components.
    fn provided(&mut self) -> Result<Vec<Expr>> {
        if !self.skip("{") {
            return Ok(vec![self.expr()?]);
        }
        let mut values = Vec::new();
        loop {
            values.push(self.expr()?);
            if self.skip("}") {
                break;
            }
            self.eat(", ")?;
        }
        if values.len() < 2 {
            return Err(self.expected("several components in the braces"));
        }
        Ok(values)
    }
}
