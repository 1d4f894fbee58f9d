//! The syntax tree of a file: programs, derivations and schedule functions.
//!
//! Integers, truth values and tensors share one kind of expression. The context of an expression
//! determines which one it is.

use halidom_diag::Span;

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text.
    pub text: String,
    /// The place.
    pub span: Span,
}

/// An operator between two expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Mod,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `=`
    Eq,
    /// `&&`
    And,
}

/// An expression and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The place.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Num(String),
    /// A name. In patterns of sites, `_` too.
    Name(String),
    /// A function or an operator with a name. Sizes are in braces.
    Call(Name, Vec<Expr>, Vec<Expr>),
    /// An operator.
    Binary(Binary, Box<(Expr, Expr)>),
    /// `gen` (true) or `sum`: variable, lower bound if there is one, upper bound, body.
    Loop(bool, Name, Option<Box<Expr>>, Box<Expr>, Box<Expr>),
    /// `[p] * e`
    Guard(Box<(Expr, Expr)>),
    /// `let x = e in e`
    Let(Name, Box<(Expr, Expr)>),
    /// `e[i; j]`
    Get(Box<Expr>, Vec<Expr>),
}

/// The type of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A size: an integer that is not negative.
    Size,
    /// The dimensions of an unknown shape.
    Shape,
    /// An element type, known dimensions, and the unknown shape after them.
    Tensor(Name, Vec<Expr>, Option<Name>),
    /// A place in a program. Only for schedule functions.
    Site,
    /// A new name. Only for schedule functions.
    Name,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// The parameter's name.
    pub name: Name,
    /// The parameter's type.
    pub kind: ParamKind,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program's name.
    pub name: Name,
    /// Sizes and inputs.
    pub params: Vec<Param>,
    /// The conditions on the sizes.
    pub wheres: Vec<Expr>,
    /// The result.
    pub body: Expr,
}

/// A step from a site to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Into the body of a binder, a guard or a let.
    Body,
    /// Into the value of a let.
    Value,
    /// Into the left operand.
    Left,
    /// Into the right operand.
    Right,
    /// Into the tensor that is read, or the only part.
    Inner,
}

/// A place in a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The place where the site begins.
    pub base: SiteBase,
    /// The number of the match if there are several, counted from 1.
    pub number: Option<usize>,
    /// The moves from there.
    pub moves: Vec<Move>,
    /// The place of this text.
    pub span: Span,
}

impl Site {
    /// The site that a name or a pattern denotes.
    pub fn of(expr: Expr) -> Self {
        let span = expr.span;
        let base = match expr.kind {
            ExprKind::Name(name) if name == "here" => SiteBase::Here,
            ExprKind::Name(name) => SiteBase::Named(name),
            ExprKind::Num(_)
            | ExprKind::Call(..)
            | ExprKind::Binary(..)
            | ExprKind::Loop(..)
            | ExprKind::Guard(_)
            | ExprKind::Let(..)
            | ExprKind::Get(..) => SiteBase::Pattern(Box::new(expr)),
        };
        Self { base, number: None, moves: Vec::new(), span }
    }
}

/// The beginning of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteBase {
    /// The part in focus.
    Here,
    /// A binder's variable, a reshape operator, or `gen`, `sum`, `let`, `guard` for the outermost
    /// one.
    Named(String),
    /// A part that matches this pattern.
    Pattern(Box<Expr>),
}

/// A command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The kind of command.
    pub kind: CommandKind,
    /// The place.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// A rule, a built-in command or a schedule function.
    Call(Call),
    /// Runs commands with another focus.
    At(Site, Vec<Command>),
    /// Runs commands at every place where they apply.
    Everywhere(Vec<Command>),
    /// Runs commands. If they fail, nothing changes.
    Try(Vec<Command>),
    /// Runs the first list or, if that fails, the second.
    Else(Vec<Command>, Vec<Command>),
    /// Repeats commands until they fail or change nothing.
    Repeat(Vec<Command>),
}

/// An argument of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A name, a number or a pattern.
    Expr(Expr),
    /// A site with a number or moves: `i#2`, `i.body`.
    Site(Site),
}

impl Argument {
    /// The place of the argument.
    pub fn span(&self) -> Span {
        match self {
            Self::Expr(expr) => expr.span,
            Self::Site(site) => site.span,
        }
    }

    /// The argument as a site.
    pub fn site(&self) -> Site {
        match self {
            Self::Expr(expr) => Site::of(expr.clone()),
            Self::Site(site) => site.clone(),
        }
    }
}

/// A rule, a built-in command or a schedule function with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The name of the command.
    pub name: Name,
    /// True if a rule is used from right to left.
    pub back: bool,
    /// The arguments after the name.
    pub args: Vec<Argument>,
    /// `with x = e`
    pub with: Vec<(Name, Expr)>,
    /// `as x, y`
    pub names: Vec<Name>,
    /// `at site`, for commands that need a second site.
    pub site: Option<Site>,
}

/// A derivation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Derivation {
    /// The derivation's name.
    pub name: Name,
    /// The additional sizes.
    pub params: Vec<Param>,
    /// The program that the derivation begins with.
    pub of: Name,
    /// The conditions on the sizes.
    pub wheres: Vec<Expr>,
    /// The steps.
    pub script: Vec<Command>,
}

/// A schedule function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The function's name.
    pub name: Name,
    /// The parameters.
    pub params: Vec<Param>,
    /// The commands.
    pub script: Vec<Command>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The programs.
    pub programs: Vec<Program>,
    /// The derivations.
    pub derivations: Vec<Derivation>,
    /// The schedule functions.
    pub functions: Vec<Function>,
}
