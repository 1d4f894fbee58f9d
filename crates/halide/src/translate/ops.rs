//! Halide's operators in terms of `ir`'s.
//!
//! # Correctness
//! Halide's unsigned and narrow signed integers wrap, as `ir`'s machine integers do. Signed
//! integers of 32 and 64 bits are assumed not to overflow in a pipeline. An expression of
//! coordinates, sizes and parameters alone is an unbounded `int` here. An expression of data is a
//! machine integer, and the overflow convention ([`Ops::signed`]) distinguishes the pipeline from
//! the statement. For calls, see [`super::calls`].

use std::collections::BTreeSet;

use halidom_base::{FxHashMap, FxHashSet};
use halidom_ir::{
    BinaryOp as Op, Constant, Expr, ExprId, Intrinsic as Function, Overflow, Pool, Scalar, UnaryOp,
    VarId, eval,
};

use super::error::{Result, unsupported};
use crate::tree;

/// A value with its type in Halide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    /// The expression: of the machine's type, or an `int` where Halide has a signed integer of 32
    /// or 64 bits.
    pub(super) id: ExprId,
    /// The type in Halide.
    pub(super) ty: tree::Scalar,
}

/// The type of a value in memory.
pub(super) fn stored(ty: tree::Scalar) -> Result<Scalar> {
    Ok(match ty {
        tree::Scalar::UInt(1) => Scalar::Bool,
        tree::Scalar::Int(8) => Scalar::I8,
        tree::Scalar::Int(16) => Scalar::I16,
        tree::Scalar::Int(32) => Scalar::I32,
        tree::Scalar::Int(64) => Scalar::I64,
        tree::Scalar::UInt(8) => Scalar::U8,
        tree::Scalar::UInt(16) => Scalar::U16,
        tree::Scalar::UInt(32) => Scalar::U32,
        tree::Scalar::UInt(64) => Scalar::U64,
        tree::Scalar::Float(32) => Scalar::F32,
        tree::Scalar::Float(64) => Scalar::F64,
        // As their bits: see `halves`.
        tree::Scalar::Float(16) | tree::Scalar::BFloat(16) => Scalar::U16,
        tree::Scalar::Int(_)
        | tree::Scalar::UInt(_)
        | tree::Scalar::Float(_)
        | tree::Scalar::BFloat(_)
        | tree::Scalar::Handle(_) => return unsupported("a value of this type"),
    })
}

/// Tests whether a type is a float of 16 bits.
pub(super) fn is_half(ty: tree::Scalar) -> bool {
    matches!(ty, tree::Scalar::Float(16) | tree::Scalar::BFloat(16))
}

/// The width of operations that the code computes without overflow: more bits than any type has.
const EXACT: u32 = 128;

/// A kind of operation whose result may not be what its type holds. The code then has no value, or
/// one that the type of the machine decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Beyond {
    /// A float becomes an integer of 32 bits or more, otherwise than as a step of a saturation.
    Conversion,
    /// A float becomes a narrower integer.
    Narrowing,
    /// Signed values of 32 or 64 bits are added or multiplied.
    Sum,
    /// Something is shifted by a constant that is the width or more.
    Shift,
}

/// The widths, in bits, in which the code computes `int`s. An expression that is not noted has 32
/// bits. Where an expression occurs with several widths, the code owes that it fits the least one;
/// a pipeline is only known to fit the greatest one.
#[derive(Clone, Debug, Default)]
pub struct Widths {
    known: FxHashMap<ExprId, u32>,
    /// True if the widths are those of a pipeline.
    of_pipeline: bool,
    /// True if a pipeline whose promise is broken has no value.
    pub(super) keeps_promises: bool,
    /// Conversions of `int`s to the machine type that they have in the code.
    own: FxHashSet<ExprId>,
    /// Conversions of floats to integers of 64 bits that Halide's code makes. Others are steps of a
    /// translated conversion to a narrow type.
    kept: FxHashSet<ExprId>,
    /// Conversions of floats that fit, as steps of a saturation.
    fitting: FxHashSet<ExprId>,
    /// The kinds of operations whose results may not be what their type holds.
    pub(super) beyond: BTreeSet<Beyond>,
    /// Minima and maxima of a parameter and a number that are the parameter: an entry check keeps
    /// it within that number.
    idle_limits: FxHashSet<(Op, ExprId, ExprId)>,
    /// The `int`s of the same values as variables that are machine integers.
    twins: FxHashMap<VarId, VarId>,
    /// The `int`s of `twins` that no index mentions.
    idle: FxHashSet<VarId>,
}

