//! Splits vector statements into pieces that the machine's vectors hold.

use halidom_base::{FxHashMap, FxHashSet, IndexMap};
use halidom_ir::visit::{Role, for_each_expr, parts};
use halidom_ir::{
    Access, BinaryOp, BufferId, Constant, Expr, ExprId, Pool, Program, Prophecy, Scalar, Stmt,
    StmtId, Type, VarId,
};

use crate::patterns::{Places, repeated, row_of};
use crate::{LowerError, Machine};

/// Splits every vector statement so that no vector value is wider than the machine's vectors and
/// every number of lanes is a power of two. Compilers handle other vectors badly (gcc by a factor
/// of four to ten) or not at all. Annotations are split in the same way. Neighbouring stores that
/// together fill a row are split alike.
///
/// Requires: a final program without shuffles.
/// Ensures: the same program, except that a statement or a let on vectors may become several in a
/// row.
pub fn legalize(
    pool: &mut Pool,
    program: Program,
    machine: Machine,
) -> Result<Program, LowerError> {
    let mut pass = Legalize {
        pool,
        vector_bytes: machine.vector_bytes,
        pieces: FxHashMap::default(),
        vars: FxHashMap::default(),
        slices: FxHashMap::default(),
    };
    let body = pass.stmt(program.body);
    Ok(Program { body, ..program })
}

/// Lanes `start .. start + lanes` of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Piece {
    start: u32,
    lanes: u32,
}

struct Legalize<'a> {
    pool: &'a mut Pool,
    vector_bytes: usize,
    /// The pieces of a vector of each number of lanes in the current region: the same for a let and
    /// for its uses.
    pieces: FxHashMap<u32, Vec<Piece>>,
    /// The variables for the pieces of a let-bound vector.
    vars: FxHashMap<(VarId, Piece), VarId>,
    slices: FxHashMap<(ExprId, Piece), ExprId>,
}

