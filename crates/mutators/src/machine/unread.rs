//! Scopes of reports whose entries nothing relies on.
//!
//! # Correctness
//!
//! A method that adds an entry to a scope owes what the entry tells, because other methods assume
//! it. Of a scope that is found here, no method assumes anything, so its entries need not be true.
//! The machine assumes the entries of a scope in two places only: where a method asks the scope
//! itself, and where `modulus_remainder` gets it. The functions of the files name such a scope only
//!
//! * to push what `modulus_remainder` finds of some expression under a key,
//! * to pop a key, and
//! * to give it to `reduce_expr_modulo`, whose contract ensures nothing of the number that it
//!   finds.
//!
//! Within the value that is pushed, `modulus_remainder` may get the scope, and is something unknown
//! then. So each entry is made by the analysis: it may be about another variable, but it is no
//! malformed one. All functions that may name the scope are seen: one class declares it, in a file
//! that no other one includes, it has no friends, and each method that it declares has its body
//! there. Only these methods have the word of the scope's name in their texts, each time in one of
//! these uses, and nothing else in the files has it but the scope's declaration.

use halidom_cpp::ast::{Class, Expr, ExprKind, Function, Prototype};
use halidom_cpp::{without_comments, words};

use crate::machine::doubts::without_body;
use crate::machine::invariants::{Invariant, invariant};
use crate::machine::program::Program;

/// The type of the scopes that are looked at.
const REPORTS: &str = "Scope<ModulusRemainder>";

/// The ends of the names of files that others may include.
const HEADERS: [&str; 5] = [".h", ".hh", ".hpp", ".hxx", ".inl"];

/// The analysis that makes the entries.
const FINDS: &str = "modulus_remainder";

/// The analysis of whose answer nothing is ensured.
const TELLS_NOTHING: &str = "reduce_expr_modulo";

/// The names that must mean what the API means by them.
const API: [&str; 4] = [FINDS, TELLS_NOTHING, "Scope", "ModulusRemainder"];

/// The names of the scopes whose entries nothing relies on. `files` has the file of each class, by
/// its number and its name.
pub(crate) fn unread(
    program: &Program,
    prototypes: &[Prototype],
    files: &[(usize, &str)],
) -> Vec<String> {
    let is_whole = whole(program, prototypes, files);
    let mut found = Vec::new();
    for (class, _) in program.classes.iter().zip(is_whole).filter(|(_, is_whole)| *is_whole) {
        for field in &class.fields {
            let fields = program.classes.iter().flat_map(|class| &class.fields);
            let is_it = invariant(&field.name) == Some(Invariant::Report)
                && field.ty == REPORTS
                && field.value.is_none()
                && fields.filter(|other| other.name == field.name).count() == 1
                && is_free(program, &field.name)
                && is_of_functions(program, &field.name)
                && !program.linked.contains(&field.name)
                && API.iter().all(|name| is_of_the_api(program, name))
                && program.functions.iter().all(|function| {
                    let is_of_class = function.class == class.name && function.name != class.name;
                    count(function, &field.name) == 0
                        || is_of_class && is_unread(function, &field.name)
                });
            if is_it {
                found.push(field.name.clone());
            }
        }
    }
    found
}

/// Tells for each class whether it is declared as a whole where all that may use its private
/// members is seen: in a file that no other one includes, with bodies of all methods, without
/// friends, and with a name that no other class has.
pub(crate) fn whole(
    program: &Program,
    prototypes: &[Prototype],
    files: &[(usize, &str)],
) -> Vec<bool> {
    let bodiless = without_body(program, prototypes);
    let has_friends = program.outside.iter().any(|text| words(text).any(|word| word == "friend"));
    let is_whole = |(index, class): (usize, &Class)| {
        let is_own = files.get(index).is_some_and(|(file, name)| {
            !program.shared.get(*file).copied().unwrap_or(true)
                && HEADERS.iter().all(|end| !name.ends_with(end))
        });
        is_own
            && !has_friends
            && class.others.is_empty()
            && program.classes.iter().filter(|other| other.name == class.name).count() == 1
            && bodiless.iter().all(|prototype| prototype.class != class.name)
    };
    program.classes.iter().enumerate().map(is_whole).collect()
}

