//! Expressions.

use halidom_halide_ir::NameId;
use halidom_halide_ir::tree::{Alignment, BinaryOp, Call, Expr, Load, ShuffleKind, Type};

use super::{Bound, Compiled, Compiler};
use crate::code::{Compute, Decides, Index, Op, Place, Reg};
use crate::float;
use crate::value::{Kind, Lane, Ty, Value};

/// The deepest nesting of indices that is compiled.
const MOST_INDICES: u32 = 6;

impl Compiler<'_> {
    /// Compiles an expression, and returns the register of its value.
    pub(super) fn expr(&mut self, expr: &Expr) -> Compiled<(Reg, Ty)> {
        self.nested(|compiler| compiler.expr_here(expr))
    }

    fn expr_here(&mut self, expr: &Expr) -> Compiled<(Reg, Ty)> {
        match expr {
            Expr::Int(value, ty) => {
                let ty = self.ty(*ty)?;
                let (least, greatest) = ty.kind.range();
                if !ty.kind.is_signed() || !(least..=greatest).contains(&i128::from(*value)) {
                    return self.refuse("an integer beyond its type");
                }
                Ok(self.number(ty, ty.kind.wrapped(i128::from(*value))))
            }
            Expr::UInt(value, ty) => {
                let ty = self.ty(*ty)?;
                if !ty.kind.is_int() || ty.kind.is_signed() || *value > ty.kind.mask() {
                    return self.refuse("an integer beyond its type");
                }
                Ok(self.number(ty, Lane::of(*value)))
            }
            Expr::Float(value, ty) => {
                let ty = self.ty(*ty)?;
                if !ty.kind.is_float() {
                    return self.refuse("a float of another type");
                }
                Ok(self.number(ty, Lane::of(float::encode(ty.kind, *value))))
            }
            Expr::String(_) => Ok(self.number(Ty::HANDLE, Lane::of(crate::memory::OTHERS))),
            Expr::Variable { name, ty } => self.variable(*name, *ty),
            Expr::Cast(ty, value) => self.cast(*ty, value),
            Expr::Reinterpret(ty, value) => self.reinterpret(*ty, value),
            Expr::Binary(op, operands) => {
                let [a, b] = &**operands;
                self.binary(*op, a, b)
            }
            Expr::Not(value) => {
                let (a, ty) = self.expr(value)?;
                if ty.kind != Kind::UInt(1) {
                    return self.refuse("the negation of what is no truth value");
                }
                let dst = self.register();
                self.set(dst, Compute::Not { a, lanes: ty.lanes });
                Ok((dst, ty))
            }
            Expr::Select(operands) => {
                let [condition, a, b] = &**operands;
                self.select(condition, a, b)
            }
            Expr::Load(load) => {
                let atomic = self.updated == Some(load.name);
                self.load(load, atomic)
            }
            Expr::Ramp { base, stride, lanes } => self.ramp(base, stride, *lanes),
            Expr::Broadcast { value, lanes } => {
                let (a, ty) = self.expr(value)?;
                let ty = self.lanes(ty, ty.lanes.saturating_mul(*lanes))?;
                let dst = self.register();
                self.set(dst, Compute::Repeat { a, lanes: ty.lanes });
                Ok((dst, ty))
            }
            Expr::Call(call) => self.call(call),
            Expr::Let { name, value, body } => {
                let (reg, ty) = self.expr(value)?;
                self.bind(*name, Bound { reg, ty, memory: None });
                let result = self.expr(body);
                self.unbind(*name);
                result
            }
            Expr::Shuffle(kind, vectors) => self.shuffle(kind, vectors),
            Expr::VectorReduce(op, ty, value) => {
                let to = self.ty(*ty)?;
                let (a, from) = self.expr(value)?;
                if from.kind != to.kind
                    || !from.lanes.is_multiple_of(to.lanes)
                    || from.kind == Kind::Handle
                {
                    return self.refuse("a reduction to lanes that do not divide those before");
                }
                let dst = self.register();
                self.set(dst, Compute::Reduce { op: *op, kind: to.kind, a, lanes: to.lanes });
                Ok((dst, to))
            }
        }
    }

    fn lanes(&self, ty: Ty, lanes: u32) -> Compiled<Ty> {
        if lanes == 0 || lanes > crate::value::MOST_LANES {
            return self.refuse(format!("a vector of {lanes} lanes"));
        }
        Ok(Ty { lanes, ..ty })
    }

    fn number(&mut self, ty: Ty, lane: Lane) -> (Reg, Ty) {
        let reg = self.constant(Value::of(ty.lanes, |_| lane));
        (reg, ty)
    }

    fn cast(&mut self, ty: Type, value: &Expr) -> Compiled<(Reg, Ty)> {
        let to = self.ty(ty)?;
        let (a, from) = self.expr(value)?;
        if from.lanes != to.lanes {
            return self.refuse("a cast to another number of lanes");
        }
        if from.kind == to.kind {
            return Ok((a, to));
        }
        if from.kind == Kind::Handle || to.kind == Kind::Handle {
            return self.refuse("a pointer as a number");
        }
        let dst = self.register();
        self.set(dst, Compute::Cast { from: from.kind, to: to.kind, a, lanes: to.lanes });
        Ok((dst, to))
    }

    fn select(&mut self, condition: &Expr, a: &Expr, b: &Expr) -> Compiled<(Reg, Ty)> {
        let (condition, of) = self.expr(condition)?;
        let (a, ty) = self.expr(a)?;
        let (b, other) = self.expr(b)?;
        if of.kind != Kind::UInt(1) || ty != other || (of.lanes != 1 && of.lanes != ty.lanes) {
            return self.refuse("a select of operands of different types");
        }
        let dst = self.register();
        self.set(dst, Compute::Select { condition, a, b, lanes: ty.lanes });
        Ok((dst, ty))
    }

    fn ramp(&mut self, base: &Expr, stride: &Expr, lanes: u32) -> Compiled<(Reg, Ty)> {
        let (base, ty) = self.expr(base)?;
        let (stride, other) = self.expr(stride)?;
        if ty != other || ty.lanes != 1 || lanes < 2 || !(ty.kind.is_int() || ty.kind.is_float()) {
            return self.refuse("a ramp of vectors");
        }
        let ty = self.lanes(ty, lanes)?;
        let dst = self.register();
        self.set(dst, Compute::Ramp { kind: ty.kind, base, stride, lanes });
        Ok((dst, ty))
    }

    fn variable(&mut self, name: NameId, said: Option<Type>) -> Compiled<(Reg, Ty)> {
        let said = said.map(|ty| self.ty(ty)).transpose()?;
        let Some(bound) = self.bound(name) else { return self.free_name(name, said) };
        if said.is_some_and(|said| said != bound.ty) {
            return self.refuse(format!("`{}` as of another type", self.text(name)));
        }
        if bound.memory.is_some() || (self.kernel.is_some() && bound.ty.kind == Kind::Handle) {
            return self.refuse(format!("the pointer `{}` as a value", self.text(name)));
        }
        Ok((bound.reg, bound.ty))
    }

    fn reinterpret(&mut self, ty: Type, value: &Expr) -> Compiled<(Reg, Ty)> {
        let to = self.ty(ty)?;
        let is_null = matches!(value, Expr::UInt(0, _) | Expr::Int(0, _));
        let (a, from) = self.expr(value)?;
        if (to.kind == Kind::Handle) != (from.kind == Kind::Handle) && !is_null {
            // Addresses are numbers that differ from run to run. They may only be compared with
            // null, and asked for their alignment.
            let is_asked = to.kind == Kind::UInt(64) && to.lanes == 1 && self.is_asserting;
            if !is_asked {
                return self.refuse("a pointer as a number");
            }
        }
        let width = |ty: Ty| u64::from(ty.kind.bits()) * u64::from(ty.lanes);
        let has_bools = from.kind == Kind::UInt(1) || to.kind == Kind::UInt(1);
        if width(from) != width(to) || (has_bools && from != to) {
            return self.refuse("the bits of a type of another width");
        }
        let dst = self.register();
        self.set(
            dst,
            Compute::Reinterpret { from: (from.kind, from.lanes), to: (to.kind, to.lanes), a },
        );
        Ok((dst, to))
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr) -> Compiled<(Reg, Ty)> {
        let (a, ty) = self.expr(a)?;
        let (b, other) = self.expr(b)?;
        if ty.lanes != other.lanes || ty.kind != other.kind {
            return self.refuse(format!("operands of {op:?} of different types"));
        }
        let is_logic = matches!(op, BinaryOp::And | BinaryOp::Or);
        let is_fine = match ty.kind {
            Kind::Handle => matches!(op, BinaryOp::Eq | BinaryOp::Ne),
            Kind::UInt(1) => {
                is_logic || op.is_comparison() || matches!(op, BinaryOp::Min | BinaryOp::Max)
            }
            Kind::Int(_)
            | Kind::UInt(_)
            | Kind::Half
            | Kind::BFloat
            | Kind::Single
            | Kind::Double => !is_logic,
        };
        if !is_fine {
            return self.refuse(format!("{op:?} of operands of its type"));
        }
        let dst = self.register();
        let mask = self.mask_of(ty.lanes)?;
        let kind = if ty.kind == Kind::Handle { Kind::UInt(64) } else { ty.kind };
        self.set(dst, Compute::Binary { op, kind, a, b, lanes: ty.lanes, mask });
        let result = if op.is_comparison() { Kind::UInt(1) } else { ty.kind };
        Ok((dst, ty.with(result)))
    }

    /// Returns the mask of the lanes that are evaluated for a vector of so many lanes, or `None` if
    /// all are. A scalar is evaluated if any lane is.
    pub(super) fn mask_of(&mut self, lanes: u32) -> Compiled<Option<Reg>> {
        let Some((mask, of)) = self.mask else { return Ok(None) };
        if lanes == of {
            return Ok(Some(mask));
        }
        if lanes == 1 {
            let dst = self.register();
            self.set(dst, Compute::Any(mask));
            return Ok(Some(dst));
        }
        self.refuse("a vector of other lanes in `if_then_else` by lanes")
    }

    /// Compiles a load of elements of memory.
    pub(super) fn load(&mut self, load: &Load, atomic: bool) -> Compiled<(Reg, Ty)> {
        let Load { name, ty, index, alignment, predicate } = load;
        let (pointer, element) = self.pointer(*name)?;
        let said = ty.map(|ty| self.ty(ty)).transpose()?;
        let index_at = self.index(index)?;
        let (index_at, lanes) = index_at;
        let kind = match (said, element) {
            (Some(said), _) => {
                if said.lanes != lanes {
                    return self.refuse("a load of other lanes than its index has");
                }
                said.kind
            }
            (None, Some(kind)) => kind,
            (None, None) => {
                return self
                    .refuse(format!("a load of `{}`, whose type nothing says", self.text(*name)));
            }
        };
        let is_dense = is_dense(index);
        let predicate = self.predicate(predicate.as_ref(), lanes)?;
        let mask = self.mask_of(lanes)?;
        let predicate = match (predicate, mask) {
            (Some(a), Some(b)) => {
                let dst = self.register();
                self.set(dst, Compute::Both { a, b, lanes });
                Some(dst)
            }
            (one, other) => one.or(other),
        };
        let alignment = self.alignment(*alignment)?;
        let place = Place { pointer, kind, lanes, index: index_at, alignment, predicate };
        let dst = self.register();
        // A dense masked load leaves poison in the other lanes; a load lane by lane leaves 0.
        self.emit(Op::Load { dst, place, zeroed: !is_dense, atomic });
        Ok((dst, Ty { kind, lanes }))
    }

    pub(super) fn alignment(&self, alignment: Option<Alignment>) -> Compiled<Option<Alignment>> {
        let Some(Alignment { modulus, remainder }) = alignment else { return Ok(None) };
        if modulus < 0 {
            return self.refuse("an alignment by a negative number");
        }
        // An alignment by 1 promises nothing. An alignment by 0 gives the index itself.
        Ok((modulus != 1).then_some(Alignment { modulus, remainder }))
    }

    pub(super) fn predicate(
        &mut self,
        predicate: Option<&Expr>,
        lanes: u32,
    ) -> Compiled<Option<Reg>> {
        let Some(predicate) = predicate else { return Ok(None) };
        let (reg, ty) = self.expr(predicate)?;
        if ty != (Ty { kind: Kind::UInt(1), lanes }) {
            return self.refuse("a predicate of another type or other lanes");
        }
        Ok(Some(reg))
    }

    /// Returns the pointer of a name, and the type of its elements if it is known.
    pub(super) fn pointer(&mut self, name: NameId) -> Compiled<(Reg, Option<Kind>)> {
        let Some(bound) = self.bound(name) else {
            return self.refuse(format!("memory `{}`, which nothing binds", self.text(name)));
        };
        if bound.ty != Ty::HANDLE {
            return self.refuse(format!("memory `{}`, which is no pointer", self.text(name)));
        }
        if let Some((element, _)) = bound.memory {
            return Ok((bound.reg, Some(element.kind)));
        }
        let text = self.text(name);
        let listed = self.signature.buffers.iter().find(|(listed, _)| listed == text);
        let kind = listed.and_then(|(_, scalar)| Kind::of(*scalar));
        let reg = match &self.kernel {
            None => bound.reg,
            Some(kernel) => match kernel.buffers.get(&name) {
                Some(reg) => *reg,
                None => {
                    return self.refuse(format!(
                        "`{text}` on the device, which has no buffer of its name"
                    ));
                }
            },
        };
        Ok((reg, kind))
    }

    /// Compiles the elements of an index. Sums, differences, products, minima and maxima at its top
    /// are computed in 64 bits, as `promote_64` does for single elements and ramps.
    pub(super) fn index(&mut self, index: &Expr) -> Compiled<(Index, u32)> {
        if let Expr::Ramp { base, stride, lanes } = index {
            let base = self.promoted(base)?;
            let (stride, ty) = self.expr(stride)?;
            if ty != Ty::INT32 && ty != Ty::INT64 {
                return self.refuse("a ramp of indices of another type");
            }
            let wide = self.widened(stride, ty);
            let lanes = self.lanes(Ty::INT64, *lanes)?.lanes;
            return Ok((Index::Ramp { base, stride: Some(wide) }, lanes));
        }
        // A scalar index is compiled twice, because only the first pass shows that it is one. So
        // nested indices are compiled exponentially often.
        let before = (self.code.len(), self.next);
        if self.indices == MOST_INDICES {
            return self
                .refuse("indices read from memory whose indices are read from memory, and so on");
        }
        self.indices += 1;
        let plain = self.expr(index);
        self.indices -= 1;
        let (reg, ty) = plain?;
        if !matches!(ty.kind, Kind::Int(32 | 64) | Kind::UInt(32)) {
            return self.refuse("an index of another type");
        }
        if ty.lanes > 1 {
            return Ok((Index::Lanes { index: reg, kind: ty.kind }, ty.lanes));
        }
        self.code.truncate(before.0);
        self.next = before.1;
        let base = self.promoted(index)?;
        Ok((Index::Ramp { base, stride: None }, 1))
    }

    fn widened(&mut self, a: Reg, ty: Ty) -> Reg {
        if ty.kind == Kind::Int(64) {
            return a;
        }
        let dst = self.register();
        self.set(dst, Compute::Cast { from: ty.kind, to: Kind::Int(64), a, lanes: 1 });
        dst
    }

    fn promoted(&mut self, index: &Expr) -> Compiled<Reg> {
        self.nested(|compiler| {
            if let Expr::Binary(op, operands) = index
                && matches!(
                    op,
                    BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Min | BinaryOp::Max
                )
            {
                let [a, b] = &**operands;
                let a = compiler.promoted(a)?;
                let b = compiler.promoted(b)?;
                let dst = compiler.register();
                let mask = compiler.mask_of(1)?;
                compiler.set(
                    dst,
                    Compute::Binary { op: *op, kind: Kind::Int(64), a, b, lanes: 1, mask },
                );
                return Ok(dst);
            }
            let (reg, ty) = compiler.expr(index)?;
            if ty.lanes != 1 || !matches!(ty.kind, Kind::Int(32 | 64) | Kind::UInt(32)) {
                return compiler.refuse("an index of another type");
            }
            Ok(compiler.widened(reg, ty))
        })
    }

    fn shuffle(&mut self, kind: &ShuffleKind, vectors: &[Expr]) -> Compiled<(Reg, Ty)> {
        let mut of = Vec::new();
        let mut types = Vec::new();
        for vector in vectors {
            let (reg, ty) = self.expr(vector)?;
            of.push(reg);
            types.push(ty);
        }
        let Some(first) = types.first().copied() else {
            return self.refuse("a shuffle of nothing");
        };
        if types.iter().any(|ty| ty.kind != first.kind) {
            return self.refuse("a shuffle of different types");
        }
        let total: i64 = types.iter().map(|ty| i64::from(ty.lanes)).sum();
        let lanes: Vec<i64> = match kind {
            ShuffleKind::Concat => (0..total).collect(),
            ShuffleKind::Interleave => {
                if types.iter().any(|ty| ty.lanes != first.lanes) {
                    return self.refuse("vectors of different lanes that are interleaved");
                }
                let count = types.len() as i64;
                let each = i64::from(first.lanes);
                (0..total).map(|lane| (lane % count) * each + lane / count).collect()
            }
            ShuffleKind::Extract(lane) => vec![*lane],
            ShuffleKind::Slice { begin, stride, count } => {
                if *count > total || *count < 1 {
                    return self.refuse("a slice of very many lanes");
                }
                (0..*count).map(|lane| begin.wrapping_add(lane.wrapping_mul(*stride))).collect()
            }
            ShuffleKind::Lanes(lanes) => lanes.clone(),
        };
        let mut chosen = Vec::new();
        for lane in lanes {
            if lane < -1 || lane >= total {
                return self.refuse("a shuffle of a lane that is not there");
            }
            chosen.push(u32::try_from(lane).ok());
        }
        let ty = self.lanes(first, u32::try_from(chosen.len()).unwrap_or(0))?;
        let dst = self.register();
        self.set(dst, Compute::Shuffle { of, lanes: chosen });
        Ok((dst, ty))
    }

    /// Compiles `if_then_else`. Only the chosen value is evaluated, lane by lane if the condition
    /// is a vector.
    pub(super) fn if_then_else(&mut self, args: &[Expr]) -> Compiled<(Reg, Ty)> {
        let (condition, then, other) = match args {
            [condition, then] => (condition, then, None),
            [condition, then, other] => (condition, then, Some(other)),
            _ => return self.refuse("`if_then_else` of other arguments"),
        };
        let condition =
            if let Expr::Broadcast { value, lanes: _ } = condition { &**value } else { condition };
        let (condition, of) = self.expr(condition)?;
        if of.kind != Kind::UInt(1) {
            return self.refuse("`if_then_else` by what is no truth value");
        }
        if of.lanes == 1 && self.mask.is_none() {
            let dst = self.register();
            let skip = self.emit(Op::Unless { condition, to: 0, decides: Decides::Branch });
            let (src, ty) = self.expr(then)?;
            self.set(dst, Compute::Copy(src));
            let end = self.emit(Op::Jump(0));
            let here = self.here();
            self.patch(skip, here);
            match other {
                Some(other) => {
                    let (src, same) = self.expr(other)?;
                    if same != ty {
                        return self.refuse("`if_then_else` of different types");
                    }
                    self.set(dst, Compute::Copy(src));
                }
                None => {
                    self.set(dst, Compute::Const(Value::of(ty.lanes, |_| Lane::of(0))));
                }
            }
            let here = self.here();
            self.patch(end, here);
            return Ok((dst, ty));
        }
        if self.mask.is_some() || of.lanes == 1 {
            return self.refuse("`if_then_else` by lanes within another");
        }
        let not = self.register();
        self.set(not, Compute::Not { a: condition, lanes: of.lanes });
        self.mask = Some((condition, of.lanes));
        let then = self.expr(then);
        self.mask = Some((not, of.lanes));
        let other = other.map(|other| self.expr(other));
        self.mask = None;
        let (a, ty) = then?;
        let b = match other {
            Some(other) => {
                let (b, same) = other?;
                if same != ty {
                    return self.refuse("`if_then_else` of different types");
                }
                b
            }
            None => self.constant(Value::of(ty.lanes, |_| Lane::of(0))),
        };
        if ty.lanes != of.lanes {
            return self.refuse("`if_then_else` by other lanes than its values have");
        }
        let dst = self.register();
        self.set(dst, Compute::Select { condition, a, b, lanes: ty.lanes });
        Ok((dst, ty))
    }
}

