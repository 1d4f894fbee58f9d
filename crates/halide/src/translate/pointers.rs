//! Pointers, flags of buffers and calls: the parts of a statement that concern the location of
//! memory, not values.
//!
//! # Correctness
//! The statement is translated for callers whose buffers are on the host, are not null and are no
//! bounds queries. The consequences of that are a closed list of exact forms: a comparison of a
//! buffer with null; a comparison of its own host pointer with null, also as a part of another
//! condition; the fact that a caller's buffer is not newer on a
//! device; and, as an entry check that the verdict lists, the alignment of its elements to a number
//! of bytes. A condition that uses a pointer or such a flag in another form is refused. A name for
//! any other pointer is refused as well, so that a buffer's elements are reached only by the
//! buffer's own name. Calls with effects must have the names and the arguments that are listed
//! here, or they are refused.

use halidom_ir::Pool;

use super::buffers::is_ignored;
use super::effects::is_harmless;
use super::error::{Result, unsupported};
use super::nodes::{Binding, Nodes};
use super::walk::{Semaphore, Walk};
use crate::NameId;
use crate::tree::{BinaryOp, Call, Expr, Scalar, Type};

/// The size of a semaphore in bytes (`halide_semaphore_t`).
const SEMAPHORE_BYTES: i64 = 16;

/// The meaning of a let of the statement that binds no value.
pub(super) enum Opaque {
    /// The name stands for something that no expression computes with.
    Bound(Binding),
    /// A runtime call that returns 0.
    Success,
}