/// Tests whether the files name a member only in its declaration and in the bodies of functions: no
/// other member's value, no variable outside of functions and no macro has its name. Of a macro
/// that a function names, the text is a part of the function's.
pub(crate) fn is_of_functions(program: &Program, name: &str) -> bool {
    let named = |text: &String| words(text).filter(|word| *word == name).count();
    program.outside.iter().map(named).sum::<usize>() == 1 && !has_pasted_names(program)
}

/// Tests whether the files give none of these names of the API another meaning.
pub(crate) fn are_of_the_api(program: &Program, names: &[&str]) -> bool {
    let is_free = |name: &&str| {
        let known = program.renamed.iter().chain(&program.others).chain(&program.aliases_within);
        known.into_iter().all(|known| known != name)
            && program.functions.iter().all(|other| other.name != *name)
            && program.classes.iter().all(|class| class.name != *name)
    };
    names.iter().all(is_free) && !has_pasted_names(program)
}

/// Tests whether the files have operators of their own.
pub(crate) fn has_operators(program: &Program) -> bool {
    program.functions.iter().any(|function| function.name.starts_with("operator"))
}

/// Tests whether a macro may put names together.
pub(crate) fn has_pasted_names(program: &Program) -> bool {
    program.outside.iter().any(|text| text.contains("##"))
        || program.functions.iter().any(|function| function.text.contains("##"))
}

/// The number of times that the text of a function has a word.
pub(crate) fn count(function: &Function, name: &str) -> usize {
    words(&without_comments(&function.text)).filter(|word| *word == name).count()
}

/// Tests whether a name means the API's function in all functions: none declares it.
fn is_of_the_api(program: &Program, name: &str) -> bool {
    is_free(program, name)
        && program.classes.iter().all(|class| class.name != name)
        && program.classes.iter().flat_map(|class| &class.fields).all(|field| field.name != name)
        && program.functions.iter().all(|function| {
            function.declared.iter().all(|declared| declared != name)
                && function.parameters.iter().all(|parameter| parameter.name != name)
        })
}

/// Tests whether nothing but a member may have a name.
fn is_free(program: &Program, name: &str) -> bool {
    program.functions.iter().all(|function| function.name != name)
        && !program.others.iter().chain(&program.aliases_within).any(|other| other == name)
        && program.unseen.iter().all(|(_, other)| other != name)
}

/// Tests whether a function uses a scope in the known ways alone.
fn is_unread(function: &Function, scope: &str) -> bool {
    let named = count(function, scope);
    let mut known = 0;
    function.visit(&mut |expr| known += uses(expr, scope).unwrap_or(0));
    named == known
}

/// The number of times that a known use names a scope; `None` if an expression is not such a use.
fn uses(expr: &Expr, scope: &str) -> Option<usize> {
    let is_scope = |expr: &Expr| match &expr.kind {
        ExprKind::Name(name) => name == scope,
        ExprKind::Member { object, arrow: true, name } => {
            object.kind == ExprKind::This && name == scope
        }
        _ => false,
    };
    let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return None };
    if !templates.is_empty() {
        return None;
    }
    match (&callee.kind, arguments.as_slice()) {
        (ExprKind::Name(name), [_, _, _, last]) if name == TELLS_NOTHING => {
            is_scope(last).then_some(1)
        }
        (ExprKind::Member { object, arrow: false, name }, [_]) if name == "pop" => {
            is_scope(object).then_some(1)
        }
        (ExprKind::Member { object, arrow: false, name }, [_, entry]) if name == "push" => {
            let ExprKind::Call { callee, templates, arguments } = &entry.kind else { return None };
            if !is_scope(object) || !templates.is_empty() {
                return None;
            }
            match (&callee.kind, arguments.as_slice()) {
                (ExprKind::Name(name), [_]) if name == FINDS => Some(1),
                (ExprKind::Name(name), [_, last]) if name == FINDS => {
                    Some(1 + usize::from(is_scope(last)))
                }
                _ => None,
            }
        }
        _ => None,
    }
}
