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
use crate::Names;
use crate::tree::{Call, Expr, Scalar};

/// The functions of Halide's runtime that print or trace.
const SHOWS: [&str; 3] = ["halide_print", "halide_trace_helper", "halide_debug_print"];
/// The intrinsics that put their arguments together for these functions.
const PARTS: [&str; 2] = ["stringify", "make_struct"];

/// Tests whether evaluating an expression reads no memory, has no effect and ends no run, and
/// whether each pointer in it is null, has a name, or leads to a list of such pointers. Such an
/// expression may be taken out.
pub(super) fn is_harmless(names: &Names, expr: &Expr) -> bool {
    let mut harmless = !matches!(expr, Expr::Load(_));
    if let Expr::Call(call) = expr {
        // Of a buffer that is there: not of a pointer that an expression makes.
        harmless = names.text(call.name) == "make_struct"
            || names.text(call.name).starts_with("_halide_buffer_get_")
                && matches!(call.args.first(), Some(Expr::Variable { name: _, ty: _ }));
    } else if let Expr::Reinterpret(_, value) = expr {
        harmless = matches!(**value, Expr::UInt(0, _));
    }
    expr.for_each_operand(&mut |part| harmless = harmless && is_harmless(names, part));
    harmless
}

impl Nodes<'_> {
    /// Tests whether an expression is a call that prints or traces, perhaps with its result in each
    /// lane of a vector, or with names for parts of what it shows.
    pub(super) fn shows(&self, expr: &Expr) -> bool {
        if let Expr::Broadcast { value, lanes: _ } = expr {
            return self.shows(value);
        }
        if let Expr::Let { name: _, value: _, body } = expr {
            return self.shows(body);
        }
        matches!(expr, Expr::Call(call) if SHOWS.contains(&self.names.text(call.name)))
    }

    /// Tests whether an expression puts together what is shown: a text, or a list of values.
    pub(super) fn is_part(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Call(call) if PARTS.contains(&self.names.text(call.name)))
    }

    /// Notes the values that a call shows.
    pub(super) fn show(&mut self, pool: &mut Pool, call: &Expr) -> Result<()> {
        if let Expr::Broadcast { value, lanes: _ } = call {
            return self.show(pool, value);
        }
        if let Expr::Let { name, value, body } = call {
            let binding = self.shown_name(pool, value)?;
            self.bind(*name, binding);
            let result = self.show(pool, body);
            self.unbind(*name);
            return result;
        }
        let Expr::Call(call) = call else { return unsupported("an effect that is no call") };
        let Call { name: _, ty: _, args, kind: _, component: _, parameter: _ } = &**call;
        for arg in args {
            let each = if let Expr::Broadcast { value, lanes: _ } = arg { value } else { arg };
            if let Expr::String(_) = each {
                continue;
            }
            if let Expr::Variable { name, ty: _ } = each
                && matches!(self.lookup(*name), Some(Binding::Event | Binding::Shown))
            {
                continue;
            }
            if self.is_part(each) {
                self.show(pool, each)?;
                continue;
            }
            let node = self.elaborate(pool, arg)?;
            if matches!(self.ty(node).scalar, Scalar::Handle(_)) {
                return unsupported("a pointer that is printed");
            }
            // These may end the run.
            if self.calls(node, |name| name == "require" || name.starts_with("halide_")) {
                return unsupported("a call of the runtime in what is printed");
            }
            // All of it is computed where it is shown, so that nothing in it may fail.
            if self.reads_memory(node) || self.calls(node, |_| true) {
                self.shown.push(node);
            }
        }
        self.has_shown = true;
        Ok(())
    }

    /// The meaning of a name for a value, or for a part of what is shown. Such a part is read where
    /// its name is bound.
    pub(super) fn shown_name(&mut self, pool: &mut Pool, value: &Expr) -> Result<Binding> {
        if self.is_part(value) {
            self.show(pool, value)?;
            return Ok(Binding::Shown);
        }
        Ok(Binding::Node(self.elaborate(pool, value)?))
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
