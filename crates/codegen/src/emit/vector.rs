//! Expressions with several lanes, as GNU vectors. A vector of `bool` is a mask: its lanes are
//! signed integers as wide as the compared values, and all their bits are set where the condition
//! holds.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Overflow, Scalar, Type, UnaryOp};
use halidom_prelude::helpers::Helper;
use halidom_prelude::operators::VectorOp;
use halidom_prelude::types::{c_bytes, signed_of, unsigned_of};

use crate::EmitError;
use crate::c::tree::{CBinary, CExpr, CType, CUnary};
use crate::emit::scalar::literal;
use crate::emit::translate::Translator;

impl Translator<'_> {
    /// Returns the C type of vectors of type `ty`, which must not be `bool`.
    pub(crate) fn vector_type(&mut self, ty: Type) -> Result<CType, EmitError> {
        if ty.lanes < 2 || !ty.lanes.is_power_of_two() {
            return Err(EmitError::Lanes(ty));
        }
        let scalar = if ty.scalar == Scalar::Int { Scalar::I64 } else { ty.scalar };
        self.need(Helper::Type(scalar, ty.lanes));
        Ok(CType::Vector(scalar, ty.lanes))
    }

    /// Returns the C expression for a vector, which must not be of `bool`.
    pub(crate) fn vector(&mut self, id: ExprId) -> Result<CExpr, EmitError> {
        let pool = self.pool;
        let ty = pool.ty(id);
        let c_type = self.vector_type(ty)?;
        match pool.get(id) {
            Expr::Const(_) => Err(EmitError::Lanes(ty)),
            Expr::Var(var) => self.var_name(*var).map(CExpr::Name),
            Expr::Unary(UnaryOp::Neg(Overflow::AssumedAbsent), _) => Err(EmitError::AssumedAbsent),
            Expr::Unary(op, operand) => {
                let value = self.vector(*operand)?;
                match op {
                    UnaryOp::Neg(_) if ty.scalar.is_signed() => {
                        let unsigned = self.as_unsigned(ty, value)?;
                        Ok(CExpr::cast(c_type, CExpr::unary(CUnary::Minus, unsigned)))
                    }
                    UnaryOp::Neg(_) => Ok(CExpr::unary(CUnary::Minus, value)),
                    UnaryOp::Not if ty.scalar.is_machine_integer() => {
                        Ok(CExpr::unary(CUnary::Complement, value))
                    }
                    UnaryOp::Not => Err(EmitError::Operator { operator: "!", scalar: ty.scalar }),
                }
            }
            Expr::Binary(op, lhs, rhs) => self.vector_binary(*op, *lhs, *rhs),
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.condition(*condition, ty)?;
                let if_true = self.vector(*if_true)?;
                let arguments = vec![condition, if_true, self.vector(*if_false)?];
                Ok(self.help(Helper::Vector(VectorOp::Select, ty.scalar, ty.lanes), arguments))
            }
            Expr::Cast(to, operand) => self.vector_cast(*to, *operand),
            Expr::Call(intrinsic, operand) => {
                let value = self.vector(*operand)?;
                if ty.scalar.is_float() {
                    let helper = Helper::VectorCall(*intrinsic, ty.scalar, ty.lanes);
                    return Ok(self.help(helper, vec![value]));
                }
                let takes = *intrinsic == Intrinsic::Abs
                    && (ty.scalar.is_signed() || ty.scalar == Scalar::Int);
                if !takes {
                    let operator = intrinsic.name();
                    return Err(EmitError::Operator { operator, scalar: ty.scalar });
                }
                Ok(self.help(Helper::Vector(VectorOp::Abs, ty.scalar, ty.lanes), vec![value]))
            }
            Expr::Apply { function, .. } => {
                Err(EmitError::NamedFunction(pool.function(*function).name.clone()))
            }
            Expr::Load { buffer, index, access: _ } => self.vector_load(*buffer, *index),
            Expr::Ramp { base, stride, lanes } => {
                let base = self.scalar(*base)?;
                let arguments = vec![base, self.scalar(*stride)?];
                Ok(self.help(Helper::Vector(VectorOp::Ramp, Scalar::I64, *lanes), arguments))
            }
            Expr::Broadcast { value, lanes } => {
                let value = self.scalar(*value)?;
                let helper = Helper::Vector(VectorOp::Broadcast, ty.scalar, *lanes);
                Ok(self.help(helper, vec![value]))
            }
            Expr::Shuffle { vectors, lanes } => {
                let given = vectors.iter().map(|vector| self.vector(*vector));
                let given = given.collect::<Result<Vec<_>, _>>()?;
                Ok(self.shuffled(given, (vectors, lanes)))
            }
            Expr::Ref { .. } => Err(EmitError::NotFinal("a reference to a func")),
            Expr::Hole(_) => Err(EmitError::NotFinal("a hole")),
        }
    }

    /// Chooses lanes of vectors. GNU C has an operator on two vectors, so each further vector takes
    /// another one; -1 stands for a lane that a later one supplies.
    fn shuffled(&self, given: Vec<CExpr>, (vectors, lanes): (&[ExprId], &[u32])) -> CExpr {
        let own = vectors.first().map_or(1, |vector| self.pool.ty(*vector).lanes);
        let mut given = given.into_iter();
        let mut found = given.next().unwrap_or_else(|| CExpr::literal("0"));
        let mut rest: Vec<CExpr> = given.collect();
        if rest.is_empty() {
            rest.push(found.clone());
        }
        for (next, number) in rest.into_iter().zip(1..) {
            let before = if number == 1 { own } else { lanes.len() as u32 };
            let place = |(lane, taken): (usize, &u32)| {
                if taken / own > number {
                    "-1".to_owned()
                } else if taken / own == number {
                    (before + taken % own).to_string()
                } else if number == 1 {
                    taken.to_string()
                } else {
                    lane.to_string()
                }
            };
            let places = lanes.iter().enumerate().map(place).map(CExpr::literal);
            let arguments = [found, next].into_iter().chain(places).collect();
            found = CExpr::call("__builtin_shufflevector", arguments);
        }
        found
    }

    /// Returns lanes as they lie in memory.
    pub(crate) fn stored(&mut self, value: ExprId) -> Result<CExpr, EmitError> {
        let ty = self.pool.ty(value);
        if ty.scalar != Scalar::Bool {
            return self.vector(value);
        }
        let mask = self.mask(value, Scalar::I8)?;
        let bytes = self.vector_type(ty.with_scalar(Scalar::U8))?;
        Ok(CExpr::cast(bytes, bit_of(mask)))
    }

    fn vector_binary(
        &mut self,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
    ) -> Result<CExpr, EmitError> {
        let ty = self.pool.ty(lhs);
        let Type { scalar, lanes } = ty;
        let integer = !scalar.is_float();
        let known = self.broadcast_constant(rhs).and_then(Constant::as_integer);
        let help = |op| Helper::Vector(op, scalar, lanes);
        match op {
            BinaryOp::Add(Overflow::AssumedAbsent)
            | BinaryOp::Sub(Overflow::AssumedAbsent)
            | BinaryOp::Mul(Overflow::AssumedAbsent) => Err(EmitError::AssumedAbsent),
            BinaryOp::Add(_) => self.plain(CBinary::Add, lhs, rhs),
            BinaryOp::Sub(_) => self.plain(CBinary::Sub, lhs, rhs),
            BinaryOp::Mul(_) => self.plain(CBinary::Mul, lhs, rhs),
            BinaryOp::Div if !integer => self.plain(CBinary::Div, lhs, rhs),
            BinaryOp::Div => match known {
                Some(divisor) if divisor != 0 && scalar.is_unsigned() => {
                    self.plain(CBinary::Div, lhs, rhs)
                }
                Some(divisor) if divides_simply(divisor) && !scalar.is_unsigned() => {
                    let value = self.vector(lhs)?;
                    Ok(self.help(Helper::DivBy(scalar, lanes, divisor as i64), vec![value]))
                }
                Some(_) | None => self.helped(help(VectorOp::Div), lhs, rhs),
            },
            BinaryOp::Mod if integer => match known {
                Some(divisor) if divisor != 0 && scalar.is_unsigned() => {
                    self.plain(CBinary::Rem, lhs, rhs)
                }
                Some(divisor) if divides_simply(divisor) && !scalar.is_unsigned() => {
                    let value = self.vector(lhs)?;
                    Ok(self.help(Helper::ModBy(scalar, lanes, divisor as i64), vec![value]))
                }
                Some(_) | None => self.helped(help(VectorOp::Mod), lhs, rhs),
            },
            BinaryOp::Min => self.helped(help(VectorOp::Min), lhs, rhs),
            BinaryOp::Max => self.helped(help(VectorOp::Max), lhs, rhs),
            _ if !scalar.is_machine_integer() => {
                Err(EmitError::Operator { operator: "bitwise operators", scalar })
            }
            BinaryOp::And => self.plain(CBinary::BitAnd, lhs, rhs),
            BinaryOp::Or => self.plain(CBinary::BitOr, lhs, rhs),
            BinaryOp::Xor => self.plain(CBinary::BitXor, lhs, rhs),
            BinaryOp::Shl if known.is_some_and(|amount| is_shift(scalar, amount)) => {
                self.plain(CBinary::Shl, lhs, rhs)
            }
            BinaryOp::Shr if known.is_some_and(|amount| is_shift(scalar, amount)) => {
                let value = self.vector(lhs)?;
                let amount = self.broadcast_constant(rhs).map(literal).transpose()?;
                amount.map_or_else(
                    || self.helped(help(VectorOp::Shr), lhs, rhs),
                    |amount| Ok(CExpr::binary(CBinary::Shr, value, amount)),
                )
            }
            BinaryOp::Shl => self.helped(help(VectorOp::Shl), lhs, rhs),
            BinaryOp::Shr => self.helped(help(VectorOp::Shr), lhs, rhs),
            BinaryOp::Mod
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => Err(EmitError::Operator { operator: "arithmetic", scalar }),
        }
    }

    /// Translates an infix operator on lanes. Signed lanes are computed as unsigned ones, whose
    /// overflow C defines.
    fn plain(&mut self, op: CBinary, lhs: ExprId, rhs: ExprId) -> Result<CExpr, EmitError> {
        let ty = self.pool.ty(lhs);
        let (a, b) = self.operands(lhs, rhs, ty.scalar.is_signed())?;
        let result = CExpr::binary(op, a, b);
        if ty.scalar.is_signed() {
            let signed = self.vector_type(ty)?;
            Ok(CExpr::cast(signed, result))
        } else {
            Ok(result)
        }
    }

    fn helped(&mut self, helper: Helper, lhs: ExprId, rhs: ExprId) -> Result<CExpr, EmitError> {
        let a = self.vector(lhs)?;
        let arguments = vec![a, self.vector(rhs)?];
        Ok(self.help(helper, arguments))
    }

    /// Translates two operands of an infix operator. One of them may be a bare constant, which GNU
    /// C broadcasts.
    fn operands(
        &mut self,
        lhs: ExprId,
        rhs: ExprId,
        unsigned: bool,
    ) -> Result<(CExpr, CExpr), EmitError> {
        let constant_rhs = self.broadcast_constant(rhs);
        let constant_lhs = if constant_rhs.is_none() { self.broadcast_constant(lhs) } else { None };
        let a = self.operand(lhs, constant_lhs, unsigned)?;
        Ok((a, self.operand(rhs, constant_rhs, unsigned)?))
    }

    fn operand(
        &mut self,
        id: ExprId,
        constant: Option<Constant>,
        unsigned: bool,
    ) -> Result<CExpr, EmitError> {
        let ty = self.pool.ty(id);
        match constant {
            Some(constant) if unsigned => {
                let bits = constant
                    .as_integer()
                    .and_then(|value| Constant::wrapped(unsigned_of(ty.scalar), value));
                literal(bits.unwrap_or(constant))
            }
            Some(constant) => literal(constant),
            None => {
                let value = self.vector(id)?;
                if unsigned { self.as_unsigned(ty, value) } else { Ok(value) }
            }
        }
    }

    fn as_unsigned(&mut self, ty: Type, value: CExpr) -> Result<CExpr, EmitError> {
        let unsigned = self.vector_type(ty.with_scalar(unsigned_of(ty.scalar)))?;
        Ok(CExpr::cast(unsigned, value))
    }

    fn broadcast_constant(&self, id: ExprId) -> Option<Constant> {
        if let Expr::Broadcast { value, .. } = self.pool.get(id) {
            self.pool.as_constant(*value).filter(|constant| is_plain(*constant))
        } else {
            None
        }
    }

    fn vector_cast(&mut self, to: Scalar, operand: ExprId) -> Result<CExpr, EmitError> {
        let from = self.pool.ty(operand);
        let result = from.with_scalar(to);
        if from.scalar == Scalar::Bool {
            // One bit of a mask that is as wide as the result.
            let mask = self.mask(operand, signed_of(to))?;
            let bits = bit_of(mask);
            return if to.is_float() {
                let c_from = signed_of(to);
                Ok(self.help(Helper::Convert { to, from: c_from, lanes: from.lanes }, vec![bits]))
            } else if to.is_unsigned() {
                Ok(CExpr::cast(self.vector_type(result)?, bits))
            } else {
                Ok(bits)
            };
        }
        let value = self.vector(operand)?;
        let lanes = from.lanes;
        if from.scalar.is_float() && !to.is_float() {
            if to == Scalar::Int {
                return Err(EmitError::Operator { operator: "int", scalar: from.scalar });
            }
            return Ok(
                self.help(Helper::VectorSaturate { to, from: from.scalar, lanes }, vec![value])
            );
        }
        let (to, from) = (c_scalar(to), c_scalar(from.scalar));
        if to == from {
            return Ok(value);
        }
        Ok(self.help(Helper::Convert { to, from, lanes }, vec![value]))
    }

    /// Returns the mask that chooses between vectors of type `ty`. A scalar condition is broadcast.
    fn condition(&mut self, condition: ExprId, ty: Type) -> Result<CExpr, EmitError> {
        if self.pool.ty(condition).lanes == 1 {
            let value = self.scalar(condition)?;
            return Ok(self.uniform_mask(value, signed_of(ty.scalar), ty.lanes));
        }
        self.mask(condition, signed_of(ty.scalar))
    }

    fn uniform_mask(&mut self, value: CExpr, width: Scalar, lanes: u32) -> CExpr {
        let ones = CExpr::unary(CUnary::Minus, value);
        self.help(Helper::Vector(VectorOp::Broadcast, width, lanes), vec![ones])
    }

    /// Returns the signed type of a mask's lanes as the mask is computed, or `None` where any type
    /// will do.
    pub(crate) fn mask_width(&self, id: ExprId) -> Option<Scalar> {
        let wider = |a: Option<Scalar>, b: Option<Scalar>| match (a, b) {
            (Some(a), Some(b)) => Some(if c_bytes(a) < c_bytes(b) { b } else { a }),
            (one, other) => one.or(other),
        };
        match self.pool.get(id) {
            Expr::Var(var) => Some(self.mask_of_var(*var)),
            Expr::Binary(op, lhs, _) if op.is_comparison() && !self.is_bool(*lhs) => {
                Some(signed_of(self.pool.ty(*lhs).scalar))
            }
            Expr::Binary(_, lhs, rhs) => wider(self.mask_width(*lhs), self.mask_width(*rhs)),
            Expr::Unary(_, operand) => self.mask_width(*operand),
            Expr::Select { condition, if_true, if_false } => {
                let arms = wider(self.mask_width(*if_true), self.mask_width(*if_false));
                wider(arms, self.mask_width(*condition))
            }
            Expr::Cast(_, operand) => Some(signed_of(self.pool.ty(*operand).scalar)),
            Expr::Load { .. } => Some(Scalar::I8),
            Expr::Shuffle { vectors, .. } => {
                vectors.iter().map(|vector| self.mask_width(*vector)).fold(None, wider)
            }
            Expr::Const(_)
            | Expr::Broadcast { .. }
            | Expr::Call(..)
            | Expr::Apply { .. }
            | Expr::Ref { .. }
            | Expr::Ramp { .. }
            | Expr::Hole(_) => None,
        }
    }

    fn is_bool(&self, id: ExprId) -> bool {
        self.pool.ty(id).scalar == Scalar::Bool
    }

    /// Returns the mask of a vector of `bool`, with lanes of the signed type `width`.
    pub(crate) fn mask(&mut self, id: ExprId, width: Scalar) -> Result<CExpr, EmitError> {
        let pool = self.pool;
        let ty = pool.ty(id);
        let lanes = ty.lanes;
        if let Expr::Broadcast { value, .. } = pool.get(id) {
            let value = self.scalar(*value)?;
            return Ok(self.uniform_mask(value, width, lanes));
        }
        let natural = self.mask_width(id).unwrap_or(width);
        self.vector_type(ty.with_scalar(natural))?;
        let mask = match pool.get(id) {
            Expr::Var(var) => CExpr::Name(self.var_name(*var)?),
            Expr::Unary(UnaryOp::Not, operand) => {
                CExpr::unary(CUnary::Complement, self.mask(*operand, natural)?)
            }
            Expr::Binary(op, lhs, rhs) if self.is_bool(*lhs) => {
                let a = self.mask(*lhs, natural)?;
                let b = self.mask(*rhs, natural)?;
                match op {
                    BinaryOp::And => CExpr::binary(CBinary::BitAnd, a, b),
                    BinaryOp::Or => CExpr::binary(CBinary::BitOr, a, b),
                    BinaryOp::Xor => CExpr::binary(CBinary::BitXor, a, b),
                    BinaryOp::Eq => CExpr::binary(CBinary::Eq, a, b),
                    BinaryOp::Ne => CExpr::binary(CBinary::Ne, a, b),
                    BinaryOp::Add(_)
                    | BinaryOp::Sub(_)
                    | BinaryOp::Mul(_)
                    | BinaryOp::Div
                    | BinaryOp::Mod
                    | BinaryOp::Min
                    | BinaryOp::Max
                    | BinaryOp::Shl
                    | BinaryOp::Shr
                    | BinaryOp::Lt
                    | BinaryOp::Le
                    | BinaryOp::Gt
                    | BinaryOp::Ge => {
                        return Err(EmitError::Operator {
                            operator: "arithmetic",
                            scalar: Scalar::Bool,
                        });
                    }
                }
            }
            Expr::Binary(op, lhs, rhs) => {
                let op = comparison(*op)
                    .ok_or(EmitError::Operator { operator: "arithmetic", scalar: Scalar::Bool })?;
                let (a, b) = self.operands(*lhs, *rhs, false)?;
                CExpr::binary(op, a, b)
            }
            Expr::Select { condition, if_true, if_false } => {
                let condition = self.condition(*condition, ty.with_scalar(natural))?;
                let if_true = self.mask(*if_true, natural)?;
                let arguments = vec![condition, if_true, self.mask(*if_false, natural)?];
                self.help(Helper::Vector(VectorOp::Select, natural, lanes), arguments)
            }
            Expr::Cast(_, operand) => {
                let from = pool.ty(*operand).scalar;
                let zero = literal(Constant::zero(from))?;
                CExpr::binary(CBinary::Ne, self.vector(*operand)?, zero)
            }
            Expr::Load { buffer, index, .. } => {
                let bytes = self.vector_load(*buffer, *index)?;
                CExpr::binary(CBinary::Ne, bytes, CExpr::literal("0"))
            }
            Expr::Shuffle { vectors, lanes } => {
                let given = vectors.iter().map(|vector| self.mask(*vector, natural));
                let given = given.collect::<Result<Vec<_>, _>>()?;
                self.shuffled(given, (vectors, lanes))
            }
            Expr::Apply { function, .. } => {
                return Err(EmitError::NamedFunction(pool.function(*function).name.clone()));
            }
            Expr::Const(_) | Expr::Unary(..) | Expr::Call(..) | Expr::Ramp { .. } => {
                return Err(EmitError::Operator { operator: "arithmetic", scalar: Scalar::Bool });
            }
            Expr::Broadcast { .. } => return Err(EmitError::Lanes(ty)),
            Expr::Ref { .. } => return Err(EmitError::NotFinal("a reference to a func")),
            Expr::Hole(_) => return Err(EmitError::NotFinal("a hole")),
        };
        if natural == width {
            Ok(mask)
        } else {
            Ok(self.help(Helper::Convert { to: width, from: natural, lanes }, vec![mask]))
        }
    }
}

