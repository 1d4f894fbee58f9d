//! Functions that are not followed because a place in them may have a name that the machine does
//! not see, or may be used after it ends.
//!
//! # Correctness
//!
//! The machine binds references to variables, to members of the object, and to parts of both. What
//! else an expression may refer to is copied, which is right only if neither the reference nor what
//! it may refer to changes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use halidom_cpp::ast::{Class, Declared, Expr, ExprKind, Function, Stmt, StmtKind};
use halidom_cpp::{Sign, words};

use crate::machine::contracts;
use crate::machine::doubts::FUNCTIONS;
use crate::machine::lookup::last_part;
use crate::machine::names::TypeName;
use crate::machine::program::is_root;
use crate::machine::run::Machine;
use crate::machine::types::integer_type;

/// Methods after which elements of a container may be elsewhere.
const GROWS: [&str; 11] = [
    "push_back",
    "emplace_back",
    "pop_back",
    "insert",
    "emplace",
    "erase",
    "clear",
    "resize",
    "reserve",
    "assign",
    "swap",
];

/// Methods that give a part of their receiver.
pub(super) const PARTS: [&str; 8] = ["back", "front", "at", "ref", "find", "value", "top", "begin"];

/// Functions of the library that give a reference to an argument.
pub(super) const FORWARDS: [&str; 7] =
    ["std::get", "std::move", "std::forward", "std::ref", "std::min", "std::max", "std::tie"];

/// The variable that has an expression as a part.
fn root(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member { object, name, .. } if object.kind == ExprKind::This => Some(name),
        ExprKind::Member { object, .. } | ExprKind::Index(object, _) => root(object),
        ExprKind::Prefix(Sign::Mul, of) | ExprKind::Cast(_, of) => root(of),
        ExprKind::Call { callee, .. } => match &callee.kind {
            ExprKind::Member { object, name, .. } if PARTS.contains(&name.as_str()) => root(object),
            _ => None,
        },
        _ => None,
    }
}

/// Calls `visit` with each expression in some statements.
fn each_expr(stmts: &[Stmt], visit: &mut dyn FnMut(&Expr)) {
    for stmt in stmts {
        stmt.visit(&mut |expr| visit(expr));
    }
}

/// The variables that a function changes, and those whose elements may move, each with the last
/// line where they do.
#[derive(Default)]
struct Changes {
    changed: BTreeSet<String>,
    grown: BTreeMap<String, usize>,
}

impl Changes {
    fn of(function: &Function) -> Self {
        let mut found = Self::default();
        each_expr(&function.body, &mut |expr| found.add(expr));
        found
    }

    fn add(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign(_, lhs, _) => {
                let parts = match &lhs.kind {
                    ExprKind::Call { arguments, .. } => arguments.iter().collect(),
                    _ => vec![&**lhs],
                };
                self.changed.extend(parts.into_iter().filter_map(root).map(str::to_owned));
            }
            ExprKind::Prefix(Sign::Increment | Sign::Decrement, of)
            | ExprKind::Postfix(Sign::Increment | Sign::Decrement, of) => {
                self.changed.extend(root(of).map(str::to_owned));
            }
            ExprKind::Call { callee, arguments, .. } => match &callee.kind {
                ExprKind::Member { object, name, .. } if GROWS.contains(&name.as_str()) => {
                    let name = root(object).map(str::to_owned);
                    self.changed.extend(name.clone());
                    if let Some(name) = name {
                        let last = self.grown.entry(name).or_default();
                        *last = expr.line.max(*last);
                    }
                }
                ExprKind::Name(name) if ["swap", "move"].contains(&last_part(name)) => {
                    self.changed.extend(arguments.iter().filter_map(root).map(str::to_owned));
                }
                _ => {}
            },
            _ => {}
        }
    }
}

/// Tests whether some statements have an expression of a kind.
fn has(stmts: &[Stmt], is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let mut found = false;
    each_expr(stmts, &mut |expr| found |= is_it(expr));
    found
}

