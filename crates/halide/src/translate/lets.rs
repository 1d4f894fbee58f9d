//! Translates the names that a statement binds.
//!
//! # Correctness
//! A name stands for its value wherever it is used: a variable is bound to the value where the let
//! is, or the name is replaced by an expression whose value cannot change before a use.

use halidom_base::FxHashSet;
use halidom_ir::{Pool, Type};

use super::error::{Result, unsupported};
use super::lanes::{Lanes, Stop};
use super::nodes::{Binding, Node, NodeId};
use super::ops::Value;
use super::pointers::Opaque;
use super::scans::{Uses, are_stored, contains_assert, is_stored};
use super::walk::{Atomicity, Item, Walk};
use crate::tree::{self, Expr, Stmt};
use crate::{Condition, NameId};

impl Walk<'_> {
    /// The meaning of a let's name, with the items that bind it.
    pub(super) fn let_binding(
        &mut self,
        pool: &mut Pool,
        (name, value): (NameId, &Expr),
        rest: &[Stmt],
    ) -> Result<(Binding, Vec<Item>)> {
        if let Some(called) = self.extern_call(pool, (name, value), rest)? {
            return Ok(called);
        }
        if let Some(found) = self.lookup(pool, (name, value), rest)? {
            return Ok((found, Vec::new()));
        }
        match self.opaque(pool, name, value)? {
            Some(Opaque::Bound(binding)) => return Ok((binding, Vec::new())),
            Some(Opaque::Success) => {
                self.note(
                    "not judged: copies between the host and devices, which are taken to succeed",
                );
                self.contract.others.insert(Condition::Copies);
                let success = Value { id: pool.int(0), ty: tree::Scalar::Int(32) };
                return Ok((Binding::Node(self.nodes.value(success)), Vec::new()));
            }
            None => {}
        }
        let node = self.nodes.elaborate(pool, value)?;
        if self.nodes.is_mark(node) {
            return Ok((Binding::Node(node), Vec::new()));
        }
        if self.nodes.lanes(node) > 1 {
            // A vector replaces its name, unless memory that it reads may be written before a use.
            let overwrites = |stored: NameId| {
                let target = self.nodes.buffers.get(&stored);
                target.is_none_or(|target| self.nodes.reads(node, target.id))
            };
            // An atomic update reads its memory once for each lane, after the lanes before it.
            if self.atomic != Atomicity::None && are_stored(rest, &overwrites) {
                return unsupported("a vector of memory that an atomic update of its block writes");
            }
            let mut uses = Uses { names: FxHashSet::from_iter([name]), written: false };
            // An extern stage writes memory without a store.
            let late = self.nodes.reads_memory(node)
                && (self.calls_stage(rest) || uses.are_late(rest, &overwrites));
            if late {
                return self.vector_binding(pool, name, node);
            }
            // A store of the name that always runs with this let accounts for the vector's loads. A
            // store under a condition does not, so they are made here.
            let made =
                if is_stored(rest, name) { Vec::new() } else { self.made(pool, &[node], None)? };
            return Ok((Binding::Node(node), made));
        }
        // Entry checks are expressed in parameters and shapes, without variables for names.
        let before_checks = !self.work_begun && contains_assert(rest);
        if before_checks && self.nodes.reads_memory(node) {
            return unsupported("a name that reads memory before the entry checks");
        }
        if before_checks || matches!(self.nodes.node(node), Node::Value(_)) {
            return Ok((Binding::Node(node), Vec::new()));
        }
        let value = self.lower(pool, |lowering| lowering.scalar(node))?;
        if pool.as_constant(value.id).is_some() {
            return Ok((Binding::Node(self.nodes.value(value)), Vec::new()));
        }
        let ty = pool.ty(value.id);
        let var = pool.declare_var(self.nodes.names.text(name), ty);
        let variable = Value { id: pool.var_expr(var), ty: value.ty };
        let variable = self.nodes.value(variable);
        self.nodes.define(variable, node);
        if !self.nodes.reads_memory(node) && ty == Type::INT {
            self.definitions.insert(var, value.id);
        }
        let mark = self.nodes.prophecy(node);
        self.nodes.marks.insert(variable, mark);
        let mut items = vec![Item::Let(var, value.id)];
        if let Some(twin) = self.lower(pool, |lowering| lowering.ops.as_twin(value)) {
            let of_ints = pool.declare_var(self.nodes.names.text(name), Type::INT);
            self.memo.widths.pair(var, of_ints);
            if !self.nodes.reads_memory(node) {
                self.definitions.insert(of_ints, twin);
            }
            items.push(Item::Let(of_ints, twin));
        }
        Ok((Binding::Node(variable), items))
    }

    /// A variable for a vector, which is evaluated here.
    fn vector_binding(
        &mut self,
        pool: &mut Pool,
        name: NameId,
        node: NodeId,
    ) -> Result<(Binding, Vec<Item>)> {
        let ty = self.nodes.ty(node);
        let value = match self.lower(pool, |lowering| lowering.value(node, Lanes::all(ty.lanes))) {
            Ok(value) => value,
            Err(Stop::Unsupported(what)) => return Err(what),
            Err(Stop::Divide(_)) => {
                return unsupported(
                    "a shuffle with a name that reads memory which is written before it is used",
                );
            }
        };
        let var = pool.declare_var(self.nodes.names.text(name), pool.ty(value.id));
        let variable = self.nodes.make(Node::Value(pool.var_expr(var)), ty);
        self.nodes.define(variable, node);
        let mark = self.nodes.prophecy(node);
        self.nodes.marks.insert(variable, mark);
        Ok((Binding::Node(variable), vec![Item::Let(var, value.id)]))
    }
}
