//! Patterns over expressions, written as `(+ (* x c) y)`.
//!
//! `x y z w` stand for any expression of the rule's type, `n` for one that is not a constant,
//! `c c0 c1 c2 c3` for constants; `p q r` for conditions.

use std::fmt;

use halidom_ir::{BinaryOp, Constant, Overflow, Scalar, UnaryOp};

/// An operator that patterns can mention. Arithmetic follows `.hal`: it is unbounded for `int` and
/// wraps for machine integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// Makes a vector of one value.
    Broadcast,
    /// Makes a vector of equally spaced values.
    Ramp,
    /// Complement.
    Not,
    /// Negation.
    Neg,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// Remainder.
    Mod,
    /// Lesser.
    Min,
    /// Greater.
    Max,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
    /// Exclusive or.
    Xor,
    /// Shift left.
    Shl,
    /// Shift right.
    Shr,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// Conditional value.
    Select,
}

impl Op {
    /// All operators. Their order is the precedence in the termination order: a rule that keeps the
    /// size must lead from a later operator to an earlier one.
    pub const ALL: [Self; 23] = [
        Self::Broadcast,
        Self::Ramp,
        Self::Not,
        Self::Neg,
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Mod,
        Self::Min,
        Self::Max,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Shl,
        Self::Shr,
        Self::Eq,
        Self::Ne,
        Self::Lt,
        Self::Le,
        Self::Gt,
        Self::Ge,
        Self::Select,
    ];

    /// The operator's sign in the text of patterns.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Broadcast => "broadcast",
            Self::Ramp => "ramp",
            Self::Not => "!",
            Self::Neg => "neg",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Select => "select",
        }
    }

    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Broadcast | Self::Not | Self::Neg => 1,
            Self::Select => 3,
            Self::Ramp
            | Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::Mod
            | Self::Min
            | Self::Max
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Shl
            | Self::Shr
            | Self::Eq
            | Self::Ne
            | Self::Lt
            | Self::Le
            | Self::Gt
            | Self::Ge => 2,
        }
    }

    /// Returns the IR's operator for one operand of type `main`, if this operator is unary.
    pub fn unary(self, main: Scalar) -> Option<UnaryOp> {
        match self {
            Self::Not => Some(UnaryOp::Not),
            Self::Neg => Some(UnaryOp::Neg(overflow(main))),
            Self::Broadcast
            | Self::Ramp
            | Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::Mod
            | Self::Min
            | Self::Max
            | Self::And
            | Self::Or
            | Self::Xor
            | Self::Shl
            | Self::Shr
            | Self::Eq
            | Self::Ne
            | Self::Lt
            | Self::Le
            | Self::Gt
            | Self::Ge
            | Self::Select => None,
        }
    }

    /// Returns the IR's operator for two operands of type `main`, if this operator is binary.
    pub fn binary(self, main: Scalar) -> Option<BinaryOp> {
        Some(match self {
            Self::Add => BinaryOp::Add(overflow(main)),
            Self::Sub => BinaryOp::Sub(overflow(main)),
            Self::Mul => BinaryOp::Mul(overflow(main)),
            Self::Div => BinaryOp::Div,
            Self::Mod => BinaryOp::Mod,
            Self::Min => BinaryOp::Min,
            Self::Max => BinaryOp::Max,
            Self::And => BinaryOp::And,
            Self::Or => BinaryOp::Or,
            Self::Xor => BinaryOp::Xor,
            Self::Shl => BinaryOp::Shl,
            Self::Shr => BinaryOp::Shr,
            Self::Eq => BinaryOp::Eq,
            Self::Ne => BinaryOp::Ne,
            Self::Lt => BinaryOp::Lt,
            Self::Le => BinaryOp::Le,
            Self::Gt => BinaryOp::Gt,
            Self::Ge => BinaryOp::Ge,
            Self::Broadcast | Self::Ramp | Self::Not | Self::Neg | Self::Select => return None,
        })
    }
}

fn overflow(main: Scalar) -> Overflow {
    if main == Scalar::Int { Overflow::Unbounded } else { Overflow::Wraps }
}

impl Literal {
    /// The literal's value in a rule of type `main`, or `None` if the type has no such value.
    pub fn value(self, main: Scalar) -> Option<Constant> {
        match (self, main) {
            (Self::Condition(value), _) => Some(Constant::bool(value)),
            (Self::Number(value), Scalar::F32) => Some(Constant::f32(f32::from(value))),
            (Self::Number(value), Scalar::F64) => Some(Constant::f64(f64::from(value))),
            (Self::Number(value), _) if main != Scalar::Bool => {
                Constant::wrapped(main, i128::from(value))
            }
            (Self::NegativeZero, Scalar::F32) => Some(Constant::f32(-0.0)),
            (Self::NegativeZero, Scalar::F64) => Some(Constant::f64(-0.0)),
            (Self::Number(_) | Self::NegativeZero, _) => None,
        }
    }
}

