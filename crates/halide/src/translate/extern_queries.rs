//! The answers of extern functions to bounds queries, with the facts that are known of them.
//!
//! See [`super::extern_calls`] for the reasons.

use halidom_ir::{BinaryOp, Check, ExprId, Pool, StmtId, Type, UnaryOp};

use super::caller;
use super::error::Result;
use super::extern_stages::{Answer, ExternStage, Side};
use super::externs::{side, within};
use super::ops::Value;
use super::walk::{Item, Walk};
use crate::pipeline::Func;
use crate::tree::Scalar;
use crate::{ANSWER_LIMIT, Condition};

/// A part of an answer in a loop.
struct Part<'p> {
    /// Its name.
    name: &'p str,
    /// The interval that it contains, and the condition under which it does.
    contained: [ExprId; 2],
    condition: Option<ExprId>,
    /// The least number of elements.
    least: i128,
}

impl Walk<'_> {
    /// Limits the regions that the value at a func's arbitrary point depends on.
    pub(super) fn limit_reads(&mut self, pool: &mut Pool, (func, stage): (&Func, &ExternStage)) {
        let zero = pool.int(0);
        for read in stage.reads.iter().flatten() {
            let read = side(pool, *read);
            for condition in limits(pool, read, zero) {
                let known = self.known_of_stage(pool, func, condition);
                self.of_stages.push(known);
            }
        }
    }

    /// Makes the entry checks that state what is known of an answer before all work.
    pub(super) fn answer_at_entry(
        &mut self,
        pool: &mut Pool,
        (func, stage): (&Func, &ExternStage),
        (window, answer): (&[[ExprId; 2]], &Answer),
    ) -> Vec<Item> {
        let mut known = Vec::new();
        for (wanted, given) in answer.window.iter().zip(window) {
            let wanted = side(pool, *wanted);
            // A window beyond the limits must not restrict what callers may pass.
            let mut condition = covers(pool, wanted, *given);
            let [min, extent] = *given;
            for id in [min, extent, pool.add(min, extent)] {
                let is_small = caller::within(pool, id, ANSWER_LIMIT);
                let is_large = pool.unary(UnaryOp::Not, is_small);
                condition = pool.binary(BinaryOp::Or, is_large, condition);
            }
            known.push(condition);
        }
        let (zero, one) = (pool.int(0), pool.int(1));
        let windows = answer.window.iter().map(|side| (side, zero));
        let inputs = answer.inputs.iter().flatten().map(|side| (side, one));
        for (found, least) in windows.chain(inputs) {
            let found = side(pool, *found);
            known.extend(limits(pool, found, least));
        }
        let point: Vec<ExprId> = stage.point.iter().map(|var| pool.var_expr(*var)).collect();
        let inside = within(pool, &point, window);
        let outside = pool.unary(UnaryOp::Not, inside);
        let reads = stage.reads.iter().flatten().zip(answer.inputs.iter().flatten());
        for (read, answered) in reads {
            let (read, answered) = (side(pool, *read), side(pool, *answered));
            let covered = covers(pool, answered, read);
            known.push(pool.binary(BinaryOp::Or, outside, covered));
        }
        let known =
            known.into_iter().map(|holds| Item::Stmt(self.known_of_stage(pool, func, holds)));
        known.collect()
    }

    /// Makes the lets that give an answer its sides after work has begun, or in a loop.
    pub(super) fn answer_within(
        &mut self,
        pool: &mut Pool,
        (func, stage): (&Func, &ExternStage),
        window: &[[ExprId; 2]],
    ) -> Result<(Vec<Item>, Answer)> {
        let query = format!("query {} of {}", self.inner_queries, self.nodes.names.text(func.name));
        self.inner_queries += 1;
        let loops: Vec<ExprId> = self.loops.iter().map(|var| pool.var_expr(*var)).collect();
        let given = loops.iter().chain(window.iter().flatten());
        let mut given: Vec<Value> = given.map(|id| index(*id)).collect();
        if given.is_empty() {
            given.push(index(pool.int(0)));
        }
        let mut items = Vec::new();
        let mut wanted = Vec::new();
        for (dim, given_window) in window.iter().enumerate() {
            let name = format!("{query}.window.{dim}");
            let part = Part { name: &name, contained: *given_window, condition: None, least: 0 };
            wanted.push(self.part(pool, &part, &given, &mut items)?);
        }
        let point: Vec<ExprId> = stage.point.iter().map(|var| pool.var_expr(*var)).collect();
        let inside = within(pool, &point, window);
        let mut inputs = Vec::new();
        for (number, reads) in stage.reads.iter().enumerate() {
            let mut sides = Vec::new();
            for (dim, read) in reads.iter().enumerate() {
                let (name, contained) =
                    (format!("{query}.input {number}.{dim}"), side(pool, *read));
                let part = Part { name: &name, contained, condition: Some(inside), least: 1 };
                sides.push(self.part(pool, &part, &given, &mut items)?);
            }
            inputs.push(sides);
        }
        Ok((items, Answer { window: wanted, inputs }))
    }

    /// The variables of an interval of an answer, with their lets.
    fn part(
        &mut self,
        pool: &mut Pool,
        part: &Part<'_>,
        given: &[Value],
        items: &mut Vec<Item>,
    ) -> Result<Side> {
        let [min, extent] = part.contained;
        let end = pool.add(min, extent);
        let bound = |walk: &mut Self, pool: &mut Pool, name: &str, op, contained| {
            let own = walk.arbitrary(pool, &format!("{}.{name}", part.name), given)?;
            let both = pool.binary(op, own, contained);
            Ok(part.condition.map_or(both, |condition| pool.select(condition, both, own)))
        };
        let low = bound(self, pool, "min", BinaryOp::Min, min)?;
        let high = bound(self, pool, "end", BinaryOp::Max, end)?;
        let mut named = |pool: &mut Pool, name: &str, value: ExprId| {
            let var = pool.declare_var(format!("{}.{name}", part.name), Type::INT);
            items.push(Item::Let(var, value));
            var
        };
        let min = named(pool, "min", low);
        let (first, least) = (pool.var_expr(min), pool.int(part.least));
        let extent = pool.sub(high, first);
        let extent = pool.binary(BinaryOp::Max, extent, least);
        Ok([min, named(pool, "extent", extent)])
    }

    /// An arbitrary number, which may depend on some values. It is a third of a number of 32 bits:
    /// these include all numbers within the limits of answers, and no sum of three of them
    /// overflows. A bound by a minimum and a maximum would make every later term longer.
    fn arbitrary(&mut self, pool: &mut Pool, name: &str, given: &[Value]) -> Result<ExprId> {
        let id = self.lower(pool, |lowering| {
            let value = lowering.ops.named(name, given, Scalar::Int(32))?;
            lowering.ops.as_index(value)
        })?;
        let three = pool.int(3);
        Ok(pool.binary(BinaryOp::Div, id, three))
    }

    /// An entry check for something that is known of every extern function.
    pub(super) fn known_of_stage(
        &mut self,
        pool: &mut Pool,
        func: &Func,
        condition: ExprId,
    ) -> StmtId {
        let name = self.nodes.names.text(func.name);
        let check = Check::SizeLimit { what: format!("the answer of a bounds query of `{name}`") };
        self.contract.add(pool, Condition::ExternStages, (condition, check))
    }
}

/// An index as a value of Halide's.
fn index(id: ExprId) -> Value {
    Value { id, ty: Scalar::Int(32) }
}

/// The conditions that an interval lies within the limits of answers, and has at least so many
/// elements.
fn limits(pool: &mut Pool, [min, extent]: [ExprId; 2], least: ExprId) -> Vec<ExprId> {
    let mut known = vec![pool.binary(BinaryOp::Le, least, extent)];
    for id in [min, extent, pool.add(min, extent)] {
        known.push(caller::within(pool, id, ANSWER_LIMIT));
    }
    known
}

/// The condition that an interval contains another one.
pub(super) fn covers(pool: &mut Pool, outer: [ExprId; 2], inner: [ExprId; 2]) -> ExprId {
    let [end, upper] = [inner, outer].map(|[min, extent]| pool.add(min, extent));
    let below = pool.binary(BinaryOp::Le, outer[0], inner[0]);
    let above = pool.binary(BinaryOp::Le, end, upper);
    pool.binary(BinaryOp::And, below, above)
}
