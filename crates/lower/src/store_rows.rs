//! Dense stores of interleaved vectors.

use halidom_ir::{
    BinaryOp, Expr, ExprId, Pool, Program, Prophecy, Stmt, StmtId, interleaved_lanes,
};

use crate::lets::Lets;
use crate::patterns::{Strided, row_of};
use crate::{LowerError, index};

/// Makes one dense store of strided stores that follow one another and together fill a row: it
/// writes their vectors interleaved. The values of all stores are computed before any element is
/// written, and none of them reads the buffer.
///
/// Requires: vectors fit the machine.
/// Ensures: the same elements with the same values.
pub fn store_rows(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let body = StoreRows { pool, lets: Lets::default() }.stmt(program.body);
    Ok(Program { body, ..program })
}

struct StoreRows<'a> {
    pool: &'a mut Pool,
    lets: Lets,
}

impl StoreRows<'_> {
    fn stmt(&mut self, id: StmtId) -> StmtId {
        let stmt = self.pool.get_stmt(id).clone();
        if let Stmt::Let { var, value, .. } = stmt {
            self.lets.bind(self.pool, var, value);
        }
        let stmt = if let Stmt::Block(stmts) = &stmt {
            Stmt::Block(self.block(stmts))
        } else {
            stmt.map_children(|child| self.stmt(child))
        };
        self.pool.rebuilt(id, stmt)
    }

    fn block(&mut self, stmts: &[StmtId]) -> Vec<StmtId> {
        let mut joined = Vec::new();
        let mut rest = stmts;
        while let Some((first, others)) = rest.split_first() {
            let row = row_of(self.pool, rest);
            let store = row.and_then(|row| Some((self.join(&row, rest)?, row.len())));
            if let Some((store, count)) = store {
                joined.push(store);
                rest = &rest[count..];
            } else {
                joined.push(self.stmt(*first));
                rest = others;
            }
        }
        joined
    }

    /// Returns the one store of a row; `None` if the claims of its stores cannot be joined.
    fn join(&mut self, row: &[Strided], stmts: &[StmtId]) -> Option<StmtId> {
        let first = *row.first()?;
        let claims: Vec<Option<Prophecy>> =
            stmts.iter().take(row.len()).map(|stmt| self.claim(*stmt)).collect();
        let prophecy = if claims.iter().all(Option::is_none) {
            None
        } else {
            Some(self.joined(&claims.into_iter().collect::<Option<Vec<_>>>()?, first.lanes)?)
        };
        let all = first.lanes * first.step;
        let stride = self.pool.int(1);
        let index = self.pool.expr(Expr::Ramp { base: first.base, stride, lanes: all });
        let vectors = row.iter().map(|store| store.value).collect();
        let lanes = interleaved_lanes(first.step, first.lanes);
        let value = self.pool.expr(Expr::Shuffle { vectors, lanes });
        let buffer = first.buffer;
        Some(self.pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic: false }))
    }

    fn claim(&self, id: StmtId) -> Option<Prophecy> {
        if let Stmt::Store { prophecy, .. } = self.pool.get_stmt(id) {
            prophecy.clone()
        } else {
            None
        }
    }

    fn joined(&mut self, claims: &[Prophecy], lanes: u32) -> Option<Prophecy> {
        let first = claims.first()?;
        let alike = |claim: &Prophecy| (claim.func, claim.stage) == (first.func, first.stage);
        if !claims.iter().all(alike) {
            return None;
        }
        let mut column = |pick: &dyn Fn(&Prophecy) -> &[ExprId]| {
            (0..pick(first).len())
                .map(|number| {
                    let values = claims.iter().map(|claim| pick(claim).get(number).copied());
                    self.interleaved(&values.collect::<Option<Vec<_>>>()?, lanes)
                })
                .collect::<Option<Box<[ExprId]>>>()
        };
        let coords = column(&|claim| &claim.coords)?;
        let point = column(&|claim| &claim.point)?;
        Some(Prophecy { func: first.func, stage: first.stage, coords, point })
    }

    /// Returns the lanes of vectors of `int`s interleaved, as a formula over the lane's number. The
    /// vectors must be ramps or broadcasts that differ in constants.
    fn interleaved(&mut self, values: &[ExprId], lanes: u32) -> Option<ExprId> {
        let count = i128::try_from(values.len()).ok()?;
        let (base, stride) = self.ramp(*values.first()?)?;
        let from = self.lets.form(self.pool, base);
        let mut distances = Vec::new();
        for value in values {
            let (other, step) = self.ramp(*value)?;
            let distance = self.lets.form(self.pool, other).plus(&from, -1)?;
            if step != stride || !distance.has_no_terms() || distance.step != 0 {
                return None;
            }
            distances.push(distance.constant_part());
        }
        let across = *distances.get(1)?;
        if !distances.iter().zip(0..).all(|(distance, number)| *distance == across * number) {
            return None;
        }
        let all = lanes * count as u32;
        if stride == across * count {
            return Some(self.vector(base, across, all));
        }
        let (zero, size) = (self.pool.int(0), self.pool.int(count));
        let numbers = self.vector(zero, 1, all);
        let size = self.vector(size, 0, all);
        let mut sum = self.vector(base, 0, all);
        for (op, factor) in [(BinaryOp::Div, stride), (BinaryOp::Mod, across)] {
            if factor == 0 {
                continue;
            }
            let mut part = self.pool.binary(op, numbers, size);
            if factor != 1 {
                let factor = self.pool.int(factor);
                let factor = self.vector(factor, 0, all);
                part = self.pool.mul(part, factor);
            }
            sum = self.pool.add(sum, part);
        }
        Some(sum)
    }

    /// Returns base and stride of a ramp or a broadcast.
    fn ramp(&self, id: ExprId) -> Option<(ExprId, i128)> {
        match *self.pool.get(id) {
            Expr::Ramp { base, stride, .. } => Some((base, index::as_int(self.pool, stride)?)),
            Expr::Broadcast { value, .. } => Some((value, 0)),
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => None,
        }
    }

    fn vector(&mut self, base: ExprId, step: i128, lanes: u32) -> ExprId {
        if step == 0 {
            return self.pool.expr(Expr::Broadcast { value: base, lanes });
        }
        let stride = self.pool.int(step);
        self.pool.expr(Expr::Ramp { base, stride, lanes })
    }
}
