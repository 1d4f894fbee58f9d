//! The accesses of concurrent tasks.

use halidom_base::{FxHashSet, IndexMap};
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{BufferId, Constant, Expr as IrExpr, ExprId, Pool, Stmt as IrStmt, StmtId, VarId};

use super::polynomials::{
    Bounds, Definitions, Polynomial, Unknown, depends, polynomial, reads_memory, split, unknowns,
};

/// The number of a part of memory: `(step * number + offset) % modulus`, where `number` is the
/// iteration's, and nothing else depends on the iteration.
struct Selector {
    modulus: i128,
    step: i128,
    offset: Polynomial,
}

/// The part of its memory that an access lies in, one of several of one size.
struct Part {
    selector: Selector,
    size: Polynomial,
}

/// The accesses of one iteration of a task.
#[derive(Default)]
pub(super) struct Side {
    definitions: Definitions,
    /// The variables that an iteration binds itself, and that are no names for known numbers.
    bound: Vec<VarId>,
    /// Its loops, outermost first.
    loops: Vec<(VarId, ExprId, ExprId)>,
    /// Memory that it allocates itself.
    own: FxHashSet<BufferId>,
    reads: IndexMap<BufferId, Vec<ExprId>>,
    writes: IndexMap<BufferId, Vec<ExprId>>,
    seen: FxHashSet<ExprId>,
}

impl Side {
    pub(super) fn of(pool: &Pool, definitions: &Definitions, stmt: StmtId) -> Self {
        let mut side = Self { definitions: definitions.clone(), ..Self::default() };
        side.stmt(pool, stmt);
        side
    }

    fn stmt(&mut self, pool: &Pool, id: StmtId) {
        for_each_stmt(pool, id, &mut |_, stmt| {
            stmt.for_each_expr(pool, &mut |role, expr| {
                if !role.is_annotation() {
                    self.expr(pool, expr);
                }
            });
            if let IrStmt::Let { var, value, .. } = stmt {
                if reads(pool, *value) {
                    self.bound.push(*var);
                } else {
                    self.definitions.insert(*var, *value);
                }
            }
            if let IrStmt::For { var, min, extent, .. } = stmt {
                self.bound.push(*var);
                self.loops.push((*var, *min, *extent));
            }
            if let IrStmt::Allocate { buffer, .. } = stmt {
                self.own.insert(*buffer);
            }
            if let IrStmt::Store { buffer, index, .. } = stmt {
                self.writes.entry(*buffer).or_default().push(*index);
            }
        });
    }

    fn expr(&mut self, pool: &Pool, id: ExprId) {
        if !self.seen.insert(id) {
            return;
        }
        pool.for_each_subexpr(id, &mut |_, expr| {
            if let IrExpr::Load { buffer, index, access: _ } = expr {
                self.reads.entry(*buffer).or_default().push(*index);
            }
        });
    }

    /// The part of its memory that an element lies in; `None` if the index has no such form.
    fn part(
        &self,
        pool: &Pool,
        index: ExprId,
        (vars, number): (&[VarId], &Polynomial),
    ) -> Option<Part> {
        let (mut first, mut span) = (index, 0);
        if let IrExpr::Ramp { base, stride, lanes } = *pool.get(index) {
            let stride = pool.as_constant(stride).and_then(Constant::as_integer)?;
            first = base;
            span = stride.checked_mul(i128::from(lanes) - 1).filter(|span| *span >= 0)?;
        }
        let of = |id| polynomial(pool, &self.definitions, id);
        let place = of(first)?;
        let selected = |unknown: &Unknown| {
            let Unknown::Remainder(of, modulus) = unknown else { return None };
            let step = [1, -1].into_iter().find_map(|step| {
                let offset = of.plus(number, -step)?;
                self.is_steady(pool, &offset, vars).then_some((step, offset))
            });
            let (step, offset) = step?;
            Some((unknown.clone(), Selector { modulus: *modulus, step, offset }))
        };
        let (unknown, selector) = unknowns(&place).find_map(selected)?;
        let (size, rest) = split(&place, &unknown)?;
        if !self.is_steady(pool, &size, vars) {
            return None;
        }
        // The access runs only if each loop around it has an iteration. A loop is around it if the
        // index mentions it.
        let mut known = Bounds::default();
        for (inner, _, extent) in &self.loops {
            if unknowns(&rest).any(|unknown| *unknown == Unknown::Var(*inner)) {
                known.at_least(&of(*extent)?, 1);
            }
        }
        // Bounds the offset within the part, from the innermost loop outwards.
        let (mut least, mut greatest) = (rest.clone(), rest.plus(&Polynomial::constant(span), 1)?);
        for (inner, min, extent) in self.loops.iter().rev() {
            let (min, extent) = (of(*min)?, of(*extent)?);
            let last = min.plus(&extent, 1)?.plus(&Polynomial::constant(1), -1)?;
            for (end, bound) in [(&mut least, &min), (&mut greatest, &last)] {
                let (factor, rest) = split(end, &Unknown::Var(*inner))?;
                // Only coefficients that are not negative are handled.
                if !known.holds(&factor)? {
                    return None;
                }
                *end = rest.plus(&factor.times(bound)?, 1)?;
            }
        }
        let below = size.plus(&greatest, -1)?.plus(&Polynomial::constant(1), -1)?;
        (known.holds(&least)? && known.holds(&below)?).then_some(Part { selector, size })
    }

