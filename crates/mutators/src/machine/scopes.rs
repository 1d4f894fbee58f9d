//! Finds the members of a class that are scopes, and the purpose of each.
//!
//! A method of a mutator pops every entry that it pushed before it returns. Some classes use a
//! scope differently: a method removes an entry that another method put there to mark that
//! something was met (`RemoveDeadAllocations`). Such a scope is a *table*: entries that a method
//! leaves in it are no error. A scope is a table if a method that visits a node only removes from
//! it, or if one arm of a condition only pushes and the other only pops. If nothing is ever popped
//! from a scope, then either it is a set that is meant to grow, or a `pop` is missing; which one is
//! not known.

use halidom_cpp::ast::{Class, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::machine::contracts::is_assumed;
use crate::machine::program::{Program, Purpose, ScopeMember, called, is_root};
use crate::machine::types::is_scope_type;

/// Tests whether a method, or a function that it calls, may push on a scope, as far as the texts
/// tell.
pub(crate) fn may_push(program: &Program, function: &Function) -> bool {
    let pushes = |text: &str| text.contains("push(") || text.contains("ScopedBinding");
    program
        .scopes
        .iter()
        .any(|scope| scope.class == function.class && scope.purpose == Purpose::Balance)
        && called(program, vec![function]).iter().any(|function| pushes(&function.text))
}

/// The operations on a member or parameter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    pushes: bool,
    pops: bool,
}

impl Use {
    fn and(self, other: Self) -> Self {
        Self { pushes: self.pushes || other.pushes, pops: self.pops || other.pops }
    }

    fn only_pushes(self) -> bool {
        self.pushes && !self.pops
    }

    fn only_pops(self) -> bool {
        self.pops && !self.pushes
    }
}

/// The scopes of all classes. A member that no class declares is a scope if something is popped
/// from it by a key, or pushed on it under a key.
pub(crate) fn scopes(functions: &[Function], classes: &[Class]) -> Vec<ScopeMember> {
    let mut found: Vec<ScopeMember> = Vec::new();
    let mut done: Vec<&str> = Vec::new();
    for class in functions.iter().map(|function| function.class.as_str()) {
        if class.is_empty() || done.contains(&class) {
            continue;
        }
        done.push(class);
        let family = family(class, classes);
        let is_near = |of: &str| of.is_empty() || family.iter().any(|known| known == of);
        let near: Vec<&Function> =
            functions.iter().filter(|function| is_near(&function.class)).collect();
        let fields = classes.iter().filter(|known| family.contains(&known.name));
        let fields: Vec<_> = fields.flat_map(|class| &class.fields).collect();
        let mut names: Vec<&str> = fields
            .iter()
            .filter(|field| is_scope_type(&field.ty))
            .map(|field| field.name.as_str())
            .collect();
        let is_declared = |name: &str| fields.iter().any(|field| field.name == name);
        let used = near.iter().filter(|function| !function.class.is_empty());
        let used: Vec<String> = used.flat_map(|function| used_by_key(function)).collect();
        names.extend(used.iter().map(String::as_str).filter(|name| !is_declared(name)));
        names.sort_unstable();
        names.dedup();
        for name in names {
            let purpose = purpose(name, &near);
            let (class, name) = (class.to_owned(), name.to_owned());
            found.push(ScopeMember { class, name, purpose });
        }
    }
    found
}

/// A class together with its bases and its derived classes, transitively, as far as the files
/// contain them.
fn family(class: &str, classes: &[Class]) -> Vec<String> {
    let mut family = vec![class.to_owned()];
    let mut next = 0;
    while let Some(of) = family.get(next).cloned() {
        next += 1;
        for known in classes {
            let related: Vec<&String> = if known.name == of {
                known.bases.iter().collect()
            } else if known.bases.contains(&of) {
                vec![&known.name]
            } else {
                Vec::new()
            };
            for name in related {
                // All mutators are derived from the compiler's base classes.
                if !is_root(name) && !family.contains(name) {
                    family.push(name.clone());
                }
            }
        }
    }
    family
}

fn is_visit(function: &Function) -> bool {
    !function.class.is_empty()
        && ["visit", "Visit_", "Mutate_", "VisitExpr_", "VisitStmt_"]
            .contains(&function.name.as_str())
}

/// The functions to examine when looking for uses of a scope.
struct Near<'f> {
    /// The methods of the classes that share it, and functions outside classes.
    functions: &'f [&'f Function],
    /// The functions that may use it, as far as names tell.
    users: Vec<&'f Function>,
}

/// The maximum depth of nested calls that are followed.
const MAX_DEPTH: usize = 6;

/// The purpose of a scope, as far as its uses in functions tell.
fn purpose(scope: &str, functions: &[&Function]) -> Purpose {
    let near = Near { functions, users: users(scope, functions) };
    let uses: Vec<Use> =
        near.users.iter().map(|function| near.in_stmts(&function.body, scope, 0)).collect();
    if !uses.iter().any(|of| of.pops) {
        return Purpose::Growth;
    }
    let is_taken = near.users.iter().zip(&uses).any(|(f, of)| is_visit(f) && of.only_pops());
    let is_table = is_taken && uses.iter().any(|of| of.pushes)
        || near.users.iter().any(|f| is_visit(f) && near.has_arms(&f.body, scope, false));
    if is_table { Purpose::Table } else { Purpose::Balance }
}

/// The functions whose text names a scope, and those that may call them.
fn users<'f>(scope: &str, functions: &[&'f Function]) -> Vec<&'f Function> {
    let mut users: Vec<&Function> = Vec::new();
    let mut names = vec![scope];
    let mut next = 0;
    while let Some(name) = names.get(next).copied() {
        next += 1;
        for function in functions.iter().copied().filter(|f| f.text.contains(name)) {
            if users.iter().any(|known| std::ptr::eq(*known, function)) {
                continue;
            }
            users.push(function);
            if is_followed(function) && !names.contains(&function.name.as_str()) {
                names.push(&function.name);
            }
        }
    }
    users
}

