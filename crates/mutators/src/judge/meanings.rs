//! Names of the API to which the files give a meaning of their own.
//!
//! # Correctness
//!
//! The machine knows the API's classes, functions and methods by their names. Where the files may
//! mean something else by such a name, each function that uses it is unsupported. A function with a
//! body is no such thing: it runs as it is written, or it is judged against the contract that
//! stands for it, or it is listed as something that nothing judges.
//!
//! The roots of mutators and visitors are named by the classes that derive from them, which other
//! functions use by their own names. So all functions that have to do with such a class are
//! unsupported if a root means something else.

use std::collections::BTreeSet;

use halidom_cpp::ast::{Function, Prototype, Stmt, StmtKind};
use halidom_cpp::{short_name, words};

use crate::ir::kinds::Kind;
use crate::machine::classes::{is_container, is_report_class};
use crate::machine::contracts;
use crate::machine::doubts::{FUNCTIONS, is_known_space, without_body};
use crate::machine::names::TypeName;
use crate::machine::program::{Program, ROOTS, is_mutating_root, is_root};

/// Names of the API that are neither kinds of nodes nor functions with contracts.
const SPECIAL: [&str; 6] =
    ["EVAL_IN_LAMBDA", "Scope", "ScopedBinding", "ScopedValue", "reverse_view", "vector"];

/// Classes of the API from which expressions, statements and nodes derive.
const HANDLES: [&str; 9] = [
    "BaseExprNode",
    "BaseStmtNode",
    "ExprHandle",
    "ExprNode",
    "IRHandle",
    "IRNode",
    "Interval",
    "IntrusivePtr",
    "StmtNode",
];

/// Tests whether a name has a meaning for the machine that a file's own declaration would change.
pub(super) fn has_meaning(name: &str) -> bool {
    is_class_of_api(name)
        || SPECIAL.contains(&name)
        || (contracts::is_known(name) && !contracts::is_assumed(name))
}

/// Tests whether a name is that of a class of expressions, types, nodes or reports.
fn is_class_of_api(name: &str) -> bool {
    Kind::named(name).is_some()
        || !matches!(TypeName::of(name), TypeName::Other(_))
        || is_report_class(name)
}

/// The names of the API that the files declare otherwise than as functions with bodies. Each file
/// declares what it calls, so the API's own functions and classes may be declared again.
pub(super) fn renamed(
    program: &Program,
    things: &BTreeSet<String>,
    prototypes: &[Prototype],
) -> Vec<String> {
    let classes = || program.classes.iter().map(|class| &class.name);
    let means = program.others.iter().chain(classes()).filter(|name| has_meaning(name));
    let mut names: BTreeSet<&String> = means.collect();
    let is_replaced = |name: &&String| contracts::is_assumed(name);
    names.extend(things.iter().chain(classes()).filter(is_replaced));
    // Methods are declared in their classes, whose bodies may be elsewhere.
    let free = without_body(program, prototypes).into_iter().filter(|of| of.class.is_empty());
    names.extend(free.map(|of| &of.name).filter(is_replaced));
    let is_called = |name: &&String| is_root(name) || FUNCTIONS.contains(&name.as_str());
    names.extend(things.iter().filter(is_called));
    names.into_iter().cloned().collect()
}

