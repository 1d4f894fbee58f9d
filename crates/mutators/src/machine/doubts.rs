//! Names that may mean something else than the functions with bodies that the files have.
//!
//! C++ takes the nearest declaration of a name, whether its body is seen or not. Where something
//! other than exactly the known bodies is declared there, the call is not followed.

use std::collections::{BTreeMap, BTreeSet};

use halidom_cpp::ANYTHING;
use halidom_cpp::ast::{Class, Function, Prototype, Stmt, StmtKind};
use halidom_cpp::words;

use crate::ir::state::State;
use crate::machine::contracts;
use crate::machine::lookup::last_part;
use crate::machine::program::{Program, is_root};
use crate::machine::run::Machine;

/// The namespaces whose names are known.
const SPACES: [&str; 11] = [
    "std",
    "Halide",
    "Internal",
    "TVM",
    "tvm",
    "ir",
    "air",
    "placeholders",
    "Hexagon",
    "arith",
    "runtime",
];

/// Functions of the library and of rules that mean something to the machine. The files may declare
/// others of their names, but neither variables nor structures.
pub(crate) const FUNCTIONS: [&str; 6] =
    ["forward", "move", "rewriter", "sort", "stable_sort", "swap"];

/// The bases of emitters in TVM's family. The names of their methods begin with `Visit`.
const FUNCTORS: [&str; 2] = ["ExprFunctor", "StmtFunctor"];

/// Tests whether only known names come from a namespace.
pub(crate) fn is_known_space(space: &str) -> bool {
    space.split("::").all(|part| SPACES.contains(&part.trim()) || part.is_empty())
}

/// The types of a function's parameters, each with whether the function may write through it.
/// `using namespace std` lets files leave out the name.
fn types(function: &Function) -> Vec<(String, bool)> {
    function.parameters.iter().map(|of| (plain(&of.ty), of.may_write)).collect()
}

fn plain(ty: &str) -> String {
    ty.replace("std::", "")
}

/// The functions and methods that are declared, and have no body with these parameters.
pub(crate) fn without_body<'f>(
    program: &Program,
    prototypes: &'f [Prototype],
) -> Vec<&'f Prototype> {
    let is_seen = |prototype: &Prototype| {
        let declared: Vec<(String, bool)> =
            prototype.parameters.iter().map(|(ty, writes)| (plain(ty), *writes)).collect();
        program.functions.iter().any(|body| {
            body.class == prototype.class && body.name == prototype.name && types(body) == declared
        })
    };
    prototypes.iter().filter(|prototype| !is_seen(prototype)).collect()
}

/// The names that a class, or the files outside of classes, declare otherwise than by the bodies
/// of functions that are known: each with its class.
pub(crate) fn unseen(program: &Program, prototypes: &[Prototype]) -> BTreeSet<(String, String)> {
    let mut known: BTreeMap<(&str, &str), Vec<&Function>> = BTreeMap::new();
    for function in &program.functions {
        known.entry((&function.class, &function.name)).or_default().push(function);
    }
    let mut found = BTreeSet::new();
    for prototype in without_body(program, prototypes) {
        found.insert((prototype.class.clone(), prototype.name.clone()));
    }
    for class in &program.classes {
        found.extend(class.others.iter().map(|name| (class.name.clone(), name.clone())));
    }
    for ((class, name), bodies) in known {
        let is_double = |(index, one): (usize, &&Function)| {
            !one.is_static
                && bodies[..index].iter().any(|other| {
                    !other.is_static && other.text != one.text && types(other) == types(one)
                })
        };
        if bodies.iter().enumerate().any(is_double) {
            found.insert((class.to_owned(), name.to_owned()));
        }
    }
    found
}

/// The names of classes that are declared in several places, or differently in several files.
fn ambiguous(classes: &[Class], file_of: impl Fn(usize) -> usize) -> BTreeSet<String> {
    let mut first: BTreeMap<&str, (usize, &Class)> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for (index, class) in classes.iter().enumerate().filter(|(_, class)| !class.name.is_empty()) {
        let (file, known) = *first.entry(&class.name).or_insert((file_of(index), class));
        let is_one = (known.mark, &known.place) == (class.mark, &class.place);
        if !is_one || file_of(index) == file && !std::ptr::eq(known, class) {
            found.insert(class.name.clone());
        }
    }
    found
}

/// Makes functions unreadable that name classes which are declared in several places. The files of
/// the classes are given.
pub(crate) fn hide_ambiguous(program: &mut Program, files: &[usize]) {
    let names = ambiguous(&program.classes, |index| files.get(index).copied().unwrap_or(0));
    if names.is_empty() {
        return;
    }
    for function in &mut program.functions {
        let mut all = words(&function.text).chain([function.class.as_str()]);
        let named = all.find(|word| names.contains(*word)).map(str::to_owned);
        drop(all);
        if let Some(name) = named {
            let what = format!("`{name}`, which is a class in several places");
            function.body = vec![Stmt { kind: StmtKind::Other(what), line: function.line }];
            function.text.push('\u{1}');
        }
    }
}

