//! Types that may be references although they do not end with `&`.
//!
//! # Correctness
//!
//! A parameter or variable whose type ends with `&` is bound to a place; any other holds a value of
//! its own. A type that the files name otherwise, by an alias, a macro or a template parameter, and
//! one that the language computes, may be a reference too. What it stands for is not read, so a
//! place must not be bound to it, unless the place holds something that is not known anyway.
//!
//! A function must not return a reference to something that ends with it. A member of the object
//! lasts, and so does whatever the function was given by a reference or a pointer, and a part of
//! these.

use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Lambda, Parameter, Stmt, StmtKind};
use halidom_cpp::{Sign, is_letter, without_comments, words};

use crate::ir::state::State;
use crate::ir::value::Val;
use crate::machine::audits::{FORWARDS, PARTS, within};
use crate::machine::lookup::last_part;
use crate::machine::run::{Machine, Paths};

/// The reason why a path becomes unsupported that binds a place to such a type.
pub(super) const MAY_REFER: &str = "a type that may be a reference by another name";

/// Tests whether the language computes a type.
fn is_computed(ty: &str) -> bool {
    let is_function = ty.starts_with("function<") || ty.starts_with("std::function<");
    let mut words = words(ty);
    words.any(|word| {
        word == "decltype"
            || word == "type"
            || word.ends_with("_t") && ty.contains('<')
            || word.contains("reference")
    }) || ty.trim_end_matches('&').contains('&') && !is_function
}

/// Tests whether parameters of a function have no names because their declarators are not read:
/// arrays, and pointers and references to arrays or functions.
fn has_unread_parameter(function: &Function) -> bool {
    let (signature, _) = function.text.split_once('{').unwrap_or((&function.text, ""));
    let list = signature.split_once(&*function.name).map_or("", |(_, list)| list);
    let list: String = list.split_whitespace().collect();
    function.parameters.iter().any(|parameter| parameter.name.is_empty())
        && (list.contains('[') || list.contains("(*") || list.contains("(&"))
}

impl<'p> Machine<'p> {
    /// Tests whether a type that does not end with `&` may be a reference.
    pub(super) fn may_refer(&self, ty: &str) -> bool {
        if ty.ends_with(['&', '*']) || ty == "auto" {
            return false;
        }
        let program = self.program;
        let own = self.running.map(|running| &running.templates);
        let is_own = |word: &str| own.is_some_and(|own| own.iter().any(|name| name == word));
        let is_alias = |word: &str| {
            let is_it = |name: &String| name == word;
            !is_own(word)
                && (program.others.iter().any(is_it) || program.aliases_within.iter().any(is_it))
                && !program.classes.iter().any(|class| class.name == word)
        };
        is_computed(ty) || words(ty).any(is_alias)
    }

    /// Tests whether a function of the program may be instantiated with a type that is a reference.
    pub(super) fn names_reference(&self, templates: &[String]) -> bool {
        templates.iter().any(|ty| ty.ends_with('&') || self.may_refer(ty))
    }

    /// Tests whether a call may bind a place to a parameter that does not show it.
    pub(super) fn may_bind_parameters(
        &mut self,
        function: &'p Function,
        arguments: &[Val],
        state: &State,
    ) -> bool {
        let outer = self.running.replace(function);
        let mut given = function.parameters.iter().zip(arguments);
        let may = given.any(|(parameter, value)| self.may_bind(&parameter.ty, value, state));
        self.running = outer;
        may || has_unread_parameter(function)
    }

    /// Ends a path that may bind a place to a type that does not show it.
    pub(super) fn binds_unseen<T>(&mut self, state: State, line: usize) -> Paths<T> {
        self.unsupported(state, MAY_REFER, line)
    }

    /// Tests whether binding a value to a type may bind a place whose contents are known.
    pub(super) fn may_bind(&self, ty: &str, value: &Val, state: &State) -> bool {
        let is_known = || {
            !matches!(
                Self::loaded(value.clone(), state),
                Val::Handle(_) | Val::Opaque(_) | Val::Code(_)
            )
        };
        matches!(value, Val::Reference(_)) && is_known() && self.may_refer(ty)
    }
}

