//! The syntax of the C++ subset in which mutators are written.

use crate::sign::Sign;

/// A line of a program, counted from 1 through all of its files.
pub type Line = usize;

/// An expression with the line where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Which.
    pub kind: ExprKind,
    /// Where.
    pub line: Line,
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A name, with its namespaces: `IRMatcher::add`.
    Name(String),
    /// An integer literal with its value and its suffix in lower case.
    Integer(i128, String),
    /// A floating-point literal.
    Float(f64),
    /// `true` or `false`.
    Bool(bool),
    /// A string literal without its quotes; escapes are kept as written.
    Text(String),
    /// `nullptr` or `NULL`.
    Null,
    /// `this`.
    This,
    /// A call; a member function is called through [`ExprKind::Member`].
    Call {
        /// What is called.
        callee: Box<Expr>,
        /// Template arguments as they are written: `as<Add>()` has `Add`.
        templates: Vec<String>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `object.name` or `object->name`.
    Member {
        /// What has the member.
        object: Box<Expr>,
        /// Whether through a pointer.
        arrow: bool,
        /// The member.
        name: String,
    },
    /// `object[index]`
    Index(Box<Expr>, Box<Expr>),
    /// A prefix operator: `!`, `-`, `+`, `~`, `*`, `&`, `++`, `--`.
    Prefix(Sign, Box<Expr>),
    /// `++` or `--` behind its operand.
    Postfix(Sign, Box<Expr>),
    /// A binary operator without effects.
    Binary(Sign, Box<Expr>, Box<Expr>),
    /// `=`, and with an operator `+=` and the like.
    Assign(Option<Sign>, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(type)operand`, `static_cast<type>(operand)` and the like.
    Cast(String, Box<Expr>),
    /// `{a, b}`, possibly behind a type.
    Braces(Option<String>, Vec<Expr>),
    /// Anything else, by the parser's name for it.
    Other(String),
}

/// A statement with the line where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Which.
    pub kind: StmtKind,
    /// Where.
    pub line: Line,
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Its type as written, with `*` and `&` behind.
    pub ty: String,
    /// Its name.
    pub name: String,
    /// Its first value; of `T x(a, b)` the call `T(a, b)`.
    pub value: Option<Expr>,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Declarations, from the left.
    Declare(Vec<Declared>),
    /// An expression for its effect.
    Expr(Expr),
    /// A conditional.
    If {
        /// Declared in the condition: then the condition is that it is not null or zero.
        declared: Option<Box<Declared>>,
        /// The condition, if nothing is declared in its place.
        condition: Option<Expr>,
        /// If it holds.
        then: Box<Stmt>,
        /// If it does not.
        otherwise: Option<Box<Stmt>>,
    },
    /// A sequence in a scope of its own.
    Block(Vec<Stmt>),
    /// `return`, with its value.
    Return(Option<Expr>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `for (first; condition; step) body`.
    For {
        /// Before the loop.
        first: Option<Box<Stmt>>,
        /// Before each iteration.
        condition: Option<Expr>,
        /// After each iteration.
        step: Option<Expr>,
        /// Each iteration.
        body: Box<Stmt>,
    },
    /// `for (variable : range) body`; the variable has no value.
    ForEach(Declared, Expr, Box<Stmt>),
    /// `switch`: its value and the arms with their labels (`None` is `default`).
    Switch(Expr, Vec<(Option<Expr>, Vec<Stmt>)>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// A type alias, a `using`, an empty statement: nothing happens.
    Nothing,
    /// Anything else, by the parser's name for it.
    Other(String),
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type as written, with `*` and `&` behind.
    pub ty: String,
    /// Its name; may be empty.
    pub name: String,
    /// Its value where the call gives none.
    pub default: Option<Expr>,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The class that it belongs to; empty for a free function.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The type of its value as written.
    pub result: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// What it does.
    pub body: Vec<Stmt>,
    /// The first line.
    pub line: Line,
    /// The last line.
    pub last_line: Line,
    /// All of it, as written.
    pub text: String,
}

/// A class with what it inherits and the fields that it declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The names of its bases.
    pub bases: Vec<String>,
    /// Its data members.
    pub fields: Vec<Declared>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The lines of the program's files before it.
    pub before: usize,
    /// Its lines.
    pub lines: usize,
    /// Its functions with bodies, in order, those of its classes included.
    pub functions: Vec<Function>,
    /// Its classes, in order.
    pub classes: Vec<Class>,
}

impl Function {
    /// Calls `visit` with every expression, each before those in it.
    pub fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        for stmt in &mut self.body {
            stmt.visit_mut(visit);
        }
    }
}

impl Stmt {
    /// Calls `visit` with every expression, each before those in it.
    pub fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        let declare = |declared: &mut Declared, visit: &mut dyn FnMut(&mut Expr)| {
            if let Some(value) = &mut declared.value {
                value.visit_mut(visit);
            }
        };
        match &mut self.kind {
            StmtKind::Declare(all) => {
                for one in all {
                    declare(one, visit);
                }
            }
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) => expr.visit_mut(visit),
            StmtKind::If { declared, condition, then, otherwise } => {
                if let Some(declared) = declared {
                    declare(declared, visit);
                }
                if let Some(condition) = condition {
                    condition.visit_mut(visit);
                }
                then.visit_mut(visit);
                if let Some(otherwise) = otherwise {
                    otherwise.visit_mut(visit);
                }
            }
            StmtKind::Block(stmts) => {
                for stmt in stmts {
                    stmt.visit_mut(visit);
                }
            }
            StmtKind::While(condition, body) => {
                condition.visit_mut(visit);
                body.visit_mut(visit);
            }
            StmtKind::For { first, condition, step, body } => {
                if let Some(first) = first {
                    first.visit_mut(visit);
                }
                for part in [condition, step].into_iter().flatten() {
                    part.visit_mut(visit);
                }
                body.visit_mut(visit);
            }
            StmtKind::ForEach(_, range, body) => {
                range.visit_mut(visit);
                body.visit_mut(visit);
            }
            StmtKind::Switch(value, arms) => {
                value.visit_mut(visit);
                for (_, body) in arms {
                    for stmt in body {
                        stmt.visit_mut(visit);
                    }
                }
            }
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Nothing
            | StmtKind::Other(_) => {}
        }
    }
}

impl Expr {
    /// Calls `visit` with this expression and every one in it, each before those in it.
    pub fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        match &mut self.kind {
            ExprKind::Call { callee, arguments, .. } => {
                callee.visit_mut(visit);
                for argument in arguments {
                    argument.visit_mut(visit);
                }
            }
            ExprKind::Member { object: part, .. }
            | ExprKind::Prefix(_, part)
            | ExprKind::Postfix(_, part)
            | ExprKind::Cast(_, part) => part.visit_mut(visit),
            ExprKind::Index(first, second)
            | ExprKind::Binary(_, first, second)
            | ExprKind::Assign(_, first, second) => {
                first.visit_mut(visit);
                second.visit_mut(visit);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    part.visit_mut(visit);
                }
            }
            ExprKind::Braces(_, parts) => {
                for part in parts {
                    part.visit_mut(visit);
                }
            }
            ExprKind::Name(_)
            | ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Other(_) => {}
        }
    }
}
