//! Moves strided stores that together fill a row next to each other.

use halidom_ir::{
    BinaryOp, BufferId, BufferKind, Expr, ExprId, Pool, Program, Stmt, StmtId, VarId,
};

use crate::LowerError;
use crate::index;
use crate::lets::Lets;
use crate::linear::Linear;

/// The maximum step between elements of a store, which is also the number of stores that fill a
/// row.
const MOST_STORES: i128 = 4;

/// The maximum number of parts of a block in which stores are searched for.
const MOST_PARTS: usize = 1024;

/// Columns of a picture that are computed alternately are separate vectors: each writes every
/// second element, for example. Such stores are moved to the place of the last of them, in the
/// order of their elements, if nothing in between reads or writes the moved elements. Their indices
/// then differ only in a constant. The C has one dense store of interleaved lanes for them.
///
/// Requires: every binder is unique; vectors are made.
/// Ensures: the same stores in another order, to the same elements.
pub fn interleave(pool: &mut Pool, program: Program) -> Result<Program, LowerError> {
    let body = Interleave { pool, lets: Lets::default() }.stmt(program.body);
    Ok(Program { body, ..program })
}

struct Interleave<'a> {
    pool: &'a mut Pool,
    lets: Lets,
}

/// A part of a block; its lets are visible to the parts that follow.
#[derive(Clone, Copy, Debug)]
enum Part {
    Let(VarId, ExprId),
    Stmt(StmtId),
}

/// A vector store of every `step`-th element that does not read the buffer it writes.
#[derive(Clone, Debug)]
struct Strided {
    buffer: BufferId,
    index: ExprId,
    base: ExprId,
    value: ExprId,
    step: i128,
    lanes: u32,
    /// The base without its constant summand, lets expanded.
    root: Linear,
    offset: i128,
}

impl Strided {
    /// True if two stores differ only in their start.
    fn is_like(&self, other: &Self) -> bool {
        (self.buffer, self.step, self.lanes) == (other.buffer, other.step, other.lanes)
            && self.root == other.root
    }

    /// True if the stores write no common element.
    fn misses(&self, other: &Self) -> bool {
        let distance = (self.offset - other.offset).abs();
        self.is_like(other)
            && (distance % self.step != 0 || distance >= self.step * i128::from(self.lanes))
    }
}

