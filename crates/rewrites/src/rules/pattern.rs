//! Patterns of the rewrite-rule languages of Halide's `IRMatch.h` and TVM's `pattern_match.h`.

use std::fmt;

/// An operator of patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`, Euclidean
    Div,
    /// `%`, Euclidean
    Mod,
    /// The quotient rounded towards 0; of floats, the quotient.
    TruncDiv,
    /// The remainder of `TruncDiv`, which has the dividend's sign.
    TruncMod,
    /// The quotient rounded down.
    FloorDiv,
    /// The remainder of `FloorDiv`, which has the divisor's sign.
    FloorMod,
    /// The lesser operand.
    Min,
    /// The greater operand.
    Max,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `!`; also `neg`, which matches the negated form of a bound comparison
    Not,
    /// Negation of a number.
    Neg,
    /// The absolute value.
    Abs,
    /// A choice between two evaluated values.
    Select,
    /// A value repeated; the context may determine the count.
    Broadcast,
    /// A base plus multiples of a stride; the context may determine the count.
    Ramp,
    /// A number of lanes, from a first lane and by a stride.
    Slice,
    /// A permutation of lanes.
    Transpose,
    /// A horizontal reduction.
    Reduce(Reduction),
    /// A constant that is computed when the rule fires.
    Fold,
    /// In a predicate: the simplifier reduces the operand to true.
    CanProve,
    /// In a predicate: computing the operand overflows.
    Overflows,
    /// In a predicate: the operand is a literal.
    IsConst,
    /// In a predicate: the operand is floating point.
    IsFloat,
    /// In a predicate: the operand is a signed integer.
    IsInt,
    /// In a predicate: the operand is an unsigned integer.
    IsUint,
    /// In a predicate: the operand is the greatest value of its type.
    IsMaxValue,
    /// In a predicate: the operand is the least value of its type.
    IsMinValue,
    /// In a predicate: a literal as an integer of C++, which does not wrap with the literal's type.
    Value,
    /// The number of lanes of the operand.
    LanesOf,
    /// An intrinsic that returns its operand: `likely`, `likely_if_innermost`.
    Likely,
    /// A conversion to the type of the result.
    Cast,
    /// A literal that C++ makes of the type of the result.
    OfResult {
        /// True if it is made as a scalar, whatever the lanes of the type.
        is_scalar: bool,
    },
}

impl Op {
    /// Returns the operands that count lanes.
    pub(crate) fn counts(self, operands: &[Pattern]) -> &[Pattern] {
        let first = match self {
            Self::Broadcast | Self::Slice | Self::Transpose | Self::Reduce(_) => 1,
            Self::Ramp => 2,
            _ => operands.len(),
        };
        operands.get(first..).unwrap_or_default()
    }
}

/// The operation by which a horizontal reduction combines lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reduction {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Least.
    Min,
    /// Greatest.
    Max,
    /// Conjunction.
    And,
    /// Disjunction.
    Or,
}

