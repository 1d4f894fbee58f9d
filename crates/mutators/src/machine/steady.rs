//! Finds the members and variables that functions of the files may assign while `mutate` runs.
//!
//! # Correctness
//!
//! A name is found if any function but a constructor assigns it or a part of it, calls a method of
//! it that may change it, takes its place, binds a reference to it, or passes it to a function that
//! may write to it. Members of one name are not told apart. All names in a function that is read in
//! part are found. A scope from which every method pops what it pushed is left out.

use std::collections::BTreeSet;

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};
use halidom_cpp::words;

use crate::machine::contracts;
use crate::machine::helpers::READS;
use crate::machine::program::{Program, Purpose};

/// Methods of values of the API, besides [`READS`], that leave their object as it is.
const PLAIN: [&str; 12] = [
    "at",
    "bits",
    "bytes",
    "c_str",
    "code",
    "element_of",
    "extent",
    "front",
    "lanes",
    "length",
    "name",
    "str",
];

/// Methods that copy their arguments.
const COPIES: [&str; 6] = ["push", "push_back", "insert", "emplace", "emplace_back", "erase"];

/// The members of classes and the variables outside functions that functions may assign, sorted.
pub(crate) fn unsteady(program: &Program) -> Vec<String> {
    let mut search = Search { program, found: BTreeSet::new() };
    for function in &program.functions {
        if function.name != function.class {
            search.function(function);
        }
    }
    let is_balanced = |name: &str| {
        program.scopes.iter().any(|scope| scope.name == name)
            && program
                .scopes
                .iter()
                .all(|scope| scope.name != name || scope.purpose == Purpose::Balance)
    };
    let fields = program.classes.iter().flat_map(|class| &class.fields).map(|field| &field.name);
    let names: BTreeSet<&String> = fields.chain(&program.others).collect();
    let is_found = |name: &&&String| search.found.contains(name.as_str()) && !is_balanced(name);
    names.iter().filter(is_found).map(|name| (*name).clone()).collect()
}

/// A search for names that are assigned.
struct Search<'p> {
    program: &'p Program,
    found: BTreeSet<String>,
}

impl Search<'_> {
    fn function(&mut self, function: &Function) {
        let mut is_whole = true;
        for stmt in &function.body {
            is_whole &= self.stmt(stmt);
        }
        if !is_whole {
            self.found.extend(words(&function.text).map(str::to_owned));
        }
    }

    /// Looks at a statement. Returns false if it is read in part.
    fn stmt(&mut self, stmt: &Stmt) -> bool {
        let mut is_whole = self.statements(stmt);
        let mut lambdas = Vec::new();
        stmt.visit(&mut |part| match &part.kind {
            ExprKind::Other(_) => is_whole = false,
            ExprKind::Lambda(lambda) => lambdas.push(lambda.clone()),
            _ => self.expr(part),
        });
        for lambda in lambdas {
            for stmt in &lambda.body {
                is_whole &= self.statements(stmt);
            }
        }
        is_whole
    }

    /// Looks at the references that statements declare. Returns false for one that is not read.
    fn statements(&mut self, stmt: &Stmt) -> bool {
        let all = |search: &mut Self, stmts: &[Stmt]| {
            let mut is_whole = true;
            for stmt in stmts {
                is_whole &= search.statements(stmt);
            }
            is_whole
        };
        match &stmt.kind {
            StmtKind::Declare(declared) => declared.iter().for_each(|one| self.bound(one, None)),
            StmtKind::If { declared, then, otherwise, .. } => {
                if let Some(declared) = declared {
                    self.bound(declared, None);
                }
                let is_whole = self.statements(then);
                return otherwise.as_ref().is_none_or(|stmt| self.statements(stmt)) && is_whole;
            }
            StmtKind::Block(stmts) => return all(self, stmts),
            StmtKind::While(_, body) => return self.statements(body),
            StmtKind::For { first, body, .. } => {
                let is_whole = first.as_ref().is_none_or(|stmt| self.statements(stmt));
                return self.statements(body) && is_whole;
            }
            StmtKind::ForEach(declared, range, body) => {
                self.bound(declared, Some(range));
                return self.statements(body);
            }
            StmtKind::Switch(_, arms) => {
                return arms.iter().fold(true, |is_whole, (_, arm)| all(self, arm) && is_whole);
            }
            StmtKind::Other(_) => return false,
            StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Struct(_)
            | StmtKind::Nothing => {}
        }
        true
    }

    /// Finds what a declared reference is bound to.
    fn bound(&mut self, declared: &Declared, range: Option<&Expr>) {
        if declared.ty.ends_with('&')
            && let Some(value) = declared.value.as_ref().or(range)
        {
            self.roots(value);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Assign(_, lhs, _) => self.roots(lhs),
            ExprKind::Prefix(op, operand) | ExprKind::Postfix(op, operand)
                if matches!(op, Sign::Increment | Sign::Decrement | Sign::BitAnd) =>
            {
                self.roots(operand);
            }
            // A stream.
            ExprKind::Binary(Sign::Shl | Sign::Shr, lhs, rhs) => {
                self.roots(lhs);
                self.roots(rhs);
            }
            ExprKind::Call { callee, arguments, .. } => self.call(callee, arguments),
            _ => {}
        }
    }

    fn call(&mut self, callee: &Expr, arguments: &[Expr]) {
        let name = match &callee.kind {
            ExprKind::Member { object, name, .. } => {
                let name = name.as_str();
                if !READS.contains(&name) && !PLAIN.contains(&name) && !name.starts_with("is_") {
                    self.roots(object);
                }
                if COPIES.contains(&name) {
                    return;
                }
                name
            }
            ExprKind::Name(name) => name.rsplit("::").next().unwrap_or(name),
            _ => "",
        };
        let program = self.program;
        let own = || program.functions.iter().filter(|function| function.name == name);
        let is_api = contracts::is_known(name) || name == "make";
        for (index, argument) in arguments.iter().enumerate() {
            let writes = match own().next() {
                Some(_) => own().any(|function| function.may_write(index)),
                None => !is_api,
            };
            if writes {
                self.roots(argument);
            }
        }
    }

    /// Finds the names in an expression that names a place.
    fn roots(&mut self, place: &Expr) {
        match &place.kind {
            ExprKind::Name(name) => {
                let name = name.rsplit("::").next().unwrap_or(name);
                self.found.insert(name.to_owned());
            }
            ExprKind::Member { object, name, .. } => {
                self.found.insert(name.clone());
                self.roots(object);
            }
            ExprKind::Index(object, _) | ExprKind::Cast(_, object) => self.roots(object),
            ExprKind::Prefix(Sign::Mul | Sign::BitAnd, operand) => self.roots(operand),
            ExprKind::Binary(Sign::Shl | Sign::Shr, lhs, _) => self.roots(lhs),
            ExprKind::Conditional(_, then, otherwise) => {
                self.roots(then);
                self.roots(otherwise);
            }
            ExprKind::Call { callee, arguments, .. } => {
                if let ExprKind::Member { object, .. } = &callee.kind {
                    self.roots(object);
                }
                for argument in arguments {
                    self.roots(argument);
                }
            }
            _ => {}
        }
    }
}
