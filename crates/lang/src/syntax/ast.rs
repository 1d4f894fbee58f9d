//! The syntax tree: the text as written, with places, before anything is resolved. Names borrow the
//! source text.

use halidom_diag::Span;
use halidom_ir::Scalar;

/// A name and its place.
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
    pub(crate) schedule_fns: Vec<ScheduleFn<'s>>,
    /// Names of pipelines whose signature could not be parsed.
    pub(crate) broken: Vec<&'s str>,
}

/// `name: number`, known at compile time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstantParam<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) value: i128,
}

/// `pipeline name<constants>(params) -> outputs { body }`.
#[derive(Debug)]
pub(crate) struct Pipeline<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) constants: Vec<ConstantParam<'s>>,
    pub(crate) params: Vec<Param<'s>>,
    pub(crate) outputs: Vec<Param<'s>>,
    pub(crate) body: Vec<Item<'s>>,
    /// Names of definitions that could not be parsed.
    pub(crate) broken: Vec<&'s str>,
    /// Offset after its closing brace.
    pub(crate) end: usize,
    /// The whole pipeline.
    pub(crate) span: Span,
}

/// `name: type`.
#[derive(Debug)]
pub(crate) struct Param<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) ty: ParamType,
    pub(crate) ty_span: Span,
}

/// The type of a parameter or output.
#[derive(Clone, Debug)]
pub(crate) enum ParamType {
    /// A value.
    Scalar(Scalar),
    /// `buffer<scalar, rank>`, or `buffer<(scalar, …), rank>` for an output.
    Buffer(Vec<Scalar>, usize),
    /// Reported already.
    Bad,
}

/// A statement of a pipeline.
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
    /// `for name in range { items }`, expanded at compile time.
    For { var: Name<'s>, range: Box<Range<'s>>, items: Vec<Item<'s>> },
}

impl<'s> Item<'s> {
    /// Calls `visit` with every func, in order of the text.
    pub(crate) fn for_each_func<'a>(&'a self, visit: &mut dyn FnMut(&'a Func<'s>)) {
        match self {
            Self::Func(func) => visit(func),
            Self::For { items, .. } => {
                for item in items {
                    item.for_each_func(visit);
                }
            }
            Self::Let(_) | Self::FastMath | Self::Require { .. } => {}
        }
    }
}

/// `type`, or `(type, …)` for a tuple: the types of the components, and their place.
pub(crate) type TypeAnnotation = (Vec<Scalar>, Span);

/// `let name: type = value;`
#[derive(Clone, Debug)]
pub(crate) struct Let<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) ty: Option<TypeAnnotation>,
    pub(crate) value: Expr<'s>,
}

/// `func name…` or `func name[elements]…`.
#[derive(Debug)]
pub(crate) struct Func<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) elements: Option<Elements<'s>>,
    pub(crate) body: FuncBody<'s>,
    /// The whole definition.
    pub(crate) span: Span,
}

/// The elements of an array of funcs that a func defines.
#[derive(Debug)]
pub(crate) enum Elements<'s> {
    /// `[index]`.
    One(Expr<'s>),
    /// `[name in range]`.
    Each(Name<'s>, Box<Range<'s>>),
}

/// The forms of a func.
#[derive(Debug)]
pub(crate) enum FuncBody<'s> {
    /// `(args): type = value;`
    Pure { args: Vec<Name<'s>>, ty: Option<TypeAnnotation>, value: Expr<'s> },
    /// `(args): type { statements }`
    Stages { args: Vec<Name<'s>>, ty: Option<TypeAnnotation>, statements: Vec<Statement<'s>> },
    /// `= function(arguments);`, ranges last.
    Instance { function: Name<'s>, arguments: Vec<Expr<'s>>, ranges: Vec<Range<'s>>, span: Span },
}

/// A statement in the body of a func.
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
#[derive(Clone, Debug)]
pub(crate) struct Domain<'s> {
    pub(crate) vars: Vec<(Name<'s>, Range<'s>)>,
    pub(crate) predicate: Option<Box<Expr<'s>>>,
}

/// `min..end`.
#[derive(Clone, Debug)]
pub(crate) struct Range<'s> {
    pub(crate) min: Expr<'s>,
    pub(crate) end: Expr<'s>,
}

/// `target(coords) op value;`
#[derive(Debug)]
pub(crate) struct Update<'s> {
    pub(crate) target: Name<'s>,
    /// The index of the element in an array of funcs.
    pub(crate) element: Option<Expr<'s>>,
    pub(crate) coords: Vec<Expr<'s>>,
    pub(crate) op: AssignOp,
    pub(crate) value: Expr<'s>,
    pub(crate) span: Span,
}

/// The operator that combines an update's old value with the new one.
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
    /// The last parameter if it is a region: `r..`.
    pub(crate) region: Option<Name<'s>>,
    pub(crate) vars: Vec<(Name<'s>, VarKind)>,
    pub(crate) value: Expr<'s>,
    /// The whole definition.
    pub(crate) span: Span,
}

/// The number of dimensions that a variable of a function stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VarKind {
    /// One.
    Single,
    /// `x..`: as many as the rank leaves.
    Pack,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) kind: ExprKind<'s>,
    pub(crate) span: Span,
    /// Levels of nesting, 1 for a leaf; bounded, which bounds recursion over the tree.
    pub(crate) height: usize,
}

