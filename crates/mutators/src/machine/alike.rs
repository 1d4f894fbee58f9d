//! Methods that treat the elements of a list alike.
//!
//! # Correctness
//!
//! If a method treats elements alike, what is shown for lists of up to three elements holds for
//! lists of any length:
//!
//! * An iteration sees its own element, and no variable that another iteration assigned. It appends
//!   to lists, or assigns the element at its own place of a list, or moves one flag in one
//!   direction, or appends to a statement.
//! * Outside of these loops, lists are only passed on as a whole: to nodes that are made, and to
//!   functions for which the same holds.
//!
//! Suppose that a run on a longer list is wrong or fails. Then it does so at some element, whose
//! result differs, or only after the loops. Keep this element, the first element, and one that
//! moved the flag, and leave out the others. The method does the same with these elements, as
//! `mutate` may answer the same for them; the first one is kept because members may have any value
//! after its `mutate`. The flag has the same value, so the rest of the method does the same, and
//! this run on at most three elements is wrong or fails, too.
//!
//! A statement that grows by one part in each iteration is only tested for being defined, and
//! returned. If each part alone leaves the rest of the effect as it is, all parts do.

use halidom_cpp::Sign;
use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Stmt, StmtKind};

use crate::ir::kinds::{Kind, Role};
use crate::machine::contracts;
use crate::machine::helpers::READS;
use crate::machine::program::Program;
use crate::machine::types::is_vector_type;

/// Methods that only `mutate` calls, or whose results are known by the contract of `mutate`.
const MUTATORS: [&str; 4] = ["mutate", "Mutate", "visit", "Mutate_"];

/// Tests whether a method treats the elements of each list of its input alike, so that lists of up
/// to three elements stand for all.
pub(crate) fn treats_alike(program: &Program, method: &Function) -> bool {
    let Some(reached) = reached(program, method) else { return false };
    let mut growing: Vec<&str> = Vec::new();
    loop {
        let grows = |function: &&&Function| {
            !growing.contains(&function.name.as_str())
                && (!grown(&function.body).is_empty()
                    || calls(&function.body).iter().any(|name| growing.contains(&name.as_str())))
        };
        let is_helper = |function: &&&Function| !std::ptr::eq(**function, method);
        let Some(next) = reached.iter().filter(is_helper).find(grows) else { break };
        growing.push(&next.name);
    }
    // A call of a method of a base does not tell which of its namesakes runs.
    if growing.iter().any(|name| MUTATORS.contains(name)) {
        return false;
    }
    let mut flags: Vec<(&str, String, bool)> = Vec::new();
    for function in reached {
        let mut lists: Vec<String> = function
            .parameters
            .iter()
            .filter(|parameter| is_list_type(&parameter.ty))
            .map(|parameter| parameter.name.clone())
            .collect();
        declared_lists(&function.body, &mut lists);
        let (grown, truths) = (grown(&function.body), declared_truths(&function.body));
        let mut text = Text {
            program,
            growing: &growing,
            lists: &lists,
            truths: &truths,
            grown: &grown,
            flags: Vec::new(),
        };
        if !function.body.iter().all(|stmt| text.stmt(stmt)) {
            return false;
        }
        for (name, rises) in text.flags {
            let is_it = |known: &&(&str, String, bool)| {
                known.0 == function.text && known.1 == name && known.2 == rises
            };
            if !flags.iter().any(|known| is_it(&known)) {
                flags.push((&function.text, name, rises));
            }
        }
    }
    flags.len() <= 1
}

/// The functions of the program that a method may run; `None` if that is not clear.
fn reached<'p>(program: &'p Program, method: &'p Function) -> Option<Vec<&'p Function>> {
    let mut reached = vec![method];
    let mut next = 0;
    while let Some(function) = reached.get(next).copied() {
        next += 1;
        for name in calls(&function.body) {
            let (class, short) = name.rsplit_once("::").unwrap_or(("", &name));
            if short == "accept" || short.starts_with("visit") && class.is_empty() {
                return None;
            }
            let is_default = MUTATORS.contains(&short);
            if is_default && class.is_empty() || contracts::is_assumed(short) {
                continue;
            }
            let own = method.parameters.first().map(|parameter| &parameter.ty);
            for other in &program.functions {
                let is_it = other.name == short
                    && (!is_default
                        || other.class == class
                            && other.parameters.first().map(|parameter| &parameter.ty) == own);
                if is_it && !reached.iter().any(|known| std::ptr::eq(*known, other)) {
                    reached.push(other);
                }
            }
        }
    }
    Some(reached)
}

