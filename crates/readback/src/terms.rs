//! Terms: the common normal form of the IR and of the C that was read back.
//!
//! # Correctness
//! The normal form forgets only what does not matter: each rule below replaces a term by one of
//! equal value. Arithmetic is either *exact* (C's signed operators, on `int`, which the IR bounds,
//! and on operands that C promoted) or modulo a power of two (C's unsigned operators). No rule
//! makes exact arithmetic from wrapping arithmetic, or wrapping arithmetic from exact arithmetic on
//! 64 bits, so C that may overflow never equals IR that wraps. Exact arithmetic on 32 bits is in
//! range: lifting has shown this.

use halidom_base::{FxHashMap, Id, IndexSet};
use halidom_ir::{
    BinaryOp, BufferId, Constant, ExprId, Intrinsic, Overflow, Pool, Scalar, Type, UnaryOp, VarId,
    eval,
};
use halidom_prelude::types::unsigned_of;

use crate::term::{Op, Ring, Term, TermId};

/// Interned terms with their types.
pub(crate) struct Terms<'a> {
    pub(crate) pool: &'a Pool,
    interned: IndexSet<Term>,
    types: Vec<Type>,
    /// The terms that [`Self::of_expr`] found.
    pub(crate) of_exprs: FxHashMap<ExprId, TermId>,
}

/// The error for an expression that has no term: no final program contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoTerm;

impl<'a> Terms<'a> {
    pub(crate) fn new(pool: &'a Pool) -> Self {
        Self {
            pool,
            interned: IndexSet::default(),
            types: Vec::new(),
            of_exprs: FxHashMap::default(),
        }
    }

    pub(crate) fn get(&self, id: TermId) -> &Term {
        &self.interned[id.index()]
    }

    pub(crate) fn ty(&self, id: TermId) -> Type {
        self.types[id.index()]
    }

    fn intern(&mut self, term: Term, ty: Type) -> TermId {
        let (index, inserted) = self.interned.insert_full(term);
        if inserted {
            self.types.push(ty);
        }
        TermId::from_index(index)
    }

    pub(crate) fn constant(&mut self, constant: Constant) -> TermId {
        // `int` is `i64` here; the printer refuses constants that do not fit.
        let constant = match (constant.scalar(), constant.as_integer()) {
            (Scalar::Int, Some(value)) => Constant::wrapped(Scalar::I64, value).unwrap_or(constant),
            _ => constant,
        };
        self.intern(Term::Const(constant), Type::scalar(constant.scalar()))
    }

    pub(crate) fn as_constant(&self, id: TermId) -> Option<Constant> {
        match self.get(id) {
            Term::Const(constant) => Some(*constant),
            Term::Broadcast(value, _) => self.as_constant(*value),
            Term::Var(_)
            | Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Select(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. }
            | Term::Shuffle(_) => None,
        }
    }

    pub(crate) fn var(&mut self, var: VarId) -> TermId {
        let ty = self.pool.var(var).ty;
        self.intern(Term::Var(var), ty.with_scalar(machine(ty.scalar)))
    }

    /// Returns a constant with this many lanes.
    fn spread(&mut self, constant: Constant, lanes: u32) -> TermId {
        let value = self.constant(constant);
        self.broadcast(value, lanes)
    }

    pub(crate) fn broadcast(&mut self, value: TermId, lanes: u32) -> TermId {
        if lanes == 1 {
            return value;
        }
        let ty = Type { scalar: self.ty(value).scalar, lanes };
        self.intern(Term::Broadcast(value, lanes), ty)
    }

    /// Returns chosen lanes of vectors, whose lanes are numbered in sequence. Returns `None` for
    /// vectors of several types and for a lane that does not exist.
    pub(crate) fn shuffle(&mut self, vectors: &[TermId], lanes: &[Option<u32>]) -> Option<TermId> {
        let ty = self.ty(*vectors.first()?);
        if ty.lanes < 2 || vectors.iter().any(|vector| self.ty(*vector) != ty) {
            return None;
        }
        let taken = |lane: u32| {
            let vector = *vectors.get((lane / ty.lanes) as usize)?;
            let lane = lane % ty.lanes;
            if let Term::Shuffle(inner) = self.get(vector) {
                inner.get(lane as usize).copied()
            } else {
                Some(Some((vector, lane)))
            }
        };
        let chosen = lanes.iter().map(|lane| lane.map_or(Some(None), taken));
        let chosen: Box<[_]> = chosen.collect::<Option<_>>()?;
        let lanes = u32::try_from(lanes.len()).ok()?;
        Some(self.intern(Term::Shuffle(chosen), Type { scalar: ty.scalar, lanes }))
    }

