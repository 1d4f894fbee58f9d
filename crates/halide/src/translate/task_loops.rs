//! Concurrent tasks that are loops: one computes what the other reads.
//!
//! # Correctness
//! Both tasks are nests of loops with the same iterations, numbered from 0 in the order in which a
//! nest runs. Each iteration of the second acquires a unit that the iteration of the first with the
//! same number releases; that semaphore begins at 0. Each iteration of the first acquires a unit
//! that iterations of the second release; that semaphore begins at `c`. The first iteration of the
//! first task may acquire `w` units instead of one, and the last one of the second may release
//! more. So iteration `i` of the first has acquired `i + w` units. The second must have released
//! `i + w - c` of them. With `k = c - w + 1`, iteration `i` follows all of the second's iterations
//! up to `i - k`. No task waits forever if `k >= 1`.
//!
//! So iteration `i` of the second follows iterations `0..=i` of the first, and precedes those from
//! `i + k` on. With `k = 1` all iterations are ordered, as in one loop whose body is the first
//! task's body followed by the second's. With larger `k`, iteration `i` of the first may run
//! concurrently with `i - k + 1 ..= i - 1` of the second. In that case every element that one task
//! writes and both access must lie in a part of its memory that the iteration's number selects,
//! modulo the number of parts, and the parts of concurrent iterations must differ
//! ([`super::task_accesses`]). So the order between them does not matter.
//!
//! An iteration of the first may release further semaphores at its end, one unit each
//! ([`super::task_waits`]).

use halidom_base::FxHashSet;
use halidom_ir::{ExprId, LoopKind, Pool, Stmt as IrStmt, StmtId, Type, VarId};

use super::error::{Result, unsupported};
use super::kernels::{mentions, reads_memory};
use super::nodes::{Binding, NodeId};
use super::ops::Value;
use super::polynomials::{Definitions, Polynomial, Unknown, depends, polynomial};
use super::task_accesses::{Side, independent};
use super::task_parts::{Early, Iteration, Opened, opened};
use super::walk::{Item, Walk, closed};
use crate::NameId;
use crate::tree::{self, BinaryOp, Expr, ForKind, Stmt, StmtKind};

/// A loop of a task, with what comes before it.
struct Head<'s> {
    before: Vec<Early<'s>>,
    name: NameId,
    min: &'s Expr,
    extent: &'s Expr,
}

/// A task that consists of loops.
pub(super) struct Looped<'s> {
    /// The loops, outermost first; at least one.
    loops: Vec<Head<'s>>,
    iteration: Iteration<'s>,
}

/// The parts of a task around its iterations.
struct Outside {
    /// The names that it binds, those of its loops included.
    names: Vec<(NameId, Binding)>,
    /// The lets and assertions before each loop.
    before: Vec<Vec<Item>>,
    /// The range of each loop.
    ranges: Vec<[ExprId; 2]>,
    /// The ranges with all names expanded, for comparison.
    iterations: Vec<NodeId>,
}