    /// Tests whether a number is the same in all iterations of a task: it depends on no variable of
    /// the task's loops, on nothing that an iteration binds, and on nothing in memory.
    fn is_steady(&self, pool: &Pool, number: &Polynomial, vars: &[VarId]) -> bool {
        !depends(number, pool, &self.definitions, vars)
            && !depends(number, pool, &self.definitions, &self.bound)
            && !reads_memory(number, pool, &self.definitions)
    }
}

fn reads(pool: &Pool, id: ExprId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(id, &mut |_, expr| found |= matches!(expr, IrExpr::Load { .. }));
    found
}

/// The memory that both sides access and one of them writes.
pub(super) fn common(one: &Side, other: &Side) -> Vec<BufferId> {
    let shared = |buffer: &BufferId| {
        let (a, b) = (one.writes.contains_key(buffer), other.writes.contains_key(buffer));
        let in_one = a || one.reads.contains_key(buffer);
        let in_other = b || other.reads.contains_key(buffer);
        let own = one.own.contains(buffer) || other.own.contains(buffer);
        !own && ((a && in_other) || (b && in_one))
    };
    let buffers: FxHashSet<BufferId> = [one, other]
        .into_iter()
        .flat_map(|side| side.writes.keys())
        .copied()
        .filter(|buffer| shared(buffer))
        .collect();
    let mut buffers: Vec<BufferId> = buffers.into_iter().collect();
    buffers.sort_unstable();
    buffers
}

/// Tests that iterations of the two sides that may run at one time access no element that one of
/// them writes: those of the first that are less than `ahead` later.
///
/// Iteration `i` accesses parts `(step * i + offset) % modulus`. For the same modulus and step, and
/// offsets that differ by a constant, the parts of iterations `i + d` and `i` differ by
/// `step * d` and that constant.
pub(super) fn independent(
    pool: &Pool,
    [one, other]: &[Side; 2],
    number: (&[VarId], &Polynomial),
    ahead: i128,
) -> bool {
    common(one, other).iter().all(|buffer| {
        let parts = |side: &Side, accesses: &IndexMap<BufferId, Vec<ExprId>>| {
            let accesses = accesses.get(buffer).into_iter().flatten();
            accesses.map(|index| side.part(pool, *index, number)).collect::<Option<Vec<Part>>>()
        };
        let found =
            [(one, &one.writes), (one, &one.reads), (other, &other.writes), (other, &other.reads)]
                .map(|(side, accesses)| parts(side, accesses));
        let [Some(written), Some(read), Some(others_written), Some(others_read)] = found else {
            return false;
        };
        let others = || others_written.iter().chain(&others_read);
        written.iter().all(|part| others().all(|other| part.is_apart(other, ahead)))
            && read
                .iter()
                .all(|part| others_written.iter().all(|other| part.is_apart(other, ahead)))
    })
}

impl Part {
    /// Tests whether a part is another one than the part of an iteration that is earlier, by less
    /// than `ahead`.
    fn is_apart(&self, earlier: &Self, ahead: i128) -> bool {
        let (own, other) = (&self.selector, &earlier.selector);
        let offset = own.offset.plus(&other.offset, -1).and_then(|offset| offset.as_constant());
        let Some(offset) = offset else { return false };
        let is_alike =
            self.size == earlier.size && own.modulus == other.modulus && own.step == other.step;
        is_alike
            && own.modulus >= ahead
            && (1..ahead).all(|by| (own.step * by + offset).rem_euclid(own.modulus) != 0)
    }
}