impl Interleave<'_> {
    fn stmt(&mut self, id: StmtId) -> StmtId {
        let stmt = self.pool.get_stmt(id).clone();
        if let Stmt::Block(_) | Stmt::Let { .. } = stmt {
            return self.block(id);
        }
        let stmt = stmt.map_children(|child| self.stmt(child));
        self.pool.rebuilt(id, stmt)
    }

    fn block(&mut self, id: StmtId) -> StmtId {
        let mut parts = Vec::new();
        self.flatten(id, &mut parts);
        if parts.len() <= MOST_PARTS && self.gather(&mut parts) {
            return self.rebuild(&parts);
        }
        self.in_place(id)
    }

    /// Rewrites the parts of a block in which no row was found.
    fn in_place(&mut self, id: StmtId) -> StmtId {
        let stmt = self.pool.get_stmt(id).clone();
        if !matches!(stmt, Stmt::Block(_) | Stmt::Let { .. }) {
            return self.stmt(id);
        }
        let stmt = stmt.map_children(|child| self.in_place(child));
        self.pool.rebuilt(id, stmt)
    }

    fn flatten(&mut self, id: StmtId, parts: &mut Vec<Part>) {
        let stmt = self.pool.get_stmt(id).clone();
        if let Stmt::Let { var, value, .. } = stmt {
            self.lets.bind(self.pool, var, value);
            parts.push(Part::Let(var, value));
        }
        if matches!(stmt, Stmt::Block(_) | Stmt::Let { .. }) {
            stmt.children().for_each(|child| self.flatten(child, parts));
        } else {
            parts.push(Part::Stmt(id));
        }
    }

    fn rebuild(&mut self, parts: &[Part]) -> StmtId {
        // From the last to the first.
        let mut tail: Vec<StmtId> = Vec::new();
        for part in parts.iter().rev() {
            match *part {
                Part::Let(var, value) => {
                    tail.reverse();
                    let body = self.pool.stmt(Stmt::Block(std::mem::take(&mut tail)));
                    tail.push(self.pool.stmt(Stmt::Let { var, value, body }));
                }
                Part::Stmt(stmt) => tail.push(self.stmt(stmt)),
            }
        }
        tail.reverse();
        self.pool.stmt(Stmt::Block(tail))
    }

    /// Brings stores together; returns true if it moved any.
    fn gather(&mut self, parts: &mut Vec<Part>) -> bool {
        let mut stores: Vec<Option<Strided>> =
            parts.iter().map(|part| self.strided(*part)).collect();
        let mut gathered = false;
        let mut position = 0;
        while position < parts.len() {
            if self.gather_at(position, parts, &mut stores) {
                gathered = true;
            } else {
                position += 1;
            }
        }
        gathered
    }

    /// Gathers the row whose first store is at this position.
    fn gather_at(
        &mut self,
        position: usize,
        parts: &mut Vec<Part>,
        stores: &mut Vec<Option<Strided>>,
    ) -> bool {
        let Some(members) = row(stores, position) else { return false };
        let Some(last) = members.iter().copied().max() else { return false };
        if !self.may_sink(parts, stores, (&members, last)) {
            return false;
        }
        let Some(rewritten) = self.rewrite(parts, stores, &members) else { return false };
        let mut order: Vec<usize> = (0..=last).filter(|place| !members.contains(place)).collect();
        let first = order.len();
        order.extend(&members);
        order.extend(last + 1..parts.len());
        *parts = order.iter().map(|place| parts[*place]).collect();
        *stores = order.iter().map(|place| stores[*place].take()).collect();
        for (place, stmt) in (first..).zip(rewritten) {
            parts[place] = Part::Stmt(stmt);
            // Already in a row.
            stores[place] = None;
        }
        true
    }

    fn strided(&mut self, part: Part) -> Option<Strided> {
        let Part::Stmt(id) = part else { return None };
        let Stmt::Store { buffer, index, value, prophecy: _, atomic: false } =
            *self.pool.get_stmt(id)
        else {
            return None;
        };
        let Expr::Ramp { base, stride, lanes } = *self.pool.get(index) else { return None };
        let step = index::as_int(self.pool, stride)?;
        let well = (2..=MOST_STORES).contains(&step)
            && !reads(self.pool, index, buffer)
            && !reads(self.pool, value, buffer);
        if !well {
            return None;
        }
        // Products are kept whole: equal ones have the same variables once lets are replaced.
        let expanded = self.lets.expanded(self.pool, base);
        let form = self.lets.form(self.pool, expanded);
        let (root, offset) = (form.without_constant(), form.constant_part());
        Some(Strided { buffer, index, base, value, step, lanes, root, offset })
    }

    /// Returns the stores of a row with the first one's index plus a constant number of elements.
    fn rewrite(
        &mut self,
        parts: &[Part],
        stores: &[Option<Strided>],
        members: &[usize],
    ) -> Option<Vec<StmtId>> {
        let first = stores[*members.first()?].as_ref()?;
        let (root, constant) = apart(self.pool, first.base);
        let mut rewritten = Vec::new();
        for (member, distance) in members.iter().zip(0_i128..) {
            let Part::Stmt(id) = parts[*member] else { return None };
            let Stmt::Store { buffer, value, prophecy, atomic, .. } =
                self.pool.get_stmt(id).clone()
            else {
                return None;
            };
            let offset = self.pool.int(constant.checked_add(distance)?);
            let base = index::add(self.pool, root, offset);
            let stride = self.pool.int(first.step);
            let index = self.pool.expr(Expr::Ramp { base, stride, lanes: first.lanes });
            let store = Stmt::Store { buffer, index, value, prophecy, atomic };
            rewritten.push(self.pool.stmt(store));
        }
        Some(rewritten)
    }

    /// True if stores may be moved to the place of the last of them.
    fn may_sink(
        &mut self,
        parts: &[Part],
        stores: &[Option<Strided>],
        (members, last): (&[usize], usize),
    ) -> bool {
        members.iter().all(|member| {
            stores[*member].as_ref().is_some_and(|store| {
                (*member..=last).filter(|place| !members.contains(place)).all(|place| {
                    self.may_pass((parts[*member], store), parts[place], stores[place].as_ref())
                })
            })
        })
    }

    /// True if two stores to an output write points that differ in a coordinate; distinct points of
    /// an output have distinct elements.
    fn writes_other_points(&mut self, first: Part, second: Part) -> bool {
        let (Part::Stmt(first), Part::Stmt(second)) = (first, second) else { return false };
        let coords = |pool: &Pool, id: StmtId| {
            let Stmt::Store { buffer, prophecy: Some(prophecy), .. } = pool.get_stmt(id) else {
                return None;
            };
            let is_output = pool.buffer(*buffer).kind == BufferKind::Output;
            is_output.then(|| (prophecy.func, prophecy.coords.clone()))
        };
        let (Some((func, first)), Some((other, second))) =
            (coords(self.pool, first), coords(self.pool, second))
        else {
            return false;
        };
        func == other
            && first.iter().zip(&second).any(|(first, second)| {
                let other = self.lets.form(self.pool, *second);
                let difference = self.lets.form(self.pool, *first).plus(&other, -1);
                difference.is_some_and(|difference| {
                    difference.has_no_terms()
                        && difference.step == 0
                        && difference.constant_part() != 0
                })
            })
    }

    /// True if a store may be moved after a part that follows it.
    fn may_pass(
        &mut self,
        (own, store): (Part, &Strided),
        part: Part,
        strided: Option<&Strided>,
    ) -> bool {
        let pool = &*self.pool;
        match part {
            Part::Let(_, value) => !reads(pool, value, store.buffer),
            Part::Stmt(id) => {
                let Stmt::Store { buffer, index, value, .. } = *pool.get_stmt(id) else {
                    return false;
                };
                let misses = buffer != store.buffer
                    || strided.is_some_and(|strided| store.misses(strided))
                    || self.writes_other_points(own, part);
                let pool = &*self.pool;
                misses
                    && [index, value].iter().all(|expr| !reads(pool, *expr, store.buffer))
                    && [store.index, store.value].iter().all(|expr| !reads(pool, *expr, buffer))
            }
        }
    }
}