/// Those of the names of aliases within functions that mean something to the machine.
pub(super) fn renamed_within(aliases: &[String]) -> Vec<String> {
    let means = |name: &&String| has_meaning(name) || contracts::is_assumed(name) || is_root(name);
    let mut names: Vec<String> = aliases.iter().filter(means).cloned().collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Takes functions that are defined by a qualified name, as in `bool Halide::Internal::equal(…)`,
/// for functions of the API's namespaces.
pub(super) fn take_out_of_spaces(program: &mut Program, prototypes: &mut [Prototype]) {
    let classes: BTreeSet<&str> = program.classes.iter().map(|of| of.name.as_str()).collect();
    let is_space = |name: &str| !name.is_empty() && !classes.contains(name) && is_known_space(name);
    for function in &mut program.functions {
        if is_space(&function.class) {
            function.class.clear();
        }
    }
    for prototype in prototypes {
        if is_space(&prototype.class) {
            prototype.class.clear();
        }
    }
}

/// The methods of the API's classes that have bodies in the files, without their functions `make`,
/// which are followed.
pub(super) fn own_methods(program: &Program) -> BTreeSet<String> {
    let is_own = |function: &&Function| {
        let class = short_name(&function.class);
        let is_of_api = is_class_of_api(class) || is_container(class) || HANDLES.contains(&class);
        !class.is_empty() && is_of_api && function.name != "make"
    };
    program.functions.iter().filter(is_own).map(|function| function.name.clone()).collect()
}

/// The roots that a text names within a namespace that is not known.
fn foreign_roots<'t>(
    text: &'t str,
    things: &'t BTreeSet<String>,
) -> impl Iterator<Item = &'static str> {
    let is_foreign = move |root: &str, at: usize| {
        let Some(before) = text[..at].trim_end().strip_suffix("::") else { return false };
        let space = words(before).next_back().unwrap_or_default();
        let is_known = is_root(space) || is_known_space(space) && !things.contains(space);
        words(&text[at..]).next() == Some(root) && !(before.ends_with(space) && is_known)
    };
    ROOTS
        .into_iter()
        .filter(move |root| text.match_indices(root).any(|(at, _)| is_foreign(root, at)))
}

/// The roots that mean something else in the files.
fn other_roots(program: &Program, things: &BTreeSet<String>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = things.iter().filter(|name| is_root(name)).cloned().collect();
    let texts = program.functions.iter().map(|of| &of.text).chain(&program.outside);
    names.extend(texts.flat_map(|text| foreign_roots(text, things)).map(str::to_owned));
    for class in program.classes.iter().filter(|class| is_root(&class.name)) {
        if class.bases.iter().any(|base| !is_root(base)) {
            names.insert(class.name.clone());
        }
    }
    // The methods of mutators are judged. What a visitor does with operands is not.
    let is_body = |function: &&Function| {
        is_root(&function.class)
            && !is_mutating_root(&function.class)
            && function.name.trim_start_matches('~') != function.class
    };
    names.extend(program.functions.iter().filter(is_body).map(|of| of.class.clone()));
    names
}

/// Makes functions unreadable that have to do with a class whose root means something else.
pub(super) fn hide_other_roots(program: &mut Program, things: &BTreeSet<String>) {
    let mut names = other_roots(program, things);
    if names.is_empty() {
        return;
    }
    loop {
        let is_new = |class: &&halidom_cpp::ast::Class| {
            let is_named = |text: &str| words(text).any(|word| names.contains(word));
            !names.contains(&class.name)
                && (class.bases.iter().any(|base| is_named(base))
                    || class.fields.iter().any(|field| is_named(&field.ty)))
        };
        let new: Vec<String> =
            program.classes.iter().filter(is_new).map(|class| class.name.clone()).collect();
        if new.is_empty() {
            break;
        }
        names.extend(new);
    }
    let is_it = |word: &&str| names.contains(*word);
    for function in &mut program.functions {
        let found = words(&function.text).chain([function.class.as_str()]).find(is_it);
        if let Some(name) = found.map(str::to_owned) {
            let what = format!("`{name}`, whose root means something of the file's own");
            function.body = vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
            function.text.push('\u{3}');
        }
    }
}

/// Makes all functions unreadable if the files say how expressions and nodes are made, converted,
/// copied or followed: any text may use that without a word.
pub(super) fn hide_all_by_conversions(program: &mut Program) {
    let is_conversion = |function: &&Function| {
        let class = short_name(&function.class);
        let is_of_api = is_class_of_api(class) || HANDLES.contains(&class);
        let sign = function.name.strip_prefix("operator").map(str::trim);
        let is_silent = sign.is_some_and(|sign| {
            ["->", "*", "=", "&"].contains(&sign) || sign.starts_with(char::is_alphabetic)
        });
        let is_made = function.name.trim_start_matches('~') == class;
        !class.is_empty() && is_of_api && (is_silent || is_made)
    };
    let Some(name) = program.functions.iter().find(is_conversion).map(|of| of.class.clone()) else {
        return;
    };
    for function in &mut program.functions {
        let what = format!("conversions of `{name}`, which the files define");
        function.body = vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
        function.text.push('\u{4}');
    }
}
