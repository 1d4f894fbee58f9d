//! Prefetches: iterations fetch memory that later ones read.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::visit::{Fold, any_stmt, for_each_expr, rewrite, walk};
use halidom_ir::{
    BinaryOp, BufferId, Constant, Expr, ExprId, FuncId, Label, Overflow, Pool, Program, Scalar,
    Stmt, StmtId, Type, UnaryOp, VarId,
};

use crate::LowerError;
use crate::exprs::substitute;
use crate::index;
use crate::linear::Linear;

/// The size of a cache line, in bytes.
const LINE: i128 = 64;

/// The maximum number of prefetches of a sequence of statements without loops; requests beyond a
/// machine's capacity only wait.
const MOST: usize = 32;

/// Puts prefetches before the statements that read, in each loop that is marked with
/// [`Label::Ahead`]. They fetch the memory that a later iteration, at the marked distance, loads at
/// the same place.
///
/// A loop that was split into parts is several loops that each look ahead in their own steps. Lines
/// that are loaded at the same place anyway are left out, for example where rows overlap.
///
/// Requires: vectors and copies are made; no later pass joins or splits loops.
/// Ensures: no [`Label::Ahead`]; loads and stores are as before. The index of a [`Label::Prefetch`]
/// is a `u64`, whose arithmetic wraps, and reads nothing.
pub fn prefetch(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    rewrite(&mut Hints, pool, program)
}

struct Hints;

impl Fold<LowerError> for Hints {
    fn stmt(&mut self, pool: &mut Pool, id: StmtId) -> Result<StmtId, LowerError> {
        let Stmt::Labeled { label: Label::Ahead { func, by }, body } = *pool.get_stmt(id) else {
            return walk(self, pool, id);
        };
        let body = self.stmt(pool, body)?;
        Ok(loops(pool, body, func, by))
    }
}

/// Rewrites the loops that the marked one became: the outermost ones of a statement.
fn loops(pool: &mut Pool, id: StmtId, func: FuncId, by: u32) -> StmtId {
    let Stmt::For { var, min, extent, kind, body } = *pool.get_stmt(id) else {
        let stmt = pool.get_stmt(id).clone();
        let stmt = stmt.map_children(|child| loops(pool, child, func, by));
        return pool.rebuilt(id, stmt);
    };
    let later = pool.var_expr(var);
    let by = pool.int(i128::from(by));
    let later = pool.add(later, by);
    let mut view = View { func, later: FxHashMap::default(), plain: FxHashMap::default() };
    view.later.insert(var, later);
    let body = view.stmt(pool, body);
    pool.stmt(Stmt::For { var, min, extent, kind, body })
}

/// The values of variables within the marked loop.
#[derive(Clone)]
struct View {
    func: FuncId,
    /// The values in the later iteration; absent variables have the same value there.
    later: FxHashMap<VarId, ExprId>,
    /// The values of lets.
    plain: FxHashMap<VarId, ExprId>,
}

impl View {
    /// Puts prefetches before each sequence of statements without loops.
    fn stmt(&self, pool: &mut Pool, id: StmtId) -> StmtId {
        if !has_loop(pool, id) {
            return self.row(pool, id);
        }
        let stmt = pool.get_stmt(id).clone();
        let mut within = self.clone();
        if let Stmt::For { var, min, .. } = stmt {
            let later = substitute(pool, &self.later, min, &mut FxHashMap::default());
            if later != min {
                // The loop's first iteration corresponds to its first iteration there.
                let here = pool.var_expr(var);
                let offset = pool.sub(here, min);
                let there = pool.add(later, offset);
                within.later.insert(var, there);
            }
        }
        if let Stmt::Let { var, value, .. } = stmt {
            within.bind(pool, var, value);
        }
        let stmt = stmt.map_children(|child| within.stmt(pool, child));
        pool.rebuilt(id, stmt)
    }

    fn bind(&mut self, pool: &mut Pool, var: VarId, value: ExprId) {
        // Only these occur in dense indices.
        if pool.ty(value) == Type::INT {
            let later = substitute(pool, &self.later, value, &mut FxHashMap::default());
            let plain = substitute(pool, &self.plain, value, &mut FxHashMap::default());
            self.later.insert(var, later);
            self.plain.insert(var, plain);
        }
    }

