//! Concurrent tasks: some compute, others read the results.
//!
//! # Correctness
//! A semaphore with initial count `c`, acquired and released by one unit, orders two tasks:
//! acquisition number `n` (from 0) follows release number `n - c`. Two forms are judged; all others
//! are refused.
//!
//! * Each task acquires semaphores before everything else, and releases at most one, once, after
//!   everything else. A semaphore begins at 0, one task releases it, and one later task in the text
//!   acquires it. So that task follows the first. Two tasks that no chain of semaphores orders
//!   access no common memory that one of them writes. So all orders that the semaphores admit have
//!   one result, that of the tasks one after the other.
//! * Both tasks are one loop with the same iterations. Each iteration of the second acquires a unit
//!   that the iteration of the first with the same number releases; that semaphore begins at 0.
//!   Each iteration of the first acquires a unit that iterations of the second release; that
//!   semaphore begins at `k >= 1`. Iteration `i` of the second therefore follows iterations `0..=i`
//!   of the first, and precedes those from `i + k` on. With `k = 1` all iterations are ordered, as
//!   in one loop whose body is the first task's body followed by the second's. With larger `k`,
//!   iteration `i` of the first may run concurrently with `i - k + 1 ..= i - 1` of the second. In
//!   that case every element that one task writes and both access must lie in a part of its memory
//!   selected by the iteration's number modulo at least `k`. Concurrent iterations then access no
//!   common element, and the order between them does not matter.
//!
//! With acquisitions and releases of one unit, and the counts above, no task waits forever. Each
//! task binds its own names. Expressions evaluated outside of the acquisitions read no memory.

use halidom_base::{FxHashSet, IndexMap};
use halidom_ir::visit::for_each_stmt;
use halidom_ir::{
    BufferId, Constant, Expr as IrExpr, ExprId, LoopKind, Pool, Stmt as IrStmt, StmtId, Type, VarId,
};

use super::error::{Result, unsupported};
use super::kernels::reads_memory;
use super::nodes::{Binding, NodeId};
use super::ops::Value;
use super::polynomials::{Bounds, Definitions, Polynomial, Unknown};
use super::walk::{Item, Walk, closed};
use crate::tree::{self, Block, Expr, ForKind, Stmt, StmtKind};
use crate::{Condition, NameId};

/// The lets at the beginning of a block, and the statements after them.
struct Opened<'s> {
    lets: Vec<(NameId, &'s Expr)>,
    rest: &'s [Stmt],
}

/// Skips the lets, producers and scopes at the beginning of a block.
fn opened(block: &[Stmt]) -> Opened<'_> {
    let mut lets = Vec::new();
    let mut rest = block;
    while let Some((first, after)) = rest.split_first() {
        if let StmtKind::Let { name, value } = &first.kind {
            lets.push((*name, value));
            rest = after;
        } else if after.is_empty()
            && let StmtKind::ProducerConsumer { name: _, role: _, body } | StmtKind::Scope(body) =
                &first.kind
        {
            rest = body;
        } else {
            break;
        }
    }
    Opened { lets, rest }
}

/// A task that consists of one loop.
struct Looped<'s> {
    before: Vec<(NameId, &'s Expr)>,
    name: NameId,
    min: &'s Expr,
    extent: &'s Expr,
    iteration: Iteration<'s>,
}

/// The names that a task binds before its loop, and the loop's range.
struct Outside {
    names: Vec<(NameId, Binding)>,
    range: [ExprId; 2],
    /// The range with all names expanded, for comparison.
    iterations: Vec<NodeId>,
}

/// The body of a task, or of one iteration of it.
struct Iteration<'s> {
    /// Lets before the acquisitions.
    lets: Vec<(NameId, &'s Expr)>,
    /// The semaphores that it acquires, and the counts.
    acquired: Vec<(&'s Expr, &'s Expr)>,
    /// The statements after the acquisitions.
    body: Block,
    /// The release at the end.
    released: Option<&'s tree::Call>,
}

