//! Unrolls loops of kind `unrolled`.

use halidom_ir::visit::{self, Fold, rewrite, walk};
use halidom_ir::{LoopKind, Pool, Program, Stmt, StmtId};

use crate::refresh::refresh;
use crate::{LowerError, constant_extent, index};

/// The maximum number of copies of one loop.
pub const MOST_COPIES: usize = 64;

/// The maximum number of statements that one unrolled loop may become, nested ones included.
const MOST_STATEMENTS: usize = 1 << 15;

/// Replaces each unrolled loop by one copy of its body for each iteration, in order.
///
/// Requires: extents of unrolled loops are constants, at most [`MOST_COPIES`], and nests of them
/// not much larger; storage is flattened.
/// Ensures: no loop of kind `Unrolled`; every binder is still unique.
pub fn unroll(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Unroll, pool, program)
}

struct Unroll;

impl Fold<LowerError> for Unroll {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        // Inner loops first: their copies are copied again.
        let id = walk(self, pool, id)?;
        let Stmt::For { var, min, extent, kind: LoopKind::Unrolled, body } = *pool.get_stmt(id)
        else {
            return Ok(id);
        };
        let copies = constant_extent(pool, var, extent, LoopKind::Unrolled)?;
        let most = MOST_COPIES.min(MOST_STATEMENTS / visit::count(pool, body));
        if copies > most {
            return Err(LowerError::TooManyCopies {
                variable: pool.var(var).name.clone(),
                extent: copies,
                most,
            });
        }
        let mut stmts = Vec::with_capacity(copies);
        for copy in 0..copies {
            let step = pool.int(copy as i128);
            let value = index::add(pool, min, step);
            stmts.push(refresh(pool, body, &[(var, value)])?);
        }
        Ok(match stmts[..] {
            [only] => only,
            _ => pool.stmt(Stmt::Block(stmts)),
        })
    }
}