/// The names of the functions that statements call, as they are written.
fn calls(stmts: &[Stmt]) -> Vec<String> {
    let mut names = Vec::new();
    for stmt in stmts {
        visit(stmt, &mut |part| {
            if let ExprKind::Call { callee, .. } = &part.kind
                && let ExprKind::Name(name) | ExprKind::Member { name, .. } = &callee.kind
            {
                names.push(name.clone());
            }
        });
    }
    names
}

/// The names that occur in a statement, each as often as it occurs.
fn names(stmt: &Stmt) -> Vec<String> {
    let mut names = Vec::new();
    visit(stmt, &mut |part| {
        if let ExprKind::Name(name) = &part.kind {
            names.push(name.clone());
        }
    });
    names
}

fn visit(stmt: &Stmt, look: &mut dyn FnMut(&Expr)) {
    stmt.clone().visit_mut(&mut |part| look(part));
}

/// Tests whether two expressions are written alike.
fn is_same(a: &Expr, b: &Expr) -> bool {
    let placed = |expr: &Expr| {
        let mut expr = expr.clone();
        expr.visit_mut(&mut |part| part.line = 0);
        expr
    };
    placed(a) == placed(b)
}

fn is_list_type(ty: &str) -> bool {
    is_vector_type(ty.trim_start_matches("const ").trim_end_matches(['&', ' ']))
}

/// Tests whether a member of some kind of node is a list.
fn is_list_member(name: &str) -> bool {
    Kind::ALL.iter().any(|kind| {
        let is_it = |(known, role): &(&str, Role)| {
            *known == name && matches!(role, Role::Exprs | Role::Stmts)
        };
        kind.fields().iter().any(is_it)
    })
}

/// Adds the variables of statements that hold lists.
fn declared_lists(stmts: &[Stmt], lists: &mut Vec<String>) {
    let mut note = |Declared { ty, name, value }: &Declared| {
        let is_copy = value.as_ref().is_some_and(|value| match &value.kind {
            ExprKind::Name(of) => lists.contains(of),
            ExprKind::Member { name, .. } => is_list_member(name),
            _ => false,
        });
        if is_list_type(ty) || is_copy {
            lists.push(name.clone());
        }
    };
    for stmt in stmts {
        stmt.declared(&mut note);
    }
}

/// The truth values that statements declare outside of loops.
fn declared_truths(stmts: &[Stmt]) -> Vec<String> {
    let declared = stmts.iter().filter_map(|stmt| match &stmt.kind {
        StmtKind::Declare(all) => Some(all),
        _ => None,
    });
    let truths = declared.flatten().filter(|declared| declared.ty == "bool");
    truths.map(|declared| declared.name.clone()).collect()
}

/// The variables that loops over elements append parts to.
fn grown(stmts: &[Stmt]) -> Vec<String> {
    let mut found = Vec::new();
    for stmt in stmts {
        if let Some((name, _)) = growth(stmt) {
            found.push(name.to_owned());
        }
        match &stmt.kind {
            StmtKind::Block(stmts) => found.extend(grown(stmts)),
            StmtKind::If { then, otherwise, .. } => {
                for arm in std::iter::once(then).chain(otherwise) {
                    found.extend(grown(std::slice::from_ref(&**arm)));
                }
            }
            StmtKind::While(_, body)
            | StmtKind::For { body, .. }
            | StmtKind::ForEach(_, _, body) => found.extend(grown(std::slice::from_ref(&**body))),
            _ => {}
        }
    }
    found
}

/// `if (s.defined()) s = Block::make(s, e); else s = e;` is the variable `s` and the part `e`.
fn growth(stmt: &Stmt) -> Option<(&str, &Expr)> {
    let StmtKind::If { declared: None, condition: Some(condition), then, otherwise } = &stmt.kind
    else {
        return None;
    };
    let name = is_defined(condition)?;
    let (later, first) = (assigned(then)?, assigned(otherwise.as_deref()?)?);
    let ExprKind::Call { callee, arguments, .. } = &later.1.kind else { return None };
    let [before, part] = arguments.as_slice() else { return None };
    let is_it = later.0 == name
        && first.0 == name
        && callee.kind == ExprKind::Name("Block::make".to_owned())
        && before.kind == ExprKind::Name(name.to_owned())
        && is_same(part, first.1);
    is_it.then_some((name, part))
}

