//! Prints expressions in Python.

use halidom_ir::{BinaryOp, Constant, Expr, ExprId, Intrinsic, Scalar, UnaryOp};

use super::error::{Result, unprintable};
use super::writer::Writer;

/// The form of an integer constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A Python number, for a coordinate.
    Plain,
    /// A constant with its type.
    Typed,
}

impl Writer<'_> {
    pub(super) fn expr(&self, id: ExprId, unit: Unit) -> Result<String> {
        if let Some(name) = self.named.get(&id) {
            return Ok(name.clone());
        }
        let pool = self.pool;
        let typed = |id| self.expr(id, Unit::Typed);
        Ok(match pool.get(id) {
            Expr::Const(constant) => return literal(*constant, unit),
            Expr::Var(var) => match self.vars.get(var) {
                Some(word) => word.clone(),
                None => return unprintable(format!("the variable `{}`", pool.var(*var).name)),
            },
            Expr::Unary(UnaryOp::Neg(_), operand) => {
                format!("({} - {})", literal_zero(pool.ty(id).scalar)?, typed(*operand)?)
            }
            Expr::Unary(UnaryOp::Not, operand) if pool.ty(id).scalar == Scalar::Bool => {
                format!("hl.logical_not({})", typed(*operand)?)
            }
            Expr::Unary(UnaryOp::Not, operand) => format!("(~{})", typed(*operand)?),
            Expr::Binary(op, lhs, rhs) => self.binary(*op, *lhs, *rhs)?,
            Expr::Select { condition, if_true, if_false } => format!(
                "hl.select({}, {}, {})",
                self.value(*condition)?,
                self.value(*if_true)?,
                self.value(*if_false)?
            ),
            Expr::Cast(Scalar::Bool, operand) => {
                let zero = literal_zero(pool.ty(*operand).scalar)?;
                format!("({} != {zero})", typed(*operand)?)
            }
            Expr::Cast(scalar, operand) => {
                let from = pool.ty(*operand).scalar;
                // Halide's coordinates have 32 bits, and would keep the low bits of the value.
                if *scalar == Scalar::Int && matches!(from, Scalar::U32 | Scalar::I64 | Scalar::U64)
                {
                    return unprintable(format!("an `int` made of `{from}`"));
                }
                let mut value = typed(*operand)?;
                if let Some([low, high]) = range_in_floats(*scalar).filter(|_| from.is_float()) {
                    value = format!("hl.clamp({value}, {low}, {high})");
                }
                format!("hl.cast({}, {value})", type_word(*scalar))
            }
            Expr::Call(intrinsic, operand) => {
                let operand = typed(*operand)?;
                if *intrinsic == Intrinsic::Abs {
                    // Halide's `abs` of a signed integer is unsigned.
                    format!("hl.cast({}, hl.abs({operand}))", type_word(pool.ty(id).scalar))
                } else {
                    format!("hl.{}({operand})", intrinsic.name())
                }
            }
            Expr::Ref { func, component, args } => {
                let Some(word) = self.funcs.get(func) else {
                    return unprintable(format!("the func `{}`", pool.func(*func).name));
                };
                let read = format!("{word}[{}]", self.args(args)?);
                if pool.func(*func).scalars.len() > 1 {
                    format!("{read}[{component}]")
                } else {
                    read
                }
            }
            Expr::Apply { .. } => return unprintable("a function that is only named"),
            Expr::Load { .. }
            | Expr::Ramp { .. }
            | Expr::Broadcast { .. }
            | Expr::Shuffle { .. }
            | Expr::Hole(_) => {
                return unprintable("what a compiler made");
            }
        })
    }

    /// A value for a parameter that also accepts tuples: there, a reference to a func would be
    /// taken for one.
    pub(super) fn value(&self, id: ExprId) -> Result<String> {
        let text = self.expr(id, Unit::Typed)?;
        let is_plain = matches!(self.pool.get(id), Expr::Ref { func, .. } if {
            let decl = self.pool.func(*func);
            decl.scalars.len() == 1 && !decl.stages().is_empty()
        });
        Ok(if is_plain { format!("hl.Expr({text})") } else { text })
    }

    fn binary(&self, op: BinaryOp, lhs: ExprId, rhs: ExprId) -> Result<String> {
        let is_constant = |id| self.pool.as_constant(id).is_some();
        // At least one operand of a Halide operator must be a Halide value.
        let unit_of = |other| if is_constant(other) { Unit::Typed } else { Unit::Plain };
        let function = match op {
            BinaryOp::Min => Some("min"),
            BinaryOp::Max => Some("max"),
            BinaryOp::Add(_)
            | BinaryOp::Sub(_)
            | BinaryOp::Mul(_)
            | BinaryOp::Div
            | BinaryOp::Mod
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::Shr
            | BinaryOp::Eq
            | BinaryOp::Ne
            | BinaryOp::Lt
            | BinaryOp::Le
            | BinaryOp::Gt
            | BinaryOp::Ge => None,
        };
        if let Some(function) = function {
            let (lhs, rhs) = (self.expr(lhs, Unit::Typed)?, self.expr(rhs, Unit::Typed)?);
            return Ok(format!("hl.{function}({lhs}, {rhs})"));
        }
        let sign = match op {
            BinaryOp::Add(_) => "+",
            BinaryOp::Sub(_) => "-",
            BinaryOp::Mul(_) => "*",
            BinaryOp::Div => "/",
            BinaryOp::Mod => "%",
            BinaryOp::And => "&",
            BinaryOp::Or => "|",
            BinaryOp::Xor => "^",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::Eq => "==",
            BinaryOp::Ne => "!=",
            BinaryOp::Lt => "<",
            BinaryOp::Le => "<=",
            BinaryOp::Gt => ">",
            BinaryOp::Ge | BinaryOp::Min | BinaryOp::Max => ">=",
        };
        if self.is_far_shift(&Expr::Binary(op, lhs, rhs)) {
            return self.far_shift(op, lhs, rhs);
        }
        let (left, right) = (self.expr(lhs, unit_of(rhs))?, self.expr(rhs, unit_of(lhs))?);
        Ok(format!("({left} {sign} {right})"))
    }

    /// Tests whether an expression is a shift by an amount that may be the number of bits or more.
    pub(super) fn is_far_shift(&self, expr: &Expr) -> bool {
        let Expr::Binary(BinaryOp::Shl | BinaryOp::Shr, value, amount) = *expr else {
            return false;
        };
        let Some(bits) = self.pool.ty(value).scalar.bits().map(i128::from) else { return false };
        let number = self.pool.as_constant(amount).and_then(Constant::as_integer);
        number.is_none_or(|number| number <= -bits || bits <= number)
    }

    /// Prints a shift by an amount that may be the number of bits or more, for which Halide has no
    /// rule. A shift that far gives 0, but one of a negative number to the right gives -1.
    fn far_shift(&self, op: BinaryOp, value: ExprId, amount: ExprId) -> Result<String> {
        let scalar = |id| self.pool.ty(id).scalar;
        let is_signed = |id| scalar(id).range().is_none_or(|(low, _)| low < 0);
        let bits = scalar(value).bits().map_or(64, i128::from);
        let (has_sign, goes_back) = (is_signed(value), is_signed(amount));
        let ty = type_word(scalar(amount));
        let end = |number: i128| format!("hl.cast({ty}, {number})");
        let (most, least) = (end(bits - 1), end(1 - bits));
        let (value, by) = (self.expr(value, Unit::Typed)?, self.expr(amount, Unit::Typed)?);
        let zero = format!("({value} - {value})");
        let to_right = if has_sign { format!("({value} >> {most})") } else { zero.clone() };
        let (word, far, back) =
            if op == BinaryOp::Shl { ("<<", &zero, &to_right) } else { (">>", &to_right, &zero) };
        Ok(if goes_back {
            format!(
                "hl.select({by} > {most}, {far}, {by} < {least}, {back}, \
                 {value} {word} hl.clamp({by}, {least}, {most}))"
            )
        } else {
            format!("hl.select({by} > {most}, {far}, {value} {word} hl.min({by}, {most}))")
        })
    }
}