impl Legalize<'_> {
    fn stmt(&mut self, id: StmtId) -> StmtId {
        let stmt = self.pool.get_stmt(id).clone();
        if let Stmt::Let { var, value, body } = stmt
            && self.pool.ty(value).lanes > 1
        {
            return self.in_region(id, |this| this.vector_let(id, var, value, body));
        }
        if let Stmt::Store { buffer, index, value, prophecy, atomic: false } = &stmt
            && self.pool.ty(*value).lanes > 1
        {
            return self.in_region(id, |this| {
                this.vector_store(id, *buffer, *index, *value, prophecy.as_ref())
            });
        }
        let split = if let Stmt::Block(stmts) = &stmt {
            Stmt::Block(self.block(stmts))
        } else {
            stmt.map_children(|child| self.stmt(child))
        };
        self.pool.rebuilt(id, split)
    }

    /// Splits the statements of a block, its rows as wholes.
    fn block(&mut self, stmts: &[StmtId]) -> Vec<StmtId> {
        let mut split = Vec::new();
        let mut rest = stmts;
        while let Some((first, others)) = rest.split_first() {
            if let Some(row) = row_of(self.pool, rest) {
                let (row, left) = rest.split_at(row.len());
                split.extend(self.row(row));
                rest = left;
            } else {
                split.push(self.stmt(*first));
                rest = others;
            }
        }
        split
    }

    /// Splits the stores of a row, all in the same way. The first pieces of all stores come first.
    fn row(&mut self, stores: &[StmtId]) -> Vec<StmtId> {
        self.in_region_of(stores, |this| {
            let pieces: Vec<Vec<StmtId>> = stores
                .iter()
                .map(|store| {
                    let split = this.stmt(*store);
                    parts(this.pool, split)
                })
                .collect();
            let most = pieces.iter().map(Vec::len).max().unwrap_or(0);
            (0..most)
                .flat_map(|piece| pieces.iter().filter_map(move |of| of.get(piece).copied()))
                .collect()
        })
    }

    /// Decides how the vectors of a statement are split, unless an enclosing statement has decided
    /// it.
    fn in_region(&mut self, id: StmtId, split: impl FnOnce(&mut Self) -> StmtId) -> StmtId {
        self.in_region_of(&[id], split)
    }

    fn in_region_of<T>(&mut self, stmts: &[StmtId], split: impl FnOnce(&mut Self) -> T) -> T {
        if !self.pieces.is_empty() {
            return split(self);
        }
        let mut widths =
            Widths { pool: self.pool, bytes: IndexMap::default(), seen: FxHashSet::default() };
        for stmt in stmts {
            widths.stmt(*stmt);
        }
        for (lanes, bytes) in widths.bytes {
            let most = u32::try_from(self.vector_bytes / bytes).unwrap_or(1).max(1);
            self.pieces.insert(lanes, cut(lanes, most));
        }
        let result = split(self);
        self.pieces.clear();
        result
    }

    fn pieces_of(&self, lanes: u32) -> Vec<Piece> {
        self.pieces.get(&lanes).cloned().unwrap_or_else(|| vec![Piece { start: 0, lanes }])
    }

    fn vector_let(&mut self, id: StmtId, var: VarId, value: ExprId, body: StmtId) -> StmtId {
        let ty = self.pool.ty(value);
        let pieces = self.pieces_of(ty.lanes);
        let name = self.pool.var(var).name.clone();
        let mut lets = Vec::new();
        for (number, piece) in pieces.iter().enumerate() {
            let bound = if pieces.len() == 1 {
                var
            } else {
                let name = [&name, ".", &number.to_string()].concat();
                self.pool.declare_var(name, Type { scalar: ty.scalar, lanes: piece.lanes })
            };
            lets.push((bound, self.slice(value, *piece)));
            self.vars.insert((var, *piece), bound);
        }
        let split = self.stmt(body);
        if lets == [(var, value)] && split == body {
            return id;
        }
        lets.into_iter()
            .rev()
            .fold(split, |body, (var, value)| self.pool.stmt(Stmt::Let { var, value, body }))
    }

    fn vector_store(
        &mut self,
        id: StmtId,
        buffer: BufferId,
        index: ExprId,
        value: ExprId,
        prophecy: Option<&Prophecy>,
    ) -> StmtId {
        let ty = self.pool.ty(value);
        let pieces = self.pieces_of(ty.lanes);
        if pieces.len() == 1 && self.slice(value, pieces[0]) == value {
            return id;
        }
        // All lanes load before any lane stores. Where a load might read what an earlier piece
        // writes, all values are therefore computed first.
        let computed_first = pieces.len() > 1 && self.reads_elsewhere(value, buffer, index);
        let mut lets = Vec::new();
        let mut stores = Vec::new();
        for piece in pieces {
            let mut value = self.slice(value, piece);
            if computed_first {
                let ty = Type { scalar: ty.scalar, lanes: piece.lanes };
                let var = self.pool.declare_var("lanes", ty);
                lets.push((var, value));
                value = self.pool.var_expr(var);
            }
            let index = self.slice(index, piece);
            let prophecy = prophecy.map(|prophecy| Prophecy {
                func: prophecy.func,
                stage: prophecy.stage,
                coords: prophecy.coords.iter().map(|coord| self.slice(*coord, piece)).collect(),
                point: prophecy.point.iter().map(|value| self.slice(*value, piece)).collect(),
            });
            let atomic = false;
            stores.push(self.pool.stmt(Stmt::Store { buffer, index, value, prophecy, atomic }));
        }
        let block = self.pool.stmt(Stmt::Block(stores));
        lets.into_iter()
            .rev()
            .fold(block, |body, (var, value)| self.pool.stmt(Stmt::Let { var, value, body }))
    }

    /// Tests whether a value reads the buffer at elements other than the lane's own.
    fn reads_elsewhere(&self, value: ExprId, buffer: BufferId, own: ExprId) -> bool {
        let mut found = false;
        self.pool.for_each_subexpr(value, &mut |_, expr| {
            if let Expr::Load { buffer: read, index, .. } = expr {
                found |= *read == buffer && *index != own;
            }
        });
        found
    }

    /// Returns some lanes of an expression. A scalar stays as it is.
    fn slice(&mut self, id: ExprId, piece: Piece) -> ExprId {
        let ty = self.pool.ty(id);
        if ty.lanes == 1 {
            return id;
        }
        if let Some(slice) = self.slices.get(&(id, piece)) {
            return *slice;
        }
        let slice = match self.pool.get(id).clone() {
            Expr::Var(var) => {
                let bound = self.vars.get(&(var, piece)).copied().unwrap_or(var);
                self.pool.var_expr(bound)
            }
            Expr::Ramp { base, stride, .. } => {
                let base = self.advance(base, stride, piece.start);
                if piece.lanes == 1 {
                    base
                } else {
                    self.pool.expr(Expr::Ramp { base, stride, lanes: piece.lanes })
                }
            }
            Expr::Broadcast { value, .. } => {
                if piece.lanes == 1 {
                    value
                } else {
                    self.pool.expr(Expr::Broadcast { value, lanes: piece.lanes })
                }
            }
            Expr::Load { buffer, index, access } => {
                let index = self.slice(index, piece);
                let access = access.map(|access| Access {
                    func: access.func,
                    coords: access.coords.iter().map(|coord| self.slice(*coord, piece)).collect(),
                });
                self.pool.load(buffer, index, access)
            }
            // The passes that make shuffles come later.
            Expr::Shuffle { .. } => id,
            expr @ (Expr::Const(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Hole(_)) => {
                let mapped = expr.map_operands(|operand| self.slice(operand, piece));
                self.pool.expr(mapped)
            }
        };
        self.slices.insert((id, piece), slice);
        slice
    }

    /// Returns `base + start * stride`, with the constants added up.
    fn advance(&mut self, base: ExprId, stride: ExprId, start: u32) -> ExprId {
        if start == 0 {
            return base;
        }
        let Some(step) = self.pool.as_constant(stride).and_then(Constant::as_integer) else {
            let start = self.pool.int(i128::from(start));
            let distance = self.pool.mul(start, stride);
            return self.pool.add(base, distance);
        };
        let mut distance = step * i128::from(start);
        let mut from = base;
        if let Expr::Binary(BinaryOp::Add(_), lhs, rhs) = self.pool.get(base)
            && let Some(already) = self.pool.as_constant(*rhs).and_then(Constant::as_integer)
        {
            distance += already;
            from = *lhs;
        }
        let distance = self.pool.int(distance);
        self.pool.add(from, distance)
    }
}