impl Widths {
    /// No widths yet, of a pipeline.
    pub(super) fn of_pipeline() -> Self {
        Self { of_pipeline: true, ..Self::default() }
    }

    /// Notes that the widths are those of the same pipeline as others.
    pub(super) fn belong_to_pipeline(&mut self, others: &Self) {
        self.of_pipeline = true;
        self.keeps_promises = others.keeps_promises;
    }

    pub(super) fn note(&mut self, id: ExprId, bits: u32) {
        let known = self.known.entry(id).or_insert(bits);
        *known = if self.of_pipeline { bits.max(*known) } else { bits.min(*known) };
    }

    /// Adds the widths of other expressions.
    pub(super) fn join(&mut self, other: &Self) {
        #[expect(clippy::iter_over_hash_type, reason = "the order makes no difference")]
        for (id, bits) in &other.known {
            self.note(*id, *bits);
        }
        self.own.extend(&other.own);
        self.kept.extend(&other.kept);
        self.fitting.extend(&other.fitting);
        self.beyond.extend(&other.beyond);
    }

    /// Transfers the widths of rewritten expressions to their replacements.
    pub(crate) fn carry(&mut self, changed: &[(ExprId, ExprId)]) {
        for (before, after) in changed {
            if let Some(bits) = self.known.get(before).copied() {
                self.note(*after, bits);
            }
        }
    }

    /// The noted expressions, with their widths.
    pub fn known(&self) -> &FxHashMap<ExprId, u32> {
        &self.known
    }

    /// Notes that a variable is the `int` of another one, a machine integer.
    pub(super) fn pair(&mut self, var: VarId, twin: VarId) {
        self.twins.insert(var, twin);
        self.idle.insert(twin);
    }

    /// The `int` of a variable that is a machine integer, for an index.
    pub(super) fn twin(&mut self, var: VarId) -> Option<VarId> {
        let twin = self.twins.get(&var).copied()?;
        self.idle.remove(&twin);
        Some(twin)
    }

    /// Tests whether a variable is the `int` of another one, and no index mentions it.
    pub(super) fn is_idle(&self, var: VarId) -> bool {
        self.idle.contains(&var)
    }

    /// Notes that a minimum (or a maximum) of a parameter and a number is the parameter.
    pub(super) fn limit(&mut self, op: Op, param: ExprId, number: ExprId) {
        self.idle_limits.insert((op, param, number));
    }

    /// Tests whether Halide's code converts a float to an integer of 64 bits here.
    pub(super) fn is_kept(&self, id: ExprId) -> bool {
        self.kept.contains(&id)
    }

    /// Notes that a conversion of a float is a step of a saturation.
    pub(super) fn fit(&mut self, id: ExprId) {
        self.fitting.insert(id);
    }

    /// Tests whether a conversion of a float is a step of a saturation.
    pub(super) fn fits(&self, id: ExprId) -> bool {
        self.fitting.contains(&id)
    }

    /// Tests whether a conversion of an `int` keeps the type that it has in the code.
    pub(super) fn is_own(&self, id: ExprId) -> bool {
        self.own.contains(&id)
    }
}

/// The width of an integer type. Other types count as exact.
fn bits_of(ty: tree::Scalar) -> u32 {
    match ty {
        tree::Scalar::Int(bits) | tree::Scalar::UInt(bits) => u32::from(bits),
        tree::Scalar::Float(_) | tree::Scalar::BFloat(_) | tree::Scalar::Handle(_) => EXACT,
    }
}

/// Tests whether signed numbers of so many bits hold an integer.
fn fits(bits: u32) -> impl Fn(i128) -> bool {
    move |value| bits >= EXACT || value >> (bits - 1) == 0 || value >> (bits - 1) == -1
}

/// Tests whether Halide assumes that arithmetic of the type does not overflow.
pub(super) fn is_index_type(ty: tree::Scalar) -> bool {
    matches!(ty, tree::Scalar::Int(32 | 64))
}

/// Makes expressions.
pub(super) struct Ops<'p> {
    pub(super) pool: &'p mut Pool,
    /// The widths in which the code computes `int`s.
    pub(super) widths: &'p mut Widths,
    /// The meaning of overflow of signed integers of 32 and 64 bits.
    pub(super) signed: Overflow,
}

