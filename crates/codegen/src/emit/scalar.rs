//! Expressions with one lane.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Overflow, Scalar, UnaryOp};
use halidom_prelude::helpers::{Helper, builtin, integer_literal};
use halidom_prelude::operators::ScalarOp;
use halidom_prelude::types::unsigned_of;

use crate::EmitError;
use crate::c::tree::{CBinary, CExpr, CType, CUnary};
use crate::emit::translate::Translator;

impl Translator<'_> {
    /// Returns the C expression for a scalar expression. Its C type is the scalar's or, for `bool`
    /// and integers below 32 bits, `int` with the same value.
    pub(crate) fn scalar(&mut self, id: ExprId) -> Result<CExpr, EmitError> {
        halidom_base::patience::look();
        let pool = self.pool;
        match pool.get(id) {
            Expr::Const(constant) => literal(*constant),
            Expr::Var(var) => self.var_name(*var).map(CExpr::Name),
            Expr::Unary(op, operand) => self.scalar_unary(*op, *operand),
            Expr::Binary(op, lhs, rhs) => self.scalar_binary(*op, *lhs, *rhs),
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.scalar(*condition)?;
                let if_true = self.scalar(*if_true)?;
                Ok(CExpr::conditional(condition, if_true, self.scalar(*if_false)?))
            }
            Expr::Cast(to, operand) => {
                let from = pool.ty(*operand).scalar;
                let operand = self.scalar(*operand)?;
                self.scalar_cast(*to, from, operand)
            }
            Expr::Call(intrinsic, operand) => {
                let scalar = pool.ty(*operand).scalar;
                let operand = self.scalar(*operand)?;
                if scalar.is_float() {
                    return Ok(CExpr::call(builtin(*intrinsic, scalar), vec![operand]));
                }
                let takes =
                    *intrinsic == Intrinsic::Abs && (scalar.is_signed() || scalar == Scalar::Int);
                if !takes {
                    return Err(EmitError::Operator { operator: intrinsic.name(), scalar });
                }
                Ok(self.help(Helper::Scalar(ScalarOp::Abs, scalar), vec![operand]))
            }
            Expr::Apply { function, .. } => {
                Err(EmitError::NamedFunction(pool.function(*function).name.clone()))
            }
            Expr::Load { buffer, index, access: _ } => {
                let scalar = pool.buffer(*buffer).scalar;
                let name = CExpr::Name(self.buffer_name(*buffer)?);
                let element = CExpr::index(name, self.scalar(*index)?);
                // A caller's `bool` may be any non-zero byte.
                Ok(if scalar == Scalar::Bool { differs_from_zero(element) } else { element })
            }
            Expr::Ref { .. } => Err(EmitError::NotFinal("a reference to a func")),
            Expr::Hole(_) => Err(EmitError::NotFinal("a hole")),
            Expr::Ramp { .. } | Expr::Broadcast { .. } | Expr::Shuffle { .. } => {
                Err(EmitError::Lanes(pool.ty(id)))
            }
        }
    }

    fn scalar_unary(&mut self, op: UnaryOp, operand: ExprId) -> Result<CExpr, EmitError> {
        let scalar = self.pool.ty(operand).scalar;
        let value = self.scalar(operand)?;
        match op {
            UnaryOp::Not if scalar == Scalar::Bool => Ok(CExpr::unary(CUnary::Not, value)),
            UnaryOp::Not if scalar.is_machine_integer() => {
                let complement = CExpr::unary(CUnary::Complement, widened(scalar, value));
                Ok(narrowed(scalar, complement))
            }
            UnaryOp::Not => Err(EmitError::Operator { operator: "!", scalar }),
            UnaryOp::Neg(Overflow::AssumedAbsent) => Err(EmitError::AssumedAbsent),
            UnaryOp::Neg(_) if scalar == Scalar::Bool => {
                Err(EmitError::Operator { operator: "-", scalar })
            }
            UnaryOp::Neg(_) => {
                let value = arithmetic_operand(scalar, value);
                Ok(narrowed(scalar, CExpr::unary(CUnary::Minus, widened(scalar, value))))
            }
        }
    }

    fn scalar_binary(
        &mut self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Result<CExpr, EmitError> {
        let scalar = self.pool.ty(lhs).scalar;
        let divisor = self.pool.as_constant(rhs).and_then(Constant::as_integer);
        let a = self.scalar(lhs)?;
        let b = self.scalar(rhs)?;
        let is_bool = scalar == Scalar::Bool;
        let by_known_unsigned = scalar.is_unsigned() && divisor.is_some_and(|value| value != 0);
        match op {
            BinaryOp::Add(Overflow::AssumedAbsent)
            | BinaryOp::Sub(Overflow::AssumedAbsent)
            | BinaryOp::Mul(Overflow::AssumedAbsent) => Err(EmitError::AssumedAbsent),
            BinaryOp::Eq => Ok(CExpr::binary(CBinary::Eq, a, b)),
            BinaryOp::Ne => Ok(CExpr::binary(CBinary::Ne, a, b)),
            // Operands have no effects and are total, so short-circuit evaluation changes nothing.
            BinaryOp::And if is_bool => Ok(CExpr::binary(CBinary::And, a, b)),
            BinaryOp::Or if is_bool => Ok(CExpr::binary(CBinary::Or, a, b)),
            BinaryOp::Xor if is_bool => Ok(CExpr::binary(CBinary::BitXor, a, b)),
            _ if is_bool => Err(EmitError::Operator { operator: "arithmetic", scalar }),
            BinaryOp::Add(_) => Ok(wrapping(CBinary::Add, scalar, a, b)),
            BinaryOp::Sub(_) => Ok(wrapping(CBinary::Sub, scalar, a, b)),
            BinaryOp::Mul(_) if scalar == Scalar::U16 => {
                // Promoted to `int`, the product of two 16-bit numbers could overflow.
                let a = CExpr::cast(CType::Scalar(Scalar::U32), a);
                Ok(narrowed(scalar, CExpr::binary(CBinary::Mul, a, b)))
            }
            BinaryOp::Mul(_) => Ok(wrapping(CBinary::Mul, scalar, a, b)),
            BinaryOp::Div if scalar.is_float() => Ok(CExpr::binary(CBinary::Div, a, b)),
            BinaryOp::Div if by_known_unsigned => {
                Ok(CExpr::binary(CBinary::Div, widened_unless(&b, scalar, a), b))
            }
            BinaryOp::Mod if by_known_unsigned => {
                Ok(CExpr::binary(CBinary::Rem, widened_unless(&b, scalar, a), b))
            }
            BinaryOp::Div => Ok(self.help(Helper::Scalar(ScalarOp::Div, scalar), vec![a, b])),
            BinaryOp::Min => Ok(self.help(Helper::Scalar(ScalarOp::Min, scalar), vec![a, b])),
            BinaryOp::Max => Ok(self.help(Helper::Scalar(ScalarOp::Max, scalar), vec![a, b])),
            BinaryOp::Lt => Ok(CExpr::binary(CBinary::Lt, a, b)),
            BinaryOp::Le => Ok(CExpr::binary(CBinary::Le, a, b)),
            BinaryOp::Gt => Ok(CExpr::binary(CBinary::Gt, a, b)),
            BinaryOp::Ge => Ok(CExpr::binary(CBinary::Ge, a, b)),
            // In two's complement, the low bits are the Euclidean remainder by a power of two.
            BinaryOp::Mod if scalar == Scalar::Int && divisor.is_some_and(is_mask_size) => {
                let mask = divisor.unwrap_or(1) - 1;
                Ok(CExpr::binary(CBinary::BitAnd, a, CExpr::literal(mask.to_string())))
            }
            BinaryOp::Mod if !scalar.is_float() => {
                Ok(self.help(Helper::Scalar(ScalarOp::Mod, scalar), vec![a, b]))
            }
            _ if !scalar.is_machine_integer() => {
                Err(EmitError::Operator { operator: "bitwise operators", scalar })
            }
            BinaryOp::And => Ok(CExpr::binary(CBinary::BitAnd, a, b)),
            BinaryOp::Or => Ok(CExpr::binary(CBinary::BitOr, a, b)),
            BinaryOp::Xor => Ok(CExpr::binary(CBinary::BitXor, a, b)),
            BinaryOp::Shl => Ok(self.help(Helper::Scalar(ScalarOp::Shl, scalar), vec![a, b])),
            BinaryOp::Shr => Ok(self.help(Helper::Scalar(ScalarOp::Shr, scalar), vec![a, b])),
            BinaryOp::Mod => Err(EmitError::Operator { operator: "%", scalar }),
        }
    }

    fn scalar_cast(
        &mut self,
        to: Scalar,
        from: Scalar,
        operand: CExpr,
    ) -> Result<CExpr, EmitError> {
        if to == Scalar::Bool {
            let zero = if from.is_float() { literal(Constant::zero(from))? } else { zero() };
            return Ok(CExpr::binary(CBinary::Ne, operand, zero));
        }
        if from.is_float() && !to.is_float() {
            if to == Scalar::Int {
                return Err(EmitError::Operator { operator: "int", scalar: from });
            }
            return Ok(self.help(Helper::Saturate { to, from }, vec![operand]));
        }
        Ok(CExpr::cast(CType::Scalar(to), operand))
    }
}