/// The range of 32-bit floats whose conversion to an integer type is defined in Halide; beyond it,
/// machines differ. `None` for types other than integers.
fn range_in_floats(scalar: Scalar) -> Option<[&'static str; 2]> {
    Some(match scalar {
        Scalar::I8 => ["-128.0", "127.0"],
        Scalar::U8 => ["0.0", "255.0"],
        Scalar::I16 => ["-32768.0", "32767.0"],
        Scalar::U16 => ["0.0", "65535.0"],
        Scalar::I32 | Scalar::Int => ["-2147483648.0", "2147483520.0"],
        Scalar::U32 => ["0.0", "4294967040.0"],
        Scalar::I64 => ["-9223372036854775808.0", "9223371487098961920.0"],
        Scalar::U64 => ["0.0", "18446742974197923840.0"],
        Scalar::Bool | Scalar::F32 | Scalar::F64 => return None,
    })
}

fn literal_zero(scalar: Scalar) -> Result<String> {
    literal(Constant::zero(scalar), Unit::Typed)
}

fn literal(constant: Constant, unit: Unit) -> Result<String> {
    let scalar = constant.scalar();
    if let Some(value) = constant.as_bool() {
        return Ok(format!("hl.cast(hl.Bool(), {})", i32::from(value)));
    }
    if let Some(value) = constant.as_integer() {
        if scalar == Scalar::Int && i32::try_from(value).is_err() {
            return unprintable(format!("the coordinate {value}"));
        }
        if scalar == Scalar::Int && unit == Unit::Plain {
            return Ok(value.to_string());
        }
        // Python's numbers become 32 bits wide if they fit, so the type is written.
        return Ok(if matches!(scalar, Scalar::I64 | Scalar::U64) {
            format!("hl.{scalar}({value})")
        } else {
            format!("hl.cast({}, {value})", type_word(scalar))
        });
    }
    let value = constant.as_f64().or(constant.as_f32().map(f64::from)).unwrap_or(f64::NAN);
    let value =
        if value.is_finite() { format!("{value:?}") } else { format!("float(\"{value}\")") };
    Ok(format!("hl.{scalar}({value})"))
}

/// A type in Halide's Python.
pub(super) fn type_word(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Bool => "hl.Bool()",
        Scalar::I8 => "hl.Int(8)",
        Scalar::I16 => "hl.Int(16)",
        Scalar::I32 | Scalar::Int => "hl.Int(32)",
        Scalar::I64 => "hl.Int(64)",
        Scalar::U8 => "hl.UInt(8)",
        Scalar::U16 => "hl.UInt(16)",
        Scalar::U32 => "hl.UInt(32)",
        Scalar::U64 => "hl.UInt(64)",
        Scalar::F32 => "hl.Float(32)",
        Scalar::F64 => "hl.Float(64)",
    }
}