    /// Returns a statement without loops, preceded by its prefetches.
    fn row(&self, pool: &mut Pool, id: StmtId) -> StmtId {
        let mut view = self.clone();
        let mut bound = FxHashSet::default();
        view.bind_within(pool, id, &mut bound);
        let mut reads = Vec::new();
        let mut seen = FxHashSet::default();
        for_each_expr(pool, id, &mut |role, root| {
            if role.is_annotation() {
                return;
            }
            pool.for_each_subexpr(root, &mut |load, expr| {
                if let Expr::Load { buffer, index, access: _ } = *expr
                    && pool.buffer(buffer).func == self.func
                    && seen.insert(load)
                {
                    reads.push((buffer, index));
                }
            });
        });
        let mut here = FxHashSet::default();
        let mut there = Vec::new();
        for (buffer, at) in reads {
            let Some((base, lanes)) = dense(pool, at) else { continue };
            let plain = substitute(pool, &view.plain, base, &mut FxHashMap::default());
            let later = substitute(pool, &view.later, base, &mut FxHashMap::default());
            if let Some(form) = normal(pool, plain) {
                here.insert((buffer, key(&form)));
            }
            // A variable that the statement itself binds is unknown before it.
            let is_known = !mentions(pool, later, &bound);
            if let Some(form) = normal(pool, later).filter(|_| is_known) {
                there.push((buffer, form, lanes));
            }
        }
        let mut lines: Vec<(BufferId, Terms, i128)> = Vec::new();
        let mut stmts = Vec::new();
        for (buffer, form, lanes) in there {
            if here.contains(&(buffer, key(&form))) {
                continue;
            }
            let bytes = pool.buffer(buffer).scalar.bytes().map_or(1, |bytes| bytes as i128);
            let step = (LINE / bytes).max(1);
            let (terms, first) = key(&form);
            let mut offset = 0;
            while offset < i128::from(lanes) && stmts.len() < MOST {
                let constant = first.saturating_add(offset);
                let near = lines.iter().any(|(other, others, at)| {
                    *other == buffer && *others == terms && (at - constant).abs() < step
                });
                if !near && let Some(index) = element(pool, &form, offset) {
                    lines.push((buffer, terms.clone(), constant));
                    let nothing = pool.stmt(Stmt::Block(Vec::new()));
                    let label = Label::Prefetch { buffer, index };
                    stmts.push(pool.stmt(Stmt::Labeled { label, body: nothing }));
                }
                offset += step;
            }
        }
        if stmts.is_empty() {
            return id;
        }
        stmts.push(id);
        pool.stmt(Stmt::Block(stmts))
    }

    /// Records the values of the lets of a statement without loops, and collects their variables in
    /// `bound`.
    fn bind_within(&mut self, pool: &mut Pool, id: StmtId, bound: &mut FxHashSet<VarId>) {
        let stmt = pool.get_stmt(id).clone();
        if let Stmt::Let { var, value, .. } = stmt {
            self.bind(pool, var, value);
            bound.insert(var);
        }
        for child in stmt.children() {
            self.bind_within(pool, child, bound);
        }
    }
}

fn has_loop(pool: &Pool, id: StmtId) -> bool {
    any_stmt(pool, id, &mut |stmt| matches!(stmt, Stmt::For { .. }))
}

/// Returns the first of neighbouring elements and their number; `None` for gathers.
fn dense(pool: &Pool, index: ExprId) -> Option<(ExprId, u32)> {
    if let Expr::Ramp { base, stride, lanes } = *pool.get(index) {
        (index::as_int(pool, stride) == Some(1)).then_some((base, lanes))
    } else {
        (pool.ty(index).lanes == 1).then_some((index, 1))
    }
}

fn mentions(pool: &Pool, expr: ExprId, vars: &FxHashSet<VarId>) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Var(var) if vars.contains(var));
    });
    found
}

/// Atoms with their factors, in a fixed order.
type Terms = Vec<(ExprId, i128)>;

/// Returns a key that identifies a form: its terms in a fixed order, and the constant.
fn key(form: &Linear) -> (Terms, i128) {
    let mut terms: Terms = form.terms().collect();
    terms.sort_unstable();
    (terms, form.constant_part())
}

