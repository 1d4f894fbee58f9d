//! The names of a C++ function with rules: where each is declared, mentioned and changed.
//!
//! # Correctness
//!
//! A rule's condition holds as it is read only if each of its names has the value of its
//! declaration. Everything that may give a name another value counts as a change of it: an
//! assignment, a method that may write, an address, a reference, and a call of a function that is
//! not known to leave its arguments as they are. A function is known by its name only if the file
//! gives this name no meaning of its own. Text that is no syntax here may do anything with the
//! names in it. So the mentions of each name in the function's text are counted, and a name with
//! more or fewer of them than the syntax has is hidden.

use halidom_base::{FxHashMap, FxHashSet};
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Lambda, Parameter, Stmt, StmtKind};
use halidom_cpp::{Sign, split_name, without_comments, words};

use super::own::{Own, has_casts};

/// A variable that a function declares, in a lambda function too.
pub(super) struct Declaration<'f> {
    pub(super) name: &'f str,
    pub(super) ty: &'f str,
    pub(super) value: Option<&'f Expr>,
    /// The place of the declaration among all statements of the function.
    pub(super) at: usize,
    /// The statement of the body that has the declaration in it.
    pub(super) top: usize,
    /// True if that statement is the declaration.
    pub(super) is_top: bool,
}

/// A kind of change of a variable.
pub(super) enum Kind<'f> {
    /// Gives it this value, there and then.
    Assigned(&'f Expr),
    /// Exchanges its value with that of this variable, there and then.
    Swapped(&'f str),
    /// Anything, at any time.
    Other,
}

/// A change of a variable.
pub(super) struct Change<'f> {
    pub(super) name: &'f str,
    pub(super) at: usize,
    pub(super) kind: Kind<'f>,
}

/// The methods that leave their arguments as they are.
const METHODS: [&str; 7] =
    ["Match", "can_represent", "contains", "count", "find", "intersect", "same_as"];

/// The methods whose results may be parts of their objects.
const PARTS: [&str; 4] = ["end", "find", "get", "value"];

/// The methods that leave their object as it is, besides those whose names begin with `is_`,
/// `can_`, `with_` or `Is`.
const READS: [&str; 30] = [
    "Eval",
    "EvalOr",
    "Match",
    "MatchesCode",
    "MatchesElementType",
    "as",
    "as_or_throw",
    "bits",
    "bytes",
    "code",
    "contains",
    "defined",
    "dtype",
    "element_of",
    "end",
    "find",
    "get",
    "has_lower_bound",
    "has_upper_bound",
    "has_value",
    "lanes",
    "max",
    "min",
    "narrow",
    "same_as",
    "size",
    "ty",
    "type",
    "value",
    "widen",
];

/// The names of a function.
pub(super) struct Names<'f> {
    own: &'f Own<'f>,
    /// The functions that leave their arguments as they are.
    known: &'f dyn Fn(&str) -> bool,
    function: &'f Function,
    pub(super) declared: Vec<Declaration<'f>>,
    pub(super) changes: Vec<Change<'f>>,
    /// The names with mentions in text that is no syntax here.
    hidden: FxHashSet<String>,
    mentions: FxHashMap<&'f str, usize>,
    /// The calls in `T x = T(a)`, which is also the syntax of `T x(a)`, by words of their names.
    made: FxHashMap<&'f str, usize>,
    /// The mentions in expressions.
    used: FxHashMap<&'f str, usize>,
    at: usize,
    top: usize,
    depth: usize,
    /// The number of lambda functions and local structures around.
    within: usize,
    /// True in a value that the function returns.
    leaves: bool,
}