/// Tests whether a function's uses of a scope count as uses of its callers. Uses in a `visit`
/// method do not count, as `mutate` runs it. Uses in a function that a contract replaces do not
/// count either.
fn is_followed(function: &Function) -> bool {
    !is_visit(function) && !is_assumed(&function.name)
}

impl Near<'_> {
    /// Tests whether one branch only pushes on a scope while an alternative branch only pops. A
    /// scope that was used before the branch, at any level, does not count: that use belongs to
    /// both.
    fn has_arms(&self, stmts: &[Stmt], scope: &str, is_used: bool) -> bool {
        let of = |stmts: &[Stmt]| self.in_stmts(stmts, scope, 0);
        let one = |stmt: &Stmt| self.in_stmts(std::slice::from_ref(stmt), scope, 0);
        let differ =
            |a: Use, b: Use| a.only_pushes() && b.only_pops() || a.only_pops() && b.only_pushes();
        stmts.iter().enumerate().any(|(index, stmt)| {
            let is_used = is_used || of(&stmts[..index]) != Use::default();
            let inner = |stmt: &Stmt| self.has_arms(std::slice::from_ref(stmt), scope, is_used);
            match &stmt.kind {
                StmtKind::If { then, otherwise, .. } => {
                    let rest = match otherwise {
                        Some(otherwise) => one(otherwise),
                        None if returns(then) => of(&stmts[index + 1..]),
                        None => Use::default(),
                    };
                    !is_used && differ(one(then), rest)
                        || inner(then)
                        || otherwise.as_ref().is_some_and(|stmt| inner(stmt))
                }
                StmtKind::Switch(_, arms) => {
                    let uses: Vec<Use> = arms.iter().map(|(_, body)| of(body)).collect();
                    !is_used && uses.iter().any(|a| uses.iter().any(|b| differ(*a, *b)))
                }
                StmtKind::Block(stmts) => self.has_arms(stmts, scope, is_used),
                StmtKind::While(_, body)
                | StmtKind::For { body, .. }
                | StmtKind::ForEach(_, _, body) => inner(body),
                StmtKind::Declare(_)
                | StmtKind::Expr(_)
                | StmtKind::Return(_)
                | StmtKind::Break
                | StmtKind::Continue
                | StmtKind::Nothing
                | StmtKind::Struct(_)
                | StmtKind::Other(_) => false,
            }
        })
    }

    /// The operations of statements, and of the functions that they call, on a member or parameter.
    fn in_stmts(&self, stmts: &[Stmt], scope: &str, depth: usize) -> Use {
        let mut all = Use::default();
        each_call(stmts, &mut |callee, arguments| {
            all = all.and(self.in_call(callee, arguments, scope, depth));
        });
        all
    }

    fn in_call(&self, callee: &Expr, arguments: &[Expr], scope: &str, depth: usize) -> Use {
        if let ExprKind::Member { object, name, .. } = &callee.kind
            && member(object) == Some(scope)
        {
            return Use { pushes: name == "push", pops: name == "pop" };
        }
        let mut all = Use::default();
        let Some(name) = member(callee).filter(|_| depth < MAX_DEPTH) else { return all };
        let is_it = |function: &&&Function| function.name == name && is_followed(function);
        for function in self.users.iter().filter(is_it).filter(|known| !known.class.is_empty()) {
            all = all.and(self.in_stmts(&function.body, scope, depth + 1));
        }
        for function in self.functions.iter().filter(is_it) {
            for (parameter, argument) in function.parameters.iter().zip(arguments) {
                if member(argument) == Some(scope) {
                    all = all.and(self.in_stmts(&function.body, &parameter.name, depth + 1));
                }
            }
        }
        all
    }
}

/// Tests whether a statement ends with a `return`.
fn returns(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) => true,
        StmtKind::Block(stmts) => stmts.last().is_some_and(returns),
        StmtKind::Declare(_)
        | StmtKind::Expr(_)
        | StmtKind::If { .. }
        | StmtKind::While(..)
        | StmtKind::For { .. }
        | StmtKind::ForEach(..)
        | StmtKind::Switch(..)
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Nothing
        | StmtKind::Struct(_)
        | StmtKind::Other(_) => false,
    }
}

/// The name of a variable or of the object's member.
fn member(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(name) => Some(name),
        ExprKind::Member { object, name, .. } if matches!(object.kind, ExprKind::This) => {
            Some(name)
        }
        _ => None,
    }
}

/// The names of members that a function pops from by a key, or pushes a value on under a key.
fn used_by_key(function: &Function) -> Vec<String> {
    let mut found = Vec::new();
    each_call(&function.body, &mut |callee, arguments| {
        if let ExprKind::Member { object, name, .. } = &callee.kind
            && matches!((name.as_str(), arguments.len()), ("pop", 1) | ("push", 2))
            && let Some(of) = member(object)
        {
            found.push(of.to_owned());
        }
    });
    let parameters = &function.parameters;
    found.retain(|name| parameters.iter().all(|parameter| parameter.name != *name));
    found
}

/// Calls `visit` with the callee and the arguments of each call in statements.
fn each_call(stmts: &[Stmt], visit: &mut dyn FnMut(&Expr, &[Expr])) {
    for stmt in stmts {
        stmt.visit(&mut |expr| {
            if let ExprKind::Call { callee, arguments, .. } = &expr.kind {
                visit(callee, arguments);
            }
        });
    }
}