/// The statements directly within a compound one, list by list.
pub(super) fn within(stmt: &Stmt) -> Vec<&[Stmt]> {
    match &stmt.kind {
        StmtKind::Block(stmts) => vec![stmts],
        StmtKind::If { then, otherwise, .. } => {
            let mut lists = vec![std::slice::from_ref(&**then)];
            lists.extend(otherwise.iter().map(|stmt| std::slice::from_ref(&**stmt)));
            lists
        }
        StmtKind::While(_, body) | StmtKind::For { body, .. } | StmtKind::ForEach(_, _, body) => {
            vec![std::slice::from_ref(&**body)]
        }
        StmtKind::Switch(_, arms) => arms.iter().map(|(_, stmts)| stmts.as_slice()).collect(),
        StmtKind::Declare(_)
        | StmtKind::Expr(_)
        | StmtKind::Return(_)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Struct(_)
        | StmtKind::Nothing
        | StmtKind::Other(_) => Vec::new(),
    }
}

/// Tests whether some statements have one of a kind, in the bodies of lambda functions too.
fn has_stmt(stmts: &[Stmt], is_it: &dyn Fn(&Stmt) -> bool) -> bool {
    stmts.iter().any(|stmt| {
        let mut found = is_it(stmt) || within(stmt).into_iter().any(|list| has_stmt(list, is_it));
        stmt.lambdas(&mut |lambda| found |= has_stmt(&lambda.body, is_it));
        found
    })
}

/// Tests whether a statement such as `Expr(a);` declares a variable.
fn declares_in_parentheses(stmt: &Stmt) -> bool {
    let StmtKind::Expr(Expr { kind: ExprKind::Call { callee, arguments, .. }, .. }) = &stmt.kind
    else {
        return false;
    };
    let (ExprKind::Name(ty), [Expr { kind: ExprKind::Name(_), .. }]) =
        (&callee.kind, arguments.as_slice())
    else {
        return false;
    };
    integer_type(ty).is_some()
        || !matches!(TypeName::of(ty), TypeName::Other(_))
        || ty.ends_with("string")
}