impl<'f> Names<'f> {
    /// Collects the names of a function. Functions of some names leave their arguments as they are.
    pub(super) fn of(
        function: &'f Function,
        own: &'f Own<'f>,
        known: &'f dyn Fn(&str) -> bool,
    ) -> Self {
        let mut names = Self {
            own,
            known,
            function,
            declared: Vec::new(),
            changes: Vec::new(),
            hidden: FxHashSet::default(),
            mentions: FxHashMap::default(),
            made: FxHashMap::default(),
            used: FxHashMap::default(),
            at: 0,
            top: 0,
            depth: 0,
            within: 0,
            leaves: false,
        };
        names.read(function);
        let text = without_comments(&function.text);
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for word in words(&text) {
            *counts.entry(word).or_default() += 1;
        }
        let of =
            |counts: &FxHashMap<&str, usize>, word: &str| counts.get(word).copied().unwrap_or(0);
        let differs = |word: &&str| {
            let (text, syntax) = (of(&counts, word), of(&names.mentions, word));
            let made = of(&names.made, word);
            let is_type = made == of(&names.used, word);
            text != syntax && !(is_type && (syntax - made..syntax).contains(&text))
        };
        let hidden = counts.keys().chain(names.mentions.keys()).copied().filter(differs);
        names.hidden = hidden.map(str::to_owned).collect();
        // What a call does depends on all variables.
        names.changes.clear();
        let declared = std::mem::take(&mut names.declared);
        let count = declared.len();
        let mut second = Self { at: 0, top: 0, declared, ..names };
        second.read(function);
        second.declared.truncate(count);
        second
    }