impl Walk<'_> {
    /// The meaning of a let that binds no value; `None` if it binds one.
    pub(super) fn opaque(
        &mut self,
        pool: &mut Pool,
        name: NameId,
        value: &Expr,
    ) -> Result<Option<Opaque>> {
        if !is_pointer(value) {
            if self.nodes.shows(value) {
                self.nodes.show(pool, value)?;
                return Ok(Some(Opaque::Bound(Binding::Event)));
            }
            let Expr::Call(call) = value else { return Ok(None) };
            let names = self.nodes.names;
            return match names.text(call.name) {
                "_halide_buffer_get_device_dirty" => match self.named_buffer(&call.args) {
                    Some((buffer, [])) => Ok(Some(Opaque::Bound(Binding::DeviceDirty(buffer)))),
                    Some(_) | None => {
                        unsupported("a flag of something else than a caller's buffer")
                    }
                },
                "_halide_buffer_get_host_dirty" => unsupported("a flag of a caller's buffer"),
                "halide_copy_to_device" => match self.named_buffer(&call.args) {
                    Some((buffer, [Expr::Call(interface)])) => {
                        let Some(device) = device(names.text(interface.name)) else {
                            return unsupported("a copy to a device without an interface");
                        };
                        self.on_device(device)?;
                        self.copied(buffer, true)?;
                        Ok(Some(Opaque::Success))
                    }
                    Some(_) | None => unsupported("this call of `halide_copy_to_device`"),
                },
                "halide_copy_to_host" => match self.named_buffer(&call.args) {
                    Some((buffer, [])) => {
                        self.copied(buffer, false)?;
                        Ok(Some(Opaque::Success))
                    }
                    Some(_) | None => unsupported("this call of `halide_copy_to_host`"),
                },
                _ => Ok(None),
            };
        }
        if let Some(made) = self.made_struct(pool, value)? {
            return Ok(Some(Opaque::Bound(made)));
        }
        let names = self.nodes.names;
        if let Expr::Call(call) = value {
            if names.text(call.name) == "_halide_buffer_get_host"
                && let Some((buffer, [])) = self.named_buffer(&call.args)
                && buffer == name
            {
                return Ok(Some(Opaque::Bound(Binding::Host(buffer))));
            }
            if names.text(call.name) == "alloca"
                && call.args == [Expr::Int(SEMAPHORE_BYTES, Type::INT32)]
            {
                self.semaphores.insert(name, Semaphore { region: self.region, count: None });
                return Ok(Some(Opaque::Bound(Binding::Semaphore)));
            }
        }
        if self.nodes.is_part(value) {
            return Ok(Some(Opaque::Bound(self.nodes.shown_name(pool, value)?)));
        }
        if !self.is_final {
            return Ok(Some(Opaque::Bound(Binding::Pointer)));
        }
        unsupported(format!("the pointer `{}`", names.text(name)))
    }

    /// The caller's buffer in the first argument `NAME.buffer`, and the other arguments.
    fn named_buffer<'e>(&self, args: &'e [Expr]) -> Option<(NameId, &'e [Expr])> {
        let (first, rest) = args.split_first()?;
        Some((self.buffer_struct_of(first)?, rest))
    }

    pub(super) fn buffer_struct_of(&self, arg: &Expr) -> Option<NameId> {
        let Expr::Variable { name, ty } = arg else { return None };
        let is_struct = ty.is_none_or(|ty| matches!(ty.scalar, Scalar::Handle(_)));
        let name = self.nodes.names.text(*name).strip_suffix(".buffer")?;
        let name = self.nodes.names.find(name)?;
        (is_struct && self.callers.contains(&name)).then_some(name)
    }

    /// Tests whether a condition on pointers and flags is one of those that hold for every caller.
    pub(super) fn holds_for_callers(&self, condition: &Expr) -> bool {
        if let Expr::Not(operand) = condition {
            return self.is_device_dirty(operand);
        }
        let Expr::Binary(BinaryOp::Ne, operands) = condition else { return false };
        let [pointer, null] = &**operands;
        let Some(of) = self.pointer(pointer) else { return false };
        match of {
            // The struct's address as a number.
            Pointer::Struct => *null == Expr::UInt(0, Type::of(Scalar::UInt(64))),
            Pointer::Host => is_null(null),
        }
    }

    /// The buffer and the alignment in bytes, if a condition requires this alignment of the
    /// buffer's elements.
    pub(super) fn aligned_host(&self, condition: &Expr) -> Option<(NameId, u64)> {
        let word = Type::of(Scalar::UInt(64));
        let Expr::Binary(BinaryOp::Eq, operands) = condition else { return None };
        let [Expr::Binary(BinaryOp::Mod, operands), Expr::UInt(0, zero)] = &**operands else {
            return None;
        };
        let [Expr::Reinterpret(to, pointer), Expr::UInt(bytes, of)] = &**operands else {
            return None;
        };
        let Expr::Variable { name, ty: _ } = &**pointer else { return None };
        let is_host = self.nodes.lookup(*name) == Some(Binding::Host(*name));
        let is_word = [to, zero, of].into_iter().all(|ty| *ty == word);
        (is_host && is_word && bytes.is_power_of_two()).then_some((*name, *bytes))
    }

    fn is_device_dirty(&self, expr: &Expr) -> bool {
        let Expr::Variable { name, ty: _ } = expr else { return false };
        matches!(self.nodes.lookup(*name), Some(Binding::DeviceDirty(_)))
    }

    fn pointer(&self, expr: &Expr) -> Option<Pointer> {
        if let Expr::Reinterpret(to, inner) = expr {
            let is_address = *to == Type::of(Scalar::UInt(64));
            let is_made = matches!(&**inner, Expr::Variable { name, ty: _ }
                if matches!(self.nodes.lookup(*name), Some(Binding::Struct(_))));
            return (is_address && (is_made || self.buffer_struct_of(inner).is_some()))
                .then_some(Pointer::Struct);
        }
        let Expr::Variable { name, ty: _ } = expr else { return None };
        matches!(self.nodes.lookup(*name), Some(Binding::Host(_))).then_some(Pointer::Host)
    }

    /// Translates a call that is made for its effects.
    pub(super) fn evaluate(&mut self, pool: &mut Pool, value: &Expr) -> Result<()> {
        if matches!(value, Expr::Int(_, _) | Expr::UInt(_, _)) {
            return Ok(());
        }
        if self.nodes.shows(value) {
            return self.nodes.show(pool, value);
        }
        let Expr::Call(call) = value else {
            return unsupported("an expression that is evaluated for its effects");
        };
        let name = self.nodes.names.text(call.name);
        let is_known = match name {
            "_halide_buffer_set_host_dirty" | "_halide_buffer_set_device_dirty" => {
                match self.named_buffer(&call.args) {
                    Some((buffer, [flag])) if *flag == Expr::UInt(1, Type::BOOL) => {
                        self.told(buffer, name.ends_with("device_dirty"))?;
                        true
                    }
                    Some(_) | None => false,
                }
            }
            "prefetch" => self.is_prefetch(pool, call)?,
            name if is_ignored(name) => {
                self.is_taken(name, &call.args)
                    && call.args.iter().all(|arg| is_harmless(self.nodes.names, arg))
            }
            "halide_semaphore_init" => {
                let Some((semaphore, count)) = self.semaphore_call(call) else {
                    return unsupported("this call of `halide_semaphore_init`");
                };
                return self.begin(semaphore, count);
            }
            "halide_semaphore_release" => {
                return unsupported("a release of a semaphore that no judged pair of tasks makes");
            }
            "add_image_checks_marker" | "skip_stages_marker" | "sliding_window_marker" => {
                !self.is_final && call.args.is_empty()
            }
            _ => false,
        };
        if is_known { Ok(()) } else { unsupported(format!("this call of `{name}`")) }
    }

    /// Tests whether a call has the operands that its function follows: pairs of a struct that the
    /// statement made, the crop, and its buffer. After several crops comes null.
    fn is_taken(&self, name: &str, args: &[Expr]) -> bool {
        if !name.starts_with("_halide_buffer_retire_") {
            return true;
        }
        let [Expr::Call(made)] = args else { return false };
        let pairs = if name.contains("crops") {
            let Some((last, pairs)) = made.args.split_last() else { return false };
            if !is_null(last) {
                return false;
            }
            pairs
        } else {
            &made.args
        };
        let is_made = |expr: &Expr| {
            matches!(expr, Expr::Variable { name, ty: _ }
                if matches!(self.nodes.lookup(*name), Some(Binding::Struct(_))))
        };
        let count = pairs.len();
        self.nodes.names.text(made.name) == "make_struct"
            && count.is_multiple_of(2)
            && (name.contains("crops") || count == 2)
            && pairs.chunks(2).all(|pair| {
                is_made(&pair[0])
                    && (is_made(&pair[1]) || self.buffer_struct_of(&pair[1]).is_some())
            })
    }

    /// Tests whether a call is a prefetch, which is no fault whatever its address. The arguments
    /// are elaborated.
    fn is_prefetch(&mut self, pool: &mut Pool, call: &Call) -> Result<bool> {
        let Some((Expr::Variable { name, ty: _ }, args)) = call.args.split_first() else {
            return Ok(false);
        };
        for arg in args {
            if !is_harmless(self.nodes.names, arg) {
                return Ok(false);
            }
            self.nodes.elaborate(pool, arg)?;
        }
        Ok(self.nodes.buffers.contains_key(name) && !args.is_empty())
    }

    /// The semaphore and the count of a call `halide_semaphore_…(SEMAPHORE, COUNT)`.
    pub(super) fn semaphore_call(&self, call: &Call) -> Option<(NameId, i64)> {
        let [semaphore, Expr::Int(count, _)] = call.args.as_slice() else { return None };
        Some((self.semaphore(semaphore)?, *count))
    }

    /// The semaphore that an expression names.
    pub(super) fn semaphore(&self, expr: &Expr) -> Option<NameId> {
        let Expr::Variable { name, ty: _ } = expr else { return None };
        (self.nodes.lookup(*name) == Some(Binding::Semaphore)).then_some(*name)
    }

    fn begin(&mut self, semaphore: NameId, count: i64) -> Result<()> {
        match self.semaphores.get_mut(&semaphore) {
            Some(Semaphore { region, count: known @ None }) if *region == self.region => {
                *known = Some(count);
                Ok(())
            }
            Some(_) | None => unsupported("a semaphore that is given a count anew"),
        }
    }

    /// Takes the initial count of a semaphore. It belongs to one pair of tasks, so a second request
    /// fails.
    pub(super) fn take_count(&mut self, semaphore: NameId) -> Result<i64> {
        match self.semaphores.remove(&semaphore) {
            Some(Semaphore { region, count: Some(count) }) if region == self.region => Ok(count),
            Some(_) | None => unsupported(
                "a semaphore that is given no count before the tasks, or serves others too",
            ),
        }
    }
}