/// Tests whether an expression names a place.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Member { .. } | ExprKind::Index(..) => true,
        ExprKind::Conditional(_, then, otherwise) => is_place(then) || is_place(otherwise),
        ExprKind::Prefix(..) | ExprKind::Call { .. } | ExprKind::Assign(..) => true,
        _ => false,
    }
}

/// The reason why a path becomes unsupported at a lambda function with captures of that kind.
pub(super) const NAMED_CAPTURES: &str = "a lambda function that names what it captures";

/// Tests whether a lambda function in a function's text gives a name to an expression that it
/// captures: `[x = e]` or `[&x = e]`. The expression is not read.
pub(super) fn names_captures(function: &Function) -> bool {
    if !function.text.contains('[') {
        return false;
    }
    let text: String = without_comments(&function.text).split_whitespace().collect();
    text.match_indices('[').any(|(at, _)| {
        let rest = &text[at + 1..];
        let mut depth = 1;
        let end = rest.find(|letter| {
            depth += match letter {
                '[' => 1,
                ']' => -1,
                _ => 0,
            };
            depth == 0
        });
        let Some(end) = end else { return false };
        let (captures, after) = (rest[..end].trim_start_matches('='), &rest[end + 1..]);
        captures.contains('=') && after.starts_with(['(', '{', 'm'])
    })
}

/// The variables of a function that returns a reference.
struct Locals<'f> {
    parameters: &'f [Parameter],
    declared: Vec<&'f Declared>,
    /// Tests whether a variable is assigned.
    is_changed: &'f dyn Fn(&str) -> bool,
    /// True if the result is a stream, which `<<` returns.
    is_stream: bool,
}

/// The results in some statements, without those of lambda functions.
fn results<'s>(stmts: &'s [Stmt], found: &mut Vec<&'s Expr>) {
    for stmt in stmts {
        if let StmtKind::Return(Some(value)) = &stmt.kind {
            found.push(value);
        }
        for list in within(stmt) {
            results(list, found);
        }
    }
}

/// The lambda functions in some statements, at any depth.
fn lambdas<'s>(stmts: &'s [Stmt], found: &mut Vec<&'s Lambda>) {
    for stmt in stmts {
        stmt.lambdas(&mut |lambda| {
            found.push(lambda);
            lambdas(&lambda.body, found);
        });
        for list in within(stmt) {
            lambdas(list, found);
        }
    }
}

/// Tests whether a result type may be a reference. Members of nodes have no such types.
fn is_reference(result: &str) -> bool {
    let is_member = |of: &str| {
        let of = of.split(')').next().unwrap_or_default();
        of.split_once("->").is_some_and(|both| {
            let is_name = |name: &str| name.trim().chars().all(is_letter);
            is_name(both.0) && is_name(both.1)
        })
    };
    let computed = result.split_once("decltype(").map(|(_, of)| of);
    result.ends_with('&') || computed.is_some_and(|of| !is_member(of))
}

