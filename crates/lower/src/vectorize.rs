//! Turns loops of kind `vectorized` into operators on lanes.

mod lanes;

use halidom_ir::visit::{Fold, rewrite, walk};
use halidom_ir::{ExprId, Label, LoopKind, Pool, Program, Prophecy, Stmt, StmtId, Type, VarId};

use crate::lets::Lets;
use crate::refresh::refresh;
use crate::{LowerError, constant_extent, index};
use lanes::Lanes;

/// The maximum number of lanes of one vector.
pub const MOST_LANES: usize = 4096;

/// Replaces each vectorized loop by its body, with the loop's variable replaced by a ramp of all
/// its values.
///
/// * Statements and expressions that are the same in every lane stay scalar: loops, lets,
///   conditions, and subexpressions, which are broadcast where a vector needs them.
/// * `if c` with a condition that differs between lanes becomes `if c holds in every lane` around
///   the vector form, else the scalar loop. If a comparison in one lane cannot decide that, only
///   the scalar loop remains.
/// * A statement without a vector form gets a serial loop: an allocation, a loop with bounds that
///   differ between lanes, a store to one place by every lane, a loop around one that is already a
///   vector.
///
/// Requires: storage is flattened; extents of vectorized loops are constants, at most
/// [`MOST_LANES`].
/// Ensures: no loop of kind `Vectorized`; operands of each operator have equal lanes, annotations
/// the lanes of their load or store; sums and products of ramps are ramps.
pub fn vectorize(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Vectorize { lets: Lets::default() }, pool, program)
}

struct Vectorize {
    /// The values of variables of lets.
    lets: Lets,
}

impl Fold<LowerError> for Vectorize {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        if let Stmt::Let { var, value, .. } = *pool.get_stmt(id) {
            self.lets.bind(pool, var, value);
        }
        // Inner loops first: dense rows are innermost, and a loop around a vector stays serial.
        let id = walk(self, pool, id)?;
        let Stmt::For { var, min, extent, kind: LoopKind::Vectorized, body } = *pool.get_stmt(id)
        else {
            return Ok(id);
        };
        let count = constant_extent(pool, var, extent, LoopKind::Vectorized)?;
        if count > MOST_LANES {
            return Err(LowerError::TooManyLanes {
                variable: pool.var(var).name.clone(),
                extent: count,
            });
        }
        if count == 0 {
            return Ok(pool.stmt(Stmt::Block(Vec::new())));
        }
        if count == 1 {
            return Ok(pool.stmt(Stmt::Let { var, value: min, body }));
        }
        let lanes = Lanes::new(count as u32, &mut self.lets);
        let mut lockstep = Lockstep { var, min, extent, path: Vec::new(), lanes };
        let step = pool.int(1);
        let ramp = lockstep.lanes.ramp(pool, min, step);
        lockstep.lanes.bind(var, ramp);
        lockstep.stmt(pool, body)
    }
}

/// The body of one vectorized loop, all iterations at once.
struct Lockstep<'l> {
    var: VarId,
    min: ExprId,
    extent: ExprId,
    /// The lets in scope whose values differ between lanes, outermost first, in their original
    /// form.
    path: Vec<(VarId, ExprId)>,
    lanes: Lanes<'l>,
}

