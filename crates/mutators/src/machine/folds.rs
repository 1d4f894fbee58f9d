//! Functions that make one statement of a list, element by element.
//!
//! # The grammar
//!
//! ```text
//! function ::= Stmt f(const Array<Expr> &list) { Stmt s; loop return result; }
//! loop     ::= for (Expr e : list) { if (HasSideEffect(e)) { step } }
//! step     ::= if (s.defined()) { s = Block::make(s, Evaluate::make(e)); }
//!              else { s = Evaluate::make(e); }
//! result   ::= s.defined() ? s : Evaluate::make(0)
//! ```
//!
//! # Correctness
//!
//! By induction on the iterations, `s` is the sequence of the statements that the elements before
//! made, each of its own element alone. So `f` of a list does what `f` of each element alone does,
//! one after the other, and nothing if the list is empty.

use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::machine::program::Program;
use crate::machine::types::is_vector_type;

/// The functions of the API that a fold may ask about an element.
const TESTS: [&str; 2] = ["HasSideEffect", "has_side_effect"];

/// Tests whether a call of a name with one list as its argument runs a fold: the only function of
/// the program with this name that takes a list.
pub(crate) fn is_fold(program: &Program, class: &str, name: &str) -> bool {
    let named = || program.functions.iter().filter(|function| function.name == name);
    let takes = |function: &Function| -> Option<String> {
        let [only] = function.parameters.as_slice() else { return None };
        Some(only.ty.trim_end_matches('&').to_owned())
    };
    let is_list = |function: &&Function| takes(function).is_some_and(|ty| is_vector_type(&ty));
    let is_other = |function: &Function| takes(function).is_some_and(|ty| ty == "Expr");
    let Some(fold) = named().find(is_list) else { return false };
    fold.class == class
        && fold.templates.is_empty()
        && named().all(|other| std::ptr::eq(other, fold) || other.class == class && is_other(other))
        && has_form(fold).is_some()
}

/// Tests whether a function has the form of a fold; `None` if it has not.
fn has_form(function: &Function) -> Option<()> {
    let [list] = function.parameters.as_slice() else { return None };
    let [first, each, last] = function.body.as_slice() else { return None };
    let StmtKind::Declare(declared) = &first.kind else { return None };
    let [Declared { ty, name: sum, value: None }] = declared.as_slice() else { return None };
    let StmtKind::ForEach(Declared { ty: of, name: element, value: None }, over, body) = &each.kind
    else {
        return None;
    };
    let StmtKind::Return(Some(result)) = &last.kind else { return None };
    let names = [list.name.as_str(), sum, element];
    let are_apart = names[0] != names[1] && names[0] != names[2] && names[1] != names[2];
    let StmtKind::If { declared: None, condition: Some(test), then, otherwise: None } =
        &only(body).kind
    else {
        return None;
    };
    let StmtKind::If { declared: None, condition: Some(is_begun), then: more, otherwise } =
        &only(then).kind
    else {
        return None;
    };
    let ExprKind::Conditional(is_made, made, nothing) = &result.kind else { return None };
    let value = called(test, &TESTS)?;
    let fits = function.result == "Stmt"
        && ty == "Stmt"
        && ["Expr", "Expr&"].contains(&of.as_str())
        && are_apart
        && over.is_name(&list.name)
        && matches!(value, [value] if value.is_name(element))
        && is_defined(is_begun, sum)
        && is_defined(is_made, sum)
        && made.is_name(sum)
        && matches!(called(nothing, &["Evaluate::make"])?, [zero]
            if matches!(zero.kind, ExprKind::Integer(0, _)))
        && is_appended(more, sum, element)
        && is_begin(otherwise.as_deref()?, sum, element);
    fits.then_some(())
}

/// The only statement of a block, or the statement itself.
fn only(stmt: &Stmt) -> &Stmt {
    match &stmt.kind {
        StmtKind::Block(stmts) => match stmts.as_slice() {
            [only] => self::only(only),
            _ => stmt,
        },
        _ => stmt,
    }
}

/// The arguments of a call of one of these functions.
fn called<'e>(expr: &'e Expr, names: &[&str]) -> Option<&'e [Expr]> {
    let ExprKind::Call { callee, templates: _, arguments } = &expr.kind else { return None };
    let ExprKind::Name(name) = &callee.kind else { return None };
    names.contains(&name.as_str()).then_some(arguments.as_slice())
}

/// `s.defined()`.
fn is_defined(expr: &Expr, sum: &str) -> bool {
    let ExprKind::Call { callee, templates: _, arguments } = &expr.kind else { return false };
    matches!(&callee.kind, ExprKind::Member { object, arrow: false, name }
        if name == "defined" && object.is_name(sum))
        && arguments.is_empty()
}

/// The value that a statement assigns to the sum.
fn assigned<'s>(stmt: &'s Stmt, sum: &str) -> Option<&'s Expr> {
    let StmtKind::Expr(Expr { kind: ExprKind::Assign(None, to, value), line: _ }) =
        &only(stmt).kind
    else {
        return None;
    };
    to.is_name(sum).then_some(value)
}

/// `Evaluate::make(e)`.
fn is_evaluated(expr: &Expr, element: &str) -> bool {
    matches!(called(expr, &["Evaluate::make"]), Some([value]) if value.is_name(element))
}

/// `s = Evaluate::make(e);`
fn is_begin(stmt: &Stmt, sum: &str, element: &str) -> bool {
    assigned(stmt, sum).is_some_and(|value| is_evaluated(value, element))
}

/// `s = Block::make(s, Evaluate::make(e));`
fn is_appended(stmt: &Stmt, sum: &str, element: &str) -> bool {
    assigned(stmt, sum).and_then(|value| called(value, &["Block::make"])).is_some_and(|parts| {
        matches!(parts, [before, last] if before.is_name(sum) && is_evaluated(last, element))
    })
}