impl Walk<'_> {
    /// A task as loops, if it consists of them.
    pub(super) fn looped<'s>(&self, block: &'s [Stmt]) -> Option<Looped<'s>> {
        let (mut loops, mut block) = (Vec::new(), block);
        loop {
            let iteration = self.iteration(block);
            if !loops.is_empty() && !iteration.acquired.is_empty() {
                return Some(Looped { loops, iteration });
            }
            let Opened { lets: before, rest } = opened(block);
            let [only] = rest else { return None };
            let StmtKind::For { name, min, extent, kind: ForKind::Serial, device: None, body } =
                &only.kind
            else {
                return None;
            };
            loops.push(Head { before, name: *name, min, extent });
            block = body;
        }
    }

    /// Binds the names around the iterations of a task, and evaluates the ranges of its loops. The
    /// names stay bound.
    fn outside(&mut self, pool: &mut Pool, task: &Looped<'_>, vars: &[VarId]) -> Result<Outside> {
        let (names, before, ranges) = (Vec::new(), Vec::new(), Vec::new());
        let mut outside = Outside { names, before, ranges, iterations: Vec::new() };
        for (head, var) in task.loops.iter().zip(vars) {
            if reads_memory(head.min) || reads_memory(head.extent) {
                return unsupported("a loop of a task whose length is read from memory");
            }
            let mut items = Vec::new();
            outside.names.extend(self.named(pool, &head.before, &mut items)?);
            outside.before.push(items);
            let range = [self.int_of_32(pool, head.min)?, self.int_of_32(pool, head.extent)?];
            outside.ranges.push(range);
            for expr in [head.min, head.extent] {
                let node = self.nodes.elaborate(pool, expr)?;
                outside.iterations.push(self.nodes.expanded(node));
            }
            let value = Value { id: pool.var_expr(*var), ty: tree::Scalar::Int(32) };
            let own = Binding::Node(self.nodes.value(value));
            self.nodes.bind(head.name, own);
            outside.names.push((head.name, own));
        }
        Ok(outside)
    }

    /// The semaphores of two tasks: the one that the first releases, and the one that the second
    /// does.
    fn semaphores_of(&self, first: &Looped<'_>, second: &Looped<'_>) -> Result<[NameId; 2]> {
        let gone = self.all_released(&first.iteration)?;
        let waited = self.acquired(&second.iteration)?;
        let [computed] = *waited.as_slice() else {
            return unsupported("two tasks, if the second does not wait for the first");
        };
        if !gone.contains(&computed) {
            return unsupported("two tasks, if the second does not wait for the first");
        }
        let folded = match (&*second.iteration.released, first.iteration.acquired.as_slice()) {
            ([call], [(semaphore, _)]) => {
                let gone = call.args.first().and_then(|semaphore| self.semaphore(semaphore));
                gone.filter(|gone| self.semaphore(semaphore) == Some(*gone))
            }
            ([..], _) => None,
        };
        match folded {
            Some(folded) if folded != computed => Ok([computed, folded]),
            Some(_) => unsupported("tasks that wait for each other by one semaphore"),
            None => unsupported("two tasks, if the first does not wait for the second"),
        }
    }

    /// Tests whether each iteration of a task but the last releases one unit, and the last one at
    /// least one. The names around its iterations are bound.
    fn releases_one(&mut self, pool: &mut Pool, task: &Looped<'_>, ranges: &[[ExprId; 2]]) -> bool {
        let call = match *task.iteration.released.as_slice() {
            [call] => call,
            // Each of several releases one unit (`semaphores_of`).
            ref calls => {
                return calls.iter().all(|call| matches!(call.args[..], [_, Expr::Int(1, _)]));
            }
        };
        let [_, count] = call.args.as_slice() else { return false };
        let mut values = Vec::new();
        if let Expr::Variable { name, ty: _ } = count {
            values_of(&task.iteration.body, *name, &mut values);
        }
        let count = if let [only] = *values { only } else { count };
        if let Expr::Int(1, _) = count {
            return true;
        }
        let (Expr::Select(operands), [head], [[_, extent]]) =
            (count, task.loops.as_slice(), ranges)
        else {
            return false;
        };
        let [Expr::Binary(BinaryOp::Lt, sides), Expr::Int(1, _), Expr::Int(last, _)] = &**operands
        else {
            return false;
        };
        let [Expr::Variable { name, ty: _ }, end] = &**sides else { return false };
        let mut bound = FxHashSet::default();
        names_in(&task.iteration.body, &mut bound);
        if *name != head.name
            || !matches!(head.min, Expr::Int(0, _))
            || *last < 1
            || !bound.insert(head.name)
        {
            return false;
        }
        if reads_memory(end) || mentions(end, &bound) {
            return false;
        }
        let Ok(end) = self.int(pool, end) else { return false };
        let of = |id| polynomial(pool, &self.definitions, id);
        let difference = of(*extent).zip(of(end)).and_then(|(all, end)| all.plus(&end, -1));
        difference.and_then(|difference| difference.as_constant()) == Some(1)
    }

    /// Merges the loops of two tasks: each iteration runs the first task's body, then the second's.
    pub(super) fn merged(
        &mut self,
        pool: &mut Pool,
        first: &Looped<'_>,
        second: &mut Looped<'_>,
    ) -> Result<StmtId> {
        let [computed, folded] = self.semaphores_of(first, second)?;
        self.without_idle_waits(&first.iteration, &mut second.iteration, computed)?;
        let Some(at_first) = first_count(first) else {
            return unsupported("an acquisition of something else than one of a semaphore");
        };
        if self.take_count(computed)? != 0 {
            return unsupported("a semaphore that lets a task read what is not computed yet");
        }
        let ahead = self.take_count(folded)?.saturating_sub(at_first).saturating_add(1);
        if ahead < 1 {
            return unsupported("tasks that wait for each other for ever");
        }
        if first.loops.len() != second.loops.len() {
            return unsupported("tasks whose loops have other iterations than each other");
        }
        let names = self.nodes.names;
        let heads = first.loops.iter();
        let vars: Vec<VarId> =
            heads.map(|head| pool.declare_var(names.text(head.name), Type::INT)).collect();
        let before = self.enter();
        let mut parts = Vec::new();
        for task in [first, &*second] {
            match self.one_task(pool, task, &vars) {
                Ok(part) => parts.push(part),
                Err(what) => {
                    self.leave(before);
                    return Err(what);
                }
            }
        }
        self.leave(before);
        let (Some((other, late)), Some((one, early))) = (parts.pop(), parts.pop()) else {
            return unsupported("a task");
        };
        if one.iterations != other.iterations {
            return unsupported("tasks whose loops have other iterations than each other");
        }
        if ahead > 1 {
            let Some(number) = number_of(pool, &self.definitions, &vars, &one.ranges) else {
                return unsupported("tasks whose inner loops have other lengths at times");
            };
            let sides = [early, late].map(|body| Side::of(pool, &self.definitions, body));
            if !independent(pool, &sides, (&vars, &number), i128::from(ahead)) {
                return unsupported(
                    "a task that runs ahead in memory that is not seen to be another part for each \
                        iteration",
                );
            }
        }
        let mut body = pool.stmt(IrStmt::Block(vec![early, late]));
        let around = one.before.into_iter().zip(other.before).zip(one.ranges).zip(vars);
        for (((own, others), [min, extent]), var) in around.rev() {
            let kind = LoopKind::Serial;
            let stmt = pool.stmt(IrStmt::For { var, min, extent, kind, body });
            let items = own.into_iter().chain(others).chain([Item::Stmt(stmt)]);
            body = closed(pool, items.collect());
        }
        Ok(body)
    }

    /// The parts of a task around its iterations, and the body of an iteration.
    fn one_task(
        &mut self,
        pool: &mut Pool,
        task: &Looped<'_>,
        vars: &[VarId],
    ) -> Result<(Outside, StmtId)> {
        let outside = self.outside(pool, task, vars)?;
        let mut inner = Vec::new();
        let is_last = self.releases_one(pool, task, &outside.ranges);
        let body = self.named(pool, &task.iteration.lets, &mut inner).and_then(|bound| {
            let around = self.enter();
            self.host_loops += 1;
            let body = self.block(pool, &task.iteration.body);
            self.host_loops -= 1;
            self.leave(around);
            self.unnamed(&bound);
            body
        });
        self.unnamed(&outside.names);
        if !is_last {
            return unsupported("a release of something else than one of a semaphore");
        }
        inner.push(Item::Stmt(body?));
        Ok((outside, closed(pool, inner)))
    }
}