impl Ops<'_> {
    /// A vector of equal lanes.
    pub(super) fn broadcast(&mut self, id: ExprId, lanes: u32) -> ExprId {
        if lanes == 1 || self.pool.ty(id).lanes > 1 {
            id
        } else {
            self.pool.expr(Expr::Broadcast { value: id, lanes })
        }
    }

    /// A constant with as many lanes as another expression.
    pub(super) fn like(&mut self, id: ExprId, constant: Constant) -> ExprId {
        let lanes = self.pool.ty(id).lanes;
        let constant = self.pool.constant(constant);
        self.broadcast(constant, lanes)
    }

    pub(super) fn int_like(&mut self, id: ExprId, value: i128) -> ExprId {
        self.like(id, Constant::int(value))
    }

    /// An integer constant of a type.
    pub(super) fn integer(&mut self, value: i128, ty: tree::Scalar) -> Result<Value> {
        let constant = if is_index_type(ty) {
            Constant::int(value)
        } else {
            let wrapped = Constant::wrapped(stored(ty)?, value);
            match wrapped {
                Some(constant) => constant,
                None => return unsupported("an integer constant of a float type"),
            }
        };
        Ok(Value { id: self.pool.constant(constant), ty })
    }

    /// A float constant of a type.
    pub(super) fn float(&mut self, value: f64, ty: tree::Scalar) -> Result<Value> {
        if is_half(ty) {
            return self.half(value, ty);
        }
        let constant = match stored(ty)? {
            Scalar::F32 => Constant::f32(value as f32),
            Scalar::F64 => Constant::f64(value),
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::I32
            | Scalar::I64
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::Int => return unsupported("a float constant of an integer type"),
        };
        Ok(Value { id: self.pool.constant(constant), ty })
    }

    /// A value as an `int`.
    pub(super) fn as_int(&mut self, value: Value) -> Result<ExprId> {
        if self.pool.ty(value.id).scalar.is_float() || is_half(value.ty) {
            return unsupported("a float where there should be an integer");
        }
        if let Some(inner) = self.converted(value.id) {
            return Ok(inner);
        }
        Ok(self.pool.cast(Scalar::Int, value.id))
    }

    /// A value in the type that memory holds.
    pub(super) fn as_stored(&mut self, value: Value) -> Result<ExprId> {
        let scalar = stored(value.ty)?;
        let id = self.pool.cast(scalar, value.id);
        if is_index_type(value.ty) && id != value.id {
            self.widths.own.insert(id);
        }
        Ok(id)
    }

    /// Two operands as one type of `ir`: `int` if both are `int`s.
    fn alike(&mut self, a: Value, b: Value) -> Result<(ExprId, ExprId)> {
        let (x, y) = (self.pool.ty(a.id).scalar, self.pool.ty(b.id).scalar);
        if x == y { Ok((a.id, b.id)) } else { Ok((self.as_stored(a)?, self.as_stored(b)?)) }
    }

    fn overflow(&self, scalar: Scalar) -> Overflow {
        match scalar {
            Scalar::Int => Overflow::Unbounded,
            Scalar::I32 | Scalar::I64 => self.signed,
            Scalar::Bool
            | Scalar::I8
            | Scalar::I16
            | Scalar::U8
            | Scalar::U16
            | Scalar::U32
            | Scalar::U64
            | Scalar::F32
            | Scalar::F64 => Overflow::Wraps,
        }
    }

    /// A binary operator on operands of the same type and the same number of lanes.
    pub(super) fn binary(&mut self, op: tree::BinaryOp, a: Value, b: Value) -> Result<Value> {
        if is_half(a.ty) && a.ty == b.ty {
            let (x, y) = (self.widened_half(a)?, self.widened_half(b)?);
            let result = self.binary(op, x, y)?;
            let is_truth = op.is_comparison();
            return if is_truth { Ok(result) } else { self.narrowed_half(result, a.ty) };
        }
        let (x, y) = self.alike(a, b)?;
        let scalar = self.pool.ty(x).scalar;
        if scalar != self.pool.ty(y).scalar {
            return unsupported("an operator on operands of two types");
        }
        let overflow = self.overflow(scalar);
        if matches!(scalar, Scalar::I32 | Scalar::I64)
            && matches!(op, tree::BinaryOp::Add | tree::BinaryOp::Sub | tree::BinaryOp::Mul)
        {
            self.widths.beyond.insert(Beyond::Sum);
        }
        let op_here = match op {
            tree::BinaryOp::Add => Op::Add(overflow),
            tree::BinaryOp::Sub => Op::Sub(overflow),
            tree::BinaryOp::Mul => Op::Mul(overflow),
            tree::BinaryOp::Div => Op::Div,
            tree::BinaryOp::Mod => Op::Mod,
            tree::BinaryOp::Min => Op::Min,
            tree::BinaryOp::Max => Op::Max,
            tree::BinaryOp::Eq => Op::Eq,
            tree::BinaryOp::Ne => Op::Ne,
            tree::BinaryOp::Lt => Op::Lt,
            tree::BinaryOp::Le => Op::Le,
            tree::BinaryOp::Gt => Op::Gt,
            tree::BinaryOp::Ge => Op::Ge,
            tree::BinaryOp::And => Op::And,
            tree::BinaryOp::Or => Op::Or,
        };
        if scalar == Scalar::Bool
            && let Some(id) = self.of_truths(op, x, y)
        {
            return Ok(Value { id, ty: tree::Scalar::UInt(1) });
        }
        let on_truth = matches!(op, tree::BinaryOp::And | tree::BinaryOp::Or);
        if on_truth != (scalar == Scalar::Bool) && !op.is_comparison() {
            return unsupported("an operator of this type");
        }
        // The code generators compute `a - b * floor(a / b)`.
        if scalar.is_float() && op == tree::BinaryOp::Mod {
            let quotient = self.pool.binary(Op::Div, x, y);
            let whole = self.pool.call(Function::Floor, quotient);
            let whole = self.pool.binary(Op::Mul(overflow), y, whole);
            let id = self.pool.binary(Op::Sub(overflow), x, whole);
            return Ok(Value { id, ty: a.ty });
        }
        let ty = if op.is_comparison() { tree::Scalar::UInt(1) } else { a.ty };
        let (x, y) = match self.compared(x, y) {
            Some(ints) if op.is_comparison() => ints,
            Some(_) | None => (x, y),
        };
        let id = self.folded(op_here, x, y, bits_of(a.ty));
        if self.pool.ty(id).scalar == Scalar::Int && !op.is_comparison() {
            self.widths.note(id, bits_of(a.ty));
        }
        Ok(Value { id, ty })
    }

    /// An operator, folded where its operands are constant. This removes conditions on fixed
    /// values, such as a buffer's type. An integer that has not the bits of its operands stays as
    /// it is computed, so that what overflows there owes a proof.
    pub(super) fn folded(&mut self, op: Op, a: ExprId, b: ExprId, bits: u32) -> ExprId {
        if self.widths.idle_limits.contains(&(op, a, b)) {
            return a;
        }
        let (x, y) = (self.pool.as_constant(a), self.pool.as_constant(b));
        match (op, x.and_then(Constant::as_bool), y.and_then(Constant::as_bool)) {
            (Op::And, Some(true), _) | (Op::Or, Some(false), _) => return b,
            (Op::And, _, Some(true)) | (Op::Or, _, Some(false)) => return a,
            // An operand that reads memory is evaluated all the same.
            (Op::And, Some(false), _) | (Op::Or, Some(true), _) if !self.reads(b) => return a,
            (Op::And, _, Some(false)) | (Op::Or, _, Some(true)) if !self.reads(a) => return b,
            _ => {}
        }
        if let (Some(x), Some(y)) = (x, y)
            && !x.scalar().is_float()
            && let Ok(value) = eval::binary(op, x, y)
            && (value.scalar() != Scalar::Int || value.as_integer().is_some_and(fits(bits)))
        {
            return self.pool.constant(value);
        }
        self.pool.binary(op, a, b)
    }

    /// Tests whether an expression reads memory.
    pub(super) fn reads(&self, id: ExprId) -> bool {
        let mut found = false;
        self.pool.for_each_subexpr(id, &mut |_, expr| found |= matches!(expr, Expr::Load { .. }));
        found
    }

    pub(super) fn not(&mut self, operand: Value) -> Result<Value> {
        if operand.ty != tree::Scalar::UInt(1) {
            return unsupported("a negation of something that is no truth value");
        }
        let known = self.pool.as_constant(operand.id).and_then(Constant::as_bool);
        let id = match known {
            Some(value) => self.pool.constant(Constant::bool(!value)),
            None => self.pool.unary(UnaryOp::Not, operand.id),
        };
        Ok(Value { id, ty: operand.ty })
    }

    /// A selection. If exactly one arm is a float constant, it becomes the second arm: the compiler
    /// inverts conditions, and this normal form undoes that.
    pub(super) fn select(&mut self, condition: Value, a: Value, b: Value) -> Result<Value> {
        let is_number = |value: Value| {
            self.pool.as_constant(value.id).is_some_and(|known| known.scalar().is_float())
        };
        let (condition, a, b) = if is_number(a) && !is_number(b) {
            (self.not(condition)?, b, a)
        } else {
            (condition, a, b)
        };
        let (x, y) = self.alike(a, b)?;
        let lanes = self.pool.ty(x).lanes;
        let condition = self.broadcast(condition.id, lanes);
        Ok(Value { id: self.pool.select(condition, x, y), ty: a.ty })
    }

    pub(super) fn cast(&mut self, ty: tree::Scalar, value: Value) -> Result<Value> {
        if is_half(value.ty) && ty != value.ty {
            let wide = self.widened_half(value)?;
            return self.cast(ty, wide);
        }
        if is_half(ty) && value.ty == tree::Scalar::Float(64) {
            // Some machines round once, others to 32 bits first.
            return unsupported("a conversion of a float of 64 bits to one of 16 bits");
        }
        if is_half(ty) && ty != value.ty {
            let wide = self.cast(tree::Scalar::Float(32), value)?;
            return self.narrowed_half(wide, ty);
        }
        let from = self.pool.ty(value.id).scalar;
        if ty == tree::Scalar::UInt(1) {
            return self.truth(value);
        }
        // An `int` of 32 bits is also one of 64.
        let stays = from == Scalar::Int
            && (ty == value.ty || (value.ty, ty) == (tree::Scalar::Int(32), tree::Scalar::Int(64)));
        let to = stored(ty)?;
        // Halide leaves conversions of floats beyond a narrow type to the machine, and merges two
        // conversions into one where the inner type is a wider integer. Such conversions therefore
        // wrap here.
        let narrows = from.is_float()
            && matches!(to, Scalar::I8 | Scalar::I16 | Scalar::U8 | Scalar::U16 | Scalar::U32);
        let inner = if narrows { self.pool.cast(Scalar::I64, value.id) } else { value.id };
        let id = if stays { value.id } else { self.pool.cast(to, inner) };
        if from.is_float() && matches!(to, Scalar::I32 | Scalar::I64 | Scalar::U64) {
            self.widths.beyond.insert(Beyond::Conversion);
        }
        if narrows {
            self.widths.beyond.insert(Beyond::Narrowing);
        }
        if from.is_float() && to == Scalar::I64 {
            self.widths.kept.insert(id);
        }
        Ok(Value { id, ty })
    }

    /// A conversion to a truth value: Halide's code keeps the lowest bit of an integer.
    fn truth(&mut self, value: Value) -> Result<Value> {
        let ty = tree::Scalar::UInt(1);
        let scalar = self.pool.ty(value.id).scalar;
        if scalar == Scalar::Bool {
            return Ok(Value { id: value.id, ty });
        }
        let number = |number| Constant::wrapped(scalar, number);
        let (Some(two), Some(zero)) = (number(2), number(0)) else {
            // Scalar code and vectorized code give different truth values.
            return unsupported("a conversion of a float to a truth value");
        };
        let (two, zero) = (self.like(value.id, two), self.like(value.id, zero));
        let bit = self.pool.binary(Op::Mod, value.id, two);
        Ok(Value { id: self.pool.binary(Op::Ne, bit, zero), ty })
    }

    /// The `int` under a conversion to a machine type, if it certainly fits that type.
    fn converted(&self, id: ExprId) -> Option<ExprId> {
        let Expr::Cast(to, inner) = *self.pool.get(id) else { return None };
        let (low, high) = to.range()?;
        let (least, greatest) = self.limits(inner);
        let fits = self.pool.ty(inner).scalar == Scalar::Int
            && least.is_some_and(|least| low <= least)
            && greatest.is_some_and(|greatest| greatest <= high);
        fits.then_some(inner)
    }

    /// A lower and an upper bound of an `int`, where its operators give one.
    fn limits(&self, id: ExprId) -> (Option<i128>, Option<i128>) {
        let both = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (Some(_) | None, _) => None,
        };
        let any = |a: Option<i128>, b: Option<i128>, pick: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (Some(known), None) | (None, Some(known)) => Some(known),
            (None, None) => None,
        };
        if let Some(value) = self.pool.as_constant(id).and_then(Constant::as_integer) {
            return (Some(value), Some(value));
        }
        match *self.pool.get(id) {
            Expr::Broadcast { value, .. } => self.limits(value),
            Expr::Ramp { base, stride, lanes } => {
                let constant = |id| self.pool.as_constant(id).and_then(Constant::as_integer);
                let Some((base, stride)) = constant(base).zip(constant(stride)) else {
                    return (None, None);
                };
                let last = base.saturating_add(stride.saturating_mul(i128::from(lanes) - 1));
                (Some(base.min(last)), Some(base.max(last)))
            }
            Expr::Binary(Op::Min, a, b) => {
                let ((a, x), (b, y)) = (self.limits(a), self.limits(b));
                (both(a, b, i128::min), any(x, y, i128::min))
            }
            Expr::Binary(Op::Max, a, b) => {
                let ((a, x), (b, y)) = (self.limits(a), self.limits(b));
                (any(a, b, i128::max), both(x, y, i128::max))
            }
            Expr::Const(_)
            | Expr::Var(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Select { .. }
            | Expr::Cast(..)
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Load { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => (None, None),
        }
    }

    /// The `int`s under machine integers that certainly fit. Comparing these gives the same result.
    fn compared(&mut self, a: ExprId, b: ExprId) -> Option<(ExprId, ExprId)> {
        let scalar = self.pool.ty(a).scalar;
        if scalar.is_float() || matches!(scalar, Scalar::Bool | Scalar::Int) {
            return None;
        }
        let mut known = |id: ExprId| match self.converted(id) {
            Some(inner) => Some(inner),
            None => {
                let value = self.pool.as_constant(id).and_then(Constant::as_integer)?;
                Some(self.like(id, Constant::int(value)))
            }
        };
        known(a).zip(known(b))
    }

    /// An `int` converted to a type, modulo its width.
    pub(super) fn wrapped(&mut self, id: ExprId, ty: tree::Scalar) -> Result<Value> {
        Ok(Value { id: self.pool.cast(stored(ty)?, id), ty })
    }

    /// An `int` saturated to an integer type.
    pub(super) fn saturated(&mut self, id: ExprId, ty: tree::Scalar) -> Result<Value> {
        let Some((low, high)) = stored(ty)?.range() else {
            return unsupported("saturation to a float");
        };
        let (low, high) = (self.int_like(id, low), self.int_like(id, high));
        let id = self.pool.binary(Op::Max, id, low);
        let id = self.pool.binary(Op::Min, id, high);
        self.wrapped(id, ty)
    }

    /// An intermediate operation that the code computes without overflow.
    pub(super) fn int_op(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        let id = self.pool.binary(op, a, b);
        self.widths.note(id, EXACT);
        id
    }

    /// `⌊a / 2^bits⌋`.
    pub(super) fn scaled_down(&mut self, a: ExprId, bits: u32) -> ExprId {
        let divisor = self.int_like(a, 1 << bits);
        self.int_op(Op::Div, a, divisor)
    }

    /// `⌊a / 2^bits + 1/2⌋`.
    pub(super) fn rounded_down(&mut self, a: ExprId, bits: u32) -> ExprId {
        if bits == 0 {
            return a;
        }
        let half = self.int_like(a, 1 << (bits - 1));
        let a = self.int_op(Op::Add(Overflow::Unbounded), a, half);
        self.scaled_down(a, bits)
    }

    /// The number that an expression is. Conversions keep numbers from 0 to 127, which fit every
    /// type.
    pub(super) fn literal(&self, mut id: ExprId) -> Option<i128> {
        let mut limits = i128::MIN..i128::MAX;
        loop {
            if let Expr::Broadcast { value, .. } = *self.pool.get(id) {
                id = value;
            } else if let Expr::Cast(to, inner) = *self.pool.get(id)
                && to.is_machine_integer()
            {
                (id, limits) = (inner, 0..1 << 7);
            } else {
                break;
            }
        }
        let number = self.pool.as_constant(id).and_then(Constant::as_integer);
        number.filter(|number| limits.contains(number))
    }

    /// A bitwise operator.
    pub(super) fn bitwise(&mut self, op: Op, a: Value, b: Value) -> Result<Value> {
        let x = self.as_stored(a)?;
        let y = self.as_stored(b)?;
        let y = self.pool.cast(self.pool.ty(x).scalar, y);
        Ok(Value { id: self.pool.binary(op, x, y), ty: a.ty })
    }
}
