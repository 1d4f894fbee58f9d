//! Pairs of variables that are always assigned together, so that one tells of the other.
//!
//! # The grammar
//!
//! A class has a member `n` of type `NodeRef` and a member `v` of type `Expr`. A method may declare
//! pairs of its own: `NodeRef n; Expr v;`, one after the other. All that changes one variable of a
//! pair stands next to what changes the other, in one block:
//!
//! ```text
//! change ::= n = p->f; v = p->value;    (a method's own parameter `p` points to an `AttrStmt`)
//!          | n = NodeRef(); v = Expr();
//!          | n = m; v = w;              (`m` and `w` are another pair)
//!          | std::swap(n, m); std::swap(v, w);
//! ```
//!
//! Otherwise, the variables of a pair are only asked `defined()` and `same_as(…)`, and given to
//! functions of the program and to `make`. Such a function gets a copy, or a constant reference, of
//! which it only names members. Each word of their names in the text of a function is one of these
//! uses, and no other text has one but the declaration. Each name is declared once.
//!
//! # Correctness
//!
//! If `n` is defined, `v` is defined. This holds when an object or a pair is made, as neither is
//! defined then. Each change keeps it: the member `g` of a node is an expression that each node of
//! the kind has. Nothing runs between the two halves of a change, so it holds wherever one of the
//! variables is asked. All functions that may name the members are seen, as one class declares them
//! that is declared as a whole in its file. So only this file and the headers that it includes can
//! have words with which a variable is written without its name. A macro of another file that a
//! function names makes the function unreadable.

use halidom_cpp::ast::{Declared, Expr, ExprKind, Function, Prototype, Stmt, StmtKind};
use halidom_cpp::{without_comments, words};

use crate::ir::kinds::{I32, Kind};
use crate::ir::state::State;
use crate::ir::value::{Place, Val};
use crate::machine::audits::within;
use crate::machine::program::{Program, Twins, is_root};
use crate::machine::run::{Machine, Paths};
use crate::machine::unread::{count, is_of_functions, whole};

/// The types of the two variables.
const TYPES: [&str; 2] = ["NodeRef", "Expr"];

/// The kind of nodes, and its member, that a pair takes.
const ATTRIBUTE: (&str, &str) = ("AttrStmt", "value");

/// Words with which something may be written without its name, or a name may mean something else.
/// No pair is found of a class if its file, or a header of it, has such a word.
const DOUBTS: [&str; 16] = [
    "asm",
    "auto",
    "const_cast",
    "decltype",
    "define",
    "friend",
    "goto",
    "operator",
    "reinterpret_cast",
    "struct",
    "switch",
    "template",
    "try",
    "typedef",
    "union",
    "using",
];

/// The pairs of the classes and methods of a program. `files` has the file of each class, by its
/// number and its name.
pub(crate) fn twins(
    program: &Program,
    prototypes: &[Prototype],
    files: &[(usize, &str)],
) -> Vec<Twins> {
    let is_hidden = |name: &str| {
        program.others.iter().chain(&program.aliases_within).any(|other| other == name)
            || program.classes.iter().any(|class| class.name == name)
            || program.functions.iter().any(|function| function.name == name)
    };
    let names = ["NodeRef", "Expr", "swap", "make", "defined", "same_as"];
    if names.into_iter().any(is_hidden) {
        return Vec::new();
    }
    let is_whole = whole(program, prototypes, files);
    let mut found = Vec::new();
    let all = program.classes.iter().zip(files).zip(is_whole);
    for ((class, (file, _)), _) in all.filter(|(_, is_whole)| *is_whole) {
        // Then no list in braces gives its members values.
        let seen = in_sight(program, *file);
        if !class.bases.iter().any(|base| is_root(base)) || has_doubt(program, &seen) {
            continue;
        }
        let of_type = |ty: &'static str| {
            class.fields.iter().filter(move |field| field.ty == ty && field.value.is_none())
        };
        for node in of_type(TYPES[0]) {
            for value in of_type(TYPES[1]) {
                let members = [node.name.as_str(), value.name.as_str()];
                if let Some(pairs) = pairs(program, (&seen, &class.name), members) {
                    found.extend(pairs);
                }
            }
        }
    }
    found
}

/// A file, and the files that it includes, or that these include. Where a macro names a file, these
/// are all.
fn in_sight(program: &Program, file: usize) -> Vec<usize> {
    let mut seen = vec![file];
    let mut next = 0;
    while let Some(at) = seen.get(next) {
        let included = program.includes.get(*at).into_iter().flatten();
        let new: Vec<usize> = included.filter(|index| !seen.contains(*index)).copied().collect();
        seen.extend(new);
        next += 1;
    }
    seen
}