/// Returns a scalar `int` as a sum with products multiplied out; `None` if it reads memory, or
/// depends on anything but `int`s.
fn normal(pool: &mut Pool, id: ExprId) -> Option<Linear> {
    match *pool.get(id) {
        Expr::Const(value) => Some(Linear::constant(value.as_integer()?)),
        Expr::Var(_) => (pool.ty(id) == Type::INT).then(|| Linear::atom(id)),
        Expr::Unary(UnaryOp::Neg(_), operand) => {
            Linear::default().plus(&normal(pool, operand)?, -1)
        }
        Expr::Binary(BinaryOp::Add(_), lhs, rhs) => normal(pool, lhs)?.plus(&normal(pool, rhs)?, 1),
        Expr::Binary(BinaryOp::Sub(_), lhs, rhs) => {
            normal(pool, lhs)?.plus(&normal(pool, rhs)?, -1)
        }
        Expr::Binary(BinaryOp::Mul(_), lhs, rhs) => {
            let (lhs, rhs) = (normal(pool, lhs)?, normal(pool, rhs)?);
            product(pool, &lhs, &rhs)
        }
        Expr::Binary(
            op @ (BinaryOp::Div | BinaryOp::Mod | BinaryOp::Min | BinaryOp::Max),
            lhs,
            rhs,
        ) if pool.ty(id) == Type::INT => {
            let (lhs, rhs) = (normal(pool, lhs)?.expr(pool), normal(pool, rhs)?.expr(pool));
            Some(Linear::atom(pool.binary(op, lhs, rhs)))
        }
        Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

fn product(pool: &mut Pool, lhs: &Linear, rhs: &Linear) -> Option<Linear> {
    let mut sum = Linear::default().plus(lhs, rhs.constant_part())?;
    sum = sum.plus(&rhs.without_constant(), lhs.constant_part())?;
    for (a, by) in lhs.terms() {
        for (b, times) in rhs.terms() {
            let atom = pool.mul(a.min(b), a.max(b));
            sum = sum.plus(&Linear::atom(atom), by.checked_mul(times)?)?;
        }
    }
    Some(sum)
}

/// Returns the index of an element at an offset from a form, modulo 2^64; an element beyond all
/// bounds may have no other index.
fn element(pool: &mut Pool, form: &Linear, offset: i128) -> Option<ExprId> {
    let mut terms = key(form).0;
    // Positive terms come before negative ones.
    terms.sort_by_key(|(_, by)| *by < 0);
    let mut sum = None;
    for (atom, by) in terms {
        let atom = unsigned(pool, atom)?;
        let times = Constant::wrapped(Scalar::U64, by.checked_abs()?)?;
        let term = if by.abs() == 1 {
            atom
        } else {
            let times = pool.constant(times);
            pool.mul(atom, times)
        };
        sum = Some(match sum {
            None if by < 0 => pool.unary(UnaryOp::Neg(Overflow::Wraps), term),
            None => term,
            Some(sum) if by < 0 => pool.sub(sum, term),
            Some(sum) => pool.add(sum, term),
        });
    }
    let constant = form.constant_part().checked_add(offset)?;
    let distance = Constant::wrapped(Scalar::U64, constant.checked_abs()?)?;
    let distance = pool.constant(distance);
    Some(match sum {
        None if constant < 0 => pool.unary(UnaryOp::Neg(Overflow::Wraps), distance),
        None => distance,
        Some(sum) if constant == 0 => sum,
        Some(sum) if constant < 0 => pool.sub(sum, distance),
        Some(sum) => pool.add(sum, distance),
    })
}

/// Returns the same arithmetic on `u64`; on `i64` where signs matter.
fn unsigned(pool: &mut Pool, id: ExprId) -> Option<ExprId> {
    match *pool.get(id) {
        Expr::Const(value) => {
            let value = Constant::wrapped(Scalar::U64, value.as_integer()?)?;
            Some(pool.constant(value))
        }
        Expr::Var(_) => Some(pool.cast(Scalar::U64, id)),
        Expr::Binary(BinaryOp::Mul(_), lhs, rhs) => {
            let (lhs, rhs) = (unsigned(pool, lhs)?, unsigned(pool, rhs)?);
            Some(pool.mul(lhs, rhs))
        }
        Expr::Binary(BinaryOp::Add(_) | BinaryOp::Sub(_), ..) => {
            let form = normal(pool, id)?;
            element(pool, &form, 0)
        }
        Expr::Binary(BinaryOp::Div | BinaryOp::Mod | BinaryOp::Min | BinaryOp::Max, ..) => {
            let value = signed(pool, id)?;
            Some(pool.cast(Scalar::U64, value))
        }
        Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}

/// Returns an operand of minima, maxima, quotients and remainders.
fn signed(pool: &mut Pool, id: ExprId) -> Option<ExprId> {
    match *pool.get(id) {
        Expr::Const(value) => {
            let value = Constant::wrapped(Scalar::I64, value.as_integer()?)?;
            Some(pool.constant(value))
        }
        Expr::Var(_) => Some(pool.cast(Scalar::I64, id)),
        Expr::Binary(
            op @ (BinaryOp::Div | BinaryOp::Mod | BinaryOp::Min | BinaryOp::Max),
            lhs,
            rhs,
        ) => {
            let (lhs, rhs) = (signed(pool, lhs)?, signed(pool, rhs)?);
            Some(pool.binary(op, lhs, rhs))
        }
        Expr::Binary(BinaryOp::Add(_) | BinaryOp::Sub(_) | BinaryOp::Mul(_), ..) => {
            let value = unsigned(pool, id)?;
            Some(pool.cast(Scalar::I64, value))
        }
        Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Select { .. }
        | Expr::Cast(..)
        | Expr::Call(..)
        | Expr::Apply { .. }
        | Expr::Ref { .. }
        | Expr::Load { .. }
        | Expr::Ramp { .. }
        | Expr::Broadcast { .. }
        | Expr::Shuffle { .. }
        | Expr::Hole(_) => None,
    }
}
