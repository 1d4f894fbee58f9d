//! Calls: intrinsics, functions on floats, functions of Halide's runtime that a statement calls,
//! and functions of C, which are known only by their names.

use halidom_halide_ir::tree::{Call, CallKind, Expr};

use super::{Bound, Compiled, Compiler};
use crate::calls::Function;
use crate::code::{BufferCall, Compute, Decides, Field, Init, Op, Reg, SyncCall};
use crate::value::{Kind, Ty};

impl Compiler<'_> {
    /// Compiles a call.
    pub(super) fn call(&mut self, call: &Call) -> Compiled<(Reg, Ty)> {
        let Call { name, ty, args, kind, component, parameter } = call;
        let name = self.text(*name).to_owned();
        let said = ty.map(|ty| self.ty(ty)).transpose()?;
        if *component != 0 || parameter.is_some() {
            return self.refuse(format!("`{name}` of a component or parameter"));
        }
        match kind {
            Some(CallKind::Image | CallKind::Halide) => {
                return self.refuse(format!("the func or image `{name}`"));
            }
            Some(CallKind::ExternCPlusPlus) => {
                return self.refuse(format!("the function `{name}` of C++"));
            }
            Some(CallKind::Intrinsic | CallKind::PureIntrinsic) => {
                if let Some(result) = self.intrinsic(&name, said, args)? {
                    return Ok(result);
                }
                return self.refuse(format!("the intrinsic `{name}`"));
            }
            Some(CallKind::Extern | CallKind::PureExtern) => {
                if let Some(result) = self.function(&name, said, args)? {
                    return Ok(result);
                }
                if said.is_none() || ["halide_", "_halide_"].iter().any(|of| name.starts_with(of)) {
                    return self.refuse(format!("the function `{name}`"));
                }
                return self.lanewise(&name, Function::named(&name), said, args);
            }
            None => {}
        }
        // A text omits the kind, but no intrinsic has the name of a function.
        if let Some(result) = self.intrinsic(&name, said, args)? {
            return Ok(result);
        }
        match self.function(&name, said, args)? {
            Some(result) => Ok(result),
            None => self.refuse(format!("`{name}`")),
        }
    }

    fn intrinsic(
        &mut self,
        name: &str,
        said: Option<Ty>,
        args: &[Expr],
    ) -> Compiled<Option<(Reg, Ty)>> {
        match (name, args) {
            ("if_then_else", _) => return self.if_then_else(args).map(Some),
            ("likely" | "likely_if_innermost", [value]) => return self.expr(value).map(Some),
            ("return_second", [first, second]) => {
                self.expr(first)?;
                return self.expr(second).map(Some);
            }
            ("promise_clamped" | "unsafe_promise_clamped", [value, least, greatest]) => {
                return self.promise(value, [least, greatest]).map(Some);
            }
            ("require", [condition, value, message]) => {
                let (condition, ty) = self.expr(condition)?;
                if ty.kind != Kind::UInt(1) || self.mask.is_some() || ty.lanes != 1 {
                    return self.refuse("`require` of lanes");
                }
                self.assertion(condition, message)?;
                return self.expr(value).map(Some);
            }
            // A prefetch has no effect: its address may be beyond any memory.
            ("prefetch", _) => {
                let Some(ty) = said.or(Some(Ty::INT32)) else { return Ok(None) };
                let reg =
                    self.constant(crate::value::Value::of(ty.lanes, |_| crate::value::Lane::of(0)));
                return Ok(Some((reg, ty)));
            }
            ("alloca", [size]) if *size == Expr::Int(16, halidom_halide_ir::tree::Type::INT32) => {
                if said.is_none_or(|ty| ty != Ty::HANDLE) {
                    return self.refuse("`alloca` of what is no semaphore");
                }
                let dst = self.register();
                self.emit(Op::Sync { dst, call: SyncCall::MakeSemaphore });
                return Ok(Some((dst, Ty::HANDLE)));
            }
            ("gpu_thread_barrier", [fence]) => {
                if self.kernel.is_none() || self.mask.is_some() || !matches!(fence, Expr::Int(_, _))
                {
                    return self.refuse("a barrier outside of a kernel");
                }
                self.is_structured = false;
                self.emit(Op::Barrier);
                let reg = self.constant(crate::value::Value::One(crate::value::Lane::of(0)));
                return Ok(Some((reg, Ty::INT32)));
            }
            _ => {}
        }
        let Some(function) = Function::intrinsic(name) else { return Ok(None) };
        self.lanewise(name, function, said, args).map(Some)
    }

    /// Compiles a function that is applied to each lane.
    fn lanewise(
        &mut self,
        name: &str,
        function: Function,
        said: Option<Ty>,
        args: &[Expr],
    ) -> Compiled<(Reg, Ty)> {
        let mut values = Vec::new();
        let mut lanes = said.map_or(1, |ty| ty.lanes);
        let mut widths = Vec::new();
        for arg in args {
            let (reg, ty) = self.expr(arg)?;
            values.push((reg, ty.kind));
            lanes = lanes.max(ty.lanes);
            widths.push(ty.lanes);
        }
        let kinds: Vec<Kind> = values.iter().map(|(_, kind)| *kind).collect();
        let derived = function.result(&kinds);
        let Some(kind) = said.map(|ty| ty.kind).or(derived) else {
            return self.refuse(format!("`{name}` without its type"));
        };
        let is_fine = function.arity().is_none_or(|arity| arity == args.len())
            // The number by which a `mux` selects may be one for all lanes.
            && widths.iter().enumerate().all(|(place, width)| {
                *width == lanes || (function == Function::Mux && place == 0 && *width == 1)
            })
            && said.is_none_or(|said| said.lanes == lanes)
            && function.takes(&kinds, kind);
        if !is_fine {
            return self.refuse(format!("`{name}` of operands of these types"));
        }
        if matches!(function, Function::DivToZero | Function::ModToZero) && self.mask.is_some() {
            return self.refuse(format!("`{name}` in `if_then_else` by lanes"));
        }
        let dst = self.register();
        self.set(dst, Compute::Call { function, args: values, kind, lanes });
        Ok((dst, Ty { kind, lanes }))
    }

    fn promise(&mut self, value: &Expr, bounds: [&Expr; 2]) -> Compiled<(Reg, Ty)> {
        let (a, ty) = self.expr(value)?;
        let [least, greatest] = bounds;
        let (least, of_least) = self.expr(least)?;
        let (greatest, of_greatest) = self.expr(greatest)?;
        if of_least != ty || of_greatest != ty || !ty.kind.is_int() {
            return self.refuse("a promise of bounds of other types");
        }
        let dst = self.register();
        self.set(dst, Compute::Promise { kind: ty.kind, a, least, greatest, lanes: ty.lanes });
        Ok((dst, ty))
    }

    fn function(
        &mut self,
        name: &str,
        said: Option<Ty>,
        args: &[Expr],
    ) -> Compiled<Option<(Reg, Ty)>> {
        if let Some((function, kind)) = Function::of_floats(name) {
            let is_constant =
                matches!(function, Function::Nan | Function::Infinity | Function::MinusInfinity);
            let said = said.or(is_constant.then_some(Ty { kind, lanes: 1 }));
            let result = self.lanewise(name, function, said, args)?;
            return Ok(Some(result));
        }
        if self.mask.is_some() {
            return self.refuse(format!("`{name}` in `if_then_else` by lanes"));
        }
        if let Some(field) = name.strip_prefix("_halide_buffer_") {
            return self.buffer(field, args);
        }
        if self.kernel.is_some() {
            return self.refuse(format!("`{name}` in a kernel"));
        }
        let dst = self.register();
        match (name, args) {
            ("halide_semaphore_init", [semaphore, count]) => {
                let semaphore = self.typed(semaphore, Ty::HANDLE, name)?;
                let count = self.typed(count, Ty::INT32, name)?;
                self.emit(Op::Sync { dst, call: SyncCall::InitSemaphore { semaphore, count } });
                self.is_structured = false;
                Ok(Some((dst, Ty::INT32)))
            }
            ("halide_semaphore_release", [semaphore, count]) => {
                let semaphore = self.typed(semaphore, Ty::HANDLE, name)?;
                let count = self.typed(count, Ty::INT32, name)?;
                self.emit(Op::Sync { dst, call: SyncCall::Release { semaphore, count } });
                Ok(Some((dst, Ty::INT32)))
            }
            ("halide_mutex_array_create", [extent]) => {
                let (extent, ty) = self.expr(extent)?;
                if !ty.kind.is_int() || ty.lanes != 1 {
                    return self.refuse("locks of a number of another type");
                }
                self.emit(Op::Sync { dst, call: SyncCall::MakeLocks { extent, kind: ty.kind } });
                Ok(Some((dst, Ty::HANDLE)))
            }
            (
                "halide_mutex_array_lock" | "halide_mutex_array_unlock",
                [Expr::Variable { name: locks, ty: _ }, index],
            ) => {
                let Some(bound) = self.bound(*locks).filter(|bound| bound.ty == Ty::HANDLE) else {
                    return self.refuse("a lock of what are no locks");
                };
                let (index, ty) = self.expr(index)?;
                if !ty.kind.is_int() || ty.lanes != 1 {
                    return self.refuse("a lock for each lane");
                }
                let is_lock = name == "halide_mutex_array_lock";
                self.emit(Op::Sync {
                    dst,
                    call: SyncCall::Lock { locks: bound.reg, index, kind: ty.kind, is_lock },
                });
                Ok(Some((dst, Ty::INT32)))
            }
            ("halide_print" | "halide_trace_helper", args) => {
                self.show(args)?;
                let lane = crate::value::Lane::of(0);
                self.set(dst, Compute::Const(crate::value::Value::One(lane)));
                Ok(Some((dst, Ty::INT32)))
            }
            // What is put together for a print is a pointer that no code follows.
            ("stringify" | "make_struct", args) => {
                self.show(args)?;
                let lane = crate::value::Lane::of(crate::memory::OTHERS);
                self.set(dst, Compute::Const(crate::value::Value::One(lane)));
                Ok(Some((dst, Ty::HANDLE)))
            }
            ("halide_cuda_device_interface", []) => {
                let lane = crate::value::Lane::of(crate::memory::OTHERS);
                self.set(dst, Compute::Const(crate::value::Value::One(lane)));
                Ok(Some((dst, Ty::HANDLE)))
            }
            ("halide_copy_to_device", [buffer, interface]) => {
                let buffer = self.typed(buffer, Ty::HANDLE, name)?;
                self.typed(interface, Ty::HANDLE, name)?;
                self.emit(Op::Buffer { dst, buffer, call: BufferCall::CopyToDevice });
                Ok(Some((dst, Ty::INT32)))
            }
            ("halide_copy_to_host", [buffer]) => {
                let buffer = self.typed(buffer, Ty::HANDLE, name)?;
                self.emit(Op::Buffer { dst, buffer, call: BufferCall::CopyToHost });
                Ok(Some((dst, Ty::INT32)))
            }
            _ => Ok(None),
        }
    }

    /// Compiles the values that a call prints or traces. Nothing else follows from the call: no
    /// code depends on the number that it returns.
    fn show(&mut self, args: &[Expr]) -> Compiled<()> {
        for arg in args {
            let part = if let Expr::Broadcast { value, lanes: _ } = arg { value } else { arg };
            if let Expr::String(_) = part {
                continue;
            }
            if let Expr::Call(call) = part {
                let Call { name, ty: _, args, kind: _, component: _, parameter: _ } = &**call;
                if matches!(self.text(*name), "stringify" | "make_struct") {
                    self.show(args)?;
                    continue;
                }
            }
            self.expr(arg)?;
        }
        Ok(())
    }

    /// Compiles an argument that must have a given type.
    fn typed(&mut self, arg: &Expr, wanted: Ty, name: &str) -> Compiled<Reg> {
        let (reg, ty) = self.expr(arg)?;
        if ty != wanted {
            return self.refuse(format!("`{name}` of arguments of these types"));
        }
        Ok(reg)
    }

    /// Compiles a call that reads or writes a `halide_buffer_t`.
    fn buffer(&mut self, field: &str, args: &[Expr]) -> Compiled<Option<(Reg, Ty)>> {
        if self.kernel.is_some() {
            return self.refuse(format!("`_halide_buffer_{field}` in a kernel"));
        }
        let name = format!("_halide_buffer_{field}");
        let Some(buffer) = args.first() else { return Ok(None) };
        let buffer = self.typed(buffer, Ty::HANDLE, &name)?;
        let dst = self.register();
        let uint32 = Ty { kind: Kind::UInt(32), lanes: 1 };
        let plain = match field {
            "get_host" => Some((Field::Host, Ty::HANDLE)),
            "get_type" => Some((Field::Type, uint32)),
            "get_dimensions" => Some((Field::Dimensions, Ty::INT32)),
            "get_shape" => Some((Field::Shape, Ty::HANDLE)),
            "get_host_dirty" => Some((Field::HostDirty, Ty::BOOL)),
            "get_device_dirty" => Some((Field::DeviceDirty, Ty::BOOL)),
            "is_bounds_query" => Some((Field::IsBoundsQuery, Ty::BOOL)),
            _ => None,
        };
        if let (Some((field, ty)), [_]) = (plain, args) {
            self.emit(Op::Buffer { dst, buffer, call: BufferCall::Get { field, dim: None } });
            return Ok(Some((dst, ty)));
        }
        let side = match field {
            "get_min" => Some(Field::Min),
            "get_max" => Some(Field::Max),
            "get_extent" => Some(Field::Extent),
            "get_stride" => Some(Field::Stride),
            _ => None,
        };
        match (side, field, args) {
            (Some(field), _, [_, dim]) => {
                let dim = self.typed(dim, Ty::INT32, &name)?;
                self.emit(Op::Buffer {
                    dst,
                    buffer,
                    call: BufferCall::Get { field, dim: Some(dim) },
                });
                Ok(Some((dst, Ty::INT32)))
            }
            (None, "set_host_dirty" | "set_device_dirty", [_, flag]) => {
                let flag = self.typed(flag, Ty::BOOL, &name)?;
                let call = BufferCall::SetDirty { flag, of_device: field == "set_device_dirty" };
                self.emit(Op::Buffer { dst, buffer, call });
                Ok(Some((dst, Ty::INT32)))
            }
            (
                None,
                "init",
                [_, shape, host, device, interface, code, bits, dimensions, sides, flags],
            ) => {
                let is_zero = |expr: &Expr| matches!(expr, Expr::UInt(0, _));
                let is_null =
                    |expr: &Expr| matches!(expr, Expr::Reinterpret(_, value) if is_zero(value));
                if !is_null(host) || !is_null(interface) || !is_zero(device) {
                    return self.refuse("a buffer that is made of other memory");
                }
                let shape = self.typed(shape, Ty::HANDLE, &name)?;
                let code = self.typed(code, Ty::INT32, &name)?;
                let bits = self.typed(bits, Ty::INT32, &name)?;
                let dimensions = self.typed(dimensions, Ty::INT32, &name)?;
                let flags = self.typed(flags, Ty { kind: Kind::UInt(64), lanes: 1 }, &name)?;
                let sides = self.sides(sides)?;
                let init = Init { shape, code, bits, dimensions, sides, flags };
                let call = BufferCall::Init(Box::new(init));
                self.emit(Op::Buffer { dst, buffer, call });
                Ok(Some((dst, Ty::HANDLE)))
            }
            _ => Ok(None),
        }
    }

    /// Compiles the min, extent, stride and flags of each dimension.
    fn sides(&mut self, sides: &Expr) -> Compiled<Vec<Reg>> {
        let Expr::Call(call) = sides else {
            return self.refuse("sides of a buffer that are no struct");
        };
        let Call { name, ty: _, args, kind: _, component: 0, parameter: None } = &**call else {
            return self.refuse("sides of a buffer that are no struct");
        };
        if self.text(*name) != "make_struct" || !args.len().is_multiple_of(4) {
            return self.refuse("sides of a buffer that are no struct");
        }
        let mut registers = Vec::new();
        for arg in args {
            registers.push(self.typed(arg, Ty::INT32, "make_struct")?);
        }
        Ok(registers)
    }

    /// Ends the run with the message's error where the condition does not hold.
    pub(super) fn assertion(&mut self, condition: Reg, message: &Expr) -> Compiled<()> {
        let failing = self.emit(Op::Unless { condition, to: 0, decides: Decides::Assertion });
        let over = self.emit(Op::Jump(0));
        let here = self.here();
        self.patch(failing, here);
        self.message(message)?;
        let here = self.here();
        self.patch(over, here);
        Ok(())
    }

    /// Compiles the end of a run with an error.
    fn message(&mut self, message: &Expr) -> Compiled<()> {
        match message {
            Expr::Let { name, value, body } => {
                let (reg, ty) = self.expr(value)?;
                self.bind(*name, Bound { reg, ty, memory: None });
                let result = self.nested(|compiler| compiler.message(body));
                self.unbind(*name);
                return result;
            }
            Expr::Call(call) => {
                let Call { name, ty: _, args, kind: _, component: 0, parameter: None } = &**call
                else {
                    return self.refuse("an assertion without an error");
                };
                if !self.text(*name).starts_with("halide_error") {
                    return self
                        .refuse(format!("an assertion whose error is `{}`", self.text(*name)));
                }
                let error = self.shared_text(*name);
                let mut values = Vec::new();
                let mut strings = Vec::new();
                for arg in args {
                    // A text that `stringify` puts together is shown part by part.
                    let mut parts = std::slice::from_ref(arg);
                    if let Expr::Call(call) = arg
                        && self.text(call.name) == "stringify"
                    {
                        parts = &call.args;
                    }
                    for part in parts {
                        let string =
                            if let Expr::String(bytes) = part { Some(bytes) } else { None };
                        strings.push(string.map(|bytes| String::from_utf8_lossy(bytes).into()));
                        let (reg, ty) = self.expr(part)?;
                        values.push((reg, ty.kind));
                    }
                }
                self.emit(Op::Fail { error, args: values, strings });
            }
            // The result of a call, which reports the error itself.
            Expr::Variable { name, ty: _ } => {
                let (reg, ty) = self.expr(message)?;
                if ty != Ty::INT32 {
                    return self.refuse("an assertion whose error is no number");
                }
                let error = self.shared_text(*name);
                self.emit(Op::Fail { error, args: vec![(reg, ty.kind)], strings: vec![None] });
            }
            Expr::Int(_, _)
            | Expr::UInt(_, _)
            | Expr::Float(_, _)
            | Expr::String(_)
            | Expr::Cast(_, _)
            | Expr::Reinterpret(_, _)
            | Expr::Binary(_, _)
            | Expr::Not(_)
            | Expr::Select(_)
            | Expr::Load(_)
            | Expr::Ramp { base: _, stride: _, lanes: _ }
            | Expr::Broadcast { value: _, lanes: _ }
            | Expr::Shuffle(_, _)
            | Expr::VectorReduce(_, _, _) => return self.refuse("an assertion without an error"),
        }
        Ok(())
    }
}