/// Tests whether one of the files has a word with which something may be written without its name.
fn has_doubt(program: &Program, seen: &[usize]) -> bool {
    let has_doubt = |text: &str| words(text).any(|word| DOUBTS.contains(&word));
    let mut functions = program.functions.iter().filter(|of| is_of(program, of, seen));
    seen.iter().any(|file| program.outside.get(*file).is_none_or(|text| has_doubt(text)))
        || functions.any(|function| has_doubt(&without_comments(&function.text)))
}

/// Tests whether one of the files has a function.
fn is_of(program: &Program, function: &Function, files: &[usize]) -> bool {
    let home = program.starts.partition_point(|start| *start < function.line);
    home.checked_sub(1).is_some_and(|home| files.contains(&home))
}

/// The pair of two members of a class, and those that its methods declare; `None` if the members
/// are no pair. The files that the class's file sees are given.
fn pairs(
    program: &Program,
    (seen, class): (&[usize], &str),
    members: [&str; 2],
) -> Option<Vec<Twins>> {
    let [node, value] = members.map(str::to_owned);
    let mut all = vec![Twins { class: class.to_owned(), method: None, node, value }];
    let fields = || program.classes.iter().flat_map(|known| &known.fields);
    for name in members {
        let is_other = !is_of_functions(program, name)
            || program.others.iter().chain(&program.aliases_within).any(|of| of == name)
            || program.functions.iter().any(|function| function.name == name)
            || fields().filter(|field| field.name == name).count() != 1;
        if is_other {
            return None;
        }
    }
    for function in &program.functions {
        if members.iter().all(|name| count(function, name) == 0) {
            continue;
        }
        let is_method = function.class == class && function.name != class;
        let own = Method { program, seen, function, members }.own_pairs().filter(|_| is_method)?;
        all.extend(own.into_iter().map(|[node, value]| Twins {
            class: class.to_owned(),
            method: Some(function.line),
            node: node.to_owned(),
            value: value.to_owned(),
        }));
    }
    Some(all)
}

/// A method that names the members.
struct Method<'t> {
    program: &'t Program,
    seen: &'t [usize],
    function: &'t Function,
    members: [&'t str; 2],
}

impl<'t> Method<'t> {
    /// The pairs that the method declares; `None` if it uses one in another way.
    fn own_pairs(&self) -> Option<Vec<[&'t str; 2]>> {
        let mut own = Vec::new();
        declared_pairs(&self.function.body, &mut own);
        let is_hidden = |name: &&str| self.function.parameters.iter().any(|of| of.name == **name);
        let all: Vec<[&str; 2]> = own.iter().copied().chain([self.members]).collect();
        if all.iter().flatten().any(is_hidden) {
            return None;
        }
        // A member's own name, and one declaration for each other name.
        let is_one = |name: &&str, times| self.declarations(name) == times;
        if !self.members.iter().all(|name| is_one(name, 0))
            || !own.iter().flatten().all(|name| is_one(name, 1))
        {
            return None;
        }
        let mut uses: Vec<&str> = own.iter().flatten().copied().collect();
        self.changes(&self.function.body, &all, &mut uses);
        self.function.visit(&mut |expr| self.reads(expr, &all, &mut uses));
        let is_known = |name: &&str| {
            count(self.function, name) == uses.iter().filter(|used| used == &name).count()
        };
        all.iter().flatten().all(is_known).then_some(own)
    }

    /// The number of times that the body declares a name.
    fn declarations(&self, name: &str) -> usize {
        self.function.declared.iter().filter(|declared| *declared == name).count()
    }

