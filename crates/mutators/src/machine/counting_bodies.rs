//! Functions that hand a statement on, that open a block, or that count uses, whose bodies keep
//! their contracts.
//!
//! # Correctness
//!
//! A function that prints a statement keeps its contract, by induction, if all it does is to have
//! the method run that visits the statement: `s.accept(this)`, or `VisitStmt(s)` of the base. A
//! function opens a block if it prints a brace in a line, after the blanks that `do_indent` prints.
//!
//! A function that counts uses may change nothing but the counts in entries of `var_info`, which
//! may be any numbers wherever they are read. It has this form, in which `k` is a literal, or a sum
//! that makes a string of several `a`. Not all of these are literals.
//!
//! ```text
//! a    ::= a string's name | a literal | std::to_string(a name of type size_t)
//! stmt ::= string x = k; | for (size_t i = 0; i < n; i++) { stmt… }
//!        | if (var_info.contains(k)) { var_info.ref(k).old_uses++; }
//!        | if (auto *p = var_info.shallow_find(k)) { p->old_uses++; }
//! ```
//!
//! The parameter `n` and the counter `i` are numbers of one type, so each loop ends, and an entry
//! is there where it is asked for.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::machine::contracts;
use crate::machine::language::{Guarantee, Print, Term, Word};
use crate::machine::program::Program;
use crate::machine::unread::{are_of_the_api, has_operators};

/// The scope whose entries have counts.
const SCOPE: &str = "var_info";

/// The counts of an entry.
const COUNTS: [&str; 2] = ["old_uses", "new_uses"];

/// The type of the counters of loops.
const SIZE: &str = "size_t";

/// The names that the forms rest on.
const NAMES: [&str; 7] = ["Scope", "Stmt", "VisitStmt", "accept", "size_t", "string", "to_string"];

/// Tests whether a function with a body of one of the forms keeps what its contract states.
pub(crate) fn keeps_contract_by_form(program: &Program, function: &Function) -> bool {
    if !are_of_the_api(program, &NAMES) || has_operators(program) {
        return false;
    }
    let table = contracts::table();
    let mut all = table.named(&function.name);
    let (Some(only), None) = (all.next(), all.next()) else { return false };
    if only.when.is_some() || !only.requirements.is_empty() {
        return false;
    }
    match &only.guarantee {
        Guarantee::Prints(Print::Stmt) => hands_on(function),
        Guarantee::Prints(Print::Open) => opens(function),
        Guarantee::Result(Term::Word(Word::Void)) => {
            // The scope is a member, and no name hides it.
            let is_hidden = function.declared.iter().any(|name| name == SCOPE)
                || function.parameters.iter().any(|known| known.name == SCOPE);
            let known = function.parameters.iter();
            let known = known.map(|known| (known.name.as_str(), known.ty.as_str())).collect();
            !is_hidden && only.takes.is_empty() && count_only(&function.body, known)
        }
        Guarantee::Result(_) | Guarantee::Tells { .. } | Guarantee::Prints(_) => false,
    }
}

/// Tests whether a function prints a brace after blanks, and changes no more than what is printed
/// before each line, and what is kept to be used again.
fn opens(function: &Function) -> bool {
    let mut printed = 0;
    let mut are_known = !function.class.is_empty()
        && function.parameters.is_empty()
        && function.declared.is_empty();
    for stmt in &function.body {
        let StmtKind::Expr(expr) = &stmt.kind else { return false };
        are_known &= match &expr.kind {
            ExprKind::Binary(Sign::Shl, stream, text) => {
                printed += 1;
                stream.is_name("stream") && text.kind == ExprKind::Text("{\n".to_owned())
            }
            ExprKind::Postfix(Sign::Increment, of) => of.is_name("indent"),
            ExprKind::Call { callee, arguments, .. } => {
                let is_cleared = matches!(&callee.kind,
                    ExprKind::Member { object, arrow: false, name }
                        if name == "clear" && object.is_name("cache"));
                // Blanks after the brace would stand in its line.
                let is_indented = callee.is_name("do_indent") && printed == 0;
                arguments.is_empty() && (is_cleared || is_indented)
            }
            _ => false,
        };
    }
    are_known && printed == 1
}

/// Tests whether a function only has the method run that visits its parameter.
fn hands_on(function: &Function) -> bool {
    let ([parameter], [stmt]) = (function.parameters.as_slice(), function.body.as_slice()) else {
        return false;
    };
    let StmtKind::Expr(Expr { kind: ExprKind::Call { callee, templates, arguments }, .. }) =
        &stmt.kind
    else {
        return false;
    };
    let ([argument], true) = (arguments.as_slice(), templates.is_empty()) else { return false };
    let ty = parameter.ty.trim_end_matches('&').trim().trim_start_matches("const ");
    let is_it = |expr: &Expr| expr.is_name(&parameter.name);
    !function.class.is_empty()
        && ty == "Stmt"
        && match &callee.kind {
            ExprKind::Member { object, arrow: false, name } => {
                name == "accept" && is_it(object) && argument.kind == ExprKind::This
            }
            ExprKind::Name(name) => name == "VisitStmt" && is_it(argument),
            _ => false,
        }
}