impl Walk<'_> {
    /// Translates concurrent tasks.
    pub(super) fn fork(&mut self, pool: &mut Pool, tasks: &[Block]) -> Result<StmtId> {
        if tasks.iter().any(|task| self.calls_stage(task)) {
            return unsupported("an extern stage in a task");
        }
        self.work_begun = true;
        if let [first, second] = tasks
            && let (Some(first), Some(second)) = (self.looped(first), self.looped(second))
        {
            return self.merged(pool, &first, &second);
        }
        let tasks: Vec<Iteration<'_>> = tasks.iter().map(|task| self.iteration(task)).collect();
        self.in_sequence(pool, &tasks)
    }

    /// Splits a block into the acquisitions around it, a body, and a release at its end.
    fn iteration<'s>(&self, block: &'s [Stmt]) -> Iteration<'s> {
        let (mut lets, mut acquired, mut block) = (Vec::new(), Vec::new(), block);
        loop {
            let Opened { lets: before, rest } = opened(block);
            let [only] = rest else { break };
            let StmtKind::Acquire { semaphore, count, body } = &only.kind else { break };
            lets.extend(before);
            acquired.push((semaphore, count));
            block = body;
        }
        let (body, released) = self.without_release(block);
        Iteration { lets, acquired, body, released }
    }

    /// Splits off the release that a block ends with.
    fn without_release<'s>(&self, block: &'s [Stmt]) -> (Block, Option<&'s tree::Call>) {
        let mut body = block.to_vec();
        let Some((last, before)) = block.split_last() else { return (body, None) };
        if let Some(call) = self.release(last) {
            return (before.to_vec(), Some(call));
        }
        if let StmtKind::ProducerConsumer { name, role, body: inner } = &last.kind {
            let (inner, released) = self.without_release(inner);
            body.pop();
            let kind = StmtKind::ProducerConsumer { name: *name, role: *role, body: inner };
            body.push(Stmt { at: last.at, kind });
            return (body, released);
        }
        if let StmtKind::Scope(inner) = &last.kind {
            let (inner, released) = self.without_release(inner);
            body.pop();
            body.push(Stmt { at: last.at, kind: StmtKind::Scope(inner) });
            return (body, released);
        }
        (body, None)
    }

    fn release<'s>(&self, stmt: &'s Stmt) -> Option<&'s tree::Call> {
        let StmtKind::Evaluate(Expr::Call(call)) = &stmt.kind else { return None };
        (self.nodes.names.text(call.name) == "halide_semaphore_release").then_some(call)
    }

    fn looped<'s>(&self, block: &'s [Stmt]) -> Option<Looped<'s>> {
        let Opened { lets: before, rest } = opened(block);
        let [only] = rest else { return None };
        let StmtKind::For { name, min, extent, kind: ForKind::Serial, device: None, body } =
            &only.kind
        else {
            return None;
        };
        let iteration = self.iteration(body);
        Some(Looped { before, name: *name, min, extent, iteration })
    }

    /// The semaphore that a task releases by one unit.
    fn released(&self, iteration: &Iteration<'_>) -> Result<Option<NameId>> {
        let Some(call) = iteration.released else { return Ok(None) };
        match self.semaphore_call(call) {
            Some((semaphore, 1)) => Ok(Some(semaphore)),
            Some(_) | None => unsupported("a release of something else than one of a semaphore"),
        }
    }

    /// The semaphores that a task acquires by one unit each.
    fn acquired(&self, iteration: &Iteration<'_>) -> Result<Vec<NameId>> {
        let one = |(semaphore, count): &(&Expr, &Expr)| match (self.semaphore(semaphore), count) {
            (Some(semaphore), Expr::Int(1, _)) => Ok(semaphore),
            (Some(_) | None, _) => {
                unsupported("an acquisition of something else than one of a semaphore")
            }
        };
        iteration.acquired.iter().map(one).collect()
    }

    /// Translates tasks that wait for the ends of others, one after the other.
    fn in_sequence(&mut self, pool: &mut Pool, tasks: &[Iteration<'_>]) -> Result<StmtId> {
        let follows = self.follows(tasks)?;
        let mut items = Vec::new();
        let mut sides = Vec::new();
        for task in tasks {
            let before = self.enter();
            let mut own = Vec::new();
            let done = self.named(pool, &task.lets, &mut own).and_then(|bound| {
                let done = self.block(pool, &task.body);
                self.unnamed(&bound);
                done
            });
            self.leave(before);
            own.push(Item::Stmt(done?));
            let own = closed(pool, own);
            sides.push(Side::of(pool, &self.definitions, own));
            items.push(Item::Stmt(own));
        }
        // Copies between the host and devices are no accesses of the statement's.
        let has_copies = self.contract.others.contains(&Condition::Copies);
        for (second, side) in sides.iter().enumerate() {
            for (first, other) in sides[..second].iter().enumerate() {
                if !follows[second][first] && (has_copies || !common(other, side).is_empty()) {
                    return unsupported(
                        "tasks that access common memory, and no semaphore orders them",
                    );
                }
            }
        }
        Ok(closed(pool, items))
    }

    /// For each task and each task before it, true if semaphores let it follow that one.
    fn follows(&mut self, tasks: &[Iteration<'_>]) -> Result<Vec<Vec<bool>>> {
        let mut released: Vec<Option<NameId>> = Vec::new();
        let mut follows: Vec<Vec<bool>> = Vec::new();
        for task in tasks {
            let mut own = vec![false; released.len()];
            for semaphore in self.acquired(task)? {
                let from = released.iter().position(|known| *known == Some(semaphore));
                let Some(from) = from else {
                    return unsupported("a task that waits for a semaphore of no earlier task");
                };
                if self.take_count(semaphore)? != 0 {
                    return unsupported(
                        "a semaphore that lets the second task begin before the first ends",
                    );
                }
                own[from] = true;
                for (own, known) in own.iter_mut().zip(&follows[from]) {
                    *own |= known;
                }
            }
            let semaphore = self.released(task)?;
            if semaphore.is_some() && released.contains(&semaphore) {
                return unsupported("a semaphore that two tasks release");
            }
            released.push(semaphore);
            follows.push(own);
        }
        Ok(follows)
    }

    /// Binds the names before an acquisition.
    fn named(
        &mut self,
        pool: &mut Pool,
        lets: &[(NameId, &Expr)],
        items: &mut Vec<Item>,
    ) -> Result<Vec<(NameId, Binding)>> {
        let mut bound = Vec::new();
        for (name, value) in lets {
            if reads_memory(value) {
                return unsupported("a name in a task that reads memory before the task waits");
            }
            let (binding, item) = self.let_binding(pool, (*name, value), &[])?;
            self.nodes.bind(*name, binding);
            bound.push((*name, binding));
            items.extend(item);
        }
        Ok(bound)
    }

    fn unnamed(&mut self, bound: &[(NameId, Binding)]) {
        for (name, _) in bound.iter().rev() {
            self.nodes.unbind(*name);
        }
    }

    /// Binds the names before a loop and evaluates its range.
    fn outside(
        &mut self,
        pool: &mut Pool,
        task: &Looped<'_>,
        items: &mut Vec<Item>,
    ) -> Result<Outside> {
        if reads_memory(task.min) || reads_memory(task.extent) {
            return unsupported("a loop of a task whose length is read from memory");
        }
        let bound = self.named(pool, &task.before, items)?;
        let range = [self.int(pool, task.min)?, self.int(pool, task.extent)?];
        let mut nodes = Vec::new();
        for expr in [task.min, task.extent] {
            let node = self.nodes.elaborate(pool, expr)?;
            nodes.push(self.nodes.expanded(node));
        }
        self.unnamed(&bound);
        Ok(Outside { names: bound, range, iterations: nodes })
    }

    /// Merges two loops into one: each iteration runs the first task's body, then the second's.
    fn merged(
        &mut self,
        pool: &mut Pool,
        first: &Looped<'_>,
        second: &Looped<'_>,
    ) -> Result<StmtId> {
        let (gone, waited) = (self.released(&first.iteration)?, self.acquired(&second.iteration)?);
        let (Some(computed), true) = (gone, waited == Vec::from_iter(gone)) else {
            return unsupported("tasks of which the second does not wait for the first");
        };
        let (gone, waited) = (self.released(&second.iteration)?, self.acquired(&first.iteration)?);
        let (Some(folded), true) = (gone, waited == Vec::from_iter(gone)) else {
            return unsupported("tasks of which the first does not wait for the second");
        };
        if computed == folded {
            return unsupported("tasks that wait for each other by one semaphore");
        }
        if self.take_count(computed)? != 0 {
            return unsupported("a semaphore that lets a task read what is not computed yet");
        }
        let ahead = self.take_count(folded)?;
        if ahead < 1 {
            return unsupported("tasks that wait for each other for ever");
        }
        let mut items = Vec::new();
        let one = self.outside(pool, first, &mut items)?;
        let other = self.outside(pool, second, &mut items)?;
        if one.iterations != other.iterations {
            return unsupported("tasks whose loops have other iterations than each other");
        }
        let var = pool.declare_var(self.nodes.names.text(first.name), Type::INT);
        let value = Value { id: pool.var_expr(var), ty: tree::Scalar::Int(32) };
        let own = Binding::Node(self.nodes.value(value));
        let mut bodies = Vec::new();
        let before = self.enter();
        let [min, extent] = one.range;
        for (task, names) in [(first, one.names), (second, other.names)] {
            let mut names = names;
            names.push((task.name, own));
            for (name, binding) in &names {
                self.nodes.bind(*name, *binding);
            }
            let mut inner = Vec::new();
            let body = self.named(pool, &task.iteration.lets, &mut inner).and_then(|bound| {
                let around = self.enter();
                self.host_loops += 1;
                let body = self.block(pool, &task.iteration.body);
                self.host_loops -= 1;
                self.leave(around);
                self.unnamed(&bound);
                body
            });
            self.unnamed(&names);
            match body {
                Ok(body) => inner.push(Item::Stmt(body)),
                Err(what) => {
                    self.leave(before);
                    return Err(what);
                }
            }
            bodies.push(closed(pool, inner));
        }
        self.leave(before);
        if ahead > 1 {
            let ahead = i128::from(ahead);
            let mut sides = Vec::new();
            for body in &bodies {
                sides.push(Side::of(pool, &self.definitions, *body));
            }
            if !independent(pool, (&sides[0], &sides[1]), var, ahead) {
                return unsupported(
                    "a task that runs ahead in memory that is not seen to be another part for each \
                        iteration",
                );
            }
        }
        let body = pool.stmt(IrStmt::Block(bodies));
        let kind = LoopKind::Serial;
        items.push(Item::Stmt(pool.stmt(IrStmt::For { var, min, extent, kind, body })));
        Ok(closed(pool, items))
    }
}

/// The accesses of one iteration of a task.
#[derive(Default)]
struct Side {
    definitions: Definitions,
    /// Its loops, outermost first.
    loops: Vec<(VarId, ExprId, ExprId)>,
    /// Memory that it allocates itself.
    own: FxHashSet<BufferId>,
    reads: IndexMap<BufferId, Vec<ExprId>>,
    writes: IndexMap<BufferId, Vec<ExprId>>,
    seen: FxHashSet<ExprId>,
}

impl Side {
    fn of(pool: &Pool, definitions: &Definitions, stmt: StmtId) -> Self {
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
            if let IrStmt::Let { var, value, .. } = stmt
                && !reads(pool, *value)
            {
                self.definitions.insert(*var, *value);
            }
            if let IrStmt::For { var, min, extent, .. } = stmt {
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

    /// The part of its memory that an element lies in: the remainder that selects the part, and the
    /// size of a part. `None` if the index has no such form.
    fn part(
        &self,
        pool: &Pool,
        index: ExprId,
        (var, ahead): (VarId, i128),
    ) -> Option<(Unknown, Polynomial)> {
        let (first, span) = match *pool.get(index) {
            IrExpr::Ramp { base, stride, lanes } => {
                let stride = pool.as_constant(stride).and_then(Constant::as_integer)?;
                (base, stride.checked_mul(i128::from(lanes) - 1).filter(|span| *span >= 0)?)
            }
            IrExpr::Const(_)
            | IrExpr::Var(_)
            | IrExpr::Unary(..)
            | IrExpr::Binary(..)
            | IrExpr::Select { .. }
            | IrExpr::Cast(..)
            | IrExpr::Call(..)
            | IrExpr::Apply { .. }
            | IrExpr::Ref { .. }
            | IrExpr::Load { .. }
            | IrExpr::Broadcast { .. }
            | IrExpr::Shuffle { .. }
            | IrExpr::Hole(_) => (index, 0),
        };
        let of = |id| Polynomial::of(pool, &self.definitions, id);
        let place = of(first)?;
        let selects = |unknown: &&Unknown| {
            if let Unknown::Remainder(of, modulus) = *unknown {
                let step = of.split(&Unknown::Var(var)).and_then(|(step, _)| step.as_constant());
                step == Some(1) && *modulus >= ahead
            } else {
                false
            }
        };
        let selector = place.unknowns().find(selects)?.clone();
        let (size, rest) = place.split(&selector)?;
        // The access runs only if each loop around it has an iteration. A loop is around it if the
        // index mentions it.
        let mut known = Bounds::default();
        for (inner, _, extent) in &self.loops {
            if rest.unknowns().any(|unknown| *unknown == Unknown::Var(*inner)) {
                known.at_least(&of(*extent)?, 1);
            }
        }
        // Bounds the offset within the part, from the innermost loop outwards.
        let (mut least, mut greatest) = (rest.clone(), rest.plus(&Polynomial::constant(span), 1)?);
        for (inner, min, extent) in self.loops.iter().rev() {
            let (min, extent) = (of(*min)?, of(*extent)?);
            let last = min.plus(&extent, 1)?.plus(&Polynomial::constant(1), -1)?;
            for (end, bound) in [(&mut least, &min), (&mut greatest, &last)] {
                let (factor, rest) = end.split(&Unknown::Var(*inner))?;
                // Only coefficients that are not negative are handled.
                if !known.holds(&factor)? {
                    return None;
                }
                *end = rest.plus(&factor.times(bound)?, 1)?;
            }
        }
        let below = size.plus(&greatest, -1)?.plus(&Polynomial::constant(1), -1)?;
        (known.holds(&least)? && known.holds(&below)?).then_some((selector, size))
    }
}

fn reads(pool: &Pool, id: ExprId) -> bool {
    let mut found = false;
    pool.for_each_subexpr(id, &mut |_, expr| found |= matches!(expr, IrExpr::Load { .. }));
    found
}

/// The memory that both sides access and one of them writes.
fn common(one: &Side, other: &Side) -> Vec<BufferId> {
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

/// Tests that distinct iterations of the two sides, less than `ahead` apart, access no element that
/// one of them writes.
fn independent(pool: &Pool, (one, other): (&Side, &Side), var: VarId, ahead: i128) -> bool {
    let buffers = common(one, other);
    buffers.iter().all(|buffer| {
        let mut known = None;
        [one, other].into_iter().all(|side| {
            let accesses = side.reads.get(buffer).into_iter().chain(side.writes.get(buffer));
            accesses.flatten().all(|index| match side.part(pool, *index, (var, ahead)) {
                Some(part) => *known.get_or_insert_with(|| part.clone()) == part,
                None => false,
            })
        })
    })
}