    pub(crate) fn ramp(&mut self, base: TermId, stride: TermId, lanes: u32) -> TermId {
        let ty = Type { scalar: Scalar::I64, lanes };
        self.intern(Term::Ramp { base, stride, lanes }, ty)
    }

    /// Returns a load. If the index is a broadcast, all lanes load one element.
    pub(crate) fn load(&mut self, buffer: BufferId, index: TermId) -> TermId {
        if let Term::Broadcast(value, lanes) = *self.get(index) {
            let element = self.load(buffer, value);
            return self.broadcast(element, lanes);
        }
        let scalar = in_memory(self.pool.buffer(buffer).scalar);
        let ty = self.ty(index).with_scalar(scalar);
        self.intern(Term::Load(buffer, index), ty)
    }

    /// Returns a sum, difference or product. Wrapping ones of signed numbers are computed unsigned.
    pub(crate) fn ring(&mut self, op: Ring, exact: bool, lhs: TermId, rhs: TermId) -> TermId {
        let ty = self.ty(lhs);
        if !(exact && self.overflows(op, lhs, rhs))
            && let Some(folded) = self.fold(ring_op(op), lhs, rhs)
        {
            return folded;
        }
        let unsigned = unsigned_of(ty.scalar);
        if !exact && ty.scalar.is_signed() {
            let lhs = self.cast(unsigned, lhs);
            let rhs = self.cast(unsigned, rhs);
            let result = self.ring(op, false, lhs, rhs);
            return self.cast(ty.scalar, result);
        }
        self.intern(Term::Ring { op, exact: exact && !ty.scalar.is_float(), lhs, rhs }, ty)
    }

    /// Tests whether the type does not hold the exact result of arithmetic on two constants.
    fn overflows(&self, op: Ring, lhs: TermId, rhs: TermId) -> bool {
        let value = |id| self.as_constant(id).and_then(Constant::as_integer);
        let (Some(a), Some(b)) = (value(lhs), value(rhs)) else { return false };
        let result = match op {
            Ring::Add => a.checked_add(b),
            Ring::Sub => a.checked_sub(b),
            Ring::Mul => a.checked_mul(b),
        };
        !result.is_some_and(|result| contains(self.ty(lhs).scalar, result))
    }

    pub(crate) fn neg(&mut self, exact: bool, operand: TermId) -> TermId {
        let ty = self.ty(operand);
        // The least number has no exact negation.
        let is_exact =
            |value: Constant| value.as_integer().is_none_or(|value| contains(ty.scalar, -value));
        if let Some(value) = self.as_constant(operand)
            && (!exact || is_exact(value))
            && let Ok(folded) = eval::unary(UnaryOp::Neg(Overflow::Wraps), value)
        {
            return self.spread(folded, ty.lanes);
        }
        if !exact && ty.scalar.is_signed() {
            let operand = self.cast(unsigned_of(ty.scalar), operand);
            let result = self.neg(false, operand);
            return self.cast(ty.scalar, result);
        }
        self.intern(Term::Neg { exact: exact && !ty.scalar.is_float(), operand }, ty)
    }

    pub(crate) fn not(&mut self, operand: TermId) -> TermId {
        let ty = self.ty(operand);
        if let Some(value) = self.as_constant(operand)
            && let Ok(folded) = eval::unary(UnaryOp::Not, value)
        {
            return self.spread(folded, ty.lanes);
        }
        self.intern(Term::Not(operand), ty)
    }