fn zero() -> CExpr {
    CExpr::literal("0")
}

pub(crate) fn differs_from_zero(value: CExpr) -> CExpr {
    CExpr::binary(CBinary::Ne, value, zero())
}

/// Returns a sum, difference or product that wraps as the type does. For `int`, whose range the
/// validator checks, and for floats, it is the plain operation.
fn wrapping(op: CBinary, scalar: Scalar, a: CExpr, b: CExpr) -> CExpr {
    let a = widened_unless(&b, scalar, arithmetic_operand(scalar, a));
    narrowed(scalar, CExpr::binary(op, a, arithmetic_operand(scalar, b)))
}

/// Casts signed operands of 32 and 64 bits to unsigned types, whose overflow C defines. C promotes
/// smaller ones to `int`, which holds the exact result.
fn arithmetic_operand(scalar: Scalar, value: CExpr) -> CExpr {
    match scalar {
        Scalar::I32 | Scalar::I64 => CExpr::cast(CType::Scalar(unsigned_of(scalar)), value),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F32
        | Scalar::F64
        | Scalar::Int => value,
    }
}

/// Casts a result to its type where C computed it in another one.
fn narrowed(scalar: Scalar, value: CExpr) -> CExpr {
    match scalar {
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 | Scalar::U8 | Scalar::U16 => {
            CExpr::cast(CType::Scalar(scalar), value)
        }
        Scalar::Bool | Scalar::U32 | Scalar::U64 | Scalar::F32 | Scalar::F64 | Scalar::Int => value,
    }
}