impl Nodes<'_> {
    /// Tests whether two expressions are a caller's own pointer and the null pointer.
    pub(super) fn is_host(&self, pointer: &Expr, null: &Expr) -> bool {
        let Expr::Variable { name, ty: _ } = pointer else { return false };
        is_null(null) && matches!(self.lookup(*name), Some(Binding::Host(_)))
    }
}

/// A caller's pointer.
enum Pointer {
    /// A pointer to a buffer's struct, as a number.
    Struct,
    /// A pointer to its elements.
    Host,
}

/// Tests whether an expression is the null pointer.
pub(super) fn is_null(expr: &Expr) -> bool {
    let Expr::Reinterpret(to, inner) = expr else { return false };
    matches!(to.scalar, Scalar::Handle(_)) && **inner == Expr::UInt(0, Type::of(Scalar::UInt(64)))
}

/// The device of a function that gives its interface.
fn device(function: &str) -> Option<&str> {
    function.strip_prefix("halide_")?.strip_suffix("_device_interface")
}

/// Tests whether a value is a pointer.
fn is_pointer(value: &Expr) -> bool {
    let ty = if let Expr::Call(call) = value {
        call.ty
    } else if let Expr::Variable { name: _, ty } = value {
        *ty
    } else if let Expr::Cast(ty, _) | Expr::Reinterpret(ty, _) = value {
        Some(*ty)
    } else if let Expr::Let { name: _, value: _, body } = value {
        return is_pointer(body);
    } else {
        None
    };
    ty.is_some_and(|ty| matches!(ty.scalar, Scalar::Handle(_)))
}