/// The functions of the rule language: name, operator, and the least and the greatest number of
/// arguments that are read. Source: `IRMatch.h` of each repository.
pub(crate) const FUNCTIONS: &[(&str, Op, usize, usize)] = &[
    ("add", Op::Add, 2, 2),
    ("sub", Op::Sub, 2, 2),
    ("mul", Op::Mul, 2, 2),
    ("div", Op::Div, 2, 2),
    ("mod", Op::Mod, 2, 2),
    ("min", Op::Min, 2, 2),
    ("max", Op::Max, 2, 2),
    ("lt", Op::Lt, 2, 2),
    ("le", Op::Le, 2, 2),
    ("gt", Op::Gt, 2, 2),
    ("ge", Op::Ge, 2, 2),
    ("eq", Op::Eq, 2, 2),
    ("ne", Op::Ne, 2, 2),
    ("and_op", Op::And, 2, 2),
    ("or_op", Op::Or, 2, 2),
    ("not_op", Op::Not, 1, 1),
    ("neg", Op::Not, 1, 1),
    ("negate", Op::Neg, 1, 1),
    ("abs", Op::Abs, 1, 1),
    ("select", Op::Select, 3, 3),
    ("broadcast", Op::Broadcast, 1, 2),
    ("ramp", Op::Ramp, 2, 3),
    ("slice", Op::Slice, 4, 4),
    ("transpose", Op::Transpose, 2, 2),
    ("h_add", Op::Reduce(Reduction::Add), 2, 2),
    ("h_mul", Op::Reduce(Reduction::Mul), 2, 2),
    ("h_min", Op::Reduce(Reduction::Min), 2, 2),
    ("h_max", Op::Reduce(Reduction::Max), 2, 2),
    ("h_and", Op::Reduce(Reduction::And), 2, 2),
    ("h_or", Op::Reduce(Reduction::Or), 2, 2),
    ("fold", Op::Fold, 1, 1),
    ("can_prove", Op::CanProve, 1, 1),
    ("overflows", Op::Overflows, 1, 1),
    ("is_const", Op::IsConst, 1, 1),
    ("is_float", Op::IsFloat, 1, 1),
    ("is_int", Op::IsInt, 1, 1),
    ("is_uint", Op::IsUint, 1, 1),
    ("is_max_value", Op::IsMaxValue, 1, 1),
    ("is_min_value", Op::IsMinValue, 1, 1),
    ("lanes_of", Op::LanesOf, 1, 1),
    ("likely", Op::Likely, 1, 1),
    ("likely_if_innermost", Op::Likely, 1, 1),
];

/// The functions of TVM's rule language: name, operator, and the number of arguments. Source:
/// `pattern_match.h`.
pub(crate) const TVM_FUNCTIONS: &[(&str, Op, usize)] = &[
    ("truncdiv", Op::TruncDiv, 2),
    ("truncmod", Op::TruncMod, 2),
    ("floordiv", Op::FloorDiv, 2),
    ("floormod", Op::FloorMod, 2),
    ("div", Op::TruncDiv, 2),
    ("min", Op::Min, 2),
    ("max", Op::Max, 2),
    ("select", Op::Select, 3),
    ("broadcast", Op::Broadcast, 2),
    ("ramp", Op::Ramp, 3),
];

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// `x y z w u v`: any expression. Equal names match equal expressions.
    Wild(String),
    /// `c0` to `c5`: a literal, a literal in every lane, or a count of lanes.
    Constant(String),
    /// A C++ integer of the enclosing function that counts lanes.
    Lanes(String),
    /// A C++ integer of the enclosing function, known through a contract.
    Host(String),
    /// In a predicate: a test of the compiler's that is not understood; nothing is concluded from
    /// it.
    Unread(String),
    /// A literal of any type.
    Int(i64),
    /// A literal truth value.
    Bool(bool),
    /// The least value of the operands' type.
    TypeMin,
    /// The greatest value of the operands' type.
    TypeMax,
    /// `IRMatcher::Overflow()`, `IRMatcher::Indeterminate()`: the mark of an undefined value.
    Undefined,
    /// An operator applied.
    Apply(Op, Vec<Self>),
}

impl Pattern {
    /// Calls `visit` with this pattern and every part of it, outermost first.
    pub fn visit<'p>(&'p self, visit: &mut impl FnMut(&'p Self)) {
        visit(self);
        if let Self::Apply(_, operands) = self {
            for operand in operands {
                operand.visit(visit);
            }
        }
    }

    /// Returns this pattern with `change` of each part that has no operands, from left to right.
    pub(crate) fn map(self, change: &mut impl FnMut(Self) -> Self) -> Self {
        match self {
            Self::Apply(op, operands) => {
                Self::Apply(op, operands.into_iter().map(|operand| operand.map(change)).collect())
            }
            part => change(part),
        }
    }