/// The expressions that a pattern variable may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// Any expression.
    Any,
    /// A constant, the same in every lane.
    Constant,
    /// Anything but a constant.
    NotConstant,
}

/// The type of a pattern variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VarSort {
    /// The type for which the rule is used.
    Main,
    /// `bool`.
    Condition,
}

/// A variable of a pattern. Equal names stand for equal expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternVar {
    /// Its name.
    pub name: &'static str,
    /// The expressions that it may stand for.
    pub kind: VarKind,
    /// Its type.
    pub sort: VarSort,
}

/// A constant in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// This number in the rule's type, wrapped to its width: `-1` has every bit set.
    Number(i8),
    /// Floating-point `-0.0`.
    NegativeZero,
    /// A `bool`.
    Condition(bool),
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A variable.
    Var(PatternVar),
    /// A constant.
    Literal(Literal),
    /// An operator with as many operands as it takes.
    Apply(Op, Vec<Self>),
}

/// The error for a text that is not a pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a pattern: `{0}`")]
pub struct PatternError(pub String);

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    /// Returns an error if the text is not a pattern.
    pub fn parse(text: &'static str) -> Result<Self, PatternError> {
        let mut rest = text;
        let pattern = read(&mut rest).filter(|_| rest.trim().is_empty());
        pattern.ok_or_else(|| PatternError(text.to_owned()))
    }

    /// Calls `visit` with each occurrence of a variable.
    pub fn for_each_var(&self, visit: &mut impl FnMut(PatternVar)) {
        match self {
            Self::Var(var) => visit(*var),
            Self::Literal(_) => {}
            Self::Apply(_, operands) => {
                for operand in operands {
                    operand.for_each_var(visit);
                }
            }
        }
    }

    /// Tests whether the pattern stands for a constant, which is computed when the rule is used.
    pub fn is_constant(&self) -> bool {
        match self {
            Self::Var(var) => var.kind == VarKind::Constant,
            Self::Literal(_) => true,
            Self::Apply(_, operands) => operands.iter().all(Self::is_constant),
        }
    }
}

fn read(rest: &mut &'static str) -> Option<Pattern> {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('(') {
        *rest = inner;
        let sign = word(rest)?;
        let op = Op::ALL.into_iter().find(|op| op.sign() == sign)?;
        let operands = (0..op.arity()).map(|_| read(rest)).collect::<Option<Vec<_>>>()?;
        *rest = rest.trim_start().strip_prefix(')')?;
        return Some(Pattern::Apply(op, operands));
    }
    let name = word(rest)?;
    let var = |kind, sort| Some(Pattern::Var(PatternVar { name, kind, sort }));
    match name {
        "x" | "y" | "z" | "w" => var(VarKind::Any, VarSort::Main),
        "n" => var(VarKind::NotConstant, VarSort::Main),
        "c" | "c0" | "c1" | "c2" | "c3" => var(VarKind::Constant, VarSort::Main),
        "p" | "q" | "r" => var(VarKind::Any, VarSort::Condition),
        "true" => Some(Pattern::Literal(Literal::Condition(true))),
        "false" => Some(Pattern::Literal(Literal::Condition(false))),
        "-0.0" => Some(Pattern::Literal(Literal::NegativeZero)),
        _ => Some(Pattern::Literal(Literal::Number(name.parse().ok()?))),
    }
}

fn word(rest: &mut &'static str) -> Option<&'static str> {
    *rest = rest.trim_start();
    let end = rest.find(|c: char| c.is_whitespace() || c == '(' || c == ')').unwrap_or(rest.len());
    let (word, after) = rest.split_at(end);
    *rest = after;
    (!word.is_empty()).then_some(word)
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Var(var) => f.write_str(var.name),
            Self::Literal(Literal::Number(value)) => write!(f, "{value}"),
            Self::Literal(Literal::NegativeZero) => f.write_str("-0.0"),
            Self::Literal(Literal::Condition(value)) => write!(f, "{value}"),
            Self::Apply(op, operands) => {
                write!(f, "({}", op.sign())?;
                for operand in operands {
                    write!(f, " {operand}")?;
                }
                f.write_str(")")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn patterns_round_trip_and_others_are_refused() {
        for text in
            ["x", "(+ (* x c0) -1)", "(select (! p) n -0.0)", "(ramp x (neg y))", "(& p true)"]
        {
            assert_eq!(Pattern::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "(", "(+ x)", "(+ x y z)", "(foo x y)", "u", "x y", "(! p q)", "300"] {
            assert!(Pattern::parse(text).is_err(), "{text}");
        }
    }
}