    pub(crate) fn binary(&mut self, op: Op, lhs: TermId, rhs: TermId) -> TermId {
        let ty = self.ty(lhs);
        if let Some(folded) = self.fold(binary_op(op), lhs, rhs) {
            return folded;
        }
        if let Some(choice) = self.distributed(op, lhs, rhs) {
            return choice;
        }
        // The low bits of a number are its remainder by a power of two. The printer writes such a
        // remainder of an `int` as a mask.
        let mask = self.as_constant(rhs).and_then(Constant::as_integer);
        if op == Op::And
            && ty == Type::scalar(Scalar::I64)
            && let Some(mask) = mask.filter(|mask| (1..1 << 30).contains(mask))
            && (mask + 1).count_ones() == 1
            && let Some(size) = Constant::wrapped(Scalar::I64, mask + 1)
        {
            let size = self.constant(size);
            return self.binary(Op::Mod, lhs, size);
        }
        // Widening both sides alike keeps the outcome of a comparison.
        if op.is_comparison()
            && let Some(source) = self.widened_from(lhs).or_else(|| self.widened_from(rhs))
            && let (Some(lhs), Some(rhs)) = (self.unwiden(lhs, source), self.unwiden(rhs, source))
        {
            return self.binary(op, lhs, rhs);
        }
        let bitwise =
            matches!(op, Op::And | Op::Or | Op::Xor) || (op == Op::Shl && self.is_small_shift(rhs));
        if bitwise && ty.scalar.is_signed() {
            let unsigned = unsigned_of(ty.scalar);
            let lhs = self.cast(unsigned, lhs);
            let rhs = self.cast(unsigned, rhs);
            let result = self.binary(op, lhs, rhs);
            return self.cast(ty.scalar, result);
        }
        let result = if op.is_comparison() { ty.with_scalar(Scalar::Bool) } else { ty };
        self.intern(Term::Binary(op, lhs, rhs), result)
    }

    /// Applies an operator to the constants among which an operand chooses, if the other operand is
    /// a constant. C's type of such a choice is not that of the program, where no operand tells it.
    fn distributed(&mut self, op: Op, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let are_scalars = [lhs, rhs].into_iter().all(|id| {
            self.ty(id).lanes == 1
                && integral(self.ty(id).scalar)
                && self.is_choice_of_constants(id)
        });
        if !are_scalars {
            return None;
        }
        match (self.get(lhs).clone(), self.get(rhs).clone()) {
            (Term::Select(condition, a, b), Term::Const(_)) => {
                let (a, b) = (self.binary(op, a, rhs), self.binary(op, b, rhs));
                Some(self.select(condition, a, b))
            }
            (Term::Const(_), Term::Select(condition, a, b)) => {
                let (a, b) = (self.binary(op, lhs, a), self.binary(op, lhs, b));
                Some(self.select(condition, a, b))
            }
            _ => None,
        }
    }

    /// Returns the type from which a term was widened without a change of value.
    fn widened_from(&self, id: TermId) -> Option<Scalar> {
        let Term::Cast(to, inner) = self.get(id) else { return None };
        let from = self.ty(*inner).scalar;
        (integral(from) && integral(*to) && holds(*to, from)).then_some(from)
    }

    /// Returns the term of type `source` from which this one was widened; for a constant, the same
    /// number.
    fn unwiden(&mut self, id: TermId, source: Scalar) -> Option<TermId> {
        if self.widened_from(id) == Some(source)
            && let Term::Cast(_, inner) = self.get(id)
        {
            return Some(*inner);
        }
        let value = self.as_constant(id)?.as_integer()?;
        let (low, high) = source.range()?;
        ((low..=high).contains(&value)).then(|| self.cast(source, id))
    }

    /// Tests whether C defines a shift by this amount.
    pub(crate) fn is_small_shift(&self, amount: TermId) -> bool {
        let bits = self.ty(amount).scalar.bits().map_or(0, i128::from);
        self.as_constant(amount)
            .and_then(Constant::as_integer)
            .is_some_and(|amount| (0..bits).contains(&amount))
    }