impl Lockstep<'_> {
    /// Returns the vector form of a statement of the body, or else the scalar loop around it.
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        match pool.get_stmt(id).clone() {
            Stmt::Block(stmts) => {
                let stmts =
                    stmts.iter().map(|stmt| self.stmt(pool, *stmt)).collect::<Result<_, _>>()?;
                Ok(pool.stmt(Stmt::Block(stmts)))
            }
            Stmt::Let { var, value, body } => self.bind(pool, id, var, value, body),
            Stmt::If { condition, then_branch, else_branch } => {
                let Some(vector) = self.lanes.expr(pool, condition)? else {
                    return self.scalar_loop(pool, id);
                };
                if pool.ty(vector).lanes == 1 {
                    let then_branch = self.stmt(pool, then_branch)?;
                    let else_branch =
                        else_branch.map(|branch| self.stmt(pool, branch)).transpose()?;
                    return Ok(pool.stmt(Stmt::If { condition: vector, then_branch, else_branch }));
                }
                let Some(condition) = self.lanes.holds_in_all(pool, vector) else {
                    return self.scalar_loop(pool, id);
                };
                let then_branch = self.stmt(pool, then_branch)?;
                let else_branch = Some(self.scalar_loop(pool, id)?);
                Ok(pool.stmt(Stmt::If { condition, then_branch, else_branch }))
            }
            Stmt::For { var, min, extent, kind, body } => {
                let (Some(min), Some(extent)) =
                    (self.lanes.uniform(pool, min)?, self.lanes.uniform(pool, extent)?)
                else {
                    return self.scalar_loop(pool, id);
                };
                let body = self.stmt(pool, body)?;
                Ok(pool.stmt(Stmt::For { var, min, extent, kind, body }))
            }
            Stmt::Labeled { label, body } => {
                if let Label::Func { needed, .. } = &label {
                    for interval in needed {
                        for bound in [interval.min, interval.extent] {
                            if self.lanes.uniform(pool, bound)?.is_none() {
                                return self.scalar_loop(pool, id);
                            }
                        }
                    }
                }
                let body = self.stmt(pool, body)?;
                Ok(pool.stmt(Stmt::Labeled { label, body }))
            }
            // One step for each lane.
            Stmt::Store { atomic: true, .. } => self.scalar_loop(pool, id),
            Stmt::Store { buffer, index, value, prophecy, atomic } => {
                let (Some(index), Some(value)) =
                    (self.lanes.expr(pool, index)?, self.lanes.expr(pool, value)?)
                else {
                    return self.scalar_loop(pool, id);
                };
                if pool.ty(index).lanes == 1 {
                    return self.scalar_loop(pool, id);
                }
                let value = self.lanes.widen(pool, value);
                let prophecy = match prophecy {
                    None => None,
                    Some(Prophecy { func, stage, coords, point }) => {
                        let (Some(coords), Some(point)) =
                            (self.lanes.wide(pool, &coords)?, self.lanes.wide(pool, &point)?)
                        else {
                            return self.scalar_loop(pool, id);
                        };
                        Some(Prophecy { func, stage, coords, point })
                    }
                };
                Ok(pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic }))
            }
            Stmt::Allocate { .. } | Stmt::Assert { .. } => self.scalar_loop(pool, id),
            Stmt::Provide { .. } => Err(LowerError::NotFlattened),
        }
    }

    fn bind(
        &mut self,
        pool: &mut Pool,
        id: StmtId,
        var: VarId,
        value: ExprId,
        body: StmtId,
    ) -> Result<StmtId, LowerError> {
        let Some(vector) = self.lanes.expr(pool, value)? else {
            return self.scalar_loop(pool, id);
        };
        if pool.ty(vector).lanes == 1 {
            let body = self.stmt(pool, body)?;
            return Ok(pool.stmt(Stmt::Let { var, value: vector, body }));
        }
        // A ramp needs no vector variable: its first lane is bound, and each use repeats the ramp,
        // so that dense loads are recognised.
        let (name, value_bound, replacement) = match Lanes::as_ramp(pool, vector) {
            Some((base, stride)) if index::is_atom(pool.get(stride)) => {
                if index::is_atom(pool.get(base)) {
                    (None, base, vector)
                } else {
                    let first = pool.declare_var(pool.var(var).name.clone(), Type::INT);
                    self.lanes.bind_scalar(pool, first, base);
                    let base_var = pool.var_expr(first);
                    (Some(first), base, self.lanes.ramp(pool, base_var, stride))
                }
            }
            Some(_) | None => {
                let decl = pool.var(var).clone();
                let wide = Type { scalar: decl.ty.scalar, lanes: self.lanes.count() };
                let vector_var = pool.declare_var(decl.name, wide);
                (Some(vector_var), vector, pool.var_expr(vector_var))
            }
        };
        self.lanes.bind(var, replacement);
        self.path.push((var, value));
        let body = self.stmt(pool, body);
        self.path.pop();
        let body = body?;
        Ok(match name {
            Some(var) => pool.stmt(Stmt::Let { var, value: value_bound, body }),
            None => body,
        })
    }

    /// Returns the loop around one statement of its body, lane after lane, with the lets that
    /// enclosed it.
    fn scalar_loop(&self, pool: &mut Pool, stmt: StmtId) -> Result<StmtId, LowerError> {
        let mut body = stmt;
        for (var, value) in self.path.iter().rev() {
            body = pool.stmt(Stmt::Let { var: *var, value: *value, body });
        }
        let (var, min, extent) = (self.var, self.min, self.extent);
        let serial = pool.stmt(Stmt::For { var, min, extent, kind: LoopKind::Serial, body });
        refresh(pool, serial, &[])
    }
}