impl Machine<'_> {
    /// The reason why a function is not followed; `None` if there is no reason. It depends on the
    /// files and the class of the object alone, so that all runs share it.
    pub(super) fn refusal(&self, function: &Function) -> Option<String> {
        let mut functions = self.program.functions.iter();
        let Some(index) = functions.position(|known| std::ptr::eq(known, function)) else {
            return self.reason(function);
        };
        let key = (index, self.class.clone());
        let refused = || self.program.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = refused().get(&key) {
            return known.clone();
        }
        let why = self.reason(function);
        refused().insert(key, why.clone());
        why
    }

    fn reason(&self, function: &Function) -> Option<String> {
        let renamed = self.renamed_in(function);
        let renamed = renamed.map(|it| format!("`{it}`, which means something of the file's own"));
        renamed.or_else(|| self.audit(function).map(str::to_owned))
    }

    fn audit(&self, function: &Function) -> Option<&'static str> {
        let changes = Changes::of(function);
        let mut declared: Vec<&Declared> = Vec::new();
        for stmt in &function.body {
            stmt.declared(&mut |one| declared.push(one));
        }
        if self.may_be_renamed(function) {
            return Some("a member of the object by another name");
        }
        if self.names_bits(function) {
            return Some("a `vector<bool>`");
        }
        if self.hides_structure(function) {
            return Some("a structure that has the name of another one");
        }
        if self.writes_through_helper(function, &declared) {
            return Some("a member of a visitor or mutator that refers to something");
        }
        // Their constructors convert expressions.
        let is_expr = |class: &&Class| {
            let bases = self.classes_of(&class.name);
            bases.iter().skip(1).any(|of| ["Expr", "Stmt"].contains(&of.as_str()))
        };
        let derived: Vec<&Class> = self.program.classes.iter().filter(is_expr).collect();
        if words(&function.text).any(|word| derived.iter().any(|class| class.name == word)) {
            return Some("a class of expressions of the file's own");
        }
        if declared.iter().any(|one| self.refers_unseen(one, function, &changes, &declared)) {
            return Some("a reference to something that changes");
        }
        if has_stmt(&function.body, &declares_in_parentheses) {
            return Some("a declaration with parentheses");
        }
        let is_local = |name: &str| {
            let found = declared.iter().find(|one| one.name == name);
            found.is_some_and(|one| !one.ty.ends_with(['&', '*']))
        };
        if self.returns_ended(function, &|name| changes.changed.contains(name)) {
            return Some("a reference to something that ends");
        }
        let is_odd = |expr: &Expr| match &expr.kind {
            // An address may outlive its variable.
            ExprKind::Assign(None, _, value) => {
                matches!(&value.kind, ExprKind::Prefix(Sign::BitAnd, _))
            }
            ExprKind::Cast(ty, of) => is_punning(ty) && !is_of_same_width(ty, of, &declared),
            _ => false,
        };
        let is_punned = words(&function.text).any(|word| word == "reinterpret_cast");
        let is_moved = moved_parts(&function.body) > returned_parts(&function.body, &is_local);
        (is_punned || is_moved || has(&function.body, &is_odd))
            .then_some("an address, a cast or a move whose place is not followed")
    }

    /// Tests whether a function declares two structures of one name, or one with the name of a
    /// class of the files or of something that the API has: they are found by their names, wherever
    /// the name is used.
    fn hides_structure(&self, function: &Function) -> bool {
        let names = std::cell::RefCell::new(Vec::new());
        let note = |stmt: &Stmt| {
            if let StmtKind::Struct(local) = &stmt.kind {
                names.borrow_mut().push(local.class.name.clone());
            }
            false
        };
        has_stmt(&function.body, &note);
        let names = names.into_inner();
        let mut seen = BTreeSet::new();
        names.iter().any(|name| {
            !name.is_empty()
                && (!seen.insert(name)
                    || contracts::is_known(name)
                    || FUNCTIONS.contains(&name.as_str())
                    || is_root(name)
                    || self.program.classes.iter().any(|of| of.name == *name))
        })
    }

    /// Tests whether a function changes a member of a visitor or mutator that it made, where the
    /// member may refer to something else.
    fn writes_through_helper(&self, function: &Function, declared: &[&Declared]) -> bool {
        let refers = |object: &Expr, member: &str| {
            let ExprKind::Name(name) = &object.kind else { return false };
            declared.iter().filter(|one| one.name == *name).any(|one| {
                self.fields_of_helper(&one.ty).is_some_and(|fields| {
                    fields.iter().any(|field| field.name == member && self.may_carry(&field.ty))
                })
            })
        };
        let is_it = |place: &Expr| match &place.kind {
            ExprKind::Member { object, name, .. } => refers(object, name),
            _ => false,
        };
        let refers_to_it =
            |one: &&Declared| one.ty.ends_with('&') && one.value.as_ref().is_some_and(is_it);
        declared.iter().any(refers_to_it)
            || has(&function.body, &|expr| match &expr.kind {
                ExprKind::Assign(_, place, _) => is_it(place),
                ExprKind::Prefix(sign, place) | ExprKind::Postfix(sign, place) => {
                    matches!(sign, Sign::Increment | Sign::Decrement | Sign::BitAnd) && is_it(place)
                }
                ExprKind::Call { arguments, .. } => arguments.iter().any(is_it),
                _ => false,
            })
    }

    /// Tests whether a function has to do with a `vector<bool>`. What stands for an element there
    /// is an object of its own: `auto` copies it, and a reference is bound to another one.
    fn names_bits(&self, function: &Function) -> bool {
        let program = self.program;
        let is_it = |text: &str| text.replace(char::is_whitespace, "").contains("vector<bool");
        let names = |name: &str| words(&function.text).any(|word| word == name);
        let mut fields = program.classes.iter().flat_map(|of| &of.fields);
        is_it(&function.text)
            || program.functions.iter().any(|of| is_it(&of.result) && names(&of.name))
            || fields.any(|field| is_it(&field.ty) && names(&field.name))
    }

    /// Tests whether members of the object may be meant otherwise than by their bare names: by a
    /// pointer to the object, by a qualified name, in a class that hides a member of its base, or
    /// by a name that a variable outside of the classes has too.
    fn may_be_renamed(&self, function: &Function) -> bool {
        let program = self.program;
        let classes = self.classes_of(&self.class);
        let own = program.classes.iter().filter(|class| classes.contains(&class.name));
        let fields: Vec<&str> =
            own.flat_map(|class| &class.fields).map(|field| field.name.as_str()).collect();
        let is_method = classes.contains(&function.class);
        let is_mixed = |word: &str| {
            let count = fields.iter().filter(|field| **field == word).count();
            count > 1 || count == 1 && !is_method && program.others.iter().any(|of| of == word)
        };
        if words(&function.text).any(is_mixed) {
            return true;
        }
        let is_qualified = |name: &str| {
            let Some((class, field)) = name.rsplit_once("::") else { return false };
            let mut of = program.classes.iter().filter(|known| known.name == last_part(class));
            of.any(|known| known.fields.iter().any(|known| known.name == field))
        };
        let (mut all, mut seen) = (0, 0);
        let mut is_found = false;
        each_expr(&function.body, &mut |expr| match &expr.kind {
            ExprKind::This => all += 1,
            ExprKind::Member { object, name, .. } => {
                seen += usize::from(object.kind == ExprKind::This);
                is_found |= name.contains("::") && is_qualified(name);
            }
            ExprKind::Name(name) => is_found |= is_qualified(name),
            ExprKind::Call { callee, arguments, .. } => {
                let is_visit = matches!(&callee.kind, ExprKind::Member { name, .. }
                    if name == "accept");
                let is_seen = |(index, of): &(usize, &Expr)| {
                    of.kind == ExprKind::This && (is_visit || self.only_calls(callee, *index))
                };
                seen += arguments.iter().enumerate().filter(is_seen).count();
            }
            _ => {}
        });
        is_found || all > seen && !fields.is_empty() && is_method
    }

    /// Tests whether a function outside of the classes uses a parameter only to call methods, so
    /// that a pointer to the object gives no other name to its members.
    fn only_calls(&self, callee: &Expr, index: usize) -> bool {
        let ExprKind::Name(name) = &callee.kind else { return false };
        let is_it = |known: &&Function| known.name == *name && known.class.is_empty();
        let mut known = self.program.functions.iter().filter(is_it).peekable();
        let only_calls = |function: &Function| {
            let Some(parameter) = function.parameters.get(index) else { return false };
            let is_parameter =
                |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if *name == parameter.name);
            let (mut uses, mut calls) = (0, 0);
            function.visit(&mut |expr| {
                uses += usize::from(is_parameter(expr));
                calls += usize::from(matches!(&expr.kind, ExprKind::Call { callee, .. }
                    if matches!(&callee.kind, ExprKind::Member { object, arrow: true, .. }
                        if is_parameter(object))));
            });
            uses == calls
        };
        known.peek().is_some() && known.all(only_calls)
    }

    /// Tests whether a variable refers to something that the machine would copy, although it may
    /// change.
    fn refers_unseen(
        &self,
        one: &Declared,
        function: &Function,
        changes: &Changes,
        declared: &[&Declared],
    ) -> bool {
        let Some(value) = &one.value else { return false };
        let is_function = one.ty.contains("function<");
        let inner = one.ty.split_once('<').and_then(|(_, of)| of.rsplit_once('>'));
        if inner.is_some_and(|(of, _)| of.contains('&')) && !is_function {
            return true;
        }
        if !one.ty.ends_with('&') {
            return false;
        }
        let is_name = matches!(value.kind, ExprKind::Name(_));
        let moves = |name| changes.grown.get(name).is_some_and(|last| *last >= value.line);
        if !is_name && root(value).is_some_and(moves) {
            return true;
        }
        let is_local = |expr: &Expr| {
            matches!(&expr.kind, ExprKind::Name(name)
                if declared.iter().any(|known| known.name == *name)
                    || function.parameters.iter().any(|known| known.name == *name))
        };
        // The parts of `auto [a, b]`, whose whole no other name has.
        let is_whole =
            |of: &Expr| matches!(&of.kind, ExprKind::Name(name) if name.starts_with('['));
        match &value.kind {
            ExprKind::Call { arguments, .. } if arguments.iter().any(is_whole) => return false,
            ExprKind::Conditional(_, then, otherwise) if is_local(then) && is_local(otherwise) => {
                return false;
            }
            ExprKind::Member { arrow: true, object, .. } if object.kind != ExprKind::This => {
                let is_address = |known: &&&Declared| {
                    root(object) == Some(known.name.as_str())
                        && known.value.as_ref().is_some_and(|value| {
                            matches!(value.kind, ExprKind::Prefix(Sign::BitAnd, _))
                        })
                };
                return declared.iter().any(|known| is_address(&known));
            }
            ExprKind::Call { .. }
            | ExprKind::Conditional(..)
            | ExprKind::Cast(..)
            | ExprKind::Assign(..) => {}
            _ => return false,
        }
        // The machine notices a change through the reference.
        let mut may_change = false;
        value.visit(&mut |part| {
            may_change |= match &part.kind {
                ExprKind::Call { callee, .. } => self.gives_reference(callee, function, declared),
                ExprKind::Assign(..) => true,
                ExprKind::Name(name) => changes.changed.contains(name),
                _ => false,
            };
        });
        may_change
    }

    /// Tests whether a call of something may give a reference to a variable or member.
    fn gives_reference(&self, callee: &Expr, function: &Function, declared: &[&Declared]) -> bool {
        let (ExprKind::Name(name) | ExprKind::Member { name, .. }) = &callee.kind else {
            return true;
        };
        let is_lambda = |known: &&&Declared| {
            known.name == *name
                && matches!(&known.value, Some(Expr { kind: ExprKind::Lambda(lambda), .. })
                    if lambda.result.contains('&') || lambda.result.contains("decltype"))
        };
        let is_given = function.parameters.iter().any(|known| known.name == *name);
        FORWARDS.contains(&name.as_str())
            || self.refers(name)
            || declared.iter().any(|known| is_lambda(&known))
            || is_given
    }
}