    /// Returns the term as one of type `to` with the same value, where this is obvious: for
    /// constants and choices among them.
    pub(crate) fn view(&mut self, id: TermId, to: Scalar) -> Option<TermId> {
        if self.ty(id).scalar == to {
            return Some(id);
        }
        match *self.get(id) {
            Term::Const(constant) => {
                let value = constant.as_integer()?;
                let (low, high) = to.range()?;
                ((low..=high).contains(&value)).then(|| self.cast(to, id))
            }
            Term::Select(condition, a, b) => {
                let a = self.view(a, to)?;
                let b = self.view(b, to)?;
                Some(self.select(condition, a, b))
            }
            Term::Var(_)
            | Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. }
            | Term::Broadcast(..)
            | Term::Shuffle(_) => None,
        }
    }

    /// Returns an interval that holds the values of an integer term.
    pub(crate) fn range(&self, id: TermId) -> (i128, i128) {
        let whole = |scalar: Scalar| scalar.range().unwrap_or((i128::MIN / 4, i128::MAX / 4));
        match self.get(id) {
            Term::Const(constant) => {
                let value = constant.as_integer().unwrap_or_default();
                (value, value)
            }
            Term::Cast(to, inner) if integral(self.ty(*inner).scalar) && integral(*to) => {
                let (low, high) = self.range(*inner);
                let fits = whole(*to).0 <= low && high <= whole(*to).1;
                if fits { (low, high) } else { whole(*to) }
            }
            Term::Select(_, a, b) => {
                let (a, b) = (self.range(*a), self.range(*b));
                (a.0.min(b.0), a.1.max(b.1))
            }
            Term::Var(_)
            | Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. }
            | Term::Broadcast(..)
            | Term::Shuffle(_) => whole(self.ty(id).scalar),
        }
    }

    fn fold(&mut self, op: BinaryOp, lhs: TermId, rhs: TermId) -> Option<TermId> {
        let lanes = self.ty(lhs).lanes;
        let (a, b) = (self.as_constant(lhs)?, self.as_constant(rhs)?);
        let value = eval::binary(op, a, b).ok()?;
        Some(self.spread(value, lanes))
    }

    pub(crate) fn select(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        let ty = self.ty(a);
        let condition = self.broadcast_to(condition, ty.lanes);
        self.intern(Term::Select(condition, a, b), ty)
    }

    /// Broadcasts a term unless it has this many lanes already.
    fn broadcast_to(&mut self, id: TermId, lanes: u32) -> TermId {
        if self.ty(id).lanes == lanes { id } else { self.broadcast(id, lanes) }
    }

    pub(crate) fn call(&mut self, intrinsic: Intrinsic, operand: TermId) -> TermId {
        let ty = self.ty(operand);
        if let Some(value) = self.as_constant(operand)
            && let Ok(folded) = eval::intrinsic(intrinsic, value)
        {
            return self.spread(folded, ty.lanes);
        }
        self.intern(Term::Call(intrinsic, operand), ty)
    }

    fn is_choice_of_constants(&self, id: TermId) -> bool {
        match *self.get(id) {
            Term::Select(_, a, b) => {
                self.is_choice_of_constants(a) && self.is_choice_of_constants(b)
            }
            Term::Const(_)
            | Term::Var(_)
            | Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. }
            | Term::Broadcast(..)
            | Term::Shuffle(_) => self.as_constant(id).is_some(),
        }
    }

    /// Converts a term as `eval::cast` defines it. C's conversions to fixed-width integers and
    /// floats agree with this, except those from floats to integers.
    pub(crate) fn cast(&mut self, to: Scalar, operand: TermId) -> TermId {
        let ty = self.ty(operand);
        let from = ty.scalar;
        if from == to {
            return operand;
        }
        match self.get(operand).clone() {
            Term::Const(value) => {
                if let Ok(folded) = eval::cast(to, value) {
                    return self.constant(folded);
                }
            }
            Term::Broadcast(value, lanes) => {
                let value = self.cast(to, value);
                return self.broadcast(value, lanes);
            }
            Term::Shuffle(lanes) => {
                let lanes = lanes
                    .iter()
                    .map(|lane| lane.map(|(vector, number)| (self.cast(to, vector), number)));
                let lanes = lanes.collect();
                return self.intern(Term::Shuffle(lanes), ty.with_scalar(to));
            }
            // Both steps keep the value modulo the last type, or the first keeps it exactly.
            Term::Cast(_, inner)
                if integral(self.ty(inner).scalar)
                    && integral(from)
                    && (holds(from, self.ty(inner).scalar)
                        || (integral(to) && to != Scalar::Bool && bits(to) <= bits(from))) =>
            {
                return self.cast(to, inner);
            }
            // Arithmetic modulo 2^n needs its operands only modulo 2^n.
            Term::Ring { op, exact, lhs, rhs } if narrows(to, from, exact) => {
                let unsigned = unsigned_of(to);
                let lhs = self.cast(unsigned, lhs);
                let rhs = self.cast(unsigned, rhs);
                let result = self.ring(op, false, lhs, rhs);
                return self.cast(to, result);
            }
            Term::Neg { exact, operand } if narrows(to, from, exact) => {
                let operand = self.cast(unsigned_of(to), operand);
                let result = self.neg(false, operand);
                return self.cast(to, result);
            }
            Term::Not(operand) if narrows(to, from, false) => {
                let operand = self.cast(to, operand);
                return self.not(operand);
            }
            // A choice among constants takes the type that its constants are cast to.
            Term::Select(condition, a, b)
                if self.is_choice_of_constants(a) && self.is_choice_of_constants(b) =>
            {
                let a = self.cast(to, a);
                let b = self.cast(to, b);
                return self.select(condition, a, b);
            }
            Term::Var(_)
            | Term::Ring { .. }
            | Term::Neg { .. }
            | Term::Not(_)
            | Term::Binary(..)
            | Term::Select(..)
            | Term::Cast(..)
            | Term::Call(..)
            | Term::Load(..)
            | Term::Ramp { .. } => {}
        }
        if to == Scalar::Bool {
            // C writes this cast as `!= 0`.
            let zero = self.spread(Constant::zero(from), ty.lanes);
            return self.binary(Op::Ne, operand, zero);
        }
        self.intern(Term::Cast(to, operand), ty.with_scalar(to))
    }
}