    /// Finds the names in the changes of pairs.
    fn changes(&self, stmts: &'t [Stmt], pairs: &[[&'t str; 2]], uses: &mut Vec<&'t str>) {
        let mut rest = stmts;
        while let [first, after @ ..] = rest {
            rest = after;
            if let [second, beyond @ ..] = after
                && let Some(used) = pairs.iter().find_map(|pair| {
                    is_cleared([first, second], *pair)
                        .or_else(|| self.is_taken([first, second], *pair))
                        .or_else(|| moved([first, second], *pair, pairs))
                })
            {
                uses.extend(used);
                rest = beyond;
                continue;
            }
            for inner in within(first) {
                self.changes(inner, pairs, uses);
            }
        }
    }

    /// `n = p->f; v = p->g;`
    fn is_taken(&self, stmts: [&'t Stmt; 2], pair: [&'t str; 2]) -> Option<Vec<&'t str>> {
        let part = |stmt: &'t Stmt, name: &str| {
            let ExprKind::Member { object, arrow: true, name } = &assigned(stmt, name)?.kind else {
                return None;
            };
            let ExprKind::Name(pointer) = &object.kind else { return None };
            Some((pointer.as_str(), name.as_str()))
        };
        let (pointer, _) = part(stmts[0], pair[0])?;
        let (other, member) = part(stmts[1], pair[1])?;
        let parameter = self.function.parameters.iter().find(|known| known.name == pointer)?;
        let ty = parameter.ty.strip_prefix("const ").unwrap_or(&parameter.ty);
        // Of other kinds, `make` of `HalideIR` takes expressions that are undefined.
        let is_expr = ty.strip_suffix('*')?.trim() == ATTRIBUTE.0 && member == ATTRIBUTE.1;
        let is_own = self.declarations(pointer) == 0;
        (pointer == other && is_expr && is_own && self.is_kind(ATTRIBUTE.0))
            .then_some(pair.to_vec())
    }

    /// Tests whether a name is that of the API's kind of nodes.
    fn is_kind(&self, name: &str) -> bool {
        let program = self.program;
        let mut others = program.others.iter().chain(&program.aliases_within);
        Kind::named(name).is_some()
            && program.renamed.iter().all(|of| of != name)
            && others.all(|of| of != name)
            && program.classes.iter().all(|class| class.name != name)
            && self.declarations(name) == 0
    }

    /// Tests whether a function only reads what it gets as an argument: a copy, or a constant
    /// reference whose members alone it names.
    fn is_read_by(of: &Function, index: usize) -> bool {
        let Some(parameter) = of.parameters.get(index) else { return false };
        let ty = parameter.ty.strip_prefix("const ").unwrap_or(&parameter.ty);
        if of.may_write(index) || !of.initializers.is_empty() {
            return false;
        }
        if TYPES.contains(&ty) {
            return true;
        }
        let is_it = |expr: &Expr| expr.is_name(&parameter.name);
        let mut uses = 0;
        of.visit(&mut |expr| match &expr.kind {
            ExprKind::Member { object, .. } => uses += usize::from(is_it(object)),
            ExprKind::Call { callee, arguments, .. } => {
                let compares = |name: &String| {
                    let mut all = of.parameters.iter();
                    all.any(|known| known.name == *name && known.ty.ends_with("Expr&"))
                };
                if let ExprKind::Member { object, arrow: false, name } = &callee.kind
                    && let ExprKind::Name(object) = &object.kind
                    && name == "same_as"
                    && compares(object)
                {
                    uses += arguments.iter().filter(|argument| is_it(argument)).count();
                }
            }
            _ => {}
        });
        let is_once = of.declared.iter().all(|name| *name != parameter.name);
        TYPES.iter().any(|known| ty == format!("{known}&"))
            && is_once
            && count(of, &parameter.name) == uses + 1
    }

    /// Finds the names that an expression only reads.
    fn reads(&self, expr: &'t Expr, pairs: &[[&'t str; 2]], uses: &mut Vec<&'t str>) {
        let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return };
        let named = |expr: &'t Expr| match &expr.kind {
            ExprKind::Name(name) => Some(name.as_str()),
            _ => None,
        };
        match &callee.kind {
            ExprKind::Member { object, arrow: false, name } => {
                if name == "defined" && arguments.is_empty() {
                    uses.extend(named(object));
                } else if let Some(object) = named(object)
                    && name == "same_as"
                    && pairs.as_flattened().contains(&object)
                {
                    uses.push(object);
                    uses.extend(arguments.iter().filter_map(named));
                }
            }
            ExprKind::Name(name) => {
                let program = self.program;
                let known = || program.functions.iter().filter(|function| function.name == *name);
                let fields = || program.classes.iter().flat_map(|class| &class.fields);
                let is_function = templates.is_empty()
                    && program.classes.iter().all(|class| class.name != *name)
                    && program.unseen.iter().all(|(_, other)| other != name)
                    && self.declarations(name) == 0
                    && self.function.parameters.iter().all(|of| of.name != *name)
                    && fields().all(|field| field.name != *name)
                    && !program.others.contains(name);
                for (index, argument) in arguments.iter().enumerate() {
                    let made = name.strip_suffix("::make");
                    let is_read = made.is_some_and(|kind| self.is_kind(kind))
                        || is_function
                            && known().next().is_some()
                            && known().all(|function| {
                                is_of(program, function, self.seen)
                                    && Self::is_read_by(function, index)
                            });
                    if is_read {
                        uses.extend(named(argument));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Finds the pairs that statements declare: `NodeRef n; Expr v;`.
fn declared_pairs<'t>(stmts: &'t [Stmt], found: &mut Vec<[&'t str; 2]>) {
    let only = |stmt: &'t Stmt, of: &str| match &stmt.kind {
        StmtKind::Declare(all) => match all.as_slice() {
            [Declared { ty, name, value: None }] if ty == of => Some(name.as_str()),
            _ => None,
        },
        _ => None,
    };
    for two in stmts.windows(2) {
        if let (Some(node), Some(value)) = (only(&two[0], TYPES[0]), only(&two[1], TYPES[1])) {
            found.push([node, value]);
        }
    }
    for stmt in stmts {
        for inner in within(stmt) {
            declared_pairs(inner, found);
        }
    }
}

/// `n = NodeRef(); v = Expr();`
fn is_cleared<'t>(stmts: [&'t Stmt; 2], pair: [&'t str; 2]) -> Option<Vec<&'t str>> {
    for ((stmt, name), ty) in stmts.into_iter().zip(pair).zip(TYPES) {
        let ExprKind::Call { callee, templates, arguments } = &assigned(stmt, name)?.kind else {
            return None;
        };
        let is_empty = callee.is_name(ty) && templates.is_empty() && arguments.is_empty();
        is_empty.then_some(())?;
    }
    Some(pair.to_vec())
}

/// `n = m; v = w;` or `std::swap(n, m); std::swap(v, w);`, where `m` and `w` are another pair.
fn moved<'t>(
    stmts: [&'t Stmt; 2],
    pair: [&'t str; 2],
    pairs: &[[&'t str; 2]],
) -> Option<Vec<&'t str>> {
    let is_assigned = |stmt: &'t Stmt, name: &str, by: &str| {
        assigned(stmt, name).is_some_and(|to| to.is_name(by))
    };
    let other = pairs.iter().find(|other| {
        let both = || stmts.into_iter().zip(pair).zip(**other);
        **other != pair
            && (both().all(|((stmt, name), by)| is_assigned(stmt, name, by))
                || both().all(|((stmt, name), by)| is_swapped(stmt, name, by)))
    })?;
    Some([pair, *other].concat())
}

/// `std::swap(a, b);`
fn is_swapped(stmt: &Stmt, one: &str, other: &str) -> bool {
    let StmtKind::Expr(expr) = &stmt.kind else { return false };
    let ExprKind::Call { callee, templates, arguments } = &expr.kind else { return false };
    callee.is_name("std::swap")
        && templates.is_empty()
        && matches!(arguments.as_slice(), [first, second]
            if first.is_name(one) && second.is_name(other))
}

/// The value that a statement assigns to a variable.
fn assigned<'t>(stmt: &'t Stmt, name: &str) -> Option<&'t Expr> {
    let StmtKind::Expr(Expr { kind: ExprKind::Assign(None, to, value), line: _ }) = &stmt.kind
    else {
        return None;
    };
    to.is_name(name).then_some(value)
}

impl Machine<'_> {
    /// The answers to `n.defined()` for a variable `n` of a pair; `None` for any other one. On the
    /// paths on which `n` is defined, the other variable of the pair is defined too.
    pub(super) fn is_twin_defined(&mut self, object: &Expr, state: &State) -> Option<Paths<Val>> {
        let ExprKind::Name(name) = &object.kind else { return None };
        if self.is_concrete() {
            return None;
        }
        let own = Self::find_variable(name, state);
        let method = self.running.filter(|_| own.is_some()).map(|running| running.line);
        let mut all = self.program.twins.iter();
        let twins = all.find(|known| {
            known.node == *name && known.class == self.class && known.method == method
        })?;
        let place = match own {
            Some(_) => Self::find_variable(&twins.value, state)?,
            None => Place::Member(twins.value.clone()),
        };
        let of = own.unwrap_or_else(|| Place::Member(name.clone()));
        let (mut defined, undefined) = self.choose(state.clone());
        let is_empty = matches!(Self::load(&of, state).map(|slot| slot.value),
            Some(Val::Handle(of)) if of == TYPES[0] || of == format!("{}()", TYPES[0]));
        match Self::load(&place, state).map(|slot| slot.value) {
            _ if is_empty => return Some(self.truths(Vec::new(), vec![undefined])),
            Some(Val::Expr(None)) => return Some(self.truths(Vec::new(), vec![undefined])),
            Some(Val::Expr(Some(_))) => {}
            _ => {
                let node = defined.add(I32, None, None);
                self.store(&place, Val::Expr(Some(node)), &mut defined);
            }
        }
        Some(self.truths(vec![defined], vec![undefined]))
    }
}
