//! Functions that hand a statement or an expression on, that open or close a block, or that count
//! uses, whose bodies keep their contracts.
//!
//! # Correctness
//!
//! A function that prints a statement keeps its contract, by induction, if all it does is to have
//! the method run that visits the statement: `s.accept(this)`, or `VisitStmt(s)` of the base. A
//! function opens a block if it prints a brace in a line, after the blanks that `do_indent` prints.
//! It closes one in the same way, and forgets what was computed. A comment may follow the brace in
//! its line. Then no literal in an argument of the function has an escape, such as the end of a
//! line.
//!
//! A function that prints an expression keeps its contract, by induction, if it has the method run
//! that visits the expression, and returns what this method leaves in `id`, where no name was
//! before. So does one that returns what the function of the same name appends to an empty stream.
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
use halidom_cpp::ast::{Class, Declared, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::machine::contracts;
use crate::machine::language::{Guarantee, Print, Term, Word};
use crate::machine::program::{Program, ancestors, is_root};
use crate::machine::unread::{are_of_the_api, has_operators};

/// The scope whose entries have counts.
const SCOPE: &str = "var_info";

/// The counts of an entry.
const COUNTS: [&str; 2] = ["old_uses", "new_uses"];

/// The type of the counters of loops.
const SIZE: &str = "size_t";

/// The names that the forms rest on.
const NAMES: [&str; 9] = [
    "Expr",
    "Scope",
    "Stmt",
    "VisitStmt",
    "accept",
    "ostringstream",
    "size_t",
    "string",
    "to_string",
];

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
    let is_void = function.result == "void";
    match &only.guarantee {
        Guarantee::Prints(_) if hides_members(program, function) => false,
        Guarantee::Prints(Print::Stmt) => hands_on(function),
        Guarantee::Prints(Print::Open) => {
            is_void
                && function.parameters.is_empty()
                && prints_a_brace(function, "{", Sign::Increment)
        }
        Guarantee::Prints(Print::Close) => {
            is_void
                && prints_a_brace(function, "}", Sign::Decrement)
                && has_plain_comments(program, function)
        }
        Guarantee::Prints(Print::Expr) => {
            is_string_value(&function.result) && has_methods(program, function) && visits(function)
        }
        Guarantee::Prints(Print::Inline) => {
            is_string_value(&function.result) && returns_what_is_appended(function)
        }
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
/// before each line, which it counts up or down, and what is kept to be used again. One that counts
/// down has to forget that.
fn prints_a_brace(function: &Function, brace: &str, counts: Sign) -> bool {
    let (mut printed, mut forgets) = (0, counts == Sign::Increment);
    let mut are_known = !function.class.is_empty() && function.declared.is_empty();
    for stmt in &function.body {
        are_known &= match &stmt.kind {
            StmtKind::Expr(Expr { kind: ExprKind::Postfix(sign, of), .. }) => {
                *sign == counts && of.is_name("indent")
            }
            StmtKind::Expr(Expr { kind: ExprKind::Call { callee, arguments, .. }, .. }) => {
                let is_cleared = matches!(&callee.kind,
                    ExprKind::Member { object, arrow: false, name }
                        if name == "clear" && object.is_name("cache"));
                forgets |= is_cleared;
                // Blanks after the brace would stand in its line.
                let is_indented = callee.is_name("do_indent") && printed == 0;
                arguments.is_empty() && (is_cleared || is_indented)
            }
            _ => {
                printed += 1;
                ends_a_line(stmt, function, brace)
            }
        };
    }
    are_known && forgets && printed == 1
}

/// Tests whether a statement prints a brace, and after it nothing but a comment in the same line.
fn ends_a_line(stmt: &Stmt, function: &Function, brace: &str) -> bool {
    if let StmtKind::If { declared: None, condition: Some(condition), then, otherwise } = &stmt.kind
    {
        let is_asked = |expr: &Expr| match &expr.kind {
            ExprKind::Call { callee, arguments, .. } => {
                arguments.is_empty()
                    && matches!(&callee.kind, ExprKind::Member { object, arrow: false, name }
                        if name == "empty" && is_comment(object, function))
            }
            _ => false,
        };
        let is_known = match &condition.kind {
            ExprKind::Prefix(Sign::Not, of) => is_asked(of),
            _ => is_asked(condition),
        };
        let prints = |stmt: &Stmt| match within(stmt) {
            [only] => {
                !matches!(only.kind, StmtKind::If { .. }) && ends_a_line(only, function, brace)
            }
            _ => false,
        };
        return is_known && prints(then) && otherwise.as_ref().is_some_and(|other| prints(other));
    }
    let StmtKind::Expr(mut expr) = stmt.kind.clone() else { return false };
    let mut parts = Vec::new();
    while let ExprKind::Binary(Sign::Shl, stream, part) = expr.kind {
        parts.push(*part);
        expr = *stream;
    }
    parts.reverse();
    let is_text = |part: &Expr, text: &str| part.kind == ExprKind::Text(text.to_owned());
    expr.is_name("stream")
        && match parts.as_slice() {
            [only] => is_text(only, &format!("{brace}\n")),
            [first, comment, last] => {
                is_text(first, &format!("{brace} // "))
                    && is_comment(comment, function)
                    && is_text(last, "\n")
            }
            _ => false,
        }
}

/// Tests whether an expression is the only parameter of a function, a string.
fn is_comment(expr: &Expr, function: &Function) -> bool {
    matches!(function.parameters.as_slice(), [comment]
        if is_string_type(&comment.ty) && expr.is_name(&comment.name))
}

/// The members that the forms rest on, each with the beginnings of the types that it may have.
const MEMBERS: [(&str, &[&str]); 6] = [
    ("cache", &["std::map<", "map<", "std::unordered_map<", "unordered_map<"]),
    ("stream", &["std::ostream&", "std::ostream &", "ostream&", "ostream &"]),
    ("indent", &["int"]),
    ("id", &["std::string", "string"]),
    ("do_indent", &[]),
    ("accept", &[]),
];

/// Tests whether a parameter or a class gives a member that the forms rest on another meaning. A
/// class that derives from one that is not seen has two members if it declares one itself.
fn hides_members(program: &Program, function: &Function) -> bool {
    let is_hidden = |name: &str| MEMBERS.iter().any(|(member, _)| *member == name);
    let own = ancestors(program, &function.class);
    let is_kin =
        |name: &String| own.contains(name) || ancestors(program, name).contains(&function.class);
    let is_other = |class: &Class| {
        // The functions that set the members are its own.
        let sets = |of: &Function| of.name == "print_assignment" && of.class == class.name;
        let is_alone =
            class.bases.iter().all(|base| is_root(base)) || program.functions.iter().any(sets);
        class.fields.iter().any(|field| {
            let known = MEMBERS.iter().find(|(member, _)| *member == field.name);
            known.is_some_and(|(_, types)| {
                !is_alone || !types.iter().any(|ty| field.ty.starts_with(ty))
            })
        })
    };
    function.parameters.iter().any(|parameter| is_hidden(&parameter.name))
        || program.classes.iter().filter(|class| is_kin(&class.name)).any(is_other)
}

/// Tests whether a class has methods, of its own or of a base that is not seen, for all kinds: what
/// the roots do for a kind without one leaves the name of an operand.
fn has_methods(program: &Program, function: &Function) -> bool {
    let mut declared = program.classes.iter().filter(|class| class.name == function.class);
    declared.all(|class| !class.bases.is_empty() && class.bases.iter().all(|base| !is_root(base)))
}

/// Tests whether no comment that a call of a function passes has the end of a line.
fn has_plain_comments(program: &Program, function: &Function) -> bool {
    function.parameters.iter().all(|known| known.default.is_none())
        && program.functions.iter().all(|caller| {
            let mut are_plain = true;
            caller.visit(&mut |expr| {
                let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return };
                let is_it = match &callee.kind {
                    ExprKind::Name(name) | ExprKind::Member { name, .. } => {
                        name.rsplit("::").next() == Some(function.name.as_str())
                    }
                    _ => false,
                };
                are_plain &= !is_it || arguments.iter().all(|part| is_plain(part, caller));
            });
            are_plain
        })
}

/// Tests whether an expression is made of literals without escapes, of names of the IR, and of
/// names that were printed: variables that have no other value count, too.
fn is_plain(expr: &Expr, caller: &Function) -> bool {
    let printed = |expr: &Expr| {
        matches!(&expr.kind, ExprKind::Call { callee, .. }
            if matches!(&callee.kind, ExprKind::Name(name)
                if ["print_expr", "print_name"].contains(&name.as_str())))
    };
    match &expr.kind {
        ExprKind::Text(text) => !text.contains(['\n', '\r', '\\']),
        ExprKind::Binary(Sign::Add, a, b) => is_plain(a, caller) && is_plain(b, caller),
        ExprKind::Member { object, arrow: true, name } => {
            name == "name" && matches!(object.kind, ExprKind::Name(_))
        }
        ExprKind::Name(name) => {
            let (mut values, mut writes) = (0, 0);
            for stmt in &caller.body {
                stmt.declared(&mut |one| {
                    if one.name == *name {
                        let is_printed = one.value.as_ref().is_some_and(&printed);
                        values += if is_printed { 1 } else { 2 };
                    }
                });
            }
            caller.visit(&mut |part| {
                let is_written = match &part.kind {
                    ExprKind::Assign(_, to, _) => to.is_name(name),
                    ExprKind::Prefix(Sign::BitAnd, of) => of.is_name(name),
                    _ => false,
                };
                writes += usize::from(is_written);
            });
            values == 1 && writes == 0
        }
        _ => printed(expr),
    }
}

/// Tests whether a function has the method run that visits its parameter, and returns the name that
/// this leaves in `id`.
fn visits(function: &Function) -> bool {
    let ([parameter], [cleared, visited, returned]) =
        (function.parameters.as_slice(), function.body.as_slice())
    else {
        return false;
    };
    let is_cleared = matches!(&cleared.kind,
        StmtKind::Expr(Expr { kind: ExprKind::Assign(None, id, text), .. })
            if id.is_name("id") && matches!(text.kind, ExprKind::Text(_)));
    let is_visited = matches!(&visited.kind,
        StmtKind::Expr(Expr { kind: ExprKind::Call { callee, arguments, .. }, .. })
            if matches!(&callee.kind, ExprKind::Member { object, arrow: false, name }
                if name == "accept" && object.is_name(&parameter.name))
                && matches!(arguments.as_slice(), [Expr { kind: ExprKind::This, .. }]));
    let is_returned = matches!(&returned.kind, StmtKind::Return(Some(id)) if id.is_name("id"));
    !function.class.is_empty()
        && parameter.name != "id"
        && is_value_type(&parameter.ty, "Expr")
        && is_cleared
        && is_visited
        && is_returned
}

/// Tests whether a function returns what the function of the same name appends to an empty stream.
fn returns_what_is_appended(function: &Function) -> bool {
    let ([parameter], [declared, called, returned]) =
        (function.parameters.as_slice(), function.body.as_slice())
    else {
        return false;
    };
    let StmtKind::Declare(all) = &declared.kind else { return false };
    let [Declared { ty, name: stream, value: None }] = all.as_slice() else { return false };
    let is_called = matches!(&called.kind,
        StmtKind::Expr(Expr { kind: ExprKind::Call { callee, templates, arguments }, .. })
            if callee.is_name(&function.name)
                && templates.is_empty()
                && matches!(arguments.as_slice(), [expr, to]
                    if expr.is_name(&parameter.name) && to.is_name(stream)));
    let is_returned = matches!(&returned.kind,
        StmtKind::Return(Some(Expr { kind: ExprKind::Call { callee, arguments, .. }, .. }))
            if arguments.is_empty()
                && matches!(&callee.kind, ExprKind::Member { object, arrow: false, name }
                    if name == "str" && object.is_name(stream)));
    ["ostringstream", "std::ostringstream"].contains(&ty.as_str())
        && *stream != parameter.name
        && *stream != function.name
        && is_value_type(&parameter.ty, "Expr")
        && is_called
        && is_returned
}

/// Tests whether a parameter's type is a class, or a reference to a constant one.
fn is_value_type(ty: &str, class: &str) -> bool {
    ty.trim_end_matches('&').trim().trim_start_matches("const ") == class
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
    let is_it = |expr: &Expr| expr.is_name(&parameter.name);
    !function.class.is_empty()
        && is_value_type(&parameter.ty, "Stmt")
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

/// Tests for a string that is returned by value.
fn is_string_value(ty: &str) -> bool {
    ["string", "std::string"].contains(&ty)
}

/// Tests for a string, or a reference to one.
fn is_string_type(ty: &str) -> bool {
    let ty = ty.trim_end_matches('&').trim();
    ["string", "std::string"].contains(&ty.strip_prefix("const ").unwrap_or(ty))
}