/// `s.defined()` is `s`.
fn is_defined(expr: &Expr) -> Option<&str> {
    let ExprKind::Call { callee, arguments, .. } = &expr.kind else { return None };
    match &callee.kind {
        ExprKind::Member { object, name, .. } if name == "defined" && arguments.is_empty() => {
            match &object.kind {
                ExprKind::Name(name) => Some(name),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The variable that a statement assigns and the value.
fn assigned(stmt: &Stmt) -> Option<(&str, &Expr)> {
    match &stmt.kind {
        StmtKind::Block(stmts) => match stmts.as_slice() {
            [only] => assigned(only),
            _ => None,
        },
        StmtKind::Expr(Expr { kind: ExprKind::Assign(None, to, value), .. }) => match &to.kind {
            ExprKind::Name(name) => Some((name.as_str(), &**value)),
            _ => None,
        },
        _ => None,
    }
}

/// `x.size()` is `x`, also if it is converted to a number.
fn size_of(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Cast(_, inner) => size_of(inner),
        ExprKind::Call { callee, arguments, .. } => match &callee.kind {
            ExprKind::Member { object, name, .. } if name == "size" && arguments.is_empty() => {
                Some(object)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The last part of the name of a called function.
fn short(callee: &Expr) -> Option<&str> {
    match &callee.kind {
        ExprKind::Name(name) => Some(name.rsplit("::").next().unwrap_or(name)),
        ExprKind::Member { name, .. } => Some(name),
        _ => None,
    }
}

/// A function whose text is looked at.
struct Text<'t> {
    program: &'t Program,
    /// The functions that return statements that grow.
    growing: &'t [&'t str],
    /// Its variables that hold lists.
    lists: &'t [String],
    /// Its variables that are truth values.
    truths: &'t [String],
    /// Its variables that grow by parts.
    grown: &'t [String],
    /// The flags that loops over elements move, and whether they become true.
    flags: Vec<(String, bool)>,
}

/// A loop over the elements of a list.
struct Loop<'t> {
    list: &'t Expr,
    /// The variable that counts the elements.
    index: Option<&'t str>,
    /// The variables of one iteration that hold values of their own.
    own: Vec<&'t str>,
    /// The variables of one iteration that refer to other values.
    bound: Vec<&'t str>,
    /// The variables that each iteration changes, once for each place where it does.
    changed: Vec<&'t str>,
    /// The lists to which each iteration appends one element, or in which it assigns its own place.
    filled: Vec<&'t str>,
}

impl<'t> Text<'t> {
    fn is_list(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => self.lists.contains(name),
            ExprKind::Member { name, .. } => is_list_member(name),
            _ => false,
        }
    }

    /// Tests whether a list, or a statement that grows, occurs in a statement.
    fn mentions(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        visit(stmt, &mut |part| {
            let is_grown = matches!(&part.kind, ExprKind::Name(name) if self.grown.contains(name));
            let is_growing = matches!(&part.kind, ExprKind::Call { callee, .. }
                if short(callee).is_some_and(|name| self.growing.contains(&name)));
            found |= self.is_list(part) || is_grown || is_growing;
        });
        found
    }

    /// Tests whether a statement outside of loops over elements treats them alike.
    fn stmt(&mut self, stmt: &'t Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Nothing | StmtKind::Break | StmtKind::Continue | StmtKind::Return(None) => {
                true
            }
            StmtKind::Declare(all) => all.iter().all(|declared| self.declared(declared)),
            StmtKind::Expr(expr) => self.effect(expr),
            StmtKind::If { declared, condition, then, otherwise } => {
                declared.as_ref().is_none_or(|declared| self.declared(declared))
                    && condition.as_ref().is_none_or(|condition| self.test(condition))
                    && self.stmt(then)
                    && otherwise.as_ref().is_none_or(|otherwise| self.stmt(otherwise))
            }
            StmtKind::Block(stmts) => stmts.iter().all(|stmt| self.stmt(stmt)),
            StmtKind::Return(Some(value)) => self.returned(value),
            StmtKind::For { .. } if let Some((index, list, body)) = self.counted(stmt) => {
                self.over(list, Some(index), None, body)
            }
            StmtKind::ForEach(element, list, body) if self.is_list(list) => {
                self.over(list, None, Some(element), body)
            }
            StmtKind::While(..)
            | StmtKind::For { .. }
            | StmtKind::ForEach(..)
            | StmtKind::Switch(..) => !self.mentions(stmt),
            StmtKind::Struct(_) | StmtKind::Other(_) => false,
        }
    }

    fn declared(&self, Declared { ty, name, value }: &Declared) -> bool {
        let Some(value) = value else { return true };
        if !self.lists.contains(name) {
            return self.plain(value);
        }
        match &value.kind {
            // `std::vector<T> x(y.size())` and `std::vector<T> x(y)`
            ExprKind::Call { callee, arguments, .. }
                if callee.kind == ExprKind::Name(ty.clone()) =>
            {
                arguments.iter().all(|argument| {
                    self.is_list(argument)
                        || size_of(argument).is_some_and(|of| self.is_list(of))
                        || self.plain(argument)
                })
            }
            _ => self.is_list(value) || self.plain(value),
        }
    }

    fn effect(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Assign(_, to, value) => self.plain(to) && self.plain(value),
            ExprKind::Call { callee, arguments, .. } => match &callee.kind {
                ExprKind::Member { object, name, .. }
                    if self.is_list(object) && name == "reserve" =>
                {
                    arguments
                        .iter()
                        .all(|argument| size_of(argument).is_some_and(|of| self.is_list(of)))
                }
                _ => self.plain(expr),
            },
            _ => self.plain(expr),
        }
    }

    fn test(&self, condition: &Expr) -> bool {
        is_defined(condition).is_some_and(|name| self.grown.iter().any(|known| known == name))
            || self.plain(condition)
    }

    /// Tests whether a returned value treats elements alike: a statement that grows is returned.
    fn returned(&self, value: &Expr) -> bool {
        match &value.kind {
            ExprKind::Name(name) if self.grown.contains(name) => true,
            ExprKind::Conditional(condition, then, otherwise) => {
                self.test(condition) && self.returned(then) && self.returned(otherwise)
            }
            ExprKind::Call { callee, arguments, .. }
                if short(callee).is_some_and(|name| self.growing.contains(&name)) =>
            {
                self.arguments(callee, arguments)
            }
            _ => self.plain(value),
        }
    }

    /// Tests whether lists occur in an expression only where they are passed on as a whole.
    fn plain(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => !self.lists.contains(name) && !self.grown.contains(name),
            ExprKind::Member { object, name, .. } => !is_list_member(name) && self.plain(object),
            ExprKind::Call { callee, arguments, .. } => {
                let is_growing = short(callee).is_some_and(|name| self.growing.contains(&name));
                let is_callee = match &callee.kind {
                    ExprKind::Member { object, .. } => self.plain(object),
                    ExprKind::Name(_) => true,
                    _ => self.plain(callee),
                };
                !is_growing && is_callee && self.arguments(callee, arguments)
            }
            ExprKind::Lambda(lambda) => !lambda.body.iter().any(|stmt| self.mentions(stmt)),
            ExprKind::Prefix(_, operand)
            | ExprKind::Postfix(_, operand)
            | ExprKind::Cast(_, operand) => self.plain(operand),
            ExprKind::Index(first, second)
            | ExprKind::Binary(_, first, second)
            | ExprKind::Assign(_, first, second) => self.plain(first) && self.plain(second),
            ExprKind::Conditional(condition, then, otherwise) => {
                self.plain(condition) && self.plain(then) && self.plain(otherwise)
            }
            ExprKind::Braces(_, parts) => parts.iter().all(|part| self.plain(part)),
            ExprKind::Other(_) => false,
            _ => true,
        }
    }

    /// Tests whether arguments are no lists, except for lists as a whole where that is meant.
    fn arguments(&self, callee: &Expr, arguments: &[Expr]) -> bool {
        let name = short(callee).unwrap_or_default();
        let is_moved = |argument: &Expr| {
            matches!(&argument.kind, ExprKind::Call { callee, arguments, .. }
                if callee.kind == ExprKind::Name("std::move".to_owned())
                    && matches!(arguments.as_slice(), [list] if self.is_list(list)))
        };
        // No argument matters.
        let ignores = contracts::is_assumed(name)
            && contracts::table()
                .named(name)
                .all(|contract| contract.takes.is_empty() && contract.is_open);
        arguments.iter().enumerate().all(|(index, argument)| {
            let takes = |function: &Function| {
                function.name == name
                    && function.parameters.get(index).is_some_and(|known| is_list_type(&known.ty))
            };
            if self.is_list(argument) || is_moved(argument) {
                name == "make"
                    || name == "with"
                    || !contracts::table().has(name) && self.program.functions.iter().any(takes)
            } else if size_of(argument).is_some_and(|of| self.is_list(of)) {
                ignores
            } else {
                self.plain(argument)
            }
        })
    }

    /// `for (size_t i = 0; i < x.size(); i++)` is `i`, `x` and the body, if `x` is a list.
    fn counted(&self, stmt: &'t Stmt) -> Option<(&'t str, &'t Expr, &'t Stmt)> {
        let StmtKind::For {
            first: Some(first),
            condition: Some(condition),
            step: Some(step),
            body,
        } = &stmt.kind
        else {
            return None;
        };
        let StmtKind::Declare(declared) = &first.kind else { return None };
        let [Declared { name, value: Some(value), .. }] = declared.as_slice() else { return None };
        let ExprKind::Binary(Sign::Lt | Sign::Ne, counter, end) = &condition.kind else {
            return None;
        };
        let (ExprKind::Prefix(Sign::Increment, stepped)
        | ExprKind::Postfix(Sign::Increment, stepped)) = &step.kind
        else {
            return None;
        };
        let list = size_of(end).filter(|list| self.is_list(list))?;
        let is_it = matches!(value.kind, ExprKind::Integer(0, _))
            && [counter, stepped].iter().all(|part| part.kind == ExprKind::Name(name.clone()));
        is_it.then_some((name.as_str(), list, &**body))
    }

    /// Tests whether a loop over elements treats them alike.
    fn over(
        &mut self,
        list: &'t Expr,
        index: Option<&'t str>,
        element: Option<&'t Declared>,
        body: &'t Stmt,
    ) -> bool {
        let mut within = Loop {
            list,
            index,
            own: Vec::new(),
            bound: element.iter().map(|element| element.name.as_str()).collect(),
            changed: Vec::new(),
            filled: Vec::new(),
        };
        if !self.each(body, &mut within, true) {
            return false;
        }
        // What one iteration changes is not read by another.
        let mentioned = names(body);
        let count = |name: &str| mentioned.iter().filter(|known| *known == name).count();
        let is_unread = |name: &&str| {
            count(name) == within.changed.iter().filter(|known| *known == name).count()
        };
        within.changed.iter().all(is_unread)
    }

    /// Tests whether a statement of an iteration treats elements alike. At the `top`, it runs in
    /// each iteration.
    fn each(&mut self, stmt: &'t Stmt, within: &mut Loop<'t>, top: bool) -> bool {
        if let Some((name, part)) = growth(stmt) {
            // It is mentioned in the test, twice where it grows, and where it begins.
            within.changed.extend([name; 4]);
            return self.grown.iter().any(|known| known == name)
                && !within.own.contains(&name)
                && self.of_one(part, within);
        }
        match &stmt.kind {
            StmtKind::Nothing => true,
            StmtKind::Block(stmts) => stmts.iter().all(|stmt| self.each(stmt, within, top)),
            StmtKind::Declare(all) => all.iter().all(|Declared { ty, name, value }| {
                let fits = !self.lists.contains(name)
                    && value.as_ref().is_none_or(|value| self.of_one(value, within));
                let is_bound = ty.ends_with(['&', '*']);
                let kept = if is_bound { &mut within.bound } else { &mut within.own };
                kept.push(name);
                fits
            }),
            StmtKind::If { declared: None, condition: Some(condition), then, otherwise } => {
                self.of_one(condition, within)
                    && self.each(then, within, false)
                    && otherwise.as_ref().is_none_or(|arm| self.each(arm, within, false))
            }
            StmtKind::Expr(expr) => self.each_effect(expr, within, top),
            _ => false,
        }
    }

    fn each_effect(&mut self, expr: &'t Expr, within: &mut Loop<'t>, top: bool) -> bool {
        match &expr.kind {
            ExprKind::Assign(op, to, value) => match (&to.kind, op) {
                (ExprKind::Name(name), _) if within.own.contains(&name.as_str()) => {
                    self.of_one(value, within)
                }
                (ExprKind::Name(name), None) => match value.kind {
                    ExprKind::Bool(rises) => self.moves(name, rises, within),
                    _ => false,
                },
                (ExprKind::Name(name), Some(Sign::BitAnd | Sign::BitOr)) => {
                    self.of_one(value, within) && self.moves(name, *op == Some(Sign::BitOr), within)
                }
                (ExprKind::Index(list, at), None) => {
                    let ExprKind::Name(name) = &list.kind else { return false };
                    let fits = Self::is_own_place(at, within)
                        && self.lists.contains(name)
                        && self.of_one(value, within);
                    within.filled.push(name);
                    fits
                }
                _ => false,
            },
            ExprKind::Call { callee, arguments, .. }
                if let ExprKind::Member { object, name, .. } = &callee.kind
                    && let ExprKind::Name(list) = &object.kind
                    && self.lists.contains(list)
                    && ["push_back", "emplace_back"].contains(&name.as_str()) =>
            {
                let fits = top
                    && !within.filled.contains(&list.as_str())
                    && matches!(arguments.as_slice(), [one] if self.of_one(one, within));
                within.filled.push(list);
                fits
            }
            ExprKind::Call { .. } => self.of_one(expr, within),
            _ => false,
        }
    }

    /// Records that an iteration may make a flag true, or false.
    fn moves(&mut self, name: &'t str, rises: bool, within: &mut Loop<'t>) -> bool {
        if !self.flags.iter().any(|known| known.0 == name && known.1 == rises) {
            self.flags.push((name.to_owned(), rises));
        }
        within.changed.push(name);
        !within.bound.contains(&name) && self.truths.iter().any(|known| known == name)
    }

    fn is_own_place(at: &Expr, within: &Loop<'_>) -> bool {
        let is_index = |index: &str| matches!(&at.kind, ExprKind::Name(name) if name == index);
        within.index.is_some_and(is_index)
    }

    /// Tests whether an expression depends on one element, and changes nothing that another
    /// iteration sees.
    fn of_one(&self, expr: &Expr, within: &Loop<'_>) -> bool {
        match &expr.kind {
            ExprKind::Index(list, at) => {
                let is_filled = matches!(&list.kind, ExprKind::Name(name)
                    if within.filled.contains(&name.as_str()));
                if self.is_list(list) {
                    Self::is_own_place(at, within) && (is_filled || is_same(list, within.list))
                } else {
                    self.of_one(list, within) && self.of_one(at, within)
                }
            }
            ExprKind::Name(name) => {
                Some(name.as_str()) != within.index
                    && !self.lists.contains(name)
                    && !self.grown.contains(name)
            }
            ExprKind::Member { object, name, .. } => {
                !is_list_member(name) && self.of_one(object, within)
            }
            ExprKind::Call { callee, arguments, .. } => {
                let name = short(callee).unwrap_or_default();
                let is_known = match &callee.kind {
                    ExprKind::Member { object, .. } if READS.contains(&name) => {
                        name != "accept" && self.of_one(object, within)
                    }
                    ExprKind::Member { object, .. } => {
                        matches!(object.kind, ExprKind::This) && MUTATORS[..2].contains(&name)
                    }
                    ExprKind::Name(_) => {
                        MUTATORS[..2].contains(&name)
                            || ["make", "move"].contains(&name)
                            || contracts::table().has(name)
                                && (contracts::is_assumed(name)
                                    || self.program.functions.iter().all(|of| of.name != name))
                    }
                    _ => false,
                };
                is_known
                    && arguments.iter().all(|argument| match &argument.kind {
                        ExprKind::Prefix(Sign::BitAnd, of) => {
                            matches!(&of.kind, ExprKind::Name(name)
                                if within.own.contains(&name.as_str()))
                        }
                        _ => self.of_one(argument, within),
                    })
            }
            ExprKind::Prefix(op, operand) => {
                !matches!(op, Sign::Increment | Sign::Decrement | Sign::BitAnd)
                    && self.of_one(operand, within)
            }
            ExprKind::Cast(_, operand) => self.of_one(operand, within),
            ExprKind::Binary(_, first, second) => {
                self.of_one(first, within) && self.of_one(second, within)
            }
            ExprKind::Conditional(condition, then, otherwise) => {
                self.of_one(condition, within)
                    && self.of_one(then, within)
                    && self.of_one(otherwise, within)
            }
            ExprKind::Braces(_, parts) => parts.iter().all(|part| self.of_one(part, within)),
            ExprKind::Assign(..)
            | ExprKind::Postfix(..)
            | ExprKind::Lambda(_)
            | ExprKind::Other(_) => false,
            _ => true,
        }
    }
}
