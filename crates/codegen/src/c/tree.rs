//! A syntax tree of the C that is printed, with just the constructs that translated programs need.

use halidom_ir::Scalar;

/// A C type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CType {
    /// `void`, behind pointers only.
    Void,
    /// C's `int`, for statuses.
    Status,
    /// A named type: a struct, or one of the runtime's.
    Named(String),
    /// The C type of a scalar; `int` and `i64` are both `int64_t`.
    Scalar(Scalar),
    /// A GNU vector, never of `bool`: masks are vectors of signed integers.
    Vector(Scalar, u32),
    /// A pointer.
    Pointer {
        /// The type of the pointee.
        to: Box<Self>,
        /// True if the pointee is only read.
        read_only: bool,
        /// True if the pointee is reached through this pointer alone.
        restrict: bool,
    },
}

impl CType {
    /// Returns a pointer type without `restrict`.
    pub(crate) fn pointer(to: Self, read_only: bool) -> Self {
        Self::Pointer { to: Box::new(to), read_only, restrict: false }
    }

    /// Returns the same pointer type with `restrict`; other types stay as they are.
    pub(crate) fn restricted(self) -> Self {
        match self {
            Self::Pointer { to, read_only, restrict: _ } => {
                Self::Pointer { to, read_only, restrict: true }
            }
            Self::Void | Self::Status | Self::Named(_) | Self::Scalar(_) | Self::Vector(..) => self,
        }
    }
}

/// Unary operators of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CUnary {
    /// `-`
    Minus,
    /// `~`
    Complement,
    /// `!`
    Not,
    /// `&`
    Address,
}

impl CUnary {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Minus => "-",
            Self::Complement => "~",
            Self::Not => "!",
            Self::Address => "&",
        }
    }
}

/// Binary operators of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CBinary {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Le,
    Gt,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

impl CBinary {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::BitAnd => "&",
            Self::BitXor => "^",
            Self::BitOr => "|",
            Self::And => "&&",
            Self::Or => "||",
        }
    }
}

/// A C expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CExpr {
    /// A variable, parameter or function.
    Name(String),
    /// A literal without a sign.
    Literal(String),
    /// A prefix operator.
    Unary(CUnary, Box<Self>),
    /// An infix operator.
    Binary(CBinary, Box<Self>, Box<Self>),
    /// `c ? a : b`.
    Conditional(Box<Self>, Box<Self>, Box<Self>),
    /// `(T)e`.
    Cast(CType, Box<Self>),
    /// `f(a, b)`.
    Call(String, Vec<Self>),
    /// `p[i]`.
    Index(Box<Self>, Box<Self>),
    /// `s->field`.
    Arrow(Box<Self>, String),
    /// `s.field`.
    Dot(Box<Self>, String),
    /// `(T[]){a, b}`.
    CompoundArray(CType, Vec<Self>),
    /// `sizeof(T)`.
    SizeOf(CType),
}

impl CExpr {
    pub(crate) fn name(name: impl Into<String>) -> Self {
        Self::Name(name.into())
    }

    pub(crate) fn literal(text: impl Into<String>) -> Self {
        Self::Literal(text.into())
    }

    pub(crate) fn unary(op: CUnary, operand: Self) -> Self {
        Self::Unary(op, Box::new(operand))
    }

    pub(crate) fn binary(op: CBinary, lhs: Self, rhs: Self) -> Self {
        Self::Binary(op, Box::new(lhs), Box::new(rhs))
    }

    pub(crate) fn conditional(condition: Self, if_true: Self, if_false: Self) -> Self {
        Self::Conditional(Box::new(condition), Box::new(if_true), Box::new(if_false))
    }

    pub(crate) fn cast(ty: CType, operand: Self) -> Self {
        Self::Cast(ty, Box::new(operand))
    }

    pub(crate) fn call(function: impl Into<String>, arguments: Vec<Self>) -> Self {
        Self::Call(function.into(), arguments)
    }

    pub(crate) fn index(base: Self, index: Self) -> Self {
        Self::Index(Box::new(base), Box::new(index))
    }

    pub(crate) fn dot(base: Self, field: impl Into<String>) -> Self {
        Self::Dot(Box::new(base), field.into())
    }

    pub(crate) fn arrow(base: Self, field: impl Into<String>) -> Self {
        Self::Arrow(Box::new(base), field.into())
    }
}

/// A C statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CStmt {
    /// A line of comment.
    Comment(String),
    /// `T name = value;`
    Declare(CType, String, CExpr),
    /// `HALIDOM_OWNING void *name = memory;`: memory that is freed where the name leaves its scope.
    DeclareOwning(String, CExpr),
    /// `T name[length] = {0};`: an array on the stack, all zero, aligned to `align` bytes.
    DeclareArray {
        /// The element type.
        ty: CType,
        /// Its name.
        name: String,
        /// A constant expression.
        length: CExpr,
        /// Bytes.
        align: u32,
    },
    /// `struct_type name = {a, b};`
    DeclareStruct(String, String, Vec<CExpr>),
    /// `target = value;`
    Assign(CExpr, CExpr),
    /// A call whose value is not used.
    Expr(CExpr),
    /// `(void)name;`: the variable may stay unused.
    Discard(String),
    /// `if`, with an `else` where there is one.
    If(CExpr, Vec<Self>, Option<Vec<Self>>),
    /// Counts `var` from `from`, `extent` times.
    For {
        /// The loop variable, `int64_t`.
        var: String,
        /// Its first value.
        from: CExpr,
        /// A variable for the first value that is not taken. It is absent where `from` is 0 and
        /// `extent` is a literal. The loop runs until its variable equals this one. This tells the
        /// C compiler the number of iterations without a proof that the end is never passed, and
        /// rows of loads then share one index.
        end: Option<String>,
        /// The number of iterations, which is not negative where there is a variable for the end.
        extent: CExpr,
        /// The body.
        body: Vec<Self>,
    },
    /// A nested block.
    Block(Vec<Self>),
    /// `return value;`
    Return(CExpr),
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CFunction {
    /// Comment lines above it.
    pub(crate) comment: Vec<String>,
    /// True if the function is visible outside the file.
    pub(crate) external: bool,
    /// Its name. It returns a status.
    pub(crate) name: String,
    /// Its parameters.
    pub(crate) parameters: Vec<(CType, String)>,
    /// Its body.
    pub(crate) body: Vec<CStmt>,
}

/// A struct with a `typedef` of the same name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CStruct {
    /// Comment lines above it.
    pub(crate) comment: Vec<String>,
    /// Its name.
    pub(crate) name: String,
    /// Its fields.
    pub(crate) fields: Vec<(CType, String)>,
}
