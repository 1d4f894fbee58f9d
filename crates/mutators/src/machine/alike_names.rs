//! The names in a method: its variables, what it calls, and what it gives to variables.

use halidom_cpp::ast::{Declared, Expr, ExprKind, Stmt, StmtKind};
use halidom_cpp::is_letter;

use crate::machine::types::is_vector_type;

/// The variables of a method.
#[derive(Default)]
pub(crate) struct Variables<'t> {
    /// Those that are declared outside of loops.
    pub(crate) outer: Vec<&'t str>,
    /// Among these, those that can be copies or flags.
    pub(crate) watched: Vec<&'t str>,
    /// Those of each loop.
    pub(crate) inner: Vec<Vec<&'t str>>,
}

/// The variables that the statements of a method declare.
pub(crate) fn declared(stmts: &[Stmt]) -> Variables<'_> {
    let mut found = Variables::default();
    for stmt in stmts {
        let mut names = Vec::new();
        stmt.declared(&mut |declared| names.push(declared));
        if matches!(stmt.kind, StmtKind::For { .. } | StmtKind::ForEach(..)) {
            found.inner.push(names.iter().map(|declared| declared.name.as_str()).collect());
            continue;
        }
        for Declared { ty, name, value: _ } in names {
            found.outer.push(name);
            if ty == "bool" || is_vector_type(ty) {
                found.watched.push(name);
            }
        }
    }
    found
}

/// Calls `look` with every expression of some statements.
fn each(stmts: &[Stmt], look: &mut dyn FnMut(&Expr)) {
    for stmt in stmts {
        stmt.visit(&mut |part| look(part));
    }
}

/// The names of functions that statements call, as they are written, with the types of variables
/// that are made by a call.
pub(crate) fn called(stmts: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    each(stmts, &mut |part| {
        if let ExprKind::Call { callee, templates: _, arguments: _ } = &part.kind
            && let ExprKind::Name(name) = &callee.kind
        {
            names.push(name.clone());
        }
    });
    names
}

/// The words of the names and types in statements.
pub(crate) fn words(stmts: &[Stmt]) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    each(stmts, &mut |part| match &part.kind {
        ExprKind::Name(name) | ExprKind::Member { object: _, arrow: _, name } => {
            texts.push(name.clone());
        }
        ExprKind::Call { callee: _, templates, arguments: _ } => texts.extend(templates.clone()),
        _ => {}
    });
    for stmt in stmts {
        stmt.declared(&mut |Declared { ty, name, value: _ }| {
            texts.extend([ty.clone(), name.clone()]);
        });
    }
    let split = |text: &String| -> Vec<String> {
        let words = text.split(|letter| !is_letter(letter)).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    texts.iter().flat_map(split).collect()
}

/// The values that statements give to variables, each with the variable.
pub(crate) fn values<'t>(stmt: &'t Stmt, given: &mut Vec<(&'t str, &'t Expr)>) {
    stmt.declared(&mut |Declared { ty: _, name, value }| {
        given.extend(value.iter().map(|value| (name.as_str(), value)));
    });
    match &stmt.kind {
        StmtKind::Expr(Expr { kind: ExprKind::Assign(_, to, value), line: _ }) => {
            if let ExprKind::Name(name) = &to.kind {
                given.push((name, value));
            }
        }
        StmtKind::If { declared: _, condition: _, then, otherwise } => {
            values(then, given);
            if let Some(otherwise) = otherwise {
                values(otherwise, given);
            }
        }
        StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| values(stmt, given)),
        _ => {}
    }
}