/// Casts to 64 bits an operand that C would take for a 32-bit one: a literal, or a choice among
/// literals.
fn widened(scalar: Scalar, value: CExpr) -> CExpr {
    if matches!(scalar, Scalar::Int | Scalar::U64 | Scalar::I64) && is_narrow(&value) {
        CExpr::cast(CType::Scalar(scalar), value)
    } else {
        value
    }
}

/// Applies [`widened`] unless the other operand is already wide.
fn widened_unless(other: &CExpr, scalar: Scalar, value: CExpr) -> CExpr {
    if is_narrow(other) { widened(scalar, value) } else { value }
}

fn is_narrow(value: &CExpr) -> bool {
    match value {
        CExpr::Literal(_) => true,
        CExpr::Unary(CUnary::Minus, operand) => is_narrow(operand),
        CExpr::Conditional(_, if_true, if_false) => is_narrow(if_true) && is_narrow(if_false),
        CExpr::Unary(..)
        | CExpr::Name(_)
        | CExpr::Binary(..)
        | CExpr::Cast(..)
        | CExpr::Call(..)
        | CExpr::Index(..)
        | CExpr::Arrow(..)
        | CExpr::Dot(..)
        | CExpr::CompoundArray(..)
        | CExpr::SizeOf(_) => false,
    }
}

/// Returns the literal of a constant.
pub(crate) fn literal(constant: Constant) -> Result<CExpr, EmitError> {
    if let Some(value) = constant.as_f32() {
        return Ok(float_literal(
            value.is_nan(),
            value.is_infinite(),
            value.is_sign_negative(),
            || decimal(&value.abs(), "f"),
            "f",
        ));
    }
    if let Some(value) = constant.as_f64() {
        return Ok(float_literal(
            value.is_nan(),
            value.is_infinite(),
            value.is_sign_negative(),
            || decimal(&value.abs(), ""),
            "",
        ));
    }
    let value = constant.as_integer().unwrap_or_default();
    let fits = i64::try_from(value).is_ok() || u64::try_from(value).is_ok();
    if !fits || (constant.scalar() == Scalar::Int && i64::try_from(value).is_err()) {
        return Err(EmitError::ConstantTooLarge(value));
    }
    let unsigned = matches!(constant.scalar(), Scalar::U32 | Scalar::U64);
    Ok(if unsigned {
        CExpr::literal([&value.to_string(), "u"].concat())
    } else if value == i128::from(i64::MIN) || value == i128::from(i32::MIN) {
        CExpr::literal(integer_literal(value))
    } else if value < 0 {
        CExpr::unary(CUnary::Minus, CExpr::literal(value.unsigned_abs().to_string()))
    } else {
        CExpr::literal(value.to_string())
    })
}

fn decimal(value: &impl std::fmt::Debug, suffix: &str) -> String {
    // Rust prints the shortest decimal that reads back as the same number. It always has a point or
    // an exponent.
    [&format!("{value:?}"), suffix].concat()
}

fn float_literal(
    nan: bool,
    infinite: bool,
    negative: bool,
    decimal: impl FnOnce() -> String,
    suffix: &str,
) -> CExpr {
    if nan {
        let function = ["__builtin_nan", suffix].concat();
        return CExpr::call(function, vec![CExpr::literal("\"\"")]);
    }
    let magnitude = if infinite {
        CExpr::call(["__builtin_inf", suffix].concat(), Vec::new())
    } else {
        CExpr::literal(decimal())
    };
    if negative { CExpr::unary(CUnary::Minus, magnitude) } else { magnitude }
}

/// Tests whether the remainder by this number is a mask of a few low bits.
fn is_mask_size(divisor: i128) -> bool {
    (2..=1 << 30).contains(&divisor) && divisor.count_ones() == 1
}