/// The forms of an expression.
#[derive(Clone, Debug)]
pub(crate) enum ExprKind<'s> {
    Integer(i128),
    /// As written: its type determines the rounding.
    Float(&'s str),
    Bool(bool),
    Name(&'s str),
    /// `array[index]`: a func as an argument.
    Element {
        array: Name<'s>,
        index: Box<Expr<'s>>,
    },
    /// `callee(arguments)`: func, input, built-in function, or cast; `callee[element](arguments)`.
    Call {
        callee: Name<'s>,
        element: Option<Box<Expr<'s>>>,
        arguments: Vec<Argument<'s>>,
    },
    /// `object.member` or `object.member(index)`, `object[element].member(index)`.
    Member {
        object: Name<'s>,
        element: Option<Box<Expr<'s>>>,
        member: Name<'s>,
        index: Option<Vec<Expr<'s>>>,
    },
    Unary(UnaryOp, Box<Expr<'s>>),
    Binary(BinaryOp, Box<Expr<'s>>, Box<Expr<'s>>),
    /// `sum(r in a..b: value)` and the other reductions.
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
    Tuple(Vec<Expr<'s>>),
    /// `tuple.number`.
    Component {
        tuple: Box<Expr<'s>>,
        number: i128,
    },
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub(crate) struct Argument<'s> {
    pub(crate) value: Expr<'s>,
    /// Followed by `..`: repeated for each member of a pack.
    pub(crate) expanded: bool,
}

/// Unary operators.
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

/// Binary operators.
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

/// `schedule name(constants) for pipeline { steps }`.
#[derive(Debug)]
pub(crate) struct Schedule<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) constants: Vec<ConstantParam<'s>>,
    pub(crate) pipeline: Name<'s>,
    pub(crate) steps: Vec<Step<'s>>,
    /// True if all of it was parsed.
    pub(crate) is_whole: bool,
    /// The whole schedule.
    pub(crate) span: Span,
}

/// `schedule_fn name(params) { steps }`.
#[derive(Debug)]
pub(crate) struct ScheduleFn<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) params: Vec<Name<'s>>,
    pub(crate) steps: Vec<Step<'s>>,
    /// The whole function.
    pub(crate) span: Span,
}

/// A statement of a schedule.
#[derive(Clone, Debug)]
pub(crate) enum Step<'s> {
    /// Directives for a func.
    Chain(Chain<'s>),
    /// `for name in range { steps }`, expanded at compile time.
    For { var: Name<'s>, range: Range<'s>, steps: Vec<Step<'s>> },
    /// `function(arguments);`, replaced with the function's steps at the end of parsing.
    Apply { function: Name<'s>, arguments: Vec<Expr<'s>>, span: Span },
}

/// `func.directive(…).directive(…);`
#[derive(Clone, Debug)]
pub(crate) struct Chain<'s> {
    pub(crate) func: Name<'s>,
    /// The index of the element in an array of funcs.
    pub(crate) element: Option<Expr<'s>>,
    pub(crate) calls: Vec<DirectiveCall<'s>>,
}

/// `directive(arguments)`, with a block for `specialize`, with a text for `specialize_fail`.
#[derive(Clone, Debug)]
pub(crate) struct DirectiveCall<'s> {
    pub(crate) name: Name<'s>,
    pub(crate) text: Option<&'s str>,
    pub(crate) arguments: Vec<DirectiveArgument<'s>>,
    pub(crate) block: Option<Vec<Step<'s>>>,
    pub(crate) span: Span,
}

/// `value` or `name: value`.
#[derive(Clone, Debug)]
pub(crate) struct DirectiveArgument<'s> {
    pub(crate) name: Option<Name<'s>>,
    pub(crate) value: Expr<'s>,
}

impl<'s> Expr<'s> {
    /// Makes a node, one level higher than its highest operand.
    pub(crate) fn new(kind: ExprKind<'s>, span: Span) -> Self {
        let mut node = Self { kind, span, height: 0 };
        let mut highest = 0;
        node.for_each_operand(&mut |operand| highest = highest.max(operand.height));
        node.height = highest + 1;
        node
    }

    /// Calls `visit` with the expression and all of its subexpressions.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        self.for_each_operand(&mut |operand| operand.walk(visit));
    }

    /// Calls `visit` with every operand, in order of the text.
    pub(crate) fn for_each_operand<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match &self.kind {
            ExprKind::Integer(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Name(_) => {}
            ExprKind::Tuple(parts) => parts.iter().for_each(visit),
            ExprKind::Component { tuple, .. } => visit(tuple),
            ExprKind::Element { index, .. } => visit(index),
            ExprKind::Call { element, arguments, .. } => {
                if let Some(element) = element {
                    visit(element);
                }
                for argument in arguments {
                    visit(&argument.value);
                }
            }
            ExprKind::Member { element, index, .. } => {
                if let Some(element) = element {
                    visit(element);
                }
                index.iter().flatten().for_each(visit);
            }
            ExprKind::Unary(_, operand) => visit(operand),
            ExprKind::Binary(_, lhs, rhs) => {
                visit(lhs);
                visit(rhs);
            }
            ExprKind::Reduction { domain, value, .. } => {
                for (_, range) in &domain.vars {
                    visit(&range.min);
                    visit(&range.end);
                }
                if let Some(predicate) = &domain.predicate {
                    visit(predicate);
                }
                visit(value);
            }
            ExprKind::Block { lets, value } => {
                for binding in lets {
                    visit(&binding.value);
                }
                visit(value);
            }
        }
    }
}