    /// The declarations of a variable.
    pub(super) fn declarations(&self, name: &str) -> impl Iterator<Item = &Declaration<'f>> {
        self.declared.iter().filter(move |known| known.name == name)
    }

    /// The changes of a variable.
    pub(super) fn changes(&self, name: &str) -> impl Iterator<Item = &Change<'f>> {
        self.changes.iter().filter(move |change| change.name == name)
    }

    /// The type of a parameter.
    pub(super) fn parameter_type(&self, name: &str) -> &'f str {
        let found = self.function.parameters.iter().find(|known| known.name == name);
        found.map_or("", |known| &known.ty)
    }

    pub(super) fn is_parameter(&self, name: &str) -> bool {
        self.function.parameters.iter().any(|known| known.name == name)
    }

    /// Tests whether the function or the file may give a meaning to a name. One with `::` is no
    /// variable of the function.
    pub(super) fn has(&self, name: &str) -> bool {
        let (space, short) = split_name(name);
        let is_here = self.is_variable(name) || self.is_declared(name);
        self.own.has(short) || space.is_none() && is_here
    }

    /// Tests whether a call of a name with patterns as arguments may mean something else than the
    /// rule language does.
    pub(super) fn has_for_patterns(&self, name: &str) -> bool {
        let (space, short) = split_name(name);
        let is_here = self.is_variable(name) || self.is_declared(name);
        self.own.has_for_patterns(short) || space.is_none() && is_here
    }

    /// Tests whether the file declares an operator of this sign.
    pub(super) fn has_operator(&self, sign: Sign) -> bool {
        self.own.has_operator(sign)
    }

    /// Tests whether the function declares a name anywhere, also in text that is no syntax here.
    fn is_declared(&self, name: &str) -> bool {
        self.function.declared.iter().any(|known| known == name)
    }

    /// Tests whether a name is a variable that is read, or has a meaning in the file.
    pub(super) fn is_taken(&self, name: &str) -> bool {
        self.own.has(name) || self.is_variable(name)
    }

    fn is_variable(&self, name: &str) -> bool {
        self.is_parameter(name) || self.declarations(name).next().is_some()
    }

    pub(super) fn is_hidden(&self, name: &str) -> bool {
        self.hidden.contains(name)
    }

    /// Tests whether a variable has only the values of its declarations.
    pub(super) fn is_unchanged(&self, name: &str) -> bool {
        self.changes(name).next().is_none() && !self.is_hidden(name)
    }

    /// Tests whether the names in a value have one meaning in all of the function.
    pub(super) fn are_single(&self, value: &Expr) -> bool {
        let mut inner = Vec::new();
        names_in(value, &mut inner);
        let count = |name| self.declarations(name).count() + usize::from(self.is_parameter(name));
        inner.iter().all(|name| count(name) <= 1)
    }

    /// Tests whether a variable has one declaration and only the value of that.
    pub(super) fn is_steady(&self, name: &str) -> bool {
        let count = self.declarations(name).count() + usize::from(self.is_parameter(name));
        count == 1 && self.changes(name).next().is_none() && !self.is_hidden(name)
    }

    /// Tests whether a name means the same in all of the function after some statement.
    pub(super) fn is_settled(&self, name: &str, at: usize) -> bool {
        let is_early = |change: &Change<'_>| !matches!(change.kind, Kind::Other) && change.at < at;
        !self.is_hidden(name)
            && self.changes(name).all(is_early)
            && self.declarations(name).all(|known| known.at < at)
    }

    /// Tests whether a name is a variable of the function that has one value after some statement.
    pub(super) fn is_settled_value(&self, name: &str, at: usize) -> bool {
        let mut declared = self.declarations(name).peekable();
        let is_variable = declared.peek().is_some() && !self.is_parameter(name);
        let are_values = declared.all(|known| self.own.is_value(known.ty));
        is_variable && are_values && self.is_settled(name, at)
    }

    /// Tests whether a variable is a rewriter.
    fn is_rewriter(&self, name: &str) -> bool {
        let mut all = self.declarations(name).peekable();
        all.peek().is_some() && all.all(|known| known.value.is_some_and(is_rewriter))
    }

    fn read(&mut self, function: &'f Function) {
        for text in [&function.class, &function.name, &function.result] {
            self.mention(text);
        }
        for text in &function.templates {
            self.mention(text);
        }
        for parameter in &function.parameters {
            self.parameter(parameter);
        }
        for (member, arguments) in &function.initializers {
            self.mention(member);
            self.exprs(arguments);
        }
        for (top, stmt) in function.body.iter().enumerate() {
            self.top = top;
            self.stmt(stmt);
        }
    }

    fn parameter(&mut self, parameter: &'f Parameter) {
        self.mention(&parameter.ty);
        self.mention(&parameter.name);
        if let Some(default) = &parameter.default {
            self.expr(default);
        }
    }

    fn mention(&mut self, text: &'f str) {
        for word in words(text) {
            *self.mentions.entry(word).or_default() += 1;
        }
    }

    fn change(&mut self, name: &'f str, kind: Kind<'f>) {
        if !self.leaves {
            let kind = if self.within > 0 { Kind::Other } else { kind };
            self.changes.push(Change { name, at: self.at, kind });
        }
    }

    /// All names in an expression change.
    fn all_change(&mut self, expr: &'f Expr) {
        let mut inner = Vec::new();
        names_in(expr, &mut inner);
        for name in inner {
            self.change(name, Kind::Other);
        }
    }

    /// The variables change whose places an expression may be.
    fn places_change(&mut self, expr: &'f Expr) {
        let mut places = Vec::new();
        self.places(expr, &mut places);
        for name in places {
            self.change(name, Kind::Other);
        }
    }

    /// Collects the variables whose places, or parts of them, an expression may be.
    fn places(&self, expr: &'f Expr, found: &mut Vec<&'f str>) {
        match &expr.kind {
            ExprKind::Name(name) => found.push(name),
            // The result of a rewriter is no part of its meaning.
            ExprKind::Member { object, name, .. }
                if name == "result"
                    && matches!(&object.kind, ExprKind::Name(of) if self.is_rewriter(of)) => {}
            ExprKind::Member { object, arrow: false, .. } => self.places(object, found),
            ExprKind::Index(object, _) | ExprKind::Cast(_, object) => self.places(object, found),
            ExprKind::Conditional(_, then, otherwise) => {
                self.places(then, found);
                self.places(otherwise, found);
            }
            ExprKind::Assign(_, target, _) => self.places(target, found),
            ExprKind::Prefix(Sign::Not | Sign::Sub, _) => {}
            ExprKind::Prefix(_, target) => self.places(target, found),
            ExprKind::Braces(_, parts) => parts.iter().for_each(|part| self.places(part, found)),
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Member { object, arrow: false, name } = &callee.kind
                    && PARTS.contains(&name.as_str())
                {
                    self.places(object, found);
                }
            }
            ExprKind::Member { arrow: true, .. }
            | ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Postfix(..)
            | ExprKind::Binary(..)
            | ExprKind::Lambda(_)
            | ExprKind::Other(_) => {}
        }
    }

    /// Tests whether a type may be one of references: to which, its text does not tell.
    fn may_refer(&self, ty: &str) -> bool {
        ty.contains('&') || words(ty).any(|word| word == "decltype" || self.own.has(word))
    }

    fn declare(&mut self, variable: &'f Declared, value: Option<&'f Expr>, is_top: bool) {
        self.at += 1;
        let (at, top) = (self.at, self.top);
        self.mention(&variable.name);
        if let Some(value) = value {
            if self.may_refer(&variable.ty) {
                let mut inner = Vec::new();
                parts_in(value, true, &mut inner);
                for name in inner {
                    self.change(name, Kind::Other);
                }
            } else if !self.own.is_value(&variable.ty) && !variable.ty.ends_with('*') {
                self.places_change(value);
            }
        }
        if variable.name.contains('[') {
            // A structured binding: other names for the parts of something.
            for name in words(&variable.name) {
                self.change(name, Kind::Other);
            }
        }
        if let Some(value) = &variable.value {
            self.expr(value);
            if let ExprKind::Call { callee, .. } = &value.kind
                && matches!(&callee.kind, ExprKind::Name(name) if *name == variable.ty)
            {
                for word in words(&variable.ty) {
                    *self.made.entry(word).or_default() += 1;
                }
            }
        }
        let (name, ty, value) = (&variable.name, &variable.ty, variable.value.as_ref());
        self.declared.push(Declaration { name, ty, value, at, top, is_top });
    }

    fn stmts(&mut self, stmts: &'f [Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'f Stmt) {
        self.at += 1;
        let is_top = self.depth == 0 && self.within == 0;
        self.depth += 1;
        match &stmt.kind {
            StmtKind::Declare(all) => {
                self.mention(all.first().map_or("", |first| &first.ty));
                for variable in all {
                    self.declare(variable, variable.value.as_ref(), is_top);
                }
            }
            StmtKind::Return(Some(expr)) => {
                let mut inner = Vec::new();
                names_in(expr, &mut inner);
                // No rule comes after what is changed here.
                let is_last = self.within == 0 && !inner.iter().any(|name| self.is_rewriter(name));
                let before = self.leaves;
                self.leaves = before || is_last;
                self.expr(expr);
                self.leaves = before;
            }
            StmtKind::Expr(expr) => self.expr(expr),
            StmtKind::If { declared, condition, then, otherwise } => {
                if let Some(variable) = declared {
                    self.mention(&variable.ty);
                    self.declare(variable, variable.value.as_ref(), false);
                }
                if let Some(condition) = condition {
                    self.expr(condition);
                }
                self.stmt(then);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
            }
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::While(condition, body) => {
                self.expr(condition);
                self.stmt(body);
            }
            StmtKind::For { first, condition, step, body } => {
                if let Some(first) = first {
                    self.stmt(first);
                }
                for part in [condition, step].into_iter().flatten() {
                    self.expr(part);
                }
                self.stmt(body);
            }
            StmtKind::ForEach(variable, range, body) => {
                self.mention(&variable.ty);
                self.declare(variable, Some(range), false);
                self.expr(range);
                self.stmt(body);
            }
            StmtKind::Switch(value, arms) => {
                self.expr(value);
                for (label, body) in arms {
                    if let Some(label) = label {
                        self.expr(label);
                    }
                    self.stmts(body);
                }
            }
            StmtKind::Struct(local) => {
                self.within += 1;
                self.mention(&local.class.name);
                for field in &local.class.fields {
                    self.mention(&field.ty);
                    self.declare(field, field.value.as_ref(), false);
                }
                for constructor in &local.constructors {
                    self.mention(&constructor.name);
                    for parameter in &constructor.parameters {
                        self.parameter(parameter);
                    }
                    for (member, arguments) in &constructor.initializers {
                        self.mention(member);
                        self.exprs(arguments);
                    }
                    self.stmts(&constructor.body);
                }
                self.within -= 1;
            }
            StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Nothing
            | StmtKind::Other(_) => {}
        }
        self.depth -= 1;
    }

    fn exprs(&mut self, exprs: &'f [Expr]) {
        for expr in exprs {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'f Expr) {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.mention(name);
                for word in words(name) {
                    *self.used.entry(word).or_default() += 1;
                }
            }
            ExprKind::Call { callee, templates, arguments } => {
                for text in templates {
                    self.mention(text);
                }
                self.call(callee, templates, arguments);
                self.expr(callee);
                self.exprs(arguments);
            }
            ExprKind::Member { object, name, .. } => {
                self.mention(name);
                self.expr(object);
            }
            ExprKind::Index(object, index) => {
                self.expr(object);
                self.expr(index);
            }
            ExprKind::Prefix(sign, operand) => {
                if self.own.has_operator(*sign) {
                    self.all_change(operand);
                } else if !matches!(sign, Sign::Not | Sign::Sub | Sign::Mul) {
                    self.places_change(operand);
                }
                self.expr(operand);
            }
            ExprKind::Postfix(_, operand) => {
                self.all_change(operand);
                self.expr(operand);
            }
            ExprKind::Binary(sign, lhs, rhs) => {
                // A stream is written to, and written from.
                let is_own = self.own.has_operator(*sign);
                if is_own || matches!(sign, Sign::Shl | Sign::Shr) {
                    self.places_change(lhs);
                }
                if is_own || matches!(sign, Sign::Shr) {
                    self.places_change(rhs);
                }
                self.expr(lhs);
                self.expr(rhs);
            }
            ExprKind::Assign(sign, target, value) => {
                match (&target.kind, sign) {
                    (ExprKind::Name(name), None) => self.change(name, Kind::Assigned(value)),
                    _ => self.all_change(target),
                }
                self.expr(target);
                self.expr(value);
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                for part in [condition, then, otherwise] {
                    self.expr(part);
                }
            }
            ExprKind::Cast(ty, operand) => {
                if self.may_refer(ty) {
                    self.places_change(operand);
                }
                self.mention(ty);
                self.expr(operand);
            }
            ExprKind::Braces(ty, parts) => {
                self.mention(ty.as_deref().unwrap_or_default());
                for part in parts {
                    self.places_change(part);
                    self.expr(part);
                }
            }
            ExprKind::Lambda(lambda) => self.lambda(lambda),
            ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::This
            | ExprKind::Other(_) => {}
        }
    }

    fn lambda(&mut self, lambda: &'f Lambda) {
        self.within += 1;
        for parameter in &lambda.parameters {
            self.parameter(parameter);
            let (name, ty) = (&parameter.name, &parameter.ty);
            let (at, top) = (self.at, self.top);
            self.declared.push(Declaration { name, ty, value: None, at, top, is_top: false });
        }
        self.mention(&lambda.result);
        if self.may_refer(&lambda.result) {
            for stmt in &lambda.body {
                self.returned_change(stmt);
            }
        }
        self.stmts(&lambda.body);
        self.within -= 1;
    }

    /// The variables change to which a function that returns a reference may refer.
    fn returned_change(&mut self, stmt: &'f Stmt) {
        match &stmt.kind {
            StmtKind::Return(Some(value)) => self.places_change(value),
            StmtKind::If { then, otherwise, .. } => {
                self.returned_change(then);
                if let Some(otherwise) = otherwise {
                    self.returned_change(otherwise);
                }
            }
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.returned_change(stmt)),
            StmtKind::While(_, body)
            | StmtKind::For { body, .. }
            | StmtKind::ForEach(_, _, body) => self.returned_change(body),
            StmtKind::Switch(_, arms) => {
                for stmt in arms.iter().flat_map(|(_, body)| body) {
                    self.returned_change(stmt);
                }
            }
            StmtKind::Declare(_)
            | StmtKind::Expr(_)
            | StmtKind::Return(None)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Struct(_)
            | StmtKind::Nothing
            | StmtKind::Other(_) => {}
        }
    }

    fn call(&mut self, callee: &'f Expr, templates: &[String], arguments: &'f [Expr]) {
        if let Some((first, second)) = swapped(callee, arguments)
            && !self.has("swap")
        {
            self.change(first, Kind::Swapped(second));
            self.change(second, Kind::Swapped(first));
            return;
        }
        if let ExprKind::Member { object, arrow: false, name } = &callee.kind
            && (!reads(name) || self.own.has_method(name))
        {
            self.places_change(object);
        }
        for (index, argument) in arguments.iter().enumerate() {
            if self.writes(callee, index) || templates.iter().any(|ty| ty.contains('&')) {
                self.places_change(argument);
            }
        }
    }

    /// Tests whether a call may change an argument.
    fn writes(&self, callee: &Expr, index: usize) -> bool {
        match &callee.kind {
            ExprKind::Name(name) => {
                let (space, short) = split_name(name);
                // A name with `::` is no variable of the function.
                let is_bare = space.is_none();
                let mut variables = self.declarations(short).filter(|_| is_bare).peekable();
                if is_bare && self.is_rewriter(short) {
                    return false;
                }
                if variables.peek().is_some() {
                    return !variables.all(|known| match known.value.map(|value| &value.kind) {
                        Some(ExprKind::Lambda(lambda)) => {
                            let known = lambda.parameters.get(index);
                            let is_read = known.is_some_and(|known| self.own.reads(known));
                            is_read && !has_casts(&lambda.body)
                        }
                        _ => false,
                    });
                }
                if is_bare && (self.is_parameter(short) || self.is_declared(short)) {
                    return true;
                }
                if self.own.has(short) {
                    return !self.own.all_read(short, index);
                }
                !((self.known)(name) || self.own.is_value(name))
            }
            ExprKind::Member { name, .. } if self.own.has_method(name) => {
                !self.own.all_read(name, index)
            }
            ExprKind::Member { name, .. } => !METHODS.contains(&name.as_str()),
            _ => true,
        }
    }
}