/// The parts of something that some statements move from.
fn moved(expr: &Expr) -> Option<&Expr> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    let is_move = matches!(&callee.kind, ExprKind::Name(name) if last_part(name) == "move");
    arguments.first().filter(|of| is_move && root(of).is_some() && is_own_part(of))
}

/// The number of expressions that move from a part of something.
fn moved_parts(stmts: &[Stmt]) -> usize {
    let mut count = 0;
    each_expr(stmts, &mut |expr| count += usize::from(moved(expr).is_some()));
    count
}

/// The number of those in `return`, where the variable ends.
fn returned_parts(stmts: &[Stmt], is_local: &dyn Fn(&str) -> bool) -> usize {
    let mut count = 0;
    for stmt in stmts {
        count += within(stmt).into_iter().map(|list| returned_parts(list, is_local)).sum::<usize>();
        if !matches!(stmt.kind, StmtKind::Return(_)) {
            continue;
        }
        each_expr(std::slice::from_ref(stmt), &mut |expr| {
            let part = moved(expr).and_then(root);
            count += usize::from(part.is_some_and(is_local));
        });
    }
    count
}

/// Tests whether a cast may give another value to the bits of a place.
fn is_punning(ty: &str) -> bool {
    let base = ty.trim_end_matches(['&', '*', ' ']);
    ty.ends_with('&')
        || ty.ends_with('*')
            && (integer_type(base).is_some()
                || matches!(TypeName::of(base), TypeName::Double | TypeName::Float))
}

/// Tests whether an expression is the address of an integer with as many bits as the type that it
/// is cast to. What is stored there is converted, as C++ has it for the signed and the unsigned
/// type of one width.
fn is_of_same_width(ty: &str, of: &Expr, declared: &[&Declared]) -> bool {
    let ExprKind::Prefix(Sign::BitAnd, variable) = &of.kind else { return false };
    let ExprKind::Name(name) = &variable.kind else { return false };
    let bits = |ty: &str| integer_type(ty.trim_end_matches('*').trim()).map(|(bits, _)| bits);
    let mut known = declared.iter().filter(|known| known.name == *name).peekable();
    ty.ends_with('*')
        && known.peek().is_some()
        && known.all(|known| bits(ty).is_some() && bits(&known.ty) == bits(ty))
}

/// Tests whether an expression is a part of something that the function holds, and no member of a
/// node.
fn is_own_part(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) => false,
        ExprKind::Member { object, arrow: true, .. } => object.kind == ExprKind::This,
        _ => true,
    }
}