/// Cuts lanes into pieces of at most `most` lanes, each a power of two.
fn cut(lanes: u32, most: u32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < lanes {
        let rest = (lanes - start).min(most);
        let size = 1 << rest.ilog2();
        pieces.push(Piece { start, lanes: size });
        start += size;
    }
    pieces
}

/// Returns the bytes that a lane takes in registers: `int` takes 64 bits.
fn lane_bytes(scalar: Scalar) -> usize {
    scalar.bytes().unwrap_or(8)
}

/// The widest lane in bytes among a statement's vectors that are held in registers, by number of
/// lanes.
struct Widths<'a> {
    pool: &'a Pool,
    bytes: IndexMap<u32, usize>,
    seen: FxHashSet<ExprId>,
}

impl Widths<'_> {
    fn stmt(&mut self, id: StmtId) {
        let pool = self.pool;
        for_each_expr(pool, id, &mut |role, expr| match role {
            Role::LetValue | Role::Value => self.expr(expr),
            Role::Index => self.index(expr),
            Role::Condition
            | Role::LoopMin
            | Role::LoopExtent
            | Role::Layout
            | Role::Assertion
            | Role::Message
            | Role::Needed
            | Role::Prefetch
            | Role::Claim => {}
        });
    }

    /// Visits an index. A ramp or a broadcast that only selects elements takes no vector register.
    /// Neither does an index that is converted from `i32`.
    fn index(&mut self, id: ExprId) {
        if let Places { vector, is_narrow: true, offset } = Places::of(self.pool, id) {
            self.expr(vector);
            if let Some(offset) = offset {
                self.expr(offset);
            }
        } else if !matches!(self.pool.get(id), Expr::Ramp { .. } | Expr::Broadcast { .. }) {
            self.expr(id);
        }
    }

    fn count(&mut self, lanes: u32, bytes: usize) {
        let widest = self.bytes.entry(lanes).or_insert(bytes);
        *widest = bytes.max(*widest);
    }

    fn expr(&mut self, id: ExprId) {
        if !self.seen.insert(id) {
            return;
        }
        let ty = self.pool.ty(id);
        if ty.lanes > 1 {
            // A mask is as wide as the compared values, which are counted themselves.
            let bytes = if ty.scalar == Scalar::Bool { 1 } else { lane_bytes(ty.scalar) };
            self.count(ty.lanes, bytes);
        }
        let expr = self.pool.get(id);
        if let Expr::Load { index, .. } = expr {
            if repeated(self.pool, *index).is_none() {
                self.index(*index);
            }
        } else {
            expr.for_each_operand(|operand| self.expr(operand));
        }
    }
}
