//! The syntax tree of a file: programs, derivations and schedule functions.
//!
//! Integers, truth values and tensors share one kind of expression; which of them one is shows where it stands.

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
    /// What it is.
    pub kind: ExprKind,
    /// The place.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number.
    Num(String),
    /// A name; `_` in patterns of sites.
    Name(String),
    /// A function or an operator with a name; sizes stand in braces.
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
    /// An element type, dimensions, and the unknown shape behind them.
    Tensor(Name, Vec<Expr>, Option<Name>),
    /// A place in a program; of schedule functions.
    Site,
    /// A new name; of schedule functions.
    Name,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// What it is called.
    pub name: Name,
    /// What it is.
    pub kind: ParamKind,
}

/// A program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// What it is called.
    pub name: Name,
    /// Sizes and inputs.
    pub params: Vec<Param>,
    /// What must hold of the sizes.
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
    /// Where to begin.
    pub base: SiteBase,
    /// Which of several, counted from 1.
    pub number: Option<usize>,
    /// From there.
    pub moves: Vec<Move>,
    /// The place of this text.
    pub span: Span,
}

/// Where a site begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteBase {
    /// What is in focus.
    Here,
    /// A binder's variable, a reshape operator, or `gen`, `sum`, `let`, `guard` for the outermost one.
    Named(String),
    /// Whatever has this form.
    Pattern(Box<Expr>),
}

/// A command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What it is.
    pub kind: CommandKind,
    /// The place.
    pub span: Span,
}

/// What a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// A rule, a built-in command or a schedule function.
    Call(Call),
    /// Commands with another focus.
    At(Site, Vec<Command>),
    /// Commands at every place where they apply.
    Everywhere(Vec<Command>),
    /// Commands that may fail, and then change nothing.
    Try(Vec<Command>),
    /// The first list, or, if that fails, the second.
    Else(Vec<Command>, Vec<Command>),
    /// Commands again and again, until they fail or change nothing.
    Repeat(Vec<Command>),
}

/// A rule, a built-in command or a schedule function with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Its name.
    pub name: Name,
    /// Whether a rule is used from right to left.
    pub back: bool,
    /// What follows the name.
    pub args: Vec<Expr>,
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
    /// What it is called.
    pub name: Name,
    /// Further sizes.
    pub params: Vec<Param>,
    /// The program that it begins with.
    pub of: Name,
    /// What must hold of the sizes.
    pub wheres: Vec<Expr>,
    /// The steps.
    pub script: Vec<Command>,
}

/// A schedule function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// What it is called.
    pub name: Name,
    /// What it takes.
    pub params: Vec<Param>,
    /// What it does.
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
