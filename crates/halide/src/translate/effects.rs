//! Effects that change no value: what is printed and traced.
//!
//! # Correctness
//! A call that prints or traces writes to none of the pipeline's memory. Its result is a number of
//! events, which only later calls of this kind may use. The values that it shows are read where it
//! is called, so that these reads must be in bounds; nothing else about it is judged, and the
//! verdict says so.

use halidom_ir::Pool;

use super::error::{Result, unsupported};
use super::nodes::{Binding, Nodes, Part};
use super::walk::{Item, Walk};
use crate::Names;
use crate::tree::{Expr, Scalar};

/// The functions of Halide's runtime that print or trace.
const SHOWS: [&str; 3] = ["halide_print", TRACES, "halide_debug_print"];
/// The function that traces an event.
const TRACES: &str = "halide_trace_helper";
/// The intrinsics that put their arguments together for these functions.
const PARTS: [&str; 2] = ["stringify", LISTS];
/// The intrinsic that makes a list of values.
const LISTS: &str = "make_struct";

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
        let parts = call
            .args
            .iter()
            .map(|arg| self.show_operand(pool, arg))
            .collect::<Result<Vec<Option<Part>>>>()?;
        let name = self.names.text(call.name);
        let is_right = if name == TRACES {
            traces(&call.args, &parts)
        } else {
            parts.iter().all(|part| *part == Some(Part::Text))
        };
        if !is_right {
            return unsupported(format!("this call of `{name}`"));
        }
        self.has_shown = true;
        Ok(())
    }

    /// Notes the values that an operand shows. The answer is `None` for a number.
    fn show_operand(&mut self, pool: &mut Pool, arg: &Expr) -> Result<Option<Part>> {
        let each = if let Expr::Broadcast { value, lanes: _ } = arg { value } else { arg };
        if let Expr::String(_) = each {
            return Ok(Some(Part::Text));
        }
        if let Expr::Variable { name, ty: _ } = each {
            match self.lookup(*name) {
                Some(Binding::Shown(part)) => return Ok(Some(part)),
                Some(Binding::Event) => return Ok(None),
                _ => {}
            }
        }
        if self.is_part(each) {
            return self.part(pool, each).map(Some);
        }
        self.show_value(pool, arg)?;
        Ok(None)
    }

    /// Notes a value that is shown, and returns the bytes that it takes.
    fn show_value(&mut self, pool: &mut Pool, arg: &Expr) -> Result<u64> {
        let node = self.elaborate(pool, arg)?;
        let ty = self.ty(node);
        let bits = match ty.scalar {
            Scalar::Int(bits) | Scalar::UInt(bits) | Scalar::Float(bits) | Scalar::BFloat(bits) => {
                u64::from(bits)
            }
            Scalar::Handle(_) => return unsupported("a pointer that is printed"),
        };
        // These may end the run.
        if self.calls(node, |name| name == "require" || name.starts_with("halide_")) {
            return unsupported("a call of the runtime in what is printed");
        }
        // All of it is computed where it is shown, so that nothing in it may fail.
        if self.reads_memory(node) || self.calls(node, |_| true) {
            self.shown.push(node);
        }
        Ok(u64::from(ty.lanes) * bits.div_ceil(8))
    }

    /// Notes what a text or a list shows.
    fn part(&mut self, pool: &mut Pool, part: &Expr) -> Result<Part> {
        let Expr::Call(call) = part else { return unsupported("an effect that is no call") };
        if self.names.text(call.name) != LISTS {
            for arg in &call.args {
                if let Some(Part::Values { bytes: _ }) = self.show_operand(pool, arg)? {
                    return unsupported("a list within a text");
                }
            }
            return Ok(Part::Text);
        }
        let mut bytes = 0;
        for arg in &call.args {
            bytes += self.show_value(pool, arg)?;
        }
        Ok(Part::Values { bytes })
    }

    /// The meaning of a name for a value, or for a part of what is shown. Such a part is read where
    /// its name is bound.
    pub(super) fn shown_name(&mut self, pool: &mut Pool, value: &Expr) -> Result<Binding> {
        if self.is_part(value) {
            let part = self.part(pool, value)?;
            self.has_shown = true;
            return Ok(Binding::Shown(part));
        }
        Ok(Binding::Node(self.elaborate(pool, value)?))
    }
}

/// Tests whether the operands of [`TRACES`] are those of an event: its lists have the values and
/// the coordinates that it is told to read (`halide_trace_event_t`).
fn traces(args: &[Expr], parts: &[Option<Part>]) -> bool {
    let [Some(Part::Text), Some(Part::Values { bytes }), Some(Part::Values { bytes: places }), ..] =
        parts
    else {
        return false;
    };
    let number = |place: usize| match args.get(place) {
        Some(Expr::Int(number, _)) => u64::try_from(*number).ok(),
        _ => None,
    };
    let [code, bits, lanes, event, dimensions] = [3, 4, 5, 6, 9].map(number);
    let (Some(code), Some(bits), Some(lanes), Some(0..=10), Some(dimensions)) =
        (code, bits, lanes, event, dimensions)
    else {
        return false;
    };
    // The runtime reads values of other widths as wider ones. An event may have no values.
    let is_read = match code {
        0 | 1 => matches!(bits, 1 | 8 | 16 | 32 | 64),
        2 => matches!(bits, 16 | 32 | 64),
        3 => bits == 64,
        4 => bits == 16,
        _ => false,
    };
    let needed = lanes.checked_mul(bits.div_ceil(8));
    args.len() == 11
        && (is_read || lanes == 0)
        && matches!(parts.last(), Some(Some(Part::Text)))
        && needed.is_some_and(|needed| needed <= *bytes)
        && dimensions.checked_mul(4).is_some_and(|needed| needed <= *places)
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
