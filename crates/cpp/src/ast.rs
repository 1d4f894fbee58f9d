//! The syntax of the C++ subset in which mutators are written.

use std::ops::Range;

use crate::sign::Sign;

/// A line of a program, counted from 1 through all files of the program.
pub type Line = usize;

/// An expression with the line where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The line where it begins.
    pub line: Line,
}

/// The kinds of expressions.
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
    /// A string literal without its quotes; escapes are kept as they are written.
    Text(String),
    /// `nullptr` or `NULL`.
    Null,
    /// `this`.
    This,
    /// A call; a member function is called through [`ExprKind::Member`].
    Call {
        /// The called function.
        callee: Box<Expr>,
        /// The template arguments as they are written: `as<Add>()` has `Add`.
        templates: Vec<String>,
        /// The arguments.
        arguments: Vec<Expr>,
    },
    /// `object.name` or `object->name`.
    Member {
        /// The object that has the member.
        object: Box<Expr>,
        /// True for access through a pointer, `->`.
        arrow: bool,
        /// The name of the member.
        name: String,
    },
    /// `object[index]`
    Index(Box<Expr>, Box<Expr>),
    /// A prefix operator: `!`, `-`, `+`, `~`, `*`, `&`, `++`, `--`.
    Prefix(Sign, Box<Expr>),
    /// A postfix `++` or `--`.
    Postfix(Sign, Box<Expr>),
    /// A binary operator without effects.
    Binary(Sign, Box<Expr>, Box<Expr>),
    /// `=`, or a compound assignment such as `+=` with its operator.
    Assign(Option<Sign>, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(type)operand`, `static_cast<type>(operand)` and the like.
    Cast(String, Box<Expr>),
    /// `{a, b}`, possibly after a type.
    Braces(Option<String>, Vec<Expr>),
    /// A lambda function.
    Lambda(Box<Lambda>),
    /// Any other expression, with the parser's name for it.
    Other(String),
}

/// A lambda function.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// True if it captures no variable by copying it.
    pub is_by_reference: bool,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The result type as written after `->`; empty if it is a value of the type that is returned.
    pub result: String,
    /// The statements of its body.
    pub body: Vec<Stmt>,
}

/// A statement with the line where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// The kind of statement.
    pub kind: StmtKind,
    /// The line where it begins.
    pub line: Line,
}

/// A declared variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Declared {
    /// Its type as written, followed by `*` and `&`.
    pub ty: String,
    /// Its name.
    pub name: String,
    /// Its initial value; for `T x(a, b)`, the call `T(a, b)`.
    pub value: Option<Expr>,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// Declarations, from left to right.
    Declare(Vec<Declared>),
    /// An expression that is evaluated for its effect.
    Expr(Expr),
    /// A conditional.
    If {
        /// The variable that is declared in the condition. The condition is then that it is not
        /// null or zero.
        declared: Option<Box<Declared>>,
        /// The condition, if no variable is declared in its place.
        condition: Option<Expr>,
        /// The statement for the case that the condition holds.
        then: Box<Stmt>,
        /// The statement for the case that it does not hold.
        otherwise: Option<Box<Stmt>>,
    },
    /// A sequence of statements in a new scope.
    Block(Vec<Stmt>),
    /// `return`, with its value if it has one.
    Return(Option<Expr>),
    /// `while`.
    While(Expr, Box<Stmt>),
    /// `for (first; condition; step) body`.
    For {
        /// Runs once before the loop.
        first: Option<Box<Stmt>>,
        /// Is tested before each iteration.
        condition: Option<Expr>,
        /// Runs after each iteration.
        step: Option<Expr>,
        /// Runs in each iteration.
        body: Box<Stmt>,
    },
    /// `for (variable : range) body`; the variable has no value.
    ForEach(Declared, Expr, Box<Stmt>),
    /// `switch`: its value, and the arms with their labels (`None` is `default`).
    Switch(Expr, Vec<(Option<Expr>, Vec<Stmt>)>),
    /// `break`.
    Break,
    /// `continue`.
    Continue,
    /// A structure without bases, whose only methods are constructors.
    Struct(Box<Local>),
    /// A type alias, a `using` or an empty statement, which does nothing.
    Nothing,
    /// Any other statement, with the parser's name for it.
    Other(String),
}

/// A structure that a function declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Local {
    /// Its name and members.
    pub class: Class,
    /// Its constructors.
    pub constructors: Vec<Function>,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its type as written, followed by `*` and `&`.
    pub ty: String,
    /// Its name; may be empty.
    pub name: String,
    /// Its default value.
    pub default: Option<Expr>,
    /// True unless the text shows that the function cannot write to an argument through it: it is
    /// a value, or one pointer or reference to something that is `const`.
    pub may_write: bool,
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The class that it belongs to; empty for a free function.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The result type as written.
    pub result: String,
    /// The names of its template parameters that are types.
    pub templates: Vec<String>,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// The members that a constructor initializes before its body, each with its arguments.
    pub initializers: Vec<(String, Vec<Expr>)>,
    /// The statements of the body.
    pub body: Vec<Stmt>,
    /// The names that its body declares anywhere, also in text that has no syntax here.
    pub declared: Vec<String>,
    /// The number of its first line.
    pub line: Line,
    /// The number of its last line.
    pub last_line: Line,
    /// The place in the text of its file.
    pub bytes: Range<usize>,
    /// The namespaces around it.
    pub place: String,
    /// True if other files do not see it.
    pub is_static: bool,
    /// The whole function, as written, and the texts of the macros that it names.
    pub text: String,
}

/// A class with its bases and the fields that it declares.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// The names of its bases.
    pub bases: Vec<String>,
    /// Its data members.
    pub fields: Vec<Declared>,
    /// True if it declares a constructor, a destructor or an assignment: an object of it may do
    /// something when it is made, copied or ends.
    pub is_active: bool,
    /// The other names that it declares: by `using`, of types and enumerators, and whatever a
    /// directive within it may declare.
    pub others: Vec<String>,
    /// The namespaces and classes around it, and the names of both.
    pub place: String,
    /// A number that differs for classes of different texts.
    pub mark: u64,
}

/// A function that is declared without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// The class that declares it; empty for a free function.
    pub class: String,
    /// Its name.
    pub name: String,
    /// The types of its parameters, each with whether the function may write through it.
    pub parameters: Vec<(String, bool)>,
}

/// A file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct File {
    /// The number of the program's lines before this file.
    pub before: usize,
    /// The number of its lines.
    pub lines: usize,
    /// Its functions with bodies, in order, including the methods of its classes.
    pub functions: Vec<Function>,
    /// Its classes, in order.
    pub classes: Vec<Class>,
    /// The functions and methods that it declares without a body, except within functions.
    pub prototypes: Vec<Prototype>,
    /// The files that it includes, as it names them.
    pub includes: Vec<String>,
    /// True if it may include any file: a macro names one.
    pub includes_any: bool,
    /// The namespaces whose names it takes over.
    pub spaces: Vec<String>,
    /// The names that it gives to other things, except within functions: aliases, macros,
    /// variables, template parameters, enumerations, and functions without a body.
    pub others: Vec<String>,
    /// Those of `others` that stand for neither a function nor a class that is only declared.
    pub things: Vec<String>,
    /// The arrays of string literals that it declares outside of functions and classes, each with
    /// its name.
    pub texts: Vec<(String, Vec<String>)>,
    /// The names of the macros that it defines; they are among `others` too.
    pub macros: Vec<String>,
    /// Its text outside of the functions with bodies, without comments.
    pub outside: String,
    /// The names of its enumerators, within functions too.
    pub enumerators: Vec<String>,
    /// The names of the aliases within its functions.
    pub local_aliases: Vec<String>,
    /// The names of the function templates with specializations.
    pub specialized: Vec<String>,
    /// The lines where text begins that is no C++ for the grammar, and that may hold classes or
    /// methods that visit nodes.
    pub errors: Vec<usize>,
}

impl File {
    /// Adds a name that stands for neither a function nor a class.
    pub(crate) fn add_thing(&mut self, name: Option<String>) {
        self.others.extend(name.clone());
        self.things.extend(name);
    }
}

impl Function {
    /// Calls `visit` with every expression in the body, each before its operands.
    pub fn visit<'s>(&'s self, visit: &mut dyn FnMut(&'s Expr)) {
        self.body.iter().for_each(|stmt| stmt.visit(visit));
    }

    /// Calls `visit` with every expression in the body, each before its operands.
    pub fn visit_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        for stmt in &mut self.body {
            stmt.visit_mut(visit);
        }
    }

    /// Tests whether a parameter lets the function write to an argument. Arguments after the last
    /// parameter belong to a pack, or to another function of the same name.
    pub fn may_write(&self, index: usize) -> bool {
        self.parameters.get(index).is_none_or(|known| known.may_write)
    }
}

impl Stmt {
    /// Calls `visit` with every variable that the statement declares, also in the bodies of lambda
    /// functions.
    pub fn declared<'s>(&'s self, visit: &mut dyn FnMut(&'s Declared)) {
        self.lambdas(&mut |lambda| {
            for stmt in &lambda.body {
                stmt.declared(visit);
            }
        });
        match &self.kind {
            StmtKind::Declare(all) => all.iter().for_each(visit),
            StmtKind::If { declared, then, otherwise, .. } => {
                if let Some(declared) = declared {
                    visit(declared);
                }
                then.declared(visit);
                if let Some(otherwise) = otherwise {
                    otherwise.declared(visit);
                }
            }
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| stmt.declared(visit)),
            StmtKind::While(_, body) => body.declared(visit),
            StmtKind::ForEach(declared, _, body) => {
                visit(declared);
                body.declared(visit);
            }
            StmtKind::For { first, body, .. } => {
                if let Some(first) = first {
                    first.declared(visit);
                }
                body.declared(visit);
            }
            StmtKind::Switch(_, arms) => {
                arms.iter().flat_map(|(_, arm)| arm).for_each(|stmt| stmt.declared(visit));
            }
            StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Struct(_)
            | StmtKind::Nothing
            | StmtKind::Other(_) => {}
        }
    }

    /// The expressions directly in the statement, apart from those in the statements within it.
    fn exprs(&self) -> Vec<&Expr> {
        match &self.kind {
            StmtKind::Declare(all) => all.iter().filter_map(|one| one.value.as_ref()).collect(),
            StmtKind::Expr(expr)
            | StmtKind::Return(Some(expr))
            | StmtKind::While(expr, _)
            | StmtKind::ForEach(_, expr, _)
            | StmtKind::Switch(expr, _) => vec![expr],
            StmtKind::If { declared, condition, .. } => {
                let value = declared.iter().filter_map(|one| one.value.as_ref());
                value.chain(condition).collect()
            }
            StmtKind::For { condition, step, .. } => condition.iter().chain(step).collect(),
            StmtKind::Block(_)
            | StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Struct(_)
            | StmtKind::Nothing
            | StmtKind::Other(_) => Vec::new(),
        }
    }

    /// The statements directly in the statement, and those in the constructors of a structure.
    fn within(&self) -> Vec<&Self> {
        match &self.kind {
            StmtKind::If { then, otherwise, .. } => {
                std::iter::once(&**then).chain(otherwise.as_deref()).collect()
            }
            StmtKind::Block(stmts) => stmts.iter().collect(),
            StmtKind::While(_, body) | StmtKind::ForEach(_, _, body) => vec![body],
            StmtKind::For { first, body, .. } => {
                first.as_deref().into_iter().chain([&**body]).collect()
            }
            StmtKind::Switch(_, arms) => arms.iter().flat_map(|(_, arm)| arm).collect(),
            StmtKind::Struct(local) => local.constructors.iter().flat_map(|of| &of.body).collect(),
            StmtKind::Declare(_)
            | StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Nothing
            | StmtKind::Other(_) => Vec::new(),
        }
    }

    /// Calls `visit` with each lambda function that is directly in an expression of the statement,
    /// apart from the statements within it.
    pub fn lambdas<'s>(&'s self, visit: &mut dyn FnMut(&'s Lambda)) {
        self.exprs().into_iter().for_each(|expr| expr.lambdas(visit));
    }

    /// Calls `visit` with every expression in the statement, each before its operands.
    pub fn visit<'s>(&'s self, visit: &mut dyn FnMut(&'s Expr)) {
        if let StmtKind::Struct(local) = &self.kind {
            let initializers = local.constructors.iter().flat_map(|of| &of.initializers);
            initializers.flat_map(|(_, values)| values).for_each(|value| value.visit(visit));
        }
        let within = self.within();
        let first = usize::from(matches!(&self.kind, StmtKind::For { first: Some(_), .. }));
        within[..first].iter().for_each(|stmt| stmt.visit(visit));
        self.exprs().into_iter().for_each(|expr| expr.visit(visit));
        within[first..].iter().for_each(|stmt| stmt.visit(visit));
    }

    /// Places the statement, with all that is in it, on one line.
    pub fn place_at(&mut self, line: Line) {
        self.visit_mut(&mut |part| part.line = line);
        self.line = line;
        let inner: Vec<&mut Self> = match &mut self.kind {
            StmtKind::If { then, otherwise, .. } => {
                std::iter::once(then).chain(otherwise).map(|stmt| &mut **stmt).collect()
            }
            StmtKind::Block(stmts) => stmts.iter_mut().collect(),
            StmtKind::While(_, body) | StmtKind::ForEach(_, _, body) => vec![body],
            StmtKind::For { first, body, .. } => {
                first.iter_mut().chain([body]).map(|stmt| &mut **stmt).collect()
            }
            StmtKind::Switch(_, arms) => arms.iter_mut().flat_map(|(_, body)| body).collect(),
            _ => Vec::new(),
        };
        for stmt in inner {
            stmt.place_at(line);
        }
    }

    /// Calls `visit` with every expression in the statement, each before its operands.
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
            StmtKind::Struct(local) => {
                for constructor in &mut local.constructors {
                    for (_, arguments) in &mut constructor.initializers {
                        for argument in arguments {
                            argument.visit_mut(visit);
                        }
                    }
                    constructor.visit_mut(visit);
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
    /// Tests whether the expression is just this name.
    pub fn is_name(&self, name: &str) -> bool {
        matches!(&self.kind, ExprKind::Name(own) if own == name)
    }

    /// The operands, in the order in which they are written. A lambda function has none.
    pub fn operands(&self) -> Vec<&Self> {
        match &self.kind {
            ExprKind::Call { callee, arguments, .. } => {
                std::iter::once(&**callee).chain(arguments).collect()
            }
            ExprKind::Member { object: part, .. }
            | ExprKind::Prefix(_, part)
            | ExprKind::Postfix(_, part)
            | ExprKind::Cast(_, part) => vec![part],
            ExprKind::Index(first, second)
            | ExprKind::Binary(_, first, second)
            | ExprKind::Assign(_, first, second) => vec![first, second],
            ExprKind::Conditional(condition, then, otherwise) => vec![condition, then, otherwise],
            ExprKind::Braces(_, parts) => parts.iter().collect(),
            ExprKind::Lambda(_)
            | ExprKind::Name(_)
            | ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Other(_) => Vec::new(),
        }
    }

    /// Calls `visit` with each lambda function in the expression, apart from those within others.
    pub fn lambdas<'s>(&'s self, visit: &mut dyn FnMut(&'s Lambda)) {
        if let ExprKind::Lambda(lambda) = &self.kind {
            visit(lambda);
        }
        self.operands().into_iter().for_each(|part| part.lambdas(visit));
    }

    /// Calls `visit` with this expression and every expression in it, each before its operands.
    pub fn visit<'s>(&'s self, visit: &mut dyn FnMut(&'s Self)) {
        visit(self);
        if let ExprKind::Lambda(lambda) = &self.kind {
            lambda.body.iter().for_each(|stmt| stmt.visit(visit));
        }
        self.operands().into_iter().for_each(|part| part.visit(visit));
    }

    /// Calls `visit` with this expression and every expression in it, each before its operands.
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
            ExprKind::Lambda(lambda) => {
                for stmt in &mut lambda.body {
                    stmt.visit_mut(visit);
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