    /// True if this pattern or a part of it is `wanted`.
    pub fn any(&self, wanted: impl Fn(&Self) -> bool) -> bool {
        let mut found = false;
        self.visit(&mut |part| found |= wanted(part));
        found
    }
}

fn infix(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Add => "+",
        Op::Sub => "-",
        Op::Mul => "*",
        Op::Div => "/",
        Op::Mod => "%",
        Op::Lt => "<",
        Op::Le => "<=",
        Op::Gt => ">",
        Op::Ge => ">=",
        Op::Eq => "==",
        Op::Ne => "!=",
        Op::And => "&&",
        Op::Or => "||",
        Op::Min
        | Op::Max
        | Op::Not
        | Op::Neg
        | Op::Abs
        | Op::Select
        | Op::Broadcast
        | Op::Ramp
        | Op::Slice
        | Op::Transpose
        | Op::Reduce(_)
        | Op::Fold
        | Op::CanProve
        | Op::Overflows
        | Op::IsConst
        | Op::IsFloat
        | Op::IsInt
        | Op::IsUint
        | Op::IsMaxValue
        | Op::IsMinValue
        | Op::LanesOf
        | Op::Likely
        | Op::TruncDiv
        | Op::TruncMod
        | Op::FloorDiv
        | Op::FloorMod
        | Op::Value
        | Op::Cast
        | Op::OfResult { .. } => return None,
    })
}

/// Returns the operator that C++ writes as `sign`.
pub(crate) fn operator(sign: &str) -> Option<Op> {
    const INFIX: [Op; 13] = [
        Op::Add,
        Op::Sub,
        Op::Mul,
        Op::Div,
        Op::Mod,
        Op::Lt,
        Op::Le,
        Op::Gt,
        Op::Ge,
        Op::Eq,
        Op::Ne,
        Op::And,
        Op::Or,
    ];
    INFIX.into_iter().find(|op| infix(*op) == Some(sign))
}

/// Writes the pattern as C++, with every compound operand in parentheses.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wild(name) | Self::Constant(name) | Self::Lanes(name) | Self::Host(name) => {
                f.write_str(name)
            }
            Self::Int(value) => write!(f, "{value}"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::TypeMin => f.write_str("type_min"),
            Self::TypeMax => f.write_str("type_max"),
            Self::Undefined => f.write_str("undefined"),
            Self::Unread(test) => f.write_str(test),
            Self::Apply(Op::Value | Op::OfResult { .. }, operands) => operands[0].fmt(f),
            Self::Apply(op, operands) => match (infix(*op), operands.as_slice()) {
                (Some(sign), [lhs, rhs]) => write!(f, "({lhs} {sign} {rhs})"),
                (_, operands) => {
                    let name = match op {
                        Op::Not => "!",
                        Op::Neg => "-",
                        Op::Cast => "cast",
                        op => {
                            let names = FUNCTIONS.iter().map(|(name, known, ..)| (name, known));
                            let tvm = TVM_FUNCTIONS.iter().map(|(name, known, _)| (name, known));
                            let mut all = names.chain(tvm).filter(|(_, known)| *known == op);
                            all.next().map_or("?", |(name, _)| name)
                        }
                    };
                    write!(f, "{name}(")?;
                    for (index, operand) in operands.iter().enumerate() {
                        let separator = if index == 0 { "" } else { ", " };
                        write!(f, "{separator}{operand}")?;
                    }
                    f.write_str(")")
                }
            },
        }
    }
}

/// The names that stand for any expression in rules.
const WILDCARDS: [&str; 6] = ["x", "y", "z", "w", "u", "v"];

/// The names that stand for any literal in rules.
const CONSTANTS: [&str; 6] = ["c0", "c1", "c2", "c3", "c4", "c5"];

/// True if a name stands for any expression.
pub(crate) fn is_wildcard(name: &str) -> bool {
    WILDCARDS.contains(&name)
}

/// True if a name stands for any literal.
pub(crate) fn is_constant(name: &str) -> bool {
    CONSTANTS.contains(&name)
}