impl Machine<'_> {
    /// Tests whether a function, or a lambda function in it, returns a reference to something that
    /// may end with it.
    pub(super) fn returns_ended(
        &self,
        function: &Function,
        is_changed: &dyn Fn(&str) -> bool,
    ) -> bool {
        let mut inner = Vec::new();
        lambdas(&function.body, &mut inner);
        let inner = inner.iter().map(|of| (of.result.as_str(), &of.parameters, &of.body));
        let own = (function.result.as_str(), &function.parameters, &function.body);
        std::iter::once(own).chain(inner).any(|(result, parameters, body)| {
            if !is_reference(result) {
                return false;
            }
            let mut declared = Vec::new();
            for stmt in body {
                stmt.declared(&mut |one| declared.push(one));
            }
            let is_stream = result.contains("stream");
            let locals = Locals { parameters, declared, is_changed, is_stream };
            let mut values = Vec::new();
            results(body, &mut values);
            values.into_iter().any(|value| !self.lasts(value, &locals, 0))
        })
    }

    /// Tests whether the place of an expression lasts when its function ends.
    fn lasts(&self, expr: &Expr, locals: &Locals<'_>, depth: usize) -> bool {
        let part = |of: &Expr| self.lasts(of, locals, depth + 1);
        match &expr.kind {
            _ if depth > MAX_DEPTH => false,
            ExprKind::Name(name) => self.variable_lasts(name, '&', locals, depth),
            ExprKind::This => true,
            ExprKind::Member { object, arrow: true, .. } | ExprKind::Prefix(Sign::Mul, object) => {
                self.target_lasts(object, locals, depth + 1)
            }
            ExprKind::Member { object, .. } => part(object),
            ExprKind::Index(object, _) => {
                part(object) || self.target_lasts(object, locals, depth + 1)
            }
            ExprKind::Prefix(Sign::Increment | Sign::Decrement, of) => part(of),
            ExprKind::Assign(_, lhs, _) => part(lhs),
            ExprKind::Cast(ty, of) => ty.ends_with('&') && part(of),
            ExprKind::Conditional(_, then, otherwise) => part(then) && part(otherwise),
            ExprKind::Binary(Sign::Shl | Sign::Shr, lhs, _) => locals.is_stream && part(lhs),
            ExprKind::Call { callee, arguments, .. } => match &callee.kind {
                ExprKind::Member { object, name, .. } if self.refers(name) => {
                    part(object) && arguments.iter().all(part)
                }
                ExprKind::Member { object, name, .. } => {
                    object.kind != ExprKind::This
                        && (PARTS.contains(&name.as_str()) || name == "get")
                        && part(object)
                }
                ExprKind::Name(name) => {
                    let is_move = last_part(name) == "move";
                    (is_move || FORWARDS.contains(&name.as_str()) || self.refers(name))
                        && arguments.iter().all(part)
                }
                _ => false,
            },
            ExprKind::Integer(..)
            | ExprKind::Float(_)
            | ExprKind::Bool(_)
            | ExprKind::Text(_)
            | ExprKind::Null
            | ExprKind::Prefix(..)
            | ExprKind::Postfix(..)
            | ExprKind::Binary(..)
            | ExprKind::Braces(..)
            | ExprKind::Lambda(_)
            | ExprKind::Other(_) => false,
        }
    }

    /// Tests whether what a pointer points to lasts when the function ends.
    fn target_lasts(&self, pointer: &Expr, locals: &Locals<'_>, depth: usize) -> bool {
        match &pointer.kind {
            _ if depth > MAX_DEPTH => false,
            ExprKind::Name(name) => self.variable_lasts(name, '*', locals, depth),
            ExprKind::Prefix(Sign::BitAnd, of) => self.lasts(of, locals, depth + 1),
            ExprKind::Cast(_, of) => self.target_lasts(of, locals, depth + 1),
            ExprKind::Conditional(_, then, otherwise) => {
                [then, otherwise].iter().all(|of| self.target_lasts(of, locals, depth + 1))
            }
            ExprKind::Call { callee, .. } => {
                matches!(&callee.kind, ExprKind::Member { object, name, .. }
                    if object.kind != ExprKind::This
                        && (name == "as" || name == "get" || PARTS.contains(&name.as_str()))
                        && self.lasts(object, locals, depth + 1))
            }
            _ => self.lasts(pointer, locals, depth + 1),
        }
    }

    /// Tests whether a name is that of something that lasts: of no variable of the function, or of
    /// a reference or pointer to what lasts.
    fn variable_lasts(&self, name: &str, sign: char, locals: &Locals<'_>, depth: usize) -> bool {
        let is_fine = |ty: &str| {
            ty.ends_with('&') || sign == '*' && ty.ends_with('*') && !(locals.is_changed)(name)
        };
        let mut declared = locals.declared.iter().filter(|one| one.name == name).peekable();
        if declared.peek().is_some() {
            return declared.all(|one| {
                let value = one.value.as_ref();
                is_fine(&one.ty)
                    && value.is_some_and(|value| {
                        if one.ty.ends_with('&') {
                            self.lasts(value, locals, depth + 1)
                        } else {
                            self.target_lasts(value, locals, depth + 1)
                        }
                    })
            });
        }
        let given = locals.parameters.iter().find(|one| one.name == name);
        given.is_none_or(|one| is_fine(&one.ty))
    }
}

/// The depth of expressions, through variables, beyond which nothing is shown to last.
const MAX_DEPTH: usize = 40;