/// Classes of headers that are not given, with the names of all their members and of those of their
/// bases (`Simplify_Internal.h`, `IRVisitor.h`).
const MEMBERS: [(&str, &[&str]); 1] = [(
    "Simplify",
    &[
        "BitsKnown",
        "ExprInfo",
        "ScopedFact",
        "Simplify",
        "Super",
        "VarInfo",
        "alignment_info",
        "bounds_and_alignment_info",
        "bounds_info",
        "c0",
        "c1",
        "c2",
        "c3",
        "c4",
        "c5",
        "clear_bounds_info",
        "clear_expr_info",
        "const_false",
        "const_int",
        "const_true",
        "debug_indent",
        "dispatch",
        "dispatch_expr",
        "dispatch_stmt",
        "falsehoods",
        "found_buffer_reference",
        "hoist_slice_vector",
        "in_unreachable",
        "in_vector_loop",
        "make_const",
        "may_simplify",
        "mutate",
        "mutate_let_body",
        "mutate_with_changes",
        "no_overflow",
        "no_overflow_int",
        "no_overflow_scalar_int",
        "normalize_constant",
        "remove_dead_lets",
        "scoped_falsehood",
        "scoped_truth",
        "set_expr_info_to_constant",
        "should_commute",
        "simplify_let",
        "truths",
        "u",
        "v",
        "var_info",
        "visit",
        "w",
        "x",
        "y",
        "z",
    ],
)];

impl Machine<'_> {
    /// Tests whether a function is seen where the running function calls it.
    pub(super) fn is_in_sight(&self, function: &Function) -> bool {
        let home = |line: usize| self.program.starts.partition_point(|start| *start < line);
        // What a file includes is its own.
        let is_shared = |line: usize| {
            let file = home(line).checked_sub(1);
            file.is_some_and(|file| self.program.shared.get(file) == Some(&true))
        };
        let is_near = |running: &Function| {
            home(running.line) == home(function.line) || is_shared(function.line)
        };
        !function.is_static || !function.class.is_empty() || self.running.is_none_or(is_near)
    }

    /// Tests whether a variable or a member of the running function's class hides a function.
    pub(super) fn is_hidden(&self, name: &str, state: &State) -> bool {
        let class = self.running.map_or("", |running| &running.class);
        let classes = if class.is_empty() { Vec::new() } else { self.classes_of(class) };
        let of = |class: &&Class| classes.contains(&class.name);
        let mut fields = self.program.classes.iter().filter(of).flat_map(|class| &class.fields);
        !name.contains("::")
            && (Self::find_variable(name, state).is_some()
                || fields.any(|field| field.name == name))
    }

    /// Tests whether a call by a name may mean something else than these functions, or than the
    /// API if there are none. Returns the reason.
    pub(super) fn other_meaning(
        &self,
        name: &str,
        functions: &[&Function],
        state: &State,
    ) -> Option<String> {
        let program = self.program;
        let short = last_part(name);
        if functions.is_empty() && !contracts::is_known(short) {
            return None;
        }
        let running = self.running?;
        // A definition by a name with a namespace, or a method of a class that is not seen.
        let is_unplaced = |of: &Function| {
            of.name == short
                && !of.class.is_empty()
                && !is_root(&of.class)
                && !program.classes.iter().any(|class| class.name == of.class)
                && !contracts::is_replaced(of)
        };
        if functions.is_empty() && program.functions.iter().any(is_unplaced) {
            return Some(format!("`{name}`, which the files define in another place"));
        }
        let classes = match name.rsplit_once("::") {
            Some((class, _)) => vec![last_part(class).to_owned()],
            None if running.class.is_empty() => Vec::new(),
            None => self.classes_of(&running.class),
        };
        let is_free = functions.first().is_some_and(|function| function.class.is_empty());
        let has =
            |class: &str, name: &str| program.unseen.contains(&(class.to_owned(), name.to_owned()));
        for class in &classes {
            let mut known = program.classes.iter().filter(|known| known.name == *class).peekable();
            let is_functor = FUNCTORS.contains(&class.as_str()) && !short.starts_with("Visit");
            let is_told = MEMBERS.iter().any(|(of, names)| of == class && !names.contains(&short));
            let is_seen = known.peek().is_some() || is_root(class) || is_functor || is_told;
            let is_field = known.flat_map(|known| &known.fields).any(|field| field.name == short);
            let may_be = has(class, short) || has(class, ANYTHING) && !functions.is_empty();
            if is_field || may_be {
                return Some(format!("`{name}`, which {class} declares otherwise"));
            }
            let is_named = |of: &&Function| of.name == short && of.class == *class;
            let mut named = program.functions.iter().filter(is_named).peekable();
            if named.peek().is_some() {
                // A contract stands for the bodies that it replaces.
                let is_it = if functions.is_empty() {
                    named.all(contracts::is_replaced)
                } else {
                    functions.iter().all(|of| of.class == *class)
                };
                return (!is_it).then(|| format!("`{name}`, which {class} has too"));
            }
            if is_free && !is_seen {
                return Some(format!("`{name}`, which {class} may have, which is not seen"));
            }
        }
        let is_variadic = |of: &&Function| {
            of.class.is_empty()
                && of.name == short
                && of.text.split('{').next().is_some_and(|head| head.contains("..."))
        };
        if program.functions.iter().filter(is_variadic).any(|of| self.is_in_sight(of)) {
            return Some(format!("`{name}`, which takes any arguments"));
        }
        if !is_free {
            return None;
        }
        let is_around = |function: &&Function| {
            let rest = running.place.strip_prefix(function.place.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty() || rest.starts_with("::") || function.place.is_empty()
            })
        };
        let is_hidden = Self::find_variable(name, state).is_some() || has("", short);
        let is_one = functions.iter().all(|of| of.place == functions[0].place);
        let is_otherwise = is_hidden || !is_one || !functions.iter().all(is_around);
        is_otherwise.then(|| format!("`{name}`, which is declared in several ways"))
    }
}
