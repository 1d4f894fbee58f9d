//! Reads the rules of each function of a file, with the meaning of its names.

use halidom_base::FxHashSet;
use halidom_cpp::ast::{Expr, ExprKind, File, Function, Stmt, StmtKind};
use halidom_cpp::{is_letter, split_name, without_comments, words};

use super::known::Known;
use super::own::{Own, call, is_of_space};
use super::pattern::FUNCTIONS;
use super::read::{Found, TYPE_TESTS, Used, Walk};

/// Returns the rules of a file that stands alone, in order.
pub fn rules(file: &File) -> Vec<Found> {
    rules_among(file, &Own::of(file))
}

/// Returns the rules of a file, in order, where the given files declare some names.
pub(crate) fn rules_among(file: &File, own: &Own<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for function in &file.functions {
        let first = function.parameters.first().map(|parameter| parameter.ty.replace('*', " *"));
        let name = format!(
            "{}{}{}({})",
            function.class,
            if function.class.is_empty() { "" } else { "::" },
            function.name,
            first.unwrap_or_default()
        );
        let begin = found.len();
        let known = Known::of(function, own, &is_by_value, is_opaque(function, own));
        Walk::new(name.clone(), &known, &mut found).function(function);
        let read = found.len() - begin;
        let line = unread_use(function, read);
        if let Some(what) = unread_text(function) {
            for of in found.iter_mut().skip(begin) {
                of.rule = Err(what.clone());
            }
        }
        if let Some(line) = line {
            let rule = Err("a use of a rewriter in a place that is not read".to_owned());
            found.push(Found { line, function: name, rule, used: Used::default() });
        }
    }
    found
}

/// Tests whether a function has text that may change its variables or the order of statements. What
/// its other rules mean does not depend on that.
fn is_opaque(function: &Function, own: &Own<'_>) -> bool {
    let text = without_comments(&function.text);
    let is_jump = |word: &str| ["goto", "asm", "__asm__", "setjmp"].contains(&word);
    own.macro_in(function).is_some() || words(&text).any(is_jump)
}

/// Names the text of a function that may give any name another meaning.
fn unread_text(function: &Function) -> Option<String> {
    let text = without_comments(&function.text);
    let mut names = Vec::new();
    for stmt in &function.body {
        names_alone(stmt, &mut names);
    }
    let what = if text.contains('\\') {
        // It may join the parts of a name, or stand for a letter.
        "a backslash".to_owned()
    } else if text.contains('#') {
        "a directive".to_owned()
    } else if words(&text).any(|word| word == "namespace") {
        "`using namespace`".to_owned()
    } else {
        // A name alone does nothing unless it is a macro of another file.
        format!("the macro `{}`", names.first()?)
    };
    Some(format!("in a function with {what}"))
}

/// Collects the names that are statements by themselves.
fn names_alone<'s>(stmt: &'s Stmt, found: &mut Vec<&'s str>) {
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Name(name), .. }) => found.push(name),
        StmtKind::If { then, otherwise, .. } => {
            names_alone(then, found);
            if let Some(otherwise) = otherwise {
                names_alone(otherwise, found);
            }
        }
        StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| names_alone(stmt, found)),
        StmtKind::While(_, body) | StmtKind::For { body, .. } | StmtKind::ForEach(_, _, body) => {
            names_alone(body, found);
        }
        StmtKind::Switch(_, arms) => {
            arms.iter().flat_map(|(_, body)| body).for_each(|stmt| names_alone(stmt, found));
        }
        StmtKind::Expr(_)
        | StmtKind::Declare(_)
        | StmtKind::Return(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Struct(_)
        | StmtKind::Nothing
        | StmtKind::Other(_) => {}
    }
}

/// The functions of the compilers that take types, expressions and numbers by value, besides those
/// of patterns and of tests of types.
const BY_VALUE: [&str; 34] = [
    "as_const_int",
    "can_prove",
    "cast",
    "const_false",
    "const_int",
    "const_true",
    "div_imp",
    "equal",
    "graph_equal",
    "hoist_slice_vector",
    "intersect",
    "is_const",
    "is_const_one",
    "is_const_power_of_two_integer",
    "is_const_zero",
    "is_negative_const",
    "is_one",
    "is_positive_const",
    "is_pure",
    "is_zero",
    "lossless_cast",
    "make",
    "make_bool",
    "make_const",
    "make_one",
    "make_union",
    "make_zero",
    "mod_imp",
    "mutate",
    "no_overflow",
    "rewriter",
    "should_commute",
    "simplify",
    "unify",
];

/// Tests whether a function of this name changes none of its arguments.
fn is_by_value(name: &str) -> bool {
    let (space, short) = split_name(name);
    // `Add::make` makes a node.
    let is_class = short == "make" || ["unify", "intersect", "make_union"].contains(&short);
    (is_class || is_of_space(space))
        && (FUNCTIONS.iter().any(|(known, ..)| *known == short)
            || TYPE_TESTS.iter().any(|(known, _)| *known == short)
            || BY_VALUE.contains(&short))
}

/// Finds a use of a rewriter that is neither the call of a rule that was read nor its result, where
/// so many rules were read in a function. A rule is perhaps tried there. Each mention in the text
/// must be one that was read, so that no statement hides a use.
fn unread_use(function: &Function, read: usize) -> Option<usize> {
    let mut names: FxHashSet<String> = FxHashSet::default();
    let (mut line, mut declared) = (None, 0);
    for stmt in &function.body {
        stmt.declared(&mut |variable| {
            if variable.value.as_ref().and_then(call).is_some_and(|(name, _)| name == "rewriter") {
                names.insert(variable.name.clone());
                line.get_or_insert(stmt.line);
                declared += 1;
            }
        });
    }
    let (mut uses, mut results) = (0, 0);
    for stmt in &function.body {
        stmt.visit(&mut |part| match &part.kind {
            ExprKind::Name(name) if names.contains(name) => uses += 1,
            ExprKind::Member { object, name, .. } if name == "result" => {
                results +=
                    usize::from(matches!(&object.kind, ExprKind::Name(of) if names.contains(of)));
            }
            _ => {}
        });
    }
    let text = without_comments(&function.text);
    let words = || text.split(|letter| !is_letter(letter));
    let mentions = words().filter(|word| names.contains(*word)).count();
    let makers = words().filter(|word| *word == "rewriter").count();
    if makers > declared {
        return line.or(Some(function.line));
    }
    line.filter(|_| uses != read + results || mentions != uses + declared)
}