/// Returns the positions of the stores that form a row with this one, which is the first of them in
/// the program, in the order of their elements.
fn row(stores: &[Option<Strided>], position: usize) -> Option<Vec<usize>> {
    let first = stores[position].as_ref()?;
    (0..first.step).find_map(|number| {
        let start = first.offset.checked_sub(number)?;
        (start..start.checked_add(first.step)?)
            .map(|offset| {
                (position..stores.len()).find(|place| {
                    stores[*place]
                        .as_ref()
                        .is_some_and(|other| first.is_like(other) && other.offset == offset)
                })
            })
            .collect()
    })
}

/// Splits an index into a part without its constant summand, and that constant.
fn apart(pool: &mut Pool, id: ExprId) -> (ExprId, i128) {
    if let Some(constant) = index::as_int(pool, id) {
        return (pool.int(0), constant);
    }
    if let Expr::Binary(BinaryOp::Add(_), lhs, rhs) = *pool.get(id)
        && let Some(constant) = index::as_int(pool, rhs)
    {
        return (lhs, constant);
    }
    (id, 0)
}

/// True if an expression reads a buffer.
fn reads(pool: &Pool, expr: ExprId, buffer: BufferId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(expr, &mut |_, expr| {
        found |= matches!(expr, Expr::Load { buffer: read, .. } if *read == buffer);
    });
    found
}