fn comparison(op: BinaryOp) -> Option<CBinary> {
    match op {
        BinaryOp::Eq => Some(CBinary::Eq),
        BinaryOp::Ne => Some(CBinary::Ne),
        BinaryOp::Lt => Some(CBinary::Lt),
        BinaryOp::Le => Some(CBinary::Le),
        BinaryOp::Gt => Some(CBinary::Gt),
        BinaryOp::Ge => Some(CBinary::Ge),
        BinaryOp::Add(_)
        | BinaryOp::Sub(_)
        | BinaryOp::Mul(_)
        | BinaryOp::Div
        | BinaryOp::Mod
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => None,
    }
}

/// Returns 1 in the lanes where a mask holds, and 0 in the others.
fn bit_of(mask: CExpr) -> CExpr {
    CExpr::binary(CBinary::BitAnd, mask, CExpr::literal("1"))
}

/// Tests whether GNU C can broadcast the constant's bare literal. NaN and infinity are calls.
fn is_plain(constant: Constant) -> bool {
    constant.as_integer().is_some()
        || constant.as_f32().is_some_and(f32::is_finite)
        || constant.as_f64().is_some_and(f64::is_finite)
}

/// Tests whether division by this constant has a dedicated function.
fn divides_simply(divisor: i128) -> bool {
    divisor != 0 && divisor != -1 && i64::try_from(divisor).is_ok()
}

fn is_shift(scalar: Scalar, amount: i128) -> bool {
    scalar.bits().is_some_and(|bits| (0..i128::from(bits)).contains(&amount))
}

fn c_scalar(scalar: Scalar) -> Scalar {
    if scalar == Scalar::Int { Scalar::I64 } else { scalar }
}
