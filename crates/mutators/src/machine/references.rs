//! Types that may be references although they do not end with `&`.
//!
//! # Correctness
//!
//! A parameter or variable whose type ends with `&` is bound to a place; any other holds a value of
//! its own. A type that the files name otherwise, by an alias, a macro or a template parameter, and
//! one that the language computes, may be a reference too. What it stands for is not read, so a
//! place must not be bound to it, unless the place holds something that is not known anyway.

use halidom_cpp::ast::{Expr, ExprKind, Function};
use halidom_cpp::{without_comments, words};

use crate::ir::state::State;
use crate::ir::value::Val;
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
