//! The syntax tree: what was written, with places, before anything is resolved. Names borrow the source text.

use halidom_diag::Span;
use halidom_ir::Scalar;

/// A name and where it stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'s> {
    pub(crate) text: &'s str,
    pub(crate) span: Span,
}

/// A file.
#[derive(Debug, Default)]
pub(crate) struct File<'s> {
    pub(crate) pipelines: Vec<Pipeline<'s>>,
    pub(crate) functions: Vec<Function<'s>>,
    pub(crate) schedules: Vec<Schedule<'s>>,
    /// Names of pipelines whose signature could not be parsed.
    pub(crate) broken: Vec<&'s str>,
}

/// `pipeline name(params) -> outputs { body }`.
#[derive(Debug)]
pub(crate) struct Pipeline<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<Param<'s>>,
    pub(crate) outputs: Vec<Param<'s>>,
    pub(crate) body: Vec<Item<'s>>,
    /// Names of definitions that could not be parsed.
    pub(crate) broken: Vec<&'s str>,
    /// Offset after its closing brace.
    pub(crate) end: usize,
}

/// `name: type`.
#[derive(Debug)]
pub(crate) struct Param<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) ty: ParamType,
    pub(crate) ty_span: Span,
}

/// The type of a parameter or output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ParamType {
    /// A value.
    Scalar(Scalar),
    /// `buffer<scalar, rank>`.
    Buffer(Scalar, usize),
    /// Reported already.
    Bad,
}

/// What stands in a pipeline.
#[derive(Debug)]
pub(crate) enum Item<'s> {
    /// `require condition, "message";`
    Require { condition: Expr<'s>, message: Option<&'s str>, span: Span },
    /// `fast_math;`
    FastMath,
    /// `let name = value;`
    Let(Let<'s>),
    /// A func.
    Func(Func<'s>),
}

/// `let name: type = value;`
#[derive(Debug)]
pub(crate) struct Let<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) ty: Option<(Scalar, Span)>,
    pub(crate) value: Expr<'s>,
}

/// `func name…`.
#[derive(Debug)]
pub(crate) struct Func<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) body: FuncBody<'s>,
}

/// The forms of a func.
#[derive(Debug)]
pub(crate) enum FuncBody<'s> {
    /// `(args): type = value;`
    Pure { args: Vec<Name<'s>>, ty: Option<(Scalar, Span)>, value: Expr<'s> },
    /// `(args): type { statements }`
    Stages { args: Vec<Name<'s>>, ty: Option<(Scalar, Span)>, statements: Vec<Statement<'s>> },
    /// `= function(arguments);`
    Instance { function: Name<'s>, arguments: Vec<Expr<'s>>, span: Span },
}

/// What stands in the body of a func.
#[derive(Debug)]
pub(crate) enum Statement<'s> {
    /// A named subexpression.
    Let(Let<'s>),
    /// A stage without a domain.
    Update(Update<'s>),
    /// A stage with a domain.
    For { domain: Domain<'s>, body: Vec<Statement<'s>>, span: Span },
}

/// `for vars in ranges where predicate`.
#[derive(Debug)]
pub(crate) struct Domain<'s> {
    pub(crate) vars: Vec<(Name<'s>, Range<'s>)>,
    pub(crate) predicate: Option<Box<Expr<'s>>>,
}

/// `min..end`.
#[derive(Debug)]
pub(crate) struct Range<'s> {
    pub(crate) min: Expr<'s>,
    pub(crate) end: Expr<'s>,
}

/// `target(coords) op value;`
#[derive(Debug)]
pub(crate) struct Update<'s> {
    pub(crate) target: Name<'s>,
    pub(crate) coords: Vec<Expr<'s>>,
    pub(crate) op: AssignOp,
    pub(crate) value: Expr<'s>,
    pub(crate) span: Span,
}

/// How an update combines the old value with the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AssignOp {
    Set,
    Add,
    Mul,
    Min,
    Max,
}

/// `fn name(params) -> func(vars) = value;`
#[derive(Debug)]
pub(crate) struct Function<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<Name<'s>>,
    pub(crate) vars: Vec<(Name<'s>, VarKind)>,
    pub(crate) value: Expr<'s>,
}

/// How many dimensions a variable of a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarKind {
    /// One.
    Single,
    /// `x..`: as many as the rank leaves.
    Pack,
}

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) kind: ExprKind<'s>,
    pub(crate) span: Span,
    /// Levels of nesting, 1 for a leaf: bounded, so that recursion over the tree is.
    pub(crate) height: usize,
}

/// The forms of an expression.
#[derive(Debug)]
pub(crate) enum ExprKind<'s> {
    Integer(i128),
    /// As written: its type decides how it is rounded.
    Float(&'s str),
    Bool(bool),
    Name(&'s str),
    /// `callee(arguments)`: func, input, built-in function, or cast.
    Call {
        callee: Name<'s>,
        arguments: Vec<Argument<'s>>,
    },
    /// `object.member` or `object.member(index)`.
    Member {
        object: Name<'s>,
        member: Name<'s>,
        index: Option<Vec<Expr<'s>>>,
    },
    Unary(UnaryOp, Box<Expr<'s>>),
    Binary(BinaryOp, Box<Expr<'s>>, Box<Expr<'s>>),
    /// `sum(r in a..b: value)` and its kin.
    Reduction {
        op: Name<'s>,
        domain: Domain<'s>,
        value: Box<Expr<'s>>,
    },
    /// `{ let a = b; value }`.
    Block {
        lets: Vec<Let<'s>>,
        value: Box<Expr<'s>>,
    },
    /// `(a, b)`.
    Tuple,
}

/// An argument of a call.
#[derive(Debug)]
pub(crate) struct Argument<'s> {
    pub(crate) value: Expr<'s>,
    /// Followed by `..`: stands once for each member of a pack.
    pub(crate) expanded: bool,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Neg,
    Not,
    Complement,
}

impl UnaryOp {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Neg => "-",
            Self::Not => "!",
            Self::Complement => "~",
        }
    }
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitXor,
    BitOr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl BinaryOp {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::BitAnd => "&",
            Self::BitXor => "^",
            Self::BitOr => "|",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::And => "&&",
            Self::Or => "||",
        }
    }
}

/// `schedule name for pipeline { chains }`.
#[derive(Debug)]
pub(crate) struct Schedule<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) pipeline: Name<'s>,
    pub(crate) chains: Vec<Chain<'s>>,
    /// Whether all of it could be parsed.
    pub(crate) is_whole: bool,
}

/// `func.directive(…).directive(…);`
#[derive(Debug)]
pub(crate) struct Chain<'s> {
    pub(crate) func: Name<'s>,
    pub(crate) calls: Vec<DirectiveCall<'s>>,
}

/// `directive(arguments)`, for `specialize` with a block.
#[derive(Debug)]
pub(crate) struct DirectiveCall<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) arguments: Vec<DirectiveArgument<'s>>,
    pub(crate) block: Option<Vec<Chain<'s>>>,
    pub(crate) span: Span,
}

/// `value` or `name: value`.
#[derive(Debug)]
pub(crate) struct DirectiveArgument<'s> {
    pub(crate) name: Option<Name<'s>>,
    pub(crate) value: Expr<'s>,
}