/// Tests whether a method leaves its object as it is.
fn reads(method: &str) -> bool {
    let method = method.split('<').next().unwrap_or(method);
    READS.contains(&method)
        || ["is_", "can_", "with_", "Is"].iter().any(|of| method.starts_with(of))
}

/// The two variables that a call of `swap` exchanges.
pub(super) fn swapped<'e>(callee: &Expr, arguments: &'e [Expr]) -> Option<(&'e str, &'e str)> {
    match (&callee.kind, arguments) {
        (
            ExprKind::Name(swap),
            [Expr { kind: ExprKind::Name(first), .. }, Expr { kind: ExprKind::Name(second), .. }],
        ) => ["swap", "std::swap"].contains(&swap.as_str()).then_some((first, second)),
        _ => None,
    }
}

/// Tests whether an expression makes a rewriter.
pub(super) fn is_rewriter(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Call { callee, .. } => {
            matches!(&callee.kind, ExprKind::Name(name) if split_name(name).1 == "rewriter")
        }
        _ => false,
    }
}

/// Collects all names in an expression.
pub(super) fn names_in<'e>(expr: &'e Expr, found: &mut Vec<&'e str>) {
    parts_in(expr, false, found);
}

/// Collects the names in an expression, perhaps without pointers to what it is a part of.
fn parts_in<'e>(expr: &'e Expr, is_part: bool, found: &mut Vec<&'e str>) {
    match &expr.kind {
        ExprKind::Name(name) => found.push(name),
        ExprKind::Member { arrow: true, .. } if is_part => {}
        ExprKind::Call { callee, arguments, .. } => {
            parts_in(callee, is_part, found);
            for part in arguments {
                parts_in(part, is_part, found);
            }
        }
        ExprKind::Member { object: part, .. }
        | ExprKind::Prefix(_, part)
        | ExprKind::Postfix(_, part)
        | ExprKind::Cast(_, part) => parts_in(part, is_part, found),
        ExprKind::Index(first, second)
        | ExprKind::Binary(_, first, second)
        | ExprKind::Assign(_, first, second) => {
            parts_in(first, is_part, found);
            parts_in(second, is_part, found);
        }
        ExprKind::Conditional(first, second, third) => {
            for part in [first, second, third] {
                parts_in(part, is_part, found);
            }
        }
        ExprKind::Braces(_, parts) => {
            for part in parts {
                parts_in(part, is_part, found);
            }
        }
        // Its changes are found in its body.
        ExprKind::Lambda(_)
        | ExprKind::Integer(..)
        | ExprKind::Float(_)
        | ExprKind::Bool(_)
        | ExprKind::Text(_)
        | ExprKind::Null
        | ExprKind::This
        | ExprKind::Other(_) => {}
    }
}
