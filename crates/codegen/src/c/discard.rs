//! Drops values that a function takes over but does not use, and `(void)name;` where the name is
//! used after all.

use halidom_base::FxHashSet;

use crate::c::tree::{CExpr, CFunction, CStmt};

/// Keeps only the values from a struct that the function uses, and only the discards of names that
/// nothing uses.
pub(crate) fn drop_needless_discards(function: &mut CFunction) {
    let mut used = FxHashSet::default();
    for stmt in &function.body {
        if !matches!(stmt, CStmt::Declare(_, _, CExpr::Arrow(..))) {
            names_of(stmt, &mut used);
        }
    }
    let mut dropped = FxHashSet::default();
    function.body.retain(|stmt| match stmt {
        CStmt::Declare(_, name, CExpr::Arrow(..)) if !used.contains(name) => {
            dropped.insert(name.clone());
            false
        }
        CStmt::Comment(_)
        | CStmt::Declare(..)
        | CStmt::DeclareOwning(..)
        | CStmt::DeclareArray { .. }
        | CStmt::DeclareStruct(..)
        | CStmt::Assign(..)
        | CStmt::Expr(_)
        | CStmt::Discard(_)
        | CStmt::If(..)
        | CStmt::For { .. }
        | CStmt::Block(_)
        | CStmt::Return(_) => true,
    });
    for stmt in &function.body {
        names_of(stmt, &mut used);
    }
    used.extend(dropped);
    drop_discards(&mut function.body, &used);
}

fn drop_discards(stmts: &mut Vec<CStmt>, used: &FxHashSet<String>) {
    stmts.retain(|stmt| !matches!(stmt, CStmt::Discard(name) if used.contains(name)));
    for stmt in stmts {
        match stmt {
            CStmt::If(_, then_branch, else_branch) => {
                drop_discards(then_branch, used);
                if let Some(else_branch) = else_branch {
                    drop_discards(else_branch, used);
                }
            }
            CStmt::For { body, .. } | CStmt::Block(body) => drop_discards(body, used),
            CStmt::Comment(_)
            | CStmt::Declare(..)
            | CStmt::DeclareOwning(..)
            | CStmt::DeclareArray { .. }
            | CStmt::DeclareStruct(..)
            | CStmt::Assign(..)
            | CStmt::Expr(_)
            | CStmt::Discard(_)
            | CStmt::Return(_) => {}
        }
    }
}

fn names_of(stmt: &CStmt, used: &mut FxHashSet<String>) {
    match stmt {
        CStmt::Comment(_) | CStmt::Discard(_) => {}
        CStmt::Declare(_, _, value)
        | CStmt::DeclareOwning(_, value)
        | CStmt::Expr(value)
        | CStmt::Return(value) => {
            names_in(value, used);
        }
        CStmt::DeclareArray { length, .. } => names_in(length, used),
        CStmt::DeclareStruct(_, _, values) => {
            for value in values {
                names_in(value, used);
            }
        }
        CStmt::Assign(target, value) => {
            names_in(target, used);
            names_in(value, used);
        }
        CStmt::If(condition, then_branch, else_branch) => {
            names_in(condition, used);
            then_branch.iter().chain(else_branch.iter().flatten()).for_each(|s| names_of(s, used));
        }
        CStmt::For { var, from, end: _, extent, body } => {
            used.insert(var.clone());
            names_in(from, used);
            names_in(extent, used);
            for stmt in body {
                names_of(stmt, used);
            }
        }
        CStmt::Block(body) => body.iter().for_each(|stmt| names_of(stmt, used)),
    }
}

fn names_in(expr: &CExpr, used: &mut FxHashSet<String>) {
    match expr {
        CExpr::Name(name) => {
            used.insert(name.clone());
        }
        CExpr::Literal(_) | CExpr::SizeOf(_) => {}
        CExpr::Unary(_, operand)
        | CExpr::Cast(_, operand)
        | CExpr::Arrow(operand, _)
        | CExpr::Dot(operand, _) => {
            names_in(operand, used);
        }
        CExpr::Binary(_, a, b) | CExpr::Index(a, b) => {
            names_in(a, used);
            names_in(b, used);
        }
        CExpr::Conditional(a, b, c) => {
            names_in(a, used);
            names_in(b, used);
            names_in(c, used);
        }
        CExpr::Call(_, values) | CExpr::CompoundArray(_, values) => {
            for value in values {
                names_in(value, used);
            }
        }
    }
}