/// Tests whether an index is a ramp with step 1 or -1, which is one access.
pub(super) fn is_dense(index: &Expr) -> bool {
    match index {
        Expr::Ramp { base: _, stride, lanes: _ } => matches!(**stride, Expr::Int(1 | -1, _)),
        Expr::Int(_, _)
        | Expr::UInt(_, _)
        | Expr::Float(_, _)
        | Expr::String(_)
        | Expr::Variable { name: _, ty: _ }
        | Expr::Cast(_, _)
        | Expr::Reinterpret(_, _)
        | Expr::Binary(_, _)
        | Expr::Not(_)
        | Expr::Select(_)
        | Expr::Load(_)
        | Expr::Broadcast { value: _, lanes: _ }
        | Expr::Call(_)
        | Expr::Let { name: _, value: _, body: _ }
        | Expr::Shuffle(_, _)
        | Expr::VectorReduce(_, _, _) => false,
    }
}

/// Tests whether an expression reads the memory with this name, or uses the name.
pub(super) fn uses(expr: &Expr, name: NameId) -> bool {
    let is_here = match expr {
        Expr::Variable { name: used, ty: _ } => *used == name,
        Expr::Load(load) => {
            let Load { name: used, ty: _, index: _, alignment: _, predicate: _ } = &**load;
            *used == name
        }
        Expr::Call(call) => {
            let Call { name: _, ty: _, args: _, kind: _, component: _, parameter } = &**call;
            *parameter == Some(name)
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
        | Expr::Ramp { base: _, stride: _, lanes: _ }
        | Expr::Broadcast { value: _, lanes: _ }
        | Expr::Let { name: _, value: _, body: _ }
        | Expr::Shuffle(_, _)
        | Expr::VectorReduce(_, _, _) => false,
    };
    let mut found = is_here;
    expr.for_each_operand(&mut |operand| found = found || uses(operand, name));
    found
}