/// The number of units that the first iteration of a task acquires, if each later one acquires
/// one.
fn first_count(task: &Looped<'_>) -> Option<i64> {
    let [(_, count)] = task.iteration.acquired.as_slice() else { return None };
    let mut lets = task.iteration.lets.iter();
    let named = lets.find_map(|early| match (early, count) {
        (Early::Let(name, value), Expr::Variable { name: count, ty: _ }) if name == count => {
            Some(*value)
        }
        (Early::Let(..) | Early::Assert { .. }, _) => None,
    });
    let count = named.unwrap_or(count);
    if let Expr::Int(1, _) = count {
        return Some(1);
    }
    let (Expr::Select(operands), [head]) = (count, task.loops.as_slice()) else { return None };
    let [Expr::Binary(BinaryOp::Lt, sides), Expr::Int(1, _), Expr::Int(first, _)] = &**operands
    else {
        return None;
    };
    let [Expr::Int(0, _), Expr::Variable { name, ty: _ }] = &**sides else { return None };
    let hidden = |early: &Early<'_>| matches!(early, Early::Let(other, _) if other == name);
    let begins = matches!(head.min, Expr::Int(0, _))
        && *name == head.name
        && !task.iteration.lets.iter().any(hidden);
    begins.then_some(*first).filter(|first| *first >= 1)
}

/// The values of a name in a block.
fn values_of<'s>(block: &'s [Stmt], name: NameId, values: &mut Vec<&'s Expr>) {
    for stmt in block {
        if let StmtKind::Let { name: other, value } = &stmt.kind
            && *other == name
        {
            values.push(value);
        }
        stmt.for_each_block(&mut |block| values_of(block, name, values));
    }
}

/// Collects the names that a block binds.
fn names_in(block: &[Stmt], names: &mut FxHashSet<NameId>) {
    for stmt in block {
        if let StmtKind::Let { name, value: _ } = &stmt.kind {
            names.insert(*name);
        }
        stmt.for_each_block(&mut |block| names_in(block, names));
    }
}

/// The number of an iteration, up to a constant, if the lengths of inner loops are the same in all
/// iterations.
fn number_of(
    pool: &Pool,
    definitions: &Definitions,
    vars: &[VarId],
    ranges: &[[ExprId; 2]],
) -> Option<Polynomial> {
    let mut number = Polynomial::default();
    for (level, (var, [min, extent])) in vars.iter().zip(ranges).enumerate() {
        let (min, extent) =
            (polynomial(pool, definitions, *min)?, polynomial(pool, definitions, *extent)?);
        if level > 0 && (depends(&extent, pool, definitions, vars) || min.as_constant().is_none()) {
            return None;
        }
        number = number.times(&extent)?.plus(&Polynomial::atom(Unknown::Var(*var)), 1)?;
    }
    Some(number)
}