pub(crate) fn ring_op(op: Ring) -> BinaryOp {
    match op {
        Ring::Add => BinaryOp::Add(Overflow::Wraps),
        Ring::Sub => BinaryOp::Sub(Overflow::Wraps),
        Ring::Mul => BinaryOp::Mul(Overflow::Wraps),
    }
}

pub(crate) fn binary_op(op: Op) -> BinaryOp {
    match op {
        Op::Div => BinaryOp::Div,
        Op::Mod => BinaryOp::Mod,
        Op::Min => BinaryOp::Min,
        Op::Max => BinaryOp::Max,
        Op::And => BinaryOp::And,
        Op::Or => BinaryOp::Or,
        Op::Xor => BinaryOp::Xor,
        Op::Shl => BinaryOp::Shl,
        Op::Shr => BinaryOp::Shr,
        Op::Eq => BinaryOp::Eq,
        Op::Ne => BinaryOp::Ne,
        Op::Lt => BinaryOp::Lt,
        Op::Le => BinaryOp::Le,
        Op::Gt => BinaryOp::Gt,
        Op::Ge => BinaryOp::Ge,
    }
}

/// Returns the type that holds a scalar in C.
pub(crate) fn machine(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Int { Scalar::I64 } else { scalar }
}

/// Returns the type that a scalar has in C's memory and variables.
pub(crate) fn in_memory(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Bool { Scalar::U8 } else { machine(scalar) }
}

/// Tests for a machine integer or `bool`.
pub(crate) fn integral(scalar: Scalar) -> bool {
    scalar.is_machine_integer() || scalar == Scalar::Bool
}

fn bits(scalar: Scalar) -> u32 {
    scalar.bits().unwrap_or(64)
}

/// Tests whether an integer type holds the number.
pub(crate) fn contains(ty: Scalar, value: i128) -> bool {
    ty.range().is_some_and(|(low, high)| (low..=high).contains(&value))
}

/// Tests whether `outer` holds every value of `inner`.
pub(crate) fn holds(outer: Scalar, inner: Scalar) -> bool {
    match (outer.range(), inner.range()) {
        (Some(outer), Some(inner)) => outer.0 <= inner.0 && inner.1 <= outer.1,
        (Some(_) | None, _) => false,
    }
}

/// Tests whether a cast reduces integers modulo a smaller power of two, or exact integers modulo
/// the same one. Exact arithmetic on 64 bits stays as it is: C may leave it undefined.
fn narrows(to: Scalar, from: Scalar, exact: bool) -> bool {
    to.is_machine_integer()
        && from.is_machine_integer()
        && !(exact && bits(from) == 64)
        && (bits(to) < bits(from) || (exact && bits(to) == bits(from) && to.is_unsigned()))
}
