//! Effects that change no value: what is printed and traced.
//!
//! # Correctness
//! A call that prints or traces writes to none of the pipeline's memory. Its result is a number of
//! events, which only later calls of this kind may use. The values that it shows are read where it
//! is called, so that these reads must be in bounds; nothing else about it is judged, and the
//! verdict says so.

use halidom_ir::Pool;

use super::error::{Result, unsupported};
use super::nodes::{Binding, Nodes};
use super::walk::{Item, Walk};
use crate::tree::{Call, Expr};

/// The functions of Halide's runtime that print or trace.
const SHOWS: [&str; 3] = ["halide_print", "halide_trace_helper", "halide_debug_print"];
/// The intrinsics that put their arguments together for these functions.
const PARTS: [&str; 2] = ["stringify", "make_struct"];

impl Nodes<'_> {
    /// Tests whether an expression is a call that prints or traces, perhaps with its result in each
    /// lane of a vector.
    pub(super) fn shows(&self, expr: &Expr) -> bool {
        if let Expr::Broadcast { value, lanes: _ } = expr {
            return self.shows(value);
        }
        matches!(expr, Expr::Call(call) if SHOWS.contains(&self.names.text(call.name)))
    }

    /// Notes the values that a call shows.
    pub(super) fn show(&mut self, pool: &mut Pool, call: &Expr) -> Result<()> {
        if let Expr::Broadcast { value, lanes: _ } = call {
            return self.show(pool, value);
        }
        let Expr::Call(call) = call else { return unsupported("an effect that is no call") };
        let Call { name: _, ty: _, args, kind: _, component: _, parameter: _ } = &**call;
        for arg in args {
            if let Expr::String(_) = arg {
                continue;
            }
            if let Expr::Variable { name, ty: _ } = arg
                && self.lookup(*name) == Some(Binding::Event)
            {
                continue;
            }
            if let Expr::Call(inner) = arg
                && PARTS.contains(&self.names.text(inner.name))
            {
                self.show(pool, arg)?;
                continue;
            }
            let node = self.elaborate(pool, arg)?;
            if self.reads_memory(node) {
                self.shown.push(node);
            }
        }
        self.has_shown = true;
        Ok(())
    }
}

impl Walk<'_> {
    /// The reads of values that the statement shows, as items before it.
    pub(super) fn shown(&mut self, pool: &mut Pool) -> Result<Vec<Item>> {
        if std::mem::take(&mut self.nodes.has_shown) {
            self.note("not judged: what is printed and traced, and in which order");
        }
        let shown = std::mem::take(&mut self.nodes.shown);
        if shown.is_empty() {
            return Ok(Vec::new());
        }
        self.made(pool, &shown, None)
    }
}