/// Tests whether statements only count uses, where the known names have these types.
fn count_only<'f>(stmts: &'f [Stmt], known: Vec<(&'f str, &'f str)>) -> bool {
    let mut known = known;
    stmts.iter().all(|stmt| match &stmt.kind {
        StmtKind::Declare(all) => {
            let [Declared { ty, name, value: Some(value) }] = all.as_slice() else { return false };
            let is_text = ["string", "std::string"].contains(&ty.as_str());
            let is_made = is_text && is_key(value, &known);
            known.push((name, ty));
            is_made
        }
        StmtKind::For {
            first: Some(first),
            condition: Some(condition),
            step: Some(step),
            body,
        } => {
            let StmtKind::Declare(all) = &first.kind else { return false };
            let [Declared { ty, name, value: Some(zero) }] = all.as_slice() else { return false };
            let is_counted = ty == SIZE
                && matches!(&zero.kind, ExprKind::Integer(0, _))
                && matches!(&condition.kind, ExprKind::Binary(Sign::Lt, counter, end)
                    if counter.is_name(name)
                        && matches!(&end.kind, ExprKind::Name(end)
                            if end != name && type_of(end, &known) == Some(SIZE)))
                && matches!(&step.kind,
                    ExprKind::Postfix(Sign::Increment, of) | ExprKind::Prefix(Sign::Increment, of)
                        if of.is_name(name));
            let inner = known.iter().copied().chain([(name.as_str(), SIZE)]).collect();
            is_counted && count_only(within(body), inner)
        }
        StmtKind::If { declared, condition, then, otherwise: None } => {
            let [Stmt { kind: StmtKind::Expr(counted), .. }] = within(then) else {
                return false;
            };
            let ExprKind::Postfix(Sign::Increment, counted) = &counted.kind else { return false };
            let ExprKind::Member { object, arrow, name } = &counted.kind else { return false };
            COUNTS.contains(&name.as_str())
                && match (declared, condition) {
                    (None, Some(condition)) => {
                        let key = asked(condition, "contains");
                        !arrow
                            && key.is_some_and(|key| is_key(key, &known))
                            && asked(object, "ref").map(|of| &of.kind) == key.map(|key| &key.kind)
                    }
                    (Some(declared), None) => {
                        let key = declared.value.as_ref().and_then(|of| asked(of, "shallow_find"));
                        *arrow
                            && declared.ty == "auto*"
                            && key.is_some_and(|key| is_key(key, &known))
                            && object.is_name(&declared.name)
                    }
                    _ => false,
                }
        }
        _ => false,
    })
}

/// The statements of a block, or the statement itself.
fn within(stmt: &Stmt) -> &[Stmt] {
    match &stmt.kind {
        StmtKind::Block(stmts) => stmts,
        _ => std::slice::from_ref(stmt),
    }
}

/// The key that a method of the scope is asked for.
fn asked<'e>(expr: &'e Expr, method: &str) -> Option<&'e Expr> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    let ExprKind::Member { object, arrow: false, name } = &callee.kind else { return None };
    match arguments.as_slice() {
        [key] if name == method && object.is_name(SCOPE) => Some(key),
        _ => None,
    }
}

/// Tests whether an expression makes a string without an effect: of a literal, or of strings.
fn is_key(expr: &Expr, known: &[(&str, &str)]) -> bool {
    matches!(expr.kind, ExprKind::Text(_)) || is_string(expr, known)
}

/// Tests whether an expression is a string. A sum is one only if an operand is: a literal alone is
/// an address, to which a number may be added.
fn is_string(expr: &Expr, known: &[(&str, &str)]) -> bool {
    match &expr.kind {
        ExprKind::Name(name) => type_of(name, known).is_some_and(is_string_type),
        ExprKind::Binary(Sign::Add, a, b) => {
            is_key(a, known) && is_key(b, known) && (is_string(a, known) || is_string(b, known))
        }
        ExprKind::Call { callee, arguments, .. } => {
            callee.is_name("std::to_string")
                && matches!(arguments.as_slice(), [Expr { kind: ExprKind::Name(name), .. }]
                    if type_of(name, known) == Some(SIZE))
        }
        _ => false,
    }
}

/// The type of the innermost variable of this name.
fn type_of<'k>(name: &str, known: &[(&str, &'k str)]) -> Option<&'k str> {
    known.iter().rev().find(|(other, _)| *other == name).map(|(_, ty)| *ty)
}

/// Tests for a string, or a reference to one.
fn is_string_type(ty: &str) -> bool {
    let ty = ty.trim_end_matches('&').trim();
    ["string", "std::string"].contains(&ty.strip_prefix("const ").unwrap_or(ty))
}
